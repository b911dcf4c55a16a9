//! The sources of libraries that come with a compiler.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use bstr::ByteSlice;

use super::below;

/// The compilers that are installed. Each is asked once, and only for a path of its language.
#[derive(Default)]
pub(crate) struct Toolchains {
    rust: OnceCell<Option<Rust>>,
    go: OnceCell<Option<Go>>,
}

/// Where Rust's own sources are.
struct Rust {
    /// What `rustc` calls itself in paths: the hash of a commit, or a version.
    names: Vec<Vec<u8>>,
    sources: PathBuf,
}

/// Where Go's own sources are, and those of modules.
struct Go {
    root: PathBuf,
    modules: PathBuf,
}

impl Toolchains {
    /// The file that a path of a library stands for.
    pub(crate) fn find(&self, path: &[u8]) -> Option<PathBuf> {
        if let Some(rest) = path.strip_prefix(b"/rustc/") {
            return self.rust.get_or_init(Rust::here).as_ref()?.find(rest);
        }
        if path.ends_with(b".go") {
            return self.go.get_or_init(Go::here).as_ref()?.find(path);
        }
        None
    }
}

/// Whether the path is of Rust's own libraries.
pub(crate) fn is_of_rust(path: &[u8]) -> bool {
    path.starts_with(b"/rustc/")
}

impl Rust {
    fn here() -> Option<Rust> {
        let version = answer("rustc", &["-vV"])?;
        let value = |line: &[u8]| {
            let value =
                [&b"commit-hash: "[..], b"release: "].iter().find_map(|it| line.strip_prefix(*it));
            value.map(<[u8]>::to_vec)
        };
        let names = version.lines().filter_map(value).collect();
        let root = answer("rustc", &["--print", "sysroot"])?;
        let sources = root.trim_end().to_path_lossy().join("lib/rustlib/src/rust");
        Some(Rust { names, sources })
    }

    /// `path` is what follows `/rustc/`. Sources of another version would show wrong lines.
    fn find(&self, path: &[u8]) -> Option<PathBuf> {
        let (version, rest) = path.split_once_str("/")?;
        let is_here = self.names.iter().any(|name| name == version);
        is_here.then(|| below(rest, &[&self.sources])).flatten()
    }
}

impl Go {
    fn here() -> Option<Go> {
        let answer = answer("go", &["env", "GOROOT", "GOMODCACHE"])?;
        let mut folders = answer.lines().map(|line| line.to_path_lossy().into_owned());
        Some(Go { root: folders.next()?.join("src"), modules: folders.next()? })
    }

    /// `/usr/lib/go-1.22/src/runtime/proc.go` or, with -trimpath, `runtime/proc.go`;
    /// `/root/go/pkg/mod/example.org/x@v1.2.3/x.go` or `example.org/x@v1.2.3/x.go`.
    fn find(&self, path: &[u8]) -> Option<PathBuf> {
        if !path.starts_with(b"/") {
            let module = below(&escaped_module(path), &[&self.modules]);
            return below(path, &[&self.root]).or(module);
        }
        if let Some((_, module)) = path.split_once_str("/pkg/mod/") {
            return below(module, &[&self.modules]);
        }
        let (before, package) = path.split_once_str("/src/")?;
        before.contains_str("/go").then(|| below(package, &[&self.root])).flatten()
    }
}

/// A path of a module as Go's cache writes it, since some file systems ignore case:
/// `github.com/!burnt!sushi/toml@v1.0.0/lex.go`.
fn escaped_module(path: &[u8]) -> Vec<u8> {
    let version = path.find_byte(b'@').unwrap_or_default();
    let end = path[version..].find_byte(b'/').map_or(path.len(), |length| version + length);
    let mut escaped = Vec::with_capacity(path.len());
    for &byte in &path[..end] {
        escaped.extend(byte.is_ascii_uppercase().then_some(b'!'));
        escaped.push(byte.to_ascii_lowercase());
    }
    escaped.extend_from_slice(&path[end..]);
    escaped
}

/// What a program prints; `None` if it is not installed or fails.
fn answer(program: &str, args: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new(OsStr::new(program));
    let output = command.args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then_some(output.stdout)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn libraries_are_found_in_their_toolchain() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let files = [
            "rust/library/core/src/mem.rs",
            "go/src/runtime/proc.go",
            "mod/example.org/!up/x@v1.2.3/Case.go",
        ];
        for file in files.map(|file| root.join(file)) {
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, "").expect("a file");
        }
        let rust =
            Rust { names: vec![b"abc1".to_vec(), b"1.2.3".to_vec()], sources: root.join("rust") };
        let go = Go { root: root.join("go/src"), modules: root.join("mod") };
        let toolchains = Toolchains { rust: Some(rust).into(), go: Some(go).into() };
        for (path, expected) in [
            ("/rustc/abc1/library/core/src/mem.rs", Some(files[0])),
            ("/rustc/1.2.3/library/core/src/mem.rs", Some(files[0])),
            ("/rustc/abc2/library/core/src/mem.rs", None),
            ("/rustc/abc1/library/core/src/none.rs", None),
            ("/usr/local/go/src/runtime/proc.go", Some(files[1])),
            ("/opt/go/1.21.3/x64/src/runtime/proc.go", Some(files[1])),
            ("runtime/proc.go", Some(files[1])),
            ("/home/me/src/runtime/proc.go", None),
            ("/root/go/pkg/mod/example.org/!up/x@v1.2.3/Case.go", Some(files[2])),
            ("example.org/Up/x@v1.2.3/Case.go", Some(files[2])),
            ("/runtime/proc.c", None),
        ] {
            let expected = expected.map(|file| root.join(file));
            assert_eq!(toolchains.find(path.as_bytes()), expected, "{path}");
        }
    }
}

//! Whose code a frame is, decided where its file and the source of its function are known.

use bstr::ByteSlice;
use clap::Args;
use common::names::{CodeKind, crate_of, rust, script_of};
use common::pattern::{PatternSyntax, compile_patterns, patterns_of};
use regex_automata::meta::Regex;

use super::kind::Kind;
use super::recorded::{Frame, known_name};
use crate::read::paths::file_name;

/// Whose code a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The program's author: the source of the function shows it, or it is in the program itself and
    /// no rule knows its name.
    Own,
    /// Others: a library, a package, the runtime of the language.
    Library,
    /// Nothing shows whose code it is, or it is the kernel's.
    Unknown,
}

/// What is the program's own code, whatever rules say.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct OwnArgs {
    /// Take as own code what matches in the path of its source, of its file, or in its name
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, value_parser = own_pattern)]
    own: Vec<Regex>,
}

fn own_pattern(pattern: &str) -> Result<Regex, String> {
    let patterns: Vec<_> = patterns_of(pattern.as_bytes()).collect();
    compile_patterns(patterns.iter().map(Vec::as_slice), PatternSyntax::default())
        .map_err(|error| error.to_string())
}

/// Programs that run what others wrote: `python3.12`, `node`.
const INTERPRETERS: [&[u8]; 14] = [
    b"python",
    b"node",
    b"nodejs",
    b"ruby",
    b"perl",
    b"java",
    b"php",
    b"php-fpm",
    b"beam.smp",
    b"julia",
    b"luajit",
    b"lua",
    b"bun",
    b"deno",
];

/// Folders of what an administrator or the system installed.
const SYSTEM: [&[u8]; 9] = [
    b"/usr/",
    b"/bin/",
    b"/sbin/",
    b"/lib/",
    b"/lib64/",
    b"/nix/store/",
    b"/gnu/store/",
    b"/snap/",
    b"/System/",
];

impl OwnArgs {
    /// Whose code a frame is.
    pub(crate) fn owner(&self, frame: &Frame<'_>) -> Owner {
        if frame.kind == Kind::Kernel {
            return Owner::Unknown;
        }
        if [frame.source, frame.object, frame.name].iter().any(|text| self.names(text)) {
            return Owner::Own;
        }
        let by_name = CodeKind::of_name_beside(frame.name, frame.beside);
        if is_start_of_ocaml(frame) {
            return Owner::Library;
        }
        // Whoever builds OCaml from source has its library in a folder of any name.
        let stdlib = [&b"Stdlib."[..], b"Caml", b"camlStdlib", b"camlCaml"];
        let is_stdlib = || stdlib.iter().any(|start| frame.name.starts_with(start));
        if by_name == Some(CodeKind::Runtime) || by_name == Some(CodeKind::Library) && is_stdlib() {
            return Owner::Library;
        }
        of_source(frame).unwrap_or_else(|| of_object(frame, by_name))
    }

    fn names(&self, text: &[u8]) -> bool {
        !text.is_empty() && self.own.iter().any(|pattern| pattern.is_match(text))
    }
}

/// Whether this is the `main` of OCaml's runtime, `runtime/main.c`.
fn is_start_of_ocaml(frame: &Frame<'_>) -> bool {
    let source = frame.source.rsplit_once_str(":").map_or(frame.source, |(source, _line)| source);
    !frame.beside.is_empty()
        && frame.name == b"main"
        && (source.is_empty() || source.ends_with(b"runtime/main.c"))
}

/// Whose code it is, as the path of the source shows. A path that no rule knows is the program's if
/// it is absolute, since others are short names that anyone may have.
fn of_source(frame: &Frame<'_>) -> Option<Owner> {
    let is_of_system = is_of_system(frame.object) || is_interpreter(file_name(frame.object));
    let source = if frame.source.is_empty() { script_of(frame.name) } else { frame.source };
    match CodeKind::of_place(source) {
        Some(CodeKind::Library | CodeKind::Runtime) => Some(Owner::Library),
        Some(CodeKind::Own) => Some(Owner::Own),
        Some(_) => None,
        None => (is_absolute(source) && !is_of_system).then_some(Owner::Own),
    }
}

/// Whose code it is, as its file and its name show.
fn of_object(frame: &Frame<'_>, by_name: Option<CodeKind>) -> Owner {
    let file = file_name(frame.object);
    let is_library = || is_shared(frame.object) && !is_own_extension(frame.object, file);
    if frame.kind == Kind::User && (is_interpreter(file) || is_library()) {
        return Owner::Library;
    }
    let is_nameless = matches!(known_name(frame.name), [] | [b'[', .., b']']);
    // Code that was made at run time is the program's and that of all its libraries.
    let is_program = frame.kind == Kind::User
        && !frame.known_object().is_empty()
        && !matches!(file, [b'[', ..] | b"//anon")
        && !is_of_system(frame.object);
    match by_name {
        Some(CodeKind::Library) => Owner::Library,
        // A stub of the linker, which jumps to a library.
        None | Some(CodeKind::Own)
            if is_program && !is_nameless && !frame.name.ends_with(b"@plt") =>
        {
            if is_of_other_package(frame.name, file) {
                Owner::Unknown
            } else {
                Owner::Own
            }
        }
        _ => Owner::Unknown,
    }
}

/// Whether a function that is compiled into a program may be of a package of others, as their names
/// show in Rust and Go: `regex::find` in the file `app`, `github.com/a/b.Run`.
fn is_of_other_package(name: &[u8], file: &[u8]) -> bool {
    let mut readable = Vec::new();
    if rust::is_rust(name) && rust::demangle(name, &mut readable) {
        let stem = file.strip_suffix(b".exe").unwrap_or(file);
        // `target/debug/deps/app-0123456789abcdef`
        let stem = match stem.rsplit_once_str("-") {
            Some((before, hash)) if hash.len() == 16 => before,
            _ => stem,
        };
        return crate_of(&readable) != stem.replace("-", "_");
    }
    let domain = name.split_once_str("/").map_or(&b""[..], |(domain, _)| domain);
    domain.contains(&b'.') && !name.contains_str("::") && !name.contains(&b' ')
}

/// `/src/a.c:14`, `C:\src\a.c:14`, `file:///app/a.js:3`.
fn is_absolute(path: &[u8]) -> bool {
    let is_of_drive =
        matches!(path, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    path.starts_with(b"/") || path.starts_with(b"file://") || is_of_drive
}

fn is_of_system(object: &[u8]) -> bool {
    SYSTEM.iter().any(|folder| object.starts_with(folder))
        && !object.starts_with(b"/usr/local/src/")
        // Python's own modules in C.
        || object.contains_str("/lib-dynload/")
        || object.to_ascii_lowercase().starts_with(b"c:\\windows\\")
}

/// Whether this is the file of a program in [`INTERPRETERS`], with a version or without, or its
/// library: `libpython3.12.so.1.0`.
fn is_interpreter(file: &[u8]) -> bool {
    let library = file.strip_prefix(b"lib").and_then(|name| name.split_once_str(".so"));
    let name = library.map_or(file, |(name, _)| name);
    let name = name.strip_suffix(b".exe").unwrap_or(name);
    let name = name.trim_end_with(|byte| byte.is_ascii_digit() || matches!(byte, '.' | '-'));
    INTERPRETERS.contains(&name)
}

/// Whether this is an extension of Python that is not where packages are installed:
/// `/app/fast.cpython-312-x86_64-linux-gnu.so`, `/app/fast.abi3.so`.
fn is_own_extension(object: &[u8], file: &[u8]) -> bool {
    let is_extension = file.contains_str(".cpython-3") || file.ends_with(b".abi3.so");
    is_extension && !is_of_system(object) && CodeKind::of_place(object).is_none()
}

/// `/usr/lib/libc.so.6`, `libplug.so (deleted)`, `libc++.1.dylib`, `KERNEL32.dll`, `addon.node`,
/// `[vdso]`.
fn is_shared(object: &[u8]) -> bool {
    let file = file_name(object.strip_suffix(b" (deleted)").unwrap_or(object)).to_ascii_lowercase();
    let is_version = |rest: &[u8]| rest.iter().all(|it| it.is_ascii_digit() || *it == b'.');
    let has_version = file.rfind(".so.").is_some_and(|at| is_version(&file[at + b".so.".len()..]));
    has_version
        || [&b".so"[..], b".dylib", b".dll", b".node"].iter().any(|end| file.ends_with(end))
        || object.find(".framework/").is_some()
        || object == b"[vdso]"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str, object: &str, source: &str) -> Owner {
        let (name, object, source) = (name.as_bytes(), object.as_bytes(), source.as_bytes());
        let kind = Kind::of_object(object, None);
        OwnArgs::default().owner(&Frame { name, object, source, kind, ..Frame::default() })
    }

    #[test]
    fn the_source_of_a_function_shows_whose_it_is() {
        for (object, source, expected) in [
            ("/app/demo", "/app/src/a.cc:3", Owner::Own),
            ("/app/demo", "/usr/include/c++/12/bits/stl_algo.h:12", Owner::Library),
            ("/app/demo", "/rustc/59807616/library/core/src/ptr/mod.rs:805", Owner::Library),
            ("/app/demo", "/usr/local/cargo/registry/src/index/rayon-1/src/a.rs:1", Owner::Library),
            ("/app/demo", "/home/a/go/pkg/mod/x.org/y@v1/a.go:1", Owner::Library),
            ("/app/demo", "/app/build/_deps/fmt-src/a.cc:1", Owner::Library),
            // An extension in a package of its own, and one of the distribution.
            (
                "/app/venv/lib/python3.12/site-packages/ext/ext.so",
                "/app/ext/src/lib.rs:9",
                Owner::Own,
            ),
            ("/usr/lib/python3/dist-packages/ext.so", "/build/ext-1/lib.rs:9", Owner::Library),
            ("/usr/lib/libx.so.1", "/home/builder/x/a.c:4", Owner::Library),
            (
                "/opt/py/lib/python3.12/lib-dynload/_json.so",
                "/tmp/b/Modules/_json.c:4",
                Owner::Library,
            ),
            ("/opt/py/bin/python3.12", "/tmp/python-build/Objects/longobject.c:4", Owner::Library),
            ("/opt/py/lib/libpython3.12.so.1.0", "/tmp/b/Objects/longobject.c:4", Owner::Library),
            // Who wrote a file with a short name is not known, but it is in the program.
            ("/app/demo", "src/a.ml:4", Owner::Own),
            ("", "src/a.py:4", Owner::Unknown),
            ("", "/app/a.py:4", Owner::Own),
        ] {
            assert_eq!(owner("f", object, source), expected, "{object} {source}");
        }
    }

    #[test]
    fn without_lines_the_file_and_the_name_show_it() {
        for (name, object, expected) in [
            ("work", "/app/demo", Owner::Own),
            ("_ZN3app4workEv", "/app/demo", Owner::Own),
            ("_ZNSt6vectorIiSaIiEE9push_backEi", "/app/demo", Owner::Library),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "/app/demo", Owner::Library),
            ("_ZN4demo4work17h0123456789abcdefE", "/app/demo-0123456789abcdef", Owner::Own),
            ("_ZN4demo4work17h0123456789abcdefE", "/app/my-demo", Owner::Unknown),
            ("main.work", "/app/demo", Owner::Own),
            ("github.com/a/b.(*T).Run", "/app/demo", Owner::Unknown),
            ("net/http.(*conn).serve", "/app/demo", Owner::Library),
            ("runtime.mallocgc", "/app/demo", Owner::Library),
            ("time.cold", "/app/demo", Owner::Own),
            ("_ZN5rayon4iter3map17h0123456789abcdefE", "/app/demo", Owner::Library),
            ("memcpy@plt", "/app/demo", Owner::Unknown),
            ("_start", "/app/demo", Owner::Library),
            ("caml_alloc_small", "/app/demo", Owner::Library),
            ("work", "/app/libplug.so", Owner::Library),
            ("work", "/app/fast.cpython-312-x86_64-linux-gnu.so", Owner::Own),
            ("work", "/app/fast.abi3.so", Owner::Own),
            ("work", "/app/venv/lib/python3.12/site-packages/fast/fast.abi3.so", Owner::Library),
            ("work", "/opt/py/lib/python3.12/lib-dynload/_json.cpython-312.so", Owner::Library),
            ("work", "/usr/lib/python3/fast.abi3.so", Owner::Library),
            ("work", "/usr/bin/gzip", Owner::Unknown),
            ("long_add", "/usr/bin/python3.12", Owner::Library),
            ("f", "/opt/node/bin/node", Owner::Library),
            ("", "/app/demo", Owner::Unknown),
            ("[unknown]", "/app/demo", Owner::Unknown),
            ("work", "[unknown]", Owner::Unknown),
            ("work", "", Owner::Unknown),
            ("f", "[kernel.kallsyms]", Owner::Unknown),
            ("LazyCompile:~f /app/a.js:1", "/tmp/perf-1.map", Owner::Own),
            ("py::f:/app/a.py", "/tmp/perf-1.map", Owner::Own),
            ("LApp;::run", "/tmp/perf-1.map", Owner::Unknown),
            ("Ljava/util/Arrays;::sort", "/tmp/perf-1.map", Owner::Library),
        ] {
            assert_eq!(owner(name, object, ""), expected, "{name} {object}");
        }
    }

    #[test]
    fn functions_of_the_runtime_of_ocaml_are_known_in_its_programs() {
        let owner = |beside: &str| {
            let (name, object, beside) = (b"mark_slice", b"/app/demo", beside.as_bytes());
            let kind = Kind::of_object(object, None);
            OwnArgs::default().owner(&Frame { name, object, kind, beside, ..Frame::default() })
        };
        assert_eq!(owner("caml_start_program"), Owner::Library);
        let own = OwnArgs::default();
        for (name, expected) in [
            ("camlStdlib__Map.update_420", Owner::Library),
            ("Stdlib.Map.update", Owner::Library),
            ("camlDb__insert_4", Owner::Own),
        ] {
            let (name, object, source) = (name.as_bytes(), b"/app/demo", b"/src/ocaml/map.ml:3");
            let kind = Kind::of_object(object, None);
            let frame = Frame { name, object, source, kind, ..Frame::default() };
            assert_eq!(own.owner(&frame), expected, "{}", name.as_bstr());
        }
        let main = |source: &str| {
            let (name, object, source) = (b"main", b"/app/demo", source.as_bytes());
            let kind = Kind::of_object(object, None);
            let beside = b"caml_start_program";
            let frame = Frame { name, object, source, kind, beside, ..Frame::default() };
            OwnArgs::default().owner(&frame)
        };
        assert_eq!((main(""), main("/ocaml/runtime/main.c:37")), (Owner::Library, Owner::Library));
        assert_eq!(main("/app/embeds.c:7"), Owner::Own);
        // Elsewhere anyone may have such a function.
        assert_eq!(owner(""), Owner::Unknown);
    }

    #[test]
    fn what_the_user_names_is_own() {
        let own = OwnArgs { own: vec![own_pattern("/work/|^ext_").expect("a pattern")] };
        for (name, object, source, expected) in [
            ("f", "/usr/lib/libx.so", "/work/x/a.c:3", Owner::Own),
            ("f", "/work/x/libx.so", "", Owner::Own),
            ("ext_run", "/usr/lib/libx.so", "", Owner::Own),
            ("run_ext_", "/usr/lib/libx.so", "", Owner::Library),
        ] {
            let (name, object, source) = (name.as_bytes(), object.as_bytes(), source.as_bytes());
            let frame = Frame { name, object, source, ..Frame::default() };
            assert_eq!(own.owner(&frame), expected);
        }
    }
}

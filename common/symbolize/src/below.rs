//! Paths of a recorded machine, below the folder that has its files.

use std::path::{Component, Path, PathBuf};

use bstr::ByteSlice;

/// The file below `root` that was at `path` on a machine whose `/` is `root`. As there, `..` leads
/// to no folder above `/`.
#[must_use]
pub fn below_root(root: &Path, path: &[u8]) -> PathBuf {
    let mut parts = Vec::new();
    let path = path.to_path_lossy();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::ParentDir => drop(parts.pop()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    root.iter().chain(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_root() {
        let root = Path::new("/symfs/one");
        for (path, expected) in [
            ("/usr/bin/app", "/symfs/one/usr/bin/app"),
            ("app", "/symfs/one/app"),
            ("/../../etc/shadow", "/symfs/one/etc/shadow"),
            ("/usr/../../../etc/shadow", "/symfs/one/etc/shadow"),
            ("/usr/lib/../bin/./app", "/symfs/one/usr/bin/app"),
            ("//usr//bin/app", "/symfs/one/usr/bin/app"),
            ("..", "/symfs/one"),
            ("", "/symfs/one"),
        ] {
            assert_eq!(below_root(root, path.as_bytes()), Path::new(expected), "{path}");
        }
        assert_eq!(below_root(Path::new("../root"), b"/../a"), Path::new("../root/a"));
    }
}

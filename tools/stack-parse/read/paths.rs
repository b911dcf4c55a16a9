//! Paths of files, as stacks: each folder is a frame, and the caller of its contents.

use memchr::memrchr;

/// The parts of a path, the outermost first; the root is one of them: `/`, `usr`, `bin`.
pub(crate) fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let root = path.starts_with(b"/").then_some(&b"/"[..]);
    root.into_iter().chain(path.split(|&byte| byte == b'/').filter(|part| !part.is_empty()))
}

/// The last part of a path: `demo` of `/usr/bin/demo`.
pub(crate) fn file_name(path: &[u8]) -> &[u8] {
    memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..])
}

/// Undoes the escapes of C in a name: `new\nline`, `gr\303\266\303\237e`, `a\ b`.
pub(crate) fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [first, behind @ ..] = rest {
        let (byte, behind) = match rest {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', behind @ ..] => {
                ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), behind)
            }
            [b'\\', b'n' | b't' | b'r' | b'a' | b'b' | b'f' | b'v', behind @ ..] => (b'\n', behind),
            [b'\\', escaped @ (b'\\' | b' ' | b'"'), behind @ ..] => (*escaped, behind),
            _ => (*first, behind),
        };
        bytes.push(byte);
        rest = behind;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_parts_of_a_path() {
        for (path, expected) in [
            ("/usr//lib/", &["/", "usr", "lib"][..]),
            ("./a b/c;d", &[".", "a b", "c;d"]),
            ("/", &["/"]),
            ("", &[]),
        ] {
            let parts: Vec<_> = parts(path.as_bytes()).collect();
            assert_eq!(
                parts,
                expected.iter().map(|it| it.as_bytes()).collect::<Vec<_>>(),
                "{path}"
            );
        }
    }

    #[test]
    fn escapes_of_c_are_undone() {
        for (text, name) in [
            (r"a\ b\\n", &br"a b\n"[..]),
            (r"gr\303\266\303\237e", "größe".as_bytes()),
            (r"new\nline", b"new\nline"),
            (r"\x\9\", br"\x\9\"),
        ] {
            assert_eq!(unescaped(text.as_bytes()), name, "{text}");
        }
    }
}

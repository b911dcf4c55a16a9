//! Go: the arguments of generic functions are `[...]`, as in Go's own tracebacks and in pprof. The
//! linker's symbols have the shapes that the compiler made of them.

use bstr::ByteSlice;

/// The name of a function of Go as Go prints it: `main.Map[...]` of `main.Map[go.shape.int]`; `None` if
/// that is the name as it is.
pub(super) fn short_go(name: &[u8]) -> Option<Vec<u8>> {
    // To search for a byte is much faster than for a text, and few names have it.
    name.find_byte(b'[')?;
    let mut short = Vec::new();
    let mut rest = name;
    while let Some((before, inside)) = rest.split_once_str("[go.shape.") {
        let mut depth = 1_usize;
        let end = inside.iter().position(|byte| {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        short.extend_from_slice(before);
        short.extend_from_slice(b"[...]");
        rest = &inside[end + 1..];
    }
    (!short.is_empty()).then(|| [&short, rest].concat())
}

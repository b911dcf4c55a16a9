//! A function as Valgrind's heap tools and their imitators print it:
//!
//! ```text
//! 0x10B5F6: allocate (new_allocator.h:137)
//! 0x10B5F6: dhat_demo::main (src/main.rs:12:5)
//! 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)
//! 0x401AB9F: ??? (in /usr/lib/ld-linux-x86-64.so.2)
//! 0x1: ???
//! ```

use bstr::ByteSlice;
use common::numbers::hexadecimal;

use crate::frame::{Frame, has_line, known_name};

/// The frame of such a text; another text is all name.
pub(crate) fn frame(text: &[u8]) -> Frame<'_> {
    let (address, function) = match text.split_once_str(": ") {
        Some((address, function)) if address.starts_with(b"0x") => (hexadecimal(address), function),
        _ => (None, text),
    };
    let function = if address.is_some() { function } else { text };
    let (name, object, source) = place(function);
    Frame { name: known_name(name), object, address, source, ..Frame::default() }
}

/// Whether `callee` is inlined into `caller`: then they have the same address. In recursion they
/// may have it, too, but then their texts are equal.
pub(crate) fn is_inlined(callee: &[u8], caller: &[u8]) -> bool {
    let address = |text: &[u8]| text.find(": ").filter(|_| text.starts_with(b"0x"));
    match (address(callee), address(caller)) {
        (Some(end), Some(other)) => callee[..end] == caller[..other] && callee != caller,
        _ => false,
    }
}

/// The name, and the object or the line in brackets after it; a name may end in brackets, too.
fn place(function: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let inside = function.strip_suffix(b")").and_then(|function| function.rsplit_once_str(" ("));
    match inside {
        Some((name, inside)) if inside.starts_with(b"in ") => (name, &inside[3..], b""),
        Some((name, inside)) if has_line(inside) => (name, b"", inside),
        _ => in_odd_place(function).unwrap_or((function, b"", b"")),
    }
}

/// The path of an object or a file may have brackets and spaces: ` (in /memfd:a (deleted))`.
fn in_odd_place(function: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (name, object) = function.strip_suffix(b")")?.split_once_str(" (in ")?;
    Some((name, object, b""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_their_place_begins() {
        for (text, name, object, source) in [
            ("0x1: f(int) (a b.c:137)", "f(int)", "", "a b.c:137"),
            ("0x1: a::main (src/main.rs:12:5)", "a::main", "", "src/main.rs:12:5"),
            ("0x1: ??? (in /usr/lib/ld.so)", "", "/usr/lib/ld.so", ""),
            ("0x1: f (in /memfd:a (deleted))", "f", "/memfd:a (deleted)", ""),
            ("0x1: (anonymous namespace)::f (int)", "(anonymous namespace)::f (int)", "", ""),
            ("0x1: ???", "", "", ""),
            ("[root]", "[root]", "", ""),
            ("f: g", "f: g", "", ""),
            ("", "", "", ""),
        ] {
            let frame = frame(text.as_bytes());
            let parts = [frame.name, frame.object, frame.source].map(|it| it.to_str_lossy());
            assert_eq!(parts, [name, object, source], "{text}");
        }
    }

    #[test]
    fn a_function_at_the_address_of_its_caller_is_inlined() {
        let is_inlined = |a: &str, b: &str| is_inlined(a.as_bytes(), b.as_bytes());
        assert!(is_inlined("0x1: f (a.c:2)", "0x1: g (a.c:9)"));
        assert!(!is_inlined("0x1: f (a.c:2)", "0x1: f (a.c:2)"));
        assert!(!is_inlined("0x1: f (a.c:2)", "0x12: f (a.c:3)"));
        assert!(!is_inlined("in 3 places: a", "in 3 places: b"));
    }
}

//! The object file at the end of a frame: `outer+0x34 (/usr/lib/libc.so.6)`.

use bstr::ByteSlice;
use memchr::memrchr2;

/// Splits `symbol (dso)`; the dso is empty if there is none.
#[inline]
pub(super) fn split_dso(text: &[u8]) -> (&[u8], &[u8]) {
    let Some(inner) = text.strip_suffix(b")") else { return (text, b"") };
    match memrchr2(b'(', b')', inner) {
        // Nearly every line: `outer+0x34 (/usr/lib/libc.so.6)`.
        Some(open) if inner[open] == b'(' && follows_space(inner, open) => {
            (text[..open].trim_ascii_end(), &inner[open + 1..])
        }
        Some(_) => split_nested_dso(text, inner),
        None => (text, b""),
    }
}

/// Splits where the parentheses balance: `outer+0x34 (/memfd:my demo (deleted))`.
fn split_nested_dso<'a>(text: &'a [u8], inner: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let mut depth = 1;
    for (at, byte) in inner.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => continue,
        }
        // A parenthesis within a path or a symbol follows no space: `/a(b)c`.
        if depth <= 0 && follows_space(inner, at) {
            return (text[..at].trim_ascii_end(), &inner[at + 1..]);
        }
    }
    // `fib+0x24 (/x/a)b)`: a path with one parenthesis.
    match inner.rfind(b" (/").or_else(|| inner.rfind(b" ([")) {
        Some(space) => (text[..space].trim_ascii_end(), &inner[space + 2..]),
        None => (text, b""),
    }
}

/// Whether a text ends in the object file of a frame: `10 main+0x5 (/demo)`.
pub(super) fn ends_in_object(text: &[u8]) -> bool {
    is_path(split_dso(text).1)
}

/// `/demo`, `[vdso]`
pub(super) fn is_path(dso: &[u8]) -> bool {
    matches!(dso, [b'/' | b'[', ..])
}

fn follows_space(text: &[u8], at: usize) -> bool {
    at > 0 && text[at - 1] == b' '
}

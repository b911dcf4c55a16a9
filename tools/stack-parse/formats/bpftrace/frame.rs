//! One frame of a stack.

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};

use crate::frame::Frame;

/// Whether a line is a frame: bpftrace indents frames by four or eight blanks or,
/// with `ustack(perf)`, by a TAB. With `ustack(raw)` they are bare addresses.
pub(super) fn is_frame(line: &[u8]) -> bool {
    line.starts_with(b"    ") && line.len() > 4 || line.starts_with(b"\t") || is_address(line)
}

/// Whether a line is a frame that lost the blanks before it, as when it is pasted: its offset, or
/// an address with a symbol, tells it from the words of a key.
pub(super) fn is_bare_frame(line: &[u8]) -> bool {
    let text = line.trim_ascii_end();
    let has_offset = || {
        let symbol = with_source(text).0;
        without_offset(symbol) != symbol || symbol != text
    };
    let is_key = matches!(text, [] | [b',' | b']' | b'@', ..]);
    !is_key && (has_offset() || bare_address(text).is_some())
}

/// Splits `7f4c593162ec __libc_read+76 (/usr/lib/libc.so.6)`, where the TAB before it is lost: a
/// short address may be a word, unless an object follows.
fn bare_address(text: &[u8]) -> Option<(&[u8], &[u8])> {
    text.split_once_str(" ").filter(|(address, symbol)| {
        let has_object = || hexadecimal(address).is_some() && !with_object(symbol).1.is_empty();
        is_address(address) || has_object()
    })
}

/// The frame of a line:
///
/// ```text
///     do_alloc()+869
///     0x7ff4884d44a3
///     vfs_read+187@fs/read_write.c:471
///     [inlined] ksys_read@fs/read_write.c:613
/// <TAB>7f4c593162ec __libc_read+76 (/usr/lib/x86_64-linux-gnu/libc.so.6)
/// <TAB>ffffffff816bac2b vfs_read+187
/// 7ff4884d44a3
/// 7f4c593162ec __libc_read+76 (/usr/lib/x86_64-linux-gnu/libc.so.6)
/// ```
pub(super) fn frame(line: &[u8]) -> Frame<'_> {
    let text = line.trim_ascii();
    if is_address(text) && !text.starts_with(b"0x") {
        return Frame { address: hexadecimal(text), ..Frame::default() };
    }
    let perf = match line.first() {
        Some(b'\t') => {
            text.split_once_str(" ").filter(|(address, _)| hexadecimal(address).is_some())
        }
        Some(b' ') | None => None,
        Some(_) => bare_address(text),
    };
    if let Some((address, symbol)) = perf {
        let (symbol, object) = with_object(symbol);
        let frame = Frame { object, address: hexadecimal(address), ..Frame::default() };
        return match object {
            b"inlined" => Frame { inlined: true, object: b"", ..named(symbol, frame) },
            _ => named(symbol, frame),
        };
    }
    let (text, inlined) = match text.strip_prefix(b"[inlined] ") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (symbol, source) = with_source(text);
    named(symbol, Frame { source, inlined, ..Frame::default() })
}

/// `frame` with the name in `symbol`, `f+12`, or with its address if it has no name.
fn named<'a>(symbol: &'a [u8], frame: Frame<'a>) -> Frame<'a> {
    match hexadecimal(symbol).filter(|_| symbol.starts_with(b"0x")) {
        Some(address) => Frame { address: Some(address), ..frame },
        None => Frame { name: without_offset(symbol), ..frame },
    }
}

/// `f+12`: the offset is decimal.
fn without_offset(symbol: &[u8]) -> &[u8] {
    match symbol.rsplit_once_str("+") {
        Some((name, offset)) if is_decimal(offset) && !name.is_empty() => name,
        _ => symbol,
    }
}

/// `f(int)+12 (/x/demo (deleted))`: the object follows the offset or the address.
fn with_object(text: &[u8]) -> (&[u8], &[u8]) {
    let Some(inner) = text.strip_suffix(b")") else { return (text, b"") };
    let is_symbol = |symbol: &[u8]| without_offset(symbol) != symbol || is_address(symbol);
    let ends = inner.rfind_iter(" (").map(|at| (&inner[..at], &inner[at + 2..]));
    let found = ends.clone().find(|(symbol, _)| is_symbol(symbol));
    found.or_else(|| ends.clone().find(|(_, object)| *object == b"inlined")).unwrap_or((text, b""))
}

/// `vfs_read+187@fs/read_write.c:471`
fn with_source(text: &[u8]) -> (&[u8], &[u8]) {
    let parts = text.rsplit_once_str("@");
    let is_source = |source: &[u8]| {
        source.rsplit_once_str(":").is_some_and(|(file, line)| !file.is_empty() && is_decimal(line))
    };
    parts.filter(|(_, source)| is_source(source)).unwrap_or((text, b""))
}

/// Whether this is an address as bpftrace prints it: hexadecimal, with or without `0x`. Without it,
/// a short one may be a word such as `add`.
fn is_address(text: &[u8]) -> bool {
    let is_clear = text.starts_with(b"0x") || text.len() > 5;
    is_clear && hexadecimal(text).is_some()
}

fn is_decimal(text: &[u8]) -> bool {
    decimal(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_taken_apart() {
        let plain = |name: &'static str| Frame { name: name.as_bytes(), ..Frame::default() };
        for (line, expected) in [
            ("    do_alloc()+869", plain("do_alloc()")),
            ("        std::operator+ <char>(a, b)+12", plain("std::operator+ <char>(a, b)")),
            ("    f", plain("f")),
            ("    0x7ff4", Frame { address: Some(0x7ff4), ..Frame::default() }),
            ("7ff4884d44a3", Frame { address: Some(0x7ff4_884d_44a3), ..Frame::default() }),
            ("    vfs_read+1@fs/a.c:4", Frame { source: b"fs/a.c:4", ..plain("vfs_read") }),
            ("    _start@@GLIBC_2.34+7", plain("_start@@GLIBC_2.34")),
            ("    [inlined] f@a.c:4", Frame { source: b"a.c:4", inlined: true, ..plain("f") }),
            (
                "\t7f4c59 f(int)+76 (/x/my demo (deleted))",
                Frame {
                    object: b"/x/my demo (deleted)",
                    address: Some(0x7f_4c59),
                    ..plain("f(int)")
                },
            ),
            (
                "\t7f4c59 0x7f4c59 ([unknown])",
                Frame { object: b"[unknown]", address: Some(0x7f_4c59), ..plain("") },
            ),
            ("\t1 0x1 ([unknown])", Frame { object: b"[unknown]", address: Some(1), ..plain("") }),
            ("\t7f4c59 f+6", Frame { address: Some(0x7f_4c59), ..plain("f") }),
            (
                "\t7f4c59 f (inlined)",
                Frame { address: Some(0x7f_4c59), inlined: true, ..plain("f") },
            ),
        ] {
            assert!(is_frame(line.as_bytes()), "{line}");
            assert_eq!(frame(line.as_bytes()), expected, "{line}");
        }
        for line in ["", ", demo]: 1", "]: 3", "    ", "add", "Attaching 1 probe..."] {
            assert!(!is_frame(line.as_bytes()), "{line}");
            assert!(!is_bare_frame(line.as_bytes()), "{line}");
        }
        for line in [
            "do_alloc()+869",
            "vfs_read+1@fs/a.c:4",
            "[inlined] f@a.c:4",
            "7f4c59 f(int)+76 (/x)",
            "7f4c59 f (inlined)",
            "1 0x1 ([unknown])",
        ] {
            assert!(is_bare_frame(line.as_bytes()), "{line}");
            let indented = if line.starts_with(['1', '7']) { "\t" } else { "    " };
            let indented = [indented, line].concat();
            assert_eq!(frame(line.as_bytes()), frame(indented.as_bytes()), "{line}");
        }
    }
}

//! A frame of a call chain.
//!
//! Grammar from perf's tools/perf/util/evsel_fprintf.c:
//! `ip [symbol[+0xoffset]] [(dso[+0xoffset])] [(inlined)]`, with the dso
//! missing for inlined frames and where `-F` leaves it out.

use common::numbers::hexadecimal;
use wide::u8x16;

use super::glued;
use super::object_file::{is_path, split_dso};
use crate::frame::{Frame, Kind};

/// One frame as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameLine<'a> {
    /// The instruction's address in hexadecimal.
    pub(crate) ip: &'a [u8],
    /// The function's name without offset, as printed; `[unknown]` if perf did not know it, empty
    /// if perf printed no name.
    pub(crate) symbol: &'a [u8],
    /// The object file; empty if perf did not print it.
    pub(crate) dso: &'a [u8],
    /// The source line, `file:line`, which perf prints on a line of its own; empty if it did not.
    pub(crate) place: &'a [u8],
    /// Whether the compiler inlined this function into its caller.
    pub(crate) inlined: bool,
}

impl<'a> FrameLine<'a> {
    /// Parses a line, with or without its indentation.
    ///
    /// The symbol is everything between the address and the last ` (dso)`: it
    /// may hold spaces, parentheses and quotes, as in
    /// `25f7 Box<unsigned long>::apply<std::function<unsigned long (int)> >+0x37 (/demo)`.
    ///
    /// `None` for a line with a sample after its frame, which is two lines, and for the cookie of a
    /// call chain that is printed later, `b00000006 (cookie) ([unknown])`.
    #[inline]
    pub(crate) fn parse(line: &'a [u8]) -> Option<FrameLine<'a>> {
        let Some((ip, name)) = split_padded_ip(line).or_else(|| split_ip(line)) else {
            return FrameLine::bare(line);
        };
        let (ip, mut name) = (ip.trim_ascii(), name.trim_ascii_end());
        let inlined = name.ends_with(b" (inlined)");
        if inlined {
            name = name[..name.len() - b" (inlined)".len()].trim_ascii_end();
        }
        if !name.ends_with(b")") && glued::split(line).is_some() {
            return None;
        }
        let (symbol, dso) = match name {
            b"(cookie)" => return None,
            // For an unknown name perf 3 prints an empty one, `-F ip,dso` prints no name at all:
            // `7f00  (/lib/libc.so)`, `7f00 (/lib/libc.so)`.
            [b'(', dso @ .., b')'] if is_lone_dso(dso) => (&b""[..], dso),
            _ => split_dso(name),
        };
        let (mut symbol, dso) = (without_offset(symbol), without_offset(dso));
        // The profiler of Swift: `1345 $s4main4workyS2iF [inlined]+0x5 (/app/server)`.
        let swift = symbol.strip_suffix(b" [inlined]");
        symbol = swift.unwrap_or(symbol);
        let is_frame = symbol != b"(cookie)" && !(symbol.is_empty() && dso.is_empty());
        is_frame.then_some(FrameLine {
            ip,
            symbol,
            dso,
            place: b"",
            inlined: inlined || swift.is_some(),
        })
    }

    /// Parses an address alone, from `-F ip`: either in 16 columns after the indentation of a call
    /// chain or the space of a one-line sample, or with 16 digits. Other addresses in 16 columns
    /// are physical ones.
    fn bare(line: &'a [u8]) -> Option<FrameLine<'a>> {
        let line = line.trim_ascii_end();
        let columns = without_indentation(line).or_else(|| line.strip_prefix(b" "));
        let columns = columns.filter(|columns| columns.len() == 16).unwrap_or(line);
        let columns: &[u8; 16] = columns.try_into().ok()?;
        let ip = columns.trim_ascii_start();
        let is_ip = is_address(columns) && (line.len() > 16 || ip.len() == 16);
        is_ip.then_some(FrameLine { ip, symbol: b"", dso: b"", place: b"", inlined: false })
    }
}

impl<'a> From<&FrameLine<'a>> for Frame<'a> {
    fn from(line: &FrameLine<'a>) -> Frame<'a> {
        let FrameLine { ip, symbol, dso, place, inlined } = *line;
        let address = hexadecimal(ip);
        // perf prints `[unknown]` for a missing name; without an object there is no better one.
        let name = if symbol == b"[unknown]" && !dso.is_empty() { b"" } else { symbol };
        let kind = Kind::of_object(dso, address);
        Frame { name, object: dso, address, source: place, kind, inlined, ..Frame::default() }
    }
}

/// Whether this line can only be a frame of a call chain: an address in its 16 columns after a TAB,
/// or after the spaces that `expand` makes from a TAB.
pub(super) fn is_chain_frame(line: &[u8]) -> bool {
    let Some((columns, name)) = without_indentation(line).and_then(<[u8]>::split_first_chunk)
    else {
        return false;
    };
    is_address(columns) && matches!(name, [] | [b' ' | b'\r', ..])
}

/// The text after the TAB before a frame, or after the spaces that replace it.
fn without_indentation(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"\t").or_else(|| line.strip_prefix(b"        "))
}

/// The length of a TAB, an address in its 16 columns, and a space.
pub(super) const PADDED_IP: usize = 18;

/// Splits `ip symbol` where the address is padded to 16 columns after a TAB, as perf prints it. The
/// address keeps its padding.
#[inline]
pub(super) fn split_padded_ip(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (ip, name) = line.split_first_chunk()?;
    let starts_name = name.first().is_some_and(|byte| !byte.is_ascii_whitespace());
    (starts_name && is_padded_ip(ip)).then_some((ip, name))
}

/// Whether this is a TAB, an address in its 16 columns and a space.
#[inline]
pub(super) fn is_padded_ip(text: &[u8; PADDED_IP]) -> bool {
    let [b'\t', columns @ .., b' '] = text else { return false };
    is_address(columns)
}

/// Whether this is a hexadecimal address after spaces. This runs for every line, so it checks all
/// columns at once.
#[inline]
pub(super) fn is_address(columns: &[u8; 16]) -> bool {
    let columns = u8x16::new(*columns);
    let are = |first: u8, last: u8| {
        let place = columns - u8x16::splat(first);
        place.simd_eq(place.min(u8x16::splat(last - first)))
    };
    let spaces = are(b' ', b' ');
    let others_are_digits = (spaces ^ (are(b'0', b'9') | are(b'a', b'f'))).all();
    // The first column is the lowest bit, so spaces must be the low bits: below all digits.
    let spaces = spaces.to_bitmask();
    others_are_digits && spaces & (spaces + 1) == 0 && spaces != 0xffff
}

/// Splits `ip symbol` with any white space around the address.
fn split_ip(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = line.trim_ascii_start();
    let end = text.iter().position(|byte| !byte.is_ascii_hexdigit())?;
    let is_ip = end > 0 && text[end].is_ascii_whitespace();
    is_ip.then(|| (&text[..end], text[end..].trim_ascii_start()))
}

/// Whether all the text between the first and the last parenthesis is an object file: `/libc.so`,
/// `inode`, `/memfd:my demo (deleted)`.
fn is_lone_dso(text: &[u8]) -> bool {
    !text.contains(&b'(') || is_path(text) && text.ends_with(b")")
}

/// `outer+0x34` becomes `outer`; a `+0x` anywhere else stays.
#[inline]
pub(super) fn without_offset(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
    match name[..name.len() - digits].strip_suffix(b"+0x") {
        Some(bare) if digits > 0 => bare,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Address, symbol, dso, and whether it is inlined.
    type Parts<'a> = (&'a str, &'a str, &'a str, bool);

    fn parts(line: &str) -> Option<Parts<'_>> {
        let frame = FrameLine::parse(line.as_bytes())?;
        let text = |bytes| std::str::from_utf8(bytes).expect("ascii in, ascii out");
        Some((text(frame.ip), text(frame.symbol), text(frame.dso), frame.inlined))
    }

    /// Lines and their parts.
    const LINES: &[(&str, Parts<'static>)] = &[
        ("\t            2734 outer+0x34 (/prog/demo)", ("2734", "outer", "/prog/demo", false)),
        ("            2734 outer (/prog/demo)", ("2734", "outer", "/prog/demo", false)),
        (
            "\t 2524 (anonymous namespace)::anon_fn+0x24 (/prog/demo)",
            ("2524", "(anonymous namespace)::anon_fn", "/prog/demo", false),
        ),
        (
            "\t 2524 (anonymous namespace)::anon_fn",
            ("2524", "(anonymous namespace)::anon_fn", "", false),
        ),
        ("\t 2524 anon_fn+0x24 (inlined)", ("2524", "anon_fn", "", true)),
        (
            "\t 25f7 apply<std::function<unsigned long (unsigned long)> >+0x37 (/demo)",
            ("25f7", "apply<std::function<unsigned long (unsigned long)> >", "/demo", false),
        ),
        (
            "\t 25f7 std::function<int (char)>::operator()(char) const (/demo)",
            ("25f7", "std::function<int (char)>::operator()(char) const", "/demo", false),
        ),
        (
            "\t d44a3 [unknown] (/usr/lib/libstdc++.so.6.0.30)",
            ("d44a3", "[unknown]", "/usr/lib/libstdc++.so.6.0.30", false),
        ),
        ("\t 0 [unknown] ([unknown])", ("0", "[unknown]", "[unknown]", false)),
        ("\t 10 f+0x1 (/x/demo del)", ("10", "f", "/x/demo del", false)),
        ("\t 10 f+0x1 (/memfd:my demo (deleted))", ("10", "f", "/memfd:my demo (deleted)", false)),
        ("\t 10 f+0x1 (/x/a(b)c/lib.so)", ("10", "f", "/x/a(b)c/lib.so", false)),
        ("\t 10 f+0x1 (/x/a)b)", ("10", "f", "/x/a)b", false)),
        ("\t 10 f+0x1 (/x/lib.so+0x1234)", ("10", "f", "/x/lib.so", false)),
        ("\t 10 g(void (*)(int))+0x1 (/x)", ("10", "g(void (*)(int))", "/x", false)),
        (
            "\t 10 JS:~weird name; x /p/demo.js:5:26+0xa (/tmp/perf-1.map)",
            ("10", "JS:~weird name; x /p/demo.js:5:26", "/tmp/perf-1.map", false),
        ),
        ("\t 10 odd+0xzz+0x1f (/x)", ("10", "odd+0xzz", "/x", false)),
        (
            "        b3cea6c4\tLock::unlock() (/system/lib/libc.so)",
            ("b3cea6c4", "Lock::unlock()", "/system/lib/libc.so", false),
        ),
        ("\t 70 f (cookie)", ("70", "f", "cookie", false)),
        ("\t 70  (/lib/libc.so)", ("70", "", "/lib/libc.so", false)),
        ("\t 70 (/lib/libc.so)", ("70", "", "/lib/libc.so", false)),
        ("\t            7f00  (/lib/libc.so)", ("7f00", "", "/lib/libc.so", false)),
        ("\t            7f00  ([vdso])", ("7f00", "", "[vdso]", false)),
        ("            56024653f1ea", ("56024653f1ea", "", "", false)),
        ("\t    56024653f1ea", ("56024653f1ea", "", "", false)),
        ("ffffffff817554ea", ("ffffffff817554ea", "", "", false)),
    ];

    #[test]
    fn the_symbol_is_all_between_address_and_dso() {
        for &(line, expected) in LINES {
            assert_eq!(parts(line), Some(expected), "{line:?}");
        }
    }

    #[test]
    fn padded_addresses_are_hexadecimal() {
        for (columns, expected) in [
            ("            2734", true),
            ("ffffffff8158e3e1", true),
            ("               0", true),
            ("                ", false),
            ("           2 734", false),
            ("2734            ", false),
            ("            273g", false),
            ("            27F4", false),
            ("           /2734", false),
            ("           :2734", false),
            ("           `2734", false),
            ("           \x7f2734", false),
        ] {
            for (before, after, is_framed) in
                [("\t", " ", true), (" ", " ", false), ("\t", "\t", false)]
            {
                let text = [before, columns, after].concat();
                let text = text.as_bytes().first_chunk().expect("18 columns");
                assert_eq!(is_padded_ip(text), expected && is_framed, "{text:?}");
            }
        }
    }

    #[test]
    fn other_lines_are_no_frames() {
        for line in [
            "",
            "\t",
            "\t          THIS_IS_A_WEIRD_LINE",
            "  demo.cpp:14",
            "\t2734",
            "\t2734 ",
            "demo 17 3.5:",
            "\t       b00000006 (cookie) ([unknown])",
            "\t       b00000006 (cookie)",
            "    56024653f1ea",
            "\t            2734 outer+0x34 (/demo)demo 1 2.5: cycles: ",
        ] {
            assert_eq!(parts(line), None, "{line:?}");
        }
    }
}

//! Strings of JSON, without their escapes.

use common::numbers::hexadecimal;
use memchr::memchr;

/// Writes `raw`, the inside of a string, without its escapes. An invalid escape stays as it is.
pub(super) fn unescape(raw: &[u8], text: &mut Vec<u8>) {
    text.clear();
    let mut rest = raw;
    while let Some(escape) = memchr(b'\\', rest) {
        text.extend_from_slice(&rest[..escape]);
        rest = &rest[escape..];
        let taken = match rest.get(1) {
            Some(b'b') => push(text, 8),
            Some(b'f') => push(text, 12),
            Some(b'n') => push(text, b'\n'),
            Some(b'r') => push(text, b'\r'),
            Some(b't') => push(text, b'\t'),
            Some(&byte @ (b'"' | b'\\' | b'/')) => push(text, byte),
            Some(b'u') => push_unicode(rest, text),
            _ => 0,
        };
        if taken == 0 {
            text.push(b'\\');
        }
        rest = &rest[taken.max(1)..];
    }
    text.extend_from_slice(rest);
}

fn push(text: &mut Vec<u8>, byte: u8) -> usize {
    text.push(byte);
    2
}

/// Appends the character of `\u00e9`, or of the two halves `\ud83d\ude00`; returns the length of
/// the escape, 0 if it is invalid. JavaScript cuts strings anywhere, so a half may be alone: it
/// gets the bytes that UTF-8 would have for it, which no valid text has.
fn push_unicode(escape: &[u8], text: &mut Vec<u8>) -> usize {
    let Some(code) = code_unit(escape) else { return 0 };
    let low = code_unit(&escape[6..]).filter(|low| (0xdc00..0xe000).contains(low));
    match low {
        Some(low) if (0xd800..0xdc00).contains(&code) => {
            push_code_point(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), text);
            12
        }
        _ => {
            push_code_point(code, text);
            6
        }
    }
}

/// `\u00e9` as a number.
fn code_unit(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    if is_hex { u32::try_from(hexadecimal(digits)?).ok() } else { None }
}

fn push_code_point(code: u32, text: &mut Vec<u8>) {
    match char::from_u32(code) {
        Some(char) => text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        // Half of a pair, which has three bytes.
        None => text.extend(
            [0xe0 | code >> 12, 0x80 | code >> 6 & 0x3f, 0x80 | code & 0x3f].map(|byte| byte as u8),
        ),
    }
}

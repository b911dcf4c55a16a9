//! Bytes as text, with escapes such as `\xAD` for what cannot be shown.

use std::borrow::Cow;

use super::NAMELESS;

/// Whether a character cannot be shown: control characters, those that change
/// the direction of the text around them, and the two that XML forbids.
#[must_use]
pub fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(char, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Bytes as people can read them: for names in tables, and input that messages quote. Invalid
/// UTF-8, and characters that would change how the text around them is shown, are escaped: `\x1B`.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    escaped(bytes, is_unseen)
}

/// The name of a function as people can read it, the same in all tables and pictures: [`printable`],
/// and [`NAMELESS`] for an empty one.
#[must_use]
pub fn printable_name(name: &[u8]) -> String {
    if name.is_empty() { NAMELESS.to_owned() } else { printable(name) }
}

/// Bytes as text for programs, in which invalid UTF-8 is replaced by escapes such as `\xAD`, since
/// readers of tables and JSON refuse it.
#[must_use]
pub fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => escaped(bytes, |_| false).into(),
    }
}

/// The name as text, in which invalid UTF-8 and the characters that `escape`
/// accepts are replaced by escapes of their bytes: `\xAD`.
#[must_use]
pub fn escaped(name: &[u8], escape: impl Fn(char) -> bool) -> String {
    // The common case first: there may be a million names.
    if let Ok(text) = str::from_utf8(name)
        && text.is_ascii()
        && !text.chars().any(&escape)
    {
        return text.to_owned();
    }
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            if escape(char) {
                push_escapes(char.encode_utf8(&mut [0; 4]).as_bytes(), &mut text);
            } else {
                text.push(char);
            }
        }
        push_escapes(chunk.invalid(), &mut text);
    }
    text
}

fn push_escapes(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        text.push_str(&format!("\\x{byte:02X}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_reaches_people() {
        for (bytes, text) in [
            ("caf\u{e9} \\ 'x'".as_bytes(), "caf\u{e9} \\ 'x'"),
            (b"\x1b]0;title\x07\r\n\t\x7f", r"\x1B]0;title\x07\x0D\x0A\x09\x7F"),
            ("\u{9b}31m\u{202e}\u{61c}".as_bytes(), r"\xC2\x9B31m\xE2\x80\xAE\xD8\x9C"),
            (b"caf\xe9", r"caf\xE9"),
        ] {
            assert_eq!(printable(bytes), text);
            assert_eq!(printable(text.as_bytes()), text, "what is escaped stays as it is");
        }
    }
}

//! Names as text, with escapes such as `\xAD` for what cannot be shown.
//!
//! A name in a profile is bytes, while SVG and inferno take text only.

/// What the picture shows for a frame without a name.
const NAMELESS: &str = "[empty name]";

/// The name without the mark that says what kind of code it is: `_[k]` kernel,
/// `_[j]` JIT, `_[i]` inlined, `_[w]` waker.
pub(crate) fn bare(name: &[u8]) -> &[u8] {
    match name {
        [bare @ .., b'_', b'[', b'k' | b'j' | b'i' | b'w', b']'] => bare,
        _ => name,
    }
}

/// The name as the picture shows it: without its mark, and with escapes for
/// what cannot be seen or cannot stand in XML.
pub(crate) fn shown(name: &[u8]) -> String {
    match bare(name) {
        b"" => NAMELESS.to_owned(),
        bare => escaped(bare, is_unseen),
    }
}

/// The name as embedded in the file for the script: with its `_[k]` mark, and
/// without a line end, so that each name is a line.
pub(crate) fn embedded(name: &[u8]) -> String {
    escaped(name, is_unseen)
}

/// The name as a frame of a line that inferno parses. Distinct names stay
/// distinct.
///
/// There is no white space in it: in `thread 1234 57` inferno would take 1234
/// for a first count, it trims lines, and it skips those that start with `# `.
pub(crate) fn parseable(name: &[u8]) -> String {
    match name {
        // No other name becomes this: every other backslash is followed by an x.
        b"" => "\\".to_owned(),
        // `# 12` would be a comment.
        b"#" => "\\x23".to_owned(),
        _ => escaped(name, |char| is_unseen(char) || char.is_whitespace() || char == '\\'),
    }
}

/// Text from the command line for the picture.
pub(crate) fn visible(text: &str) -> String {
    escaped(text.as_bytes(), is_unseen)
}

/// Whether a character cannot be shown: control characters, those that change
/// the direction of the text around them, and the two that XML forbids.
fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(char, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The name as text, in which invalid UTF-8 and the characters that `escape`
/// accepts are replaced by escapes of their bytes: `\xAD`.
fn escaped(name: &[u8], escape: impl Fn(char) -> bool) -> String {
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
    fn marks_are_not_shown() {
        assert_eq!(shown(b"do_syscall_64_[k]"), "do_syscall_64");
        assert_eq!(shown(b"f_[x]"), "f_[x]");
        assert_eq!(shown(b"[unknown]"), "[unknown]");
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_escapes() {
        assert_eq!(shown(b"caml\xadTreegc"), r"caml\xADTreegc");
        assert_eq!(shown(b"a\tb\x1b\x00"), r"a\x09b\x1B\x00");
        assert_eq!(shown("\u{202e}c\u{ffff}".as_bytes()), r"\xE2\x80\xAEc\xEF\xBF\xBF");
        assert_eq!(shown("größe λ 関数".as_bytes()), "größe λ 関数");
        assert_eq!(shown(br"C:\x\main"), r"C:\x\main");
    }

    #[test]
    fn a_frame_without_a_name_is_named() {
        assert_eq!(shown(b""), "[empty name]");
        assert_eq!(shown(b"_[k]"), "[empty name]");
    }

    #[test]
    fn parseable_names_hold_no_white_space_and_stay_distinct() {
        let names: [&[u8]; 9] =
            [b"", b" ", b"\\", b"\\x20", b"a 12", b"a\xc2\xa012", b"a", b"a ", b"a_[k]"];
        let texts: Vec<_> = names.iter().map(|name| parseable(name)).collect();
        for (index, text) in texts.iter().enumerate() {
            assert!(!text.is_empty() && !text.contains(char::is_whitespace), "{text}");
            assert!(!texts[..index].contains(text), "{text}");
        }
        assert_eq!(parseable(b"std::ops::Fn_[i]"), "std::ops::Fn_[i]");
    }
}

//! Names as text, with escapes such as `\xAD` for what cannot be shown. A backslash that would
//! begin such an escape becomes `\x5C`, so that the name can be read back.
//!
//! A name in a profile is bytes, while SVG and inferno take text only.

use std::borrow::Cow;

use common::names::{FrameParts, NAMELESS, escaped, is_unseen, printable};

/// The frame as the picture shows it: its name and its place without its marks, and with escapes
/// for what cannot be seen or is not allowed in XML.
pub(crate) fn shown(frame: &[u8]) -> String {
    let marks = FrameParts::of(frame).marks;
    match &frame[..frame.len() - marks.len()] {
        b"" => NAMELESS.to_owned(),
        unmarked => embedded(unmarked),
    }
}

/// The name as embedded in the file for the script: with its `_[k]` mark, and
/// without a line end, so that each name is a line.
pub(crate) fn embedded(name: &[u8]) -> String {
    printable(&with_own_escapes(name))
}

/// The name with `\x5C` for each backslash that seems to begin an escape.
fn with_own_escapes(name: &[u8]) -> Cow<'_, [u8]> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    let begins_escape =
        |at: usize| matches!(&name[at..], [_, b'x', a, b, ..] if is_digit(a) && is_digit(b));
    if !memchr::memchr_iter(b'\\', name).any(begins_escape) {
        return name.into();
    }
    let mut text = Vec::with_capacity(name.len() + 3);
    for (at, &byte) in name.iter().enumerate() {
        match byte {
            b'\\' if begins_escape(at) => text.extend_from_slice(br"\x5C"),
            _ => text.push(byte),
        }
    }
    text.into()
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
    printable(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_not_shown() {
        assert_eq!(shown(b"do_syscall_64_[k]"), "do_syscall_64");
        assert_eq!(shown(b"f (a.c:3)_[k]_[i]"), "f (a.c:3)");
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
    fn a_name_that_looks_like_an_escape_is_none() {
        assert_eq!(shown(br"a\xADb"), r"a\x5CxADb");
        assert_eq!(shown(b"\\\xad\\xAd"), r"\\xAD\xAd");
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

//! Names as people see them, and as inferno may see them.
//!
//! A name is bytes, and inferno wants text: this is the edge.

use bstr::ByteSlice;

/// What stands in the picture for a frame without a name.
const NAMELESS: &str = "[empty name]";

/// As wide as a plus sign, which a hyphen is not.
pub(crate) const MINUS: char = '\u{2212}';

/// The name without the mark that says what kind of code it is: `_[k]` kernel,
/// `_[j]` JIT, `_[i]` inlined, `_[w]` waker.
pub(crate) fn bare(name: &[u8]) -> &[u8] {
    match name {
        [bare @ .., b'_', b'[', b'k' | b'j' | b'i' | b'w', b']'] => bare,
        _ => name,
    }
}

/// The name for the picture: without its mark, and with whatever cannot be
/// seen, or cannot be in XML, as escapes.
pub(crate) fn shown(name: &[u8]) -> String {
    match bare(name) {
        b"" => NAMELESS.to_owned(),
        bare => escaped(bare, is_unseen),
    }
}

/// The name for the script, mark and all, on a line of its own.
pub(crate) fn embedded(name: &[u8]) -> String {
    escaped(name, is_unseen)
}

/// The name for a line that inferno parses: distinct for distinct names, and
/// without anything that inferno takes for more than a part of the name.
///
/// In `thread 1234 57` it would take 1234 for a first count, it trims lines,
/// and it skips those that start with `# `; so there is no white space at all.
pub(crate) fn parseable(name: &[u8]) -> String {
    match name {
        // Stands for nothing else, as every other backslash has an x behind it.
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

/// True for control characters, for those that turn the direction of the text
/// around them, and for the two that XML forbids.
fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(char, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The text with invalid UTF-8, and the characters that must not stay, as
/// escapes of their bytes: `\xAD`.
fn escaped(name: &[u8], escape: impl Fn(char) -> bool) -> String {
    // Nearly all names are of this kind, and there may be a million.
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

/// Fewer letters of a name tell nothing.
const LEAST_LETTERS: usize = 5;

/// A name without its outer modules, or else shortened in the middle, so that
/// it has so many letters, cut between what a reader takes for letters; nothing
/// if that is too little to be of use.
pub(crate) fn fitted(name: &str, letters: usize) -> String {
    if fits(name, letters) {
        return name.to_owned();
    }
    if letters < LEAST_LETTERS {
        return String::new();
    }
    if let Some(tail) = tails(name).find(|tail| fits(tail, letters - 1)) {
        return format!("\u{2026}{tail}");
    }
    let graphemes: Vec<&str> = tails(name).last().unwrap_or(name).as_bytes().graphemes().collect();
    // The end says more than the start.
    let tail = letters / 2;
    let head = letters - 1 - tail;
    let ahead = fitting(graphemes.iter().copied(), head);
    let behind = fitting(graphemes.iter().rev().copied(), tail);
    [&graphemes[..ahead], &["\u{2026}"], &graphemes[graphemes.len() - behind..]].concat().concat()
}

fn fits(name: &str, letters: usize) -> bool {
    let mut widths = name.as_bytes().graphemes().map(columns);
    widths.try_fold(letters, usize::checked_sub).is_some()
}

/// What follows each module in `Stdlib.List.map` or `std::vec::Vec<a::B>::push`,
/// arguments aside, the longest first.
fn tails(name: &str) -> impl Iterator<Item = &str> {
    let separator = match name {
        _ if name.contains("::") => Some("::"),
        _ if name.starts_with(|first: char| first.is_ascii_uppercase()) => Some("."),
        _ => None,
    };
    let arguments = name.char_indices().skip(1).find(|(_, char)| "(<".contains(*char));
    let modules = &name[..arguments.map_or(name.len(), |(at, _)| at)];
    let ends = separator.into_iter().flat_map(|separator| modules.match_indices(separator));
    let tails = ends.map(|(at, separator)| &name[at + separator.len()..]);
    tails.filter(|tail| !tail.is_empty())
}

/// A name and what is said of it: all of that, or none.
pub(crate) fn fitted_with(name: &str, said: &str, letters: usize) -> String {
    match letters.saturating_sub(said.chars().count() + 1) {
        left @ LEAST_LETTERS.. => format!("{} {said}", fitted(name, left)),
        _ => fitted(name, letters),
    }
}

/// How many of these letters fit on so many columns.
fn fitting<'a>(letters: impl Iterator<Item = &'a str>, mut left: usize) -> usize {
    let fits = |letter: &&str| {
        let width = columns(letter);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    letters.take_while(fits).count()
}

/// Chinese, Japanese, Korean and emoji take two columns, and so does whatever
/// else might.
fn columns(letter: &str) -> usize {
    let wide = |char| char >= '\u{1100}' && !('\u{2010}'..='\u{2027}').contains(&char);
    if letter.chars().any(|char| wide(char) && char != MINUS) { 2 } else { 1 }
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

    #[test]
    fn names_are_cut_between_letters() {
        assert_eq!(fitted("main", 4), "main");
        assert_eq!(fitted("main()", 5), "ma\u{2026}()");
        assert_eq!(fitted("main()", 4), "");
        assert_eq!(fitted("関数です", 7), "関\u{2026}す");
        let six = "e\u{301}".repeat(6);
        assert_eq!(fitted(&six, 5), "e\u{301}e\u{301}\u{2026}e\u{301}e\u{301}");
        assert_eq!(fitted("", 0), "");
    }

    #[test]
    fn a_function_is_worth_more_than_its_modules() {
        let table = [
            ("Stdlib.List.fold_left", 15, "\u{2026}List.fold_left"),
            ("Stdlib.List.fold_left", 14, "\u{2026}fold_left"),
            ("Stdlib.List.fold_left", 7, "fol\u{2026}eft"),
            ("Treegc.(fun/2451)", 12, "\u{2026}(fun/2451)"),
            ("alloc::vec::Vec<a::B>::push", 21, "\u{2026}vec::Vec<a::B>::push"),
            ("mark_slice.constprop.0", 8, "mar\u{2026}op.0"),
            ("Module.", 6, "Mo\u{2026}le."),
        ];
        for (name, letters, expected) in table {
            assert_eq!(fitted(name, letters), expected, "{name} {letters}");
        }
    }
}

//! Names that fit into their boxes: shortened, or left out.

use bstr::ByteSlice;

use crate::MINUS;

/// A name cut to fewer letters than this is left out.
const LEAST_LETTERS: usize = 6;

/// Of a name cut to fewer letters than this only the end is shown: a start and an end of
/// a few letters each say less.
const LEAST_OF_BOTH: usize = 14;

/// The name in at most so many columns: without its outer modules, or else
/// shortened in the middle, or to its end; empty if there is too little room to be of use.
///
/// It is cut between graphemes, which a reader takes for letters.
#[must_use]
pub fn fitted(name: &str, letters: usize) -> String {
    if fits(name, letters) {
        return name.to_owned();
    }
    if letters < LEAST_LETTERS {
        return String::new();
    }
    if let Some(tail) = tails(name).find(|tail| fits(tail, letters - 1)) {
        return format!("\u{2026}{tail}");
    }
    let name = tails(name).last().unwrap_or(name);
    // Where one side gets more, it is the end, which says more.
    let tail = if letters < LEAST_OF_BOTH { letters - 1 } else { letters / 2 };
    let head = letters - 1 - tail;
    // A name may be far longer than what is shown of it.
    let ahead = fitting(name.as_bytes().graphemes(), head);
    let behind = fitting(name.as_bytes().graphemes().rev(), tail);
    [&name[..ahead], "\u{2026}", &name[name.len() - behind..]].concat()
}

fn fits(name: &str, letters: usize) -> bool {
    let mut widths = name.as_bytes().graphemes().map(columns);
    widths.try_fold(letters, usize::checked_sub).is_some()
}

/// The name without 1, 2 and more of its outer modules, the longest first:
/// `List.map` and `map` for `Stdlib.List.map`. Modules among the arguments, as
/// in `Vec<a::B>`, are not counted.
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

/// The name, shortened, and `said` behind it, such as `+50.0%`; only the name if
/// there is no room for both.
#[must_use]
pub fn fitted_with(name: &str, said: &str, letters: usize) -> String {
    match letters.saturating_sub(said.chars().count() + 1) {
        left @ LEAST_LETTERS.. => format!("{} {said}", fitted(name, left)),
        _ => fitted(name, letters),
    }
}

/// How many bytes those of these graphemes have that fit into so many columns.
fn fitting<'a>(letters: impl Iterator<Item = &'a str>, mut left: usize) -> usize {
    let fits = |letter: &&str| {
        let width = columns(letter);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    letters.take_while(fits).map(str::len).sum()
}

/// The columns of a grapheme: two for Chinese, Japanese, Korean and emoji, and
/// for all others that might take two.
fn columns(letter: &str) -> usize {
    let wide = |char| char >= '\u{1100}' && !('\u{2010}'..='\u{2027}').contains(&char);
    if letter.chars().any(|char| wide(char) && char != MINUS) { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_between_letters() {
        assert_eq!(fitted("main", 4), "main");
        assert_eq!(fitted("main(int)", 6), "\u{2026}(int)");
        assert_eq!(fitted("main()", 5), "");
        assert_eq!(fitted("関数です", 7), "\u{2026}数です");
        let long = "e\u{301}".repeat(20);
        let [six, seven] = [6, 7].map(|count| "e\u{301}".repeat(count));
        assert_eq!(fitted(&long, 14), format!("{six}\u{2026}{seven}"));
        assert_eq!(fitted("", 0), "");
    }

    #[test]
    fn a_function_is_worth_more_than_its_modules() {
        let table = [
            ("Stdlib.List.fold_left", 15, "\u{2026}List.fold_left"),
            ("Stdlib.List.fold_left", 14, "\u{2026}fold_left"),
            ("Stdlib.List.fold_left", 7, "\u{2026}d_left"),
            ("Treegc.(fun/2451)", 12, "\u{2026}(fun/2451)"),
            ("alloc::vec::Vec<a::B>::push", 21, "\u{2026}vec::Vec<a::B>::push"),
            ("mark_slice.constprop.0", 8, "\u{2026}tprop.0"),
            ("mark_slice.constprop.0", 15, "mark_sl\u{2026}tprop.0"),
            ("caml_minor_gc", 10, "\u{2026}_minor_gc"),
            ("Module.", 6, "\u{2026}dule."),
        ];
        for (name, letters, expected) in table {
            assert_eq!(fitted(name, letters), expected, "{name} {letters}");
        }
    }
}

//! Names that fit into their boxes: shortened, or left out.

use bstr::ByteSlice;

use super::name_parts::NameParts;
use crate::numbers::MINUS;

/// A name cut to fewer letters than this is left out.
pub const LEAST_LETTERS: usize = 6;

/// A letter that is two columns wide says more: a name of such letters is left out if it is cut to
/// fewer columns than this.
const LEAST_OF_WIDE: usize = 3;

/// If a name is cut to fewer letters than this, only its end is shown: a start and an end of a few
/// letters each say less.
const LEAST_OF_BOTH: usize = 14;

const DOTS: &str = "\u{2026}";

/// The name without its arguments and what comes after them: `Journal::append` of
/// `Journal::append(Event const&)`.
#[must_use]
pub fn bare_name(name: &str) -> &str {
    &name[..NameParts::of(name).end]
}

/// The name in at most `letters` columns; empty if that is too little room to be of use. The
/// function's own name is kept longest, then the last name of its class, then the arguments of the
/// class, then those of the function, then the outer modules: `…vector::push_back`.
///
/// It is cut between graphemes, which a reader takes for letters.
#[must_use]
pub fn fitted(name: &str, letters: usize) -> String {
    if fits(name, letters) {
        return name.to_owned();
    }
    // The dots alone say nothing.
    if letters < 2 {
        return String::new();
    }
    let parts = NameParts::of(name);
    let starts = parts.modules.iter().chain([&parts.class]).filter(|&&start| start > 0);
    let mut tails = starts.map(|&start| &name[start..]);
    if let Some(tail) = tails.find(|tail| fits(tail, letters - 1)) {
        return [DOTS, tail].concat();
    }
    let own = &name[parts.own..parts.end];
    without_arguments(name, &parts, letters)
        .or_else(|| with_class_name(name, &parts, letters))
        .or_else(|| fits(own, letters - 1).then(|| dotted(own, parts.own > 0)))
        .unwrap_or_else(|| cut(own, letters))
}

/// The class and the own name, and as much of the arguments as fits.
fn without_arguments(name: &str, parts: &NameParts, letters: usize) -> Option<String> {
    let kept = &name[parts.class..parts.end];
    let before = if parts.class > 0 { DOTS } else { "" };
    let room = letters.checked_sub(width(before) + width(kept))?;
    // The name was too long, so there are arguments, of which not all fit.
    let rest = &name[parts.end..];
    if room > LEAST_LETTERS {
        let some = fitting(rest.as_bytes().graphemes(), room - 1);
        return Some([before, kept, &rest[..some], DOTS].concat());
    }
    match before {
        "" if room == 0 => None,
        _ => Some(dotted(kept, parts.class > 0)),
    }
}

/// The last name of the class without arguments, and the own name: `…vector::push_back`. The name
/// of the class itself is cut if enough of it is left: `Concurrent…::put`.
fn with_class_name(name: &str, parts: &NameParts, letters: usize) -> Option<String> {
    let class = &name[parts.class_name.clone()];
    let own = &name[parts.class_end..parts.end];
    let room = letters.checked_sub(1 + width(own))?;
    match fits(class, room) {
        true if class.is_empty() => None,
        true if parts.class_name.start > 0 => Some([DOTS, class, own].concat()),
        true => Some([class, DOTS, own].concat()),
        false if room < LEAST_LETTERS => None,
        false => Some([&class[..fitting(class.as_bytes().graphemes(), room)], DOTS, own].concat()),
    }
}

/// A part of a name, with the dots where something was cut off.
fn dotted(part: &str, is_cut_before: bool) -> String {
    if is_cut_before { [DOTS, part].concat() } else { [part, DOTS].concat() }
}

/// A text that is not a function's name, such as a path or a thread, in at most `letters` columns:
/// shortened in the middle, or to its end; empty if that is too little room to be of use.
#[must_use]
pub fn shortened(text: &str, letters: usize) -> String {
    if fits(text, letters) { text.to_owned() } else { cut(text, letters) }
}

/// A name that is too long by itself: shortened in the middle, or to its end.
fn cut(name: &str, letters: usize) -> String {
    let is_wide = width(name) > name.as_bytes().graphemes().count();
    if letters < if is_wide { LEAST_OF_WIDE } else { LEAST_LETTERS } {
        return String::new();
    }
    // If one side gets more letters, it is the end, which says more.
    let tail = if letters < LEAST_OF_BOTH { letters - 1 } else { letters / 2 };
    let head = letters - 1 - tail;
    // A name may be far longer than what is shown of it.
    let ahead = fitting(name.as_bytes().graphemes(), head);
    let behind = fitting(name.as_bytes().graphemes().rev(), tail);
    [&name[..ahead], DOTS, &name[name.len() - behind..]].concat()
}

fn fits(name: &str, letters: usize) -> bool {
    let mut widths = name.as_bytes().graphemes().map(columns);
    widths.try_fold(letters, usize::checked_sub).is_some()
}

fn width(name: &str) -> usize {
    name.as_bytes().graphemes().map(columns).sum()
}

/// How many bytes the first of these graphemes have together, those that fit into `left` columns.
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
        assert_eq!(fitted("caml_main", 5), "");
        assert_eq!(fitted("a::b", 1), "");
        assert_eq!(fitted("関数です", 7), "\u{2026}数です");
        assert_eq!(fitted("関数です", 4), "\u{2026}す");
        assert_eq!(fitted("関数です", 2), "");
        let long = "e\u{301}".repeat(20);
        let [six, seven] = [6, 7].map(|count| "e\u{301}".repeat(count));
        assert_eq!(fitted(&long, 14), format!("{six}\u{2026}{seven}"));
        assert_eq!(fitted("", 0), "");
        assert_eq!(shortened("web-1.example.com", 17), "web-1.example.com");
        assert_eq!(shortened("web-1.example.com", 16), "web-1.e\u{2026}mple.com");
        assert_eq!(shortened("web-1.example.com", 5), "");
    }

    #[test]
    fn a_function_is_worth_more_than_its_class_and_its_arguments() {
        let push_back = "std::vector<int>::push_back(int const&)";
        let compare = "std::basic_string<char, std::char_traits<char>, std::allocator<char> >\
                       ::compare(char const*) const";
        let fold = "<core::iter::Map<I,F> as core::Iterator>::fold";
        let table = [
            (push_back, 39, push_back),
            (push_back, 38, "\u{2026}vector<int>::push_back(int const&)"),
            (push_back, 34, "\u{2026}vector<int>::push_back(int const\u{2026}"),
            (push_back, 23, "\u{2026}vector<int>::push_back"),
            (push_back, 22, "\u{2026}vector::push_back"),
            (push_back, 18, "\u{2026}vector::push_back"),
            (push_back, 17, "\u{2026}push_back"),
            (push_back, 10, "\u{2026}push_back"),
            (push_back, 9, "\u{2026}ush_back"),
            (push_back, 5, ""),
            (fold, 32, "\u{2026}Map::fold"),
            (fold, 10, "\u{2026}Map::fold"),
            (fold, 9, "\u{2026}fold"),
            (fold, 5, "\u{2026}fold"),
            (compare, 60, "\u{2026}basic_string::compare"),
            ("std::string::compare(char const*) const", 20, "\u{2026}string::compare"),
            ("a::b::Map<I,F>::next", 18, "\u{2026}b::Map<I,F>::next"),
            ("a::b::Map<I,F>::next", 15, "\u{2026}Map<I,F>::next"),
            ("a::b::Map<I,F>::next", 14, "\u{2026}Map::next"),
            ("<alloc::vec::Vec<T> as Drop>::drop", 12, "\u{2026}Vec::drop"),
            ("Map<K, V>::at(K const&)", 10, "Map\u{2026}::at"),
            ("ns::ConcurrentHashMap<K>::put(K)", 20, "ConcurrentHash\u{2026}::put"),
            ("main.(*Map[go.shape.int]).Get", 15, "\u{2026}Map.Get"),
            ("main(int)", 6, "main\u{2026}"),
            ("main()", 5, "main\u{2026}"),
            ("main(int, char**)", 12, "main(int, c\u{2026}"),
            ("a.lang.Object java.util.HashMap.put(int)", 30, "\u{2026}java.util.HashMap.put(int)"),
            ("void (anonymous namespace)::f<a>(a)", 31, "\u{2026}(anonymous namespace)::f<a>(a)"),
            ("java.util.HashMap.putVal(int)", 12, "\u{2026}putVal"),
            ("net/http.(*conn).serve", 16, "\u{2026}(*conn).serve"),
            ("net/http.(*conn).serve", 7, "\u{2026}serve"),
            ("tokio::run::{{closure}}", 8, "\u{2026}run"),
            ("関数::実行", 5, "\u{2026}実行"),
            ("Stdlib.List.fold_left", 15, "\u{2026}List.fold_left"),
            ("Stdlib.List.fold_left", 14, "\u{2026}fold_left"),
            ("Stdlib.List.fold_left", 7, "\u{2026}d_left"),
            ("Treegc.(fun/2451)", 12, "\u{2026}(fun/2451)"),
            ("alloc::vec::Vec<a::B>::push", 21, "\u{2026}vec::Vec<a::B>::push"),
            ("mark_slice.constprop.0", 8, "\u{2026}k_slice"),
            ("mark_slice.constprop.0", 15, "mark_slice\u{2026}"),
            ("caml_minor_gc", 10, "\u{2026}_minor_gc"),
            ("Module.", 6, "\u{2026}dule."),
        ];
        for (name, letters, expected) in table {
            assert_eq!(fitted(name, letters), expected, "{name} {letters}");
        }
    }
}

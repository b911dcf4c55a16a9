//! Finds what patterns may match, in many lines at once.

use regex_automata::util::prefilter::Prefilter;
use regex_automata::{MatchKind, Span};
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{Extractor, Literal};

use super::in_frames::{PatternSyntax, parse_patterns};
use crate::Result;

/// Finds the texts with which the matches of patterns start, such as `alloc` of
/// `alloc\w+`.
#[derive(Clone, Debug)]
pub struct Finder(Prefilter);

impl Finder {
    /// `None` where matches start with anything, or with too many texts.
    ///
    /// # Errors
    ///
    /// Those of [`compile_patterns`](crate::pattern::compile_patterns).
    pub fn new<'a>(
        patterns: impl IntoIterator<Item = &'a [u8]>,
        syntax: PatternSyntax,
    ) -> Result<Option<Finder>> {
        Ok(starts_of(&parse_patterns(patterns, syntax)?).map(Finder))
    }

    /// Where in `lines` the first match may start: lines that end before it have no match.
    #[must_use]
    pub fn find(&self, lines: &[u8]) -> Option<usize> {
        self.0.find(lines, Span::from(0..lines.len())).map(|found| found.start)
    }
}

fn starts_of(pattern: &Hir) -> Option<Prefilter> {
    let mut starts = Extractor::new().extract(pattern);
    starts.optimize_for_prefix_by_preference();
    let starts = starts.literals()?;
    // Lines are searched before their control bytes become spaces, and matched after it, when a
    // line that would be a comment begins with `\`.
    let may_come = |byte: &u8| matches!(byte, b' ' | b'\\') || byte.is_ascii_control();
    if starts.iter().map(Literal::as_bytes).any(|start| start.iter().any(may_come)) {
        return None;
    }
    Prefilter::new(MatchKind::LeftmostFirst, starts).filter(Prefilter::is_fast)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finder(pattern: &str, fixed_strings: bool) -> Option<Finder> {
        let syntax = PatternSyntax { fixed_strings, ..PatternSyntax::default() };
        Finder::new([pattern.as_bytes()], syntax).expect("a good pattern")
    }

    #[test]
    fn the_first_match_starts_where_its_first_text_stands() {
        for (pattern, fixed_strings, found) in [
            ("alloc", true, Some(9)),
            ("alloc\\w+", false, Some(9)),
            ("^alloc$", false, Some(9)),
            ("(free|alloc)$", false, Some(9)),
            ("main.*alloc", false, Some(0)),
            ("alloc.", true, None),
        ] {
            let finder = finder(pattern, fixed_strings).expect("matches start with a text");
            assert_eq!(finder.find(b"main 2\na;alloc 3\nalloc 4\n"), found, "{pattern}");
        }
    }

    #[test]
    fn no_text_is_looked_for_where_any_or_a_space_may_start_a_match() {
        for pattern in ["", ".*alloc", "\\w+", "a|", "operator new", " ", "a\tb", "a\x7f", r"\\#"] {
            assert!(finder(pattern, false).is_none(), "{pattern:?}");
        }
        assert!(Finder::new([], PatternSyntax::default()).expect("no pattern").is_none());
    }
}

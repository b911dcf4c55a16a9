//! Patterns that see one frame at a time, although the whole stack is searched.
//!
//! One search in the whole stack is much faster than a search in each frame. So
//! the pattern is rewritten such that no match can contain a `;`: `;` is removed
//! from every character class, a literal that contains it matches nothing, and
//! `^ $ \A \z` match at the ends of a frame. The rewritten pattern then matches a
//! stack exactly if the original one matches one of its frames.

use regex_automata::meta::{self, Regex};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Look, Repetition,
};

use bstr::ByteSlice;

use super::{bad_pattern, pattern_text};
use crate::Result;

/// What separates frames.
const SEPARATOR: u8 = b';';

/// The largest compiled pattern in bytes: room for tens of thousands from a file.
const SIZE_LIMIT: usize = 1 << 28;

/// How patterns are read, as options of grep.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatternSyntax {
    /// `-i`: upper and lower case are equal.
    pub ignore_case: bool,
    /// `-F`: patterns are plain text.
    pub fixed_strings: bool,
    /// `-w`: no word character comes before or after the match.
    pub word_regexp: bool,
    /// `--stack`: `;` is a byte like any other, and `^ $` are the ends of the stack.
    pub whole_stack: bool,
}

/// Whether a pattern mentions a mark, as `_\[k\]$` does: it holds `_\[`, or as plain text `_[`.
/// Such a pattern is matched with names that still have their marks.
#[must_use]
pub fn mentions_mark(pattern: &[u8], fixed_strings: bool) -> bool {
    pattern.contains_str(if fixed_strings { "_[" } else { r"_\[" })
}

/// Whether the text after a match decides whether it is a match: `a$` and `a\b` do not match in
/// `ab`, but `a` does.
///
/// # Errors
///
/// Those of [`compile_patterns`].
pub fn looks_ahead<'a>(
    patterns: impl IntoIterator<Item = &'a [u8]>,
    syntax: PatternSyntax,
) -> Result<bool> {
    let looks = parse_patterns(patterns, syntax)?.properties().look_set();
    Ok(looks.iter().any(|look| !matches!(look, Look::Start | Look::StartLF | Look::StartCRLF)))
}

/// Compiles patterns into one that matches what any of them matches.
///
/// # Errors
///
/// A usage error that names the pattern.
pub fn compile_patterns<'a>(
    patterns: impl IntoIterator<Item = &'a [u8]>,
    syntax: PatternSyntax,
) -> Result<Regex> {
    build(&parse_patterns(patterns, syntax)?, syntax)
}

/// Compiles patterns into one that matches a text if one of them matches all of it: `;` is a
/// byte as any other, and a match is always of whole words.
///
/// # Errors
///
/// Those of [`compile_patterns`].
pub fn compile_whole_patterns<'a>(
    patterns: impl IntoIterator<Item = &'a [u8]>,
    syntax: PatternSyntax,
) -> Result<Regex> {
    let syntax = PatternSyntax { whole_stack: true, word_regexp: false, ..syntax };
    let any = parse_patterns(patterns, syntax)?;
    let [start, end] = [Look::Start, Look::End].map(Hir::look);
    build(&Hir::concat(vec![start, any, end]), syntax)
}

fn build(pattern: &Hir, syntax: PatternSyntax) -> Result<Regex> {
    let config = meta::Config::new()
        .utf8_empty(false)
        .line_terminator(if syntax.whole_stack { b'\n' } else { SEPARATOR })
        .nfa_size_limit(Some(SIZE_LIMIT));
    let built = meta::Builder::new().configure(config).build_from_hir(pattern);
    built.map_err(|error| bad_pattern(b"", &error))
}

/// Parses patterns into one that matches what any of them matches.
pub(super) fn parse_patterns<'a>(
    patterns: impl IntoIterator<Item = &'a [u8]>,
    syntax: PatternSyntax,
) -> Result<Hir> {
    let parsed = patterns.into_iter().map(|pattern| parse(pattern, syntax));
    Ok(Hir::alternation(parsed.collect::<Result<_>>()?))
}

fn parse(pattern: &[u8], syntax: PatternSyntax) -> Result<Hir> {
    let text = match syntax.fixed_strings {
        true => literal_pattern(pattern),
        false => pattern_text(pattern),
    };
    let parsed = ParserBuilder::new()
        .utf8(false)
        .case_insensitive(syntax.ignore_case)
        .build()
        .parse(&text)
        .map_err(|error| bad_pattern(pattern, &error))?;
    let parsed = if syntax.whole_stack { parsed } else { within_a_frame(parsed) };
    Ok(if syntax.word_regexp { as_word(parsed) } else { parsed })
}

/// A pattern for this text alone: `regex_syntax::escape` for bytes.
#[must_use]
pub fn literal_pattern(literal: &[u8]) -> String {
    let mut text = String::new();
    for chunk in literal.utf8_chunks() {
        regex_syntax::escape_into(chunk.valid(), &mut text);
        text.push_str(&pattern_text(chunk.invalid()));
    }
    text
}

/// grep's `-w`: no word character before or after the match. Unlike `\b`, this
/// allows a match that starts or ends with another character.
fn as_word(pattern: Hir) -> Hir {
    let [start, end] = [Look::WordStartHalfUnicode, Look::WordEndHalfUnicode].map(Hir::look);
    Hir::concat(vec![start, pattern, end])
}

/// Rewrites a pattern so that it matches in a stack what it matches in a frame.
///
/// The parser limits how deep a pattern nests, so the recursion is bounded.
fn within_a_frame(pattern: Hir) -> Hir {
    match pattern.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&SEPARATOR) => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(without_separator(class)),
        HirKind::Look(look) => Hir::look(at_frame_ends(look)),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(within_a_frame(*repetition.sub)),
            ..repetition
        }),
        HirKind::Capture(capture) => {
            Hir::capture(Capture { sub: Box::new(within_a_frame(*capture.sub)), ..capture })
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_a_frame).collect()),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.into_iter().map(within_a_frame).collect())
        }
    }
}

fn without_separator(class: Class) -> Class {
    match class {
        Class::Unicode(mut class) => {
            let separator = char::from(SEPARATOR);
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new(separator, separator)]));
            Class::Unicode(class)
        }
        Class::Bytes(mut class) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(SEPARATOR, SEPARATOR)]));
            Class::Bytes(class)
        }
    }
}

/// The regex is built with `;` as line terminator, so the ends of a line are the
/// ends of a frame. Word boundaries need no change: `;` is no word character.
fn at_frame_ends(look: Look) -> Look {
    match look {
        Look::Start | Look::StartLF | Look::StartCRLF => Look::StartLF,
        Look::End | Look::EndLF | Look::EndCRLF => Look::EndLF,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::folded::Frames;

    fn matches(pattern: &str, syntax: PatternSyntax, stack: &[u8]) -> bool {
        compile_patterns([pattern.as_bytes()], syntax).expect("a good pattern").is_match(stack)
    }

    /// What the rewritten pattern must find, by a search in each frame.
    fn matches_a_frame(pattern: &str, stack: &[u8]) -> bool {
        let regex = regex::bytes::Regex::new(pattern).expect("a good pattern");
        Frames::new(stack).any(|frame| regex.is_match(frame))
    }

    #[test]
    fn no_match_crosses_a_separator() {
        for pattern in
            ["b;c", "b.c", "b.*c", "b[^x]c", r"b\Wc", r"b\Dc", "(?s)b.c", "(?s-u)b.c", "b(;|!)c"]
        {
            assert!(!matches(pattern, PatternSyntax::default(), b"ab;cd"), "{pattern}");
        }
    }

    #[test]
    fn anchors_are_those_of_a_frame() {
        for pattern in ["^b$", r"\Ab\z", "(?m)^b$", r"(?m)\Ab\z", "(?R)^b$", "(?mR)^b$", r"\bb\b"] {
            for stack in ["b", "a;b", "b;c", "a;b;c"] {
                assert!(
                    matches(pattern, PatternSyntax::default(), stack.as_bytes()),
                    "{pattern} {stack}"
                );
            }
            for stack in ["ab", "a;bc", "ab;c", "b1;ab"] {
                let found = matches(pattern, PatternSyntax::default(), stack.as_bytes());
                assert!(!found, "{pattern} {stack}");
            }
        }
    }

    #[test]
    fn an_empty_frame_is_a_frame() {
        for stack in [";a", "a;;b", "a;"] {
            assert!(matches("^$", PatternSyntax::default(), stack.as_bytes()), "{stack}");
        }
        assert!(!matches("^$", PatternSyntax::default(), b"a;b"));
    }

    #[test]
    fn the_whole_stack_is_text_when_asked() {
        let syntax = PatternSyntax { whole_stack: true, ..PatternSyntax::default() };
        assert!(matches("a;b", syntax, b"a;b"));
        assert!(matches("^a.*d$", syntax, b"a;b;d"));
        assert!(!matches("^b", syntax, b"a;b"));
    }

    #[test]
    fn a_whole_text_matches_or_nothing_does() {
        for (pattern, text, expected) in [
            ("a|ab", "ab", true),
            ("a|ab", "abc", false),
            ("b", "ab", false),
            ("", "", true),
            ("", "a", false),
            ("^a;b$", "a;b", true),
            ("(?x) a # a comment", "a", true),
            ("(?i)A", "a", true),
        ] {
            let patterns = [pattern.as_bytes()];
            let regex = compile_whole_patterns(patterns, PatternSyntax::default());
            assert_eq!(regex.expect(pattern).is_match(text), expected, "{pattern:?} {text:?}");
        }
        let unclosed = compile_whole_patterns([&b"a)|(b"[..]], PatternSyntax::default());
        assert!(unclosed.is_err());
    }

    /// Patterns made of what can go wrong: all that may match a `;`, and anchors.
    fn patterns() -> impl Strategy<Value = String> {
        let pieces = [
            "a",
            "b",
            ";",
            ".",
            "[^a]",
            "[^;]",
            r"\W",
            r"\D",
            r"\b",
            r"\B",
            "^",
            "$",
            r"\A",
            r"\z",
            "(?s:.)",
            "(?m:^)",
            "(?m:$)",
            "(?-u:[^b])",
            "(a|b;|;a|^a)",
            "(a.)*",
            "[^a]+",
            "b?",
            "|",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..6)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn one_search_finds_what_frame_by_frame_finds(
            pattern in patterns(),
            stack in "[ab;!]{0,8}",
        ) {
            let expected = matches_a_frame(&pattern, stack.as_bytes());
            let found = matches(&pattern, PatternSyntax::default(), stack.as_bytes());
            prop_assert_eq!(found, expected, "{} {}", pattern, stack);
        }

        #[test]
        fn a_fixed_string_is_found_where_a_frame_contains_it(
            literal in prop::collection::vec(prop::sample::select(b"a.;\xad\\".to_vec()), 0..3),
            stack in prop::collection::vec(prop::sample::select(b"ab.;\xad\\".to_vec()), 0..8),
        ) {
            let syntax = PatternSyntax { fixed_strings: true, ..PatternSyntax::default() };
            let found = compile_patterns([&literal[..]], syntax).expect("any literal").is_match(&stack);
            let expected = Frames::new(&stack)
                .any(|frame| literal.is_empty() || frame.windows(literal.len()).any(|w| w == literal));
            prop_assert_eq!(found, expected);
        }
    }
}

//! A line of the folded format: the one parser.

use std::fmt;

use memchr::memrchr;

use super::Frames;
use crate::decimal;

/// The stack of a sample without any frame, which is counted all the same.
pub const NO_STACK: &[u8] = b"[no stack]";

/// Every number of fewer than 20 digits fits into 64 bits.
const TOO_MANY_DIGITS: u64 = 10_000_000_000_000_000_000;

/// One folded line, borrowed from the reader's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedLine<'a> {
    /// The frames, root first, with `;` between them.
    pub stack: &'a [u8],
    /// How much the stack weighs, in whatever unit the profile counts.
    pub count: u64,
}

/// A folded line with two counts, of two profiles: `stack before after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedPair<'a> {
    /// The frames, root first, with `;` between them.
    pub stack: &'a [u8],
    /// What the stack weighs in the first profile.
    pub before: u64,
    /// What it weighs in the second profile.
    pub after: u64,
}

/// Why a line is not a folded line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The text behind the last space is no number.
    NoCount,
    /// The text behind the last space is a number such as `1.5` or `-3`.
    NotWhole,
    /// There is a number and nothing else, not even the space before a count.
    NoFrames,
    /// The count does not fit into 64 bits.
    CountTooLarge,
    /// There are no two counts at the end of a line that should have them.
    NoTwoCounts,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = match self {
            Malformed::NoCount => "no count at the end",
            Malformed::NotWhole => "a count that is not a whole number",
            Malformed::NoFrames => "no frames before the count",
            Malformed::CountTooLarge => "a count over 18446744073709551615",
            Malformed::NoTwoCounts => {
                return f.write_str("expected 'frame;frame before after', found no two counts");
            }
        };
        write!(f, "expected 'frame;frame count', found {found}")
    }
}

impl<'a> FoldedLine<'a> {
    /// Parses a line that has neither LF nor CR at its end.
    ///
    /// Only the last space separates, so names may hold spaces and end in
    /// digits: in `main;operator new 7` the leaf is `operator new`. The stack of
    /// ` 7`, a space and a count, is [`NO_STACK`]: py-spy and others write samples
    /// without frames so.
    ///
    /// # Errors
    ///
    /// [`Malformed`] says what is missing.
    #[inline(always)]
    pub fn parse(line: &'a [u8]) -> Result<FoldedLine<'a>, Malformed> {
        let mut count = 0;
        let mut place = 1;
        for (at, &byte) in line.iter().enumerate().rev() {
            match byte {
                b'0'..=b'9' if place < TOO_MANY_DIGITS => {
                    count += u64::from(byte - b'0') * place;
                    place *= 10;
                }
                b' ' if place > 1 && at > 0 => {
                    return Ok(FoldedLine { stack: &line[..at], count });
                }
                _ => break,
            }
        }
        FoldedLine::parse_rare(line)
    }

    /// Parses what is rare: a count of many digits, and what is malformed.
    #[cold]
    fn parse_rare(line: &'a [u8]) -> Result<FoldedLine<'a>, Malformed> {
        let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (before, count) = line.split_at(line.len() - digits);
        let Some((b' ', stack)) = before.split_last() else { return Err(no_count(line)) };
        if digits == 0 {
            return Err(Malformed::NoCount);
        }
        let count = decimal(count).ok_or(Malformed::CountTooLarge)?;
        Ok(FoldedLine { stack: if stack.is_empty() { NO_STACK } else { stack }, count })
    }

    /// The frames, root first.
    #[must_use]
    pub fn frames(&self) -> Frames<'a> {
        Frames::new(self.stack)
    }
}

impl<'a> FoldedPair<'a> {
    /// Parses a line that has neither LF nor CR at its end.
    ///
    /// # Errors
    ///
    /// [`Malformed`] says what is missing.
    pub fn parse(line: &'a [u8]) -> Result<FoldedPair<'a>, Malformed> {
        let two_counts = |why| match why {
            Malformed::NoCount => Malformed::NoTwoCounts,
            why => why,
        };
        let FoldedLine { stack, count: after } = FoldedLine::parse(line).map_err(two_counts)?;
        let FoldedLine { stack, count: before } = FoldedLine::parse(stack).map_err(two_counts)?;
        Ok(FoldedPair { stack, before, after })
    }
}

/// Whether `stack` is only a name for no frames: `line`, of which it is a part, is ` 12`,
/// not `[no stack] 12`.
#[inline]
#[must_use]
pub fn lacks_frames(line: &[u8], stack: &[u8]) -> bool {
    line.starts_with(b" ") && stack == NO_STACK
}

/// Why a line has no count: `a;b`, `12`, `a;b 1.5`, `a;b -3`, `a;b 1e6`.
#[cold]
fn no_count(line: &[u8]) -> Malformed {
    if line.iter().all(u8::is_ascii_digit) {
        return if line.is_empty() { Malformed::NoCount } else { Malformed::NoFrames };
    }
    let Some(space) = memrchr(b' ', line) else { return Malformed::NoCount };
    let last = &line[space + 1..];
    // Rust also reads `inf` and `nan` as numbers.
    let has_digit = last.iter().any(u8::is_ascii_digit);
    let number = str::from_utf8(last).ok().and_then(|last| last.parse::<f64>().ok());
    if has_digit && number.is_some() { Malformed::NotWhole } else { Malformed::NoCount }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<(&str, u64), Malformed> {
        let line = FoldedLine::parse(line.as_bytes())?;
        Ok((std::str::from_utf8(line.stack).expect("ascii in, ascii out"), line.count))
    }

    #[test]
    fn only_the_last_space_separates() {
        assert_eq!(parsed("main;operator new 7"), Ok(("main;operator new", 7)));
        assert_eq!(parsed("a 1 2"), Ok(("a 1", 2)));
        assert_eq!(parsed("a  3"), Ok(("a ", 3)));
    }

    #[test]
    fn a_line_without_count_or_frames_is_malformed() {
        for (line, why) in [
            ("a;b", Malformed::NoCount),
            ("a;b ", Malformed::NoCount),
            ("a;b 1.5", Malformed::NotWhole),
            ("a;b .5", Malformed::NotWhole),
            ("a;b -1", Malformed::NotWhole),
            ("a;b +1", Malformed::NotWhole),
            ("a;b 1e6", Malformed::NotWhole),
            ("a;b inf", Malformed::NoCount),
            ("a;b 1.2.3", Malformed::NoCount),
            ("a;b 12x", Malformed::NoCount),
            ("a;b12", Malformed::NoCount),
            ("", Malformed::NoCount),
            ("12", Malformed::NoFrames),
            (" ", Malformed::NoCount),
            ("a 18446744073709551616", Malformed::CountTooLarge),
            (" 18446744073709551616", Malformed::CountTooLarge),
        ] {
            assert_eq!(parsed(line), Err(why), "{line:?}");
        }
    }

    #[test]
    fn a_space_and_a_count_are_a_sample_without_a_stack() {
        assert_eq!(parsed(" 12"), Ok(("[no stack]", 12)));
        assert_eq!(parsed(" 9999999999999999999"), Ok(("[no stack]", 9_999_999_999_999_999_999)));
        for (line, expected) in [(" 12", true), ("[no stack] 12", false), ("  12", false)] {
            let (stack, _) = parsed(line).expect(line);
            assert_eq!(lacks_frames(line.as_bytes(), stack.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn a_pair_is_two_counts_behind_a_stack() {
        let pair = |line: &'static str| {
            FoldedPair::parse(line.as_bytes()).map(|pair| (pair.stack, pair.before, pair.after))
        };
        assert_eq!(pair("a;b 3 0"), Ok((&b"a;b"[..], 3, 0)));
        assert_eq!(pair("operator new 7 1 2"), Ok((&b"operator new 7"[..], 1, 2)));
        assert_eq!(pair(" 1 2"), Ok((NO_STACK, 1, 2)));
        for (line, why) in [
            ("a;b", Malformed::NoTwoCounts),
            ("a;b 1", Malformed::NoTwoCounts),
            ("1 2", Malformed::NoFrames),
            ("a 18446744073709551616 2", Malformed::CountTooLarge),
        ] {
            assert_eq!(pair(line), Err(why), "{line:?}");
        }
    }

    #[test]
    fn counts_up_to_64_bits_are_exact() {
        assert_eq!(parsed("a 18446744073709551615"), Ok(("a", u64::MAX)));
        assert_eq!(parsed("a 00000000000000000000000000000007"), Ok(("a", 7)));
        assert_eq!(parsed("a 9999999999999999999"), Ok(("a", 9_999_999_999_999_999_999)));
    }
}

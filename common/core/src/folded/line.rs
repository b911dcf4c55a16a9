//! A line of the folded format: the one parser.

use memchr::memrchr;

use super::{Frames, Labels, Malformed};
use crate::numbers::decimal;

/// The stack of a sample without frames; such samples are counted too.
pub const NO_STACK: &[u8] = b"[no stack]";

/// Every number of fewer than 20 digits fits into 64 bits.
const TOO_MANY_DIGITS: u64 = 10_000_000_000_000_000_000;

/// One folded line, borrowed from the reader's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedLine<'a> {
    /// What is known of the samples beside their stack; mostly nothing.
    pub labels: Labels<'a>,
    /// The frames, root first, with `;` between them.
    pub stack: &'a [u8],
    /// How much the stack weighs, in whatever unit the profile counts.
    pub count: u64,
}

/// A folded line with two counts, of two profiles: `stack before after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedPair<'a> {
    /// What is known of the samples beside their stack.
    pub labels: Labels<'a>,
    /// The frames, root first, with `;` between them.
    pub stack: &'a [u8],
    /// What the stack weighs in the first profile.
    pub before: u64,
    /// What it weighs in the second profile.
    pub after: u64,
}

impl<'a> FoldedLine<'a> {
    /// A line without labels.
    #[must_use]
    pub fn new(stack: &'a [u8], count: u64) -> FoldedLine<'a> {
        FoldedLine { labels: Labels::default(), stack, count }
    }

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
    pub fn parse(line: &'a [u8]) -> Result<FoldedLine<'a>, Malformed> {
        let folded = FoldedLine::parse_unlabelled(line)?;
        let (labels, stack) = Labels::split(folded.stack)?;
        Ok(FoldedLine { labels, stack: if stack.is_empty() { NO_STACK } else { stack }, ..folded })
    }

    /// As [`parse`](FoldedLine::parse), for a line without a tab, which has no labels.
    #[inline(always)]
    pub(crate) fn parse_unlabelled(line: &'a [u8]) -> Result<FoldedLine<'a>, Malformed> {
        let mut count = 0;
        let mut place = 1;
        for (at, &byte) in line.iter().enumerate().rev() {
            match byte {
                b'0'..=b'9' if place < TOO_MANY_DIGITS => {
                    count += u64::from(byte - b'0') * place;
                    place *= 10;
                }
                b' ' if place > 1 && at > 0 => {
                    return Ok(FoldedLine::new(&line[..at], count));
                }
                _ => break,
            }
        }
        FoldedLine::parse_rare(line)
    }

    /// Parses the rare cases: counts of many digits, and malformed lines.
    #[cold]
    fn parse_rare(line: &'a [u8]) -> Result<FoldedLine<'a>, Malformed> {
        let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (before, count) = line.split_at(line.len() - digits);
        let Some((b' ', stack)) = before.split_last() else { return Err(no_count(line)) };
        if digits == 0 {
            return Err(Malformed::NoCount);
        }
        let count = decimal(count).ok_or(Malformed::CountTooLarge)?;
        Ok(FoldedLine::new(if stack.is_empty() { NO_STACK } else { stack }, count))
    }

    /// The labels and the stack as one text, in which form lines with equal labels and equal stacks
    /// are summed. `buffer` holds the text where the line has labels.
    pub fn labelled_stack<'b>(&self, buffer: &'b mut Vec<u8>) -> &'b [u8]
    where
        'a: 'b,
    {
        if self.labels.is_empty() {
            return self.stack;
        }
        buffer.clear();
        buffer.extend_from_slice(self.labels.as_bytes());
        buffer.extend_from_slice(self.stack);
        buffer
    }

    /// The line for a text that [`labelled_stack`](FoldedLine::labelled_stack) returned.
    #[must_use]
    pub fn of_labelled_stack(text: &'a [u8], count: u64) -> FoldedLine<'a> {
        let start = memrchr(b'\t', text).map_or(0, |tab| tab + 1);
        let (labels, stack) = text.split_at(start);
        FoldedLine { labels: Labels::of_text(labels), stack, count }
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
        let FoldedLine { stack, count: after, .. } =
            FoldedLine::parse_unlabelled(line).map_err(two_counts)?;
        let FoldedLine { labels, stack, count: before } =
            FoldedLine::parse(stack).map_err(two_counts)?;
        Ok(FoldedPair { labels, stack, before, after })
    }
}

/// Whether the line has no frames: it is ` 12`, and not `[no stack] 12`. `labels` and `stack` are
/// those that were parsed from `line`.
#[inline]
#[must_use]
pub fn lacks_frames(line: &[u8], labels: Labels<'_>, stack: &[u8]) -> bool {
    line[labels.as_bytes().len()..].starts_with(b" ") && stack == NO_STACK
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
            for labels in ["", "tid=1\t", "tid=1\tcomm= 1\t"] {
                let line = [labels, line].concat();
                let folded = FoldedLine::parse(line.as_bytes()).expect("a count");
                assert_eq!(folded.labels.as_bytes(), labels.as_bytes(), "{line:?}");
                let lacks = lacks_frames(line.as_bytes(), folded.labels, folded.stack);
                assert_eq!(lacks, expected, "{line:?}");
            }
        }
    }

    #[test]
    fn labels_come_before_the_stack() {
        for (line, labels, stack, count) in [
            ("tid=1\tcomm=a 9\tmain;f 3", "tid=1\tcomm=a 9\t", "main;f", 3),
            ("tid=1\ta=b 3", "tid=1\t", "a=b", 3),
            ("a=b 3", "", "a=b", 3),
            ("x\ttid=1\tmain 3", "", "x\ttid=1\tmain", 3),
            ("a=1\tf 0009999999999999999999999", "a=1\t", "f", 0),
        ] {
            match FoldedLine::parse(line.as_bytes()) {
                Ok(folded) => {
                    assert_eq!(folded.labels.as_bytes(), labels.as_bytes(), "{line:?}");
                    assert_eq!((folded.stack, folded.count), (stack.as_bytes(), count));
                }
                Err(why) => assert_eq!((why, count), (Malformed::CountTooLarge, 0), "{line:?}"),
            }
        }
        for (line, why) in [
            ("tid=1\t3", Malformed::NoCount),
            ("tid=1\tmain", Malformed::NoCount),
            ("comm=a 3\tmain", Malformed::NoCount),
            ("tid=1\ttid=1\tmain 3", Malformed::KeyTwice),
        ] {
            assert_eq!(FoldedLine::parse(line.as_bytes()), Err(why), "{line:?}");
        }
        let pair = FoldedPair::parse(b"tid=1\tmain 3 4").expect("two counts");
        assert_eq!((pair.labels.as_bytes(), pair.before, pair.after), (&b"tid=1\t"[..], 3, 4));
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

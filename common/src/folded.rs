//! The folded format: its one parser and its one writer.
//!
//! `frame(;frame)* SP count LF`, root first; man/folded-stack.5 is the grammar.

use std::fmt;

use memchr::{memchr, memrchr};

/// One folded line, lent from the reader's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedLine<'a> {
    /// The frames, root first, with `;` between them.
    pub stack: &'a [u8],
    /// How much the stack weighs, in whatever unit the profile counts.
    pub count: u64,
}

/// A folded line with two counts, as two profiles make it: `stack before after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedPair<'a> {
    /// The frames, root first, with `;` between them.
    pub stack: &'a [u8],
    /// What the stack weighs in the first profile.
    pub before: u64,
    /// What it weighs in the second one.
    pub after: u64,
}

/// Why a line is no folded line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The text behind the last space is no unsigned integer.
    NoCount,
    /// There is a count and nothing before it.
    NoFrames,
    /// The count does not fit into 64 bits.
    CountTooLarge,
    /// There are no two counts at the end where these were asked for.
    NoTwoCounts,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = match self {
            Malformed::NoCount => "no count at the end",
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
    /// digits: in `main;operator new 7` the leaf is `operator new`.
    ///
    /// # Errors
    ///
    /// [`Malformed`] says what is missing.
    #[inline]
    pub fn parse(line: &'a [u8]) -> Result<FoldedLine<'a>, Malformed> {
        let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (before, count) = line.split_at(line.len() - digits);
        let Some((b' ', stack)) = before.split_last() else {
            return Err(if digits > 0 && before.is_empty() {
                Malformed::NoFrames
            } else {
                Malformed::NoCount
            });
        };
        if digits == 0 {
            return Err(Malformed::NoCount);
        }
        if stack.is_empty() {
            return Err(Malformed::NoFrames);
        }
        let count = parse_count(count).ok_or(Malformed::CountTooLarge)?;
        Ok(FoldedLine { stack, count })
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

#[inline]
fn parse_count(digits: &[u8]) -> Option<u64> {
    let value = |sum: u64, &digit: &u8| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
    // 19 nines fit into 64 bits, so nearly no count needs the checks.
    if digits.len() <= 19 {
        return Some(digits.iter().fold(0, value));
    }
    digits
        .iter()
        .try_fold(0u64, |sum, &digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

/// The frames of a folded stack, root first.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Frames<'a> {
    /// Splits a folded stack, as [`FoldedLine::stack`] holds it.
    #[must_use]
    pub fn new(stack: &'a [u8]) -> Frames<'a> {
        Frames { rest: Some(stack) }
    }

    /// The frames that were not handed out yet, as folded text; `None` when
    /// there are none left.
    #[must_use]
    pub fn rest(&self) -> Option<&'a [u8]> {
        self.rest
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        match memchr(b';', rest) {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Some(&rest[..end])
            }
            None => self.rest.take(),
        }
    }
}

/// From the back: the leaf first.
impl<'a> DoubleEndedIterator for Frames<'a> {
    #[inline]
    fn next_back(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        match memrchr(b';', rest) {
            Some(end) => {
                self.rest = Some(&rest[..end]);
                Some(&rest[end + 1..])
            }
            None => self.rest.take(),
        }
    }
}

/// A stack under construction, root first.
///
/// Whatever bytes a frame is made of, the stack stays well-formed.
#[derive(Clone, Debug, Default)]
pub struct StackBuf {
    bytes: Vec<u8>,
    frames: usize,
}

impl StackBuf {
    /// Empties the stack, keeping its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.frames = 0;
    }

    /// Adds a leaf; bytes that would break the format are replaced, see
    /// [`clean_frame`].
    pub fn push_frame(&mut self, frame: &[u8]) {
        if self.frames > 0 {
            self.bytes.push(b';');
        }
        clean_frame(frame, &mut self.bytes);
        self.frames += 1;
    }

    /// Adds a leaf that was read from a folded line, so needs no cleaning.
    pub fn push_clean_frame(&mut self, frame: &[u8]) {
        if self.frames > 0 {
            self.bytes.push(b';');
        }
        self.bytes.extend_from_slice(frame);
        self.frames += 1;
    }

    /// How many frames the stack has.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The stack as a folded line holds it, without the count.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Appends `frame` to `out` as a folded line can hold it: `;` becomes `:` and
/// a control byte a space.
///
/// OCaml's operator `.%(;..)` is such a frame.
pub fn clean_frame(frame: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(frame);
    // All are written, so that many are at a time.
    for byte in &mut out[start..] {
        *byte = match *byte {
            b';' => b':',
            control if control.is_ascii_control() => b' ',
            other => other,
        };
    }
}

/// Appends `stack SP count LF` to `out`: the one writer of the format.
///
/// A line that starts with `# ` would be a comment, so a stack such as
/// `# my thread;main` is written with a backslash before it.
#[inline]
pub fn append_folded(stack: &[u8], count: u64, out: &mut Vec<u8>) {
    if matches!(stack, [b'#'] | [b'#', b' ', ..]) {
        out.push(b'\\');
    }
    out.extend_from_slice(stack);
    out.push(b' ');
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
    out.push(b'\n');
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
            ("a;b 1.5", Malformed::NoCount),
            ("a;b -1", Malformed::NoCount),
            ("a;b 12x", Malformed::NoCount),
            ("a;b12", Malformed::NoCount),
            ("12", Malformed::NoFrames),
            (" 12", Malformed::NoFrames),
            ("a 18446744073709551616", Malformed::CountTooLarge),
        ] {
            assert_eq!(parsed(line), Err(why), "{line:?}");
        }
    }

    #[test]
    fn a_pair_is_two_counts_behind_a_stack() {
        let pair = |line: &'static str| {
            FoldedPair::parse(line.as_bytes()).map(|pair| (pair.stack, pair.before, pair.after))
        };
        assert_eq!(pair("a;b 3 0"), Ok((&b"a;b"[..], 3, 0)));
        assert_eq!(pair("operator new 7 1 2"), Ok((&b"operator new 7"[..], 1, 2)));
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

    #[test]
    fn empty_frames_are_frames() {
        let frames: Vec<&[u8]> = Frames::new(b"a;;b;").collect();
        assert_eq!(frames, [&b"a"[..], b"", b"b", b""]);
        let backwards: Vec<&[u8]> = Frames::new(b"a;;b;").rev().collect();
        assert_eq!(backwards, [&b""[..], b"b", b"", b"a"]);
    }

    #[test]
    fn the_rest_is_what_was_not_handed_out() {
        let mut frames = Frames::new(b"a;b;c;");
        frames.next();
        assert_eq!(frames.rest(), Some(&b"b;c;"[..]));
        frames.next_back();
        assert_eq!(frames.rest(), Some(&b"b;c"[..]));
        assert_eq!(frames.by_ref().count(), 2);
        assert_eq!(frames.rest(), None);
    }

    #[test]
    fn pushed_frames_cannot_break_the_line() {
        let mut stack = StackBuf::default();
        stack.push_frame(b"Odd.(.%(;..))");
        stack.push_frame(b"tab\there\xff\n");
        assert_eq!(stack.as_bytes(), b"Odd.(.%(:..));tab here\xff ");
        assert_eq!(stack.frames(), 2);
    }

    #[test]
    fn a_stack_is_never_written_as_a_comment() {
        let mut out = Vec::new();
        for stack in ["# my thread;main", "#", "#1", "a;# b"] {
            append_folded(stack.as_bytes(), 7, &mut out);
        }
        assert_eq!(out, b"\\# my thread;main 7\n\\# 7\n#1 7\na;# b 7\n");
    }

    #[test]
    fn an_empty_first_frame_keeps_its_separator() {
        let mut stack = StackBuf::default();
        stack.push_frame(b"");
        stack.push_frame(b"leaf");
        assert_eq!(stack.as_bytes(), b";leaf");
    }
}

//! The condition for a label of a line: `--label`.

use std::cmp::Ordering;
use std::ffi::OsString;

use common::folded::{Labels, parse_label_key};
use common::pattern::{PatternSyntax, compile_whole_patterns};
use common::{Error, Result, names::printable, numbers::counted};
use regex_automata::meta::Regex;

use crate::patterns_of;

/// The condition for the label of one key.
pub(crate) struct LabelCondition {
    key: Vec<u8>,
    test: Test,
    seen: Seen,
}

/// What tells that a condition was meant otherwise: `span>=100`, where `span` is a name.
#[derive(Default)]
struct Seen {
    lines: u64,
    /// Lines that have the label.
    labelled: u64,
    /// Lines on which the label should be a number and is not, and the first such value.
    not_numbers: u64,
    not_a_number: Vec<u8>,
    /// The keys of the first line.
    keys: Vec<u8>,
}

enum Test {
    /// All of the value matches.
    Matches(Regex),
    /// The value is this number or a larger one.
    AtLeast(Vec<u8>),
    /// The value is a smaller number than this one.
    Below(Vec<u8>),
}

impl LabelCondition {
    /// Parses `KEY=PATTERN`, `KEY>=NUMBER` or `KEY<NUMBER`.
    pub(crate) fn parse(given: &OsString, syntax: PatternSyntax) -> Result<LabelCondition> {
        let text = given.as_encoded_bytes();
        let usage = |what: &str| Error::Usage(format!("--label '{}': {what}", printable(text)));
        let is_sign = |byte: &u8| matches!(byte, b'=' | b'<' | b'>');
        let (key, condition) = text.split_at(text.iter().position(is_sign).unwrap_or(text.len()));
        let parsed = |text: &[u8]| match Number::parse(text) {
            Some(_) => Ok(text.to_vec()),
            None => Err(usage("expected a decimal number such as 12.304, inf or -inf")),
        };
        let test = match condition {
            [b'=', pattern @ ..] => {
                let patterns: Vec<Vec<u8>> = patterns_of(pattern).collect();
                let patterns = patterns.iter().map(Vec::as_slice);
                Test::Matches(compile_whole_patterns(patterns, syntax)?)
            }
            [b'>', b'=', least @ ..] => Test::AtLeast(parsed(least)?),
            [b'<', limit @ ..] => Test::Below(parsed(limit)?),
            _ => return Err(usage("expected KEY=PATTERN, KEY>=NUMBER or KEY<NUMBER")),
        };
        // No key has U+FFFD, which replaces what is not UTF-8.
        let key = parse_label_key(&String::from_utf8_lossy(key)).map_err(|what| usage(&what))?;
        Ok(LabelCondition { key: key.into_bytes(), test, seen: Seen::default() })
    }

    /// Whether a line has the label, and its value meets the condition.
    pub(crate) fn holds(&mut self, labels: Labels<'_>) -> bool {
        let seen = &mut self.seen;
        seen.lines += 1;
        if seen.lines == 1 {
            let keys: Vec<&[u8]> = labels.iter().map(|label| label.key).collect();
            seen.keys = keys.join(&b", "[..]);
        }
        let Some(value) = labels.get(&self.key) else { return false };
        seen.labelled += 1;
        let order = match &self.test {
            Test::Matches(pattern) => return pattern.is_match(value),
            Test::AtLeast(number) | Test::Below(number) => compare(before_unit(value), number),
        };
        match order {
            Some(order) => order.is_lt() == matches!(self.test, Test::Below(_)),
            None => {
                seen.not_numbers += 1;
                if seen.not_numbers == 1 {
                    seen.not_a_number = value.to_vec();
                }
                false
            }
        }
    }

    /// What is said of a condition that lines cannot meet.
    pub(crate) fn remark(&self) -> Option<String> {
        let (seen, key) = (&self.seen, printable(&self.key));
        if seen.lines > 0 && seen.labelled == 0 {
            let keys = match &*seen.keys {
                b"" => "none".into(),
                keys => printable(keys),
            };
            return Some(format!(
                "none of {} has the label {key}; labels of the first: {keys}",
                counted(seen.lines, "lines"),
            ));
        }
        (seen.not_numbers > 0).then(|| {
            format!(
                "the label {key} is no number on {} of {}, such as '{}'",
                seen.not_numbers,
                counted(seen.labelled, "lines"),
                printable(&seen.not_a_number),
            )
        })
    }
}

/// The number of a value, which may have a unit: `4096` of `4096 bytes`.
fn before_unit(value: &[u8]) -> &[u8] {
    value.split(|&byte| byte == b' ').next().unwrap_or_default()
}

/// Which of two numbers is larger; `None` if one of them is not a number.
fn compare(a: &[u8], b: &[u8]) -> Option<Ordering> {
    Some(Number::parse(a)?.cmp(&Number::parse(b)?))
}

/// A decimal number of any length, or infinity. Its digits are compared: a floating point
/// number of 64 bits holds too few of them for a time since 1970 in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number<'a> {
    is_negative: bool,
    is_infinite: bool,
    /// The digits before the point, without zeros at the start.
    whole: &'a [u8],
    /// The digits after the point, without zeros at the end.
    fraction: &'a [u8],
}

impl<'a> Number<'a> {
    /// Parses `12`, `-0.5`, `inf` or `-inf`.
    fn parse(text: &'a [u8]) -> Option<Number<'a>> {
        let (is_negative, size) = match text {
            [b'-', size @ ..] => (true, size),
            [b'+', size @ ..] => (false, size),
            size => (false, size),
        };
        if size == b"inf" {
            return Some(Number { is_negative, is_infinite: true, whole: b"", fraction: b"" });
        }
        let (whole, fraction) = match size.iter().position(|&byte| byte == b'.') {
            Some(point) => (&size[..point], &size[point + 1..]),
            None => (size, &b""[..]),
        };
        let are_digits = [whole, fraction].iter().all(|it| it.iter().all(u8::is_ascii_digit));
        if !are_digits || whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let is_not_zero = |byte: &u8| *byte != b'0';
        let whole = &whole[whole.iter().position(is_not_zero).unwrap_or(whole.len())..];
        let fraction = &fraction[..fraction.iter().rposition(is_not_zero).map_or(0, |at| at + 1)];
        let is_zero = whole.is_empty() && fraction.is_empty();
        let is_negative = is_negative && !is_zero;
        Some(Number { is_negative, is_infinite: false, whole, fraction })
    }

    /// What is compared of two numbers of the same sign.
    fn size(&self) -> (bool, usize, &'a [u8], &'a [u8]) {
        (self.is_infinite, self.whole.len(), self.whole, self.fraction)
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.size().cmp(&other.size()),
            (true, true) => other.size().cmp(&self.size()),
            (is_negative, other) => other.cmp(&is_negative),
        }
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order_whatever_they_look_like() {
        let ascending: [&[&str]; 14] = [
            &["-inf"],
            &["-100", "-100.0", "-0100"],
            &["-99.5"],
            &["-0.1", "-.1"],
            &["0", "-0", "0.000", "+0", "000", ".0"],
            &["0.01"],
            &["0.1", ".10"],
            &["1", "+1", "1."],
            &["9.99"],
            &["12.304122000", "12.304122"],
            &["12.304122001"],
            &["1763935200.000000000"],
            // A number of 64 bits cannot tell this one from the one before.
            &["1763935200.000000001"],
            &["inf", "+inf"],
        ];
        for (rank, numbers) in ascending.iter().enumerate() {
            for (other_rank, others) in ascending.iter().enumerate() {
                for (a, b) in numbers.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                    let found = compare(a.as_bytes(), b.as_bytes());
                    assert_eq!(found, Some(rank.cmp(&other_rank)), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_decimal_number_is_none() {
        for text in
            ["", ".", "-", "+", "--1", "1e6", "0x10", "1 ", "1,5", "infinity", "nan", "1.2.3"]
        {
            assert_eq!(Number::parse(text.as_bytes()), None, "{text:?}");
        }
    }
}

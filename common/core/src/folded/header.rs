//! Header lines: comments that say what was counted, and how far it can be trusted.
//!
//! ```text
//! # event: cycles
//! # unit: ns
//! # source: perf-data
//! # samples: 4,021 samples
//! # lost: 12 of 4,033 samples
//! # program: app
//! ```
//!
//! `samples` is how many samples of equal weight would vary as much as the weights do: if all
//! samples weigh the same, their number; else (Σw)²/Σw², where w is what each of them weighs.
//!
//! A missing line means that its value is unknown. No line ends in what awk reads as a number, so
//! that `awk '{ s += $NF }'` gives the weight of the stacks.

mod headers;
mod part;

use bstr::ByteSlice;

use crate::numbers::{counted, decimal, grouped};

pub use headers::Headers;
pub use part::Part;

/// What the header lines of several inputs say together about one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Merge {
    /// The value that all inputs with a header have. Where they differ, a message names the values,
    /// as the sum of the inputs may mean nothing.
    Named,
    /// The value that all inputs have.
    Equal,
    /// The value of the only input. That of several inputs is unknown: they may have been recorded
    /// at the same time, and may be parts of one recording.
    Single,
    /// The number of samples that vary as much as all inputs together.
    Samples,
    /// The sums of both numbers of `12 of 900 samples`.
    Parts,
}

/// A key of header lines.
#[derive(Debug)]
struct Key {
    name: &'static str,
    merge: Merge,
    /// Whether its value is about all stacks together, so that it is unknown for some of them.
    is_of_all: bool,
}

const SAMPLES: &str = "samples";

/// The keys of header lines, in the order in which they are written.
const KEYS: [Key; 15] = [
    of_recording("event", Merge::Named),
    of_recording("unit", Merge::Named),
    of_recording("source", Merge::Named),
    of_recording("clock", Merge::Named),
    of_all(SAMPLES, Merge::Samples),
    of_all("lost", Merge::Parts),
    of_all("truncated", Merge::Parts),
    of_all("broken", Merge::Parts),
    of_all("nameless", Merge::Parts),
    of_all("estimated", Merge::Parts),
    of_recording("program", Merge::Equal),
    of_recording("seconds", Merge::Single),
    of_all("threads", Merge::Single),
    of_recording("processors", Merge::Equal),
    of_recording("rate", Merge::Equal),
];

const fn of_recording(name: &'static str, merge: Merge) -> Key {
    Key { name, merge, is_of_all: false }
}

const fn of_all(name: &'static str, merge: Merge) -> Key {
    Key { name, merge, is_of_all: true }
}

fn key(line: &[u8]) -> Option<(&'static Key, &[u8])> {
    let (key, value) = line.strip_prefix(b"# ")?.split_once_str(": ")?;
    let key = KEYS.iter().find(|known| known.name.as_bytes() == key)?;
    Some((key, value.strip_suffix(&closing(key.name)[..]).unwrap_or(value)))
}

/// Returns the key and the value of a header line: `event` and `cycles` of
/// `# event: cycles`. `None` for other lines.
#[must_use]
pub fn parse_header(line: &[u8]) -> Option<(&'static str, &[u8])> {
    key(line).map(|(key, value)| (key.name, value))
}

/// Whether this is a header line that says what is counted: the event, the unit or the source.
/// Other header lines may be known only at the end of a recording.
#[must_use]
pub fn says_what_is_counted(line: &[u8]) -> bool {
    key(line).is_some_and(|(key, _)| key.merge == Merge::Named)
}

/// Whether this is a header line about all stacks together: a filter that takes some of them away
/// drops it.
#[must_use]
pub fn is_about_all_stacks(line: &[u8]) -> bool {
    key(line).is_some_and(|(key, _)| key.is_of_all)
}

/// The number of a header line `# samples: 4,021 samples`; `None` for other lines. The form of
/// older versions was `# samples: 4021`.
#[must_use]
pub fn noted_samples(line: &[u8]) -> Option<u64> {
    let (key, value) = parse_header(line)?;
    let number = value.split_once_str(" ").map_or(value, |(number, _)| number);
    let is_number = key == SAMPLES && samples_of_two(value).is_none();
    ungrouped(number).filter(|samples| is_number && *samples > 0)
}

/// The line with the number of samples, without the LF.
pub(crate) fn samples_line(samples: u64) -> Vec<u8> {
    header_line(SAMPLES, counted(samples, "samples").as_bytes())
}

/// The line with the numbers of samples of two profiles, without the LF.
pub(crate) fn line_of_two([before, after]: [u64; 2]) -> Vec<u8> {
    let value = format!("{} and {} samples", grouped(before), grouped(after));
    header_line(SAMPLES, value.as_bytes())
}

/// The numbers of `4,021 and 3,990 samples`; the form of older versions was `4021 3990`.
fn samples_of_two(value: &[u8]) -> Option<[u64; 2]> {
    let words: Vec<&[u8]> = value.fields().collect();
    let (before, after) = match words[..] {
        [before, b"and", after, b"samples"] | [before, after] => (before, after),
        _ => return None,
    };
    Some([ungrouped(before)?, ungrouped(after)?])
}

/// A number with or without commas between the thousands.
fn ungrouped(number: &[u8]) -> Option<u64> {
    decimal(&number.replace(",", ""))
}

/// Whether weights of this unit are numbers of samples.
#[must_use]
pub fn counts_samples(unit: &[u8]) -> bool {
    matches!(unit, b"samples" | b"sample")
}

/// Makes a header line, without the LF. [`parse_header`] gives the value back, but for control
/// bytes, which become spaces.
#[must_use]
pub fn header_line(key: &str, value: &[u8]) -> Vec<u8> {
    let mut line = format!("# {key}: ").into_bytes();
    line.extend(value.iter().map(|byte| if byte.is_ascii_control() { b' ' } else { *byte }));
    let closing = closing(key);
    if line.fields().last().is_some_and(may_be_number) || line.ends_with(&closing) {
        line.extend(closing);
    }
    line
}

/// What follows a value that ends in a number: ` (event)` in `# event: 7 (event)`.
fn closing(key: &str) -> Vec<u8> {
    format!(" ({key})").into_bytes()
}

/// Whether some awk reads this word as a number other than 0: besides digits, signs and points,
/// some read what begins with "nan" or "inf".
fn may_be_number(word: &[u8]) -> bool {
    let begin = word.get(..3).unwrap_or_default().to_ascii_lowercase();
    matches!(word, [b'0'..=b'9' | b'+' | b'-' | b'.', ..]) || matches!(&begin[..], b"nan" | b"inf")
}

/// A header line as it is written today. In older versions values may end in a number, and the unit
/// `ns` is `nanoseconds`.
fn of_today(line: &[u8]) -> Vec<u8> {
    let Some((key, value)) = parse_header(line) else { return line.to_vec() };
    match (key, value.strip_suffix(b"nanoseconds"), samples_of_two(value)) {
        (SAMPLES, _, Some(samples)) => line_of_two(samples),
        ("unit", Some(b""), _) => header_line(key, b"ns"),
        ("event", Some(event), _) if event.ends_with(b" ") => {
            header_line(key, &[event, b"ns"].concat())
        }
        _ => header_line(key, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_line_has_one_of_our_keys() {
        assert_eq!(parse_header(b"# event: cycles: u"), Some(("event", &b"cycles: u"[..])));
        for line in ["# end 2.5", "# eventful: x", "#event: x", "event: x 1", "# event:x"] {
            assert_eq!(parse_header(line.as_bytes()), None, "{line}");
        }
        assert_eq!(header_line("event", b"a\tb\n"), b"# event: a b ");
    }

    #[test]
    fn no_line_ends_in_a_number_and_its_value_is_read_again() {
        for (value, line) in [
            ("cycles", "# event: cycles"),
            ("r1a8", "# event: r1a8"),
            ("information", "# event: information (event)"),
            ("instructions", "# event: instructions"),
            ("7", "# event: 7 (event)"),
            ("7 ", "# event: 7  (event)"),
            ("page faults 2", "# event: page faults 2 (event)"),
            ("0x10", "# event: 0x10 (event)"),
            ("-x", "# event: -x (event)"),
            ("+1", "# event: +1 (event)"),
            (".5", "# event: .5 (event)"),
            ("NaN", "# event: NaN (event)"),
            ("nanosleep", "# event: nanosleep (event)"),
            ("Infinity", "# event: Infinity (event)"),
            ("x 7 (event)", "# event: x 7 (event) (event)"),
            ("", "# event: "),
        ] {
            let written = header_line("event", value.as_bytes());
            assert_eq!(written.as_bstr(), line, "{value:?}");
            assert_eq!(parse_header(&written), Some(("event", value.as_bytes())), "{line}");
        }
        for line in [samples_line(1), samples_line(4021), line_of_two([4021, 0])] {
            assert!(!may_be_number(line.fields().last().expect("words")), "{line:?}");
        }
    }

    #[test]
    fn numbers_of_samples_are_read_in_the_new_and_in_the_old_form() {
        assert_eq!(samples_line(4021), b"# samples: 4,021 samples");
        assert_eq!(samples_line(1), b"# samples: 1 sample");
        assert_eq!(line_of_two([4021, 3990]), b"# samples: 4,021 and 3,990 samples");
        for (line, one, two) in [
            ("# samples: 4,021 samples", Some(4021), None),
            ("# samples: 1 sample", Some(1), None),
            ("# samples: 4021", Some(4021), None),
            ("# samples: 4,021 and 3,990 samples", None, Some([4021, 3990])),
            ("# samples: 4021 3990", None, Some([4021, 3990])),
            ("# samples: 0 samples", None, None),
            ("# samples: many", None, None),
            ("# lost: 7 samples", None, None),
        ] {
            assert_eq!(noted_samples(line.as_bytes()), one, "{line}");
            let (_, value) = parse_header(line.as_bytes()).expect("a header line");
            assert_eq!(samples_of_two(value), two, "{line}");
        }
    }

    #[test]
    fn what_is_about_all_stacks_is_told_from_what_is_about_the_recording() {
        let is_about_all = |key: &str| is_about_all_stacks(&header_line(key, b"x"));
        for key in ["samples", "lost", "truncated", "broken", "nameless", "estimated", "threads"] {
            assert!(is_about_all(key), "{key}");
        }
        for key in ["event", "unit", "source", "program", "seconds", "processors", "rate"] {
            assert!(!is_about_all(key), "{key}");
        }
        assert!(!is_about_all_stacks(b"# a comment"));
        assert!(says_what_is_counted(b"# unit: ns") && !says_what_is_counted(b"# rate: 99 Hz"));
    }
}

//! Labels of samples.

use bstr::ByteSlice;

use super::messages::{Label, Message as Part};
use super::strings::Strings;
use crate::labelled::LabelSet;

/// Keys whose values are seldom repeated.
const TIMES: [&[u8]; 2] = [b"since", b"time"];

/// The labels of a sample, without its event, which is a type of sample. Their strings go into the
/// table of `part`.
pub(super) fn labels(set: &LabelSet<'_>, strings: &mut Strings, part: &mut Part) -> Vec<Label> {
    let label = |it: common::folded::Label<'_>| {
        let key = strings.intern(it.key, part);
        match number(it.value) {
            Some((number, unit)) if !TIMES.contains(&it.key) => {
                let unit = if unit.is_empty() { 0 } else { strings.intern(unit, part) };
                Label { key, text: 0, number, unit }
            }
            _ if TIMES.contains(&it.key) => {
                let text = strings.add(common::names::utf8(it.value).into_owned(), part);
                Label { key, text, number: 0, unit: 0 }
            }
            // The index of an empty string must not be 0 either: 0 means that there is no string.
            _ => Label { key, text: strings.intern(it.value, part), number: 0, unit: 0 },
        }
    };
    set.iter().filter(|it| it.key != b"event").map(label).collect()
}

/// A number and its unit, which may be empty: `12 bytes`, `4711`. `None` for a number that would be
/// written in another way, and for 0 without a unit, which readers take for a missing value.
fn number(value: &[u8]) -> Option<(i64, &[u8])> {
    let (digits, unit) = value.split_once_str(" ").unwrap_or((value, b""));
    let number: i64 = digits.to_str().ok()?.parse().ok()?;
    let is_plain = number.to_string().as_bytes() == digits;
    let is_unit = !unit.is_empty() && !unit.contains(&b' ');
    (is_plain && if digits.len() == value.len() { number != 0 } else { is_unit })
        .then_some((number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_are_written_as_they_were() {
        for (value, expected) in [
            ("4711", Some((4711, ""))),
            ("-3", Some((-3, ""))),
            ("12 bytes", Some((12, "bytes"))),
            ("0 bytes", Some((0, "bytes"))),
            ("9223372036854775807", Some((i64::MAX, ""))),
            ("9223372036854775808", None),
            ("0", None),
            ("007", None),
            ("+7", None),
            ("-0", None),
            ("1.5", None),
            ("12 ", None),
            ("12  bytes", None),
            ("12 angry men", None),
            ("", None),
            ("x", None),
        ] {
            let expected = expected.map(|(number, unit)| (number, unit.as_bytes()));
            assert_eq!(number(value.as_bytes()), expected, "{value}");
        }
    }
}

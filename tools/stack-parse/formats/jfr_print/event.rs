//! A printed event: the parts that are used.

use bstr::ByteSlice;
use common::{Result, numbers::decimal};

use super::FORMAT;
use crate::frame::Frame;
use crate::read::dates::{instant, time_of};
use crate::read::java::place_of_class;
use crate::read::java_events::{JavaLosses, TRUNCATED, kind_of, weight};
use crate::read::leaf_first::LeafFirst;
use crate::read::numbers::scaled;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time, known};

/// The fields that may be the weight of an event, or say how much was lost.
const NUMBERS: [&str; 9] = [
    "duration",
    "weight",
    "tlabSize",
    "allocationSize",
    "size",
    "samples",
    "samplingPeriod",
    "lostSamples",
    "amount",
];

/// The index of the duration in [`NUMBERS`].
const DURATION: usize = 0;

/// The fields that are labels: the state of the thread, and classes.
pub(super) const LABELS: [&str; 5] =
    ["state", "objectClass", "monitorClass", "parkedClass", "thrownClass"];

/// The weight of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Weight {
    Known(u64),
    /// The event has no value for it.
    #[default]
    Unknown,
    /// It is not a number, below zero or over 64 bits.
    Bad,
}

/// An event that is being read.
#[derive(Debug, Default)]
pub(super) struct PrintedEvent {
    pub(super) name: Vec<u8>,
    /// Nanoseconds since 1970.
    pub(super) time: Option<u64>,
    pub(super) thread: Vec<u8>,
    pub(super) tid: Vec<u8>,
    pub(super) stack: LeafFirst,
    /// Whether callers are missing.
    pub(super) is_cut: bool,
    /// The values of [`NUMBERS`] that the event has.
    numbers: [Option<Weight>; NUMBERS.len()],
    labels: OwnLabels,
    /// A buffer for the name of a frame.
    function: Vec<u8>,
}

impl PrintedEvent {
    /// Forgets the event.
    pub(super) fn clear(&mut self) {
        *self = PrintedEvent::default();
    }

    pub(super) fn has_duration(&self) -> bool {
        self.numbers[DURATION].is_some()
    }

    /// Keeps a field that may be the weight; false if it is another field.
    pub(super) fn set_number(&mut self, field: &[u8], value: &[u8]) -> bool {
        let place = NUMBERS.iter().position(|known| known.as_bytes() == field);
        let Some(place) = place else { return false };
        self.numbers[place] = Some(match value {
            b"" | b"N/A" | b"null" => Weight::Unknown,
            _ => amount(value).or_else(|| iso_duration(value)).map_or(Weight::Bad, Weight::Known),
        });
        true
    }

    /// Keeps a field as a label, if it is one.
    pub(super) fn set_label(&mut self, field: &[u8], value: &[u8], samples: &Samples<'_>) {
        let known = LABELS.iter().find(|known| known.as_bytes() == field);
        if let Some(key) = known.filter(|_| samples.wants.labels()) {
            self.labels.add_known(FORMAT.name, key, value);
        }
    }

    /// Adds the caller of the last frame; `line` is 0 if it is not known.
    pub(super) fn push(
        &mut self,
        (class, method): (&[u8], &[u8]),
        line: u64,
        frame_type: &[u8],
        samples: &mut Samples<'_>,
    ) {
        self.function.clear();
        self.function.extend_from_slice(class);
        if !class.is_empty() {
            self.function.push(b'.');
        }
        self.function.extend_from_slice(method);
        let frame = Frame {
            name: &self.function,
            source: &place_of_class(class, line),
            inlined: frame_type == b"Inlined",
            kind: kind_of(frame_type),
            ..Frame::default()
        };
        self.stack.push(&frame, samples);
    }

    /// How much was lost, if this event says so, and the field that has it.
    pub(super) fn loss(&self) -> Option<(&'static str, u64)> {
        let field = JavaLosses::field(&self.name)?;
        let place = NUMBERS.iter().position(|known| *known == field)?;
        let Some(Weight::Known(amount)) = self.numbers[place] else { return None };
        Some((field, amount))
    }

    /// The weight of an event with this name. If its name has durations, a missing one is 0.
    pub(super) fn weight(&self, name: &[u8], has_duration: bool) -> Weight {
        let number = |field: &str| {
            let place = NUMBERS.iter().position(|known| *known == field);
            place.and_then(|place| self.numbers[place])
        };
        match weight(name) {
            Some(("", _)) => Weight::Known(1),
            Some((field, _)) => number(field).unwrap_or_default(),
            None => self.numbers[DURATION].unwrap_or(Weight::Known(u64::from(!has_duration))),
        }
    }

    /// Adds the event, with its stack, under this name.
    pub(super) fn add(
        &mut self,
        name: &[u8],
        weight: u64,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        if self.is_cut {
            self.stack.push(&Frame { name: TRUNCATED, ..Frame::default() }, samples);
        }
        let labels = self.labels.list();
        let sample = Sample {
            comm: &self.thread,
            tid: known(&self.tid),
            time: self.time.map(Time::Nanoseconds),
            event: name,
            weights: &[weight],
            ..Sample::default()
        };
        self.stack.add(&with_labels(sample, &labels), samples)
    }
}

/// When an event began, in nanoseconds since 1970. JSON has `2026-11-25T09:10:38.193075272Z`; text
/// has the local time of the machine that printed it, `09:10:38.271 (2026-11-25)`, and before Java
/// 21 no day.
pub(super) fn time(text: &[u8]) -> Option<u64> {
    let printed = || {
        let (clock, day) = text.split_once_str(" (").unwrap_or((text, b"1970-01-01)"));
        time_of(day.strip_suffix(b")")?, clock)
    };
    instant(text).or_else(printed)
}

/// A number with its units, in nanoseconds or bytes: `30.1 ms`, `1 m 14 s`, `256.0 kB`, `12`.
fn amount(text: &[u8]) -> Option<u64> {
    if let Some(number) = decimal(text) {
        return Some(number);
    }
    let mut words = text.fields();
    let mut sum = 0u64;
    while let Some(number) = words.next() {
        sum = sum.checked_add(scaled(number, unit(words.next()?)?)?)?;
    }
    (!text.is_empty()).then_some(sum)
}

/// How many nanoseconds or bytes a unit is.
fn unit(name: &[u8]) -> Option<u64> {
    Some(match name {
        b"ns" | b"byte" | b"bytes" | b"B" => 1,
        b"us" => 1000,
        b"ms" => 1_000_000,
        b"s" => 1_000_000_000,
        b"m" => 60_000_000_000,
        b"h" => 3_600_000_000_000,
        b"d" => 86_400_000_000_000,
        b"kB" => 1 << 10,
        b"MB" => 1 << 20,
        b"GB" => 1 << 30,
        b"TB" => 1 << 40,
        b"PB" => 1 << 50,
        b"EB" => 1 << 60,
        _ => return None,
    })
}

/// A duration of JSON in nanoseconds, `PT1H2M0.030123456S`; `None` if it is below zero.
fn iso_duration(text: &[u8]) -> Option<u64> {
    let mut rest = text.strip_prefix(b"PT").filter(|rest| !rest.is_empty())?;
    let mut sum = 0u64;
    while !rest.is_empty() {
        let end = rest.find_byteset(b"HMS")?;
        let unit = match rest[end] {
            b'H' => 3_600_000_000_000,
            b'M' => 60_000_000_000,
            _ => 1_000_000_000,
        };
        sum = sum.checked_add(scaled(&rest[..end], unit)?)?;
        rest = &rest[end + 1..];
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units() {
        for (text, expected) in [
            ("30.1 ms", Some(30_100_000)),
            ("0.000021 ms", Some(21)),
            ("1 m 14 s", Some(74_000_000_000)),
            ("2,5 s", Some(2_500_000_000)),
            ("256.0 kB", Some(262_144)),
            ("1 byte", Some(1)),
            ("524288", Some(524_288)),
            ("30.1", None),
            ("30.1 parsecs", None),
            ("-1 ms", None),
            ("99999999999 d", None),
            ("Forever", None),
            ("", None),
        ] {
            assert_eq!(amount(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn durations_of_json() {
        for (text, expected) in [
            ("PT0.030123456S", Some(30_123_456)),
            ("PT1H2M3S", Some(3_723_000_000_000)),
            ("PT0S", Some(0)),
            ("PT-0.5S", None),
            ("PT", None),
            ("PT5", None),
            ("5 s", None),
        ] {
            assert_eq!(iso_duration(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn times_of_text_and_json() {
        let ns = 1_000_000_000;
        assert_eq!(time(b"00:00:01.250"), Some(1_250_000_000));
        assert_eq!(time(b"00:00:01.250 (1970-01-02)"), Some(86_401 * ns + 250_000_000));
        assert_eq!(time(b"1970-01-01T00:00:07Z"), Some(7 * ns));
        assert_eq!(time(b"N/A"), None);
    }
}

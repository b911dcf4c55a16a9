//! Profiles as text: counts and addresses, and after `#` the names that Go knows for them.

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal, is_digits};
use common::{Result, io::Input};

use super::TEXT;
use crate::format::Head;
use crate::frame::Frame;
use crate::options::Options;
use crate::read::addresses::{Addresses, Unnamed};
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::read::sampled_heap::{self, HEAP, IN_USE};
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Loss, Samples};

/// The bytes per sample of Google's Java.
const JAVA_HEAP_RATE: f64 = 524_288.0;

/// The measures of profiles of locks.
const LOCKS: [Measure<'static>; 2] =
    [Measure { name: b"contentions", unit: b"count" }, Measure { name: b"delay", unit: b"ns" }];

/// Whether one of the first lines is the title of a profile.
pub(super) fn detect(head: &Head<'_>) -> bool {
    Kind::of(head.first_line()).is_some()
        || head.bytes.contains_str("\n--- heap\n")
            && head.lines().any(|line| line.starts_with(b"--- symbol"))
}

/// What the numbers before the addresses mean.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// `  2005:   255496 [ 13817:  1763912] @ 0x55b7`: objects and bytes in use, and all that were
    /// allocated. `rate` is the bytes per sample, 0 if all were recorded.
    Heap { rate: f64 },
    /// `7048     1 @ 0x03`: bytes and objects.
    JavaHeap,
    /// `1199877864 1854 @ 0x62e37a`: cycles, and how often it happened.
    Locks { cycles_per_second: f64, period: f64 },
    /// `1 @ 0x43e155`: a count.
    Count(Vec<u8>),
}

impl Kind {
    /// The kind of a profile with this title.
    fn of(title: &[u8]) -> Option<Kind> {
        // heap profile:   4048:   435576 [ 27861:  3000000] @ heap_v2/524288
        if let Some(totals) = title.strip_prefix(b"heap profile:") {
            let (_, kind) = totals.split_once_str("@")?;
            return Some(Kind::Heap { rate: heap_rate(kind.trim_ascii())? });
        }
        // --- contentionz 1 ---, --- mutex:
        if let Some(name) = title.strip_prefix(b"--- ") {
            let is = |word: &str| name.starts_with(word.as_bytes());
            let locks = Kind::Locks { cycles_per_second: 1e9, period: 1.0 };
            return match () {
                () if is("contention") || is("mutex") => Some(locks),
                () if is("heapz ") => Some(Kind::JavaHeap),
                () => None,
            };
        }
        // goroutine profile: total 6
        let (name, total) = title.split_once_str(" profile: total ")?;
        let is_number = is_digits(total);
        is_number.then(|| Kind::Count(name.to_vec()))
    }

    fn set_measures(&self, samples: &mut Samples<'_>) {
        match self {
            Kind::Heap { .. } => samples.events.set_measures_with(&HEAP, IN_USE),
            Kind::JavaHeap => samples.events.set_measures_with(&HEAP[2..], 1),
            Kind::Locks { .. } => samples.events.set_measures_with(&LOCKS, 1),
            Kind::Count(name) => samples.events.set_measures(&[Measure { name, unit: b"count" }]),
        };
    }

    /// Reads a setting, `sampling period=100` or `cycles/second = 3201000000`; false if it is not
    /// one.
    fn set(&mut self, line: &[u8], samples: &mut Samples<'_>) -> bool {
        let Some((key, value)) = line.split_once_str("=") else { return false };
        let (key, value) = (key.trim_ascii(), value.trim_ascii());
        let number = value.to_str().ok().and_then(|text| text.parse::<f64>().ok());
        let number = number.filter(|number| *number > 0.0 && number.is_finite());
        if let Kind::Locks { cycles_per_second, period } = self {
            let (setting, number) = match key {
                b"cycles/second" => (cycles_per_second, number),
                b"sampling period" => (period, number),
                // Google's Java has times in place of cycles.
                b"resolution" => (cycles_per_second, in_a_second(value)),
                b"ms since reset" => {
                    samples.facts.length = number.and_then(|number| whole(number * 1e6));
                    return true;
                }
                b"discarded samples" => {
                    let count = decimal(value).unwrap_or_default();
                    let (of, recorded, remedy) = ("samples", None, "");
                    samples.note_loss(Loss { count, of, recorded, remedy, is_exact: true });
                    return true;
                }
                _ => return true,
            };
            let Some(number) = number else { return false };
            *setting = number;
        }
        true
    }

    /// The weights in the numbers before the `@`, one for each measure.
    fn weights(&self, text: &[u8]) -> Option<Vec<u64>> {
        let digits = text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let numbers: Option<Vec<u64>> = digits.map(decimal).collect();
        match (self, &numbers?[..]) {
            (Kind::Heap { rate }, &[count, bytes, all_count, all_bytes]) => {
                let (used, all) =
                    (scaled(count, bytes, *rate)?, scaled(all_count, all_bytes, *rate)?);
                Some(vec![all.0, all.1, used.0, used.1])
            }
            (Kind::JavaHeap, &[bytes, count]) => {
                let (count, bytes) = scaled(count, bytes, JAVA_HEAP_RATE)?;
                Some(vec![count, bytes])
            }
            (Kind::Locks { cycles_per_second, period }, &[cycles, count]) => {
                let nanoseconds = cycles as f64 * period / (cycles_per_second / 1e9);
                Some(vec![whole(count as f64 * period)?, whole(nanoseconds)?])
            }
            (Kind::Count(_), &[count]) => Some(vec![count]),
            _ => None,
        }
    }
}

/// The bytes per sample: the number in `heap_v2/524288`, half of it in Go's `heap/1048576`, and 0
/// for `heapprofile`, which has all allocations. `None` if it is not a number.
fn heap_rate(kind: &[u8]) -> Option<f64> {
    let (name, rate) = kind.split_once_str("/").unwrap_or((kind, b"0"));
    let rate = || rate.to_str().ok()?.parse::<f64>().ok().filter(|rate| rate.is_finite());
    match name {
        b"heap_v2" | b"heapz_v2" => rate(),
        b"heap" => rate().map(|rate| (rate / 2.0).floor()),
        _ => Some(0.0),
    }
}

/// How many of these units a second has.
fn in_a_second(unit: &[u8]) -> Option<f64> {
    match unit {
        b"nanoseconds" => Some(1e9),
        b"microseconds" => Some(1e6),
        b"milliseconds" => Some(1e3),
        b"seconds" => Some(1.0),
        _ => None,
    }
}

/// Estimates all objects and bytes from the sampled ones; `None` if an estimate is over 64 bits.
fn scaled(count: u64, bytes: u64, rate: f64) -> Option<(u64, u64)> {
    match sampled_heap::scale(count, bytes, rate) {
        Some(scale) => Some((whole(count as f64 * scale)?, whole(bytes as f64 * scale)?)),
        None => Some((count, bytes)),
    }
}

/// A number from 0 on without its fraction, which pprof cuts off, too; `None` if it does not fit
/// into 64 bits.
fn whole(number: f64) -> Option<u64> {
    /// 2 to the power of 64.
    const TOO_MUCH: f64 = 18_446_744_073_709_551_616.0;
    (number < TOO_MUCH).then_some(number as u64)
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
pub(super) fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = GperftoolsReader {
        kind: None,
        record: None,
        unnamed: Vec::new(),
        addresses: Addresses::default(),
    };
    let read = for_each_line(input, |number, line| reader.line(number, line, samples));
    let ended = reader.end_record(samples);
    reader.addresses.add_samples(reader.unnamed, true, options, samples)?;
    read.and(ended)
}

/// A profile that is being read.
struct GperftoolsReader {
    kind: Option<Kind>,
    record: Option<Record>,
    unnamed: Vec<Unnamed>,
    addresses: Addresses,
}

/// Samples of one stack.
#[derive(Default)]
struct Record {
    weights: Vec<u64>,
    addresses: Vec<u64>,
    /// Whether the lines after it have names.
    has_names: bool,
    stack: LeafFirst,
    labels: OwnLabels,
}

impl GperftoolsReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(known) = line.strip_prefix(b"#") {
            if let Some(record) = &mut self.record {
                record.known(known, samples);
            }
            return Ok(());
        }
        self.end_record(samples)?;
        if let Some(kind) = Kind::of(line) {
            kind.set_measures(samples);
            self.kind = Some(kind);
        } else if let Some((numbers, addresses)) =
            self.kind.as_ref().and_then(|_| split_record(line))
        {
            self.record = self.record(numbers, addresses);
            if self.record.is_none() {
                samples.malformed(number, "expected counts, '@' and addresses");
            }
        } else if !is_title(line)
            && !self.kind.as_mut().is_some_and(|kind| kind.set(line, samples))
            && !self.addresses.line(line, samples)
        {
            samples.skipped.add(number, "expected counts, '@' and addresses");
        }
        Ok(())
    }

    fn record(&self, numbers: &[u8], addresses: &[u8]) -> Option<Record> {
        let weights = self.kind.as_ref()?.weights(numbers)?;
        let addresses = addresses.fields().map(hexadecimal).collect::<Option<_>>()?;
        Some(Record { weights, addresses, ..Record::default() })
    }

    /// Adds a complete record, or keeps it until its addresses are named.
    fn end_record(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let Some(mut record) = self.record.take() else { return Ok(()) };
        let Record { weights, addresses, .. } = record;
        if !record.has_names {
            self.unnamed.push(Unnamed { addresses, weights });
            return Ok(());
        }
        let labels = record.labels.list();
        let sample = Sample { weights: &weights, ..Sample::default() };
        record.stack.add(&with_labels(sample, &labels), samples)
    }
}

impl Record {
    /// `\t0x4dfc5e\truntime/pprof.StartCPUProfile+0xfe\t/usr/lib/go/pprof.go:782`,
    /// ` labels: {"kind":"cpu", "worker":"2"}`.
    fn known(&mut self, text: &[u8], samples: &mut Samples<'_>) {
        if let Some(labels) = text.trim_ascii_start().strip_prefix(b"labels: {") {
            self.labels.clear();
            add_labels(labels, &mut self.labels);
            return;
        }
        let mut parts = text.split(|byte| *byte == b'\t').filter(|part| !part.is_empty());
        let Some(address) = parts.next().filter(|_| text.starts_with(b"\t")).and_then(hexadecimal)
        else {
            return;
        };
        self.has_names = true;
        let name = parts.next().unwrap_or_default();
        let name = name.rsplit_once_str("+0x").map_or(name, |(name, _)| name);
        let source = parts.next().unwrap_or_default();
        // Threads that C started have no stack: 0x0.
        if address != 0 || !name.is_empty() {
            let address = Some(address);
            self.stack.push(&Frame { name, source, address, ..Frame::default() }, samples);
        }
    }
}

/// The parts of `1: 12288 [1: 12288] @ 0x62e2c7 0x62eba6` around the `@`.
fn split_record(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_number = |byte: &u8| byte.is_ascii_digit() || b" :[]".contains(byte);
    line.split_once_str("@")
        .filter(|(numbers, _)| !numbers.is_empty() && numbers.iter().all(is_number))
}

/// `MAPPED_LIBRARIES:`, `--- Memory map: ---`, `--- heap`, `binary=/usr/bin/x`.
fn is_title(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty()
        || line.starts_with(b"---")
        || line.ends_with(b":")
        || line.starts_with(b"binary=")
}

/// Adds the labels of `"kind":"cpu", "worker":"2"}`.
fn add_labels(labels: &[u8], out: &mut OwnLabels) {
    let mut rest = labels;
    while let Some((key, after)) = quoted(rest)
        && let Some((value, after)) = quoted(after)
    {
        out.add(TEXT.name, &key, &value);
        rest = after;
    }
}

/// The next string in quotation marks, and the text after it. In the string, `\` escapes a mark or
/// comes before `x` and two digits.
fn quoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let (_, mut rest) = text.split_once_str("\"")?;
    let mut string = Vec::new();
    loop {
        match rest {
            [] => return None,
            [b'"', after @ ..] => return Some((string, after)),
            [b'\\', b'x', high, low, after @ ..] => {
                string.push(hexadecimal(&[*high, *low])? as u8);
                rest = after;
            }
            [b'\\', byte, after @ ..] => {
                string.push(*byte);
                rest = after;
            }
            [byte, after @ ..] => {
                string.push(*byte);
                rest = after;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_tell_what_is_counted() {
        for (title, kind) in [
            ("heap profile: 4: 43 [ 27: 30] @ heapprofile", Some(Kind::Heap { rate: 0.0 })),
            ("heap profile: 4: 43 [27: 30] @ heap/8192", Some(Kind::Heap { rate: 4096.0 })),
            ("heap profile: 4: 43 [27: 30] @ heap_v2/524288", Some(Kind::Heap { rate: 524_288.0 })),
            ("goroutine profile: total 6", Some(Kind::Count(b"goroutine".to_vec()))),
            ("my.own profile: total 0", Some(Kind::Count(b"my.own".to_vec()))),
            ("--- heapz 1 ---", Some(Kind::JavaHeap)),
            ("--- threadz 1 ---", None),
            ("goroutine profile: total many", None),
            ("main;f 12", None),
        ] {
            assert_eq!(Kind::of(title.as_bytes()), kind, "{title}");
        }
        assert!(matches!(Kind::of(b"--- mutex:"), Some(Kind::Locks { .. })));
    }

    #[test]
    fn labels_are_quoted() {
        let text = br#""kind":"cpu;x", "a\"b":"\x41\\", "worker":"2"}"#;
        let mut labels = OwnLabels::default();
        add_labels(text, &mut labels);
        let labels: Vec<_> = labels.list().iter().map(|it| [it.key, it.value]).collect();
        assert_eq!(labels, [[&b"kind"[..], b"cpu;x"], [b"a_b", b"A\\"], [b"worker", b"2"]]);
    }

    #[test]
    fn samples_of_memory_stand_for_more() {
        assert_eq!(scaled(1, 1_048_576, 4096.0), Some((1, 1_048_576)));
        assert_eq!(scaled(8, 64, 4096.0), Some((4100, 32_800)));
        assert_eq!(scaled(8, 64, 0.0), Some((8, 64)));
        assert_eq!(scaled(u64::MAX, 1, 4096.0), None);
    }
}

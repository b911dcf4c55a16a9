//! The text of async-profiler (`-o text`, `-o traces`): each stack with its weight.
//! Its output `collapsed` is folded stacks.
//!
//! Grammar from async-profiler's src/profiler.cpp (`dumpText`).

use bstr::ByteSlice;
use common::numbers::decimal;
use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Loss, Samples};

pub(super) const FORMAT: Format = Format::new(
    "async-profiler",
    "The stacks in the text of async-profiler, its output 'traces'",
    detect,
    parse,
);

/// The first line.
const TITLE: &[u8] = b"--- Execution profile ---";

fn detect(head: &Head<'_>) -> bool {
    let first = head.first_line();
    first == TITLE || Weight::of(first).is_some()
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut text = Text::default();
    for_each_line(input, |_, line| text.line(line, samples))?;
    text.end_stack(samples)?;
    if let Some(total) = text.total {
        report(total, &text, samples);
    }
    Ok(())
}

/// Says what the recording had and the text has not. Some samples that are counted as skipped have
/// a stack all the same.
fn report(total: u64, text: &Text, samples: &mut Samples<'_>) {
    let shown = text.samples;
    let missing = total.saturating_sub(shown);
    let count = text.skipped.min(missing);
    let (of, recorded, remedy) = ("samples", Some(total - count), "use a longer interval");
    samples.note_loss(Loss { count, of, recorded, remedy, is_exact: true });
    if missing > count {
        samples.note(format_args!(
            "only {shown} of {total} samples are in this text: 'traces=N' prints more stacks"
        ));
    }
}

#[derive(Default)]
struct Text {
    /// The number of samples of the recording, from the line `Total samples`.
    total: Option<u64>,
    /// How many of them were not taken in time, from the line `skipped`.
    skipped: u64,
    samples: u64,
    weight: Option<Weight>,
    stack: LeafFirst,
    has_measures: bool,
}

/// `--- 8208 bytes (19.58%), 1 sample`
#[derive(Clone, Debug, PartialEq, Eq)]
struct Weight {
    value: u64,
    unit: Vec<u8>,
    samples: u64,
}

impl Weight {
    fn of(line: &[u8]) -> Option<Weight> {
        let rest = line.strip_prefix(b"--- ")?;
        let rest = rest.strip_suffix(b" samples").or_else(|| rest.strip_suffix(b" sample"))?;
        let (rest, samples) = rest.rsplit_once_str("%), ")?;
        let (weight, _share) = rest.rsplit_once_str(" (")?;
        let (value, unit) = weight.split_once_str(" ")?;
        let number = |text: &[u8]| text.to_str().ok()?.parse().ok();
        Some(Weight { value: number(value)?, unit: unit.to_vec(), samples: number(samples)? })
    }
}

impl Text {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(weight) = Weight::of(line) {
            self.end_stack(samples)?;
            self.weight = Some(weight);
        } else if line.is_empty() {
            self.end_stack(samples)?;
        } else if let (Some(frame), Some(_)) = (frame(line), &self.weight) {
            self.stack.push(&Frame { name: frame, ..Frame::default() }, samples);
        } else if let Some(total) = line.strip_prefix(b"Total samples") {
            self.total = number_of(total);
        } else if let Some(skipped) = line.strip_prefix(b"skipped ") {
            self.skipped = number_of(skipped).unwrap_or_default();
        }
        Ok(())
    }

    fn end_stack(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let Some(weight) = self.weight.take() else { return Ok(()) };
        if !std::mem::replace(&mut self.has_measures, true) {
            let count = Measure { name: b"samples", unit: b"samples" };
            let value = Measure { name: &weight.unit, unit: &weight.unit };
            samples.events.set_measures_with(&[count, value], 1);
        }
        self.samples += weight.samples;
        let weights = [weight.samples, weight.value];
        self.stack.add(&Sample { weights: &weights, ..Sample::default() }, samples)
    }
}

/// The number in `       : 120`, `            : 20 (16.67%)`.
fn number_of(text: &[u8]) -> Option<u64> {
    let number = text.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    decimal(number.split_once_str(" (").map_or(number, |(number, _)| number))
}

/// The name in `  [ 0] java.lang.Object.wait`.
fn frame(line: &[u8]) -> Option<&[u8]> {
    let (number, name) = line.trim_ascii_start().strip_prefix(b"[")?.split_once_str("] ")?;
    number.trim_ascii().iter().all(u8::is_ascii_digit).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_stacks() {
        let weight = |value, unit: &str, samples| {
            Some(Weight { value, unit: unit.as_bytes().to_vec(), samples })
        };
        for (line, expected) in [
            ("--- 8208 bytes (19.58%), 1 sample", weight(8208, "bytes", 1)),
            ("--- 3520000000 ns (100.00%), 352 samples", weight(3_520_000_000, "ns", 352)),
            ("--- Execution profile ---", None),
            ("--- x ns (1.00%), 2 samples", None),
        ] {
            assert_eq!(Weight::of(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(frame(b"  [ 0] Demo.fib"), Some(&b"Demo.fib"[..]));
        assert_eq!(frame(b"  [120] a[] b"), Some(&b"a[] b"[..]));
        assert_eq!(frame(b"  [x] a"), None);
    }
}

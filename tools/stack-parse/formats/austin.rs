//! What austin, a sampling profiler of Python, prints: one line per sample.
//!
//! ```text
//! # austin: 3.3.0
//! # interval: 100
//! # mode: wall
//!
//! P6360;T6360;<frozen importlib._bootstrap>:exec_module:838;demo.py:main:7 105
//! P6360;T0:6360;demo.py:main:7 105,1,-2048
//!
//! # saturation: 3/1000
//! # errors: 12/1000
//! ```
//!
//! The number is the time since the thread's last sample in microseconds, in mode
//! `memory` the bytes that were allocated since, and in mode `full` the time,
//! whether the thread was idle, and the bytes. The last lines say how often a look at all threads
//! took longer than the interval, and how often it failed.

use bstr::ByteSlice;
use common::numbers::{decimal, is_digits};
use common::{Result, folded::Label, io::Input, stacks::FrameId};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Loss, Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("austin", "The text of austin, a profiler of Python", detect, parse)
        .weighs(Weighs::Value);

/// Whether the input begins with austin's comment or, where that was cut off, with a sample of a
/// process and a thread.
fn detect(head: &Head<'_>) -> bool {
    let first = head.first_line();
    first.starts_with(b"# austin: ") || head.is_last && is_sample(first)
}

fn is_sample(line: &[u8]) -> bool {
    let mut frames = line.split(|byte| *byte == b';');
    let is_id = |frame: Option<&[u8]>, letter: u8| match frame {
        Some([first, id @ ..]) => {
            *first == letter
                && !id.is_empty()
                && id.iter().all(|byte| b"0123456789:".contains(byte))
        }
        _ => false,
    };
    is_id(frames.next(), b'P') && is_id(frames.next(), b'T') && value(line).is_some()
}

const TIME: Measure = Measure { name: b"time", unit: b"ns" };
const CPU_TIME: Measure = Measure { name: b"cpu-time", unit: b"ns" };
const BYTES: Measure = Measure { name: b"bytes", unit: b"bytes" };

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = AustinReader::default();
    samples.events.set_measures(&[TIME]);
    for_each_line(input, |number, line| reader.line(number, line, samples))?;
    reader.report_looks(samples);
    samples.note_count(reader.freed, "samples freed memory: they weigh no bytes");
    Ok(())
}

#[derive(Default)]
struct AustinReader {
    mode: Mode,
    frames: Vec<FrameId>,
    /// The file and the line of a frame, `demo.py:7`.
    source: Vec<u8>,
    /// The number of samples with less than 0 bytes: they freed memory.
    freed: u64,
    /// How many looks at all threads took longer than the interval, and how many there were.
    late: [u64; 2],
    /// How many failed, and how many there were.
    failed: Option<[u64; 2]>,
}

#[derive(Clone, Copy, Default)]
enum Mode {
    #[default]
    Time,
    Memory,
    Full,
}

impl AustinReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if line.starts_with(b"# ") {
            self.metadata(line, samples);
        }
        if line.is_empty() || line.starts_with(b"# ") {
            return Ok(());
        }
        let Some(weights) = value(line).and_then(|value| self.weights(value)) else {
            samples.malformed(number, "expected frames and a number, as austin prints them");
            return Ok(());
        };
        let (stack, _) = line.rsplit_once_str(b" ").unwrap_or((line, b""));
        let mut parts = stack.split(|byte| *byte == b';');
        let [pid, tid] = [parts.next(), parts.next()].map(|id| id.and_then(|id| id.get(1..)));
        self.frames.clear();
        for part in parts {
            let (file, name, line) = frame(part);
            self.source.clear();
            self.source.extend_from_slice(file);
            self.source.extend_from_slice(line);
            let frame = Frame { name, source: &self.source, ..Frame::default() };
            samples.frames(&frame, &mut self.frames);
        }
        let sample = Sample { pid, tid, weights: &weights, ..Sample::default() };
        if !samples.wants.labels() {
            return samples.add(&sample, &self.frames);
        }
        let (mut labels, tid) = (Vec::new(), tid.unwrap_or_default());
        if let Some((interpreter, tid)) = tid.split_once_str(":") {
            labels.push(Label { key: b"interpreter", value: interpreter });
            labels.push(Label { key: b"tid", value: tid });
        }
        let is_idle = matches!(self.mode, Mode::Full) && weights[0] > 0 && weights[1] == 0;
        if is_idle {
            labels.push(Label { key: b"idle", value: b"true" });
        }
        samples.add(&Sample { labels: &labels, ..sample }, &self.frames)
    }

    /// Reads a line such as `# interval: 100`.
    fn metadata(&mut self, line: &[u8], samples: &mut Samples<'_>) {
        if let Some(mode) = line.strip_prefix(b"# mode: ") {
            self.set_mode(mode, samples);
        }
        if let Some(late) = line.strip_prefix(b"# saturation: ").and_then(part) {
            self.late = late;
        }
        if let Some(failed) = line.strip_prefix(b"# errors: ").and_then(part) {
            self.failed = Some(failed);
        }
        let micros = |text: &[u8]| decimal(text.trim_ascii_end())?.checked_mul(1000);
        if let Some(interval) = line.strip_prefix(b"# interval: ").and_then(micros) {
            samples.facts.note_interval(interval);
        }
        if let Some(duration) = line.strip_prefix(b"# duration: ").and_then(micros) {
            samples.facts.length = Some(duration);
        }
    }

    /// `wall`, `cpu`, `memory` or `full`.
    fn set_mode(&mut self, mode: &[u8], samples: &mut Samples<'_>) {
        self.mode = match mode {
            b"memory" => Mode::Memory,
            b"full" => Mode::Full,
            _ => Mode::Time,
        };
        samples.events.set_measures(match self.mode {
            Mode::Time => &[TIME],
            Mode::Memory => &[BYTES],
            Mode::Full => &[TIME, CPU_TIME, BYTES],
        });
    }

    /// The weights in `105` or `105,1,-2048`, one for each measure.
    fn weights(&mut self, value: &[u8]) -> Option<[u64; 3]> {
        let mut numbers =
            value.split(|byte| *byte == b',').map(|text| text.to_str().ok()?.parse::<i64>().ok());
        let first = numbers.next()??;
        let nanoseconds = |microseconds: i64| u64::try_from(microseconds).ok()?.checked_mul(1000);
        match self.mode {
            Mode::Time => Some([nanoseconds(first)?, 0, 0]),
            Mode::Memory => Some([self.bytes(first), 0, 0]),
            Mode::Full => {
                let (is_idle, bytes) = (numbers.next()?? != 0, numbers.next()??);
                let time = nanoseconds(first)?;
                Some([time, if is_idle { 0 } else { time }, self.bytes(bytes)])
            }
        }
    }

    fn report_looks(&self, samples: &mut Samples<'_>) {
        if let Some([failed, all]) = self.failed {
            let recorded = Some(all.saturating_sub(failed));
            let remedy = "use a longer interval, 'austin -i'";
            // It is not known how many threads would have had a stack.
            let is_exact = failed == 0;
            samples.note_loss(Loss { count: failed, of: "samples", recorded, remedy, is_exact });
        }
        let [late, all] = self.late;
        // The time since the last sample is right all the same.
        if late > all / 100 {
            samples.note(format_args!(
                "{late} of {all} samples took longer than the interval: there are fewer than asked \
                 for, 'austin -i' sets a longer one"
            ));
        }
    }

    fn bytes(&mut self, bytes: i64) -> u64 {
        self.freed += u64::from(bytes < 0);
        u64::try_from(bytes).unwrap_or(0)
    }
}

/// `12/1000`
fn part(text: &[u8]) -> Option<[u64; 2]> {
    let (part, all) = text.trim_ascii_end().split_once_str("/")?;
    Some([decimal(part)?, decimal(all)?])
}

/// The numbers after the last space, `105` or `105,1,-2048`.
fn value(line: &[u8]) -> Option<&[u8]> {
    let (_, value) = line.rsplit_once_str(b" ")?;
    let is_number = |byte: &u8| byte.is_ascii_digit() || b",-".contains(byte);
    (!value.is_empty() && value.iter().all(is_number)).then_some(value)
}

/// `demo.py:main:7` as `demo.py`, `main` and `:7`; the file may have colons, too.
/// `:GC:` has no line: all of it is the name.
fn frame(text: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let split = || {
        let (rest, line) = text.rsplit_once_str(b":")?;
        let (file, name) = rest.rsplit_once_str(b":")?;
        let is_line = is_digits(line);
        let is_frame = is_line && !file.is_empty() && !name.is_empty();
        is_frame.then(|| (file, name, &text[rest.len()..]))
    };
    split().unwrap_or((b"", text, b""))
}

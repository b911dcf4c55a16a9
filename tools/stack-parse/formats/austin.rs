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
use common::numbers::is_digits;
use common::{Result, folded::Label, io::Input, stacks::FrameId};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::austin::{KERNEL, Metrics, Mode, Run, Weights, kernel_frame};
use crate::read::lines::for_each_line;
use crate::samples::sample::Sample;
use crate::samples::{Samples, Weighs};

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

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = AustinReader::default();
    reader.run.set_measures(samples);
    for_each_line(input, |number, line| reader.line(number, line, samples))?;
    reader.run.report(samples);
    Ok(())
}

#[derive(Default)]
struct AustinReader {
    run: Run,
    frames: Vec<FrameId>,
    /// The file and the line of a frame, `demo.py:7`.
    source: Vec<u8>,
}

impl AustinReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(metadata) = line.strip_prefix(b"# ") {
            // A line such as `# interval: 100`.
            if let Some((key, value)) = metadata.split_once_str(b": ") {
                self.run.metadata(key, value, samples);
            }
            return Ok(());
        }
        if line.is_empty() {
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
            let frame = match (file, line) {
                (KERNEL, b":0") => kernel_frame(name),
                _ => Frame { name, source: &self.source, ..Frame::default() },
            };
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
        if self.run.is_idle(&weights) {
            labels.push(Label { key: b"idle", value: b"true" });
        }
        samples.add(&Sample { labels: &labels, ..sample }, &self.frames)
    }

    /// The weights in `105`, or in mode `full` in `105,1,-2048`.
    fn weights(&mut self, value: &[u8]) -> Option<Weights> {
        let mut numbers =
            value.split(|byte| *byte == b',').map(|text| text.to_str().ok()?.parse::<i64>().ok());
        let first = numbers.next()??;
        let metrics = match self.run.mode {
            Mode::Memory => Metrics { bytes: Some(first), ..Metrics::default() },
            Mode::Wall | Mode::Cpu => Metrics { time: Some(first), ..Metrics::default() },
            Mode::Full => {
                let (is_idle, bytes) = (numbers.next()?? != 0, numbers.next()??);
                Metrics { time: Some(first), is_idle, bytes: Some(bytes) }
            }
        };
        self.run.weights(metrics)
    }
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

//! What `sample` of macOS prints, and "Sample Process" of its Activity Monitor.
//!
//! ```text
//! Analysis of sampling rg (pid 64751) every 1 millisecond
//! Call graph:
//!     825 Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)
//!     + 825 start  (in libdyld.dylib) + 1  [0x7fff737cf3d5]
//!     +   800 main  (in rg) + 41  [0x10384b549]
//!     +   ! 800 read  (in libsystem_kernel.dylib) + 10,20  [0x7fff73905ef2,0x7fff73905efc]
//!     +   25 ???  (in <unknown binary>)  [0x10384b000]
//! Total number in stack (recursive counted multiple, when >=5):
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};
use common::{Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::frame::{Frame, known_name};
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::outline::Outline;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("macos-sample", "What sample of macOS prints", detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Value)
        .extras(&[Extra::Indented(has_lost_blanks)]);

/// The call graph is indented.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    above == b"Call graph:" && line.first().is_some_and(u8::is_ascii_digit)
}

/// The start of the first line.
const TITLE: &[u8] = b"Analysis of sampling ";

fn detect(head: &Head<'_>) -> bool {
    head.lines().take(10).any(|line| line.starts_with(TITLE))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = MacosSampleReader::default();
    reader.tree.are_samples = true;
    let mut last = 0;
    for_each_line(input, |number, line| {
        last = number;
        reader.line(number, line, samples)
    })?;
    if reader.is_tree {
        samples.malformed(last, "expected a blank line at the end of the call graph");
    }
    reader.finish(samples)
}

/// The state between two lines.
#[derive(Default)]
struct MacosSampleReader {
    tree: Outline,
    /// Whether this is the part of the report that has the tree.
    is_tree: bool,
    process: Vec<u8>,
    pid: Vec<u8>,
    /// The weight of a sample: the interval between samples.
    interval: u64,
    thread: Vec<u8>,
    tid: Vec<u8>,
}

impl MacosSampleReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(rest) = line.strip_prefix(TITLE) {
            self.title(rest, samples);
        } else if line.starts_with(b"Call graph:") {
            self.is_tree = true;
        } else if self.is_tree && line.trim_ascii().is_empty() {
            self.finish(samples)?;
        } else if self.is_tree {
            match Call::of(line) {
                Some(call) => self.call(&call, samples)?,
                None if line.starts_with(b" ") => {
                    samples.skipped.add(number, "expected a count and a function");
                }
                None => self.finish(samples)?,
            }
        }
        Ok(())
    }

    /// `rg (pid 64751) every 1 millisecond`
    fn title(&mut self, rest: &[u8], samples: &mut Samples<'_>) {
        let (process, rest) = rest.rsplit_once_str(" (pid ").unwrap_or((rest, b""));
        let (pid, every) = rest.split_once_str(") every ").unwrap_or((rest, b""));
        (self.process, self.pid) = (process.to_vec(), pid.to_vec());
        let (number, unit) = every.split_once_str(" ").unwrap_or((every, b""));
        let interval = decimal(number).filter(|interval| *interval > 0);
        let (interval, unit) = match (interval, unit) {
            (Some(interval), b"millisecond" | b"milliseconds") => {
                samples.facts.note_interval(interval.saturating_mul(1_000_000));
                (interval, &b"milliseconds"[..])
            }
            (Some(interval), b"microsecond" | b"microseconds") => {
                samples.facts.note_interval(interval.saturating_mul(1000));
                (interval, &b"microseconds"[..])
            }
            _ => (1, &b"samples"[..]),
        };
        self.interval = interval;
        samples.events.set_measures(&[Measure { name: b"wall-clock", unit }]);
    }

    fn call(&mut self, call: &Call<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let is_function = call.text.contains_str("  (in ");
        if is_function || !call.text.starts_with(b"Thread_") {
            return self.in_tree(samples, |tree, origin, samples| {
                tree.enter(call.indent, &frame(call.text), (call.count, None), origin, samples)
            });
        }
        self.end_thread(samples)?;
        let (tid, name) = thread(call.text);
        (self.tid, self.thread) = (tid.to_vec(), name.to_vec());
        self.in_tree(samples, |tree, origin, samples| {
            tree.enter_thread(call.indent, call.count, origin, samples)
        })
    }

    fn end_thread(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.in_tree(samples, Outline::finish)
    }

    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.is_tree = false;
        self.end_thread(samples)
    }

    fn in_tree(
        &mut self,
        samples: &mut Samples<'_>,
        act: impl FnOnce(&mut Outline, &Sample<'_>, &mut Samples<'_>) -> Result<()>,
    ) -> Result<()> {
        let comm = if self.thread.is_empty() { &self.process } else { &self.thread };
        let weights = [self.interval.max(1)];
        let origin = Sample {
            comm,
            pid: Some(&self.pid),
            tid: Some(&self.tid),
            weights: &weights,
            ..Sample::default()
        };
        act(&mut self.tree, &origin, samples)
    }
}

/// A line of the tree.
struct Call<'a> {
    indent: usize,
    count: u64,
    text: &'a [u8],
}

impl Call<'_> {
    /// `    + ! : 118 read  (in rg) + 10  [0x7fff73905ef2]`
    fn of(line: &[u8]) -> Option<Call<'_>> {
        let indent =
            line.iter().position(|byte| !matches!(byte, b' ' | b'+' | b'!' | b':' | b'|'))?;
        let (count, text) = line[indent..].split_once_str(" ")?;
        Some(Call { indent, count: decimal(count).filter(|_| indent > 0)?, text })
    }
}

/// `Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)`,
/// `Thread_15758535: worker`, `Thread_15758535`: the number and the name.
fn thread(text: &[u8]) -> (&[u8], &[u8]) {
    let rest = text.strip_prefix(b"Thread_").unwrap_or(text);
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (tid, name) = rest.split_at(end);
    let name = name.strip_prefix(b":").unwrap_or(name).trim_ascii();
    let queue = name.strip_prefix(b"DispatchQueue_").and_then(|queue| queue.split_once_str(": "));
    let name = queue.map_or(name, |(_, name)| name);
    let name = name
        .strip_suffix(b"(serial)")
        .or_else(|| name.strip_suffix(b"(concurrent)"))
        .unwrap_or(name);
    (tid, name.trim_ascii_end())
}

/// `main  (in rg) + 41  [0x10384b549]  main.rs:7`; `???` means that the name is not known.
fn frame(text: &[u8]) -> Frame<'_> {
    let (code, rest) = text.rsplit_once_str("  [0x").unwrap_or((text, b""));
    let (addresses, source) = rest.split_once_str("]").unwrap_or((rest, b""));
    let digits = addresses.split(|byte| *byte == b',').next().unwrap_or_default();
    let (name, rest) = code.split_once_str("  (in ").unwrap_or((code, b""));
    let object = rest.split_once_str(")").map_or(rest, |(object, _)| object);
    let object = if object == b"<unknown binary>" { b"" } else { object };
    let address = hexadecimal(digits.strip_suffix(b"...").unwrap_or(digits));
    let name = known_name(name);
    Frame { name, object, address, source: source.trim_ascii(), ..Frame::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_and_some_have_names() {
        for (text, expected) in [
            (
                "Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)",
                ("15758523", "com.apple.main-thread"),
            ),
            ("Thread_7: my worker", ("7", "my worker")),
            ("Thread_1f", ("1f", "")),
        ] {
            let (tid, name) = thread(text.as_bytes());
            assert_eq!(
                (tid.as_bstr(), name.as_bstr()),
                (expected.0.into(), expected.1.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_frame_is_taken_apart() {
        let frame_of = |text: &'static str| frame(text.as_bytes());
        let main = frame_of("main  (in my app) + 41  [0x10384b549]  main.rs:7");
        assert_eq!(
            (main.name, main.object, main.source),
            (&b"main"[..], &b"my app"[..], &b"main.rs:7"[..])
        );
        assert_eq!(main.address, Some(0x1_0384_b549));
        let list = frame_of("-[A f:]  (in A) + 0,109,...  [0x10,0x20,...]");
        assert_eq!((list.name, list.address), (&b"-[A f:]"[..], Some(0x10)));
        let unknown = frame_of("???  (in <unknown binary>)  [0x1042]");
        assert_eq!(
            (unknown.name, unknown.object, unknown.address),
            (&b""[..], &b""[..], Some(0x1042))
        );
    }
}

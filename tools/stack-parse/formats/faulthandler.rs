//! Tracebacks that Python's faulthandler prints, of all threads or one, once or
//! every few seconds (`faulthandler.dump_traceback_later(1, repeat=True)`).
//!
//! ```text
//! Timeout (0:00:00.050000)!
//! Thread 0x00007ff2eb9ff6c0 [worker] (most recent call first):
//!   File "demo.py", line 8 in _gen
//!   File "demo.py", line 6 in score
//!   ...
//!
//! Current thread 0x00007ff2f17f9b80 (most recent call first):
//!   <no Python frame>
//! ```

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::read::source::Place;
use crate::samples::sample::{Sample, known};
use crate::samples::{End, Root, Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("faulthandler", "Tracebacks by Python's faulthandler", detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Value);

fn detect(head: &Head<'_>) -> bool {
    let is_first = |line: &[u8]| thread(line).is_some() || line == STACK;
    head.lines().take(100).any(is_first)
}

/// The line above the traceback of a single thread.
const STACK: &[u8] = b"Stack (most recent call first):";

/// The most frames that Python prints of a stack.
const MOST_FRAMES: usize = 100;

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = FaulthandlerReader::default();
    for_each_line(input, |_, line| {
        let is_after_last = std::mem::take(&mut reader.is_after_last);
        if let Some((tid, name)) = thread(line) {
            reader.finish(samples)?;
            reader.begin(tid, name);
        } else if line == STACK {
            reader.finish(samples)?;
            reader.begin(b"", b"");
        } else if reader.is_open && !reader.frame(line, samples) {
            // `<no Python frame>`, `Extension modules: numpy (total: 1)`, or another program's line.
            reader.finish(samples)?;
            reader.is_after_last = line.is_empty();
        } else if is_after_last && line == b"..." {
            reader.leaves_out_threads = true;
        }
        if let Some(interval) = interval(line) {
            samples.facts.note_interval(interval);
        }
        Ok(())
    })?;
    reader.finish(samples)?;
    reader.report(samples);
    Ok(())
}

/// A traceback that is being read.
#[derive(Default)]
struct FaulthandlerReader {
    is_open: bool,
    tid: Vec<u8>,
    name: Vec<u8>,
    stack: LeafFirst,
    frames: usize,
    end: Option<End>,
    /// How many stacks have as many frames as Python prints, and no mark that others follow.
    full: u64,
    /// Whether the line before was the empty one after a traceback.
    is_after_last: bool,
    leaves_out_threads: bool,
}

impl FaulthandlerReader {
    fn begin(&mut self, tid: &[u8], name: &[u8]) {
        (self.is_open, self.tid, self.name) = (true, tid.to_vec(), name.to_vec());
        (self.frames, self.end) = (0, None);
    }

    /// Reads a line of the traceback; false if it is not one.
    fn frame(&mut self, line: &[u8], samples: &mut Samples<'_>) -> bool {
        let text = line.trim_ascii();
        let (name, mut place) = match frame(text) {
            _ if text == b"Garbage-collecting" => (text, Place::default()),
            Some(frame) => {
                self.frames += 1;
                frame
            }
            None => {
                self.end = self.end.or(end(text));
                return end(text).is_some();
            }
        };
        self.stack.push(&Frame { name, source: place.text(), ..Frame::default() }, samples);
        true
    }

    /// Adds the traceback.
    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        self.full += u64::from(self.frames == MOST_FRAMES && self.end.is_none());
        if let Some(end) = self.end {
            self.stack.end(end);
        }
        let tid = known(&self.tid);
        let origin = Sample { comm: &self.name, tid, event: b"samples", ..Sample::default() };
        self.stack.add(&origin, samples)
    }

    fn report(&self, samples: &mut Samples<'_>) {
        samples.note_count(
            self.full,
            "stacks have 100 frames, the most that Python prints: callers may be missing",
        );
        if self.leaves_out_threads {
            samples.doubt("Python left out threads: it prints 100, unless told otherwise");
        }
    }
}

/// Why the callers of the last frame are missing: `...`, `plus 23 frames`, `<invalid frame>`.
fn end(text: &[u8]) -> Option<End> {
    let left_out = || decimal(text.strip_prefix(b"plus ")?.strip_suffix(b" frames")?);
    match text {
        b"..." => Some(End::Truncated),
        b"<invalid frame>" | b"<freed frame>" => Some(End::Broken),
        _ => left_out().map(|_| End::Truncated),
    }
}

/// The nanoseconds in `Timeout (0:00:00.050000)!`.
fn interval(line: &[u8]) -> Option<u64> {
    let time = line.strip_prefix(b"Timeout (")?.strip_suffix(b")!")?;
    let mut parts = time.split_str(":");
    let mut next = || parts.next();
    let (hours, minutes, seconds) = (decimal(next()?)?, decimal(next()?)?, next()?);
    let (seconds, micros) = seconds.split_once_str(".").unwrap_or((seconds, b"000000"));
    let micros = decimal(micros).filter(|_| micros.len() == 6)?;
    let seconds = hours
        .checked_mul(60)?
        .checked_add(minutes)?
        .checked_mul(60)?
        .checked_add(decimal(seconds)?)?;
    seconds.checked_mul(1_000_000)?.checked_add(micros)?.checked_mul(1000)
}

/// `Thread 0x00007ff2eb9ff6c0 [worker] (most recent call first):`: the id and the name, which
/// Python prints since 3.14.
fn thread(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(b"Current thread ").or_else(|| line.strip_prefix(b"Thread "))?;
    let rest = rest.strip_suffix(b" (most recent call first):")?;
    let (id, name) = rest.split_once_str(b" [").unwrap_or((rest, b""));
    id.starts_with(b"0x").then_some((id, name.strip_suffix(b"]").unwrap_or(name)))
}

/// `File "demo.py", line 8 in _gen`
fn frame(text: &[u8]) -> Option<(&[u8], Place)> {
    let (file, rest) = text.strip_prefix(b"File ")?.rsplit_once_str(b", line ")?;
    let (line, name) = rest.split_once_str(b" in ")?;
    let file = file.strip_prefix(b"\"").and_then(|file| file.strip_suffix(b"\"")).unwrap_or(file);
    let line = line.to_str().ok().and_then(|line| line.parse().ok());
    Some((name, Place::new(file, line)))
}

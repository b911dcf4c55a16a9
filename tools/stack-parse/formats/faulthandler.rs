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
use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::read::source::Place;
use crate::samples::sample::{Sample, known};
use crate::samples::{Root, Samples, Weighs};

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

/// The name of the frame in place of those that Python left out, for which it prints `...`.
const CUT: &[u8] = b"[...]";

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = FaulthandlerReader::default();
    for_each_line(input, |_, line| {
        if let Some((tid, name)) = thread(line) {
            reader.finish(samples)?;
            reader.begin(tid, name);
        } else if line == STACK {
            reader.finish(samples)?;
            reader.begin(b"", b"");
        } else if reader.is_open && !reader.frame(line, samples) {
            // `<no Python frame>`, `Extension modules: numpy (total: 1)`, or another program's line.
            reader.finish(samples)?;
        }
        Ok(())
    })?;
    reader.finish(samples)
}

/// A traceback that is being read.
#[derive(Default)]
struct FaulthandlerReader {
    is_open: bool,
    tid: Vec<u8>,
    name: Vec<u8>,
    stack: LeafFirst,
}

impl FaulthandlerReader {
    fn begin(&mut self, tid: &[u8], name: &[u8]) {
        (self.is_open, self.tid, self.name) = (true, tid.to_vec(), name.to_vec());
    }

    /// Reads a line of the traceback; false if it is not one.
    fn frame(&mut self, line: &[u8], samples: &mut Samples<'_>) -> bool {
        let (name, mut place) = match line.trim_ascii() {
            b"..." => (CUT, Place::default()),
            name @ b"Garbage-collecting" => (name, Place::default()),
            text => match frame(text) {
                Some(frame) => frame,
                None => return false,
            },
        };
        self.stack.push(&Frame { name, source: place.text(), ..Frame::default() }, samples);
        true
    }

    /// Adds the traceback.
    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let tid = known(&self.tid);
        let origin = Sample { comm: &self.name, tid, event: b"samples", ..Sample::default() };
        self.stack.add(&origin, samples)
    }
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

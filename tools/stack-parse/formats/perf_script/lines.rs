//! `perf script`, line by line: every shape it prints.

use bstr::ByteSlice;
use common::{FrameId, Result};

use super::event_line::EventLine;
use super::frame_line::{FrameLine, split_padded_ip};
use crate::frame::{Frame, FrameArgs};
use crate::samples::Samples;
use crate::samples::sample::{Origin, Sample};

/// Where the reader stands.
pub(super) struct Lines<'a> {
    names: &'a FrameArgs,
    /// How many lines were read.
    number: u64,
    state: State,
    /// The frames of the open sample, leaf first.
    frames: Vec<FrameId>,
    /// The last frame line, which a source line may still turn into an
    /// inlined one, and how many frames there were before it.
    last: (Vec<u8>, usize),
    /// What event lines were seen: with a time, or at all.
    timed: bool,
    headed: bool,
    name: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Between samples.
    Idle,
    /// In a sample.
    Open(Sample),
    /// In a sample that was not asked for: its frames are passed over.
    Passing {
        /// True if there were any.
        framed: bool,
    },
}

impl<'a> Lines<'a> {
    pub(super) fn new(names: &'a FrameArgs) -> Lines<'a> {
        Lines {
            names,
            number: 0,
            state: State::Idle,
            frames: Vec::new(),
            last: (Vec::new(), 0),
            timed: false,
            headed: false,
            name: Vec::new(),
        }
    }

    /// Another reader, which knows what this one learnt of the input.
    pub(super) fn fork(&self) -> Lines<'a> {
        Lines { timed: self.timed, headed: self.headed, ..Lines::new(self.names) }
    }

    /// True if and only if what follows does not depend on what was read.
    pub(super) fn is_between_samples(&self) -> bool {
        self.headed && matches!(self.state, State::Idle)
    }

    /// How many lines were read.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Says how many lines were read, by whomever.
    pub(super) fn set_number(&mut self, lines: u64) {
        self.number = lines;
    }

    /// Learns from an event line that is read elsewhere.
    pub(super) fn note_header(&mut self, event: &EventLine<'_>) {
        self.headed = true;
        self.timed |= event.time.is_some();
    }

    /// Stats for lines that were read elsewhere.
    pub(super) fn skip_lines(&mut self, lines: u64) {
        self.number += lines;
    }

    /// Passes over the frames of a sample that was not asked for; false if
    /// something else is among them, then nothing is.
    pub(super) fn skip_frames(&mut self, body: &[u8]) -> bool {
        let mut lines = 0;
        for line in body.split(|&byte| byte == b'\n') {
            if split_padded_ip(line).is_none() && !(line.starts_with(b"\t") && is_frame(line)) {
                return false;
            }
            lines += 1;
        }
        self.number += lines;
        true
    }

    /// Takes over a sample that was not asked for.
    pub(super) fn pass(&mut self) {
        self.state = State::Passing { framed: false };
    }

    /// Takes over a sample whose event line was read elsewhere.
    pub(super) fn continue_sample(&mut self, sample: Sample) {
        self.state = State::Open(sample);
    }

    /// Reads lines; the last may lack its LF.
    pub(super) fn text(&mut self, text: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let mut lines =
            text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let next_is_frame = lines.peek().is_some_and(|next| is_frame(next));
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                self.blank_line(samples)?;
                continue;
            }
            self.number += 1;
            self.line(line, next_is_frame, samples)?;
        }
        Ok(())
    }

    /// A blank line ends a sample that has frames. One without waits for the
    /// next line, since perf has been seen to print its frames behind it.
    pub(super) fn blank_line(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.number += 1;
        let framed =
            !self.frames.is_empty() || matches!(self.state, State::Passing { framed: true });
        if framed { self.close(samples) } else { Ok(()) }
    }

    /// Ends the open sample, if any.
    pub(super) fn close(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if let State::Open(sample) = self.state {
            let mut node = sample.base;
            for &frame in self.frames.iter().rev() {
                node = samples.child(node, frame);
            }
            samples.close(sample, node, self.frames.iter().rev().copied())?;
        }
        self.frames.clear();
        self.last.0.clear();
        self.state = State::Idle;
        Ok(())
    }

    fn line(&mut self, line: &[u8], next_is_frame: bool, samples: &mut Samples<'_>) -> Result<()> {
        // A frame, or a comm that is padded to 16 columns.
        let indented = line[0].is_ascii_whitespace();
        if line[0] != b'\t'
            && let Some(event) = EventLine::parse(line)
            && (event.time.is_some() || !self.timed)
        {
            return self.event(&event, samples);
        }
        if indented && let Some(frame) = FrameLine::parse(line) {
            // ` ffffffff817554ea elf_load`: a sample of `-F ip,sym` without call chain.
            if line[0] == b' ' && !self.headed {
                self.close(samples)?;
            }
            return self.frame(line, &frame, samples);
        }
        if line[0] == b'#' || is_beside(line) {
            return Ok(());
        }
        let follows_frame = !self.last.0.is_empty() || matches!(self.state, State::Passing { .. });
        if line[0] == b' ' && follows_frame {
            self.source_line(line, samples);
            return Ok(());
        }
        // perf pads the names of events: `     page-faults: `.
        if line[0] != b'\t' && next_is_frame && !self.timed {
            return self.event(&EventLine::before_frames(line), samples);
        }
        samples.skipped.add(self.number, "expected a sample or a frame of perf script");
        Ok(())
    }

    fn event(&mut self, event: &EventLine<'_>, samples: &mut Samples<'_>) -> Result<()> {
        if event.is_side_record() {
            return self.close(samples);
        }
        self.close(samples)?;
        self.note_header(event);
        let Some(sample) = samples.open(&Origin::from(event))? else {
            self.pass();
            return Ok(());
        };
        self.state = State::Open(sample);
        match event.only_frame() {
            // A source line may follow.
            Some(frame) => self.frame(event.rest, &frame, samples),
            None => Ok(()),
        }
    }

    fn frame(
        &mut self,
        line: &[u8],
        frame: &FrameLine<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        match self.state {
            State::Passing { .. } => {
                self.state = State::Passing { framed: true };
                return Ok(());
            }
            State::Open(_) => {}
            // `-F ip,sym` prints no event lines at all.
            State::Idle if !self.headed => {
                let origin = Origin::default();
                let Some(sample) = samples.open(&origin)? else { return Ok(()) };
                self.state = State::Open(sample);
            }
            State::Idle => {
                samples.skipped.add(self.number, "a frame that belongs to no sample");
                return Ok(());
            }
        }
        self.last.0.clear();
        self.last.0.extend_from_slice(line);
        self.last.1 = self.frames.len();
        self.push(frame, samples);
        Ok(())
    }

    fn push(&mut self, frame: &FrameLine<'_>, samples: &mut Samples<'_>) {
        let start = self.frames.len();
        let Lines { names, frames, name, .. } = self;
        names.for_each_name(&Frame::from(frame), name, |name| frames.push(samples.frame(name)));
        self.frames[start..].reverse();
    }

    /// `  demo.cpp:14 (inlined)` behind a frame, from `-F +srcline`, where the
    /// mark stands here.
    fn source_line(&mut self, line: &[u8], samples: &mut Samples<'_>) {
        let line = line.trim_ascii();
        let (place, inlined) = match line.strip_suffix(b" (inlined)") {
            Some(place) => (place, true),
            None => (line, false),
        };
        let (text, frames) = std::mem::take(&mut self.last);
        if let Some(frame) = FrameLine::parse(&text) {
            self.frames.truncate(frames);
            let inlined = inlined || frame.inlined;
            self.push(&FrameLine { place, inlined, ..frame }, samples);
        }
    }
}

/// True if and only if this is neither sample nor frame but what perf prints
/// beside them: `PERF_RECORD_FINISHED_ROUND`, behind `PERF_RECORD_NAMESPACES`
/// `\t\t[0/net: 4/0xf0000098, 1/uts: 4/0xeffffffe]`, behind a call chain the
/// branches of `-F +brstack`, ` 0x4005f0/0x40050a/P/-/-/3 `.
fn is_beside(line: &[u8]) -> bool {
    line.starts_with(b"PERF_RECORD_")
        || line.starts_with(b"\t\t") && line.contains_str("/0x")
        || line.starts_with(b" ") && line.contains_str("/-/-/")
}

/// True if and only if this can be a frame's line and nothing else.
fn is_frame(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_whitespace) && FrameLine::parse(line).is_some()
}

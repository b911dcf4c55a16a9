//! Reads `perf script` line by line, in every form that it prints.

use common::{Result, stacks::FrameId};

use super::LeafObject;
use super::beside::{is_beside, is_cookie, is_metric, is_side_record, lost_by};
use super::event_line::EventLine;
use super::frame_line::{FrameLine, is_chain_frame, split_padded_ip};
use super::glued;
use super::one_line::{self, is_lone_frame};
use super::source_line::{is_known_place, is_source_line};
use crate::frame::Frame;
use crate::samples::sample::{OpenSample, Sample};
use crate::samples::{CallChains, Samples};

/// The reason for skipping call chains that were printed after their samples.
const DEFERRED: &str = "a call chain apart from its sample: 'perf script' merges the two, \
                        unless --no-merge-callchains is given";

/// The state of the reader.
#[derive(Default)]
pub(super) struct Lines {
    /// How many lines were read.
    number: u64,
    /// How many samples or other records were lost, according to the text.
    pub(super) lost: u64,
    state: State,
    /// The frames of the open sample, leaf first.
    frames: Vec<FrameId>,
    /// The last frame line, which a source line may still mark as inlined, and the number of frames
    /// before it.
    last: (Vec<u8>, usize),
    /// Whether the open sample has only the frame on its event line. That is not a frame if a call
    /// chain follows.
    is_frame_tentative: bool,
    /// Whether a frame may open a sample: after an empty line in place of an event line, or if it
    /// is a whole sample.
    may_open: bool,
    /// Whether event lines were seen, with a time (`timed`) or at all (`headed`).
    timed: bool,
    headed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Between samples.
    #[default]
    Idle,
    /// In a sample.
    Open(OpenSample),
    /// In a sample that the user did not ask for: its frames are skipped.
    Passing {
        /// Whether it had any frames.
        framed: bool,
    },
}

impl Lines {
    /// Another reader, with what this one knows about the input. It also begins after a blank line.
    pub(super) fn fork(&self) -> Lines {
        let Lines { timed, headed, .. } = *self;
        Lines { timed, headed, may_open: true, ..Lines::default() }
    }

    /// Whether any reader would read the following text in the same way: no sample is open, and
    /// event lines are known to have times.
    pub(super) fn has_nothing_to_learn(&self) -> bool {
        self.timed && matches!(self.state, State::Idle)
    }

    /// How many lines were read.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Sets how many lines were read, by any reader.
    pub(super) fn set_number(&mut self, lines: u64) {
        self.number = lines;
    }

    /// Notes an event line that was read elsewhere.
    pub(super) fn note_header(&mut self, event: &EventLine<'_>) {
        self.headed = true;
        self.timed |= event.time.is_some();
    }

    /// Counts lines that were read elsewhere.
    pub(super) fn skip_lines(&mut self, lines: u64) {
        self.number += lines;
    }

    /// Skips the frames of a sample that the user did not ask for. False if there are other lines
    /// among them; then none is skipped.
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

    /// Notes that a sample that the user did not ask for is open.
    pub(super) fn pass(&mut self) {
        self.may_open = false;
        self.state = State::Passing { framed: false };
    }

    /// Continues a sample whose event line was read elsewhere.
    pub(super) fn continue_sample(&mut self, sample: OpenSample) {
        self.may_open = false;
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
            let next_frame = lines.peek().copied().filter(|next| is_frame(next));
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                self.blank_line(samples)?;
                continue;
            }
            self.number += 1;
            self.line(line, next_frame, samples)?;
            self.may_open = false;
        }
        Ok(())
    }

    /// Whether a line that can be parsed as `event` is an event line. Where event lines have times,
    /// a line without one is an event only where a sample must begin.
    pub(super) fn is_event(
        &self,
        event: &EventLine<'_>,
        next_is_frame: impl FnOnce() -> bool,
    ) -> bool {
        event.time.is_some() || !self.timed || self.may_open && next_is_frame()
    }

    /// A blank line ends a sample that has frames. A sample without frames stays open for the next
    /// line, since perf sometimes prints its frames after the blank line.
    pub(super) fn blank_line(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.number += 1;
        self.may_open = true;
        // All frames may have been left out: `--inlined drop`.
        let framed = !self.frames.is_empty()
            || !self.last.0.is_empty()
            || matches!(self.state, State::Passing { framed: true });
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
        self.is_frame_tentative = false;
        self.state = State::Idle;
        Ok(())
    }

    /// Reads a line that is not blank. `next_frame` is the following line if that is a frame.
    fn line(
        &mut self,
        line: &[u8],
        next_frame: Option<&[u8]>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        if is_side_record(line) || is_metric(line) {
            self.lost = self.lost.saturating_add(lost_by(line).unwrap_or_default());
            return self.close(samples);
        }
        if let Some((frame, next)) = glued::split(line) {
            self.line(frame, None, samples)?;
            return self.line(next, next_frame, samples);
        }
        if is_chain_frame(line)
            && let Some(frame) = FrameLine::parse(line)
        {
            return self.frame(line, &frame, samples);
        }
        if let Some(event) = self.event_line(line, next_frame.is_some()) {
            return self.event(&event, one_line::only_frame(&event), next_frame, samples);
        }
        // `            demo 19231  ffffffff8175336a elf_load`, from `-F comm,tid,ip,sym`.
        if !self.timed
            && let Some((fields, frame)) = one_line::split(line)
        {
            return self.event(&EventLine::before_frames(fields), Some(frame), None, samples);
        }
        if line[0] == b'#' || is_beside(line) || is_cookie(line) {
            return Ok(());
        }
        if let Some(frame) = self.frame_line(line, samples)? {
            return self.frame(line, &frame, samples);
        }
        let follows_frame = !self.last.0.is_empty() || matches!(self.state, State::Passing { .. });
        if follows_frame && is_source_line(line) {
            self.source_line(line, samples);
            return Ok(());
        }
        // perf pads the names of events: `     page-faults: `.
        if line[0] != b'\t' && next_frame.is_some() && !self.timed {
            return self.event(&EventLine::before_frames(line), None, next_frame, samples);
        }
        samples.skipped.add(self.number, "expected a sample or a frame of perf script");
        Ok(())
    }

    /// This line as an event line, if it certainly is one.
    fn event_line<'b>(&self, line: &'b [u8], next_is_frame: bool) -> Option<EventLine<'b>> {
        let event = if line[0] == b'\t' { None } else { EventLine::parse(line) };
        event.filter(|event| self.is_event(event, || next_is_frame))
    }

    /// The frame in this line, although its indentation is not perf's.
    fn frame_line<'b>(
        &mut self,
        line: &'b [u8],
        samples: &mut Samples<'_>,
    ) -> Result<Option<FrameLine<'b>>> {
        // ` ffffffff817554ea elf_load`: a sample of `-F ip,sym` without call chain.
        if !self.headed && is_lone_frame(line) {
            self.close(samples)?;
            self.may_open = true;
            return Ok(FrameLine::parse(line));
        }
        // `7f724309ebdf JavaMain (/lib/libjli.so)`, where all indentation was lost.
        let is_in_sample = self.headed && !matches!(self.state, State::Idle);
        let may_be = line[0].is_ascii_whitespace() || is_in_sample;
        Ok(if may_be { loose_frame(line) } else { None })
    }

    /// Opens the sample of an event line; its frame may be on this line or on the next.
    fn event(
        &mut self,
        event: &EventLine<'_>,
        frame: Option<&[u8]>,
        next_frame: Option<&[u8]>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.close(samples)?;
        if event.is_deferred_chain() {
            samples.skipped.add(self.number, DEFERRED);
            self.pass();
            return Ok(());
        }
        self.note_header(event);
        let leaf = LeafObject::of(next_frame.or(frame), samples);
        let sample = Sample { labels: leaf.labels(), ..Sample::from(event) };
        let Some(sample) = samples.open(&sample) else {
            self.pass();
            return Ok(());
        };
        self.state = State::Open(sample);
        if let Some(text) = frame
            && let Some(frame) = FrameLine::parse(text)
        {
            self.keep_frame(text, &frame, samples);
            self.is_frame_tentative = true;
        }
        Ok(())
    }

    /// Adds a frame of a call chain.
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
            // `-F ip,sym` prints an empty line in place of an event line.
            State::Idle if !self.headed && self.may_open => {
                match samples.open(&Sample::default()) {
                    Some(sample) => self.state = State::Open(sample),
                    None => {
                        self.state = State::Passing { framed: true };
                        return Ok(());
                    }
                }
            }
            State::Idle => {
                samples.skipped.add(self.number, "a frame that belongs to no sample");
                return Ok(());
            }
        }
        if self.is_frame_tentative {
            // The lines after a one-line sample are the branches before it.
            if !is_chain_frame(line) {
                return Ok(());
            }
            // What looked like its frame was another field, or the text of a tracepoint.
            self.frames.clear();
            self.is_frame_tentative = false;
        }
        samples.set_chains(CallChains::Printed);
        self.keep_frame(line, frame, samples);
        Ok(())
    }

    fn keep_frame(&mut self, text: &[u8], frame: &FrameLine<'_>, samples: &mut Samples<'_>) {
        self.last.0.clear();
        self.last.0.extend_from_slice(text);
        self.last.1 = self.frames.len();
        self.push(frame, samples);
    }

    fn push(&mut self, frame: &FrameLine<'_>, samples: &mut Samples<'_>) {
        let start = self.frames.len();
        samples.frames(&Frame::from(frame), &mut self.frames);
        self.frames[start..].reverse();
    }

    /// `  demo.cpp:14 (inlined)` after a frame, from `-F +srcline`, which puts the mark on this
    /// line.
    fn source_line(&mut self, line: &[u8], samples: &mut Samples<'_>) {
        let line = line.trim_ascii();
        let (place, inlined) = match line.strip_suffix(b" (inlined)") {
            Some(place) => (place, true),
            None => (line, false),
        };
        let place = if is_known_place(place) { place } else { b"" };
        let (text, frames) = std::mem::take(&mut self.last);
        if let Some(frame) = FrameLine::parse(&text) {
            self.frames.truncate(frames);
            let inlined = inlined || frame.inlined;
            self.push(&FrameLine { place, inlined, ..frame }, samples);
        }
    }
}

/// The frame in a line that is not indented as by perf: after only spaces or nothing, the frame
/// must be more than two words.
fn loose_frame(line: &[u8]) -> Option<FrameLine<'_>> {
    let frame = FrameLine::parse(line)?;
    (line[0] == b'\t' || one_line::is_certain(&frame)).then_some(frame)
}

/// Whether this line is a frame of a call chain, whatever the lines around it: in perf's columns,
/// or at least after a TAB, `\t10 main (/demo)`.
pub(super) fn is_certain_frame(line: &[u8]) -> bool {
    let is_tabbed = || line.starts_with(b"\t") && !is_beside(line);
    (is_chain_frame(line) && !is_side_record(line) || is_tabbed())
        && FrameLine::parse(line).is_some()
        && !is_metric(line)
        && glued::split(line).is_none()
}

/// Whether this line can be a frame below an event line.
pub(super) fn is_frame(line: &[u8]) -> bool {
    let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
    is_indented && !is_lone_frame(line) && (is_chain_frame(line) || loose_frame(line).is_some())
}

//! Where output goes while samples are read. Sums are no sink: they are written at the end.

mod every;
mod table;

use std::fmt;

use common::folded::{FoldedLine, NO_STACK};
use common::stacks::{FrameId, FrameTable, Overflows};
use common::{Result, pipe::Pipe};

use super::sample::{OpenSample, Sample};
use super::weight::Rule;
use super::window::Window;

pub(super) use every::{Every, parse_length};
pub(super) use table::Table;

/// Makes output of one sample after the other.
pub(super) trait Sink: fmt::Debug + Send {
    /// How sampling periods are weighed by default. Counts cannot turn into sums of periods where
    /// periods differ, as lines were written by then.
    fn auto_rule(&self) -> Rule {
        Rule::Count
    }

    /// Whether header lines may come after the lines of samples.
    fn has_header(&self) -> bool {
        true
    }

    /// Notes what is known of a sample of this event before its frames are read.
    fn open(&mut self, _origin: &Sample<'_>, _event: &[u8], _window: &mut Window) {}

    /// Adds that sample, given as its labels and its stack: a folded line without the weight.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    fn add(&mut self, line: &[u8], weight: u64, pipe: &mut Pipe) -> Result<()>;

    /// Writes what is still to be written after the last sample.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    fn finish(&mut self, _pipe: &mut Pipe) -> Result<()> {
        Ok(())
    }
}

/// Writes each sample as a folded line: `--per-sample`.
#[derive(Debug)]
pub(super) struct PerSample;

impl Sink for PerSample {
    fn add(&mut self, line: &[u8], weight: u64, pipe: &mut Pipe) -> Result<()> {
        pipe.pass(&FoldedLine::of_labelled_stack(line, weight))
    }
}

/// Samples that are written as they come.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) sink: Box<dyn Sink>,
    /// The line of the current sample without its weight.
    line: Vec<u8>,
}

impl Stream {
    pub(super) fn new(sink: Box<dyn Sink>) -> Stream {
        Stream { sink, line: Vec::new() }
    }

    /// Starts the line of a sample of this event. Its labels are to be appended to what is
    /// returned.
    pub(super) fn open(
        &mut self,
        origin: &Sample<'_>,
        event: &[u8],
        window: &mut Window,
    ) -> &mut Vec<u8> {
        self.sink.open(origin, event, window);
        self.line.clear();
        &mut self.line
    }

    /// Writes the line that was started, to which all was appended but the weight.
    pub(super) fn write(&mut self, weight: u64, pipe: &mut Pipe) -> Result<()> {
        self.sink.add(&self.line, weight, pipe)
    }

    /// Writes that sample with these frames, root first, or reports that its weight does not fit
    /// into 64 bits.
    pub(super) fn close(
        &mut self,
        sample: &OpenSample,
        weight: Option<u64>,
        stack: impl Iterator<Item = FrameId>,
        frames: &FrameTable,
        pipe: &mut Pipe,
    ) -> Result<()> {
        let Stream { sink, line } = self;
        let start = line.len();
        for (depth, frame) in stack.enumerate() {
            if depth > 0 {
                line.push(b';');
            }
            line.extend_from_slice(frames.name(frame));
        }
        if line.len() == start {
            line.extend_from_slice(NO_STACK);
        }
        let Some(weight) = weight else {
            let mut overflows = Overflows::default();
            overflows.leave_out(line, sample.total());
            pipe.leave_out(&overflows);
            return Ok(());
        };
        sink.add(line, weight, pipe)
    }
}

//! What happens to samples: they are summed, or written as they come.

use common::Result;
use common::folded::{FoldedLine, NO_STACK};
use common::stacks::{FrameId, FrameTable, Overflows};

use super::Samples;
use super::args::SamplesArgs;
use super::every::Every;
use super::off_cpu::OffCpu;
use super::sample::OpenSample;
use super::table::Table;
use super::wakers::Wakers;
use super::weight::Rule;

/// What happens to samples.
#[derive(Debug)]
pub(super) enum Sink {
    /// They are summed.
    Sum,
    /// Each is written as a folded line.
    PerSample,
    /// They are summed, and the sums are written every few seconds.
    Every(Every),
    /// Each is a row of a table.
    Table(Table),
    /// The time between switches is summed.
    OffCpu(OffCpu),
    /// Only their events are listed.
    List,
}

impl Sink {
    /// The sink that the options ask for. Adds the frames that it needs to `frames`.
    pub(super) fn new(args: &SamplesArgs, frames: &mut FrameTable) -> Sink {
        match args {
            SamplesArgs { off_cpu: Some(pid), wakers, .. } => {
                Sink::OffCpu(OffCpu::new(*pid, wakers.then(|| Wakers::new(frames))))
            }
            SamplesArgs { table: true, .. } => Sink::Table(Table::default()),
            SamplesArgs { per_sample: true, .. } => Sink::PerSample,
            SamplesArgs { every: Some(length), .. } => Sink::Every(Every::new(*length)),
            SamplesArgs { list_events: true, .. } => Sink::List,
            _ => Sink::Sum,
        }
    }

    /// How sampling periods are weighed by default. Counts turn into sums of periods where periods
    /// differ; that is impossible for lines that are written at once.
    pub(super) fn auto_rule(&self) -> Rule {
        match self {
            Sink::PerSample | Sink::Every(_) => Rule::Count,
            Sink::Table(_) => Rule::Sum,
            Sink::Sum | Sink::OffCpu(_) | Sink::List => Rule::CountWhileEqual,
        }
    }
}

impl Samples<'_> {
    /// Writes the line of one sample, or adds it to its interval, or reports that its weight does
    /// not fit into 64 bits.
    pub(super) fn write_row(
        &mut self,
        sample: &OpenSample,
        weight: Option<u64>,
        frames: impl Iterator<Item = FrameId>,
    ) -> Result<()> {
        self.write_streamed_header()?;
        let Samples { pipe: Some(pipe), sink, base, frames: table, text, line_labels, .. } = self
        else {
            return Ok(());
        };
        text.clear();
        text.extend_from_slice(line_labels);
        let start = text.len();
        for (depth, frame) in base.frames.iter().copied().chain(frames).enumerate() {
            if depth > 0 {
                text.push(b';');
            }
            text.extend_from_slice(table.name(frame));
        }
        if text.len() == start {
            text.extend_from_slice(NO_STACK);
        }
        let Some(weight) = weight else {
            let mut overflows = Overflows::default();
            overflows.leave_out(text, sample.total());
            pipe.leave_out(&overflows);
            return Ok(());
        };
        match sink {
            Sink::Table(rows) => rows.close(text, weight, pipe),
            Sink::Every(every) => every.add(text, weight, pipe),
            _ => pipe.pass(&FoldedLine::of_labelled_stack(text, weight)),
        }
    }
}

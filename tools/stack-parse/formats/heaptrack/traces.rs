//! The stacks that a recording numbers, and the samples of these.

use common::Result;

use crate::read::alive::{Settled, lifetime, lifetime_label};
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time};

/// An allocation, or several that are alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    /// Bytes of one.
    pub(super) size: u64,
    pub(super) trace: u32,
    /// In nanoseconds after the recording began, if it is known.
    pub(super) time: Option<u64>,
    /// How many there are.
    pub(super) count: u64,
}

/// Stacks by their numbers.
pub(super) struct Traces {
    pub(super) comm: Vec<u8>,
    pub(super) names: FrameNames,
    pub(super) stacks: Stacks,
    /// The stack of each trace; the first one is that of no trace.
    pub(super) ids: Vec<StackId>,
    /// Whether only what is in use at a moment counts, by [`LIVE_MEASURES`](super::LIVE_MEASURES).
    pub(super) is_live: bool,
}

impl Traces {
    /// The trace of this number, if it came before.
    pub(super) fn known(&self, trace: u64) -> Option<u32> {
        u32::try_from(trace).ok().filter(|it| (*it as usize) < self.ids.len())
    }

    /// Adds an allocation with these labels, or leaves it out.
    pub(super) fn add(
        &mut self,
        it: &Allocation,
        (counts, lifetime): (bool, Option<&[u8]>),
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let label = lifetime.map(lifetime_label);
        let weights: &[u64] = if self.is_live { &[1, it.size] } else { &[1, 0, 0, 0, it.size] };
        let sample = Sample {
            comm: &self.comm,
            time: it.time.map(Time::Nanoseconds),
            since: it.time.and_then(|time| i64::try_from(time).ok()),
            weights,
            count: it.count,
            labels: label.as_slice(),
            ..Sample::default()
        };
        if !counts {
            samples.leave_out(&sample);
            return Ok(());
        }
        self.stacks.add(&sample, self.ids[it.trace as usize], &self.names, samples)
    }

    /// Adds an allocation of which it is known when it was freed, or leaves it out.
    pub(super) fn settle(
        &mut self,
        settled: &Settled<Allocation>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let Settled { object, freed, counts } = settled;
        let lifetime = lifetime(object.time.unwrap_or_default(), *freed);
        self.add(object, (*counts, Some(&lifetime)), samples)
    }

    /// Adds the sums of a trace, one for each measure.
    pub(super) fn add_sums(
        &mut self,
        trace: usize,
        weights: &[u64],
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let sample = Sample { comm: &self.comm, weights, ..Sample::default() };
        self.stacks.add(&sample, self.ids[trace], &self.names, samples)
    }
}

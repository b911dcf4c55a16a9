//! The numbered stacks of a recording, and their samples.

use common::Result;

use crate::read::alive::{Settled, lifetime, lifetime_label};
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time};

/// An allocation, or several of the same size and stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    /// The bytes of one allocation.
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
    /// The stack of each trace; number 0 is no trace, with an empty stack.
    pub(super) ids: Vec<StackId>,
    /// Whether only allocations in use at a moment count, with
    /// [`LIVE_MEASURES`](super::LIVE_MEASURES).
    pub(super) is_live: bool,
}

impl Traces {
    /// The trace with this number, if it came before.
    pub(super) fn known(&self, trace: u64) -> Option<u32> {
        u32::try_from(trace).ok().filter(|it| (*it as usize) < self.ids.len())
    }

    /// Adds an allocation with its lifetime as a label, or leaves it out if it does not count.
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

    /// Adds an allocation whose end is known, or leaves it out.
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

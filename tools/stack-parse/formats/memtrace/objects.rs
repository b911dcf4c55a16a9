//! Which objects count: `--live`, `--major`, `--promoted`.

use std::collections::{HashMap, HashSet};

use common::{NodeId, Result};

use crate::options::ObjectArgs;
use crate::samples::Samples;
use crate::samples::sample::OpenSample;

impl ObjectArgs {
    /// Whether an object is in the heap that was asked for, as far
    /// as its allocation tells.
    fn admits(self, is_major: bool) -> bool {
        !(self.major || self.promoted) || self.major && is_major
    }

    /// Whether only later events tell whether an object counts.
    fn must_wait(self, is_major: bool) -> bool {
        self.live || self.promoted && !self.admits(is_major)
    }
}

/// Sampled objects of which it is not yet known whether they count: those
/// alive, so memory does not grow with the trace unless the program's does.
#[derive(Debug)]
pub(super) struct Objects {
    args: ObjectArgs,
    waiting: HashMap<u64, Object>,
    /// Collected by one domain before the packet was written in which another
    /// allocated them.
    early: HashSet<u64>,
}

/// An object that waits.
#[derive(Debug)]
struct Object {
    /// Missing if it does not count whatever comes.
    sample: Option<OpenSample>,
    leaf: NodeId,
    is_admitted: bool,
}

impl Objects {
    pub(super) fn new(args: ObjectArgs) -> Objects {
        Objects { args, waiting: HashMap::new(), early: HashSet::new() }
    }

    /// Notes an allocation whose backtrace ends in `leaf`; true if it counts
    /// at once.
    pub(super) fn allocate(
        &mut self,
        object: u64,
        is_major: bool,
        sample: Option<OpenSample>,
        leaf: NodeId,
        samples: &mut Samples<'_>,
    ) -> bool {
        let is_admitted = self.args.admits(is_major);
        let must_wait = self.args.must_wait(is_major) && !self.early.remove(&object);
        let left_out = if must_wait {
            let waits = Object { sample, leaf, is_admitted };
            // No number comes twice but in a damaged trace.
            self.waiting.insert(object, waits).and_then(|before| before.sample)
        } else if self.args.live || !is_admitted {
            sample
        } else {
            return sample.is_some();
        };
        if let Some(sample) = left_out {
            samples.leave_out(&sample);
        }
        false
    }

    /// Notes that an object was promoted to the major heap.
    pub(super) fn promote(&mut self, object: u64, samples: &mut Samples<'_>) -> Result<()> {
        if !self.args.promoted {
            return Ok(());
        }
        if self.args.live {
            if let Some(waits) = self.waiting.get_mut(&object) {
                waits.is_admitted = true;
            }
            return Ok(());
        }
        match self.waiting.remove(&object) {
            Some(waits) => Object { is_admitted: true, ..waits }.settle(samples),
            None => Ok(()),
        }
    }

    /// Notes that an object was collected.
    pub(super) fn collect(&mut self, object: u64, samples: &mut Samples<'_>) -> Result<()> {
        match self.waiting.remove(&object) {
            Some(waits) => Object { is_admitted: false, ..waits }.settle(samples),
            None => {
                if self.args.live {
                    self.early.insert(object);
                }
                Ok(())
            }
        }
    }

    /// Counts what is left at the end of the trace.
    pub(super) fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let is_live = self.args.live;
        self.waiting.drain().try_for_each(|(_, waits)| {
            let is_admitted = is_live && waits.is_admitted;
            Object { is_admitted, ..waits }.settle(samples)
        })
    }
}

impl Object {
    /// Counts it or leaves it out.
    fn settle(self, samples: &mut Samples<'_>) -> Result<()> {
        match self.sample {
            // Only sums wait, which need no frames but the leaf.
            Some(sample) if self.is_admitted => {
                samples.close(sample, self.leaf, std::iter::empty())
            }
            Some(sample) => {
                samples.leave_out(&sample);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

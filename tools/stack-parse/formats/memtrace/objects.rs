//! Objects that are held until later events show whether they count, or for how long they are in
//! use: `--live`, `--promoted`, and the label `lifetime`.

use std::collections::HashMap;

use common::Result;

use super::codes::{CodeId, Codes};
use super::process::{MEASURES, Process};
use crate::options::{Live, ObjectArgs};
use crate::read::alive::{Alive, Counted, Level, Settled, When, lifetime, lifetime_label};
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::Sample;

impl ObjectArgs {
    /// Whether an object was allocated in a heap that was asked for.
    pub(super) fn admits(self, is_major: bool) -> bool {
        !self.choose_heaps() || self.major && is_major
    }
}

/// Sampled objects that are in use.
pub(super) struct Objects {
    args: ObjectArgs,
    alive: Alive<Object>,
    level: Level,
    /// When objects were collected whose allocation comes later in the file: a domain may write its
    /// packet before that of the domain which allocated them.
    early: HashMap<u64, When>,
    stacks: Stacks,
    names: FrameNames,
}

/// An object, as known from its allocation.
#[derive(Clone, Copy)]
pub(super) struct Object {
    /// In microseconds since the epoch.
    pub(super) time: u64,
    /// How many samples it has.
    pub(super) count: u64,
    pub(super) domain: u16,
    /// Whether it is in a heap that was asked for.
    pub(super) is_admitted: bool,
    pub(super) stack: StackId,
}

impl Objects {
    /// `None` if objects need not be held, as each allocation shows whether it counts.
    ///
    /// # Errors
    ///
    /// [`common::Error::Usage`] if lifetimes are asked for where lines cannot be held.
    pub(super) fn new(args: ObjectArgs, samples: &Samples<'_>) -> Result<Option<Objects>> {
        let needs_later = args.live().is_some() || args.promoted || samples.wants.list;
        if !(samples.wants.lifetimes()? || needs_later) {
            return Ok(None);
        }
        let counted = match args.live() {
            None => Counted::All,
            Some(Live::Peak) => Counted::AtMark,
            Some(Live::At(_) | Live::End) => Counted::AtMoment,
        };
        Ok(Some(Objects {
            args,
            alive: Alive::new(counted),
            level: Level::default(),
            early: HashMap::new(),
            stacks: Stacks::default(),
            names: FrameNames::default(),
        }))
    }

    /// The stack in which `callers` called the functions of a location code.
    pub(super) fn call(
        &mut self,
        callers: StackId,
        code: CodeId,
        codes: &mut Codes,
        samples: &mut Samples<'_>,
    ) -> StackId {
        let frame = codes.number_in(&mut self.names, code, samples);
        self.stacks.call(callers, frame)
    }

    /// When something happened at `time`, in microseconds since the epoch.
    fn when(&self, time: u64, process: &Process) -> When {
        let since = u64::try_from(process.since(time)).unwrap_or(0);
        let is_late = matches!(self.args.live(), Some(Live::At(moment)) if since > moment);
        When { time: since, is_late }
    }

    /// Holds an allocated object.
    pub(super) fn allocate(
        &mut self,
        key: u64,
        object: Object,
        process: &Process,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let when = self.when(object.time, process);
        let Objects { alive, level, early, stacks, names, .. } = self;
        let mut settle =
            |it: Settled<Object>| it.object.settle(&it, process, stacks, names, samples);
        alive.allocate(key, object, when, &mut settle)?;
        if let Some(collected) = early.remove(&key) {
            return alive.free(key, collected, &mut settle).map(drop);
        }
        if level.add(object.count, when.time) {
            alive.mark(&mut settle)?;
        }
        Ok(())
    }

    /// Records that an object was promoted to the major heap.
    pub(super) fn promote(&mut self, key: u64) {
        if let Some(object) = self.alive.get_mut(key) {
            object.is_admitted |= self.args.promoted;
        }
    }

    /// Records that an object was collected at `time`, in microseconds since the epoch.
    pub(super) fn collect(
        &mut self,
        key: u64,
        time: u64,
        process: &Process,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let when = self.when(time, process);
        let Objects { alive, level, early, stacks, names, .. } = self;
        match alive.get_mut(key) {
            Some(object) => level.free(object.count),
            None => {
                early.insert(key, when);
                return Ok(());
            }
        }
        let mut settle =
            |it: Settled<Object>| it.object.settle(&it, process, stacks, names, samples);
        alive.free(key, when, &mut settle).map(drop)
    }

    /// Settles what is in use at the end of the trace, and notes the peak.
    pub(super) fn finish(&mut self, process: &Process, samples: &mut Samples<'_>) -> Result<()> {
        let Objects { alive, level, stacks, names, .. } = self;
        let mut settle =
            |it: Settled<Object>| it.object.settle(&it, process, stacks, names, samples);
        alive.finish(&mut settle)?;
        let when = common::numbers::seconds(level.at);
        for (measure, weight) in MEASURES.iter().zip(process.weights) {
            let most = level.most.saturating_mul(weight);
            samples.events.note_peak(measure.name, most, when.as_bytes());
        }
        Ok(())
    }
}

impl Object {
    /// Counts it or leaves it out.
    fn settle(
        &self,
        settled: &Settled<Object>,
        process: &Process,
        stacks: &mut Stacks,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let domain = self.domain.to_string();
        let sample = process.sample(self.time, self.count, domain.as_bytes());
        if !(settled.counts && self.is_admitted) {
            samples.leave_out(&sample);
            return Ok(());
        }
        let allocated = u64::try_from(process.since(self.time)).unwrap_or(0);
        let lifetime = lifetime(allocated, settled.freed);
        let labels = [lifetime_label(&lifetime)];
        stacks.add(&Sample { labels: &labels, ..sample }, self.stack, names, samples)
    }
}

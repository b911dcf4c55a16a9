//! V8's samples: each is a node of its call tree, and a time.

use std::io::Read;

use common::Result;

use super::Nodes;
use crate::read::held::Held;
use crate::read::json::Json;
use crate::read::stacks::Stacks;
use crate::samples::Samples;

/// Samples in the order they were written. All times are in nanoseconds.
#[derive(Default)]
pub(crate) struct Ticks {
    nodes: Vec<u64>,
    /// The time since the sample before, which may be negative; or the time itself; or [`NO_TIME`].
    deltas: Vec<i64>,
    are_times: bool,
    pub(crate) start: Option<i64>,
    pub(crate) end: Option<i64>,
}

/// V8 writes microseconds.
const TO_NANOSECONDS: i32 = 3;

/// A time that is not a number, or does not fit into 64 bits.
const NO_TIME: i64 = i64::MIN;

impl Ticks {
    /// Whether there are samples, not only counts of them.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Reads an array of the ids of nodes.
    pub(crate) fn read_samples<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.for_each(|json| {
            self.nodes.push(json.integer()?.unwrap_or(u64::MAX));
            Ok(())
        })
    }

    /// Reads an array of the time since the sample before each. Some writers have it twice: then
    /// the last one counts.
    pub(crate) fn read_deltas<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        self.deltas.clear();
        json.for_each(|json| {
            self.deltas.push(Ticks::read_time(json)?.unwrap_or(NO_TIME));
            Ok(())
        })
    }

    /// Reads an array of the time of each sample, as the first generation has it.
    pub(crate) fn read_times<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        self.are_times = true;
        self.read_deltas(json)
    }

    /// Reads a time; `None` if the value is not one.
    pub(crate) fn read_time<R: Read>(json: &mut Json<R>) -> Result<Option<i64>> {
        Ok(json.scaled(TO_NANOSECONDS)?.and_then(|time| i64::try_from(time).ok()))
    }

    /// Adds the samples of a later part.
    pub(crate) fn append(&mut self, later: Ticks) {
        self.nodes.extend(later.nodes);
        self.deltas.extend(later.deltas);
        self.start = later.start.or(self.start);
        self.end = later.end.or(self.end);
    }

    /// Holds the samples, and notes how many have no node or no time. The weight of a sample is the
    /// time to the next one, for the last one to the end. V8 may write samples in another order
    /// than they were taken, with negative deltas between.
    pub(crate) fn hold(
        self,
        thread: u32,
        nodes: &mut Nodes,
        held: &mut Held,
        samples: &mut Samples<'_>,
    ) {
        let Ticks { start, end, are_times, .. } = self;
        // Without a start, times count from 0 and cannot be compared with the end.
        let is_startless = !are_times && start.is_none() && end.is_some();
        let (mut nodeless, is_empty) = (0, self.is_empty());
        let (ticks, timeless, bad_deltas) = self.in_order();
        let end = end.filter(|_| !is_startless);
        for (place, &(time, node)) in ticks.iter().enumerate() {
            let next = ticks.get(place + 1).map(|(time, _)| *time).or(end).unwrap_or(time);
            // The end may be before the last sample.
            let weight = if next > time { next.abs_diff(time) } else { 0 };
            let stack = nodes.stack_of_next(node);
            nodeless += u64::from(stack.is_none());
            let stack = stack.unwrap_or(Stacks::EMPTY);
            let time = u64::try_from(time).ok().filter(|_| !is_startless);
            held.add(thread, stack, weight, time);
        }
        samples.note_counts(&[
            (nodeless, "samples have no node: they are without a stack"),
            (timeless as u64, "samples have no time: they are left out"),
            (bad_deltas, "times between samples are no numbers of 64 bits: no time passes there"),
        ]);
        if is_startless && !is_empty {
            samples.note("a profile has an end but no start: its last sample weighs nothing");
        }
    }

    /// The time and node of each sample, in the order of time; how many samples have no time, or
    /// times no sample; and how many times since the sample before are not numbers or do not fit.
    fn in_order(self) -> (Vec<(i64, u64)>, usize, u64) {
        let (mut timeless, mut bad_deltas) = (self.nodes.len().abs_diff(self.deltas.len()), 0);
        let mut now = if self.are_times { 0 } else { self.start.unwrap_or_default() };
        let mut ticks: Vec<(i64, u64)> = Vec::with_capacity(self.nodes.len());
        for (node, delta) in self.nodes.into_iter().zip(self.deltas) {
            let is_time = delta != NO_TIME;
            match self.are_times {
                true if is_time => now = delta,
                true => {
                    timeless += 1;
                    continue;
                }
                false => match now.checked_add(delta).filter(|_| is_time) {
                    Some(time) => now = time,
                    None => bad_deltas += 1,
                },
            }
            ticks.push((now, node));
        }
        ticks.sort_by_key(|(time, _)| *time);
        (ticks, timeless, bad_deltas)
    }
}

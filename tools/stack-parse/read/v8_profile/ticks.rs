//! V8's samples: at which node of its call tree the program was, and when.

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
    /// The time since the sample before, which may be negative; or the time.
    deltas: Vec<i64>,
    are_times: bool,
    pub(crate) start: Option<i64>,
    pub(crate) end: Option<i64>,
}

/// V8 writes microseconds.
const TO_NANOSECONDS: i32 = 3;

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

    /// Reads an array of the time since the sample before each; some writers have it
    /// twice.
    pub(crate) fn read_deltas<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        self.deltas.clear();
        json.for_each(|json| {
            self.deltas.push(Ticks::read_time(json)?.unwrap_or_default());
            Ok(())
        })
    }

    /// Reads an array of the time of each sample, as the first generation has it.
    pub(crate) fn read_times<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        self.are_times = true;
        self.read_deltas(json)
    }

    /// Reads a time; `None` if the value is none.
    pub(crate) fn read_time<R: Read>(json: &mut Json<R>) -> Result<Option<i64>> {
        Ok(json.scaled(TO_NANOSECONDS)?.and_then(|time| i64::try_from(time).ok()))
    }

    /// Takes in the samples of a later part.
    pub(crate) fn append(&mut self, later: Ticks) {
        self.nodes.extend(later.nodes);
        self.deltas.extend(later.deltas);
        self.start = later.start.or(self.start);
        self.end = later.end.or(self.end);
    }

    /// Holds the samples, and says how many have no node or no time. Each weighs
    /// the time to the next one, the last one the time to the end. V8 may write
    /// them in another order than they were taken, with negative deltas between.
    pub(crate) fn hold(
        self,
        thread: u32,
        nodes: &Nodes,
        held: &mut Held,
        samples: &mut Samples<'_>,
    ) {
        let (mut nodeless, timeless) = (0, self.nodes.len().abs_diff(self.deltas.len()));
        let mut now = if self.are_times { 0 } else { self.start.unwrap_or_default() };
        let mut ticks: Vec<(i64, u64)> = Vec::with_capacity(self.nodes.len());
        for (node, delta) in self.nodes.into_iter().zip(self.deltas) {
            now = if self.are_times { delta } else { now.saturating_add(delta) };
            ticks.push((now, node));
        }
        ticks.sort_by_key(|(time, _)| *time);
        for (place, &(time, node)) in ticks.iter().enumerate() {
            let next = ticks.get(place + 1).map(|(time, _)| *time).or(self.end).unwrap_or(time);
            let weight = u64::try_from(next.saturating_sub(time)).unwrap_or_default();
            nodeless += u64::from(nodes.stack(node).is_none());
            let stack = nodes.stack(node).unwrap_or(Stacks::EMPTY);
            held.add(thread, stack, weight, u64::try_from(time).ok());
        }
        if nodeless > 0 || timeless > 0 {
            samples.note(format_args!(
                "{nodeless} samples are of no node, {timeless} have no time and are left out"
            ));
        }
    }
}

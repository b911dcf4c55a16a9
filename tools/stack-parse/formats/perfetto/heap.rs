//! Memory samples of heapprofd: for each stack the bytes allocated and freed since the start, in
//! one dump or in several.

use hashbrown::HashMap;

use super::clocks::{Clocks, MONOTONIC_COARSE};
use super::code::Codes;
use super::interned::{Interned, Layout};
use super::lanes::{HEAP_EVENTS, Lane, Lanes};
use super::messages::{Message, repeated};
use crate::read::held::Held;
use crate::read::protobuf::Malformed;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::Samples;

/// How many numbers a dump has for each stack: all [`HEAP_EVENTS`] except the last.
const COUNTS: usize = HEAP_EVENTS.len() - 1;

/// The indexes of the bytes in [`HEAP_EVENTS`].
const ALLOCATED: usize = 0;
const FREED: usize = 1;
const IN_USE: usize = COUNTS;

/// The key of a stack in a dump: its process, heap (a text) and stack id.
type Place = (i64, u32, u64);

/// A dump that may continue in more packets.
#[derive(Default)]
struct Dump {
    /// Declarations in the dump's own packets, as on Android 10.
    interned: Interned,
    stacks: HashMap<Place, Counts>,
}

/// The sums up to a time in nanoseconds.
#[derive(Clone, Copy, Default)]
struct Counts {
    time: Option<i64>,
    sums: [u64; COUNTS],
}

/// All dumps.
#[derive(Default)]
pub(super) struct Heaps {
    /// Incomplete dumps, by the id of their sequence.
    open: HashMap<u64, Dump>,
    /// The last counts of each stack.
    last: HashMap<(u64, Place, StackId), Counts>,
    /// How many counts are smaller than those before them.
    shrunk: u64,
    unknown_stacks: u64,
    /// How many dumps report each of [`TROUBLES`].
    troubles: [u64; TROUBLES.len()],
}

/// Fields of a dump that mark it as incomplete, and their meaning.
const TROUBLES: [(usize, &str); 4] = [
    (4, "were rejected, as another session profiled their process"),
    (7, "end early, as their buffer overran"),
    (8, "end early, as their buffer was damaged"),
    (10, "end early, as they took too much memory or time"),
];

impl Heaps {
    /// Adds a packet; returns whether its dump is complete.
    pub(super) fn add(
        &mut self,
        sequence: u64,
        message: &[u8],
        time: Option<i64>,
        clocks: &mut Clocks,
        (codes, stacks): (&mut Codes, &mut Stacks),
    ) -> Result<bool, Malformed> {
        let dump = self.open.entry(sequence).or_default();
        let declared = dump.interned.read(message, Layout::ProfilePacket, codes, stacks);
        for process in repeated(message, 5) {
            let process = process?;
            let said = Message::<12>::read(process)?;
            for (count, (field, _)) in self.troubles.iter_mut().zip(TROUBLES) {
                *count += u64::from(said.number(field) != 0);
            }
            let own_time = said.known(9).filter(|time| *time > 0);
            let own_time =
                own_time.and_then(|it| clocks.time(sequence, Some(MONOTONIC_COARSE), it));
            let heap = codes.text(said.bytes(11));
            for sample in repeated(process, 2) {
                let sample = Message::<10>::read(sample?)?;
                let sums = [2, 3, 5, 6, 8].map(|field| sample.number(field));
                let counts = Counts { time: own_time.or(time), sums };
                dump.stacks.insert((said.signed(1), heap, sample.number(1)), counts);
            }
        }
        declared?;
        Ok(Message::<7>::read(message)?.number(6) == 0)
    }

    /// Counts the dump of a sequence: the difference from the dump before it.
    pub(super) fn close(
        &mut self,
        sequence: u64,
        interned: &Interned,
        unknown: StackId,
        lanes: &mut Lanes,
        held: &mut Held,
    ) {
        let Some(Dump { interned: own, stacks }) = self.open.remove(&sequence) else { return };
        let mut counted: Vec<_> = stacks.into_iter().collect();
        counted.sort_unstable_by_key(|(place, _)| *place);
        for (place, counts) in counted {
            let (process, heap, number) = place;
            let stack = own.stack(number).or_else(|| interned.stack(number));
            self.unknown_stacks += u64::from(stack.is_none());
            let stack = stack.unwrap_or(unknown);
            let last = self.last.entry((sequence, place, stack)).or_default();
            if counts.sums.iter().zip(last.sums).any(|(sum, last)| *sum < last) {
                self.shrunk += 1;
                continue;
            }
            for (event, (sum, last)) in counts.sums.iter().zip(last.sums).enumerate() {
                if *sum > last {
                    let lane = lanes.number(Lane::Heap { event, process, heap }, held);
                    held.add(lane, stack, sum - last, nanoseconds(counts.time));
                }
            }
            *last = counts;
        }
    }

    /// The sequences whose last dump is incomplete, because the trace was cut.
    pub(super) fn open(&self) -> Vec<u64> {
        let mut open: Vec<u64> = self.open.keys().copied().collect();
        open.sort_unstable();
        open
    }

    /// Counts the memory in use at the end, and reports what is wrong.
    pub(super) fn finish(&self, lanes: &mut Lanes, held: &mut Held, samples: &mut Samples<'_>) {
        let mut last: Vec<_> = self.last.iter().collect();
        last.sort_unstable_by_key(|(key, _)| **key);
        for ((_, (process, heap, _), stack), counts) in last {
            let in_use = counts.sums[ALLOCATED].saturating_sub(counts.sums[FREED]);
            if in_use > 0 {
                let lane = Lane::Heap { event: IN_USE, process: *process, heap: *heap };
                let lane = lanes.number(lane, held);
                held.add(lane, *stack, in_use, nanoseconds(counts.time));
            }
        }
        for (count, (_, what)) in self.troubles.iter().zip(TROUBLES) {
            if *count > 0 {
                samples.note(format_args!("{count} dumps of memory {what}"));
            }
        }
        for (count, what) in [
            (self.shrunk, "counts of memory are smaller than before: they are left out"),
            (self.unknown_stacks, "counts of memory have no stack in this trace: it is [unknown]"),
        ] {
            if count > 0 {
                samples.note(format_args!("{count} {what}"));
            }
        }
    }
}

/// A time that is not negative.
fn nanoseconds(time: Option<i64>) -> Option<u64> {
    time.and_then(|time| u64::try_from(time).ok())
}

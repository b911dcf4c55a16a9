//! Memory samples of heapprofd: for each stack the bytes allocated and freed since the start, in
//! one dump or in several.

use hashbrown::HashMap;

use super::clocks::{Clocks, MONOTONIC_COARSE};
use super::code::Codes;
use super::interned::{Interned, of_profile_packet};
use super::lanes::{HEAP_EVENTS, Lane, Lanes};
use super::messages::{heap_sample as sample, process_heap_samples as dump, profile_packet};
use crate::read::held::Held;
use crate::read::protobuf::{FieldNumber, Malformed, repeated};
use crate::read::stacks::{StackId, Stacks};
use crate::samples::{Loss, Samples};

/// The numbers that a dump has for each stack: all [`HEAP_EVENTS`] except the last.
const COUNTS: [FieldNumber; HEAP_EVENTS.len() - 1] = [
    sample::SELF_ALLOCATED,
    sample::SELF_FREED,
    sample::ALLOC_COUNT,
    sample::FREE_COUNT,
    sample::SELF_MAX,
];

/// The indexes of the bytes in [`HEAP_EVENTS`].
const ALLOCATED: usize = 0;
const FREED: usize = 1;
const IN_USE: usize = COUNTS.len();

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
    sums: [u64; COUNTS.len()],
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
    /// The number of the last packet of each sequence.
    indexes: HashMap<u64, u64>,
    /// How many packets are missing between others of their sequence.
    missing: u64,
    /// How many dumps report each of [`TROUBLES`].
    troubles: [u64; TROUBLES.len()],
}

/// Fields of a dump that mark it as incomplete, and their meaning.
const TROUBLES: [(FieldNumber, &str); 5] = [
    (
        dump::REJECTED_CONCURRENT,
        "dumps of memory were rejected, as another session profiled their process",
    ),
    (dump::BUFFER_OVERRAN, "dumps of memory end early, as their buffer overran"),
    (dump::BUFFER_CORRUPTED, "dumps of memory end early, as their buffer was damaged"),
    (dump::HIT_GUARDRAIL, "dumps of memory end early, as they took too much memory or time"),
    (dump::CLIENT_ERROR, "dumps of memory end early, as their process could not go on sending"),
];

impl Heaps {
    /// Notes the number of a packet in its sequence. The trace of a buffer that was overwritten
    /// begins with any number.
    pub(super) fn note_index(&mut self, sequence: u64, message: &[u8]) {
        let said = profile_packet::read(message).ok();
        if let Some(index) = said.and_then(|said| said.known(profile_packet::INDEX)) {
            let last = self.indexes.insert(sequence, index);
            let between = last.and_then(|last| index.checked_sub(last)?.checked_sub(1));
            self.missing = self.missing.saturating_add(between.unwrap_or_default());
        }
    }

    /// Adds a packet; returns whether its dump is complete.
    pub(super) fn add(
        &mut self,
        sequence: u64,
        message: &[u8],
        time: Option<i64>,
        clocks: &mut Clocks,
        (codes, stacks): (&mut Codes, &mut Stacks),
    ) -> Result<bool, Malformed> {
        let open = self.open.entry(sequence).or_default();
        let declared = open.interned.read(message, of_profile_packet, codes, stacks);
        for process in repeated(message, profile_packet::PROCESS_DUMPS) {
            let process = process?;
            let said = dump::read(process)?;
            for (count, (field, _)) in self.troubles.iter_mut().zip(TROUBLES) {
                *count += u64::from(said.number(field) != 0);
            }
            let own_time = said.known(dump::TIMESTAMP).filter(|time| *time > 0);
            let own_time =
                own_time.and_then(|it| clocks.time(sequence, Some(MONOTONIC_COARSE), it));
            let heap = codes.text(said.bytes(dump::HEAP_NAME));
            for it in repeated(process, dump::SAMPLES) {
                let it = sample::read(it?)?;
                let counts =
                    Counts { time: own_time.or(time), sums: COUNTS.map(|at| it.number(at)) };
                let place = (said.signed(dump::PID), heap, it.number(sample::CALLSTACK_ID));
                open.stacks.insert(place, counts);
            }
        }
        declared?;
        Ok(profile_packet::read(message)?.number(profile_packet::CONTINUED) == 0)
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
        let troubles = self.troubles.iter().zip(TROUBLES);
        for (count, (_, what)) in troubles.filter(|(count, _)| **count > 0) {
            samples.doubt(format_args!("{count} {what}"));
        }
        if self.missing > 0 {
            let (of, recorded, remedy) = ("packets of memory", None, "use a larger buffer");
            let (count, is_exact) = (self.missing, false);
            samples.note_loss(Loss { count, of, recorded, remedy, is_exact });
        }
        samples.note_counts(&[
            (self.shrunk, "counts of memory are smaller than before: they are left out"),
            (self.unknown_stacks, "counts of memory have no stack in this trace: it is [unknown]"),
        ]);
    }
}

/// A time that is not negative.
fn nanoseconds(time: Option<i64>) -> Option<u64> {
    time.and_then(|time| u64::try_from(time).ok())
}

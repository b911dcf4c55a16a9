//! What slices of wall time show together: the critical path, which is what had to end so that the
//! program could end, and how long threads ran in each stack.

use common::critical::{Ends, Lengths, Part, Slices, Times, main_threads, walk, without_waker};
use common::folded::{StackBuf, ThreadState};
use common::stacks::StackCounts;
use hashbrown::HashMap;

use super::columns::{PATH, PROCESSOR};

/// How long the path is in each stack, and how long threads ran with it.
pub(crate) struct Path {
    /// None where nobody recorded who ended the waits.
    stacks: HashMap<Vec<u8>, u64>,
    ran: HashMap<Vec<u8>, u64>,
    /// How many threads there are.
    pub(crate) threads: usize,
}

impl Path {
    /// The path to the end of the main thread; `None` if there are no slices, or they overlap.
    pub(crate) fn of(mut slices: Slices) -> Option<Path> {
        slices.sort().ok().filter(|()| !slices.is_empty())?;
        let times = Times::recorded(&slices);
        let lengths = lengths(&slices, times).unwrap_or_default();
        let threads = slices.threads.iter().filter(|thread| !thread.slices.is_empty()).count();
        let (stacks, ran) = (by_stack(&slices, &lengths), by_stack(&slices, &ran(&slices, times)));
        Some(Path { stacks, ran, threads })
    }

    /// Adds its stacks, below a root of their own.
    pub(crate) fn add_to(&self, counts: &mut StackCounts) {
        let mut text = StackBuf::default();
        for (root, stacks) in [(PATH, &self.stacks), (PROCESSOR, &self.ran)] {
            for (stack, length) in stacks {
                text.set_below(root.as_bytes(), stack);
                counts.add(text.as_bytes(), *length);
            }
        }
    }
}

fn lengths(slices: &Slices, times: Times<'_>) -> Option<Lengths> {
    let (thread, _) = main_threads(slices, None).filter(|_| slices.know_wakers())?;
    let of = &slices.threads[thread as usize];
    let ends = Ends { thread, start: of.start()?, end: of.end()? };
    let mut lengths = Lengths::default();
    walk(times, ends, |part| lengths.add(part, times), |_, _| {});
    Some(lengths)
}

/// How long each thread ran in its stacks. Many slices are too short for a sample: what a thread ran
/// is shared among its samples.
fn ran(slices: &Slices, times: Times<'_>) -> Lengths {
    let mut lengths = Lengths::default();
    for (thread, number) in slices.threads.iter().zip(0..) {
        let running = thread.slices.iter().zip(0..);
        for (slice, at) in running.filter(|(it, _)| it.state() == ThreadState::Running) {
            lengths.add(Part { thread: number, at, from: slice.start(), to: slice.end() }, times);
        }
    }
    lengths
}

fn by_stack(slices: &Slices, lengths: &Lengths) -> HashMap<Vec<u8>, u64> {
    let mut stacks = HashMap::new();
    for ((_, _, stack), length) in lengths.all() {
        let stack = without_waker(slices.stacks.name(stack));
        *stacks.entry_ref(stack).or_default() += length;
    }
    stacks
}

//! Counts stacks while the next lines are read.

use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use crate::stacks::StackCounts;

/// The size of a batch in bytes: to count fewer in another thread would not be faster.
const BATCH_SIZE: usize = 256 * 1024;

/// How many full batches may wait, so that a short delay on one side does not stop the other.
const WAITING: usize = 4;

/// Counts stacks; in a second thread as soon as there are many.
#[derive(Default)]
pub(crate) struct Counting {
    batch: Batch,
    thread: Thread,
}

/// Which thread counts full batches.
enum Thread {
    /// No batch was full yet.
    NotNeeded(StackCounts),
    Running(CountingThread),
    /// The system refused a thread, so the thread that reads counts, too.
    Refused(StackCounts),
}

impl Default for Thread {
    fn default() -> Thread {
        Thread::NotNeeded(StackCounts::default())
    }
}

/// Stacks to count.
#[derive(Default)]
struct Batch {
    /// The stacks, one after another.
    text: Vec<u8>,
    /// Where each ends in `text`, and its weight.
    stacks: Vec<(usize, u64)>,
}

struct CountingThread {
    full: SyncSender<Batch>,
    /// Batches that were counted and emptied, to be filled again.
    empty: Receiver<Batch>,
    handle: JoinHandle<StackCounts>,
}

impl Counting {
    /// Adds a folded stack.
    #[inline]
    pub(crate) fn add(&mut self, stack: &[u8], weight: u64) {
        self.batch.text.extend_from_slice(stack);
        self.batch.stacks.push((self.batch.text.len(), weight));
        if self.batch.text.len() >= BATCH_SIZE {
            self.count_batch();
        }
    }

    fn count_batch(&mut self) {
        if let Thread::NotNeeded(counts) = &mut self.thread {
            let counts = mem::take(counts);
            self.thread = CountingThread::spawn().map_or(Thread::Refused(counts), Thread::Running);
        }
        match &mut self.thread {
            Thread::Running(thread) => {
                let next = thread.empty.try_recv().unwrap_or_default();
                // This only fails when the thread panicked, which `join` reports.
                let _ = thread.full.send(mem::replace(&mut self.batch, next));
            }
            Thread::NotNeeded(counts) | Thread::Refused(counts) => {
                self.batch.count(counts);
                self.batch.clear();
            }
        }
    }

    /// All stacks that were added.
    pub(crate) fn finish(self) -> StackCounts {
        let mut counts = match self.thread {
            Thread::Running(thread) => thread.join(),
            Thread::NotNeeded(counts) | Thread::Refused(counts) => counts,
        };
        self.batch.count(&mut counts);
        counts
    }
}

impl Batch {
    fn count(&self, counts: &mut StackCounts) {
        let mut start = 0;
        for &(end, weight) in &self.stacks {
            counts.add(&self.text[start..end], weight);
            start = end;
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.stacks.clear();
    }
}

impl CountingThread {
    /// `None` if the system refuses: a limit of processes or of memory.
    fn spawn() -> Option<CountingThread> {
        let (full, batches) = sync_channel::<Batch>(WAITING);
        let (done, empty) = channel();
        let count = move || {
            let mut counts = StackCounts::default();
            for mut batch in batches {
                batch.count(&mut counts);
                batch.clear();
                // After the last line, this batch is not needed any more.
                let _ = done.send(batch);
            }
            counts
        };
        let handle = thread::Builder::new().spawn(count).ok()?;
        Some(CountingThread { full, empty, handle })
    }

    fn join(self) -> StackCounts {
        drop(self.full);
        self.handle.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{io::Total, stacks::counts::tests::sorted};

    #[test]
    fn nothing_is_lost_between_batches() {
        // The last line but one is longer than a batch.
        let long = "x".repeat(2 * BATCH_SIZE);
        let stacks = (0..200_000).map(|number| format!("main;f{};g", number % 1000));
        let stacks = stacks.chain([long, "last".to_owned()]);
        let (mut counting, mut counts) = (Counting::default(), StackCounts::default());
        for (stack, weight) in stacks.zip(1..) {
            counting.add(stack.as_bytes(), weight);
            counts.add(stack.as_bytes(), weight);
        }
        assert!(matches!(counting.thread, Thread::Running(_)));
        assert_eq!(sorted(counting.finish()), sorted(counts));
    }

    #[test]
    fn weights_that_do_not_fit_are_left_out_in_any_thread() {
        for lines in [3, 1_000_000] {
            let mut counting = Counting::default();
            (0..lines).for_each(|_| counting.add(b"main;leaf", u64::MAX / 2));
            let counts = counting.finish();
            let left_out: Vec<_> = counts.overflows().named().collect();
            let lines = lines - 2;
            let total = Total { lines, weight: u128::from(lines) * u128::from(u64::MAX / 2) };
            assert_eq!(left_out, [(&b"main;leaf"[..], total)]);
            assert_eq!(sorted(counts), [(b"main;leaf".to_vec(), u64::MAX - 1)]);
        }
    }
}

//! Counting while the next lines are read.

use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use crate::{Result, StackCounts};

/// As large as the blocks that are read: less is not worth a thread.
const BATCH_SIZE: usize = 256 * 1024;

/// How many batches may wait, so that neither side waits for a short time of
/// the other.
const WAITING: usize = 4;

/// Counts stacks, in a thread of its own as soon as there are many.
#[derive(Default)]
pub(crate) struct Counting {
    batch: Batch,
    thread: Option<CountingThread>,
}

/// Stacks to count.
#[derive(Default)]
struct Batch {
    /// One after another.
    text: Vec<u8>,
    /// Where each ends in `text`, and its weight.
    stacks: Vec<(usize, u64)>,
}

struct CountingThread {
    full: SyncSender<Batch>,
    /// Batches that were counted: their memory is used again.
    empty: Receiver<Batch>,
    handle: JoinHandle<Result<StackCounts>>,
}

impl Counting {
    /// Adds a folded stack.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Overflow`] when the sum of an earlier one did not fit.
    #[inline]
    pub(crate) fn add(&mut self, stack: &[u8], weight: u64) -> Result<()> {
        self.batch.text.extend_from_slice(stack);
        self.batch.stacks.push((self.batch.text.len(), weight));
        if self.batch.text.len() < BATCH_SIZE { Ok(()) } else { self.hand_over() }
    }

    fn hand_over(&mut self) -> Result<()> {
        let thread = self.thread.get_or_insert_with(CountingThread::spawn);
        let next = thread.empty.try_recv().unwrap_or_default();
        if thread.full.send(mem::replace(&mut self.batch, next)).is_err() {
            // It left early, and says why.
            self.thread.take().map_or(Ok(StackCounts::default()), CountingThread::join)?;
        }
        Ok(())
    }

    /// All stacks that were added.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Overflow`] when a sum does not fit.
    pub(crate) fn finish(self) -> Result<StackCounts> {
        let mut counts = self.thread.map_or(Ok(StackCounts::default()), CountingThread::join)?;
        self.batch.count(&mut counts)?;
        Ok(counts)
    }
}

impl Batch {
    fn count(&self, counts: &mut StackCounts) -> Result<()> {
        let mut start = 0;
        for &(end, weight) in &self.stacks {
            counts.add(&self.text[start..end], weight)?;
            start = end;
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.text.clear();
        self.stacks.clear();
    }
}

impl CountingThread {
    fn spawn() -> CountingThread {
        let (full, batches) = sync_channel::<Batch>(WAITING);
        let (done, empty) = channel();
        let handle = thread::spawn(move || {
            let mut counts = StackCounts::default();
            for mut batch in batches {
                batch.count(&mut counts)?;
                batch.clear();
                // Nobody wants it when all is read.
                let _ = done.send(batch);
            }
            Ok(counts)
        });
        CountingThread { full, empty, handle }
    }

    fn join(self) -> Result<StackCounts> {
        drop(self.full);
        self.handle.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::stacks::counts::tests::sorted;

    #[test]
    fn nothing_is_lost_between_batches() {
        // The last line is longer than a batch, and there is one behind it.
        let long = "x".repeat(2 * BATCH_SIZE);
        let stacks = (0..200_000).map(|number| format!("main;f{};g", number % 1000));
        let stacks = stacks.chain([long, "last".to_owned()]);
        let (mut counting, mut counts) = (Counting::default(), StackCounts::default());
        for (stack, weight) in stacks.zip(1..) {
            counting.add(stack.as_bytes(), weight).expect("small weights");
            counts.add(stack.as_bytes(), weight).expect("small weights");
        }
        assert!(counting.thread.is_some());
        assert_eq!(sorted(counting.finish().expect("small weights")), sorted(counts));
    }

    #[test]
    fn a_sum_that_does_not_fit_is_an_error_soon_or_in_the_end() {
        for lines in [2, 1_000_000] {
            let mut counting = Counting::default();
            let added = (0..lines).try_for_each(|_| counting.add(b"main;leaf", u64::MAX / 2 + 1));
            let overflows = matches!(added.and(counting.finish()), Err(Error::Overflow));
            assert!(overflows, "{lines} lines");
        }
    }
}

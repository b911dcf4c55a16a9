//! Samples that wait for the program's part of their call chain. The kernel walks a program's stack
//! when the thread returns to the program, so that one walk serves all samples that were taken
//! before.

use hashbrown::HashMap;

use crate::sample::NoParallelism;

/// How many bytes of samples may wait. A thread that is busy in the kernel for seconds has many
/// samples.
const MOST_HELD: usize = 64 << 20;

/// A sample that waits for its chain.
#[derive(Debug)]
pub(crate) struct HeldSample {
    pub(crate) record: Vec<u8>,
    /// The index of its event.
    pub(crate) event: usize,
    /// Which chain it waits for.
    pub(crate) cookie: u64,
    /// How many threads ran when it was taken.
    pub(crate) parallelism: Result<u32, NoParallelism>,
    /// How many samples waited before it.
    number: u64,
}

/// The samples that wait, by their threads.
#[derive(Debug, Default)]
pub(crate) struct HeldSamples {
    by_thread: HashMap<u32, Vec<HeldSample>>,
    bytes: usize,
    count: u64,
    /// Memory of samples that no longer wait.
    spare: Vec<Vec<u8>>,
}

impl HeldSamples {
    /// Keeps a sample. Returns false if the samples now take too much memory: then those of its
    /// thread should not wait any longer.
    pub(crate) fn hold(
        &mut self,
        thread: u32,
        record: &[u8],
        event: usize,
        cookie: u64,
        parallelism: Result<u32, NoParallelism>,
    ) -> bool {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(record);
        self.bytes += record.len();
        self.count += 1;
        let held = HeldSample { record: copy, event, cookie, parallelism, number: self.count };
        self.by_thread.entry(thread).or_default().push(held);
        self.bytes <= MOST_HELD
    }

    /// Takes the samples of a thread, in the order in which they came.
    pub(crate) fn take(&mut self, thread: u32) -> Vec<HeldSample> {
        let held = self.by_thread.get_mut(&thread).map(std::mem::take).unwrap_or_default();
        self.bytes -= held.iter().map(|held| held.record.len()).sum::<usize>();
        held
    }

    /// Takes all samples, in the order in which they came.
    pub(crate) fn take_all(&mut self) -> Vec<HeldSample> {
        let mut all: Vec<HeldSample> = self.by_thread.drain().flat_map(|(_, held)| held).collect();
        all.sort_by_key(|held| held.number);
        self.bytes = 0;
        all
    }

    /// Keeps the memory of a sample, to be used again.
    pub(crate) fn reuse(&mut self, held: HeldSample) {
        /// More than wait in a usual recording.
        const MOST_SPARE: usize = 1024;
        if self.spare.len() < MOST_SPARE {
            self.spare.push(held.record);
        }
    }
}

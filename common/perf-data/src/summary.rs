//! What a recording held, and what it lacks.

use crate::error::Error;

/// What a recording held, what perf could not record, and what could not be read.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Samples in the recording, also those that could not be passed on.
    pub samples: u64,
    /// Samples of counters that no attribute names: they were left out.
    pub unknown_events: u64,
    /// Records that are too short for what should be in them: they were left out.
    pub damaged: u64,
    /// Where the first damaged record is, in bytes from the start of the recording; 0 if
    /// there is none.
    pub first_damaged: u64,
    /// Samples that were left out on request: 'perf record --filter'.
    pub filtered: u64,
    /// Processes of which perf had no time to read all maps when it began.
    pub cut_maps: u64,
    /// Records that came too late to be passed on in the order of time.
    pub late: u64,
    /// Samples of which the program's part of the call chain should have been recorded later, and
    /// was not.
    pub without_user_chain: u64,
    /// Bytes of traces by the processor itself (AUX: Intel PT, ARM CoreSight), which were
    /// skipped.
    pub aux_bytes: u64,
    /// Whether simpleperf recorded it, the perf of Android.
    pub is_of_simpleperf: bool,
    /// Samples of which simpleperf kept only a part of the stack, since its buffer was full.
    pub cut_stacks: u64,
    /// Records that simpleperf had no room for and that are no samples.
    pub lost_others: u64,
    /// Why the recording could not be read to its end. The records before that were passed on.
    pub error: Option<Error>,
    /// Records that the kernel had no room for: `PERF_RECORD_LOST`.
    lost_records: u64,
    /// Samples that the processor or the kernel had no room for: `PERF_RECORD_LOST_SAMPLES`.
    lost_samples: u64,
    /// The same by simpleperf's own count, which may be larger.
    lost_by_kernel: u64,
    /// Samples that simpleperf had no room for.
    lost_by_simpleperf: u64,
    /// Whether counters themselves count how much they lost.
    pub(crate) counters_tell_lost: bool,
}

impl Summary {
    /// How many samples were lost while recording, and other records of the kernel, because buffers
    /// were full.
    ///
    /// The kernel writes this number into the buffer that was full; counters that count what they
    /// lost, and simpleperf, say it again at the end, which is not added.
    #[must_use]
    pub fn lost(&self) -> u64 {
        let of_kernel = if self.counters_tell_lost {
            self.lost_records.max(self.lost_samples)
        } else {
            self.lost_records.saturating_add(self.lost_samples)
        };
        of_kernel.max(self.lost_by_kernel).saturating_add(self.lost_by_simpleperf)
    }

    /// Notes one of simpleperf's own counts, which no record repeats.
    pub(crate) fn set_count_of_simpleperf(&mut self, name: &[u8], count: u64) {
        match name {
            b"kernelspace_lost_records" => self.lost_by_kernel = count,
            b"userspace_lost_samples" => self.lost_by_simpleperf = count,
            b"userspace_lost_non_samples" => self.lost_others = count,
            // The second is the name in older versions.
            b"userspace_truncated_stack_samples" | b"userspace_cut_stack_samples" => {
                self.cut_stacks = count;
            }
            _ => {}
        }
    }

    pub(crate) fn add_lost_records(&mut self, count: u64) {
        self.lost_records = self.lost_records.saturating_add(count);
    }

    pub(crate) fn add_lost_samples(&mut self, count: u64) {
        self.lost_samples = self.lost_samples.saturating_add(count);
    }

    pub(crate) fn add_damaged(&mut self, offset: u64) {
        if self.damaged == 0 {
            self.first_damaged = offset;
        }
        self.damaged += 1;
    }
}

//! What a trace says that was lost while recording.

use super::messages::{buffer_stats as buffer, trace_stats};
use super::profiles::Perf;
use crate::read::protobuf::{Malformed, repeated};
use crate::samples::{Loss, Samples};

#[derive(Default)]
pub(super) struct Losses {
    /// Samples of perf that the profiler skipped, as it was late, and records that the kernel lost.
    of_perf: u64,
    /// How many profilers stopped before the end.
    stops: u64,
    /// Whether a buffer of the trace was full.
    is_full: bool,
    /// How many packets refer to lost ones.
    pub(super) left_out: u64,
}

impl Losses {
    /// Notes what a packet of perf has in place of a sample.
    pub(super) fn note(&mut self, perf: &Perf) {
        match perf {
            Perf::Skipped => self.of_perf = self.of_perf.saturating_add(1),
            Perf::Lost(records) => self.of_perf = self.of_perf.saturating_add(*records),
            Perf::Stopped => self.stops += 1,
            Perf::Sample { .. } | Perf::Other => {}
        }
    }

    /// Reads the statistics of the trace's buffers. They may come several times, each time since the
    /// start.
    pub(super) fn read_statistics(&mut self, message: &[u8]) -> Result<(), Malformed> {
        use buffer::{CHUNKS_DISCARDED, CHUNKS_OVERWRITTEN, TRACE_WRITER_PACKET_LOSS};
        for it in repeated(message, trace_stats::BUFFER_STATS) {
            let lost = [CHUNKS_OVERWRITTEN, CHUNKS_DISCARDED, TRACE_WRITER_PACKET_LOSS];
            self.is_full |= buffer::read(it?)?.numbers(lost).iter().any(|count| *count > 0);
        }
        Ok(())
    }

    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        if self.of_perf > 0 {
            samples.note_loss(Loss {
                count: self.of_perf,
                of: "samples or other records",
                recorded: None,
                remedy: "use a larger ring_buffer_pages, or a lower frequency",
                is_exact: self.left_out == 0,
            });
        }
        if self.stops > 0 {
            samples.doubt(format_args!(
                "{} profilers stopped before the end, as they took too much memory or time",
                self.stops
            ));
        }
        if self.is_full {
            samples.note_full_buffer("use a larger one, or record for a shorter time");
        }
        let left_out = "packets refer to packets that were lost: they are left out";
        samples.note_count(self.left_out, left_out);
    }
}

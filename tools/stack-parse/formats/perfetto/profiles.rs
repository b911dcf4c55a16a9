//! Samples of the processor's time: those of perf, and those of Chrome.

use super::clocks::{Clocks, MONOTONIC};
use super::messages::{
    perf_sample as sample, producer_event, streaming_profile_packet as streaming,
};
use super::sequence::Sequence;
use crate::read::protobuf::{Malformed, list};

/// The content of a packet of perf.
pub(super) enum Perf {
    Sample {
        process: i64,
        thread: i64,
        cpu: Option<u64>,
        stack: Option<u64>,
    },
    /// The profiler left a sample out, as it had no stack for it.
    Skipped,
    /// The kernel lost this many records.
    Lost(u64),
    /// The profiler stopped before the end, since it took too much memory or time.
    Stopped,
    /// Another stop, or a sample for other counters only.
    Other,
}

/// The reason for a stop that is no request.
const GUARDRAIL: u64 = 1;

/// The reason for a skipped sample that the configuration excludes.
const NOT_IN_SCOPE: u64 = 4;

impl Perf {
    pub(super) fn read(message: &[u8]) -> Result<Perf, Malformed> {
        let said = sample::read(message)?;
        let lost = said.number(sample::KERNEL_RECORDS_LOST);
        if let Some(event) = said.message(sample::PRODUCER_EVENT).filter(|_| lost == 0) {
            let reason = producer_event::read(event)?.number(producer_event::SOURCE_STOP_REASON);
            return Ok(if reason == GUARDRAIL { Perf::Stopped } else { Perf::Other });
        }
        Ok(match said.known(sample::SAMPLE_SKIPPED_REASON) {
            _ if lost > 0 => Perf::Lost(lost),
            Some(NOT_IN_SCOPE) => Perf::Other,
            Some(_) => Perf::Skipped,
            None => Perf::Sample {
                process: said.signed(sample::PID),
                thread: said.signed(sample::TID),
                cpu: said.known(sample::CPU),
                stack: said.known(sample::CALLSTACK_IID),
            },
        })
    }
}

/// The stacks of Chrome's samples, each with its time in nanoseconds; they are of the thread that
/// writes the sequence.
pub(super) fn streamed(
    message: &[u8],
    time: Option<i64>,
    sequence_number: u64,
    sequence: &mut Sequence,
    clocks: &mut Clocks,
) -> Result<Vec<(u64, Option<i64>)>, Malformed> {
    let stacks = list(message, streaming::CALLSTACK_IID)?;
    let deltas = list(message, streaming::TIMESTAMP_DELTA_US)?;
    let mut since = 0_i64;
    let samples = stacks.into_iter().enumerate().map(|(place, stack)| {
        let delta = deltas.get(place).map(|delta| delta.cast_signed());
        since = since.saturating_add(delta.unwrap_or_default());
        let now = sequence.advance(delta.unwrap_or_default());
        let now = match now.and_then(|now| u64::try_from(now).ok()) {
            Some(now) => clocks.time(sequence_number, Some(MONOTONIC), now),
            None => time.and_then(|time| time.checked_add(since.checked_mul(1000)?)),
        };
        (stack, now)
    });
    Ok(samples.collect())
}

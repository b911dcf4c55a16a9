//! The state that packets of one sequence share with those after them.

use super::code::Codes;
use super::interned::Interned;
use super::messages::{
    defaults, perf_sample_defaults, thread_descriptor as thread, timebase, tracepoint, track_event,
};
use super::packet::Packet;
use crate::read::protobuf::Malformed;

#[derive(Default)]
pub(super) struct Sequence {
    pub(super) interned: Interned,
    pub(super) defaults: Defaults,
    /// The process and the thread that write it, if old-style messages give them.
    pub(super) thread: Option<(i64, i64)>,
    /// The last time computed from the thread's reference time, in nanoseconds of the monotonic
    /// clock.
    pub(super) time: Option<i64>,
    /// Whether packets were lost since the sequence last began anew: declarations may refer to them.
    pub(super) is_lost: bool,
}

/// Default values for the packets of a sequence.
#[derive(Default)]
pub(super) struct Defaults {
    pub(super) clock: Option<u64>,
    pub(super) track: Option<u64>,
    /// The event that samples of perf count, as a text; `None` for time.
    pub(super) perf_event: Option<u32>,
    /// How many samples of perf were to be taken each second.
    pub(super) frequency: Option<u64>,
    /// The counters of stack samples, as a message.
    pub(super) stack_samples: Vec<u8>,
}

impl Sequence {
    /// Updates the state for a new packet.
    pub(super) fn begin(&mut self, packet: &Packet<'_>) {
        if packet.is_cleared {
            self.interned = Interned::default();
            self.defaults = Defaults::default();
            self.is_lost = false;
        } else if packet.is_after_loss {
            self.is_lost = true;
            self.time = None;
        }
    }

    /// Whether a packet needs declarations that may be lost.
    pub(super) fn lacks_state_of(&self, packet: &Packet<'_>) -> bool {
        self.is_lost && packet.needs_state
    }

    /// Notes the thread and its reference time.
    pub(super) fn set_thread(&mut self, message: &[u8]) -> Result<(), Malformed> {
        let said = thread::read(message)?;
        self.thread = Some((said.signed(thread::PID), said.signed(thread::TID)));
        if let Some(time) = said.known(thread::REFERENCE_TIMESTAMP_US).filter(|_| !self.is_lost) {
            self.time = time.cast_signed().checked_mul(1000);
        }
        Ok(())
    }

    /// Advances the time by this many microseconds; `None` if the last time is unknown.
    pub(super) fn advance(&mut self, microseconds: i64) -> Option<i64> {
        self.time = self.time?.checked_add(microseconds.checked_mul(1000)?);
        self.time
    }
}

impl Defaults {
    /// Reads the defaults, which replace all earlier ones.
    pub(super) fn read(message: &[u8], codes: &mut Codes) -> Result<Defaults, Malformed> {
        let said = defaults::read(message)?;
        let track = track_event::read(said.bytes(defaults::TRACK_EVENT))?;
        let perf_sample = perf_sample_defaults::read(said.bytes(defaults::PERF_SAMPLE))?;
        let timebase = timebase::read(perf_sample.bytes(perf_sample_defaults::TIMEBASE))?;
        let perf_event = perf_event(&timebase)?;
        Ok(Defaults {
            clock: said.known(defaults::TIMESTAMP_CLOCK_ID),
            track: track.known(track_event::TRACK_UUID),
            perf_event: perf_event.map(|name| codes.text(name)),
            frequency: timebase.known(timebase::FREQUENCY).filter(|hertz| *hertz > 0),
            stack_samples: said.bytes(defaults::STACK_SAMPLE).to_vec(),
        })
    }
}

/// The event that samples of perf count; `None` for time.
fn perf_event<'a>(said: &timebase::Said<'a>) -> Result<Option<&'a [u8]>, Malformed> {
    if !said.bytes(timebase::NAME).is_empty() {
        return Ok(Some(said.bytes(timebase::NAME)));
    }
    if let Some(tracepoint) = said.message(timebase::TRACEPOINT) {
        return Ok(Some(tracepoint::read(tracepoint)?.bytes(tracepoint::NAME)));
    }
    if said.message(timebase::RAW_EVENT).is_some() {
        return Ok(Some(b"raw"));
    }
    Ok(match said.number(timebase::COUNTER) {
        2 => Some(b"page-faults"),
        4 => Some(b"context-switches"),
        5 => Some(b"cpu-migrations"),
        6 => Some(b"minor-faults"),
        7 => Some(b"major-faults"),
        8 => Some(b"alignment-faults"),
        9 => Some(b"emulation-faults"),
        10 => Some(b"cycles"),
        11 => Some(b"instructions"),
        12 => Some(b"cache-references"),
        13 => Some(b"cache-misses"),
        14 => Some(b"branches"),
        15 => Some(b"branch-misses"),
        16 => Some(b"bus-cycles"),
        17 => Some(b"stalled-cycles-frontend"),
        18 => Some(b"stalled-cycles-backend"),
        19 => Some(b"ref-cycles"),
        // The clocks of the processor and of the task, and unknown events.
        _ => None,
    })
}

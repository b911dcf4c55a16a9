//! Converts times of all clocks to the clock of the trace.

use hashbrown::HashMap;

use super::messages::{clock, clock_snapshot};
use crate::read::protobuf::{Malformed, repeated};

/// The ids of the clocks of Linux.
pub(super) const MONOTONIC: u64 = 3;
pub(super) const MONOTONIC_COARSE: u64 = 4;
const BOOTTIME: u64 = 6;

/// The ids of clocks that are local to a sequence.
const OF_SEQUENCE: std::ops::Range<u64> = 64..128;

/// All clocks of a trace.
pub(super) struct Clocks {
    known: HashMap<Key, Clock>,
    /// The clock of the trace.
    main: u64,
}

/// The sequence of a clock that is local to one, and the clock's id.
type Key = (Option<u64>, u64);

/// How to convert the times of a clock.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// The nanoseconds of one tick.
    unit: i64,
    /// Whether each time is relative to the one before it.
    is_incremental: bool,
    /// The last time, in ticks.
    last: i64,
    /// The nanoseconds to add to get a time of the main clock.
    offset: i64,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks { known: HashMap::new(), main: BOOTTIME }
    }
}

impl Clocks {
    /// Adds a snapshot, which has the times of several clocks at one moment.
    pub(super) fn add(&mut self, sequence: u64, snapshot: &[u8]) -> Result<(), Malformed> {
        let main = clock_snapshot::read(snapshot)?.number(clock_snapshot::PRIMARY_TRACE_CLOCK);
        self.main = if main > 0 { main } else { self.main };
        let mut clocks = Vec::new();
        for it in repeated(snapshot, clock_snapshot::CLOCKS) {
            let it = clock::read(it?)?;
            let unit = i64::try_from(it.number(clock::UNIT_MULTIPLIER_NS)).unwrap_or(1).max(1);
            let is_incremental = it.number(clock::IS_INCREMENTAL) != 0;
            let last = it.signed(clock::TIMESTAMP);
            let clock = Clock { unit, is_incremental, last, offset: 0 };
            clocks.push((it.number(clock::CLOCK_ID), clock));
        }
        let now = |clock: &Clock| clock.last.wrapping_mul(clock.unit);
        let main = clocks.iter().find(|(number, _)| *number == self.main);
        let main = main.map(|(_, clock)| now(clock));
        for (number, clock) in clocks {
            let offset = main.map_or(0, |main| main.wrapping_sub(now(&clock)));
            self.known.insert(key(sequence, number), Clock { offset, ..clock });
        }
        Ok(())
    }

    /// A time of a sequence's clock, in nanoseconds of the main clock. `None` if it is unknown when
    /// that clock began.
    pub(super) fn time(&mut self, sequence: u64, clock: Option<u64>, time: u64) -> Option<i64> {
        let number = clock.unwrap_or(self.main);
        let time = i64::try_from(time).ok()?;
        if number == self.main {
            return Some(time);
        }
        let Some(clock) = self.known.get_mut(&key(sequence, number)) else {
            return (!OF_SEQUENCE.contains(&number)).then_some(time);
        };
        let ticks = if clock.is_incremental { clock.last.checked_add(time)? } else { time };
        clock.last = ticks;
        ticks.checked_mul(clock.unit)?.checked_add(clock.offset)
    }
}

fn key(sequence: u64, clock: u64) -> Key {
    (OF_SEQUENCE.contains(&clock).then_some(sequence), clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A snapshot of clock 64, which is incremental in microseconds, at 5 ms, and of the main one
    /// at 7 s.
    const SNAPSHOT: &[u8] =
        b"\x0a\x0a\x08\x40\x10\x88\x27\x18\x01\x20\xe8\x07\x0a\x08\x08\x06\x10\x80\x8c\xee\x89\x1a";

    #[test]
    fn times_are_of_the_main_clock() {
        let mut clocks = Clocks::default();
        assert_eq!(clocks.time(1, Some(64), 3), None);
        assert_eq!(clocks.time(1, Some(MONOTONIC), 3), Some(3));
        assert_eq!(clocks.add(1, SNAPSHOT), Ok(()));
        assert_eq!(clocks.time(1, None, 8), Some(8));
        assert_eq!(clocks.time(1, Some(64), 3), Some(7_000_003_000));
        assert_eq!(clocks.time(1, Some(64), 2), Some(7_000_005_000));
        assert_eq!(clocks.time(2, Some(64), 2), None);
        assert_eq!(clocks.time(1, None, u64::MAX), None);
    }
}

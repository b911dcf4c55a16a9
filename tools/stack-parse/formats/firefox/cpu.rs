//! The processor's time that a thread took since its last sample, in the unit that the profile names:
//!
//! ```text
//! {"meta":{"sampleUnits":{"time":"ms","threadCPUDelta":"ns"}},
//!  "threads":[{"samples":{"stack":[0,1],"threadCPUDelta":[null,120000]}}]}
//! ```

use std::io::Read;

use common::Result;

use super::table::Table;
use crate::read::decimal::Carry;
use crate::read::json::Json;

/// The unit of such times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CpuUnit {
    Nanoseconds,
    Microseconds,
    Cycles,
}

impl CpuUnit {
    /// Reads the units of samples; `None` if the one of these times is missing or unknown.
    pub(super) fn read<R: Read>(json: &mut Json<R>) -> Result<Option<CpuUnit>> {
        let mut unit = None;
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            if key == b"threadCPUDelta" {
                let text = json.text()?.unwrap_or_default();
                unit = match std::str::from_utf8(text).unwrap_or_default() {
                    "ns" => Some(CpuUnit::Nanoseconds),
                    "µs" | "μs" | "us" => Some(CpuUnit::Microseconds),
                    "variable CPU cycles" => Some(CpuUnit::Cycles),
                    _ => None,
                };
            }
        }
        Ok(unit)
    }

    /// The event and its unit.
    pub(super) fn event(self) -> (&'static [u8], &'static [u8]) {
        match self {
            CpuUnit::Nanoseconds | CpuUnit::Microseconds => (b"cpu-time", b"ns"),
            CpuUnit::Cycles => (b"cpu-cycles", b"cycles"),
        }
    }

    /// How much each row of a table stands for, of those that stand for anything. Fractions are
    /// carried to the next row.
    pub(super) fn of_rows(self, table: &Table) -> impl Iterator<Item = (usize, u64)> {
        // The table has thousandths.
        let whole = if self == CpuUnit::Microseconds { 1 } else { 1000 };
        let (deltas, mut carry) = (table.column("threadCPUDelta"), Carry::default());
        (0..table.column("stack").len()).filter_map(move |row| {
            let parts = deltas.get(row).filter(|parts| *parts > 0)?;
            let weight = carry.round(parts.into(), whole)?;
            (weight > 0).then_some((row, weight))
        })
    }
}

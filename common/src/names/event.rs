//! Names of events.

use bstr::ByteSlice;

/// perf's clocks and what is called time count nanoseconds, other events count
/// themselves: the unit of `cycles:u` is `cycles`.
#[must_use]
pub fn unit_of_event(event: &[u8]) -> &[u8] {
    let name = event.split_once_str(":").map_or(event, |(name, _)| name);
    match name {
        b"cpu-clock" | b"task-clock" | b"time" | b"async-time" | b"cpu-time" => b"nanoseconds",
        b"js-allocations" | b"native-allocations" => b"bytes",
        _ => name,
    }
}

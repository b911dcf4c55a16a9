//! Names of perf's events.

use bstr::ByteSlice;

/// perf's clocks count nanoseconds, and other events themselves: the unit of
/// `cycles:u` is `cycles`.
#[must_use]
pub fn unit_of_event(event: &[u8]) -> &[u8] {
    let name = event.split_once_str(":").map_or(event, |(name, _)| name);
    if matches!(name, b"cpu-clock" | b"task-clock") { b"nanoseconds" } else { name }
}

//! Names of perf's events.

use memchr::memrchr;

/// The unit of an event's samples: perf's clocks count nanoseconds, all other events count
/// themselves. The unit of `cycles:u` is `cycles`; that of the tracepoint `sched:sched_switch` is
/// its whole name, as `sched` alone counts nothing.
#[must_use]
pub fn unit_of_event(event: &[u8]) -> &[u8] {
    let name = without_modifiers(event);
    if matches!(name, b"cpu-clock" | b"task-clock") { b"ns" } else { name }
}

/// `cycles:ppp` without its modifiers, which say how it is sampled: user, kernel, precise and so
/// on, see perf-list(1).
#[must_use]
pub fn without_modifiers(event: &[u8]) -> &[u8] {
    let is_modifier = |letter: &u8| b"ukhIGHpPSDWebRX".contains(letter);
    match memrchr(b':', event) {
        Some(colon) if event[colon + 1..].iter().all(is_modifier) => &event[..colon],
        _ => event,
    }
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    #[test]
    fn units_are_names_without_modifiers() {
        for (event, unit) in [
            ("cycles", "cycles"),
            ("cycles:u", "cycles"),
            ("cycles:Pu", "cycles"),
            ("cycles:", "cycles"),
            ("cpu-clock:ppp", "ns"),
            ("task-clock:u", "ns"),
            ("sched:sched_switch", "sched:sched_switch"),
            ("sched:sched_switch:k", "sched:sched_switch"),
            ("probe_demo:main", "probe_demo:main"),
            ("cpu/event=0x3c/ppp", "cpu/event=0x3c/ppp"),
            ("", ""),
        ] {
            assert_eq!(unit_of_event(event.as_bytes()).as_bstr(), unit, "{event}");
        }
    }
}

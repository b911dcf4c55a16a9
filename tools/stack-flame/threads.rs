//! What is recorded of what threads do all the time: `--wall`, `--critical`.

/// A copy of so many bytes of the stack shows who waits: the library that does has no frame pointers.
/// There may be many thousand switches a second.
const STACK: u32 = 4096;

/// The samples that show where threads run. Their share of the processor is one of time, so they are
/// of the clock and not of cycles.
fn samples(hertz: u64) -> String {
    format!("cpu-clock/freq={hertz}/")
}

/// The events to try: with when threads leave a processor and who wakes them, which only root may
/// record; and without, where less will do. Who wakes a thread needs no callers in the program, unless
/// they are asked for.
///
/// `call_graph` is what the user asked for, if anything.
pub(crate) fn events(
    hertz: u64,
    call_graph: Option<&str>,
    wakers: bool,
    needs_wakings: bool,
) -> Vec<String> {
    let samples = samples(hertz);
    let copied = match call_graph.map(|asked| (asked, asked.strip_prefix("dwarf,"))) {
        Some((_, Some(bytes))) => format!("call-graph=dwarf,stack-size={bytes}"),
        Some((kind @ ("fp" | "lbr"), _)) => format!("call-graph={kind}"),
        _ => format!("call-graph=dwarf,stack-size={STACK}"),
    };
    let waking = if wakers { copied.as_str() } else { "call-graph=fp" };
    let all = format!("{samples},sched:sched_switch/{copied}/,sched:sched_waking/{waking}/");
    if needs_wakings { vec![all] } else { vec![all, samples] }
}

/// Said where only samples and switches were to be had.
pub(crate) const WITHOUT_WAKINGS: &str =
    "without root, only when threads wait is recorded, not where, nor who ends it: use sudo";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wakes_a_thread_is_recorded_unless_that_is_refused() {
        let all = "cpu-clock/freq=99/,sched:sched_switch/call-graph=dwarf,stack-size=4096/,\
                   sched:sched_waking/call-graph=fp/";
        assert_eq!(events(99, None, false, false), [all, "cpu-clock/freq=99/"]);
        assert_eq!(events(99, Some("dwarf"), false, true), [all]);
        let with_wakers = &events(99, Some("dwarf,512"), true, true)[0];
        assert!(with_wakers.ends_with("sched_waking/call-graph=dwarf,stack-size=512/"));
        assert!(events(99, Some("fp"), true, true)[0].ends_with("sched_waking/call-graph=fp/"));
    }
}

//! Refuses recordings that lack what the user asked for, and shows how to record it.

use bstr::ByteSlice;
use common::{Error, Result};
use stack_perf_data::{NoParallelism, RawSample};

use crate::samples::Samples;

/// Refuses a recording if one of its samples lacks what the user asked for. `has_switches` says
/// whether there are records of switches.
///
/// # Errors
///
/// [`Error::Usage`].
pub(super) fn check(
    sample: &RawSample<'_>,
    has_switches: bool,
    input: &str,
    samples: &Samples<'_>,
) -> Result<()> {
    if samples.wants.latency() {
        sample.parallelism.map_err(|why| no_latency(input, why))?;
    }
    if samples.wants.wakers && !samples.wants.wall && sample.event.is_of_started_program() {
        return Err(Error::Usage(format!(
            "--wakers needs a recording of all processors: {input} is of one program, and lacks \
             what others did: record with 'perf record -a -g -e \
             sched:sched_switch,sched:sched_waking'"
        )));
    }
    if samples.wants.switches && is_of_scheduler(sample) && !sample.event.is_complete() {
        let event = sample.event.name().as_bstr();
        let option = if samples.wants.wall { "--wall" } else { "--off-cpu" };
        return Err(Error::Usage(format!(
            "{option} needs all switches: in {input} {event} was sampled, as 'perf record -F' \
             samples all events: record with 'perf record -a -g -e sched:sched_switch' without -F \
             and -c; to sample as well, add '-e cpu-clock/freq=999/'"
        )));
    }
    if samples.wants.switches && is_of_scheduler(sample) && sample.raw.is_empty() && !has_switches {
        return Err(Error::Usage(format!(
            "--off-cpu needs the times at which threads get a processor again: {input} does not \
             have them, as older versions of simpleperf do not record them: record with 'simpleperf \
             record --trace-offcpu' of a newer version"
        )));
    }
    Ok(())
}

fn is_of_scheduler(sample: &RawSample<'_>) -> bool {
    sample.event.name().starts_with(b"sched:")
}

/// Why a recording has no latencies.
fn no_latency(input: &str, why: NoParallelism) -> Error {
    let (what, remedy) = match why {
        NoParallelism::AllProcessors => (
            "is of all processors, which always run something",
            "record a program or a process, without -a and -C",
        ),
        NoParallelism::NoTimes => ("has no times", "record with 'perf record -T --switch-events'"),
        _ => ("has no switches of threads", "record with 'perf record -g --switch-events'"),
    };
    Error::Usage(format!("--weight latency: {input} {what}: {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_a_remedy() {
        for (why, part) in [
            (NoParallelism::NoSwitches, "x has no switches of threads: record with 'perf record"),
            (NoParallelism::NoTimes, "x has no times: record with 'perf record -T"),
            (NoParallelism::AllProcessors, "x is of all processors, which always run something"),
        ] {
            let said = no_latency("x", why).to_string();
            assert!(said.starts_with(&format!("--weight latency: {part}")), "{said}");
        }
    }
}

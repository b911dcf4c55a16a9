//! What to run where a recording lacks something, for messages of [`crate::samples`],
//! which knows no profiler.

/// Where there is no event for `--off-cpu`.
pub(crate) const NO_SWITCH: &str = "--off-cpu needs sched:sched_switch: \
     record with 'perf record -a -g -e sched:sched_switch'";

/// Where there is no event for `--wakers`.
pub(crate) const NO_WAKING: &str = "--wakers needs sched:sched_waking, which it has none of: \
     record with 'perf record -a -g -e sched:sched_switch,sched:sched_waking'";

/// Why samples without a time are left out.
pub(crate) const NO_TIME: &str =
    "have no time for --from and --to; 'perf script -F +time' prints it";

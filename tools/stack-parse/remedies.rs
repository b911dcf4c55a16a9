//! What to record or print where a recording lacks something. These are for the messages of
//! [`crate::samples`], which knows no profiler.

/// No event for `--off-cpu`.
pub(crate) const NO_SWITCH: &str = "--off-cpu needs sched:sched_switch: \
     record with 'perf record -a -g -e sched:sched_switch'";

/// No event for `--wakers`.
pub(crate) const NO_WAKING: &str = "--wakers needs sched:sched_waking, and this input has none: \
     record with 'perf record -a -g -e sched:sched_switch,sched:sched_waking'";

/// No switches for `--wall`.
pub(crate) const NO_WALL: &str = "--wall needs the switches of threads, and this input has none: \
     record with 'perf record --switch-events', as root also with \
     -e sched:sched_switch,sched:sched_waking; stack-flame --wall does it";

/// Why samples without a time are left out.
pub(crate) const NO_TIME: &str =
    "have no time for --from and --to; 'perf script -F +time' prints it";

//! Of which clock the times of a recording are.

use clap::ValueEnum;

/// A clock of the kernel. Its name is that of `# clock:`, which stack-parse writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// Seconds since the boot: what programs measure time with
    Monotonic,
    /// The same, but never adjusted
    #[value(name = "monotonic_raw")]
    MonotonicRaw,
    /// Seconds since the boot, with those in which the machine slept
    Boottime,
    /// Seconds since 1970, as in most logs
    Realtime,
    /// Seconds since 1970, without leap seconds
    Tai,
    /// perf's own, which no program can read
    Perf,
}

impl Clock {
    /// What `perf record -k` calls it; `None` if perf uses it unless told.
    pub(crate) fn id(self) -> Option<&'static str> {
        match self {
            Clock::Monotonic => Some("CLOCK_MONOTONIC"),
            Clock::MonotonicRaw => Some("CLOCK_MONOTONIC_RAW"),
            Clock::Boottime => Some("CLOCK_BOOTTIME"),
            Clock::Realtime => Some("CLOCK_REALTIME"),
            Clock::Tai => Some("CLOCK_TAI"),
            Clock::Perf => None,
        }
    }
}

/// Whether perf may have refused to record because of the clock.
pub(crate) fn is_refused(said: &str) -> bool {
    // clockid feature not supported.
    // wrong clockid (1).
    // Cannot use clockid (-k option) with intel_pt
    // Error: unknown switch `k'
    said.contains("clockid") || said.contains("unknown switch `k'")
}

/// Said where perf records only without the clock.
pub(crate) const REFUSED: &str = "perf refuses this clock here: the times are of perf's own, to which \
                                  those of a log cannot be compared";

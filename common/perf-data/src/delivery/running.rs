//! How many of the recorded threads run at a moment, found from the switches that
//! `perf record --switch-events` records. The rule is that of perf 6.15 (`perf report --latency`).

use crate::records::{SwitchKind, kinds};
use crate::sample::{NoParallelism, RawSample};

/// Counts the threads that run.
#[derive(Debug)]
pub(crate) struct Running {
    /// How many threads run, or why that is unknown. Below 1 where threads already ran when the
    /// recording began.
    threads: Result<i64, NoParallelism>,
    /// How many processors the recorded machine has, if the recording says it; else the greatest
    /// number.
    processors: u32,
}

impl Default for Running {
    fn default() -> Running {
        Running { threads: Err(NoParallelism::NotCounted), processors: u32::MAX }
    }
}

impl Running {
    /// Begins to count: the recorded thread runs.
    pub(crate) fn begin(&mut self) {
        self.threads = Ok(1);
    }

    /// Whether records of switches are needed.
    #[inline]
    pub(crate) fn is_counted(&self) -> bool {
        self.threads.is_ok()
    }

    /// Sets the number of processors of the recorded machine.
    pub(crate) fn set_processors(&mut self, count: u32) {
        self.processors = count.max(1);
    }

    /// Counts a switch of this kind, with these flags.
    pub(crate) fn switch(&mut self, kind: u32, flags: u16) {
        let Ok(threads) = &mut self.threads else { return };
        if kind == kinds::SWITCH_CPU_WIDE {
            self.threads = Err(NoParallelism::AllProcessors);
        } else {
            *threads += if SwitchKind::of(flags) == SwitchKind::In { 1 } else { -1 };
        }
    }

    /// Counts the end of a thread: the kernel records no switch for it.
    pub(crate) fn exit(&mut self) {
        if let Ok(threads) = &mut self.threads {
            *threads -= 1;
        }
    }

    /// How many threads run while this sample is taken. `has_switches` says whether the recording
    /// has switches.
    #[inline]
    pub(crate) fn during(
        &self,
        sample: &RawSample<'_>,
        has_switches: bool,
    ) -> Result<u32, NoParallelism> {
        let threads = self.threads?;
        if !has_switches {
            return Err(NoParallelism::NoSwitches);
        }
        if sample.time.is_none() {
            return Err(NoParallelism::NoTimes);
        }
        Ok(threads.clamp(1, self.processors.into()) as u32)
    }
}

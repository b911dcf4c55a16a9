//! How many of the recorded threads run at a moment, from the switches that `perf record
//! --switch-events` records. The rule is that of perf 6.15 (`perf report --latency`).

use crate::records::kinds;
use crate::sample::{NoParallelism, RawSample};

/// The flag of `PERF_RECORD_SWITCH`: the thread leaves the processor.
const SWITCH_OUT: u16 = 1 << 13;

/// Counts the threads that run.
#[derive(Debug)]
pub(crate) struct Running {
    /// The threads that run, or why nobody knows how many they are. Below 1 where the recording
    /// began with threads that ran already.
    threads: Result<i64, NoParallelism>,
    /// How many processors the recorded machine has, if the recording says it.
    processors: u32,
}

impl Default for Running {
    fn default() -> Running {
        Running { threads: Err(NoParallelism::NotCounted), processors: u32::MAX }
    }
}

impl Running {
    /// Begins to count: the thread that is recorded runs.
    pub(crate) fn begin(&mut self) {
        self.threads = Ok(1);
    }

    /// Whether records of switches matter.
    #[inline]
    pub(crate) fn is_counted(&self) -> bool {
        self.threads.is_ok()
    }

    /// Takes the number of processors of the recorded machine.
    pub(crate) fn set_processors(&mut self, count: u32) {
        self.processors = count.max(1);
    }

    /// Takes a record of a switch, which is of this kind and has these flags.
    pub(crate) fn switch(&mut self, kind: u32, flags: u16) {
        let Ok(threads) = &mut self.threads else { return };
        if kind == kinds::SWITCH_CPU_WIDE {
            self.threads = Err(NoParallelism::AllProcessors);
        } else {
            *threads += if flags & SWITCH_OUT == 0 { 1 } else { -1 };
        }
    }

    /// Takes the end of a thread: the kernel records no switch before it.
    pub(crate) fn exit(&mut self) {
        if let Ok(threads) = &mut self.threads {
            *threads -= 1;
        }
    }

    /// How many threads run while this sample is taken; `has_switches` is whether the recording
    /// was asked for switches.
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

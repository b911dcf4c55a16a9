//! What perf asked the kernel to record of an event: `struct perf_event_attr` of
//! include/uapi/linux/perf_event.h. Each version of the struct is longer than the one before and
//! begins with it.

use crate::bytes::Bytes;

/// The bits of `sample_type`: which fields samples have.
pub(crate) mod fields {
    pub(crate) const IP: u64 = 1 << 0;
    pub(crate) const TID: u64 = 1 << 1;
    pub(crate) const TIME: u64 = 1 << 2;
    pub(crate) const ADDR: u64 = 1 << 3;
    pub(crate) const READ: u64 = 1 << 4;
    pub(crate) const CALLCHAIN: u64 = 1 << 5;
    pub(crate) const ID: u64 = 1 << 6;
    pub(crate) const CPU: u64 = 1 << 7;
    pub(crate) const PERIOD: u64 = 1 << 8;
    pub(crate) const STREAM_ID: u64 = 1 << 9;
    pub(crate) const RAW: u64 = 1 << 10;
    pub(crate) const BRANCH_STACK: u64 = 1 << 11;
    pub(crate) const REGS_USER: u64 = 1 << 12;
    pub(crate) const STACK_USER: u64 = 1 << 13;
    pub(crate) const WEIGHT: u64 = 1 << 14;
    pub(crate) const DATA_SRC: u64 = 1 << 15;
    pub(crate) const IDENTIFIER: u64 = 1 << 16;
    pub(crate) const TRANSACTION: u64 = 1 << 17;
    pub(crate) const REGS_INTR: u64 = 1 << 18;
    pub(crate) const PHYS_ADDR: u64 = 1 << 19;
    pub(crate) const CGROUP: u64 = 1 << 21;
    pub(crate) const WEIGHT_STRUCT: u64 = 1 << 24;
}

/// The bits of `read_format`: which values of its counters a sample has.
pub(crate) mod reads {
    pub(crate) const ENABLED: u64 = 1 << 0;
    pub(crate) const RUNNING: u64 = 1 << 1;
    pub(crate) const ID: u64 = 1 << 2;
    pub(crate) const GROUP: u64 = 1 << 3;
    pub(crate) const LOST: u64 = 1 << 4;
}

/// The bits of `branch_sample_type`: which branches are recorded, and which values of them.
pub(crate) mod branches {
    pub(crate) const CALL_STACK: u64 = 1 << 11;
    pub(crate) const HW_INDEX: u64 = 1 << 17;
    pub(crate) const COUNTERS: u64 = 1 << 19;
}

/// The `type` of events: what `config` means.
pub(crate) mod kinds {
    pub(crate) const HARDWARE: u32 = 0;
    pub(crate) const SOFTWARE: u32 = 1;
    pub(crate) const TRACEPOINT: u32 = 2;
    pub(crate) const CACHE: u32 = 3;
    pub(crate) const RAW: u32 = 4;
    pub(crate) const BREAKPOINT: u32 = 5;
}

/// The flags after `read_format`.
mod flags {
    pub(crate) const INHERIT: u64 = 1 << 1;
    pub(crate) const EXCLUDE_USER: u64 = 1 << 4;
    pub(crate) const EXCLUDE_KERNEL: u64 = 1 << 5;
    pub(crate) const EXCLUDE_HV: u64 = 1 << 6;
    pub(crate) const FREQ: u64 = 1 << 10;
    pub(crate) const ENABLE_ON_EXEC: u64 = 1 << 12;
    pub(crate) const PRECISE_IP_AT: u32 = 15;
    pub(crate) const SAMPLE_ID_ALL: u64 = 1 << 18;
    pub(crate) const USE_CLOCKID: u64 = 1 << 25;
    pub(crate) const CONTEXT_SWITCH: u64 = 1 << 26;
}

/// The fields of an attribute that are read. Fields that its version does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attr {
    /// One of [`kinds`].
    pub(crate) kind: u32,
    /// Which event of its kind; for a tracepoint, its number in `TRACING_DATA`.
    pub(crate) config: u64,
    /// The period in the event's unit, or the frequency in samples a second if that was asked
    /// for.
    sample_period: u64,
    /// Bits of [`fields`].
    pub(crate) sample_type: u64,
    /// Bits of [`reads`].
    pub(crate) read_format: u64,
    flags: u64,
    /// The number of the clock that times are read from, if the user chose one.
    clock: i32,
    /// The address of a breakpoint.
    pub(crate) address: u64,
    /// Bits of [`branches`].
    pub(crate) branch_sample_type: u64,
    /// Which registers samples of programs have, by perf's numbers.
    pub(crate) sample_regs_user: u64,
    /// The greatest number of bytes that samples have of the stack.
    pub(crate) sample_stack_user: u32,
    /// Which registers samples of the kernel have.
    pub(crate) sample_regs_intr: u64,
}

impl Attr {
    /// The shortest version there is, in bytes.
    pub(crate) const FEWEST_BYTES: usize = 64;

    /// `None` if there are too few bytes.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Attr> {
        let mut bytes = Bytes(bytes);
        let (kind, _size, config) = (bytes.u32()?, bytes.u32()?, bytes.u64()?);
        let (sample_period, sample_type) = (bytes.u64()?, bytes.u64()?);
        let (read_format, flags) = (bytes.u64()?, bytes.u64()?);
        let _wakeup_and_breakpoint_type = bytes.u64()?;
        let address = bytes.u64()?;
        let _breakpoint_length = bytes.u64();
        let branch_sample_type = bytes.u64().unwrap_or(0);
        let sample_regs_user = bytes.u64().unwrap_or(0);
        let sample_stack_user = bytes.u32().unwrap_or(0);
        let clock = bytes.u32().unwrap_or(0) as i32;
        Some(Attr {
            kind,
            config,
            sample_period,
            sample_type,
            read_format,
            flags,
            clock,
            address,
            branch_sample_type,
            sample_regs_user,
            sample_stack_user,
            sample_regs_intr: bytes.u64().unwrap_or(0),
        })
    }

    /// Whether samples have these fields.
    #[inline]
    pub(crate) fn has(&self, field: u64) -> bool {
        self.sample_type & field != 0
    }

    fn is(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// The period of all samples, for samples that do not hold it themselves. With a frequency, the
    /// period varies and is not known.
    pub(crate) fn fixed_period(&self) -> Option<u64> {
        (!self.is(flags::FREQ)).then_some(self.sample_period)
    }

    /// How many samples a second were asked for, if not a period.
    pub(crate) fn frequency(&self) -> Option<u64> {
        self.is(flags::FREQ).then_some(self.sample_period)
    }

    /// Whether records other than samples end with their time, thread and event.
    pub(crate) fn sample_id_all(&self) -> bool {
        self.is(flags::SAMPLE_ID_ALL)
    }

    /// Whether the switches of threads are recorded, too.
    pub(crate) fn records_switches(&self) -> bool {
        self.is(flags::CONTEXT_SWITCH)
    }

    /// The clock that times are read from, by its number in clock_gettime(2); `None` if it is the
    /// kernel's own.
    pub(crate) fn clock(&self) -> Option<i32> {
        self.is(flags::USE_CLOCKID).then_some(self.clock)
    }

    /// Whether counting begins when perf starts the program that it records.
    pub(crate) fn begins_with_program(&self) -> bool {
        self.is(flags::ENABLE_ON_EXEC)
    }

    /// Whether each thread has a counter of its own, and samples hold the value of that counter.
    pub(crate) fn counts_threads(&self) -> bool {
        self.is(flags::INHERIT) && self.has(fields::TID)
    }

    /// What perf appends to the name of an event to which the user gave no name: `:u` where only
    /// programs are watched, a `p` for each step of precision. Empty by default.
    pub(crate) fn modifiers(&self) -> String {
        let mut modifiers = String::new();
        let excluded = [flags::EXCLUDE_KERNEL, flags::EXCLUDE_USER, flags::EXCLUDE_HV];
        if excluded.iter().any(|flag| self.is(*flag)) {
            let kept = excluded.iter().zip(["k", "u", "h"]).filter(|(flag, _)| !self.is(**flag));
            modifiers.extend(kept.map(|(_, letter)| letter));
        }
        let precision = self.flags >> flags::PRECISE_IP_AT & 3;
        modifiers.extend((0..precision).map(|_| 'p'));
        if modifiers.is_empty() { modifiers } else { format!(":{modifiers}") }
    }
}

//! Samples: `PERF_RECORD_SAMPLE` of include/uapi/linux/perf_event.h. Their fields are those that
//! the event's attribute asks for, in the order given there.

use crate::bytes::{Bytes, U64s};
use crate::events::attr::{Attr, branches, fields, reads};
use crate::events::{RecordedEvent, TraceContext};

/// Which code the processor ran: perf calls it cpumode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CpuMode {
    Unknown,
    Kernel,
    User,
    Hypervisor,
    GuestKernel,
    GuestUser,
}

impl CpuMode {
    /// The mode in the flags of a record.
    pub(crate) fn of(flags: u16) -> CpuMode {
        match flags & 7 {
            1 => CpuMode::Kernel,
            2 => CpuMode::User,
            3 => CpuMode::Hypervisor,
            4 => CpuMode::GuestKernel,
            5 => CpuMode::GuestUser,
            _ => CpuMode::Unknown,
        }
    }
}

/// A sample as perf recorded it: `PERF_RECORD_SAMPLE`. What was not recorded is `None` or
/// empty.
///
/// [`Unwinder`](crate::Unwinder) finds its stack.
#[derive(Clone, Copy, Debug)]
pub struct RawSample<'a> {
    /// The event whose counter took the sample.
    pub event: &'a RecordedEvent,
    /// In nanoseconds, on the recording's clock.
    pub time: Option<u64>,
    /// The process. A thread that ended before its sample was written has `u32::MAX` here
    /// and in `tid`.
    pub pid: Option<u32>,
    /// The thread.
    pub tid: Option<u32>,
    /// The number of the processor.
    pub cpu: Option<u32>,
    /// The address of the instruction.
    pub ip: Option<u64>,
    /// How much of the event the sample stands for, in the event's unit: cycles, nanoseconds of a
    /// clock, page faults.
    pub period: Option<u64>,
    /// The fields of a tracepoint, as the kernel wrote them.
    pub raw: &'a [u8],
    /// The number of the control group of the process, whose path is in [`Record::Cgroup`].
    ///
    /// [`Record::Cgroup`]: crate::Record::Cgroup
    pub cgroup: Option<u64>,
    /// Whether the program's part of the call chain should have been recorded later
    /// (`PERF_RECORD_CALLCHAIN_DEFERRED`), and is missing.
    pub lacks_user_chain: bool,
    /// How many of the recorded threads ran then, at least 1 and at most the number of processors
    /// of the machine; or why that is unknown. It is only counted after
    /// [`Recording::count_running`](crate::Recording::count_running).
    pub parallelism: Result<u32, NoParallelism>,
    pub(crate) mode: CpuMode,
    /// The call chain, leaf first, with the markers of [`context`] before the
    /// addresses of the kernel and of the program. Chains of branches (LBR) and
    /// those that the kernel wrote later are here as well.
    pub(crate) chain: U64s<'a>,
    /// Whether the program's part of `chain` has the addresses of calls, not return addresses: it
    /// is made from branches, or simpleperf wrote it.
    pub(crate) has_chain_of_calls: bool,
    /// The program's registers.
    pub(crate) registers: Option<SampleRegisters<'a>>,
    /// The program's stack, from the stack pointer up.
    pub(crate) stack: Option<&'a [u8]>,
    pub(crate) counters: Option<Counters<'a>>,
    pub(crate) branches: Option<Branches<'a>>,
}

/// Why it is unknown how many of the recorded threads ran when a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoParallelism {
    /// The caller did not ask for it:
    /// [`Recording::count_running`](crate::Recording::count_running).
    NotCounted,
    /// Switches were not recorded: `perf record --switch-events`.
    NoSwitches,
    /// All processors were recorded (`-a`, `-C`), which always run some thread.
    AllProcessors,
    /// Samples have no times, so it is unknown between which switches they were taken.
    NoTimes,
}

/// The markers in call chains: what kind of addresses follows.
pub(crate) mod context {
    /// From here up a number is a marker, not an address.
    pub(crate) const FIRST: u64 = -4095i64 as u64;
    pub(crate) const KERNEL: u64 = -128i64 as u64;
    pub(crate) const USER: u64 = -512i64 as u64;
    /// The number after it is not an address: the later record with the addresses has it, too.
    pub(crate) const USER_DEFERRED: u64 = -640i64 as u64;
}

/// A program's registers when a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleRegisters<'a> {
    /// Whether the process is one of 32 bits, whose registers have other numbers on
    /// some machines.
    pub(crate) is_32_bit: bool,
    /// Which registers there are, by perf's numbers.
    pub(crate) mask: u64,
    /// Their values, as many as `mask` has bits.
    pub(crate) values: U64s<'a>,
}

/// The values of counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters<'a> {
    numbers: U64s<'a>,
    /// How many numbers a counter has, and which of them is its id.
    stride: usize,
    id_at: Option<usize>,
}

impl<'a> Counters<'a> {
    /// The id, if it was recorded, and the value of each counter.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Option<u64>, u64)> + use<'a> {
        let Counters { numbers, stride, id_at } = *self;
        (0..numbers.len()).step_by(stride).filter_map(move |start| {
            let id = id_at.and_then(|at| numbers.get(start + at));
            Some((id, numbers.get(start)?))
        })
    }
}

/// The last branches that the processor took, the latest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branches<'a> {
    /// The origin, the target and the flags of each.
    numbers: U64s<'a>,
}

impl<'a> Branches<'a> {
    /// The origin and the target of each branch.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + use<'a> {
        let numbers = self.numbers;
        (0..numbers.len() / 3).map(move |branch| {
            let number = |at| numbers.get(3 * branch + at).unwrap_or(0);
            (number(0), number(1))
        })
    }
}

/// Where the time of a sample is, in numbers of 64 bits after the header.
#[inline]
pub(crate) fn time_from_start(attr: &Attr) -> Option<usize> {
    let before = [fields::IDENTIFIER, fields::IP, fields::TID];
    attr.has(fields::TIME).then(|| before.iter().filter(|field| attr.has(**field)).count())
}

/// Where the time of another record is, in numbers of 64 bits from its end.
#[inline]
pub(crate) fn time_from_end(attr: &Attr) -> Option<usize> {
    let after = [fields::ID, fields::STREAM_ID, fields::CPU, fields::IDENTIFIER];
    (attr.sample_id_all() && attr.has(fields::TIME))
        .then(|| 1 + after.iter().filter(|field| attr.has(**field)).count())
}

impl<'a> RawSample<'a> {
    /// Appends the fields of a tracepoint, as `perf script` prints them: `prev_comm=sh prev_pid=7`.
    /// Appends nothing for other events, or if the recording does not describe the tracepoint.
    pub fn append_text(&self, out: &mut Vec<u8>) {
        self.event.append_text(self.raw, out);
    }

    /// What ran when a tracepoint was hit; `None` for other events, or if the recording does not
    /// describe the tracepoint.
    #[must_use]
    pub fn trace_context(&self) -> Option<TraceContext> {
        self.event.trace_context(self.raw)
    }

    /// The value of a register of the program, by the number that the kernel gives it:
    /// `enum perf_event_x86_regs` of asm/perf_regs.h, and its counterparts for other machines.
    /// `None` if it was not recorded.
    #[must_use]
    pub fn user_register(&self, number: u32) -> Option<u64> {
        let SampleRegisters { mask, values, .. } = self.registers?;
        let bit = 1_u64.checked_shl(number)?;
        let before = (mask & (bit - 1)).count_ones();
        (mask & bit != 0).then(|| values.get(before as usize)).flatten()
    }

    /// This sample without what the program's part of its stack is unwound from.
    #[must_use]
    pub fn without_copied_stack(&self) -> RawSample<'a> {
        RawSample { registers: None, stack: None, ..*self }
    }

    /// The copy of the program's stack, from the stack pointer up; `None` if there is none.
    #[must_use]
    pub fn user_stack(&self) -> Option<&'a [u8]> {
        self.stack
    }

    /// Parses the body of a record with these `flags`; `None` if it is shorter than the fields that
    /// its event asks for.
    pub(crate) fn parse(
        event: &'a RecordedEvent,
        flags: u16,
        body: &'a [u8],
    ) -> Option<RawSample<'a>> {
        let attr = &event.attr;
        let mut body = Bytes(body);
        let mut number = |field| if attr.has(field) { body.u64().map(Some) } else { Some(None) };
        number(fields::IDENTIFIER)?;
        let ip = number(fields::IP)?;
        let ids = number(fields::TID)?;
        let time = number(fields::TIME)?;
        number(fields::ADDR)?;
        number(fields::ID)?;
        number(fields::STREAM_ID)?;
        let cpu = number(fields::CPU)?;
        let period = number(fields::PERIOD)?.or(attr.fixed_period());
        let mut sample = RawSample {
            event,
            time,
            pid: ids.map(|ids| ids as u32),
            tid: ids.map(|ids| (ids >> 32) as u32),
            cpu: cpu.map(|cpu| cpu as u32),
            ip,
            period,
            cgroup: None,
            parallelism: Err(NoParallelism::NotCounted),
            mode: CpuMode::of(flags),
            chain: U64s::default(),
            lacks_user_chain: false,
            has_chain_of_calls: event.has_chains_of_calls,
            registers: None,
            stack: None,
            raw: &[],
            counters: None,
            branches: None,
        };
        sample.parse_variable_fields(&mut body)?;
        Some(sample)
    }

    /// Parses the fields with sizes that differ from sample to sample, which come after those of 64
    /// bits.
    fn parse_variable_fields(&mut self, body: &mut Bytes<'a>) -> Option<()> {
        let attr = &self.event.attr;
        if attr.has(fields::READ) {
            self.counters = Some(counters(attr, body)?);
        }
        if attr.has(fields::CALLCHAIN) {
            let length = body.u64()?;
            self.chain = body.u64s(length)?;
        }
        if attr.has(fields::RAW) {
            let length = body.u32()?;
            self.raw = body.take(length.into())?;
        }
        if attr.has(fields::BRANCH_STACK) {
            self.branches = Some(branch_stack(attr, body)?);
        }
        if attr.has(fields::REGS_USER) {
            self.registers = registers(attr.sample_regs_user, body)?;
        }
        if attr.has(fields::STACK_USER) {
            self.stack = Some(stack(body)?);
        }
        if attr.has(fields::CGROUP) {
            self.cgroup = Some(cgroup(attr, body)?);
        }
        Some(())
    }
}

/// One counter, or those of a group of events that are counted together.
fn counters<'a>(attr: &Attr, body: &mut Bytes<'a>) -> Option<Counters<'a>> {
    let has = |format| usize::from(attr.read_format & format != 0);
    let times = has(reads::ENABLED) + has(reads::RUNNING);
    let (id, lost) = (has(reads::ID), has(reads::LOST));
    if attr.read_format & reads::GROUP == 0 {
        let stride = 1 + times + id + lost;
        let id_at = (id == 1).then_some(1 + times);
        return Some(Counters { numbers: body.u64s(stride as u64)?, stride, id_at });
    }
    let count = body.u64()?;
    body.u64s(times as u64)?;
    let stride = 1 + id + lost;
    let numbers = body.u64s(count.checked_mul(stride as u64)?)?;
    Some(Counters { numbers, stride, id_at: (id == 1).then_some(1) })
}

fn branch_stack<'a>(attr: &Attr, body: &mut Bytes<'a>) -> Option<Branches<'a>> {
    let has = |what| attr.branch_sample_type & what != 0;
    let count = body.u64()?;
    if has(branches::HW_INDEX) {
        body.u64()?;
    }
    let numbers = body.u64s(count.checked_mul(3)?)?;
    if has(branches::COUNTERS) {
        body.u64s(count)?;
    }
    Some(Branches { numbers })
}

/// `Some(None)` if the sample has no registers, such as that of a thread of the kernel.
fn registers<'a>(mask: u64, body: &mut Bytes<'a>) -> Option<Option<SampleRegisters<'a>>> {
    const BITS_32: u64 = 1;
    let abi = body.u64()?;
    if abi == 0 {
        return Some(None);
    }
    let values = body.u64s(mask.count_ones().into())?;
    Some(Some(SampleRegisters { is_32_bit: abi == BITS_32, mask, values }))
}

/// The control group. The fields before it, about memory and transactions, are skipped.
fn cgroup(attr: &Attr, body: &mut Bytes<'_>) -> Option<u64> {
    let before = [fields::WEIGHT | fields::WEIGHT_STRUCT, fields::DATA_SRC, fields::TRANSACTION];
    let before = before.iter().filter(|field| attr.has(**field)).count();
    body.u64s(before as u64)?;
    if attr.has(fields::REGS_INTR) {
        registers(attr.sample_regs_intr, body)?;
    }
    if attr.has(fields::PHYS_ADDR) {
        body.u64()?;
    }
    body.u64()
}

/// The bytes of the stack that were copied, without the room that was reserved for more.
fn stack<'a>(body: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let size = body.u64()?;
    if size == 0 {
        return Some(&[]);
    }
    let dump = body.take(size)?;
    let copied = usize::try_from(body.u64()?).unwrap_or(usize::MAX);
    Some(&dump[..copied.min(dump.len())])
}

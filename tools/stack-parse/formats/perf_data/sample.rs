//! Samples: `PERF_RECORD_SAMPLE` of include/uapi/linux/perf_event.h, whose fields
//! are those that the event's attribute asks for, in the order given there.

use super::attr::{Attr, branches, fields, reads};
use super::bytes::{Bytes, U64s};
use super::events::Event;

/// Where the processor was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Unknown,
    Kernel,
    User,
    Hypervisor,
    GuestKernel,
    GuestUser,
}

impl Mode {
    /// Of the flags of a record.
    pub(super) fn of(flags: u16) -> Mode {
        match flags & 7 {
            1 => Mode::Kernel,
            2 => Mode::User,
            3 => Mode::Hypervisor,
            4 => Mode::GuestKernel,
            5 => Mode::GuestUser,
            _ => Mode::Unknown,
        }
    }
}

/// A sample as it stands in the recording; what it does not tell is `None` or
/// empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSample<'a> {
    pub(crate) event: &'a Event,
    /// In nanoseconds, on the recording's clock.
    pub(crate) time: Option<u64>,
    pub(crate) pid: Option<u32>,
    pub(crate) tid: Option<u32>,
    pub(crate) cpu: Option<u32>,
    /// The address of the instruction.
    pub(crate) ip: Option<u64>,
    /// What the sample stands for, in the event's unit.
    pub(crate) period: Option<u64>,
    pub(crate) mode: Mode,
    /// The call chain, leaf first, with the markers of [`context`] before the
    /// addresses of the kernel and of the program. Chains of branches (LBR) and
    /// those that the kernel wrote later are here as well.
    pub(crate) chain: U64s<'a>,
    /// Whether the program's part of the chain was to be written later, and is
    /// missing.
    pub(crate) lacks_user_chain: bool,
    /// The program's registers.
    pub(crate) registers: Option<SampleRegisters<'a>>,
    /// What the program's stack held from its pointer up.
    pub(crate) stack: Option<&'a [u8]>,
    /// What a tracepoint recorded.
    pub(crate) raw: &'a [u8],
    pub(super) counters: Option<Counters<'a>>,
    pub(super) branches: Option<Branches<'a>>,
}

/// The markers in call chains: what kind of addresses follows.
pub(crate) mod context {
    /// From here up a number is a marker, not an address.
    pub(crate) const FIRST: u64 = -4095i64 as u64;
    pub(crate) const KERNEL: u64 = -128i64 as u64;
    pub(crate) const USER: u64 = -512i64 as u64;
    /// The number behind it is not an address but tells which later record holds
    /// the addresses.
    pub(crate) const USER_DEFERRED: u64 = -640i64 as u64;
}

/// The registers of a program when a sample was taken.
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
pub(super) struct Counters<'a> {
    numbers: U64s<'a>,
    /// How many numbers a counter has, and which of them is its id.
    stride: usize,
    id_at: Option<usize>,
}

impl<'a> Counters<'a> {
    /// The id, if it is told, and the value of each counter.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Option<u64>, u64)> + use<'a> {
        let Counters { numbers, stride, id_at } = *self;
        (0..numbers.len()).step_by(stride).filter_map(move |start| {
            let id = id_at.and_then(|at| numbers.get(start + at));
            Some((id, numbers.get(start)?))
        })
    }
}

/// The last branches that the processor took, the latest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branches<'a> {
    /// From, to and flags of each.
    numbers: U64s<'a>,
}

impl<'a> Branches<'a> {
    /// From where and to where each branch went.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + use<'a> {
        let numbers = self.numbers;
        (0..numbers.len() / 3).map(move |branch| {
            let number = |at| numbers.get(3 * branch + at).unwrap_or(0);
            (number(0), number(1))
        })
    }
}

/// Where the time of a sample is, counted in numbers of 64 bits behind the header.
#[inline]
pub(super) fn time_from_start(attr: &Attr) -> Option<usize> {
    let before = [fields::IDENTIFIER, fields::IP, fields::TID];
    attr.has(fields::TIME).then(|| before.iter().filter(|field| attr.has(**field)).count())
}

/// Where the time of another record is, counted from its end.
#[inline]
pub(super) fn time_from_end(attr: &Attr) -> Option<usize> {
    let behind = [fields::ID, fields::STREAM_ID, fields::CPU, fields::IDENTIFIER];
    (attr.sample_id_all() && attr.has(fields::TIME))
        .then(|| 1 + behind.iter().filter(|field| attr.has(**field)).count())
}

impl<'a> RawSample<'a> {
    /// Parses what follows the header of a record that has these `flags`; `None` if
    /// it is too short for what its event says is in it.
    pub(super) fn parse(event: &'a Event, flags: u16, body: &'a [u8]) -> Option<RawSample<'a>> {
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
            mode: Mode::of(flags),
            chain: U64s::default(),
            lacks_user_chain: false,
            registers: None,
            stack: None,
            raw: &[],
            counters: None,
            branches: None,
        };
        if attr.has(fields::READ) {
            sample.counters = Some(counters(attr, &mut body)?);
        }
        if attr.has(fields::CALLCHAIN) {
            let length = body.u64()?;
            sample.chain = body.u64s(length)?;
        }
        if attr.has(fields::RAW) {
            let length = body.u32()?;
            sample.raw = body.take(length.into())?;
        }
        if attr.has(fields::BRANCH_STACK) {
            sample.branches = Some(branch_stack(attr, &mut body)?);
        }
        if attr.has(fields::REGS_USER) {
            sample.registers = registers(attr.sample_regs_user, &mut body)?;
        }
        if attr.has(fields::STACK_USER) {
            sample.stack = Some(stack(&mut body)?);
        }
        // What follows tells of memory and transactions, nothing of calls.
        Some(sample)
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

/// `Some(None)` where the sample has none, as of a thread of the kernel.
fn registers<'a>(mask: u64, body: &mut Bytes<'a>) -> Option<Option<SampleRegisters<'a>>> {
    const BITS_32: u64 = 1;
    let abi = body.u64()?;
    if abi == 0 {
        return Some(None);
    }
    let values = body.u64s(mask.count_ones().into())?;
    Some(Some(SampleRegisters { is_32_bit: abi == BITS_32, mask, values }))
}

/// Of the bytes that are set aside for the stack, those that were copied.
fn stack<'a>(body: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let size = body.u64()?;
    if size == 0 {
        return Some(&[]);
    }
    let dump = body.take(size)?;
    let copied = usize::try_from(body.u64()?).unwrap_or(usize::MAX);
    Some(&dump[..copied.min(dump.len())])
}

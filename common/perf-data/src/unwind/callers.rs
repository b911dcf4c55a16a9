//! Callers of a sample from its registers and a copy of its stack, found by the call frame
//! information (CFI) of the object files, as debuggers find them.
//!
//! CFI says for each address of the code where the caller's registers are: in
//! `.eh_frame`, which C++ needs for exceptions and nearly every file has, or in
//! `.debug_frame`. Code without it (a JIT's, some assembly) is unwound by frame
//! pointers.

use std::hash::Hash;

use crate::processes::maps::Maps;
use crate::unwind::dump::{End, LONGEST_COPY, StackDump};
use crate::unwind::frame::UnwoundFrame;
use crate::unwind::machine::{Machine, Registers};
use crate::unwind::row::CallerRow;
use crate::unwind::sections::UnwindFiles;
use crate::unwind::ways::{WayToCaller, WaysToCallers};

/// More frames than fit into a dump, which is smaller than 64 kB. A damaged stack may go in circles
/// through signal handlers.
const MOST_FRAMES: usize = 1 << 15;

/// Unwinds copies of stacks for one kind of machine, and keeps what it learns of the code.
pub(crate) struct DumpUnwinder<'f, O> {
    machine: Machine,
    ways: WaysToCallers<'f, O>,
}

impl<'f, O: Copy + Eq + Hash> DumpUnwinder<'f, O> {
    pub(crate) fn new(machine: Machine) -> DumpUnwinder<'f, O> {
        DumpUnwinder { machine, ways: WaysToCallers::new(machine) }
    }

    /// Appends the addresses of the functions on the stack to `chain`, the one that was running
    /// first, as `perf script` prints them: for a caller, the return address minus 1, which is in
    /// the call.
    ///
    /// `dump` is the memory from the stack pointer on, `maps` are those of the process.
    pub(crate) fn unwind(
        &mut self,
        registers: &Registers,
        dump: &[u8],
        maps: &Maps<O>,
        files: &mut dyn UnwindFiles<'f, O>,
        chain: &mut Vec<u64>,
    ) -> End {
        let machine = self.machine;
        let (Some(pc), Some(sp)) = (registers.get(machine.pc()), registers.get(machine.sp()))
        else {
            return End::Lost;
        };
        let stack = StackDump::new(sp, dump);
        let mut frame = UnwoundFrame { registers: registers.clone(), pc, is_exact: true };
        let first = chain.len();
        while chain.len() - first < MOST_FRAMES {
            let address = frame.address();
            let way = match maps.find(address) {
                Some(map) => self.ways.way(map.object, map.offset_of(address), &frame, files),
                None if chain.len() > first => return End::Lost,
                None => WayToCaller::Unknown,
            };
            // A signal handler "returns" to code that has not called it.
            chain.push(if way.is_at_next() { frame.pc } else { address });
            let is_made = matches!(way, WayToCaller::MadeAtRunTime);
            match caller(machine, &way, &frame, &stack, maps) {
                Ok(caller) if is_made && self.is_direct_call(caller.address(), maps, files) => {
                    return End::Lost;
                }
                Ok(caller) => frame = caller,
                Err(End::Root) => return End::Root,
                Err(end) => return self.root_or(end, address, maps, files),
            }
        }
        End::Lost
    }

    /// [`End::Root`] if the function at `address`, whose caller was not found, has none.
    fn root_or(
        &mut self,
        end: End,
        address: u64,
        maps: &Maps<O>,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> End {
        let is_root = maps
            .find(address)
            .is_some_and(|map| self.ways.is_root(map.object, map.offset_of(address), files));
        if is_root { End::Root } else { end }
    }

    /// Whether a direct call ends at `address`.
    fn is_direct_call(
        &mut self,
        address: u64,
        maps: &Maps<O>,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> bool {
        maps.find(address)
            .is_some_and(|map| self.ways.is_direct_call(map.object, map.offset_of(address), files))
    }

    /// Whether signal handlers return to the code at `address`.
    #[inline]
    pub(crate) fn is_signal_return(
        &mut self,
        maps: &Maps<O>,
        address: u64,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> bool {
        maps.find(address).is_some_and(|map| {
            self.ways.is_signal_return(map.object, map.offset_of(address), files)
        })
    }
}

/// The caller of `frame`, or the frame that a signal interrupted if `frame` returns from its
/// handler.
fn caller<O: Copy>(
    machine: Machine,
    way: &WayToCaller<'_>,
    frame: &UnwoundFrame,
    stack: &StackDump<'_>,
    maps: &Maps<O>,
) -> Result<UnwoundFrame, End> {
    let caller = match way {
        WayToCaller::Row(row) => by_row(machine, row, frame, stack)?,
        WayToCaller::Bare(code) => code.caller(machine, frame, stack)?,
        WayToCaller::FramePointer | WayToCaller::MadeAtRunTime => {
            by_frame_pointer(machine, frame, stack, maps)?
        }
        WayToCaller::Root | WayToCaller::RootAtStart => return Err(End::Root),
        WayToCaller::Unknown => return Err(End::Lost),
    };
    let sp = |frame: &UnwoundFrame| frame.registers.get(machine.sp());
    let grows = match (sp(frame), sp(&caller)) {
        // A signal handler may run on a stack of its own.
        (_, Some(_)) if caller.is_exact => true,
        // On AArch64, a function that calls no other need not use the stack.
        (Some(from), Some(to)) if frame.is_exact => to >= from,
        (Some(from), Some(to)) => to > from,
        _ => false,
    };
    match caller.pc {
        0 => Err(End::Root),
        _ if !grows => Err(End::Lost),
        _ => Ok(caller),
    }
}

/// The caller according to CFI.
fn by_row(
    machine: Machine,
    row: &CallerRow<'_>,
    frame: &UnwoundFrame,
    stack: &StackDump<'_>,
) -> Result<UnwoundFrame, End> {
    let registers = row.caller(&frame.registers, machine, stack).map_err(|end| {
        let size = row.frame_size(&frame.registers, machine, stack);
        match size.filter(|size| end == End::Truncated && *size > u64::from(LONGEST_COPY)) {
            Some(size) => End::HugeFrame(size),
            None => end,
        }
    })?;
    // Without a rule, the return address is still in its register, if there is such a register and
    // the function has not called another one.
    let may_stay = row.return_address() != machine.pc() && frame.is_exact;
    if !row.has_rule(row.return_address()) && !may_stay {
        return Err(End::Lost);
    }
    let pc = registers.get(row.return_address()).ok_or(End::Root)?;
    Ok(UnwoundFrame {
        registers,
        pc: machine.without_signature(pc),
        is_exact: row.is_signal_frame(),
    })
}

/// The caller according to the frame pointer: it points to the caller's frame pointer, and the
/// return address is above that.
///
/// It is not known whether the code keeps frame pointers. So the return address must be an address
/// of code.
fn by_frame_pointer<O: Copy>(
    machine: Machine,
    frame: &UnwoundFrame,
    stack: &StackDump<'_>,
    maps: &Maps<O>,
) -> Result<UnwoundFrame, End> {
    let at = |register| frame.registers.get(register).ok_or(End::Lost);
    let (sp, fp) = (at(machine.sp())?, at(machine.fp())?);
    if fp < sp || !fp.is_multiple_of(8) {
        return Err(End::Lost);
    }
    // Far from the stack, it is no frame pointer.
    let read = |address| match stack.read(address) {
        Err(End::OtherStack) => Err(End::Lost),
        read => read,
    };
    let (caller_fp, pc) = (read(fp)?, read(fp.wrapping_add(8))?);
    let mut registers = frame.registers.clone();
    registers.set(machine.fp(), caller_fp);
    registers.set(machine.sp(), fp.wrapping_add(16));
    let caller = UnwoundFrame { registers, pc: machine.without_signature(pc), is_exact: false };
    let is_code = caller.pc == 0 || maps.find(caller.address()).is_some();
    is_code.then_some(caller).ok_or(End::Lost)
}

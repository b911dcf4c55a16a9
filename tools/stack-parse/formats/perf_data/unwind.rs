//! Callers of a sample from its registers and a copy of its stack, by the call
//! frame information (CFI) of the object files, as a debugger finds them.
//!
//! CFI says for each address of the code where the caller's registers are: in
//! `.eh_frame`, which C++ needs for exceptions and nearly every file has, or in
//! `.debug_frame`. Code without it (a JIT's, some assembly) is unwound by frame
//! pointers.

mod bare_code;
mod expression;
mod machine;
mod row;
mod rows;
mod search;
mod stack;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use machine::{Machine, Registers};
pub(crate) use tables::Tables;

use row::Row;
use rows::{Rows, Way};
use stack::Stack;

/// More frames than fit a dump, which is smaller than 64 kB. A damaged stack may
/// go round in circles through signal handlers.
const MOST_FRAMES: usize = 1 << 15;

/// What is known of the code at an address.
pub(crate) enum Code<'t> {
    /// It is from an object file.
    File {
        tables: &'t Tables,
        /// An address in memory minus the same place's address in the file.
        bias: u64,
    },
    /// It was made while the program ran.
    Jit,
    /// There is no code.
    Unmapped,
}

/// Why there are no more callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last one has none: it is `_start` or where a thread starts.
    Root,
    /// The dump of the stack ended.
    Truncated,
    /// It is not known where the caller's registers are, or what was found there
    /// is no address of code.
    Lost,
}

/// Unwinds samples of programs for one kind of machine, and keeps what it
/// learned of the code.
pub(crate) struct Unwinder {
    machine: Machine,
    rows: Rows,
}

/// A function that was called, or the one that was running.
struct Frame {
    registers: Registers,
    /// Where its code goes on; for the sample's own frame, where it is.
    pc: u64,
    /// Whether the instruction at `pc` is the one that counts: in the function
    /// that was running or that a signal interrupted. In all others it is the
    /// call before it.
    is_exact: bool,
}

impl Unwinder {
    pub(crate) fn new(machine: Machine) -> Unwinder {
        Unwinder { machine, rows: Rows::new(machine) }
    }

    /// Appends the addresses of the functions on the stack to `chain`, the one
    /// that was running first, as `perf script` prints them: of a caller, the
    /// return address minus 1, which is in the call.
    ///
    /// `dump` is the memory from the stack pointer on, `find` says what code is
    /// at an address.
    pub(crate) fn unwind<'t>(
        &mut self,
        registers: &Registers,
        dump: &[u8],
        find: &mut dyn FnMut(u64) -> Code<'t>,
        chain: &mut Vec<u64>,
    ) -> End {
        let machine = self.machine;
        let (Some(pc), Some(sp)) = (registers.get(machine.pc()), registers.get(machine.sp()))
        else {
            return End::Lost;
        };
        let stack = Stack::new(sp, dump);
        let mut frame = Frame { registers: registers.clone(), pc, is_exact: true };
        let first = chain.len();
        while chain.len() - first < MOST_FRAMES {
            let way = match find(frame.address()) {
                Code::File { tables, bias } => {
                    self.rows.way(tables, frame.pc.wrapping_sub(bias), frame.is_exact)
                }
                Code::Jit => Way::FramePointer,
                Code::Unmapped if chain.len() > first => return End::Lost,
                Code::Unmapped => Way::None,
            };
            // A signal handler "returns" to where it was never called from.
            chain.push(if way.returns_from_signal() { frame.pc } else { frame.address() });
            match frame.caller(machine, &way, &stack, find) {
                Ok(caller) => frame = caller,
                Err(end) => return end,
            }
        }
        End::Lost
    }
}

impl Frame {
    /// An address within the instruction that counts.
    fn address(&self) -> u64 {
        if self.is_exact { self.pc } else { self.pc.wrapping_sub(1) }
    }

    /// The caller, or what the signal interrupted that this returns from.
    fn caller<'t>(
        &self,
        machine: Machine,
        way: &Way<'_>,
        stack: &Stack<'_>,
        find: &mut dyn FnMut(u64) -> Code<'t>,
    ) -> Result<Frame, End> {
        let caller = match way {
            Way::Row(row) => by_row(machine, row, self, stack)?,
            Way::Bare(code) => code.caller(machine, self, stack)?,
            Way::FramePointer => by_frame_pointer(machine, self, stack, find)?,
            Way::None => return Err(End::Lost),
        };
        let sp = |frame: &Frame| frame.registers.get(machine.sp());
        let grows = match (sp(self), sp(&caller)) {
            // A signal handler may have a stack of its own.
            (_, Some(_)) if caller.is_exact => true,
            // On AArch64, a function that calls none need not use the stack.
            (Some(from), Some(to)) if self.is_exact => to >= from,
            (Some(from), Some(to)) => to > from,
            _ => false,
        };
        match caller.pc {
            0 => Err(End::Root),
            _ if !grows => Err(End::Lost),
            _ => Ok(caller),
        }
    }
}

/// The caller as CFI says.
fn by_row(machine: Machine, row: &Row, frame: &Frame, stack: &Stack<'_>) -> Result<Frame, End> {
    let registers = row.caller(&frame.registers, machine, stack)?;
    // Without a rule the return address is still in its register, if there is such
    // a register and the function has called no other.
    let may_stay = row.return_address() != machine.pc() && frame.is_exact;
    if !row.has_rule(row.return_address()) && !may_stay {
        return Err(End::Lost);
    }
    let pc = registers.get(row.return_address()).ok_or(End::Root)?;
    Ok(Frame { registers, pc: machine.without_signature(pc), is_exact: row.is_signal_frame() })
}

/// The caller by the frame pointer, which points to the caller's frame pointer,
/// above which is the return address.
///
/// Whether the code keeps frame pointers is not known, so that what it finds has to be
/// the address of code.
fn by_frame_pointer<'t>(
    machine: Machine,
    frame: &Frame,
    stack: &Stack<'_>,
    find: &mut dyn FnMut(u64) -> Code<'t>,
) -> Result<Frame, End> {
    let at = |register| frame.registers.get(register).ok_or(End::Lost);
    let (sp, fp) = (at(machine.sp())?, at(machine.fp())?);
    // The convention for the outermost frame.
    if fp == 0 {
        return Err(End::Root);
    }
    if fp < sp || !fp.is_multiple_of(8) {
        return Err(End::Lost);
    }
    let (caller_fp, pc) = (stack.read(fp)?, stack.read(fp.wrapping_add(8))?);
    let mut registers = frame.registers.clone();
    registers.set(machine.fp(), caller_fp);
    registers.set(machine.sp(), fp.wrapping_add(16));
    let caller = Frame { registers, pc: machine.without_signature(pc), is_exact: false };
    match find(caller.address()) {
        Code::Unmapped if caller.pc != 0 => Err(End::Lost),
        _ => Ok(caller),
    }
}

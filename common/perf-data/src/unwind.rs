//! The stacks of samples: call chains as the kernel recorded them, and stacks unwound from a copy.

mod bare_code;
mod callers;
mod cfi;
mod chain;
pub(crate) mod dump;
mod expression;
mod frame;
mod machine;
mod made;
mod roots;
mod row;
mod search;
pub(crate) mod sections;
mod stack_use;
mod tables;
#[cfg(test)]
mod tests;
mod ways;

use std::hash::Hash;

use crate::processes::Processes;
use crate::processes::maps::Maps;
use crate::sample::{CpuMode, RawSample};
use callers::DumpUnwinder;
use chain::{ChainAddress, Space};
use dump::End;
use machine::{Machine, Registers};
use sections::UnwindFiles;

/// Finds the stacks of samples, and keeps what it learns of the code.
///
/// `O` is how the caller identifies an object, see [`Processes`]; `'f` is how long the bytes of
/// object files live, see [`UnwindFiles`].
pub struct Unwinder<'f, O> {
    machine: Machine,
    dumps: DumpUnwinder<'f, O>,
    /// The addresses that were unwound for one sample.
    unwound: Vec<u64>,
}

/// One level of a stack: an instruction, and the object that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFrame<O> {
    /// The address in memory of the instruction, or of a byte in it. For a caller it is the return
    /// address minus 1, which is the last byte of the call. The return address itself may belong to
    /// another line, to another inlined function or, after a call that never returns, to the next
    /// function.
    pub address: u64,
    /// The object that is mapped there, and the offset of the address in it, in bytes; `None` if
    /// nothing is mapped there.
    pub mapped: Option<(O, u64)>,
}

/// Where the stack of a sample ends, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StackEnd {
    /// There was no copy of the stack: this is the call chain that the kernel recorded, or only the
    /// sample's address.
    Recorded,
    /// It was unwound to a function that has no caller.
    Root,
    /// The copy of the stack is shorter than the stack: callers are missing.
    Truncated,
    /// The frame of the last function is larger than any copy can be: callers are missing.
    HugeFrame {
        /// The size of the frame.
        bytes: u64,
    },
    /// The caller of the last function is unknown.
    Lost,
    /// It goes on in memory that was not copied: a signal has a stack of its own, and the copy is of
    /// that.
    OtherStack,
    /// The registers are those of a program of 32 bits or of another machine: the copy of the
    /// stack was not unwound.
    OtherRegisters,
}

impl<O: Copy + Eq + Hash> Default for Unwinder<'_, O> {
    fn default() -> Self {
        Unwinder::of(Machine::X86_64)
    }
}

impl<'f, O: Copy + Eq + Hash> Unwinder<'f, O> {
    /// For programs of x86-64.
    #[must_use]
    pub fn new() -> Unwinder<'f, O> {
        Unwinder::default()
    }

    /// For programs of the machine that `uname -m` calls `name`, as in [`Record::Machine`]:
    /// `x86_64`, `aarch64` or `arm64`. `None` for other machines.
    ///
    /// [`Record::Machine`]: crate::Record::Machine
    #[must_use]
    pub fn for_machine(name: &[u8]) -> Option<Unwinder<'f, O>> {
        Machine::of_name(name).map(Unwinder::of)
    }

    fn of(machine: Machine) -> Unwinder<'f, O> {
        Unwinder { machine, dumps: DumpUnwinder::new(machine), unwound: Vec::new() }
    }

    /// Puts the stack of a sample into `frames`, the function that was running first.
    ///
    /// `processes` must be as they were at the time of the sample: apply all records before it.
    /// `files` is asked for object files, as [`UnwindFiles`] says.
    pub fn unwind(
        &mut self,
        sample: &RawSample<'_>,
        processes: &Processes<O>,
        files: &mut dyn UnwindFiles<'f, O>,
        frames: &mut Vec<StackFrame<O>>,
    ) -> StackEnd {
        frames.clear();
        let user = processes.maps(sample.pid.unwrap_or_default());
        let is_kernel = sample.mode == CpuMode::Kernel;
        let of_ip = if is_kernel { processes.kernel() } else { user };
        for ChainAddress { address, space, is_exact } in chain::addresses(sample) {
            let maps = match space {
                Space::Kernel => Some(processes.kernel()),
                Space::User => Some(user),
                Space::Other => None,
            };
            let is_exact = is_exact
                || (space == Space::User && self.dumps.is_signal_return(user, address, files));
            frames.push(frame(maps, if is_exact { address } else { address.wrapping_sub(1) }));
        }
        let mut end = StackEnd::Recorded;
        if let (Some(registers), Some(dump)) = (sample.registers, sample.stack) {
            let values = registers.values.iter();
            end = match Registers::from_perf(self.machine, registers.mask, values) {
                Some(registers_of_64) if !registers.is_32_bit => {
                    self.unwind_dump(&registers_of_64, dump, user, files, frames)
                }
                _ => StackEnd::OtherRegisters,
            };
        }
        // There is no call chain, or the program's part of it cannot be found.
        if frames.is_empty()
            && let Some(ip) = sample.ip
        {
            frames.push(frame(Some(of_ip), ip));
        }
        end
    }

    fn unwind_dump(
        &mut self,
        registers: &Registers,
        dump: &[u8],
        maps: &Maps<O>,
        files: &mut dyn UnwindFiles<'f, O>,
        frames: &mut Vec<StackFrame<O>>,
    ) -> StackEnd {
        self.unwound.clear();
        let end = self.dumps.unwind(registers, dump, maps, files, &mut self.unwound);
        frames.extend(self.unwound.iter().map(|&address| frame(Some(maps), address)));
        match end {
            End::Root => StackEnd::Root,
            End::Truncated => StackEnd::Truncated,
            End::HugeFrame(bytes) => StackEnd::HugeFrame { bytes },
            End::OtherStack => StackEnd::OtherStack,
            End::Lost => StackEnd::Lost,
        }
    }
}

#[inline]
fn frame<O: Copy>(maps: Option<&Maps<O>>, address: u64) -> StackFrame<O> {
    let map = maps.and_then(|maps| maps.find(address));
    StackFrame { address, mapped: map.map(|map| (map.object, map.offset_of(address))) }
}

//! Code that a process made while it ran: Python's trampolines, what node and Java compile.

use gimli::UnwindContext;

use crate::unwind::cfi::RowMemory;
use crate::unwind::machine::Machine;
use crate::unwind::row::CallerRow;
use crate::unwind::sections::{MadeFunction, UnwindSections};
use crate::unwind::stack_use;
use crate::unwind::tables::UnwindTables;

/// The trampolines of CPython for x86-64, through which a function of Python is called so that
/// profilers see its name. perf's map has their size, but not their code.
const TRAMPOLINES: [&[u8]; 4] = [
    // sub $8, %rsp; call *%rcx; add $8, %rsp; ret: CPython 3.12 and 3.13.
    b"\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3",
    // The same after endbr64.
    b"\xf3\x0f\x1e\xfa\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3",
    // push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret: CPython 3.14.
    b"\x55\x48\x89\xe5\xff\xd1\x5d\xc3",
    // The same after endbr64.
    b"\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xff\xd1\x5d\xc3",
];

impl<'f> MadeFunction<'f> {
    /// The row for the address that was asked for.
    pub(crate) fn row(
        &self,
        machine: Machine,
        context: &mut UnwindContext<usize, RowMemory>,
    ) -> Option<CallerRow<'f>> {
        if let Some(eh_frame) = self.eh_frame {
            // Only distances count, so the code may begin at 0.
            let eh_frame = Some((self.size.checked_next_multiple_of(8)?, eh_frame));
            let sections = UnwindSections { eh_frame, ..UnwindSections::default() };
            return UnwindTables::new(machine, sections).row(self.offset, context);
        }
        let is_it = |code: &&&[u8]| self.is_trampoline(machine) && code.len() as u64 == self.size;
        let code = TRAMPOLINES.iter().find(is_it)?;
        let states = stack_use::follow(code, 0);
        states.before(usize::try_from(self.offset).ok()?).and_then(CallerRow::of_stack)
    }

    /// Whether it keeps no frame pointer, as trampolines of CPython do not on x86-64.
    pub(crate) fn is_trampoline(&self, machine: Machine) -> bool {
        machine == Machine::X86_64 && self.name.starts_with(b"py::")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwind::stack_use::Kept;

    /// Each instruction of a trampoline and how far the return address is from the stack pointer.
    #[test]
    fn the_stack_in_trampolines_is_known() {
        let depths = [
            &[(0, 8), (4, 16), (6, 16), (10, 8)][..],
            &[(0, 8), (4, 8), (8, 16), (10, 16), (14, 8)],
            &[(0, 8), (1, 16), (4, 16), (6, 16), (7, 8)],
            &[(0, 8), (4, 8), (5, 16), (8, 16), (10, 16), (11, 8)],
        ];
        for (code, depths) in TRAMPOLINES.iter().zip(depths) {
            let states = stack_use::follow(code, 0);
            for (offset, depth) in depths {
                let state = states.before(*offset).expect("an instruction");
                assert_eq!(state.depth, Some(*depth), "{code:x?} {offset}");
            }
            // In the call, the frame pointer is saved if it is changed.
            let call = code.windows(2).position(|two| two == b"\xff\xd1").expect("a call");
            let kept = states.before(call + 1).expect("the call").kept[1];
            let is_saved = code.contains(&0x55);
            assert_eq!(kept, if is_saved { Kept::Below(16) } else { Kept::InRegister });
        }
    }
}

//! Code that is recognised by its bytes and may have no CFI: the code to which signal handlers
//! return (musl, Go, Linux for AArch64), entries of the PLT that lld made, and the first
//! instructions of functions (`__do_global_dtors_aux`).

use crate::unwind::dump::{End, StackDump};
use crate::unwind::frame::UnwoundFrame;
use crate::unwind::machine::{Machine, Register, Registers};

/// mov $15, %rax; syscall — and the same with %eax: rt_sigreturn
const RETURNS_X86_64: [&[u8]; 2] = [b"\x48\xc7\xc0\x0f\0\0\0\x0f\x05", b"\xb8\x0f\0\0\0\x0f\x05"];

/// mov x8, #139; svc #0: rt_sigreturn
const RETURN_AARCH64: &[u8] = b"\x68\x11\x80\xd2\x01\0\0\xd4";

/// What a function or an entry of a PLT begins with:
/// jmp *offset(%rip), alone or after `bnd`; endbr64; push %rbp before mov %rsp, %rbp
const CALLED: [&[u8]; 4] = [b"\xff\x25", b"\xf2\xff\x25", b"\xf3\x0f\x1e\xfa", b"\x55\x48\x89\xe5"];

/// Where Linux saves the registers that DWARF numbers 0 to 16, in bytes from the
/// stack pointer: `struct ucontext` of x86-64.
const SAVED_X86_64: [u64; 17] =
    [144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96, 168];

/// Where Linux saves the registers of AArch64: x0 to x30, sp and pc follow each other, after
/// `siginfo_t` (128), the first fields of `struct ucontext` (176) and the address of a fault (8).
const SAVED_AARCH64: u64 = 128 + 176 + 8;

/// What the code at an address does, according to its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BareCode {
    /// A signal handler returns to it; it continues what the signal interrupted.
    SignalReturn,
    /// The stack is as at the call: the return address is on top. The code is a jump to a function
    /// of another file, or the first instruction of a function.
    Called,
}

impl BareCode {
    /// What the code at a program counter does; `code` are the bytes from there on.
    pub(crate) fn of(machine: Machine, code: &[u8], is_exact: bool) -> Option<BareCode> {
        let begins = |start: &&[u8]| code.starts_with(start);
        match machine {
            Machine::X86_64 if RETURNS_X86_64.iter().any(begins) => Some(BareCode::SignalReturn),
            Machine::Aarch64 if begins(&RETURN_AARCH64) => Some(BareCode::SignalReturn),
            // A call may return to a jump, but not to one in a PLT.
            Machine::X86_64 if is_exact && CALLED.iter().any(begins) => Some(BareCode::Called),
            _ => None,
        }
    }

    /// The caller, or the frame that a signal interrupted.
    ///
    /// # Errors
    ///
    /// Why it cannot be read from the stack.
    pub(crate) fn caller(
        self,
        machine: Machine,
        frame: &UnwoundFrame,
        stack: &StackDump<'_>,
    ) -> Result<UnwoundFrame, End> {
        let sp = frame.registers.get(machine.sp()).ok_or(End::Lost)?;
        match self {
            BareCode::SignalReturn => {
                let mut registers = Registers::none();
                for register in 0..=machine.pc() {
                    let saved = sp.wrapping_add(saved_at(machine, register));
                    registers.set(register, stack.read(saved)?);
                }
                let pc = registers.get(machine.pc()).ok_or(End::Lost)?;
                Ok(UnwoundFrame { registers, pc, is_exact: true })
            }
            BareCode::Called => {
                let mut registers = frame.registers.clone();
                registers.set(machine.sp(), sp.wrapping_add(8));
                Ok(UnwoundFrame { registers, pc: stack.read(sp)?, is_exact: false })
            }
        }
    }
}

/// Where the register was saved for a signal, in bytes from the stack pointer.
fn saved_at(machine: Machine, register: Register) -> u64 {
    match machine {
        Machine::X86_64 => SAVED_X86_64[usize::from(register)],
        Machine::Aarch64 => SAVED_AARCH64 + 8 * u64::from(register),
    }
}

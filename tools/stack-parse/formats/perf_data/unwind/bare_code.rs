//! Code that has no CFI but can be told by its bytes: how signal handlers return
//! (musl, Go, Linux for AArch64), and entries of the PLT that lld made.

use super::machine::{Machine, Register, Registers};
use super::stack::Stack;
use super::{End, Frame};

/// mov $15, %rax; syscall — and the same of 32 bits: rt_sigreturn
const RETURNS_X86_64: [&[u8]; 2] = [b"\x48\xc7\xc0\x0f\0\0\0\x0f\x05", b"\xb8\x0f\0\0\0\x0f\x05"];

/// mov x8, #139; svc #0: rt_sigreturn
const RETURN_AARCH64: &[u8] = b"\x68\x11\x80\xd2\x01\0\0\xd4";

/// jmp *offset(%rip), alone, behind `bnd` or behind `endbr64`
const JUMPS: [&[u8]; 4] =
    [b"\xff\x25", b"\xf2\xff\x25", b"\xf3\x0f\x1e\xfa\xff\x25", b"\xf3\x0f\x1e\xfa\xf2\xff\x25"];

/// Where Linux saves the registers that DWARF numbers 0 to 16, in bytes from the
/// stack pointer: `struct ucontext` of x86-64.
const SAVED_X86_64: [u64; 17] =
    [144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96, 168];

/// The same of AArch64, where x0 to x30, sp and pc stand in a row: behind
/// `siginfo_t` (128), what comes first in `struct ucontext` (176) and the
/// address of a fault (8).
const SAVED_AARCH64: u64 = 128 + 176 + 8;

/// The caller, or what a signal interrupted, if `code` at the program counter is
/// of a known kind.
///
/// # Errors
///
/// Why it cannot be read.
pub(super) fn caller(
    machine: Machine,
    code: &[u8],
    frame: &Frame,
    stack: &Stack<'_>,
) -> Result<Option<Frame>, End> {
    let begins = |start: &&[u8]| code.starts_with(start);
    match machine {
        Machine::X86_64 if RETURNS_X86_64.iter().any(begins) => {
            interrupted(machine, frame, stack, |register| SAVED_X86_64[usize::from(register)])
        }
        Machine::Aarch64 if code.starts_with(RETURN_AARCH64) => {
            interrupted(machine, frame, stack, |register| SAVED_AARCH64 + 8 * u64::from(register))
        }
        Machine::X86_64 if frame.is_exact && JUMPS.iter().any(begins) => {
            returned_to(machine, frame, stack)
        }
        _ => Ok(None),
    }
}

/// What a signal interrupted: the kernel saved all registers on the stack.
fn interrupted(
    machine: Machine,
    frame: &Frame,
    stack: &Stack<'_>,
    saved: impl Fn(Register) -> u64,
) -> Result<Option<Frame>, End> {
    let sp = frame.registers.get(machine.sp()).ok_or(End::Lost)?;
    let mut registers = Registers::none();
    for register in 0..=machine.pc() {
        registers.set(register, stack.read(sp.wrapping_add(saved(register)))?);
    }
    let pc = registers.get(machine.pc()).ok_or(End::Lost)?;
    Ok(Some(Frame { registers, pc, is_exact: true }))
}

/// The caller of code that left the stack as it was called with.
fn returned_to(machine: Machine, frame: &Frame, stack: &Stack<'_>) -> Result<Option<Frame>, End> {
    let sp = frame.registers.get(machine.sp()).ok_or(End::Lost)?;
    let mut registers = frame.registers.clone();
    registers.set(machine.sp(), sp.wrapping_add(8));
    Ok(Some(Frame { registers, pc: stack.read(sp)?, is_exact: false }))
}

//! Whether the functions of an executable keep frame pointers.

use object::LittleEndian;
use object::elf;
use object::read::elf::FileHeader;

use crate::executable::image::{CodeSymbol, Image};
use crate::executable::unreadable::Unreadable;

/// How many functions are looked at, at most.
const ENOUGH: usize = 200;

/// `push %rbp`
const PUSH: u8 = 0x55;

/// `mov %rsp, %rbp`, in the two encodings that assemblers choose from.
const MOVES: [[u8; 3]; 2] = [[0x48, 0x89, 0xe5], [0x48, 0x8b, 0xec]];

/// How far from the start of a function the move may be, in bytes: compilers put `endbr64` before
/// the push, and other instructions between the push and the move.
const PROLOGUE: usize = 40;

/// How many functions of an executable keep a frame pointer, according to their first instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePointers {
    /// Functions that keep one.
    pub kept: usize,
    /// Functions that were looked at, 200 at most.
    pub of: usize,
}

/// Looks at functions all over an executable for x86-64, of those whose symbols `is_wanted`
/// accepts. `None` if it is for another machine: there, compilers keep frame pointers.
///
/// # Errors
///
/// [`Unreadable`] says why the bytes are not an executable with wanted functions.
pub fn frame_pointers(
    executable: &[u8],
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Result<Option<FramePointers>, Unreadable> {
    let executable = Image::parse(executable)?;
    if executable.file.elf_header().e_machine(LittleEndian) != elf::EM_X86_64 {
        return Ok(None);
    }
    let mut functions = executable.code();
    functions.retain(|code| code.is_function && is_wanted(code.symbol));
    if functions.is_empty() {
        return Err(Unreadable::NoFunctions);
    }
    let looked_at = functions.iter().step_by(functions.len().div_ceil(ENOUGH));
    let kept = looked_at.clone().filter(|code| keeps_one(&executable, code)).count();
    Ok(Some(FramePointers { kept, of: looked_at.count() }))
}

fn keeps_one(executable: &Image, code: &CodeSymbol) -> bool {
    let bytes = executable.from(code.address).unwrap_or_default();
    let start = &bytes[..bytes.len().min(PROLOGUE)];
    let push = start.iter().position(|byte| *byte == PUSH);
    push.is_some_and(|at| start[at..].windows(3).any(|bytes| MOVES.iter().any(|it| it == bytes)))
}

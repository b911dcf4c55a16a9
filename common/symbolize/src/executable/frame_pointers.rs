//! Whether the functions of an executable keep frame pointers.

use memchr::memmem;
use object::LittleEndian;
use object::elf;
use object::read::elf::FileHeader;

use crate::executable::image::{CodeSymbol, Image};
use crate::executable::unreadable::Unreadable;

/// How many functions are looked at, at most.
const ENOUGH: usize = 200;

/// How functions save the caller's frame pointer and set their own.
///
/// | compiler | saves | sets |
/// |---|---|---|
/// | gcc, clang, rustc, Go since 1.21, OCaml | `push %rbp` | `mov %rsp, %rbp` in two encodings |
/// | Go before 1.21 | `mov %rbp, N(%rsp)` | `lea N(%rsp), %rbp` |
///
/// N has one byte or four.
const PROLOGUES: [(&[u8], &[u8]); 4] = [
    (b"\x55", b"\x48\x89\xe5"),
    (b"\x55", b"\x48\x8b\xec"),
    (b"\x48\x89\x6c\x24", b"\x48\x8d\x6c\x24"),
    (b"\x48\x89\xac\x24", b"\x48\x8d\xac\x24"),
];

/// How far from the start of a function they may be, in bytes: compilers put `endbr64` before the
/// push, Go a test of the stack's end, and other instructions come in between.
const PROLOGUE: usize = 48;

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
    PROLOGUES.iter().any(|(saves, sets)| {
        let saved = memmem::find(start, saves);
        saved.is_some_and(|at| memmem::find(&start[at..], sets).is_some())
    })
}

//! How a profiler can find the callers in a program of OCaml.

use object::LittleEndian;
use object::elf;
use object::read::elf::FileHeader;

use super::units::is_ocaml;
use crate::executable::image::{CodeSymbol, Image};
use crate::executable::unreadable::Unreadable;

/// What a profiler needs to find the callers in a program of OCaml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwinding {
    /// Frame pointers: the compiler was configured to keep them.
    FramePointers,
    /// Debug information: OCaml 4 without frame pointers.
    Dwarf,
    /// The processor's record of the last branches. OCaml 5 without frame pointers runs on stacks
    /// of its own, but perf copies the stack of C code.
    LastBranches,
}

/// Finds out from its code how a program of OCaml was compiled.
///
/// # Errors
///
/// [`Unreadable`] says why the bytes are not a program of OCaml.
pub fn unwinding(executable: &[u8]) -> Result<Unwinding, Unreadable> {
    let executable = Image::parse(executable)?;
    let code = executable.code();
    if !code.iter().any(|code| code.is_function && is_ocaml(code.symbol)) {
        return Err(Unreadable::NoOcaml);
    }
    // Effects came with OCaml 5.
    let is_5 = executable.address_of(b"caml_perform").is_some();
    Ok(match (keeps_frame_pointers(&executable, &code), is_5) {
        (true, _) => Unwinding::FramePointers,
        (false, false) => Unwinding::Dwarf,
        (false, true) => Unwinding::LastBranches,
    })
}

/// `push %rbp; mov %rsp, %rbp`
const PROLOGUE: [u8; 4] = [0x55, 0x48, 0x89, 0xe5];

/// The most code before the prologue: OCaml 5 first checks the stack's size.
const BEFORE_PROLOGUE: usize = 40;

/// Whether functions of OCaml begin like functions that keep frame pointers. In other programs,
/// `%rbp` is a register like others, and not pushed.
fn keeps_frame_pointers(executable: &Image, code: &[CodeSymbol]) -> bool {
    let machine = executable.file.elf_header().e_machine(LittleEndian);
    machine == elf::EM_X86_64
        && code.iter().filter(|code| code.is_function && is_ocaml(code.symbol)).any(|code| {
            let bytes = executable.from(code.address).unwrap_or_default();
            let size = usize::try_from(code.size).unwrap_or(usize::MAX);
            let start = &bytes[..bytes.len().min(size).min(BEFORE_PROLOGUE)];
            start.windows(PROLOGUE.len()).any(|bytes| *bytes == PROLOGUE)
        })
}

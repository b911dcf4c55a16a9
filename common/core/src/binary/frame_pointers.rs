//! Whether the functions of an executable keep frame pointers.

use object::LittleEndian;
use object::elf;
use object::read::elf::FileHeader;

use crate::binary::executable::{Code, Executable, Unreadable};
use crate::names::rust;

/// How many functions are looked at.
const ENOUGH: usize = 200;

/// `push %rbp`
const PUSH: u8 = 0x55;

/// `mov %rsp, %rbp`, in the two encodings that assemblers choose from.
const MOVES: [[u8; 3]; 2] = [[0x48, 0x89, 0xe5], [0x48, 0x8b, 0xec]];

/// Compilers put `endbr64` before the push, and other work between it and the move: so
/// many bytes at most.
const PROLOGUE: usize = 40;

/// What the linker adds to a program, whatever the compiler of the rest was told.
const OF_LINKER: [&[u8]; 8] = [
    b"_start",
    b"_init",
    b"_fini",
    b"_dl_relocate_static_pie",
    b"deregister_tm_clones",
    b"register_tm_clones",
    b"__do_global_dtors_aux",
    b"frame_dummy",
];

/// The crates of Rust's standard library. It comes compiled, with frame pointers, and is
/// most of a small program, whose own functions have none.
const OF_RUST: [&[u8]; 16] = [
    b"__rustc",
    b"std",
    b"core",
    b"alloc",
    b"addr2line",
    b"adler2",
    b"compiler_builtins",
    b"gimli",
    b"hashbrown",
    b"memchr",
    b"miniz_oxide",
    b"object",
    b"panic_abort",
    b"panic_unwind",
    b"rustc_demangle",
    b"std_detect",
];

/// What stands before the path of a type in the name of its method.
const BEFORE_PATH: [&[u8]; 8] = [b"<", b"&", b"*", b"[", b"mut ", b"const ", b"dyn ", b"impl "];

/// How many functions of an executable begin as those do that keep a frame pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePointers {
    /// Functions that keep one.
    pub kept: usize,
    /// Functions that were looked at, 200 at most.
    pub of: usize,
}

/// Looks at functions all over an executable for x86-64; `None` if it is for another
/// machine, whose compilers keep frame pointers.
///
/// # Errors
///
/// [`Unreadable`] says what the bytes are instead of an executable with named functions.
pub fn frame_pointers(executable: &[u8]) -> Result<Option<FramePointers>, Unreadable> {
    let executable = Executable::parse(executable)?;
    if executable.file.elf_header().e_machine(LittleEndian) != elf::EM_X86_64 {
        return Ok(None);
    }
    let of_program = |code: &Code| code.is_function && !comes_compiled(code.symbol);
    let functions: Vec<Code> = executable.code().into_iter().filter(of_program).collect();
    if functions.is_empty() {
        return Err(Unreadable::NoFunctions);
    }
    let looked_at = functions.iter().step_by(functions.len().div_ceil(ENOUGH));
    let kept = looked_at.clone().filter(|code| keeps_one(&executable, code)).count();
    Ok(Some(FramePointers { kept, of: looked_at.count() }))
}

/// Whether the compiler of the program did not make this function.
fn comes_compiled(symbol: &[u8]) -> bool {
    OF_LINKER.contains(&symbol) || symbol.starts_with(b"__rust") || is_of_rust(symbol)
}

/// Whether a function is of Rust's standard library, as
/// `<std::io::stdio::StdoutLock as std::io::Write>::flush` and `<&u8 as core::fmt::Debug>::fmt`
/// are.
fn is_of_rust(symbol: &[u8]) -> bool {
    let mut name = Vec::new();
    if !rust::is_rust(symbol) || !rust::demangle(symbol, &mut name) {
        return false;
    }
    let mut path = &name[..];
    while let Some(rest) = BEFORE_PATH.iter().find_map(|mark| path.strip_prefix(*mark)) {
        path = rest;
    }
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let (crate_name, rest) = path.split_at(path.iter().take_while(|it| is_of_word(it)).count());
    // What belongs to no crate is a type of the language.
    !rest.starts_with(b"::") || OF_RUST.contains(&crate_name)
}

fn keeps_one(executable: &Executable, code: &Code) -> bool {
    let bytes = executable.from(code.address).unwrap_or_default();
    let start = &bytes[..bytes.len().min(PROLOGUE)];
    let push = start.iter().position(|byte| *byte == PUSH);
    push.is_some_and(|at| start[at..].windows(3).any(|bytes| MOVES.iter().any(|it| it == bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_compiled_with_rust_is_told_from_the_program() {
        for symbol in [
            "_start",
            "_ZN4core3fmt5write17h0123456789abcdefE",
            "_ZN61_$LT$std..io..stdio..StdoutLock$u20$as$u20$std..io..Write$GT$5flush17h0123456789abcdefE",
            "_ZN43_$LT$$RF$u8$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
            "_RNvNtCs1234_4core3fmt5write",
            "__rust_alloc",
        ] {
            assert!(comes_compiled(symbol.as_bytes()), "{symbol}");
        }
        for symbol in [
            "main",
            "_Z8sort_alli",
            "_ZN2rs5build17h0123456789abcdefE",
            "_ZN47_$LT$rs..Tree$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
        ] {
            assert!(!comes_compiled(symbol.as_bytes()), "{symbol}");
        }
    }
}

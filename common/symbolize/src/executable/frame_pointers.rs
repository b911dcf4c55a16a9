//! Whether the functions of an executable keep frame pointers.

use memchr::memmem;
use object::LittleEndian;
use object::Object;
use object::elf;
use object::read::elf::FileHeader;

use crate::executable::image::{CodeSymbol, Image};
use crate::executable::unreadable::Unreadable;

/// How many functions are looked at, at most.
const ENOUGH: usize = 200;

/// How functions for x86-64 save the caller's frame pointer and set their own.
///
/// | compiler | saves | sets |
/// |---|---|---|
/// | gcc, clang, rustc, Go since 1.21, OCaml | `push %rbp` | `mov %rsp, %rbp` in two encodings |
/// | Go before 1.21 | `mov %rbp, N(%rsp)` | `lea N(%rsp), %rbp` |
///
/// N has one byte or four.
const X86_64: [(&[u8], &[u8]); 4] = [
    (b"\x55", b"\x48\x89\xe5"),
    (b"\x55", b"\x48\x8b\xec"),
    (b"\x48\x89\x6c\x24", b"\x48\x8d\x6c\x24"),
    (b"\x48\x89\xac\x24", b"\x48\x8d\xac\x24"),
];

/// How functions for AArch64 set their frame pointer, as masks and instructions: `add x29, sp, N` of
/// gcc, clang and rustc, `sub x29, sp, 8` of Go.
const AARCH64: [(u32, u32); 2] = [(0xffc0_03ff, 0x9100_03fd), (u32::MAX, 0xd100_23fd)];

/// Calls of AArch64, in the same way: `bl`, `blr`.
const CALLS_OF_AARCH64: [(u32, u32); 2] = [(0xfc00_0000, 0x9400_0000), (0xffff_fc1f, 0xd63f_0000)];

/// How far from the start of a function they may be, in bytes: compilers put `endbr64` before the
/// push, Go a test of the stack's end, and other instructions come in between.
const PROLOGUE: usize = 48;

/// How much of a function for AArch64 is searched for calls, in bytes.
const SEARCHED: usize = 1 << 12;

/// How many functions of an executable keep a frame pointer, according to their first instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePointers {
    /// Functions that keep one.
    pub kept: usize,
    /// Functions that were looked at, 200 at most.
    pub of: usize,
}

/// Looks at functions all over an executable for x86-64 or AArch64, of those whose symbols
/// `is_wanted` accepts. On AArch64 a function that calls no other never keeps one, and does not
/// count.
///
/// # Errors
///
/// [`Unreadable`] says why the bytes are not an executable with wanted functions.
pub fn frame_pointers(
    executable: &[u8],
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Result<FramePointers, Unreadable> {
    let executable = Image::parse(executable)?;
    let mut functions = executable.code();
    functions.retain(|code| code.is_function && is_wanted(code.symbol));
    let machine = executable.file.elf_header().e_machine(LittleEndian);
    let keeps_one = |code: &CodeSymbol| {
        let bytes = executable.from(code.address).unwrap_or_default();
        match machine {
            elf::EM_X86_64 => Some(keeps_one_x86_64(bytes)),
            elf::EM_AARCH64 => keeps_one_aarch64(bytes, code.size),
            _ => None,
        }
    };
    let looked_at: Vec<bool> = functions
        .iter()
        .step_by(functions.len().div_ceil(ENOUGH).max(1))
        .filter_map(keeps_one)
        .collect();
    match looked_at.len() {
        0 => Err(Unreadable::NoFunctions),
        of => Ok(FramePointers { kept: looked_at.into_iter().filter(|kept| *kept).count(), of }),
    }
}

/// Whether an executable is of Go, and has what finds callers without frame pointers.
///
/// In Go, functions in assembly such as `memeqbody` keep none and call no other, so a chain of frame
/// pointers lacks the function that called them: its time would be that of the caller's caller.
#[must_use]
pub fn is_go_with_debug_frames(executable: &[u8]) -> bool {
    Image::parse(executable).is_ok_and(|executable| {
        let has = |name| executable.file.section_by_name(name).is_some();
        has(".go.buildinfo") && (has(".debug_frame") || has(".zdebug_frame"))
    })
}

/// Whether the function that begins with these bytes keeps one.
fn keeps_one_x86_64(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(PROLOGUE)];
    X86_64.iter().any(|(saves, sets)| {
        let saved = memmem::find(start, saves);
        saved.is_some_and(|at| memmem::find(&start[at..], sets).is_some())
    })
}

/// The same for AArch64; `None` if it calls no other function. `size` is that of the function, in
/// bytes, or 0.
fn keeps_one_aarch64(bytes: &[u8], size: u64) -> Option<bool> {
    let size = usize::try_from(size).unwrap_or(usize::MAX).min(bytes.len()).min(SEARCHED);
    let (instructions, _) = bytes[..size].as_chunks::<4>();
    let has = |instructions: &[[u8; 4]], wanted: [(u32, u32); 2]| {
        let is_one = |bytes: &[u8; 4]| {
            let instruction = u32::from_le_bytes(*bytes);
            wanted.iter().any(|(mask, value)| instruction & mask == *value)
        };
        instructions.iter().any(is_one)
    };
    let prologue = &instructions[..instructions.len().min(PROLOGUE / 4)];
    has(instructions, CALLS_OF_AARCH64).then(|| has(prologue, AARCH64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prologues_of_compilers_for_x86_64_are_known() {
        let bytes: [(&str, &[u8], bool); 8] = [
            ("gcc: endbr64; push %rbp; mov %rsp, %rbp", b"\xf3\x0f\x1e\xfa\x55\x48\x89\xe5", true),
            (
                "rustc: test %rdi, %rdi; je; push %rbp; mov",
                b"\x48\x85\xff\x74\x4b\x55\x48\x89\xe5",
                true,
            ),
            ("push %r15; push %rbp; mov %rsp, %rbp", b"\x41\x57\x55\x48\x89\xe5", true),
            (
                "Go 1.20: cmp 0x10(%r14), %rsp; jbe; sub $24, %rsp; mov %rbp, 16(%rsp); lea",
                b"\x49\x3b\x66\x10\x76\x30\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10",
                true,
            ),
            (
                "Go 1.21: the same test; push %rbp; mov %rsp, %rbp",
                b"\x49\x3b\x66\x10\x76\x30\x55\x48\x89\xe5",
                true,
            ),
            ("gcc -O2: push %rbp; push %rbx; sub $8, %rsp", b"\x55\x53\x48\x83\xec\x08", false),
            ("mov %rsp, %rbp; push %rbp", b"\x48\x89\xe5\x55", false),
            ("sub $24, %rsp", b"\x48\x83\xec\x18", false),
        ];
        for (what, bytes, expected) in bytes {
            assert_eq!(keeps_one_x86_64(bytes), expected, "{what}");
        }
    }

    /// As gcc 12, Go 1.19 and rustc 1.95 compile them.
    #[test]
    fn prologues_of_compilers_for_aarch64_are_known() {
        const BL: u32 = 0x97ff_ffe0;
        let functions: [(&str, &[u32], Option<bool>); 6] = [
            (
                "gcc: stp x29, x30, [sp, -96]!; mov x29, sp",
                &[0xa9ba_7bfd, 0x9100_03fd, BL],
                Some(true),
            ),
            (
                "rustc: stp x29, x30; str x23; stp x22, x21; stp x20, x19; mov x29, sp",
                &[0xa9bc_7bfd, 0xf900_0bf7, 0xa902_57f6, 0xa903_4ff4, 0x9100_03fd, BL],
                Some(true),
            ),
            (
                "Go: ldr x16; cmp; b.ls; str x30, [sp, -48]!; stur x29, [sp, -8]; sub x29, sp, 8; blr",
                &[
                    0xf940_0b90,
                    0xeb30_63ff,
                    0x5400_02e9,
                    0xf81d_0ffe,
                    0xf81f_83fd,
                    0xd100_23fd,
                    0xd63f_0060,
                ],
                Some(true),
            ),
            (
                "gcc -fomit-frame-pointer: str x30, [sp, -96]!; mov w5, w0",
                &[0xf81a_0ffe, 0x2a00_03e5, BL],
                Some(false),
            ),
            ("a function that calls none: mul; ret", &[0x1b01_7c00, 0xd65f_03c0], None),
            ("nothing", &[], None),
        ];
        for (what, instructions, expected) in functions {
            let bytes: Vec<u8> = instructions.iter().flat_map(|it| it.to_le_bytes()).collect();
            assert_eq!(keeps_one_aarch64(&bytes, bytes.len() as u64), expected, "{what}");
        }
        // The call is in the next function, after `ret`.
        let bytes = [0xd65f_03c0, BL].map(u32::to_le_bytes).concat();
        assert_eq!(keeps_one_aarch64(&bytes, 4), None);
        assert_eq!(keeps_one_aarch64(&bytes, 8), Some(false));
    }
}

//! Call frame information and stacks that are written by hand, for what compilers
//! rarely do. Code is at 0x1000, 0x2000 and so on; the stack begins at [`STACK`].

use crate::processes::maps::{Map, Maps};
use crate::unwind::callers::DumpUnwinder;
use crate::unwind::dump::End;
use crate::unwind::machine::{Machine, Registers};
use crate::unwind::sections::{LoadedSegment, UnwindFiles, UnwindSections};

const STACK: u64 = 0x7000_0000;

// DWARF's numbers of registers
const RBX: u8 = 3;
const RBP: u8 = 6;
const RSP: u8 = 7;
const RIP: u8 = 16;

/// The caller's stack pointer is %rsp + 8 and the return address below it, as at the start of a
/// function.
const AT_ENTRY: &[u8] = &[0x0c, RSP, 8, 0x80 | RIP, 1];

fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// An entry of `.eh_frame`: its length, which is a multiple of 8 with it, and its content.
fn entry(mut content: Vec<u8>) -> Vec<u8> {
    content.resize((content.len() + 4).next_multiple_of(8) - 4, 0);
    [&(content.len() as u32).to_le_bytes()[..], &content].concat()
}

/// A section `.eh_frame` for x86-64 with these instructions of CFI for the code at
/// 0x1000, 0x2000 and so on. `S` is for code that signal handlers return to.
fn eh_frame(augmentation: &[u8], functions: &[&[u8]]) -> Vec<u8> {
    let mut eh_frame = entry(
        // CIE, version, alignment of code and data (-8), addresses in full
        [&[0, 0, 0, 0, 1], augmentation, &[0, 1, 0x78, RIP, 1, 0], AT_ENTRY].concat(),
    );
    for (index, instructions) in functions.iter().enumerate() {
        let cie = (eh_frame.len() as u32 + 4).to_le_bytes();
        let code = words(&[0x1000 * (index as u64 + 1), 0x1000]);
        eh_frame.extend(entry([&cie[..], &code, &[0], instructions].concat()));
    }
    eh_frame.extend([0; 4]);
    eh_frame
}

/// The objects that are mapped: a file with CFI, and code that was compiled at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Mapped {
    File,
    Jit,
}

/// The only object file, by its `.eh_frame`.
struct OneFile<'f>(&'f [u8]);

impl<'f> UnwindFiles<'f, Mapped> for OneFile<'f> {
    fn sections(&mut self, object: Mapped) -> Option<UnwindSections<'f>> {
        // The bytes of the code do not matter, except in the two functions that begin at 0x6000:
        // endbr64, and at 0x6010: push %rbp; mov %rsp, %rbp.
        static CODE: [u8; 0x8000] = {
            let mut code = [0; 0x8000];
            (code[0x5000], code[0x5001], code[0x5002], code[0x5003]) = (0xf3, 0x0f, 0x1e, 0xfa);
            (code[0x5010], code[0x5011], code[0x5012], code[0x5013]) = (0x55, 0x48, 0x89, 0xe5);
            code
        };
        let code = LoadedSegment { offset: 0x1000, address: 0x1000, bytes: &CODE };
        let eh_frame = Some((0x100, self.0));
        let sections = UnwindSections { segments: vec![code], eh_frame, ..Default::default() };
        (object == Mapped::File).then_some(sections)
    }
}

/// The addresses from the leaf on and the end, for registers and a stack.
fn unwind(eh_frame: &[u8], registers: &[(u8, u64)], stack: &[u64]) -> (Vec<u64>, End) {
    let mut known = Registers::none();
    for (register, value) in [(RSP, STACK)].iter().chain(registers) {
        known.set(*register, *value);
    }
    let mut maps = Maps::default();
    maps.insert(Map { start: 0x1000, end: 0x9000, offset: 0x1000, object: Mapped::File });
    maps.insert(Map { start: 0x9000, end: 0xa000, offset: 0, object: Mapped::Jit });
    let (mut chain, mut files) = (Vec::new(), OneFile(eh_frame));
    let mut unwinder = DumpUnwinder::new(Machine::X86_64);
    let end = unwinder.unwind(&known, &words(stack), &maps, &mut files, &mut chain);
    (chain, end)
}

/// Unwinds code with the CFI of `functions`, as [`unwind`] does.
fn chain(functions: &[&[u8]], registers: &[(u8, u64)], stack: &[u64]) -> (Vec<u64>, End) {
    unwind(&eh_frame(b"zR", functions), registers, stack)
}

const UNDEFINED_RIP: &[u8] = &[0x07, RIP];

#[test]
fn entries_of_the_plt_compute_their_frame() {
    // %rsp + 8, and 8 more if the last 4 bits of %rip are 11 or more
    let plt = [0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];
    let functions: [&[u8]; 2] = [&plt, UNDEFINED_RIP];
    for (rip, stack) in [(0x1006, &[0x2005][..]), (0x100a, &[0x2005]), (0x100b, &[7, 0x2005])] {
        let (chain, end) = chain(&functions, &[(RIP, rip)], stack);
        assert_eq!((chain, end), (vec![rip, 0x2004], End::Root), "{rip:#x}");
    }
}

#[test]
fn where_a_function_without_tables_begins_its_return_address_is_on_top() {
    for rip in [0x6000, 0x6010] {
        // The caller's frame pointer is of no use: the function did not save it yet.
        let (chain, end) = chain(&[b"", UNDEFINED_RIP], &[(RIP, rip), (RBP, 1)], &[0x2005, 0]);
        assert_eq!((chain, end), (vec![rip, 0x2004], End::Root), "{rip:#x}");
    }
}

#[test]
fn where_a_function_ends_registers_are_popped_already() {
    // CFI says that %rbp is 16 below the frame, where it was before `pop %rbp; ret`.
    let returns = [0x80 | RBP, 2];
    let uses_rbp = [0x0c, RBP, 16];
    let registers = [(RIP, 0x1005), (RBP, STACK + 0x10)];
    let stack = [0x2005, 0, 0xdead, 0x3005];
    let (chain, end) = chain(&[&returns, &uses_rbp, UNDEFINED_RIP], &registers, &stack);
    assert_eq!((chain, end), (vec![0x1005, 0x2004, 0x3004], End::Root));
}

#[test]
fn values_may_be_in_registers_and_computed() {
    // The return address is in %rbx; the caller's %rbx is the frame's address.
    let in_register = [0x09, RIP, RBX, 0x14, RBX, 0];
    // The return address is what %rbx + 8 points to.
    let by_expression = [0x10, RIP, 2, 0x70 + RBX, 8];
    // The return address is %rbx + 0x4001 - %rbx.
    let computed = [0x16, RIP, 9, 0x70 + RBX, 0, 0x0a, 0x01, 0x40, 0x22, 0x70 + RBX, 0, 0x1c];
    let stack = [1, 2, 0x3005];
    let (got, end) = chain(
        &[&in_register, &by_expression, UNDEFINED_RIP],
        &[(RIP, 0x1005), (RBX, 0x2005)],
        &stack,
    );
    assert_eq!((got, end), (vec![0x1005, 0x2004, 0x3004], End::Root));
    let functions: [&[u8]; 5] = [&computed, b"", b"", UNDEFINED_RIP, b""];
    let (got, end) = chain(&functions, &[(RIP, 0x1005), (RBX, 0x10)], &stack);
    assert_eq!((got, end), (vec![0x1005, 0x4000], End::Root));
}

#[test]
fn it_is_known_why_there_is_no_caller() {
    let same_place = [0x0e, 0];
    let lost = [0x0c, RBP, 16];
    for (rule, stack, expected) in [
        (UNDEFINED_RIP, &[0x2005][..], End::Root),
        // A return address of 0 ends the stack, too.
        (b"", &[0], End::Root),
        (&[0x0e, 16], &[0x2005], End::Truncated),
        // Nothing is mapped there.
        (b"", &[0xdead_0000], End::Lost),
        // %rbp is not known.
        (&lost, &[0x2005], End::Lost),
        // The stack does not grow, and the return address is below it.
        (&same_place, &[0x2005], End::Lost),
        // The return address is still in its register, whose value is unknown.
        (&[0x08, RIP], &[0x2005], End::Lost),
    ] {
        let found = chain(&[rule, UNDEFINED_RIP], &[(RIP, 0x1005)], stack);
        assert!(found.0.len() == 1, "{rule:x?}");
        assert_eq!(found, (vec![0x1005], expected), "{rule:x?}");
    }
}

#[test]
fn code_made_at_run_time_may_keep_frame_pointers() {
    let stack = [5, STACK + 0x20, 0x9105, 6, STACK + 0x30, 0x2005, 0, 0x9405];
    let registers = [(RIP, 0x9000), (RBP, STACK + 8)];
    let at_frame_pointer = [0x0c, RBP, 16, 0x80 | RBP, 2];
    let found = chain(&[b"", &at_frame_pointer], &registers, &stack);
    // The last frame pointer is 0: that is no sign of a root, as a program may begin with it.
    assert_eq!(found, (vec![0x9000, 0x9104, 0x2004, 0x9404], End::Lost));
    // The register does not hold a frame pointer.
    for (fp, end) in
        [(STACK + 1, End::Lost), (STACK - 8, End::Lost), (STACK + 0x40, End::Truncated)]
    {
        let found = chain(&[b""], &[(RIP, 0x9000), (RBP, fp)], &stack);
        assert_eq!(found, (vec![0x9000], end));
    }
    // It is not one either if there is no return address above it.
    let found = chain(&[b""], &[(RIP, 0x9000), (RBP, STACK)], &stack[3..]);
    assert_eq!(found, (vec![0x9000], End::Lost));
}

#[test]
fn a_stack_in_a_circle_comes_to_an_end() {
    // A signal handler that returns to what called it, on the same stack.
    let signal_frame = eh_frame(b"zRS", &[&[0x16, RSP, 2, 0x77, 0]]);
    let (chain, end) = unwind(&signal_frame, &[(RIP, 0x1005)], &[0x1005]);
    assert_eq!(end, End::Lost);
    assert!(chain.len() > 10_000 && chain.iter().all(|address| *address == 0x1005));
    // A call that returns to itself.
    let call = eh_frame(b"zR", &[&[0x16, RSP, 2, 0x77, 0]]);
    assert_eq!(unwind(&call, &[(RIP, 0x1005)], &[0x1006]).1, End::Lost);
}

//! Programs of testdata/unwind, which print their own registers and stack.

mod by_hand;
mod framehop;
mod program;
mod snapshot;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::dump::End;
use super::machine::Machine;
use crate::missing::goes_without;
use program::Program;
use snapshot::Snapshot;

/// The calls in bare.c, from the leaf to the root.
const BARE: &str = "snapshot alloca_frame realigned_frame saving_frame never_returns \
                    ends_in_a_call on_signal restore faulting calls_faulting main _start";

fn source(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/unwind")).join(name)
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    output
}

/// A program that was built here, in its own temporary folder.
struct Built {
    folder: TempDir,
    program: PathBuf,
}

impl Built {
    fn new(name: &str, options: &str) -> Built {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        let mut command = Command::new("cc");
        command.args(options.split_whitespace()).arg("-o").arg(&program).arg(source(name));
        run(&mut command);
        Built { folder, program }
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.program).expect("it was built")
    }

    fn snapshot(&self) -> Snapshot {
        let printed = run(&mut Command::new(&self.program)).stdout;
        Snapshot::parse(Machine::X86_64, std::str::from_utf8(&printed).expect("ASCII"))
    }
}

/// The calls in bare.c, built with these options and `-nostdlib`.
fn bare(options: &str) -> String {
    let built = Built::new("bare.c", &format!("-nostdlib {options}"));
    let program = Program::new(built.bytes());
    built.snapshot().unwind(&program).to_string()
}

#[test]
fn every_shape_of_frame_is_unwound() {
    let expected = format!("{BARE}: Root");
    for options in [
        "-O2 -static -Wl,--eh-frame-hdr",
        "-O2 -static-pie -fPIE -Wl,--eh-frame-hdr",
        "-O0 -static -Wl,--eh-frame-hdr",
        // As gcc links static programs at a fixed address.
        "-O2 -static -Wl,--no-eh-frame-hdr",
        // No .eh_frame, but .debug_frame.
        "-O2 -static -g -fno-asynchronous-unwind-tables",
        "-O2 -static -g -fno-asynchronous-unwind-tables -gz",
    ] {
        assert_eq!(bare(options), expected, "{options}");
    }
}

#[test]
fn without_tables_instructions_are_followed() {
    for options in
        ["-O0", "-O1 -fno-omit-frame-pointer", "-O1 -fomit-frame-pointer", "-O2", "-Os", "-O3"]
    {
        let options = format!("{options} -static -fno-asynchronous-unwind-tables");
        assert_eq!(bare(&options), format!("{BARE}: Root"), "{options}");
    }
}

#[test]
fn tables_are_found_without_section_headers() {
    let built = Built::new("bare.c", "-O2 -nostdlib -static -Wl,--eh-frame-hdr");
    let mut bytes = built.bytes();
    let program = Program::new(bytes.clone());
    // e_shoff, then e_shnum and e_shstrndx
    bytes[40..48].fill(0);
    bytes[60..64].fill(0);
    let stripped = program.with_bytes(bytes);
    assert_eq!(built.snapshot().unwind(&stripped).to_string(), format!("{BARE}: Root"));
}

#[test]
fn tables_are_found_in_the_debug_file() {
    if goes_without(&[&["objcopy"]]) {
        return;
    }
    let options = "-O2 -nostdlib -static -g -fno-asynchronous-unwind-tables";
    let built = Built::new("bare.c", options);
    let program = Program::new(built.bytes());
    let split = |option: &str, file: &str| {
        let path = built.folder.path().join(file);
        run(Command::new("objcopy").arg(option).arg(&built.program).arg(&path));
        fs::read(path).expect("objcopy wrote it")
    };
    let stripped = program.with_bytes(split("--strip-debug", "stripped"));
    let snapshot = built.snapshot();
    let expected = format!("{BARE}: Root");
    assert_ne!(snapshot.unwind(&stripped).to_string(), expected);
    let whole = stripped.with_debug_file(&split("--only-keep-debug", "debug"));
    assert_eq!(snapshot.unwind(&whole).to_string(), expected);
}

#[test]
fn signals_threads_and_made_code_are_unwound() {
    let expected = "snapshot [made] on_signal [other] compare [other] sorts start [other]: Root";
    for options in ["-O2 -lpthread", "-O0 -lpthread", "-O2 -fno-plt -Wl,-z,now -lpthread"] {
        let built = Built::new("shapes.c", options);
        let program = Program::new(built.bytes());
        let chain = built.snapshot().unwind(&program);
        assert_eq!(chain.to_string(), expected, "{options}");
    }
}

#[test]
fn what_a_signal_interrupted_is_where_it_was() {
    let built = Built::new("bare.c", "-O2 -nostdlib -static");
    let program = Program::new(built.bytes());
    let chain = built.snapshot().unwind(&program);
    let offset_in = |name: &str| {
        let at = chain.names.iter().position(|other| other == name).expect("it is there");
        chain.addresses[at] - program.address_of(name)
    };
    assert_eq!(offset_in("faulting"), 0, "its first instruction");
    assert_eq!(offset_in("restore"), 0, "where the handler returns to");
    assert!(offset_in("main") > 0);
}

/// A program for AArch64 and what it printed in an emulator of a processor that
/// signs return addresses:
///
/// ```sh
/// aarch64-linux-gnu-gcc -O2 -nostdlib -static -mbranch-protection=standard \
///     -Wl,-z,max-page-size=4096 -o aarch64 bare.c
/// qemu-aarch64 -cpu max ./aarch64 > aarch64.snapshot
/// ```
fn aarch64() -> (Program, Snapshot) {
    let program = Program::new(fs::read(source("aarch64")).expect("a file of the tests"));
    let text = fs::read_to_string(source("aarch64.snapshot")).expect("a file of the tests");
    (program, Snapshot::parse(Machine::Aarch64, &text))
}

#[test]
fn aarch64_is_unwound() {
    let (program, snapshot) = aarch64();
    let chain = snapshot.unwind(&program);
    assert_eq!(chain.to_string(), format!("{BARE}: Root"));
}

#[test]
fn a_stack_that_is_cut_ends_where_it_is_cut() {
    let built = Built::new("bare.c", "-O2 -nostdlib -static");
    let program = Program::new(built.bytes());
    let snapshot = built.snapshot();
    let whole = snapshot.unwind(&program);
    let mut ends = Vec::new();
    // How much a signal puts on the stack depends on the processor. Once the chain is whole, it
    // stays whole.
    for length in 1..snapshot.dump.len() {
        let chain = snapshot.with_dump(&snapshot.dump[..length]).unwind(&program);
        assert!(whole.addresses.starts_with(&chain.addresses), "{length}");
        ends.push(chain.end);
        if ends.ends_with(&[End::Root; 64]) {
            break;
        }
    }
    let whole = ends.iter().position(|end| *end == End::Root).expect("the stack is shorter");
    assert!(ends[..whole].iter().all(|end| *end == End::Truncated));
    assert!(ends[whole..].iter().all(|end| *end == End::Root));
}

#[test]
fn damaged_tables_do_no_harm() {
    let built = Built::new("bare.c", "-O2 -nostdlib -static -g -Wl,--eh-frame-hdr");
    let (bytes, snapshot) = (built.bytes(), built.snapshot());
    let program = Program::new(bytes.clone());
    let mut random = 1_u64;
    let mut below = |limit: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    for _ in 0..2000 {
        let mut damaged = bytes.clone();
        for _ in 0..=below(20) {
            let at = below(damaged.len());
            damaged[at] = below(256) as u8;
        }
        let chain = snapshot.unwind(&program.with_bytes(damaged));
        assert!(!chain.addresses.is_empty());
    }
}

//! Damage of any kind: each case with bytes flipped, cut out, doubled and put in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Case, for_every_case, has_ended_well};
use crate::random::Random;
use crate::util::{binary, recording};

/// How many damaged copies of each case are read, unless `STACK_TOOLS_MUTATIONS` says.
const MUTATIONS: u64 = 20;

/// What stack-parse may take for an input of no bytes, in KiB.
const MEMORY: usize = 64 * 1024;

/// What it may take for each byte of the unpacked input.
const TIMES: usize = 10;

/// How long one damaged file may take, in seconds of the processor.
const SECONDS: u32 = 20;

#[test]
fn no_damage_panics_hangs_or_takes_much_memory() {
    let mutations = std::env::var("STACK_TOOLS_MUTATIONS");
    let mutations = mutations.map_or(MUTATIONS, |text| text.parse().expect("a number"));
    for_every_case(|case| {
        let bytes = recording(&case.input);
        let file = case.input.replace(['/', '.'], "-") + ".damaged";
        let file: PathBuf = [env!("CARGO_TARGET_TMPDIR"), &file].iter().collect();
        for seed in 0..mutations {
            let damaged = damage(&bytes, seed);
            fs::write(&file, &damaged).expect("a writable target directory");
            if let Err(why) = ends_well(case, &file, damaged.len()) {
                panic!("{} (mutation {seed} of {}): {why}", file.display(), case.input);
            }
        }
        fs::remove_file(&file).expect("our own file");
    });
}

/// Reads a file with little memory and time.
fn ends_well(case: &Case, file: &Path, length: usize) -> Result<(), String> {
    let memory = MEMORY + TIMES * length / 1024;
    let limited = format!("ulimit -v {memory} -t {SECONDS}; exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limited, "sh", binary("stack-parse"), "--threads", "1"])
        .args(["--format", &case.format])
        .args(case.args().split_whitespace())
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("out of memory") { Err(said.into_owned()) } else { has_ended_well(&output) }
}

/// The bytes with one to eight things wrong.
fn damage(bytes: &[u8], seed: u64) -> Vec<u8> {
    // What breaks parsers: numbers that are too large, ends of strings and of nesting.
    const PUT_IN: [&[u8]; 12] = [
        b"18446744073709551616",
        b"-1",
        b"1e999",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\n",
        b"\"",
        b"\\",
        b"[[[[{",
        b"]}",
        b";",
        b"\x80\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    ];
    let mut numbers = Random(seed);
    let mut bytes = bytes.to_vec();
    for _ in 0..=numbers.below(8) {
        let at = numbers.below(bytes.len());
        let length = numbers.below(200).min(bytes.len() - at);
        match numbers.below(5) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << numbers.below(8),
            1 if !bytes.is_empty() => bytes[at] = numbers.below(256) as u8,
            2 => drop(bytes.drain(at..at + length)),
            3 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            _ => drop(bytes.splice(at..at, PUT_IN[numbers.below(PUT_IN.len())].iter().copied())),
        }
    }
    bytes
}

//! Damage of any kind: each case with bytes flipped, removed, doubled and inserted.

use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::{Case, MadeInput, for_every_case, has_ended_well};
use crate::random::Random;
use crate::util::{binary, recording};

/// How many damaged copies of each case are read, unless `STACK_TOOLS_MUTATIONS` is set.
const MUTATIONS: u64 = 20;

/// The memory that stack-parse may use for an empty input, in KiB.
const MEMORY: usize = 64 * 1024;

/// How many times the size of the decompressed input it may use in addition.
const TIMES: usize = 10;

/// The processor time that one damaged file may take, in seconds.
const SECONDS: u32 = 20;

/// How many files one process reads, since starting one takes longer than reading them.
const BATCH: usize = 25;

#[test]
fn no_damage_panics_hangs_or_takes_much_memory() {
    let mutations = std::env::var("STACK_TOOLS_MUTATIONS");
    let mutations = mutations.map_or(MUTATIONS, |text| text.parse().expect("a number"));
    let failures = Mutex::new(Vec::new());
    for_every_case(|case| {
        let bytes = recording(&case.input);
        let seeds: Vec<u64> = (0..mutations).collect();
        for seeds in seeds.chunks(BATCH) {
            let damaged = |&seed: &u64| {
                MadeInput::new(case, &format!("damaged-{seed}"), &damage(&bytes, seed))
            };
            let files: Vec<MadeInput> = seeds.iter().map(damaged).collect();
            let found = what_ends_badly(case, &files);
            failures.lock().expect("no panic").extend(found);
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A report on each file that does not end well. Such a file is written to the disk for the reader
/// of the report.
fn what_ends_badly(case: &Case, files: &[MadeInput]) -> Vec<String> {
    // If all files together stay within the limits for the smallest, each of them does.
    if ends_well(case, files).is_ok() {
        return Vec::new();
    }
    let bad = files.iter().filter_map(|file| {
        let why = ends_well(case, std::slice::from_ref(file)).err()?;
        Some(format!("{}: {why}", file.keep().display()))
    });
    bad.collect()
}

/// Reads files in little memory and time.
fn ends_well(case: &Case, files: &[MadeInput]) -> Result<(), String> {
    let length = files.iter().map(MadeInput::length).min().unwrap_or_default();
    let memory = MEMORY + TIMES * length / 1024;
    let limited = format!("ulimit -v {memory} -t {SECONDS}; exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limited, "sh", binary("stack-parse"), "--threads", "1"])
        .args(["--format", &case.format])
        .args(case.args().split_whitespace())
        .args(files.iter().map(|file| file.file.path()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("out of memory") { Err(said.into_owned()) } else { has_ended_well(&output) }
}

/// The bytes with one to eight changes.
fn damage(bytes: &[u8], seed: u64) -> Vec<u8> {
    // Bytes that break parsers: numbers that are too large, ends of strings and of nesting.
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

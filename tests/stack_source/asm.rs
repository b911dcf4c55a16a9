//! Instructions and their weights.

use std::collections::BTreeMap;
use std::process::Command;

use regex::Regex;

use super::printed;
use super::truth::{stacks, symfs, truth};
use crate::needs::goes_without;
use crate::util::{TempFile, output, recording};

const LABELS: &[&str] = &["--srcline", "--labels", "addr,object,build_id"];

/// The weights of the instructions of a function, by address.
fn weights(pattern: &str) -> BTreeMap<u64, u64> {
    let symfs = symfs();
    let args = ["--asm", "--tsv", "--symfs", symfs.path().to_str().expect("UTF-8"), "-e", pattern];
    let output = output("stack-source", &args, stacks(LABELS));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let weight = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let address = u64::from_str_radix(&fields[2][2..], 16).expect("an address");
        (address, fields[3].parse().expect("a weight"))
    };
    text.lines().skip(1).map(weight).collect()
}

#[test]
fn instructions_weigh_what_their_addresses_do() {
    if goes_without(&[&["objdump"]]) {
        return;
    }
    let pattern = Regex::new(r": instruction 0x([0-9a-f]+) self \(line").expect("a pattern");
    let expected: BTreeMap<u64, u64> = truth()
        .iter()
        .filter_map(|(what, figure)| {
            let address =
                u64::from_str_radix(&pattern.captures(what)?[1], 16).expect("hexadecimal");
            Some((address, figure.parse().expect("a weight")))
        })
        .collect();
    assert_eq!(expected.len(), 35);
    assert_eq!(weights("__introsort_loop<"), expected);
}

#[test]
fn shares_of_instructions_are_those_of_perf_annotate() {
    if goes_without(&[&["objdump", "perf"]]) {
        return;
    }
    let (symfs, data) = (symfs(), TempFile::new(recording("source/hotcpp.data.gz")));
    let perf = |args: &[&str]| {
        let mut perf = Command::new("perf");
        printed(perf.args(args).args(["--stdio", "-i", data.path(), "--symfs"]).arg(symfs.path()))
    };
    let report = perf(&["report", "--no-inline", "-g", "none", "--no-children", "--sort", "sym"]);
    let line = Regex::new(r"(?m)^ +(\d+\.\d+) : +([0-9a-f]+):").expect("a pattern");
    let mut compared = 0;
    for function in ["hash_all", "sort_some", "std::__introsort_loop"] {
        let weights = weights(&format!("^(void )?{function}[(<]"));
        let whole: u64 = weights.values().sum();
        let names = report.lines().filter_map(|line| line.split_once("[.] "));
        let mut names = names.map(|(_, name)| name.trim()).filter(|it| it.starts_with(function));
        let text = perf(&["annotate", "-s", names.next().expect("a symbol")]);
        for found in line.captures_iter(&text) {
            let address = u64::from_str_radix(&found[2], 16).expect("hexadecimal");
            let share: f64 = found[1].parse().expect("a share");
            let ours = weights.get(&address).copied().unwrap_or(0) as f64 * 100.0 / whole as f64;
            assert!((share - ours).abs() < 0.006, "{function} {address:x}: {share} and {ours}");
            compared += usize::from(share > 1.0);
        }
    }
    assert!(compared > 30, "{compared} instructions");
}

#[test]
fn each_instruction_has_its_line_beside_it() {
    if goes_without(&[&["objdump"]]) {
        return;
    }
    let symfs = symfs();
    let symfs = symfs.path().to_str().expect("UTF-8");
    let golden = crate::util::golden_path("source");
    let folder = golden.to_str().expect("UTF-8");
    let show = |options: &[&str]| {
        let args =
            ["--asm", "-e", "^hash_all", "-C", "0", "--symfs", symfs, "--source-path", folder];
        let output = output("stack-source", &[&args, options].concat(), stacks(LABELS));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let listing = show(&[]);
    let row = "     8  16.67%  172a  shr    $0x21,%rcx  hot.cpp:7  x ^= x >> 33;\n";
    assert!(listing.contains(row), "{listing}");
    assert!(listing.ends_with("\n1 of 1 functions, self 48 of 672 (7.14%)\n"), "{listing}");
    let listing = show(&["-M", "intel"]);
    assert!(listing.contains("  172a  shr    rcx,0x21"), "{listing}");
}

#[test]
fn what_is_missing_is_reported() {
    let said = |folded: &str, path: &str| {
        let mut tool = crate::util::command("stack-source");
        let file = TempFile::new(folded);
        let output =
            tool.args(["--asm", file.path()]).env("PATH", path).output().expect("it starts");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert_eq!(
        said("a;b 1\n", "/nowhere"),
        "stack-source: --asm needs labels: 'stack-parse --labels addr,object,build_id' writes them\n"
    );
    assert_eq!(
        said("addr=0x10\tobject=/no/file\ta 1\n", "/nowhere"),
        "stack-source: not the file that was recorded, or without symbols: /no/file: --symfs DIR says \
         where it is\nstack-source: no function matches\n"
    );
    let symfs = symfs();
    let program = symfs.path().join("home/someone/work/td/src/hotcpp");
    let program = program.to_str().expect("UTF-8");
    let folded = format!("addr=0x1700\tobject={program}\ta 1\n");
    let needs = "--asm needs objdump: install binutils, or llvm for llvm-objdump\n";
    assert_eq!(said(&folded, "/nowhere"), format!("stack-source: {needs}"));
    // Labels may have any value.
    for address in ["0x0", "0x10", "0xffffffffffffffff"] {
        let folded = format!("addr={address}\tobject={program}\ta 1\n");
        let file = TempFile::new(folded);
        let output = output("stack-source", &["--asm", file.path()], "");
        assert_ne!(output.status.code(), None, "{address}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{address}");
    }
    let other = format!("addr=0x1700\tbuild_id=00ff\tobject={program}\ta 1\n");
    assert!(said(&other, "/nowhere").contains("not the file that was recorded"));
}

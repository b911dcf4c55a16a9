//! Checks every format that stack-parse lists, with the files in `tests/golden/formats/FORMAT`. A
//! case is an input, `CASE` or `CASE.gz`, and beside it:
//!
//! - `CASE.folded`: the expected output of stack-parse with `--header`. `BLESS=1` writes it. An
//!   output that is too long for a person to read has no such file.
//! - `CASE.weight`: the expected weight of the output, and after a `#` how it was counted without
//!   our code. No test writes it.
//! - `CASE.args`: options, for a file whose default output leaves something out.
//!
//! A new format needs a folder here and no new test.

mod damage;
mod events;
mod labelled;
mod shuffled;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::memory::MemoryFile;
use crate::util::{
    are_for_linux, assert_golden, command, filter, golden_files, golden_path, recording, scratch,
    stderr, tool, weight,
};

/// The files beside an input.
const COMPANIONS: [&str; 3] = ["folded", "weight", "args"];

/// The formats that have spans of their own.
const WITH_SPANS: [&str; 6] = ["jfr", "fxt", "perfetto", "trace-event", "firefox", "wprof"];

/// The greatest length of an expected output in bytes.
const LONGEST_EXPECTATION: usize = 300_000;

/// The number of files in memory at one time. Each needs a file descriptor, of which a process
/// often has only 1024.
const FILES: usize = 512;

/// A file of a known format.
pub(crate) struct Case {
    /// The name in `--list-formats`.
    format: String,
    /// The path of the input below tests/golden.
    pub(crate) input: String,
}

impl Case {
    /// The path, below tests/golden, of a file beside the input.
    fn companion(&self, ending: &str) -> String {
        format!("{}.{ending}", self.input.trim_end_matches(".gz"))
    }

    /// The options of the case.
    pub(crate) fn args(&self) -> String {
        // Most cases have none.
        fs::read_to_string(golden_path(&self.companion("args"))).unwrap_or_default()
    }

    /// The number in `CASE.weight`, and how it was counted.
    fn expected_weight(&self) -> (u128, String) {
        let name = self.companion("weight");
        let text = fs::read_to_string(golden_path(&name))
            .unwrap_or_else(|error| panic!("{name}: {error}: count it without our code"));
        let (number, how) = text.split_once('\n').unwrap_or((&text, ""));
        let Some(how) = how.strip_prefix("# ") else {
            panic!("{name}: expected '# ' and how the weight was counted")
        };
        let number = number.parse();
        let number = number.unwrap_or_else(|_| panic!("{name}: expected a number at the start"));
        (number, how.trim_end().replace("\n# ", " "))
    }
}

/// The names that `--list-formats` prints.
fn formats() -> Vec<String> {
    let list = filter("stack-parse", &["--list-formats"], "");
    list.lines().map(|line| line.split('\t').next().unwrap_or(line).to_owned()).collect()
}

/// The cases that the tools can read on their system.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = all_cases();
    let read_all = cfg!(feature = "zstd") && are_for_linux();
    cases.retain(|case| read_all || !needs_zstd(case));
    cases
}

/// Whether a case is a recording of `perf record -z`, which is read on Linux only, and with zstd.
fn needs_zstd(case: &Case) -> bool {
    if case.format != "perf-data" {
        return false;
    }
    let output = tool("stack-parse").arg(golden_path(&case.input)).output().expect("it starts");
    stderr(&output).contains("its records are compressed ('perf record -z'), ")
}

/// The cases of all formats.
fn all_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for format in formats() {
        let files = golden_files(&format!("formats/{format}"));
        let inputs = files.iter().filter(|file| !is_companion(file));
        cases.extend(inputs.map(|file| Case {
            input: format!("formats/{format}/{file}"),
            format: format.clone(),
        }));
    }
    cases
}

fn is_companion(file: &str) -> bool {
    COMPANIONS.iter().any(|ending| file.ends_with(&format!(".{ending}")))
}

/// How many cases are checked at once.
fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(8)
}

/// Calls `check` for every case, on several processors.
fn for_every_case(check: impl Fn(&Case) + Sync) {
    let (cases, next) = (cases(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..workers() {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(case);
                }
            });
        }
    });
}

#[test]
fn every_format_has_a_folder_a_row_and_a_section_of_the_manual() {
    let formats: BTreeSet<String> = formats().into_iter().collect();
    let folders: BTreeSet<String> = golden_files("formats").into_iter().collect();
    assert_eq!(folders, formats, "folders below tests/golden/formats (left) and --list-formats");
    let cases: BTreeSet<String> = cases().into_iter().map(|case| case.format).collect();
    assert_eq!(cases, formats, "formats that have a case (left) and --list-formats");
    let page = include_str!("../man/stack-parse.1");
    let (_, table) = page.split_once("\n.Ss How to record\n").expect("a table of formats");
    let (table, _) = table.split_once("\n.El\n").expect("its end");
    let rows = table.lines().filter_map(|line| line.strip_prefix(".It Sx ")).map(str::to_owned);
    assert_eq!(rows.collect::<BTreeSet<_>>(), formats, "the table of formats and --list-formats");
    for format in formats {
        let section = format!("\n.Ss {format}\n");
        assert!(page.contains(&section), "man/stack-parse.1: expected a section '.Ss {format}'");
    }
}

#[test]
fn no_file_is_left_beside_an_input_that_is_gone() {
    let expected: BTreeSet<String> = all_cases()
        .iter()
        .flat_map(|case| COMPANIONS.map(|ending| case.companion(ending)))
        .collect();
    for format in formats() {
        for file in golden_files(&format!("formats/{format}")) {
            let path = format!("formats/{format}/{file}");
            assert!(!is_companion(&file) || expected.contains(&path), "{path}: there is no input");
        }
    }
}

/// With `--nocapture` it prints a table: input, independent weight, our weight, messages.
#[test]
fn every_case_is_detected_and_folds_as_expected() {
    for_every_case(|case| {
        let input = &case.input;
        let output = tool("stack-parse")
            .args(["--header", "--threads", "1"])
            .args(case.args().split_whitespace())
            .arg(golden_path(input))
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{input}: {}\n{said}", output.status);
        let (header, folded) = header_and_lines(&output.stdout);
        let source = format!("# source: {}", case.format);
        assert!(header.contains(&source), "{input}: expected '{source}' in {header:?}\n{said}");
        let (ours, (expected, how)) = (weight(folded), case.expected_weight());
        println!("| {input} | {expected} | {how} | {ours} | {} |", said.trim().replace('\n', "; "));
        assert_eq!(ours, expected, "{input}: the weight");
        let expected = case.companion("folded");
        if folded.len() <= LONGEST_EXPECTATION {
            assert_golden(&expected, &output.stdout);
        } else {
            assert!(!golden_path(&expected).exists(), "{expected}: the output is too long");
        }
    });
}

/// The comments at the start, and what follows them.
fn header_and_lines(output: &[u8]) -> (Vec<String>, &[u8]) {
    let (mut header, mut rest) = (Vec::new(), output);
    while rest.starts_with(b"# ") {
        let end = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        header.push(String::from_utf8_lossy(rest[..end].trim_ascii_end()).into_owned());
        rest = &rest[end..];
    }
    (header, rest)
}

#[test]
fn every_case_may_end_anywhere() {
    for_every_case(|case| {
        let bytes = recording(&case.input);
        let args = case.args();
        let args: Vec<&str> = args.split_whitespace().collect();
        let with_format = [&["--format", &case.format], &args[..]].concat();
        // One process reads many files, since starting one takes longer than reading them.
        for lengths in cuts(bytes.len()).chunks(FILES / workers()) {
            let cut =
                |&length: &usize| MadeInput::new(case, &format!("cut-{length}"), &bytes[..length]);
            let files: Vec<MadeInput> = lengths.iter().map(cut).collect();
            assert_ends_well(&with_format, &files);
            // The format is detected by the first bytes.
            let short = lengths.partition_point(|&length| length < 1024);
            assert_ends_well(&args, &files[..short]);
            if WITH_SPANS.contains(&&*case.format) {
                assert_ends_well(&["--spans", "--format", &case.format], &files);
            }
        }
    });
}

/// The lengths to which a file is cut: every length of a small file, otherwise about 200. Most of
/// those are near the start, since long files take long to write and read.
fn cuts(length: usize) -> Vec<usize> {
    if length < 4096 {
        return (0..length).collect();
    }
    let near = length.min(32_768);
    // An odd step, so that cuts are at all offsets of records of any size.
    let near = (0..near).step_by((near / 190) | 1);
    let mut cuts: Vec<usize> =
        near.chain((1..=8).map(|eighth| length / 8 * eighth - eighth)).collect();
    // In a short file the eighths may be among those near the start.
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// A file in memory made from an input.
struct MadeInput {
    /// The name of the input, and what was changed.
    name: String,
    file: MemoryFile,
}

impl MadeInput {
    fn new(case: &Case, how: &str, bytes: &[u8]) -> MadeInput {
        let name = format!("{}.{how}", case.input.replace(['/', '.'], "-"));
        MadeInput { name, file: MemoryFile::new(bytes) }
    }

    fn length(&self) -> usize {
        fs::metadata(self.file.path()).expect("it is open").len() as usize
    }

    /// Writes the file to the disk, for the person who looks at the failed test.
    fn keep(&self) -> PathBuf {
        let bytes = fs::read(self.file.path()).expect("it is open");
        scratch(&self.name, bytes)
    }
}

/// Asserts that stack-parse ends with one of its statuses and without a panic.
fn assert_ends_well(options: &[&str], files: &[MadeInput]) {
    if files.is_empty() {
        return;
    }
    if let Err(said_of_all) = ends_well(options, files) {
        for file in files {
            ends_well(options, std::slice::from_ref(file))
                .unwrap_or_else(|said| panic!("{} {options:?}: {said}", file.keep().display()));
        }
        let files: Vec<PathBuf> = files.iter().map(MadeInput::keep).collect();
        panic!("{files:?} {options:?}, all in one: {said_of_all}");
    }
}

fn ends_well(options: &[&str], files: &[MadeInput]) -> Result<(), String> {
    let output = command("stack-parse")
        .args(["--threads", "1"])
        .args(options)
        .args(files.iter().map(|file| file.file.path()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("it starts");
    has_ended_well(&output)
}

/// Whether stack-parse ended with one of its statuses and without a panic; if not, its messages.
fn has_ended_well(output: &Output) -> Result<(), String> {
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0..=2) if !said.contains("panicked") => Ok(()),
        _ => Err(format!("{}\n{said}", output.status)),
    }
}

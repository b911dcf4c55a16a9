//! Runs a tool, finds the recordings, compares outputs with the expected ones.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use assert_cmd::Command;
use flate2::read::MultiGzDecoder;
use proptest::prelude::*;

use crate::needs::skip;

/// Every tool with its freshly built binary.
pub(crate) const TOOLS: [(&str, &str); 19] = [
    ("stack-brief", env!("CARGO_BIN_EXE_stack-brief")),
    ("stack-collapse-frames", env!("CARGO_BIN_EXE_stack-collapse-frames")),
    ("stack-critical", env!("CARGO_BIN_EXE_stack-critical")),
    ("stack-demangle", env!("CARGO_BIN_EXE_stack-demangle")),
    ("stack-diff", env!("CARGO_BIN_EXE_stack-diff")),
    ("stack-export", env!("CARGO_BIN_EXE_stack-export")),
    ("stack-flame", env!("CARGO_BIN_EXE_stack-flame")),
    ("stack-fold-towers", env!("CARGO_BIN_EXE_stack-fold-towers")),
    ("stack-grep", env!("CARGO_BIN_EXE_stack-grep")),
    ("stack-heat", env!("CARGO_BIN_EXE_stack-heat")),
    ("stack-label", env!("CARGO_BIN_EXE_stack-label")),
    ("stack-merge", env!("CARGO_BIN_EXE_stack-merge")),
    ("stack-parse", env!("CARGO_BIN_EXE_stack-parse")),
    ("stack-reverse", env!("CARGO_BIN_EXE_stack-reverse")),
    ("stack-source", env!("CARGO_BIN_EXE_stack-source")),
    ("stack-svg", env!("CARGO_BIN_EXE_stack-svg")),
    ("stack-symbols", env!("CARGO_BIN_EXE_stack-symbols")),
    ("stack-top", env!("CARGO_BIN_EXE_stack-top")),
    ("stack-view", env!("CARGO_BIN_EXE_stack-view")),
];

/// The tools that do not read one profile of folded stacks, or that need a terminal; their own
/// tests check them.
const OTHER_READERS: [&str; 7] = [
    "stack-critical",
    "stack-diff",
    "stack-flame",
    "stack-heat",
    "stack-label",
    "stack-symbols",
    "stack-view",
];

/// The exit status of a tool for errors: that of stack-flame must differ from those of other
/// programs.
pub(crate) fn trouble(name: &str) -> i32 {
    if name == "stack-flame" { 125 } else { 2 }
}

/// The tools that read folded stacks.
pub(crate) fn folded_tools() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().map(|(name, _)| name).filter(|name| !OTHER_READERS.contains(name))
}

/// The tools that read folded stacks and write something else.
const ANSWERS: [&str; 5] =
    ["stack-brief", "stack-export", "stack-source", "stack-svg", "stack-top"];

/// The tools that read folded stacks and write folded stacks.
pub(crate) fn folded_writers() -> impl Iterator<Item = &'static str> {
    folded_tools().filter(|name| !ANSWERS.contains(name))
}

/// The tools that write one line for each line they read, while input still arrives.
pub(crate) const FILTERS: [&str; 5] =
    ["stack-collapse-frames", "stack-demangle", "stack-fold-towers", "stack-grep", "stack-reverse"];

/// The output of a tool for folded lines that it has no reason to change: stack-reverse reverses
/// them.
pub(crate) fn passed_on(name: &str, lines: impl AsRef<[u8]>) -> Vec<u8> {
    let lines = lines.as_ref();
    if name != "stack-reverse" {
        return lines.to_vec();
    }
    let reversed = |line: &[u8]| {
        let space = line.iter().rposition(|&byte| byte == b' ').expect("a count");
        let mut frames: Vec<&[u8]> = line[..space].split(|&byte| byte == b';').collect();
        frames.reverse();
        [&frames.join(&b';'), &line[space..]].concat()
    };
    lines.split_inclusive(|&byte| byte == b'\n').flat_map(reversed).collect()
}

/// The arguments that a tool needs to pass folded lines on. stack-parse needs the format, since it
/// cannot always detect it from a line or two, and stack-diff a profile to compare with.
const MINIMAL_ARGS: [(&str, &[&str]); 6] = [
    // What to ask next is asked of a file, and then a page would differ from one of a pipe.
    ("stack-brief", &["--recording", "app.data"]),
    ("stack-diff", &[concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/diff/base-01.folded.gz")]),
    // The format that can hold any bytes.
    ("stack-export", &["--to", "callgrind"]),
    ("stack-grep", &["."]),
    (
        "stack-label",
        &[
            "--clock",
            "any",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wall/srv-wait.spans.tsv"),
        ],
    ),
    ("stack-parse", &["-f", "folded"]),
];

/// Names a folder of tools to be tested in place of those that cargo built: `scripts/wine` makes one
/// of programs for Windows.
const FOLDER: &str = "STACK_TOOLS_FOLDER";

/// Whether the tools to be tested are programs for Linux.
pub(crate) fn are_for_linux() -> bool {
    cfg!(target_os = "linux") && std::env::var_os(FOLDER).is_none()
}

/// A program of this system, to be read: what [`binary`] names may be a script that runs one of
/// another system.
pub(crate) const EXECUTABLE: &str = env!("CARGO_BIN_EXE_stack-merge");

/// The path of `tool`.
pub(crate) fn binary(tool: &str) -> &'static str {
    let (_, path) = TOOLS.iter().find(|(name, _)| *name == tool).expect("a tool of ours");
    match std::env::var(FOLDER) {
        // A test names few tools.
        Ok(folder) => format!("{folder}/{tool}").leak(),
        Err(_) => path,
    }
}

/// A command that runs `tool`, without servers of debug information.
pub(crate) fn command(tool: &str) -> std::process::Command {
    let mut command = std::process::Command::new(binary(tool));
    command.env_remove("DEBUGINFOD_URLS");
    command
}

/// Like [`command`], as an `assert_cmd` command.
pub(crate) fn tool(tool: &str) -> Command {
    Command::from_std(command(tool))
}

/// The arguments that `tool` needs, followed by `args`.
pub(crate) fn with_minimal<'a>(tool: &str, args: &[&'a str]) -> Vec<&'a str> {
    let minimal = MINIMAL_ARGS.iter().find(|(name, _)| *name == tool).map_or(&[][..], |it| it.1);
    [minimal, args].concat()
}

/// The output of a tool for folded `input`, and its status; `args` follow the arguments that it
/// needs.
pub(crate) fn feed(name: &str, args: &[&str], input: impl AsRef<[u8]>) -> Output {
    output(name, &with_minimal(name, args), input)
}

/// A file of this name and content, for a single test to read or to overwrite.
pub(crate) fn scratch(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = [env!("CARGO_TARGET_TMPDIR"), name].iter().collect();
    std::fs::write(&path, content).expect("a writable target directory");
    path
}

/// What a pipe holds on every system, in bytes.
const PIPE: usize = 4096;

/// The output of a tool for `input`, and its status. The tests do this tens of thousands of times,
/// so it starts no thread that it can do without.
pub(crate) fn output(name: &str, args: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut command = command(name);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let (stdin, input) = (child.stdin.take().expect("a pipe"), input.as_ref());
    let write = move || {
        let mut stdin = stdin;
        // A tool need not read everything.
        let _ = stdin.write_all(input);
    };
    thread::scope(|scope| {
        if input.len() <= PIPE {
            write();
        } else {
            scope.spawn(write);
        }
        child.wait_with_output().expect("it ends")
    })
}

/// The result for about a gigabyte of `text`, repeated, with 200 MB of memory for the tool; and
/// whether it read all of that.
pub(crate) fn endless(name: &str, args: &[&str], text: &str) -> (Output, bool) {
    let mut child = std::process::Command::new("sh")
        .args(["-c", r#"ulimit -v 200000; exec "$0" "$@""#, binary(name)])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut stdin = child.stdin.take().expect("a pipe");
    let block = text.repeat(64 * 1024 / text.len());
    let written =
        thread::spawn(move || (0..16_000).try_for_each(|_| stdin.write_all(block.as_bytes())));
    let output = child.wait_with_output().expect("it ends");
    (output, written.join().expect("no panic").is_ok())
}

/// The output of `tool` for `input`; asserts success and no messages.
pub(crate) fn filter_bytes(name: &str, args: &[&str], input: impl AsRef<[u8]>) -> Vec<u8> {
    let output = output(name, args, input);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {args:?}: {}\n{stderr}", output.status);
    assert_eq!(stderr, "", "{name} {args:?} has something to say");
    output.stdout
}

/// The picture that stack-svg makes; the only message may be what `--max-frames` cut.
pub(crate) fn picture(args: &[&str], input: impl AsRef<[u8]>) -> Vec<u8> {
    let output = output("stack-svg", args, input);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {}\n{stderr}", output.status);
    let is_cut = |line: &str| line.ends_with(" cut by --max-frames, and drawn as [cut]");
    assert!(stderr.lines().all(is_cut), "{args:?}: {stderr}");
    output.stdout
}

/// [`filter_bytes`] for output that is UTF-8.
pub(crate) fn filter(name: &str, args: &[&str], input: impl AsRef<[u8]>) -> String {
    String::from_utf8(filter_bytes(name, args, input)).expect("UTF-8 output")
}

/// The sum of the counts of folded lines, computed without our parser.
pub(crate) fn weight(folded: &[u8]) -> u128 {
    let text = String::from_utf8_lossy(folded);
    text.lines()
        .map(|line| line.rsplit(' ').next().expect("a count").parse::<u128>())
        .sum::<Result<_, _>>()
        .expect("counts")
}

/// A file below tests/golden.
pub(crate) fn golden_path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", name].iter().collect()
}

/// The bytes of a file below tests/golden, decompressed if its name ends in `.gz`.
pub(crate) fn recording(name: &str) -> Vec<u8> {
    let path = golden_path(name);
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    if name.ends_with(".gz") { unpacked(&packed) } else { packed }
}

/// Decompresses gzip data.
pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    MultiGzDecoder::new(packed).read_to_end(&mut bytes).expect("a whole gzip file");
    bytes
}

/// The names of the files in a folder below tests/golden, sorted.
pub(crate) fn golden_files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(golden_path(folder)).expect("a folder below tests/golden");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().into_string().expect("a UTF-8 name")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// A folder of other projects' recordings, which we may read but not copy. It is
/// `third-party/FOLDER` below the folder in STACK_TOOLS_DATA; without that variable the test is
/// skipped with a message.
pub(crate) fn third_party(folder: &str) -> Option<PathBuf> {
    let data = std::env::var_os("STACK_TOOLS_DATA");
    if data.is_none() {
        skip(&format!("STACK_TOOLS_DATA does not say where third-party/{folder} is"));
    }
    data.map(|data| PathBuf::from(data).join("third-party").join(folder))
}

/// `text` in UTF-16 after a byte order mark.
pub(crate) fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

/// Asserts that the file tests/golden/`name` holds `actual`. With `BLESS=1` the file is written
/// first; read the difference before you commit it.
pub(crate) fn assert_golden(name: &str, actual: &[u8]) {
    let path = golden_path(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, actual).expect("a writable tests/golden");
    }
    let expected = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("tests/golden/{name}: {error} (BLESS=1 writes it)"));
    if expected != actual {
        panic!("not as in tests/golden/{name}: {}", first_difference(&expected, actual));
    }
}

/// The first line in which two texts differ.
fn first_difference(expected: &[u8], actual: &[u8]) -> String {
    let [mut expected, mut actual] =
        [expected, actual].map(|text| text.split(|&byte| byte == b'\n'));
    let shown = |line: Option<&[u8]>| match line {
        Some(line) => format!("{:?}", String::from_utf8_lossy(line)),
        None => "the end".to_owned(),
    };
    let mut number = 1;
    loop {
        let lines = (expected.next(), actual.next());
        if lines.0 != lines.1 || lines.0.is_none() {
            let [expected, actual] = [lines.0, lines.1].map(shown);
            return format!("line {number}\n expected {expected}\n    found {actual}");
        }
        number += 1;
    }
}

/// A file with these bytes for a tool to read. Dropping it removes the file.
pub(crate) struct TempFile(PathBuf);

impl TempFile {
    pub(crate) fn new(bytes: impl AsRef<[u8]>) -> TempFile {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("stack-tools-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a writable temporary folder");
        TempFile(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("a UTF-8 path")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // A test does not fail because its file could not be removed.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The settings of a property test that starts a process for every case: few cases.
pub(crate) fn few_cases() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) }
}

/// A few well-formed folded lines of a few distinct frames, some of which are not UTF-8.
pub(crate) fn folded_lines() -> impl Strategy<Value = Vec<u8>> {
    let frames: [&[u8]; 8] = [b"a", b"b", b"ab", b"", b"A b", b"\xff", b"caml_call_gc", b"Map.add"];
    let stack = prop::collection::vec(prop::sample::select(frames.to_vec()), 1..6)
        .prop_map(|frames| frames.join(&b';'))
        .prop_filter("a stack of one empty frame is no line", |stack| !stack.is_empty());
    prop::collection::vec((stack, 0..1000u64), 0..8).prop_map(|lines| {
        let line = |(stack, count)| [stack, format!(" {count}\n").into_bytes()].concat();
        lines.into_iter().flat_map(line).collect()
    })
}

/// The messages of a tool.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Python with the packages that `scripts/test` installs to read what the tools write.
pub(crate) fn python() -> std::process::Command {
    let readers = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("python");
    let mut command = std::process::Command::new("python3");
    command.env("PYTHONPATH", readers);
    command
}

/// The result of a tool for this input with no thread but its first. A thread with a stack of an
/// exbibyte cannot be started on any system, like one beyond the limit of `ulimit -u`.
pub(crate) fn without_threads(name: &str, args: &[&str], input: &[u8]) -> Output {
    tool(name)
        .args(args)
        .env("RUST_MIN_STACK", (1u64 << 60).to_string())
        .write_stdin(input)
        .output()
        .expect("it starts")
}

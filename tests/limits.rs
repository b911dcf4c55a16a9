//! The tools with little memory.

use std::fmt::Write;
use std::fs::File;
use std::process::{Command, Output};

use assert_cmd::Command as Fed;

use crate::needs::skip;
use crate::packers::packed;
use crate::util::{TempFile, binary, output, stderr, weight};

/// The output of a tool with at most `kib` KiB of memory; `None` if the system's shell cannot limit
/// it.
pub(crate) fn within(
    kib: u32,
    tool: &str,
    args: &[&str],
    input: impl AsRef<[u8]>,
) -> Option<Output> {
    let limit = format!("ulimit -v {kib}");
    let can_limit = Command::new("sh").args(["-c", &limit]).output();
    if !can_limit.is_ok_and(|output| output.status.success()) {
        skip("sh has no 'ulimit -v' here");
        return None;
    }
    let mut command = Fed::new("sh");
    command.args(["-c", &format!("{limit} && exec \"$0\" \"$@\""), binary(tool)]).args(args);
    Some(command.write_stdin(input.as_ref()).output().expect("it starts"))
}

#[test]
fn too_many_stacks_for_the_memory_are_reported() {
    let lines = (0..1_500_000u32).map(|number| format!("main;f{number};g{} 1\n", number % 7));
    let file = TempFile::new(lines.collect::<String>());
    for (tool, args) in [
        ("stack-merge", &[][..]),
        ("stack-source", &[]),
        ("stack-top", &[]),
        ("stack-parse", &["-f", "folded"]),
        ("stack-svg", &[]),
        ("stack-export", &["--to", "callgrind"]),
    ] {
        let args = [args, &[file.path()]].concat();
        let Some(output) = within(100_000, tool, &args, "") else { return };
        let said = stderr(&output);
        assert!(said.starts_with(&format!("{tool}: out of memory: ")), "{tool}: {said}");
        assert_eq!((said.lines().count(), output.status.code()), (1, Some(2)), "{said}");
    }
}

#[test]
fn a_frame_of_a_picture_takes_few_bytes() {
    // 1.35 million frames. With 160 bytes for each, 200 MB were too little.
    let lines = (0..150_000u32).map(|number| format!("main;a{number};b;c;d;e;f;g;h;i 1\n"));
    let lines = lines.collect::<String>();
    let Some(output) = within(160_000, "stack-svg", &[], &lines) else { return };
    assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)));
}

#[test]
fn what_was_freed_takes_no_memory() {
    const IN_USE: u64 = 100;
    const ALL: u64 = 1_000_000;
    let head = "v 10400 3\nx 5 ./a.o\nX ./a.o\nm 1 -\nt 401001 0\n";
    let mut text = head.to_owned();
    for number in 0..ALL {
        if let Some(freed) = number.checked_sub(IN_USE) {
            writeln!(text, "- {freed:x}").expect("text");
        }
        writeln!(text, "+ 10 1 {number:x}").expect("text");
        if number % 10_000 == 0 {
            writeln!(text, "c {:x}", number / 1000).expect("text");
        }
    }
    // Storing all objects, of 64 bytes each, would take as much again.
    for live in ["--live=0.5", "--live=peak", "--live"] {
        let Some(output) = within(80_000, "stack-parse", &[live], &text) else {
            return;
        };
        assert_eq!(output.status.code(), Some(0), "{live}: {}", stderr(&output));
        assert_eq!(weight(&output.stdout), 16 * u128::from(IN_USE), "{live}");
    }
}

#[test]
fn a_long_line_takes_a_few_times_its_length() {
    const LENGTH: usize = 64 << 20;
    let one_frame = format!("main;{} 7\n", "x".repeat(LENGTH));
    let short = "std::vector<foo::bar<int>>::baz;";
    let many_frames = format!("main;{}x 7\n", short.repeat(LENGTH / short.len()));
    for (name, line) in [("one frame", one_frame), ("many frames", many_frames)] {
        for tool in ["stack-demangle", "stack-grep", "stack-collapse-frames", "stack-fold-towers"] {
            let args: &[&str] = match tool {
                "stack-grep" => &["main"],
                "stack-collapse-frames" => &["--preset", "rust-std"],
                _ => &[],
            };
            // The memory for input and output, half as much again, and the program itself.
            let kib = (3 * LENGTH / 1024 + 128 * 1024) as u32;
            let Some(output) = within(kib, tool, args, &line) else { return };
            assert_eq!(stderr(&output), "", "{tool} of {name}");
            assert_eq!(weight(&output.stdout), 7, "{tool} of {name}");
        }
    }
}

#[test]
fn what_the_headers_of_an_executable_do_not_name_is_not_read() {
    const TEBIBYTE: u64 = 1 << 40;
    let executable = std::fs::read(binary("stack-merge")).expect("it is built");
    for length in [64, executable.len()] {
        let file = TempFile::new(&executable[..length]);
        let as_it_was = output("stack-symbols", &[file.path()], "");
        let sparse = File::options().write(true).open(file.path()).expect("our own file");
        if sparse.set_len(TEBIBYTE).is_err() {
            return skip("the file system has no sparse files of 1 TiB");
        }
        // Enough to map the whole file.
        let Some(output) = within(1 << 31, "stack-symbols", &[file.path()], "") else { return };
        assert_eq!(output.status, as_it_was.status, "{}", stderr(&output));
        assert_eq!(output.stdout.len(), as_it_was.stdout.len());
        let Some(output) = within(1 << 20, "stack-symbols", &[file.path()], "") else { return };
        assert!(stderr(&output).contains(": cannot allocate memory"), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(2));
    }
}

/// A record of perf: its type, and its content after the header.
fn record(kind: u32, body: &[u8]) -> Vec<u8> {
    let size = u16::try_from(8 + body.len()).expect("a record has 16 bits for its size");
    [&kind.to_le_bytes()[..], &2u16.to_le_bytes(), &size.to_le_bytes(), body].concat()
}

fn numbers(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn records_that_no_round_ends_wait_in_bounded_memory() {
    // Samples with an address, a process, a thread and a time.
    let mut attr = vec![1 | 128 << 32, 0, 4000, 7, 0, 1 << 18];
    attr.resize(16, 0);
    let sample = record(9, &numbers(&[0x10010, 1 | 1 << 32, 1_000_000_000]));
    let compressed = packed("zstd", sample.repeat(100_000));
    let compressed = record(81, &compressed).repeat(60);
    let magic = numbers(&[u64::from_le_bytes(*b"PERFILE2"), 16]);
    let stream = [magic, record(64, &numbers(&attr)), compressed].concat();
    let Some(output) = within(300_000, "stack-parse", &[], &stream) else { return };
    assert_eq!(output.status.code(), Some(0), "{} bytes: {}", stream.len(), stderr(&output));
    assert_eq!(weight(&output.stdout), 6_000_000);
}

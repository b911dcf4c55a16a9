//! Input that arrives in pieces of any size, is read by any number of threads, or becomes shorter
//! while it is read.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;

use super::damage::{damaged, damages};
use crate::util::{TempFile, command, endless, few_cases, recording};

/// One recording for each way to print a sample, and some that have other lines between samples.
const RECORDINGS: [&str; 9] = [
    "shape-several",
    "shape-several-srcline",
    "shape-several-F-comm-tid-event",
    "shape-several-F-event-ip-sym",
    "shape-several-F-ip-sym",
    "shape-side-records",
    "shape-syscalls",
    "fresh-F-notime",
    "fresh-nocallchain",
];

/// The first 130 lines of a recording, and a blank one.
fn first_lines(script: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = script.split(|&byte| byte == b'\n').take(130).collect();
    [&lines.join(&b'\n'), &b"\n\n"[..]].concat()
}

fn stack_parse(args: &[&str], stdin: impl Into<Stdio>) -> Command {
    let mut command = command("stack-parse");
    command.args(["-f", "perf-script", "--stats"]).args(args).stdin(stdin);
    command
}

/// The output if one read returns all of `text`, as from a small file.
fn in_one_piece(args: &[&str], text: &[u8]) -> Output {
    let file = TempFile::new(text);
    let file = File::open(file.path()).expect("the file is there");
    stack_parse(args, file).output().expect("it starts")
}

/// The output if each read returns one piece of `text`: a read from such a socket returns one
/// datagram.
fn in_pieces<'a>(args: &[&str], pieces: impl Iterator<Item = &'a [u8]>) -> Output {
    let (ours, theirs) = UnixDatagram::pair().expect("two sockets");
    let mut command = stack_parse(args, OwnedFd::from(theirs));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // This end must be closed here; otherwise the test would wait for a tool that died.
    drop(command);
    for piece in pieces {
        ours.send(piece).expect("the tool reads to the end");
    }
    // An empty datagram is the end of input.
    ours.send(&[]).expect("the tool reads to the end");
    child.wait_with_output().expect("it ends")
}

/// Cuts `text` into pieces of these sizes, repeatedly. The first is as long as the bytes in which
/// the tool looks for compression.
fn pieces<'a>(mut text: &'a [u8], sizes: &[usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut sizes = std::iter::once(4).chain(sizes.iter().copied().cycle());
    std::iter::from_fn(move || {
        let size = sizes.next().unwrap_or(1).min(text.len());
        text.split_off(..size).filter(|piece| !piece.is_empty())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..few_cases() })]

    #[test]
    fn neither_threads_nor_blocks_make_a_difference_to_damaged_text(
        names in prop::collection::vec(prop::sample::select(RECORDINGS.to_vec()), 1..4),
        damages in damages(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..60), 0..20),
        sizes in prop::collection::vec(1usize..3000, 1..20),
        args in prop::sample::select(vec![
            &["--by-event"][..],
            &["--per-sample"],
            &["--annotate"],
            &["--inlined", "drop"],
            &["--from", "0", "--to", "0.01"],
        ]),
    ) {
        let scripts = names.iter().map(|name| first_lines(&recording(&format!("formats/perf-script/{name}.gz"))));
        let mut lines = damaged(&scripts.collect::<Vec<_>>().concat(), &damages);
        for (line, length) in changes {
            let line = line.get_mut(&mut lines);
            match line.char_indices().nth(length) {
                // Lines of another file, or of another writer.
                None if length % 2 == 0 => line.push('\r'),
                None => *line = format!("   {}", line.trim_start()),
                Some((length, _)) => line.truncate(length),
            }
        }
        let text = lines.join("\n").into_bytes();
        let one = in_one_piece(&[args, &["--threads", "1"]].concat(), &text);
        for threads in ["1", "2", "4"] {
            let args = [args, &["--threads", threads]].concat();
            let many = in_pieces(&args, pieces(&text, &sizes));
            prop_assert_eq!(&many, &one, "{:?} {}", names, threads);
        }
    }
}

#[test]
fn each_of_many_blank_lines_is_counted_wherever_a_block_begins() {
    let sample = "demo 17 2.5: 1 c: \n\t    55d0c1a0f2a4 leaf+0x1 (/d)\n";
    for blank in 1..8 {
        let text = format!("{sample}{}odd line\n", "\n".repeat(blank));
        let named = format!(":{}: expected a sample", blank + 3);
        let one = in_one_piece(&["--threads", "1"], text.as_bytes());
        assert!(String::from_utf8_lossy(&one.stderr).contains(&named), "{blank}: {one:?}");
        for size in 1..=text.len() {
            let many = in_pieces(&["--threads", "1"], pieces(text.as_bytes(), &[size]));
            assert_eq!(many, one, "{blank} {size}");
        }
    }
}

#[test]
fn text_without_blank_lines_is_never_cut_between_an_event_and_its_frames() {
    // `my demo ` is an event only because a frame follows.
    let sample = "my demo \n\t    55d0c1a0f2a4 leaf+0x1 (/d)\n\t    55d0c1a0f2b4 root+0x1 (/d)\n";
    let samples = 30_000;
    let text = sample.repeat(samples);
    let expected = format!("my demo;root;leaf {samples}\n");
    for size in [1_009, 10_007, 60_013] {
        for threads in ["1", "2"] {
            let output = in_pieces(&["--threads", threads], pieces(text.as_bytes(), &[size]));
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{size} {threads}");
        }
    }
}

#[test]
fn a_file_that_is_cut_short_while_it_is_read_ends_there() {
    let sample = "demo 17 2.5: 1 c: \n\t    55d0c1a0f2a4 leaf+0x1 (/d)\n\n";
    let file = TempFile::new(sample.repeat(200_000));
    let mut child = command("stack-parse")
        .args(["--per-sample", file.path()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    // When the first output appears, not everything is read: the whole output is more than the pipe
    // can hold, and nobody empties it.
    let mut folded = vec![0; 10];
    stdout.read_exact(&mut folded).expect("a first line");
    File::options()
        .write(true)
        .open(file.path())
        .and_then(|file| file.set_len(0))
        .expect("the file is ours");
    stdout.read_to_end(&mut folded).expect("the pipe can be read");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut lines: Vec<&[u8]> = folded.split_inclusive(|&byte| byte == b'\n').collect();
    assert!(lines.len() > 1000 && lines.len() < 200_000, "{}", lines.len());
    // The end of the file may be within a sample.
    lines.pop();
    assert!(lines.iter().all(|line| line == b"demo;leaf 1\n"));
}

#[test]
fn an_endless_sample_is_no_crash_where_memory_is_short() {
    // Any line may be a thread's name, so the text cannot be cut before any line.
    for line in ["\t    55d0c1a0f2a4 f (/d)", "x", " x 12: 3 c:"] {
        let args = ["-f", "perf-script", "--threads", "1"];
        let (output, is_all_read) = endless("stack-parse", &args, line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("stack-parse: <stdin>: out of memory"), "{said}");
        assert!(!is_all_read, "all was read");
    }
}

#[test]
fn after_timed_samples_one_without_time_is_read_by_any_thread() {
    let sample = |header: &str| format!("{header}\n\t    55d0c1a0f2a4 f (/demo)\n\n");
    let timed = sample("demo 17 1.5:          1 cycles: ");
    let text = timed.clone() + &sample("demo    17 cycles: ") + &timed;
    let pieces = || [&text[..4], &text[4..timed.len()], &text[timed.len()..]].map(str::as_bytes);
    let args = ["--threads", "1"];
    let one = in_one_piece(&args, text.as_bytes());
    assert_eq!(String::from_utf8_lossy(&one.stdout), "demo;f 3\n");
    let many = in_pieces(&["--threads", "4"], pieces().into_iter());
    assert_eq!(many, one);
}

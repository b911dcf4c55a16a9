//! Sums every few seconds, while a recording goes on.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use crate::formats::cases;
use crate::running::{Running, assert_silent_success, lines_of, next, start};
use crate::util::{command, filter_bytes, output, recording, tool};

/// A sample of perf script with a call chain.
fn sample(leaf: &str) -> String {
    format!("demo 7 2.5: 1 cycles: \n\t      10 {leaf} (/d)\n\t      20 main (/d)\n\n")
}

/// The seconds of a line that ends an interval.
fn seconds(line: &str) -> Option<f64> {
    let seconds = line.strip_prefix("# end ")?;
    assert_eq!(seconds.split('.').next_back().map(str::len), Some(3), "{line}");
    Some(seconds.parse().expect("seconds"))
}

/// The stacks of the next interval that is not empty, and its end.
fn next_interval(lines: &Receiver<String>) -> (Vec<String>, f64) {
    let mut stacks = Vec::new();
    loop {
        let line = next(lines).expect("an interval ends whatever comes in");
        match seconds(&line) {
            None => stacks.push(line),
            Some(_) if stacks.is_empty() => {}
            Some(seconds) => return (stacks, seconds),
        }
    }
}

#[test]
fn an_interval_ends_while_the_input_is_silent() {
    for format in [&[][..], &["--format", "perf-script"]] {
        let Running { mut child, mut stdin } =
            start("stack-parse", &[&["--every", "0.05"], format].concat());
        let lines = lines_of(&mut child);
        let mut last = 0.0;
        for leaf in ["f", "g", "f"] {
            write!(stdin, "{}", sample(leaf)).expect("it reads");
            let (stacks, seconds) = next_interval(&lines);
            assert_eq!(stacks, [format!("demo;main;{leaf} 1")], "{format:?}");
            assert!(seconds >= 0.05 && seconds > last, "{last} {seconds}");
            last = seconds;
        }
        // Nothing was added, but the interval ends anyway.
        let silence = next(&lines).expect("a line");
        assert!(seconds(&silence).is_some_and(|seconds| seconds > last), "{silence}");
        drop(stdin);
        assert_silent_success("stack-parse", child);
    }
}

#[test]
fn samples_without_call_chains_are_not_held_back() {
    let Running { mut child, mut stdin } = start("stack-parse", &["--every", "0.05"]);
    let lines = lines_of(&mut child);
    let sample = |leaf| format!("demo 7 2.5: 1 cycles:  55d0c1a0f2a4 {leaf} (/d)\n");
    // The last two lines wait, since frames may follow.
    write!(stdin, "{}{}", sample("a"), sample("b")).expect("it reads");
    for (leaf, before) in [("c", "a"), ("d", "b"), ("e", "c")] {
        write!(stdin, "{}", sample(leaf)).expect("it reads");
        assert_eq!(next_interval(&lines).0, [format!("demo;{before} 1")]);
    }
    drop(stdin);
    assert_silent_success("stack-parse", child);
}

#[test]
fn the_last_interval_ends_with_the_input() {
    let text = String::from_utf8(output("stack-parse", &["--every", "3600"], sample("f")).stdout);
    let text = text.expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..1], ["demo;main;f 1"], "{text}");
    assert!(
        lines.len() == 2 && seconds(lines[1]).is_some_and(|seconds| seconds < 3600.0),
        "{text}"
    );
    let nothing = output("stack-parse", &["--every", "1"], "");
    assert_eq!((nothing.stdout.len(), nothing.status.code()), (0, Some(1)));
}

#[test]
fn a_pipeline_hands_on_an_interval_while_its_input_is_open() {
    let stages: [&[&str]; 5] = [
        &["stack-parse", "--every", "0.05"],
        &["stack-demangle"],
        &["stack-collapse-frames", "--preset", "libc-start"],
        &["stack-fold-towers"],
        &["stack-grep", "main"],
    ];
    let mut stdin = None;
    let mut children = Vec::new();
    for stage in stages {
        let input = children.last_mut().map_or_else(Stdio::piped, |child: &mut Child| {
            Stdio::from(child.stdout.take().expect("piped"))
        });
        let command = &mut command(stage[0]);
        command.args(&stage[1..]).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        stdin = stdin.or(child.stdin.take());
        children.push(child);
    }
    let mut stdin = stdin.expect("piped");
    let lines = lines_of(children.last_mut().expect("five"));
    for leaf in ["f", "g", "f"] {
        write!(stdin, "{}", sample(leaf)).expect("it reads");
        assert_eq!(next_interval(&lines).0, [format!("demo;main;{leaf} 1")]);
    }
    drop(stdin);
    for (child, stage) in children.into_iter().zip(stages) {
        assert_silent_success(stage[0], child);
    }
}

/// Whether a line ends an interval.
fn is_end(line: &[u8]) -> bool {
    line.starts_with(b"# end ")
}

/// The output with `args` if the second half of `input` arrives when a part of the first was
/// written.
fn in_two_halves(input: &[u8], args: &[&str]) -> Vec<u8> {
    let half = &input[..input.len() / 2];
    let behind = |what: &[u8]| half.windows(what.len()).rposition(|it| it == what);
    let blank_line = behind(b"\n\n").map(|at| at + 2);
    let end_of_line = behind(b"\n").map(|at| at + 1);
    let (first, second) = input.split_at(blank_line.or(end_of_line).expect("lines"));
    let Running { mut child, mut stdin } =
        start("stack-parse", &[&["--every", "0.01"], args].concat());
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut stderr = child.stderr.take().expect("piped");
    let said = thread::spawn(move || stderr.read_to_end(&mut Vec::new()));
    let first = first.to_vec();
    let writer = thread::spawn(move || stdin.write_all(&first).map(|()| stdin));
    let mut out = Vec::new();
    while !out.split(|&byte| byte == b'\n').any(is_end) {
        let count = stdout.read_until(b'\n', &mut out).expect("it can be read");
        assert!(count > 0, "{args:?}: the first half has samples");
    }
    let mut stdin = writer.join().expect("no panic").expect("it reads");
    let second = second.to_vec();
    let writer = thread::spawn(move || stdin.write_all(&second));
    stdout.read_to_end(&mut out).expect("it can be read");
    writer.join().expect("no panic").expect("it reads");
    said.join().expect("no panic").expect("it can be read");
    assert!(child.wait().expect("it ends").success());
    out
}

/// Asserts that the intervals add up to the output without intervals.
fn assert_adds_up(what: &str, input: &[u8], args: &[&str]) {
    let profile = output("stack-parse", args, input).stdout;
    let intervals = in_two_halves(input, args);
    // Header lines that are known last come after all intervals.
    let is_header = |line: &&[u8]| line.starts_with(b"# ") && !is_end(line);
    let mut lines = intervals.trim_ascii_end().rsplit(|&byte| byte == b'\n');
    let last = lines.find(|line| !is_header(line));
    assert!(last.is_some_and(is_end), "{what} {args:?}");
    let sum = filter_bytes("stack-merge", &[], &intervals);
    assert!(sum == profile, "{what} {args:?}: not the sum of its intervals");
}

#[test]
fn the_intervals_of_every_recording_add_up_to_its_profile() {
    let mut cases = cases();
    cases.retain(|case| case.input.contains("/perf-script/"));
    // Its call chains end in a line that is not a frame, without blank lines between them, so it is
    // cut into pieces of 512 kB.
    cases.retain(|case| !case.input.ends_with("/shape-memory-fields.gz"));
    assert!(cases.len() > 30, "{}", cases.len());
    for case in cases {
        let args = case.args();
        let mut args: Vec<&str> = args.split_whitespace().collect();
        if !args.contains(&"--weight") {
            args.extend(["--weight", "samples"]);
        }
        assert_adds_up(&case.input, &recording(&case.input), &args);
    }
}

#[test]
fn the_intervals_add_up_whatever_is_asked_for() {
    let input = recording("formats/perf-script/shape-several.gz");
    for args in [
        &["--weight", "period"][..],
        &["--weight", "samples", "--by-event"],
        &["--weight", "samples", "--header"],
        &["--weight", "samples", "--root", "tid", "--annotate"],
        &["--weight", "samples", "--root", "none", "--inlined", "drop"],
        &["--weight", "samples", "--from", "0", "--to", "0.05"],
    ] {
        assert_adds_up("shape-several", &input, args);
    }
}

#[test]
fn other_formats_have_intervals_too() {
    for input in ["memtrace/alloc.ctf.gz", "landmarks/demo.json.gz"] {
        let input = recording(&format!("formats/{input}"));
        let intervals = output("stack-parse", &["--every", "60"], &input);
        assert_eq!(intervals.status.code(), Some(0));
        let profile = filter_bytes("stack-parse", &[], &input);
        assert!(filter_bytes("stack-merge", &[], &intervals.stdout) == profile);
    }
}

#[test]
fn samples_are_counted_where_periods_may_vary_later() {
    let script = "demo 7 1.0: 5 c: \n\t 10 f (/d)\n\ndemo 7 1.1: 7 c: \n\t 10 f (/d)\n\n";
    for (args, count) in
        [(&[][..], 2), (&["--weight", "samples"], 2), (&["--weight", "period"], 12)]
    {
        let args = [&["--every", "60", "--header"], args].concat();
        let output = output("stack-parse", &args, script);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let unit = if count == 12 { "c" } else { "samples" };
        let header = format!("# event: c\n# unit: {unit}\n# source: perf-script\n");
        let stacks = format!("{header}demo;f {count}\n# end ");
        assert!(text.starts_with(&stacks), "{args:?}: {text}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn the_accounts_of_all_intervals_balance() {
    let script = [sample("f"), sample("g"), sample("f")].concat();
    let output = output("stack-parse", &["--every", "60", "--stats"], script);
    let stats = "stack-parse: stats: in 3 lines weight 3, out 2 lines weight 3, \
                 changed 0 lines weight 0, dropped 0 lines weight 0, malformed 0 lines\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), stats);
}

#[test]
fn a_sum_over_64_bits_is_named_and_left_out() {
    let half = "demo 7 1.0: 9223372036854775808 c: \n\t 10 f (/d)\n\n";
    let args = ["--every", "60", "--weight", "period"];
    let output = output("stack-parse", &args, half.repeat(2));
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("stack 'demo;f': a sum over 18446744073709551615"), "{stderr}");
    assert!(output.stdout.starts_with(b"demo;f 9223372036854775808\n# end "), "{stderr}");
}

/// Writes samples as long as the tool reads them; this must end.
fn write_until_it_ends(mut stdin: ChildStdin) {
    let started = Instant::now();
    while write!(stdin, "{}", sample("f")).is_ok() {
        assert!(started.elapsed() < Duration::from_secs(60), "it does not end");
    }
}

#[test]
fn a_reader_that_leaves_ends_it_when_the_next_sample_comes() {
    let Running { mut child, mut stdin } = start("stack-parse", &["--every", "0.01"]);
    let mut first = [0];
    write!(stdin, "{}", sample("f")).expect("it reads");
    child.stdout.as_mut().expect("piped").read_exact(&mut first).expect("an interval");
    drop(child.stdout.take());
    write_until_it_ends(stdin);
    assert_silent_success("stack-parse", child);
}

#[test]
fn a_full_disk_is_an_error() {
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    let mut child = command("stack-parse")
        .args(["--every", "0.01"])
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    write_until_it_ends(child.stdin.take().expect("piped"));
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "stack-parse: <stdout>: no space left on device\n");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_makes_no_sense_with_intervals_is_refused() {
    for args in [
        &["--per-sample"][..],
        &["--table"],
        &["--off-cpu"],
        &["--list-events"],
        &["--live"],
        &["--promoted"],
    ] {
        let output = output("stack-parse", &[&["--every", "1"], args].concat(), sample("f"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr.contains("cannot be used with"), "{args:?}: {stderr}");
    }
    for length in ["0", "-1", "0.0001", "1s", ""] {
        let output =
            tool("stack-parse").arg(format!("--every={length}")).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{length}");
        assert!(stderr.contains("seconds") && !stderr.contains("panicked"), "{length}: {stderr}");
    }
}

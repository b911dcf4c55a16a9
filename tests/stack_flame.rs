//! stack-flame, with a fake perf that refuses and records as the tests need it, and with the real
//! one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::needs::{OCAML, goes_without, skip};
use crate::place::Place;
use crate::programs::{BACKTRACE, EFFECTS};
use crate::util::stderr;
use crate::util::{binary, golden_path};

// The table, printed or in a file.
mod text;

// What is written, and what must stay as it is.
mod written;

// How signals end a recording.
mod ended;

// Whether a word is a program or a recording, and where it is.
mod operand;

// How much of a stack is copied, and options of perf.
mod sampling;

// What is said, where, and the browser.
mod said;

// Programs of every kind, recorded by the real perf.
mod real;

// Where there is no perf: stand-ins for samply and xctrace.
mod without_perf;

/// The message where the processor's counters are missing.
const CLOCK: &str = "stack-flame: no hardware counters here: sampling by the CPU clock\n";

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// All messages of stack-flame, and the log of perf.
fn told(place: &Place, args: &[&str]) -> (String, String) {
    // Before the first run there is none.
    let _ = fs::remove_file(place.folder.join("perf.log"));
    let said = stderr(&place.stack_flame(&[&["--verbose"], args].concat()));
    (said, place.read("perf.log"))
}

fn assert_status(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{}", stderr(output));
}

#[test]
fn the_streams_and_the_status_are_those_of_the_program() {
    let place = Place::new("stack-flame-streams");
    let mut command = place.here(binary("stack-flame").as_ref());
    command.args(["--", "sh", "-c", "read line; echo out $line; echo err >&2; exit 3"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, b"typed\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = stderr(&output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out typed\n");
    assert!(said.starts_with("err\nstack-flame: sh ended with status 3\n"), "{said}");
    assert!(said.contains("stack-flame: drawn: flame.svg, open file:///"), "{said}");
    assert_status(&output, 3);
    let picture = place.read("flame.svg");
    assert!(picture.contains("sh -c read line; ") && picture.contains("[GC]"), "{said}");
}

#[test]
fn the_status_is_that_of_env_where_nothing_ran() {
    let place = Place::new("stack-flame-status");
    fs::write(place.folder.join("text"), "#!/bin/sh\n").expect("a writable folder");
    for (args, status, message) in [
        (&["--", "no-such-program"][..], 127, "no-such-program: no such program in PATH\n"),
        (&["./no/such"], 127, "./no/such: no such file or directory\n"),
        (&["odd\x1b[31m"], 127, "odd\\x1B[31m: no such program in PATH\n"),
        (&["./text"], 126, "./text: permission denied: expected an executable file; to draw"),
        (&["--", "/"], 126, "/: is a directory\n"),
        (&[], 125, "expected a program after '--', or -p PID, -a or -i FILE, see --help\n"),
        (&["-o", "no/such.svg", "--", "touch", "ran"], 125, "no/such.svg: no such file or dir"),
        (&["-o", ".", "--", "touch", "ran"], 125, ".: is a directory\n"),
        (&["--keep", "no/such", "--", "touch", "ran"], 125, "no/such: no such file or directory"),
        (
            &["--preset", "x", "touch", "ran"],
            125,
            "stack-collapse-frames: preset 'x': no such preset",
        ),
        (&["--grep", "(", "touch", "ran"], 125, "stack-grep: pattern '('"),
        (&["--source=(", "touch", "ran"], 125, "stack-source: pattern '('"),
        (&["-p", "4194305"], 125, "4194305: no such process\n"),
        (&["-d", "0", "touch", "ran"], 125, "invalid value '0' for '--duration <SECONDS>'"),
        (&["--call-graph", "x", "touch", "ran"], 125, "invalid value 'x' for '--call-graph"),
        (&["-i", "no/such"], 125, ""),
        (
            &["--latency", "-a", "touch", "ran"],
            125,
            "the argument '--latency' cannot be used with '--all'",
        ),
        (&["--latency", "--off-cpu", "touch", "ran"], 125, "the argument '--latency' cannot be"),
        (&["--wakers", "touch", "ran"], 125, "the following required arguments were not provided"),
        (&["--wall", "--critical", "touch", "ran"], 125, "the argument '--wall' cannot be"),
        (&["--critical", "-e", "cycles", "touch", "ran"], 125, "the argument '--critical' cannot"),
    ] {
        let output = place.stack_flame(args);
        let said = stderr(&output);
        let start = format!("stack-flame: {message}");
        assert!(said.starts_with(&start) || message.is_empty(), "{args:?}: {said}");
        assert_status(&output, status);
        let left = fs::read_dir(&place.folder).expect("it").count();
        assert_eq!(left, 2, "{args:?} left something beside perf and text, or the program ran");
    }
}

#[test]
fn a_program_that_a_signal_ends_has_the_status_of_shells() {
    let place = Place::new("stack-flame-killed");
    let output = place.stack_flame(&["--", "sh", "-c", "kill -9 $$"]);
    let said = stderr(&output);
    assert!(said.contains("stack-flame: sh was ended by signal 9 (SIGKILL)\n"), "{said}");
    assert_status(&output, 137);
    assert!(place.read("flame.svg").contains("<svg"));
}

#[test]
fn callers_are_found_as_the_program_was_compiled() {
    let place = Place::new("stack-flame-call-graph");
    place.compile("kept", &["-O0", "-fno-omit-frame-pointer"]);
    place.compile("omitted", &["-O1", "-fomit-frame-pointer"]);
    place.compile("stripped", &["-O1", "-s"]);
    place.program("script", "#!/usr/bin/env omitted\n");
    let merge = binary("stack-merge");
    for (args, kind, why) in [
        (&["./kept"][..], "fp", "frame pointers: 3 of 3 functions of kept keep them"),
        (&["./omitted"], "dwarf", "DWARF: 0 of 3 functions of omitted keep frame pointers"),
        (&["./script"], "dwarf", "DWARF: 0 of 3 functions of omitted keep frame pointers"),
        (&["./stripped"], "dwarf", "DWARF: stripped does not show whether it keeps frame pointers"),
        (&["-a", "./omitted"], "fp", "frame pointers: copies of the stacks of all programs take"),
        (&["--call-graph", "fp", "./omitted"], "fp", ""),
        (&["--call-graph", "dwarf,4096", "./kept"], "dwarf,4096", ""),
        // Its standard library keeps frame pointers, its own functions do not.
        (&[merge, "/dev/null"], "dwarf", "DWARF: "),
    ] {
        let (said, log) = told(&place, args);
        let start = match why {
            "" => CLOCK.to_owned(),
            why => format!("stack-flame: finding callers by {why}"),
        };
        assert!(said.starts_with(&start), "{args:?}: {said}");
        assert!(log.contains(&format!("--call-graph {kind}")), "{args:?}: {log}");
    }
}

#[test]
fn callers_in_programs_of_ocaml_are_found_as_their_version_needs_it() {
    if goes_without(&[OCAML]) {
        return;
    }
    let place = Place::new("stack-flame-ocaml");
    for (exe, kind, why) in [
        (path(&BACKTRACE), "dwarf", "DWARF: OCaml 4 without frame pointers\n"),
        (path(&EFFECTS), "fp", "frame pointers: OCaml 5 without frame pointers, callers will be"),
    ] {
        let (said, log) = told(&place, &[exe]);
        assert!(said.starts_with(&format!("stack-flame: finding callers by {why}")), "{said}");
        assert!(log.contains(&format!("--call-graph {kind}")), "{log}");
    }
}

#[test]
fn python_is_asked_for_its_names_if_it_has_them() {
    let place = Place::new("stack-flame-python");
    let python = "#!/bin/sh\n[ \"$1\" != -E ] || { echo \"3 MINOR /bin/sh\"; exit; }\n\
                  echo \"asked: $PYTHONPERFSUPPORT\"\n";
    let without = "stack-flame: this Python 3.13 was compiled without frame pointers";
    for (minor, call_graph, asked, told) in [
        ("11", None, "asked: \n", "stack-flame: Python 3.11 does not tell perf its functions: use"),
        ("13", None, "asked: 1\n", "stack-flame: finding callers by DWARF: "),
        ("13", Some("--call-graph=dwarf,8192"), "asked: 1\n", "stack-flame: drawn: "),
        ("13", Some("--call-graph=fp"), "asked: 1\n", without),
    ] {
        place.program("python3", &python.replace("MINOR", minor));
        place.program("script.py", "#!/usr/bin/env python3\n");
        for args in [&["--", "python3", "x.py"][..], &["./script.py"]] {
            let args = ["-v"].into_iter().chain(call_graph).chain(args.iter().copied());
            let args: Vec<&str> = args.collect();
            let output = place.stack_flame(&args);
            let said = stderr(&output);
            assert!(said.contains(told), "{said}");
            assert_eq!(said.contains(without), told == without, "{said}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), asked);
        }
    }
}

#[test]
fn perf_gets_the_event_and_the_frequency() {
    let place = Place::new("stack-flame-events");
    for (args, expected) in [
        (&["sh", "-c", ":"][..], " -F 999 -e cpu-clock "),
        (&["-F", "49", "sh", "-c", ":"], " -F 49 -e cpu-clock "),
        (&["-e", "cpu-clock", "sh", "-c", ":"], " -F 999 -e cpu-clock "),
        (&["-e", "cpu-clock", "-a", "sh", "-c", ":"], " -e cpu-clock -a "),
        (
            &["-e", "sched:sched_switch", "sh", "-c", ":"],
            "record --call-graph dwarf,8192 -k CLOCK_MONOTONIC -e sched",
        ),
        (&["-e", "cpu-clock", "-d", "0.01", "-p", "1"], " -p 1 "),
    ] {
        let (said, log) = told(&place, args);
        assert!(log.lines().count() == 2, "tried once, then recorded: {log}");
        assert!(log.lines().all(|line| line.contains(expected)), "{args:?}: {log}");
        assert!(said.contains("stack-flame: drawn: "), "{args:?}: {said}");
        assert_eq!(said.contains(CLOCK), !args.contains(&"-e"), "{args:?}: {said}");
    }
}

#[test]
fn perf_gets_the_options_to_record_switches_and_wakings() {
    let place = Place::new("stack-flame-switches");
    for (args, expected) in [
        (&["--latency"][..], " -F 999 -e cpu-clock --switch-events "),
        (&["--off-cpu", "--wakers"], " -e sched:sched_switch,sched:sched_waking -a "),
        (
            &["--wall", "-F", "49"],
            " -e cpu-clock/freq=49/,sched:sched_switch/call-graph=dwarf,stack-size=4096/,\
             sched:sched_waking/call-graph=fp/ --switch-events ",
        ),
    ] {
        let (said, log) = told(&place, &[args, &["sh", "-c", ":"]].concat());
        assert!(log.lines().count() == 2, "tried once, then recorded: {log}");
        assert!(log.lines().all(|line| line.contains(expected)), "{args:?}: {log}");
        // The recording of the fake perf has neither.
        assert!(said.contains("stack-flame: no picture"), "{args:?}: {said}");
    }
}

/// perf's messages, from its source and its users' reports, and our messages for them.
const REFUSALS: [(&str, &[&str], &str); 9] = [
    (
        "Error:\nAccess to performance monitoring and observability operations is limited.\n\
         perf_event_paranoid setting is 4:\n  -1: Allow use of (almost) all events by all users\n\
         \x20     Ignore mlock limit after perf_event_mlock_kb without CAP_IPC_LOCK",
        &[],
        "kernel.perf_event_paranoid is ",
    ),
    (
        "event syntax error: 'sched:sched_switch'\n  \\___ can't access trace events\n\n\
         Error:\tNo permissions to read /sys/kernel/tracing/events/sched/sched_switch",
        &["--off-cpu"],
        "as --off-cpu and --critical need it, is for root: use sudo",
    ),
    (
        "Error:\nYou may not have permission to collect system-wide stats.\n\
         Consider tweaking /proc/sys/kernel/perf_event_paranoid,",
        &["-a"],
        "recording all programs needs 0 or less",
    ),
    ("perf_event_open(...) failed: Operation not permitted", &[], "the capability PERFMON"),
    (
        "WARNING: perf not found for kernel 5.15.0-91\n\n  You may need to install the following",
        &[],
        "install linux-tools-$(uname -r)",
    ),
    (
        "Permission error mapping pages.\nConsider increasing \
         /proc/sys/kernel/perf_event_mlock_kb,\nor try again with a smaller value of -m/--mmap",
        &[],
        "sudo sysctl kernel.perf_event_mlock_kb=4096",
    ),
    (
        "Error:\ncpu-clock: PMU Hardware or event type doesn't support branch stack sampling.",
        &["--call-graph", "lbr"],
        "use --call-graph dwarf",
    ),
    (
        "event syntax error: 'x'\n\\___ parser error\n\n Usage: perf record [<options>]\n\n    -e, ",
        &["-e", "x"],
        "'perf list' has the events of this machine",
    ),
    (
        "Error:\nThe cache-misses event is not supported.",
        &["-e", "cache-misses"],
        "leave -e out to sample",
    ),
];

#[test]
fn what_perf_refuses_is_shown_and_explained_and_the_program_does_not_run() {
    let place = Place::new("stack-flame-refused");
    for (perf_says, args, expected) in REFUSALS {
        place
            .program("perf", &format!("#!/bin/sh\ncat >&2 << 'END'\n{perf_says}\nEND\nexit 255\n"));
        let output = place.stack_flame(&[args, &["--", "touch", "ran"]].concat());
        let said = stderr(&output);
        assert!(said.contains("stack-flame: perf cannot record here; it said\n"), "{said}");
        let first = perf_says.lines().next().expect("a line");
        assert!(said.contains(&format!("stack-flame: perf: {first}\n")), "{said}");
        let (_, explained) = said.rsplit_once("stack-flame: perf: ").expect("what it said");
        assert!(explained.contains(expected), "{perf_says}\n{explained}");
        assert!(!said.contains("Usage:"), "{said}");
        assert_status(&output, 125);
        assert!(!place.folder.join("ran").exists(), "{perf_says}: the program ran");
        assert!(!place.folder.join("flame.svg").exists(), "{perf_says}");
    }
}

/// The recording that a message says is kept.
fn kept(said: &str) -> &Path {
    let (_, rest) = said.split_once("the recording is kept: ").expect(said);
    Path::new(rest.split_once(';').expect("a hint").0)
}

#[test]
fn a_recording_that_cannot_be_drawn_is_kept_and_named() {
    let place = Place::new("stack-flame-kept");
    let output = place.stack_flame(&["--grep", "no such frame", "--", "sh", "-c", "exit 3"]);
    let said = stderr(&output);
    let why = "no picture: there is no stack to show; perhaps --grep matches none\n";
    assert!(said.contains(&format!("stack-flame: {why}")), "{said}");
    assert_status(&output, 125);
    assert!(!place.folder.join("flame.svg").exists());
    let again = place.stack_flame(&["-i", path(kept(&said))]);
    assert_status(&again, 0);
    assert!(place.read("flame.svg").contains("<svg"));
    fs::remove_dir_all(kept(&said).parent().expect("a folder")).expect("our own");

    // A recording that the user wants to keep stays where it is, drawn or not.
    for args in [&["--keep", "perf.data"][..], &["--keep", "perf.data", "--grep", "no such frame"]]
    {
        place.stack_flame(&[args, &["--", "sh", "-c", "exit 0"]].concat());
        let recording = fs::metadata(place.folder.join("perf.data")).expect("it is kept");
        assert!(recording.len() > 0);
    }
}

#[test]
fn what_was_drawn_is_deleted() {
    let place = Place::new("stack-flame-deleted");
    let mut command = place.here(binary("stack-flame").as_ref());
    let output = command.env("TMPDIR", &place.folder).args(["sh", "-c", ":"]).output();
    assert_status(&output.expect("it starts"), 0);
    let mut left: Vec<_> = fs::read_dir(&place.folder)
        .expect("it")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["flame.svg", "perf", "perf.log"]);
}

/// stack-flame in its own process group, as a shell starts it.
fn start(place: &Place, args: &[&str]) -> Child {
    let mut command = place.here(binary("stack-flame").as_ref());
    command.args(args).process_group(0).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Types Ctrl-C as soon as perf records.
fn type_ctrl_c(place: &Place, child: Child) -> Output {
    let end = Instant::now() + Duration::from_secs(60);
    let log = || fs::read_to_string(place.folder.join("perf.log")).unwrap_or_default();
    while log().lines().count() < 2 {
        assert!(Instant::now() < end, "perf does not record: {}", log());
        thread::sleep(Duration::from_millis(10));
    }
    let group = Pid::from_raw(i32::try_from(child.id()).expect("a process"));
    killpg(group, Signal::SIGINT).expect("it runs");
    child.wait_with_output().expect("it ends")
}

#[test]
fn ctrl_c_ends_the_recording_and_what_was_recorded_is_drawn() {
    let place = Place::new("stack-flame-ctrl-c");
    let args = ["-e", "cpu-clock", "--", "sleep", "1000"];
    let output = type_ctrl_c(&place, start(&place, &args));
    let said = stderr(&output);
    assert!(
        said.contains(
            "stack-flame: sleep ended after signal 2 (SIGINT), with a status that perf hides\n"
        ),
        "{said}"
    );
    assert_status(&output, 130);
    assert!(place.read("flame.svg").contains("[GC]"));

    // For a process or the whole system, this is the way to end a recording.
    let place = Place::new("stack-flame-ctrl-c-all");
    let output = type_ctrl_c(&place, start(&place, &["-e", "cpu-clock", "-a"]));
    let said = stderr(&output);
    assert!(said.contains("stack-flame: recording all programs: Ctrl-C ends it\n"), "{said}");
    assert_status(&output, 0);
    assert!(place.read("flame.svg").contains("all programs"));
}

/// Whether this signal is ignored here, like SIGHUP after nohup(1).
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal as i32 - 1) & 1 == 1)
}

#[test]
fn a_signal_while_perf_is_tried_leaves_nothing_and_others_cannot_read_what_is_there() {
    for (signal, name) in
        [(Signal::SIGTERM, "SIGTERM"), (Signal::SIGINT, "SIGINT"), (Signal::SIGHUP, "SIGHUP")]
    {
        if is_ignored(signal) {
            skip(&format!("{name} is ignored here"));
            continue;
        }
        let place = Place::new("stack-flame-probe");
        place.program("perf", "#!/bin/sh\n: > probing\nexec sleep 1000\n");
        let folder = place.folder.join("temporary");
        fs::create_dir(&folder).expect("a writable folder");
        let mut command = place.here("sh".as_ref());
        let script = "umask 0 && exec \"$0\" --call-graph fp -- true";
        command.args(["-c", script, binary("stack-flame")]).env("TMPDIR", &folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("it starts");
        let end = Instant::now() + Duration::from_secs(60);
        while !place.folder.join("probing").exists() {
            assert!(Instant::now() < end, "perf is not tried");
            thread::sleep(Duration::from_millis(10));
        }
        let entries = || fs::read_dir(&folder).expect("our own folder").map(|it| it.expect("it"));
        let modes: Vec<u32> = entries()
            .map(|entry| entry.metadata().expect("it is there").permissions().mode() & 0o777)
            .collect();
        assert_eq!(modes, [0o700]);
        kill(Pid::from_raw(i32::try_from(child.id()).expect("a process")), signal)
            .expect("it runs");
        let output = child.wait_with_output().expect("it ends");
        let number = signal as i32;
        let said = format!("ended by signal {number} ({name}), nothing was recorded\n");
        assert_eq!(stderr(&output), format!("stack-flame: {said}"));
        assert_status(&output, 128 + number);
        assert_eq!(entries().count(), 0, "{name}");
    }
}

#[test]
fn a_time_that_is_over_ends_the_program() {
    let place = Place::new("stack-flame-duration");
    let output = place.stack_flame(&["-d", "1", "-o", "-", "--", "sleep", "1000"]);
    assert_status(&output, 0);
    assert!(output.stdout.starts_with(b"<?xml"), "{}", stderr(&output));
}

#[test]
fn any_file_that_stack_parse_reads_is_drawn() {
    let place = Place::new("stack-flame-input");
    fs::write(place.folder.join("x.folded"), "main;work 3\n").expect("a writable folder");
    let output = place.stack_flame(&["-i", "x.folded", "--title", "a title", "-o", "x.svg"]);
    assert_status(&output, 0);
    let picture = place.read("x.svg");
    assert!(picture.contains("a title") && picture.contains("work (3 "), "{picture}");
    fs::write(place.folder.join("t.folded"), "since=2.5\ttid=7\tmain;work 3\n")
        .expect("a writable folder");
    assert_status(&place.stack_flame(&["--time", "-i", "t.folded", "-o", "t.svg"]), 0);
    assert!(place.read("t.svg").contains("<svg class=\"strip\">"));
    let memory = golden_path("formats/memtrace/alloc.ctf.gz");
    assert_status(&place.stack_flame(&["-i", path(&memory)]), 0);
}

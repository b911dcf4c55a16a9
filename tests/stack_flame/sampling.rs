//! How much of a stack perf copies, by which clock, and options of perf that stack-flame does not have.

use super::*;

#[test]
fn stacks_are_copied_whole_unless_the_rate_is_high_which_is_said() {
    let place = Place::new("stack-flame-dump");
    place.compile("omitted", &["-O1", "-fomit-frame-pointer"]);
    for (args, kind) in [
        (&["-F", "9"][..], "dwarf,32768"),
        (&["-F", "9", "--call-graph", "dwarf"], "dwarf,32768"),
        (&["-F", "9", "--call-graph", "dwarf", "-a"], "dwarf,32768"),
        (&["-F", "20000"], "dwarf,8192"),
        (&["-F", "20000", "--call-graph", "dwarf"], "dwarf,8192"),
        // What the user wants is not changed.
        (&["-F", "20000", "--call-graph", "dwarf,65528"], "dwarf,65528"),
        (&["-e", "sched:sched_switch"], "dwarf,8192"),
    ] {
        let (said, log) = told(&place, &[args, &["./omitted"]].concat());
        assert!(log.contains(&format!("--call-graph {kind} ")), "{args:?}: {log}");
        let smaller = "stack-flame: copying 8192 bytes of each stack, which may cut it, and not 32";
        assert_eq!(said.contains(smaller), kind == "dwarf,8192", "{args:?}: {said}");
    }
}

/// Does not know what was added in version 5.1.
const OLD: &str = r#"#!/bin/sh
case "$*" in *--no-bpf-event*)
    echo "Error: unknown option \`no-bpf-event'" >&2
    exit 129 ;;
esac
"#;

#[test]
fn perf_does_not_wait_for_programs_of_bpf_if_it_can() {
    let place = Place::new("stack-flame-bpf");
    let (_, log) = told(&place, &["--", "sh", "-c", ":"]);
    assert!(log.lines().all(|line| line.contains(" --no-bpf-event ")), "{log}");
    let fake = place.read("perf");
    place.program("perf", &[OLD, fake.split_once('\n').expect("#!").1].concat());
    let (said, log) = told(&place, &["--", "sh", "-c", ":"]);
    assert!(log.lines().count() > 1 && !log.contains("bpf"), "{said}{log}");
    assert!(said.contains("drawn: flame.svg"), "{said}");
}

/// Refuses buffers of over 1 MiB, as perf does where other recordings of this user have locked memory.
const REFUSES: &str = r#"#!/bin/sh
for word; do
    [ "$before" != -m ] || [ "${word%K}" -le 1024 ] || {
        echo "$word" >> refused.log
        echo "Permission error mapping pages." >&2
        exit 255
    }
    before=$word
done
"#;

/// Runs a program that may lock 4 MiB for each processor, also for root. Its status is 77 where this
/// user may not allow that.
const LIMITED: &str = r#"#!/bin/sh
ulimit -l $((4096 * $(nproc))) 2> /dev/null || exit 77
without="setpriv --bounding-set -ipc_lock"
$without true 2> /dev/null || without=
exec $without "$@"
"#;

/// The sizes that perf was told, in KiB.
fn sizes(log: &str) -> Vec<u64> {
    let words: Vec<&str> = log.split_whitespace().collect();
    let sizes = words.windows(2).filter(|two| two[0] == "-m");
    sizes.map(|two| two[1].trim_end_matches('K').parse().expect("KiB")).collect()
}

#[test]
fn buffers_are_the_largest_that_the_user_may_have() {
    let place = Place::new("stack-flame-buffers");
    let (_, log) = told(&place, &["-a", "-d", "0.01"]);
    let online = fs::read_to_string("/sys/devices/system/cpu/online").expect("Linux");
    let last = online.trim().rsplit(['-', ',']).next().expect("a number");
    let processors = last.parse::<u64>().expect("a number") + 1;
    let largest = sizes(&log);
    assert!(largest.iter().all(|size| size * processors <= 512 * 1024), "{log}");
    assert!(largest.iter().all(|size| *size == largest[0]), "{log}");
    assert_eq!(log.lines().count(), 2, "tried once, then recorded: {log}");
    let recorded = log.lines().last().map(sizes);
    assert!(recorded.is_some_and(|it| it.is_empty() == largest.is_empty()), "{log}");

    let (_, log) = told(&place, &["--perf-args", "-m 2048K", "-a", "-d", "0.01"]);
    assert_eq!(sizes(&log), [2048, 2048], "{log}");
}

#[test]
fn buffers_that_perf_refuses_are_tried_before_the_recording() {
    let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").expect("Linux");
    if paranoid.trim() == "-1" {
        return skip("every user may lock any amount of memory");
    }
    let place = Place::new("stack-flame-refused-buffers");
    let fake = place.read("perf");
    place.program("perf", &[REFUSES, fake.split_once('\n').expect("#!").1].concat());
    place.program("limited", LIMITED);
    let mut command = place.here(&place.folder.join("limited"));
    command.arg(binary("stack-flame")).args(["-a", "-d", "0.01"]);
    let output = command.output().expect("a shell");
    if output.status.code() == Some(77) {
        return skip("this user may not lock 4 MiB for each processor");
    }
    assert!(!stderr(&output).contains("Permission"), "{}", stderr(&output));
    assert_status(&output, 0);
    let (log, refused) = (place.read("perf.log"), place.read("refused.log"));
    assert!(refused.starts_with("4096K\n2048K\n"), "{refused}");
    assert_eq!(sizes(&log), [1024, 1024], "tried, then recorded: {log}");
}

#[test]
fn options_of_perf_come_after_ours_each_word_by_itself() {
    let place = Place::new("stack-flame-perf-args");
    let perf = place.read("perf").replace("echo \"$*\"", "printf '<%s>' \"$@\"");
    place.program("perf", &perf);
    for args in
        [&["--perf-args=-m 8M --filter 'a $b'"][..], &["--perf-args", "-m 8M --filter a\\ \\$b"]]
    {
        let (said, log) = told(&place, &[args, &["sh", "-c", ":"]].concat());
        assert!(said.contains("stack-flame: drawn: "), "{said}");
        let tried_and_recorded = log.matches("<-e><cpu-clock><-m><8M><--filter><a $b>").count();
        assert_eq!(tried_and_recorded, 2, "{log}");
    }
    for (args, expected) in [
        ("-o x", "'-o' is what stack-flame sets: use its own --keep FILE"),
        ("-m '8M", "the quote ' is not closed"),
        ("touch ran", "'touch' is no option of 'perf record'"),
    ] {
        let output = place.stack_flame(&["--perf-args", args, "touch", "ran"]);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_status(&output, 125);
        assert!(!place.folder.join("ran").exists(), "{args}");
    }
}

#[test]
fn times_are_of_the_clock_that_programs_read_unless_the_user_says_another() {
    let place = Place::new("stack-flame-clock");
    let monotonic = "-k CLOCK_MONOTONIC";
    for (args, expected) in [
        (&[][..], monotonic),
        (&["--latency"], monotonic),
        (&["--off-cpu"], monotonic),
        (&["--wall"], monotonic),
        (&["--keep", "kept.data"], monotonic),
        (&["-e", "sched:sched_switch"], monotonic),
        (&["--clock", "monotonic_raw"], "-k CLOCK_MONOTONIC_RAW"),
        (&["--clock", "realtime"], "-k CLOCK_REALTIME"),
        (&["--clock", "perf"], ""),
        (&["--perf-args", "-k mono"], "-k mono"),
        (&["--critical", "--perf-args", "-k mono"], "-k mono"),
        (&["--perf-args=--clockid=boot"], "--clockid=boot"),
    ] {
        let (said, log) = told(&place, &[args, &["sh", "-c", ":"]].concat());
        assert_eq!(log.lines().count(), 2, "{args:?}: tried once, then recorded: {log}");
        for line in log.lines() {
            let line = format!(" {line} ");
            assert!(line.contains(&format!(" {expected} ")) || expected.is_empty(), "{line}");
            // It is not said twice.
            let said = line.matches(" -k ").count() + line.matches(" --clockid").count();
            assert_eq!(said, usize::from(!expected.is_empty()), "{args:?}: {line}");
        }
        assert!(!said.contains("clock here"), "{args:?}: {said}");
    }
    let output = place.stack_flame(&["--clock", "perf", "-i", "kept.data"]);
    assert!(
        stderr(&output).contains("'--clock <NAME>' cannot be used with"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_clock_that_perf_refuses_is_left_out_which_is_said_once() {
    let place = Place::new("stack-flame-no-clock");
    let fake = place.read("perf");
    let (_, records) = fake.split_once('\n').expect("#!");
    let note = "stack-flame: perf refuses this clock here: ";
    // What perf prints of a kernel before 4.1, of an event that has no clock, and before 4.1 itself.
    for refusal in [
        "Error:\nclockid feature not supported.",
        "Error:\nwrong clockid (1).",
        "Cannot use clockid (-k option) with intel_pt",
        "  Error: unknown switch `k'\n\n Usage: perf record [<options>] [<command>]",
    ] {
        let refuses = format!(
            "#!/bin/sh\ncase \"$*\" in *\" -k \"*) cat >&2 << 'END'\n{refusal}\nEND\nexit 255;; esac\n"
        );
        place.program("perf", &[&refuses, records].concat());
        for args in [&["-e", "cpu-clock"][..], &[], &["--clock", "boottime"]] {
            let output = place.stack_flame(&[args, &["sh", "-c", ":"]].concat());
            let said = stderr(&output);
            assert_eq!(said.matches(note).count(), 1, "{refusal}: {args:?}: {said}");
            assert!(said.contains("stack-flame: drawn: "), "{refusal}: {args:?}: {said}");
            assert!(!place.read("perf.log").contains(" -k "), "{}", place.read("perf.log"));
            assert_status(&output, 0);
        }
        // It is not the clock alone that does not work.
        let output = place.stack_flame(&["-e", "no-such-event", "touch", "ran"]);
        let said = stderr(&output);
        assert!(said.contains("event is not supported") && !said.contains(note), "{said}");
        // perf's own option is what the user wants: no other try.
        let output = place.stack_flame(&["--perf-args", "-k mono", "touch", "ran"]);
        let said = stderr(&output);
        assert!(said.contains("perf cannot record here") && !said.contains(note), "{said}");
        assert!(!place.folder.join("ran").exists(), "the program ran");
    }
}

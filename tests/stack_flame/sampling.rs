//! How much of a stack perf copies, and options of perf that stack-flame does not have.

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

/// Refuses buffers of over 4 MiB, as perf does where the user may not lock more memory.
const REFUSES: &str = r#"#!/bin/sh
for word; do
    [ "$before" != -m ] || [ "${word%K}" -le 4096 ] || {
        echo "$word" >> refused.log
        echo "Permission error mapping pages." >&2
        exit 255
    }
    before=$word
done
"#;

#[test]
fn buffers_are_the_largest_that_the_user_may_have() {
    let place = Place::new("stack-flame-buffers");
    let sizes = |log: &str| -> Vec<u64> {
        let words: Vec<&str> = log.split_whitespace().collect();
        let sizes = words.windows(2).filter(|two| two[0] == "-m");
        sizes.map(|two| two[1].trim_end_matches('K').parse().expect("KiB")).collect()
    };
    let (_, log) = told(&place, &["-a", "-d", "0.01"]);
    let largest = sizes(&log);
    let online = fs::read_to_string("/sys/devices/system/cpu/online").expect("Linux");
    let last = online.trim().rsplit(['-', ',']).next().expect("a number");
    let processors = last.parse::<u64>().expect("a number") + 1;
    // Tried, then recorded.
    assert!(largest.is_empty() || largest.len() % 2 == 0 && largest[0] == largest[1], "{log}");
    assert!(largest.iter().all(|size| size * processors <= 512 * 1024), "{log}");

    let fake = place.read("perf");
    place.program("perf", &[REFUSES, fake.split_once('\n').expect("#!").1].concat());
    let (said, log) = told(&place, &["-a", "-d", "0.01"]);
    assert!(sizes(&log).iter().all(|size| *size <= 4096), "{log}");
    assert_eq!(sizes(&log).len(), largest.len(), "{log}");
    let refused = fs::read_to_string(place.folder.join("refused.log")).unwrap_or_default();
    assert_eq!(refused.is_empty(), largest.first().is_none_or(|size| *size <= 4096), "{refused}");
    assert!(!said.contains("Permission"), "{said}");

    let (_, log) = told(&place, &["--perf-args", "-m 2048K", "-a", "-d", "0.01"]);
    assert_eq!(sizes(&log), [2048, 2048], "{log}");
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

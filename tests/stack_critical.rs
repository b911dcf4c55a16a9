//! The critical path through slices of wall time.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::util::{few_cases, golden_path, output, recording, stderr};

/// Labels and stacks of lines, and their counts.
fn lines(text: &[u8]) -> Vec<(String, u64)> {
    let text = String::from_utf8_lossy(text);
    let line = |line: &str| {
        let (rest, count) = line.rsplit_once(' ').expect("a count");
        (rest.to_owned(), count.parse().expect("a number"))
    };
    text.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn critical(args: &[&str], slices: impl AsRef<[u8]>) -> Vec<(String, u64)> {
    let output = output("stack-critical", args, slices);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    lines(&output.stdout)
}

/// The slices of a golden recording.
fn slices_of(name: &str) -> Vec<u8> {
    let path = golden_path(&format!("wall/{name}.data.zst"));
    let labels = "time,tid,pid,comm,state,waker";
    let args = ["--wall", "--per-sample", "--labels", labels, path.to_str().expect("UTF-8")];
    output("stack-parse", &args, "").stdout
}

fn label<'a>(line: &'a str, key: &str) -> &'a str {
    let mut labels = line.split('\t').filter_map(|field| field.split_once('='));
    labels.find(|(name, _)| *name == key).map_or("", |(_, value)| value)
}

/// A slice: thread, start and length in seconds, state, waker, stack.
type Row<'a> = (&'a str, f64, f64, &'a str, &'a str, &'a str);

fn slice((tid, start, length, state, waker, stack): Row<'_>) -> String {
    let waker = if waker.is_empty() { String::new() } else { format!("\twaker={waker}") };
    let length = (length * 1e9).round() as u64;
    format!("time={start:.9}\ttid={tid}\tstate={state}{waker}\t{stack} {length}\n")
}

/// The first thread makes two others and joins them; the second ends last.
fn fork_join() -> String {
    [
        ("1", 0.0, 1.0, "running", "", "p;main;load"),
        ("2", 1.0, 0.5, "runnable", "1", "p"),
        ("3", 1.0, 0.25, "runnable", "1", "p"),
        ("1", 1.0, 6.0, "waiting", "3", "p;main;join"),
        ("2", 1.5, 3.0, "running", "", "p;fast"),
        ("3", 1.25, 5.75, "running", "", "p;slow"),
        ("1", 7.0, 1.0, "running", "", "p;main;save"),
    ]
    .map(slice)
    .concat()
}

#[test]
fn the_path_goes_through_what_had_to_end() {
    assert_eq!(
        String::from_utf8_lossy(&output("stack-critical", &[], fork_join()).stdout),
        "state=runnable\ttid=3\tp 250000000\nstate=running\ttid=1\tp;main;load 1000000000\n\
         state=running\ttid=1\tp;main;save 1000000000\nstate=running\ttid=3\tp;slow 5750000000\n",
    );
    let each = output("stack-critical", &["--per-sample"], fork_join()).stdout;
    assert_eq!(
        String::from_utf8_lossy(&each),
        "time=0.000000000\tstate=running\ttid=1\tp;main;load 1000000000\n\
         time=1.000000000\tstate=runnable\ttid=3\tp 250000000\n\
         time=1.250000000\tstate=running\ttid=3\tp;slow 5750000000\n\
         time=7.000000000\tstate=running\ttid=1\tp;main;save 1000000000\n",
    );
    // To the end of another thread, and to a moment.
    assert_eq!(critical(&["--tid", "2"], fork_join()).len(), 2);
    let until: u64 = critical(&["--to", "3"], fork_join()).iter().map(|(_, count)| count).sum();
    assert_eq!(until, 3_000_000_000);
}

#[test]
fn what_if_replays_the_slices() {
    for (what_if, after) in [
        (&["slow=2"][..], "5.125000 s: 35.9 % sooner"),
        // Then the other thread ends last, and nobody waits for it.
        (&["slow=4"], "3.687500 s: 53.9 % sooner"),
        (&["fast=4"], "8.000000 s: 0.0 % sooner"),
        (&["^main$=2"], "7.000000 s: 12.5 % sooner"),
        (&["load=2", "save=4"], "6.750000 s: 15.6 % sooner"),
        (&["slow=0.5"], "13.750000 s: -71.9 % sooner"),
    ] {
        let args: Vec<&str> = what_if.iter().flat_map(|it| ["--what-if", it]).collect();
        let output = output("stack-critical", &args, fork_join());
        let said = stderr(&output);
        assert!(said.contains(&format!("8.000000 s would be {after}")), "{what_if:?}: {said}");
        let sum: u64 = lines(&output.stdout).iter().map(|(_, count)| count).sum();
        assert!(after.starts_with(&format!("{:.6}", sum as f64 / 1e9)), "{what_if:?}: {sum}");
    }
}

/// The path itself may change: if one thread gets faster, another one ends last.
#[test]
fn the_new_path_goes_where_time_is_spent_then() {
    let two_joins = [
        ("1", 0.0, 1.0, "running", "", "p;main"),
        ("2", 1.0, 3.0, "running", "", "p;a"),
        ("3", 1.0, 5.0, "running", "", "p;b"),
        ("1", 1.0, 3.0, "waiting", "2", "p;join"),
        ("1", 4.0, 2.0, "waiting", "3", "p;join"),
        ("1", 6.0, 1.0, "running", "", "p;main"),
    ]
    .map(slice)
    .concat();
    let path = critical(&["--tid", "1", "--what-if", "^b$=5"], two_joins);
    let weight = |part: &str| {
        path.iter().filter(|(line, _)| line.ends_with(part)).map(|(_, count)| count).sum::<u64>()
    };
    assert_eq!((weight(";a"), weight(";b")), (3_000_000_000, 0), "{path:?}");
}

#[test]
fn gains_say_which_function_matters() {
    let table = output("stack-critical", &["--gains", "--tsv"], fork_join());
    assert_eq!(
        String::from_utf8_lossy(&table.stdout),
        "function\tsooner\tpath\tcpu\telapsed\nslow\t2875000000\t5750000000\t5750000000\t8000000000\n\
         main\t1000000000\t2000000000\t2000000000\t8000000000\n\
         load\t500000000\t1000000000\t1000000000\t8000000000\n\
         save\t500000000\t1000000000\t1000000000\t8000000000\n\
         fast\t0\t0\t3000000000\t8000000000\n",
    );
    let text = output("stack-critical", &["--gains"], fork_join()).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(text.contains("   2.875 s   35.94%   71.88%   53.49%  slow\n"), "{text}");
}

/// What has nothing of its own says no more than what it calls.
#[test]
fn functions_that_only_call_another_have_no_row() {
    let slices = [
        ("1", 0.0, 1.0, "running", "", "p;main;run;work"),
        ("1", 1.0, 1.0, "running", "", "p;main;run;work;help"),
        ("1", 2.0, 1.0, "waiting", "2", "p;main"),
        ("2", 0.0, 3.0, "running", "", "p;other;help"),
    ]
    .map(slice)
    .concat();
    let table = output("stack-critical", &["--gains", "--tsv", "--tid", "1"], slices).stdout;
    let table = String::from_utf8_lossy(&table).into_owned();
    let functions: Vec<&str> =
        table.lines().skip(1).filter_map(|row| row.split('\t').next()).collect();
    assert_eq!(functions, ["help", "other", "work"], "{table}");
}

/// A process ends some time before who waits for it goes on: the rest of the wait is on the path.
#[test]
fn who_waits_for_a_process_waited_for_what_it_did() {
    let slices = [
        ("1", 0.0, 1.0, "running", "", "sh"),
        ("2", 1.0, 0.5, "runnable", "1", "sh"),
        ("2", 1.5, 2.0, "running", "", "make;work"),
        ("1", 1.0, 3.0, "waiting", "2", "sh;wait4"),
        ("1", 4.0, 1.0, "running", "", "sh"),
    ]
    .map(slice)
    .concat();
    let each = output("stack-critical", &["--per-sample", "--tid", "1"], &slices).stdout;
    assert_eq!(
        String::from_utf8_lossy(&each),
        "time=0.000000000\tstate=running\ttid=1\tsh 1000000000\n\
         time=1.000000000\tstate=runnable\ttid=2\tsh 500000000\n\
         time=1.500000000\tstate=running\ttid=2\tmake;work 2000000000\n\
         time=3.500000000\tstate=waiting\ttid=1\tsh;wait4 500000000\n\
         time=4.000000000\tstate=running\ttid=1\tsh 1000000000\n",
    );
    let said = stderr(&output("stack-critical", &["--tid", "1", "--what-if", "work=2"], &slices));
    assert!(said.contains("5.000000 s would be 4.000000 s"), "{said}");
}

/// Of real recordings, judged by another program, which goes forward through the text of perf: each
/// thread carries the path that led to its present.
#[test]
fn paths_are_those_of_another_program() {
    let mut compared = 0;
    for name in ["a-pool", "convoy", "short", "srv-compute", "srv-wait"] {
        let slices = slices_of(name);
        for args in [&[][..], &["--per-sample"]] {
            let path = critical(args, &slices);
            let sum = |is_such: &dyn Fn(&str) -> bool| {
                let such = path.iter().filter(|(line, _)| is_such(line));
                such.map(|(_, count)| count).sum::<u64>()
            };
            let figures = String::from_utf8(recording(&format!("wall/{name}.tsv"))).expect("UTF-8");
            for row in figures.lines() {
                let (what, figure) = row.split_once('\t').expect("a figure");
                let words: Vec<&str> = what.split(' ').collect();
                let ours = match words[..] {
                    ["critical", "path", ..] => sum(&|_| true),
                    ["path:", "on", "thread", tid, "ns"] => sum(&|line| label(line, "tid") == tid),
                    ["path:", "unknown", "ns"] => {
                        sum(&|line| label(line, "state") == "not-recorded")
                    }
                    ["path:", state, "ns"] => sum(&|line| label(line, "state") == state),
                    _ => continue,
                };
                assert_eq!(ours.to_string(), figure, "{name} {args:?}: {what}");
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

/// The time that a thread runs on the path is shared among its samples there.
#[test]
fn functions_on_the_path_have_the_time_of_their_samples() {
    let path = golden_path("wall/convoy.data.zst");
    let symfs = golden_path("symfs");
    let [path, symfs] = [path, symfs].map(|it| it.to_str().expect("UTF-8").to_owned());
    let labels = "time,tid,pid,comm,state,waker";
    let args = ["--wall", "--per-sample", "--labels", labels, "--symfs", &symfs, &path];
    let slices = output("stack-parse", &args, "").stdout;
    let path = critical(&[], slices);
    for (function, expected) in [("critical", 1_222_123_427_u64), ("local_work", 1_984_097)] {
        let is_in = |line: &str| line.split(';').any(|frame| frame == function);
        let ours: u64 = path.iter().filter(|(line, _)| is_in(line)).map(|(_, count)| count).sum();
        // Three samples at 2000 Hz, of which some are in the kernel.
        assert!(ours.abs_diff(expected) < 9_000_000, "{function}: {ours}");
    }
}

/// Threads that run, wait for one another and make others, without a gap.
fn any_slices() -> impl Strategy<Value = String> {
    let row = (1..20_u64, 0..4_u8, 0..6_u8, 0..3_u8);
    prop::collection::vec(prop::collection::vec(row, 1..8), 1..6).prop_map(|threads| {
        let mut text = String::new();
        for (tid, rows) in threads.iter().enumerate() {
            let mut time = 1_000_000_000 + 3 * tid as u64;
            for (at, &(length, state, waker, stack)) in rows.iter().enumerate() {
                let state = ["running", "waiting", "runnable", "not-recorded"][state as usize];
                let has_waker = state != "running" && (state != "runnable" || at == 0);
                let waker = if has_waker { format!("\twaker={waker}") } else { String::new() };
                text += &format!(
                    "time=1.{:09}\ttid={tid}\tstate={state}{waker}\tp;f{stack} {length}\n",
                    time - 1_000_000_000
                );
                time += length;
            }
        }
        text
    })
}

/// When each thread begins and ends, in nanoseconds.
fn lives(slices: &str) -> BTreeMap<String, (u64, u64)> {
    let mut lives = BTreeMap::new();
    for (line, count) in lines(slices.as_bytes()) {
        let start: u64 = label(&line, "time").replace('.', "").parse().expect("a time");
        let life = lives.entry(label(&line, "tid").to_owned()).or_insert((start, start));
        *life = (life.0.min(start), life.1.max(start + count));
    }
    lives
}

fn length(args: &[&str], slices: &str) -> u64 {
    critical(args, slices).iter().map(|(_, count)| count).sum()
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn the_path_is_as_long_as_the_time_that_passed(slices in any_slices()) {
        for (tid, (start, end)) in lives(&slices) {
            for args in [&["--tid", &tid][..], &["--tid", &tid, "--per-sample"]] {
                prop_assert_eq!(length(args, &slices), end - start, "{} {}", tid, slices);
            }
            let unchanged = length(&["--tid", &tid, "--what-if", "f=1"], &slices);
            prop_assert_eq!(unchanged, end - start);
            let faster = output("stack-critical", &["--tid", &tid, "--what-if", "f[01]=2"], &slices);
            let sum: u64 = lines(&faster.stdout).iter().map(|(_, count)| count).sum();
            let said = stderr(&faster);
            let (_, after) = said.rsplit_once("would be ").expect("the new time");
            let after: f64 = after.split(' ').next().expect("seconds").parse().expect("a number");
            prop_assert!((after - sum as f64 / 1e9).abs() < 1e-6, "{} {}", said, sum);
            // Where the thread that made it gets faster, it begins earlier.
            let is_made = slices.contains(&format!("\ttid={tid}\tstate=runnable\twaker="));
            prop_assert!(is_made || sum <= end - start, "{} {}", said, slices);
        }
    }

    #[test]
    fn a_line_that_is_taken_out_takes_no_more_than_its_weight(slices in any_slices()) {
        let all = length(&["--tid", "0"], &slices);
        let text: Vec<&str> = slices.lines().collect();
        for out in 0..text.len() {
            let (_, weight) = text[out].rsplit_once(' ').expect("a count");
            let weight: u64 = weight.parse().expect("a number");
            let rest = text.iter().enumerate().filter(|(at, _)| *at != out);
            let rest: String = rest.map(|(_, line)| format!("{line}\n")).collect();
            if !rest.contains("\ttid=0\t") {
                continue;
            }
            let without = length(&["--tid", "0"], &rest);
            prop_assert!(without <= all && all - without <= weight, "{all} {without}: {}", text[out]);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "((time|since)=[0-9.]{0,4}\ttid=[0-9]\tstate=(running|waiting|x)\t(waker=[0-9]\t)?[ab;]{0,3} [0-9]{0,20}\n){0,6}") {
        for args in [&[][..], &["--gains"], &["--what-if", "a=2"], &["--per-sample"]] {
            let output = output("stack-critical", args, &text);
            prop_assert!(output.status.code().is_some_and(|code| code < 3), "{}", text);
        }
    }
}

#[test]
fn what_is_missing_is_said() {
    for (slices, part) in [
        (
            "main;f 3\n",
            "slice 1, of main;f, has no label time: print slices with 'stack-parse --wall",
        ),
        ("time=1\ttid=2\tf 3\n", "has no label state"),
        ("time=1\ttid=2\tstate=asleep\tf 3\n", "has a label state that is none of --wall"),
        (
            "time=1\ttid=2\tstate=waiting-or-runnable\tf 3\n",
            "no wait has the label waker, so nobody knows who waited for whom",
        ),
        (
            "time=1\ttid=2\tstate=running\tf 30\ntime=1.000000001\ttid=2\tstate=running\tf 3\n",
            "the slices of thread 2 overlap",
        ),
    ] {
        let output = output("stack-critical", &[], slices);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{slices}");
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    assert_eq!(output("stack-critical", &[], "").status.code(), Some(1));
    for (args, part) in [
        (&["--tid", "7"][..], "no slice is of thread '7'"),
        (&["--comm", "q"], "no slice is of thread 'q'"),
        (&["--what-if", "slow"], "expected PATTERN=FACTOR"),
        (&["--what-if", "slow=0"], "expected PATTERN=FACTOR"),
        (&["--what-if", "(=2"], "'('"),
    ] {
        let output = output("stack-critical", args, fork_join());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    let slow = output("stack-critical", &["--what-if", "slow=1e-300"], fork_join());
    assert_eq!(slow.status.code(), Some(0), "{}", stderr(&slow));
    let unmatched = output("stack-critical", &["--what-if", "none=2"], fork_join());
    assert!(stderr(&unmatched).contains("--what-if 'none=2': nothing that ran matches"));
}

#[test]
fn limits_are_said_where_they_bite() {
    let busy = [
        ("1", 0.0, 1.0, "running", "", "p;f"),
        ("1", 1.0, 1.0, "waiting", "2", "p;pthread_mutex_lock"),
        ("2", 0.0, 2.0, "running", "", "p;g"),
        ("1", 2.0, 1.5, "runnable", "", "p;pthread_mutex_lock"),
        ("1", 3.5, 0.5, "running", "", "p;f"),
    ]
    .map(slice)
    .concat();
    let header = "# lost: 12 of 900 samples\n";
    let output =
        output("stack-critical", &["--tid", "1", "--what-if", "g=2"], header.to_owned() + &busy);
    let said = stderr(&output);
    for part in [
        "37 % of the path is [runnable]: processors were busy, and what to make faster is better told",
        "12 of 900 samples were lost while recording",
        "1 of 1 waits that end on the path are for locks",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

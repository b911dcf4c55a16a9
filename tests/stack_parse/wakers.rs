//! The thread that ended a wait: `--off-cpu --wakers`.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::util::{few_cases, output, recording, stderr};

/// The files of the recordings.
const SYMFS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/symfs");

/// Two threads, of which one waits for the other at a pipe, and then at a condition variable.
fn pingpong() -> Vec<u8> {
    recording("switches/pingpong.perf.data.gz")
}

/// The lines of stacks, and their weights.
fn lines(args: &[&str], input: impl AsRef<[u8]>) -> Vec<(String, u64)> {
    let output = output("stack-parse", args, input);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let stacks = text.lines().filter(|line| !line.starts_with('#'));
    let stack = |line: &str| {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        (stack.to_owned(), weight.parse().expect("a number"))
    };
    stacks.map(stack).collect()
}

#[test]
fn pairs_of_waiters_and_wakers_are_those_counted_from_perfs_text() {
    let ours = lines(&["--symfs", SYMFS, "--inlined", "drop", "--off-cpu", "--wakers"], pingpong());
    let rows = String::from_utf8(recording("switches/pingpong.tsv")).expect("UTF-8");
    let mut compared = 0;
    for row in rows.lines() {
        let Some((_, row)) = row.split_once("stack pair count/ns: ") else { continue };
        let (pair, figure) = row.split_once('\t').expect("a figure");
        let (waiter, waker) = pair.split_once("  <==  ").expect("a pair");
        let nanoseconds = figure.split(['/', '\t']).nth(1).expect("a time");
        let found = ours.iter().find(|(_, weight)| weight.to_string() == nanoseconds);
        let (stack, _) = found.unwrap_or_else(|| panic!("{nanoseconds}: {ours:?}"));
        let (waited, woke) = stack.split_once(";--;").expect("a separator");
        // The script has the program first, then its stack, root first.
        let mut woke: Vec<&str> = woke.split(';').collect();
        woke.reverse();
        assert_eq!(woke[0], "thread-B");
        assert_same_frames(&waited.split(';').collect::<Vec<_>>(), waiter);
        assert_same_frames(&woke, waker);
        compared += 1;
    }
    assert_eq!(compared, 2);
}

/// The sender's own write runs what the network does with it, on its own processor.
#[test]
fn who_writes_to_a_socket_wakes_who_reads_it() {
    let recording = recording("switches/loopback.perf.data.gz");
    let ours = lines(&["--off-cpu", "--wakers"], recording);
    let of_reader = ours.iter().filter(|(stack, _)| stack.starts_with("tcp"));
    let (mut all, mut of_writer) = (0, 0);
    for (stack, weight) in of_reader {
        let (_, woke) = stack.split_once(";--;").expect("a separator");
        all += weight;
        of_writer += weight * u64::from(woke.split(';').next_back() == Some("tcp"));
        // The program waited once for a page of its file. Where the machine has the names of this
        // kernel, that was ended by an interrupt.
        let is_of_file = *weight == 120_916;
        assert!(is_of_file || !stack.contains("[interrupt]"), "{stack}");
    }
    // Counted by a script from perf's text.
    assert!(all >= 339_985_959, "{all}");
    assert!(of_writer >= 339_985_959, "{of_writer} of {all}");
}

#[test]
fn switches_that_were_sampled_are_refused() {
    let sampled = recording("switches/sampled.perf.data.gz");
    for args in [&["--off-cpu"][..], &["--off-cpu", "--wakers"]] {
        let output = output("stack-parse", args, &sampled);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
        let said = stderr(&output);
        assert!(said.contains("sched:sched_waking was sampled"), "{said}");
    }
}

/// Compares frames with names that perf printed; those of libc and the kernel have none here.
fn assert_same_frames(ours: &[&str], perfs: &str) {
    let perfs: Vec<&str> = perfs.split(';').collect();
    assert_eq!(ours.len(), perfs.len(), "{ours:?} {perfs:?}");
    for (ours, perfs) in ours.iter().zip(perfs) {
        assert!(ours == &perfs || ours.starts_with('['), "{ours} {perfs}");
    }
}

#[test]
fn wakings_by_interrupts_have_no_program() {
    let ours = lines(&["--symfs", SYMFS, "--off-cpu", "--wakers"], pingpong());
    let by_interrupt: BTreeMap<&str, u64> = ours
        .iter()
        .filter(|(stack, _)| stack.ends_with(";[interrupt]"))
        .map(|(stack, weight)| (stack.split(';').next().expect("a root"), *weight))
        .collect();
    // Timers, on processors that were idle: perf's text has these times between the switches, and
    // `common_flags` of the wakings has 0x08.
    let expected = [("other-program-0", 200_525_083), ("rcu_preempt", 7_974_832)];
    assert_eq!(by_interrupt, BTreeMap::from(expected));
    // 200525083 and 7974832 are all waits that no thread ended.
    assert!(
        !ours.iter().any(|(stack, _)| stack.ends_with("swapper/0") || stack.contains("[idle]"))
    );
}

#[test]
fn wakers_neither_add_nor_lose_time() {
    for root in ["tid", "comm", "none"] {
        let args = ["--symfs", SYMFS, "--root", root, "--off-cpu", "--wakers"];
        let mut without_wakers = BTreeMap::new();
        for (stack, weight) in lines(&args, pingpong()) {
            let waited = stack.split(";--;").next().expect("a stack").to_owned();
            *without_wakers.entry(waited).or_insert(0) += weight;
        }
        let expected = lines(&args[..5], pingpong());
        assert!(expected.len() > 4, "{expected:?}");
        assert_eq!(without_wakers, expected.into_iter().collect(), "{root}");
    }
}

fn switch(time: u32, from: u32, state: &str, to: u32, frame: &str) -> String {
    format!(
        "t{from} {from}/{from} [000] 1.{time:06}: sched:sched_switch: prev_comm=t{from} \
         prev_pid={from} prev_prio=120 prev_state={state} ==> next_comm=t{to} next_pid={to} \
         next_prio=120\n\t 20 {frame} (/d)\n\t 10 main (/d)\n\n"
    )
}

fn waking(time: u32, event: &str, by: u32, woken: u32, frame: &str) -> String {
    let comm = if by == 0 { "swapper".to_owned() } else { format!("t{by}") };
    format!(
        "{comm} {by}/{by} [000] 1.{time:06}: sched:{event}: comm=t{woken} pid={woken} prio=120 \
         target_cpu=000\n\t 20 {frame} (/d)\n\t 10 main (/d)\n\n"
    )
}

#[test]
fn the_first_waking_between_the_switches_counts() {
    let script = [
        // Before thread 2 left.
        waking(1, "sched_waking", 2, 1, "early"),
        switch(10, 1, "S", 2, "read"),
        waking(20, "sched_waking", 2, 1, "first"),
        waking(21, "sched_wakeup", 3, 1, "second"),
        switch(30, 2, "D", 1, "write"),
        // No thread is known to wake 2.
        switch(50, 1, "S", 2, "read"),
        waking(60, "sched_wakeup", 0, 1, "timer"),
        switch(70, 2, "S", 1, "idle"),
        // The return of 2 is not recorded, and when it waits again, nothing wakes it.
        waking(80, "sched_waking", 3, 2, "lost"),
        switch(90, 2, "S", 3, "poll"),
        switch(95, 3, "R", 2, "work"),
        // 1 is preempted; no waking ends that.
        switch(96, 1, "R", 2, "work"),
        waking(97, "sched_waking", 3, 1, "none"),
    ];
    let output = output("stack-parse", &["--off-cpu", "--wakers"], script.concat());
    let expected = "# event: off-cpu\n# unit: ns\n# source: perf-script\n\
        t1;main;read;--;first;main;t2 20000\n\
        t1;main;read;--;timer;main;[idle] 20000\n\
        t2;main;poll;--;[unknown waker] 5000\n\
        t2;main;write;--;[unknown waker] 20000\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let said = stderr(&output);
    for part in [
        "off-cpu: 2 switches away from threads that could go on left out\n",
        "off-cpu: 1 wait whose end was not recorded left out\n",
        "off-cpu: 2 waits of 0.000025 s without a known waker: [unknown waker]\n",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("event sched:sched_wak"), "they are not left out: {said}");
}

#[test]
fn time_that_nobody_measured_is_not_invented() {
    // 1 waits, returns without a record, and is then preempted while it could go on.
    let script = [
        switch(10, 1, "S", 2, "read"),
        switch(20, 1, "R", 2, "work"),
        switch(90, 2, "S", 1, "poll"),
    ];
    let output = output("stack-parse", &["--off-cpu"], script.concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = stderr(&output);
    assert!(said.contains("off-cpu: 1 wait whose end was not recorded left out\n"), "{said}");
}

#[test]
fn the_waker_is_named_as_the_roots_are() {
    let script = [
        switch(10, 1, "S", 2, "read"),
        waking(20, "sched_waking", 2, 1, "wake"),
        switch(30, 2, "D", 1, "write"),
    ];
    for (root, expected) in [
        ("comm", "t1;main;read;--;wake;main;t2"),
        ("pid", "t1-1;main;read;--;wake;main;t2-2"),
        ("tid", "t1-1/1;main;read;--;wake;main;t2-2/2"),
        ("none", "main;read;--;wake;main;t2"),
        ("label:tid", "main;read;--;wake;main;t2"),
    ] {
        let found = lines(&["--off-cpu", "--wakers", "--root", root], script.concat());
        let [(stack, 20_000)] = &found[..] else { panic!("{root}: {found:?}") };
        assert!(stack.ends_with(expected), "{root}: {stack}");
    }
    let labelled =
        output("stack-parse", &["--off-cpu", "--wakers", "--labels", "tid"], script.concat());
    let labelled = String::from_utf8_lossy(&labelled.stdout).into_owned();
    assert!(labelled.contains("\ntid=1\tt1;main;read;--;wake;main;t2 20000\n"), "{labelled}");
}

#[test]
fn inputs_that_do_not_say_it_are_refused_by_name() {
    let task = recording("switches/pingpong-task.perf.data.gz");
    let text = recording("formats/perf-script/shape-sched.gz");
    let remedy = "record with 'perf record -a -g -e sched:sched_switch,sched:sched_waking'";
    for (input, args, expected) in [
        (
            &b"a;b 1\n"[..],
            &["--off-cpu"][..],
            "--wakers needs a recording of perf-data, wprof or perf-script: <stdin> is folded",
        ),
        (
            &task,
            &["--off-cpu"],
            "needs a recording of all processors: <stdin> is of one program, and",
        ),
        (
            &text,
            &["--off-cpu"],
            "<stdin>: --wakers needs sched:sched_waking, and this input has none: ",
        ),
        (b"", &[], "--off-cpu[=<PID|program>]"),
    ] {
        let args = [args, &["--wakers"]].concat();
        let output = output("stack-parse", &args, input);
        let said = stderr(&output);
        assert!(said.contains(expected), "{said}");
        assert!(said.contains(remedy) || !expected.contains("none of"), "{said}");
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{said}");
    }
}

/// Threads that switch and wake each other without a plan.
fn switches_and_wakings(count: u32, seed: u32) -> Vec<u8> {
    let mut script = String::new();
    for step in 0..count {
        let draw = (seed + step).wrapping_mul(2_654_435_761) >> 7;
        let (from, to, frame) =
            (1 + draw % 4, 1 + draw / 4 % 4, ["f", "g"][draw as usize / 16 % 2]);
        script += &match draw / 32 % 3 {
            0 => waking(step, "sched_waking", from, to, frame),
            1 => switch(step, from, "S", to, frame),
            _ => switch(step, from, "R", to, frame),
        };
    }
    // At least one of each.
    script += &waking(count, "sched_waking", 1, 2, "f");
    script += &switch(count + 1, 1, "S", 2, "f");
    script.into_bytes()
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn time_is_that_of_waits_without_wakers(count in 0..60u32, seed in any::<u16>()) {
        let script = switches_and_wakings(count, seed.into());
        let total = |args: &[&str]| lines(args, &script).iter().map(|it| it.1).sum::<u64>();
        prop_assert_eq!(total(&["--off-cpu", "--wakers"]), total(&["--off-cpu"]));
    }
}

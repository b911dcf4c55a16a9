//! What threads do all the time: `--wall`.
//!
//! The figures in tests/golden/wall/*.tsv are those of a program that shares nothing with ours: one
//! sweep forward over the text of `perf script`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;

use proptest::prelude::*;

use crate::util::{few_cases, golden_path, output, recording, stderr, weight};

const RECORDINGS: [&str; 6] =
    ["a-pool", "convoy", "short", "srv-compute", "srv-wait", "unprivileged"];

fn path(name: &str) -> String {
    golden_path(&format!("wall/{name}.data.zst")).to_str().expect("UTF-8").to_owned()
}

/// A line of slices.
#[derive(Debug)]
struct Line {
    labels: BTreeMap<String, String>,
    stack: String,
    nanoseconds: u64,
}

impl Line {
    fn label(&self, key: &str) -> &str {
        self.labels.get(key).map_or("", String::as_str)
    }

    fn time(&self) -> u64 {
        self.label("time").replace('.', "").parse().expect("seconds with nine digits")
    }
}

fn slices(args: &[&str], input: impl AsRef<[u8]>) -> Vec<Line> {
    let output = output("stack-parse", &[&["--wall"], args].concat(), input);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |line: &str| {
        let (rest, count) = line.rsplit_once(' ').expect("a count");
        let mut fields: Vec<&str> = rest.split('\t').collect();
        let stack = fields.pop().expect("a stack").to_owned();
        let labels = fields.iter().filter_map(|field| field.split_once('='));
        let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Line { labels, stack, nanoseconds: count.parse().expect("a number") }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

/// The time of each thread in each state, and its sum.
fn by_state(lines: &[Line]) -> BTreeMap<(String, &'static str), u64> {
    let mut sums = BTreeMap::new();
    for line in lines {
        let state = match line.label("state") {
            "running" => "running",
            "runnable" => "runnable",
            "waiting" | "waiting-or-runnable" => "waiting",
            "not-recorded" => "unknown",
            other => panic!("{other:?}"),
        };
        for what in [state, "life"] {
            *sums.entry((line.label("tid").to_owned(), what)).or_default() += line.nanoseconds;
        }
    }
    sums
}

/// A thread that had ended was preempted before it woke this one: the sweep does not take its waking.
const WOKEN_BY_WHO_HAD_ENDED: [&str; 2] =
    ["thread 20331 python3: waiting ns", "thread 20331 python3: runnable ns"];

#[test]
fn states_and_lives_are_those_of_another_program() {
    let mut compared = 0;
    for name in RECORDINGS {
        let path = path(name);
        let each = slices(&["--per-sample", "--labels", "time,tid,state", &path], "");
        let summed = slices(&["--labels", "tid,state", &path], "");
        let figures = String::from_utf8(recording(&format!("wall/{name}.tsv"))).expect("UTF-8");
        for lines in [each, summed] {
            let sums = by_state(&lines);
            for row in figures.lines().filter(|row| row.starts_with("thread ")) {
                let (what, figure) = row.split_once('\t').expect("a figure");
                if WOKEN_BY_WHO_HAD_ENDED.contains(&what) {
                    continue;
                }
                let (thread, state) = what.rsplit_once(": ").expect("a state");
                let tid = thread.split(' ').nth(1).expect("a thread").to_owned();
                let state = state.strip_suffix(" ns").expect("nanoseconds");
                let state = ["life", "running", "waiting", "runnable", "unknown"]
                    .into_iter()
                    .find(|known| *known == state)
                    .expect("a state");
                let ours = sums.get(&(tid, state)).copied().unwrap_or(0);
                assert_eq!(ours.to_string(), figure, "{name}: {what}");
                compared += 1;
            }
            let threads: BTreeSet<&str> = lines.iter().map(|line| line.label("tid")).collect();
            assert!(figures.contains(&format!("threads\t{}\n", threads.len())), "{name}");
            let all: u64 = lines.iter().map(|line| line.nanoseconds).sum();
            assert!(figures.contains(&format!("all lives ns\t{all}\n")), "{name}: {all}");
        }
    }
    assert!(compared > 900, "{compared}");
}

/// A thread that runs for less time than passes between two samples has slices without a sample;
/// in sums all its samples speak for all that it ran.
#[test]
fn functions_that_ran_equally_long_weigh_the_same() {
    let of = |lines: &[Line], function: &str| -> u64 {
        let is_in = |line: &&Line| line.stack.split(';').any(|frame| frame == function);
        lines.iter().filter(is_in).map(|line| line.nanoseconds).sum()
    };
    let lines = slices(&["--symfs", &symfs(), &path("short")], "");
    let [tiny, large] = ["tiny", "large"].map(|name| of(&lines, name) as f64);
    assert!((tiny / large - 1.0).abs() < 0.05, "{tiny} {large}");
    let each = slices(&["--symfs", &symfs(), "--per-sample", &path("short")], "");
    let [tiny, large, without] = ["tiny", "large", "[no sample]"].map(|name| of(&each, name));
    assert!(tiny * 3 < large && without > large / 2, "{tiny} {large} {without}");
}

#[test]
fn slices_of_a_thread_follow_each_other_without_a_gap() {
    for name in RECORDINGS.into_iter().chain(["sleepers"]) {
        let lines = slices(&["--per-sample", "--labels", "time,tid,state", &path(name)], "");
        assert_no_gap(&lines, name);
    }
}

/// Asserts that each thread does one thing after the other.
fn assert_no_gap(lines: &[Line], name: &str) {
    let mut threads: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
    for line in lines {
        let slice = (line.time(), line.time() + line.nanoseconds);
        threads.entry(line.label("tid")).or_default().push(slice);
    }
    assert!(!threads.is_empty(), "{name}");
    for (tid, mut slices) in threads {
        slices.sort_unstable();
        for two in slices.windows(2) {
            assert_eq!(two[0].1, two[1].0, "{name}: thread {tid}");
        }
    }
}

/// The weight of all lines that are no header.
fn weight_of_lines(folded: &[u8]) -> u128 {
    let text = String::from_utf8_lossy(folded);
    let lines: String =
        text.lines().filter(|it| !it.starts_with('#')).map(|it| format!("{it}\n")).collect();
    weight(lines.as_bytes())
}

/// The records of a recording that is a file.
fn records(recording: &[u8]) -> Vec<std::ops::Range<usize>> {
    let number = |at: usize, size: usize| {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&recording[at..at + size]);
        u64::from_le_bytes(bytes) as usize
    };
    let (mut at, length) = (number(40, 8), number(48, 8));
    let (mut records, end) = (Vec::new(), at + length);
    while at < end {
        let next = at + number(at + 6, 2);
        records.push(at..next);
        at = next;
    }
    records
}

proptest! {
    #![proptest_config(few_cases())]
    /// Buffers overflow, and nobody knows what was in them.
    #[test]
    fn records_may_be_missing_and_lives_stay_whole(seed in any::<u64>(), name in 0..6usize) {
        const IGNORED: u32 = 11;
        let name = RECORDINGS[name];
        let mut bytes = Vec::new();
        let file = fs::File::open(path(name)).expect("a recording");
        let mut file = ruzstd::decoding::StreamingDecoder::new(file).expect("zstd");
        file.read_to_end(&mut bytes).expect("zstd");
        let mut random = seed | 1;
        for record in records(&bytes) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // Those without a time, and those of perf itself, are never lost.
            let is_of_kernel = matches!(bytes[record.start], 3 | 4 | 7 | 9 | 14 | 15);
            if is_of_kernel && random % 10 == 0 {
                bytes[record.start..record.start + 4].copy_from_slice(&IGNORED.to_le_bytes());
            }
        }
        // The names of functions say nothing of lives, and libraries take long to read.
        let symfs = ["--symfs", &symfs()];
        let each = [&["--per-sample", "--labels", "time,tid,state"], &symfs[..]].concat();
        let each = slices(&each, &bytes);
        assert_no_gap(&each, name);
        let sums = by_state(&slices(&[&["--labels", "tid,state"], &symfs[..]].concat(), &bytes));
        prop_assert_eq!(&by_state(&each), &sums);
        // Without wakings there is no path.
        if name != "unprivileged" {
            let tid = each[0].label("tid");
            let labels = "time,tid,pid,comm,state,waker";
            let args = [&["--wall", "--per-sample", "--labels", labels], &symfs[..]].concat();
            let slices = output("stack-parse", &args, &bytes).stdout;
            let path = output("stack-critical", &["--tid", tid], slices);
            let length = u128::from(sums[&(tid.to_owned(), "life")]);
            prop_assert_eq!(weight_of_lines(&path.stdout), length, "{}", stderr(&path));
        }
    }
}

#[test]
fn who_ended_a_wait_is_a_label_or_a_stack() {
    let labels = ["--per-sample", "--labels", "time,tid,state,waker"];
    let lines = slices(&[&labels[..], &["--symfs", &symfs(), &path("convoy")]].concat(), "");
    let of_state = |state: &'static str| lines.iter().filter(move |it| it.label("state") == state);
    let waiting: Vec<&Line> = of_state("waiting").collect();
    let threads: BTreeSet<&str> = lines.iter().map(|line| line.label("tid")).collect();
    let woken = waiting.iter().filter(|line| threads.contains(line.label("waker"))).count();
    assert!(woken * 10 > waiting.len() * 9, "{woken} of {}", waiting.len());
    assert!(waiting.iter().all(|line| line.label("waker") != line.label("tid")));
    // The four threads were made by the first.
    let made = of_state("runnable").filter(|line| line.label("waker") == "24081").count();
    assert_eq!(made, 4);
    let args = ["--wakers", "--symfs", &symfs(), "--labels", "state", &path("convoy")];
    let stacks = slices(&args, "");
    let by_waker = stacks.iter().filter(|line| line.label("state") == "waiting");
    assert!(by_waker.clone().all(|line| line.stack.contains(";--;")), "{stacks:?}");
    assert!(by_waker.clone().any(|line| line.stack.ends_with(";[libc.so.6+0x891f4];convoy")));
    let all = |lines: &[Line]| lines.iter().map(|line| line.nanoseconds).sum::<u64>();
    assert_eq!(all(&stacks), all(&lines));
}

/// Of processes that run already, all threads are in the recording, also those that sleep.
#[test]
fn threads_that_sleep_all_the_time_are_there() {
    let lines = slices(&["--labels", "tid,state", &path("sleepers")], "");
    let sums = by_state(&lines);
    let lives: Vec<u64> =
        sums.iter().filter(|((_, what), _)| *what == "life").map(|(_, life)| *life).collect();
    assert_eq!(lives.len(), 5, "{sums:?}");
    let of = |state: &str| lines.iter().filter(|it| it.label("state") == state).count();
    assert_eq!((of("waiting-or-runnable"), of("not-recorded"), of("waiting")), (5, 0, 0));
}

#[test]
fn without_wakings_nobody_knows_how_long_a_thread_waited() {
    let output = output("stack-parse", &["--wall", "--header", &path("unprivileged")], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let head = "# event: wall-clock\n# unit: ns\n# source: perf-data\n# clock: monotonic\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("\nforkjoin;[waiting or runnable] 714346909\n"), "{text}");
    assert!(!text.contains("[waiting]"), "{text}");
}

fn switch(time: &str, from: &str, state: &str, to: &str, frame: &str) -> String {
    format!(
        "t{from} {from}/{from} [000] {time}: sched:sched_switch: prev_comm=t{from} \
         prev_pid={from} prev_prio=120 prev_state={state} ==> next_comm=t{to} next_pid={to} \
         next_prio=120\n\t 10 {frame} (/d)\n\n"
    )
}

#[test]
fn text_of_perf_script_has_slices_too() {
    let script = [
        "t1 1/1 [000] 1.000000: 1000 cpu-clock: \n\t 10 work (/d)\n\n".to_owned(),
        switch("1.500000", "1", "S", "2", "read"),
        "t2 2/2 [000] 1.750000: sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000\n\
         \t 10 wake (/d)\n\n"
            .to_owned(),
        switch("2.000000", "2", "R", "1", "spin"),
        switch("2.250000", "1", "X", "2", "exit"),
        switch("2.500000", "2", "S", "0", "sleep"),
    ]
    .concat();
    let summed = output("stack-parse", &["--wall"], &script);
    assert_eq!(
        String::from_utf8_lossy(&summed.stdout),
        "# event: wall-clock\n# unit: ns\n# source: perf-script\n\
         t1;read;[runnable] 250000000\nt1;read;[waiting] 250000000\nt1;work;[running] 750000000\n\
         t2;[no sample];[running] 750000000\nt2;[not recorded] 500000000\n\
         t2;spin;[runnable] 250000000\n",
    );
    assert_eq!(
        stderr(&summed),
        "stack-parse: wall: what threads did in 0.500000 of 2.750000 s is not recorded\n",
    );
    let each = output(
        "stack-parse",
        &["--wall", "--per-sample", "--labels", "time,tid,state,waker"],
        &script,
    );
    let each = String::from_utf8_lossy(&each.stdout).into_owned();
    let waits = "time=1.500000000\tstate=waiting\ttid=1\twaker=2\tt1;read 250000000\n";
    assert!(each.contains(waits), "{each}");
}

#[test]
fn what_a_recording_lacks_is_said() {
    let samples = "t 1 1.0: 1 cpu-clock:\n\t 10 f (/d)\n\nt 1 1.5: 1 cpu-clock:\n\t 10 f (/d)\n\n";
    let refused = output("stack-parse", &["--wall"], samples);
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(
        said.contains("--wall needs the switches of threads, and this input has none"),
        "{said}"
    );
    let sampled = recording("switches/sampled.perf.data.gz");
    let refused = output("stack-parse", &["--wall"], &sampled);
    assert_eq!((refused.status.code(), &refused.stdout[..]), (Some(2), &b""[..]));
    let said = stderr(&refused);
    assert!(said.contains("--wall needs all switches"), "{said}");
    for option in [
        "--off-cpu",
        "--table",
        "--by-event",
        "--weight=period",
        "--every=1",
        "--from=1",
        "--root=label:state",
    ] {
        assert_eq!(output("stack-parse", &["--wall", option], samples).status.code(), Some(2));
    }
}

fn symfs() -> String {
    golden_path("symfs").to_str().expect("UTF-8").to_owned()
}

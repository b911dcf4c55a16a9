//! Every form in which perf prints samples. tests/shapes/record made the recordings, and counted
//! their content without our parser. Forms that perf does not print on a plain machine are made
//! from them by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::util::{filter, golden_files, golden_path, output, recording, weight};

const ALL: [&str; 4] = ["--by-event", "--weight", "samples", "--strict"];

/// The recordings of tests/shapes/record.
pub(super) fn shapes() -> Vec<String> {
    let files = golden_files("formats/perf-script");
    let shape = |file: &String| Some(file.strip_prefix("shape-")?.strip_suffix(".gz")?.to_owned());
    files.iter().filter_map(shape).collect()
}

fn script(name: &str) -> String {
    String::from_utf8(recording(&format!("formats/perf-script/shape-{name}.gz"))).expect("UTF-8")
}

/// perf's counts for a recording: the samples and the periods of each event.
pub(super) fn counts(name: &str) -> BTreeMap<String, (u128, u128)> {
    let path = golden_path(&format!("formats/perf-script/shape-{name}.weight"));
    let text = fs::read_to_string(path).expect("a weight beside each recording");
    let count = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: usize| words[word].parse().expect("a number");
        (words[0].trim_end_matches(':').to_owned(), (number(1), number(2)))
    };
    // The weight and how it was found are above.
    text.lines().skip(2).map(count).collect()
}

/// The weight below each root frame.
fn by_root(folded: &[u8]) -> BTreeMap<String, u128> {
    let mut sums = BTreeMap::new();
    for line in String::from_utf8_lossy(folded).lines() {
        let root = line.rsplit_once(' ').expect("a count").0.split(';').next().unwrap_or_default();
        *sums.entry(root.to_owned()).or_default() += weight(line.as_bytes());
    }
    sums
}

#[test]
fn every_sample_of_every_shape_is_taken() {
    let shapes = shapes();
    assert!(shapes.len() > 20, "{shapes:?}");
    for name in shapes {
        let (script, counts) = (script(&name), counts(&name));
        let output = output("stack-parse", &ALL, &script);
        // perf's own messages are in this one.
        let is_clean = name != "syscalls-F-trace";
        assert_eq!(output.status.success(), is_clean, "{name}: {output:?}");
        let found = by_root(&output.stdout);
        // Not every form has the event.
        let expected = match found.contains_key("[no event]") {
            true => BTreeMap::from([(
                "[no event]".to_owned(),
                counts.values().map(|count| count.0).sum(),
            )]),
            false => counts.iter().map(|(event, count)| (event.clone(), count.0)).collect(),
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn every_period_that_is_printed_is_summed() {
    // The forms without a period, in which each sample counts as one.
    let is_left_out = |name: &str| {
        name.contains("-F-")
            && !["-misc", "-no-dso", "-no-ip", "-no-time"].iter().any(|it| name.ends_with(it))
    };
    for name in shapes() {
        let args = ["--by-event", "--weight", "period"];
        let sum = weight(&output("stack-parse", &args, script(&name)).stdout);
        let (samples, periods) =
            counts(&name).values().fold((0, 0), |sums, count| (sums.0 + count.0, sums.1 + count.1));
        assert_eq!(sum, if is_left_out(&name) { samples } else { periods }, "{name}");
    }
}

#[test]
fn threads_keep_their_odd_names() {
    let names = ["12 34", "99", "[ET_NET 0]", "a 2.5: b", "demo", "io:wrk/1 [x]", "worker 12"];
    let has_no_names = |name: &str| {
        [
            "several-F-ip-sym",
            "several-F-event-ip-sym",
            "several-F-tid-time-event",
            "plain-F-ip-sym",
            "deleted-exe",
            "records-F-event-ip-sym",
        ]
        .contains(&name)
    };
    for name in shapes().iter().filter(|name| !has_no_names(name)) {
        let args = ["--event", "*", "--weight", "samples"];
        let roots = by_root(&output("stack-parse", &args, script(name)).stdout);
        let others = ["other", "swapper", ":-1"];
        let found: BTreeSet<&str> =
            roots.keys().map(String::as_str).filter(|root| !others.contains(root)).collect();
        assert_eq!(found, BTreeSet::from(names), "{name}");
    }
}

#[test]
fn the_same_stacks_come_out_of_every_shape_that_prints_them() {
    let folded = |name: &str, args: &[&str]| {
        String::from_utf8(output("stack-parse", args, script(name)).stdout).expect("UTF-8")
    };
    let args = &["--by-event", "--weight", "period"][..];
    for name in ["several-F-misc", "several-F-no-dso", "several-deltatime", "several-srcline"] {
        assert_eq!(folded(name, args), folded("several", args), "{name}");
    }
    let plain_shapes = ["plain-srcline", "plain-F-no-time"];
    for name in plain_shapes {
        assert_eq!(folded(name, args), folded("plain", args), "{name}");
    }
    for base in ["memory", "plain-memory"] {
        let fields = format!("{base}-fields");
        assert_eq!(folded(&fields, args), folded(base, args), "{fields}");
    }
    let samples = &["--by-event", "--weight", "samples"][..];
    for name in ["several-F-comm-tid-event", "several-F-no-period"] {
        assert_eq!(folded(name, samples), folded("several", samples), "{name}");
    }
    let no_event = &["--weight", "samples", "--root", "none"][..];
    let all = &["--event", "*", "--weight", "samples", "--root", "none"][..];
    for name in ["several-F-ip-sym", "several-F-comm-ip-sym-dso", "several-F-tid-time-event"] {
        // Without the object file an unknown function has no name.
        let args = if name == "several-F-tid-time-event" { all } else { no_event };
        assert_eq!(folded(name, args), folded("several", all), "{name}");
    }
}

#[test]
fn frames_are_named_by_what_is_printed() {
    for (shape, frames) in [
        (
            "several",
            ";thread;apply<std::function<void (unsigned long)> >;(anonymous namespace)::spin ",
        ),
        ("several-F-ip", ";[0xffffffff821ef691];"),
        ("plain", "a 2.5: b;(anonymous namespace)::spin "),
        ("plain-F-no-sym", "demo;[0xffffffff"),
        ("deleted-exe", "io:wrk/1 [x];"),
        ("syscalls", "worker 12;[unknown];__GI___libc_open "),
        ("sched", ";schedule;__schedule "),
    ] {
        let folded = output("stack-parse", &["--event", "*"], script(shape)).stdout;
        let folded = String::from_utf8(folded).expect("UTF-8");
        assert!(folded.contains(frames), "{shape}: {frames:?} is not in\n{folded}");
    }
    let lines = output("stack-parse", &["--srcline", "--event", "cpu*"], script("plain-srcline"));
    let lines = String::from_utf8(lines.stdout).expect("UTF-8");
    assert!(lines.contains("(anonymous namespace)::spin (demo.cpp:"), "{lines}");
}

/// `several` with each line changed by `change`.
fn rewritten(change: impl Fn(&str) -> String) -> String {
    script("several").lines().map(|line| change(line) + "\n").collect()
}

fn is_frame(line: &str) -> bool {
    line.starts_with('\t')
}

/// Asserts that a changed `several` folds like the original.
fn assert_same(script: &str, what: &str) {
    let args = [&ALL[..], &["--annotate"]].concat();
    let expected = filter("stack-parse", &args, self::script("several"));
    assert_eq!(filter("stack-parse", &args, script), expected, "{what}");
}

#[test]
fn shapes_of_other_versions_and_machines_are_read() {
    // perf 6.3 and later: -F +dsoff.
    let with_offset = |line: &str| match line.strip_suffix(')') {
        Some(start) if is_frame(line) && start.contains(" (/") => format!("{start}+0x1a2b)"),
        _ => line.to_owned(),
    };
    assert_same(&rewritten(with_offset), "dsoff");
    // A processor with two kinds of cores.
    let on_cores = |line: &str| match line.contains("00") {
        true => line.replace(" cpu-clock:", " cpu_core/cpu-clock/:"),
        false => line.replace(" cpu-clock:", " cpu_atom/cpu-clock/:"),
    };
    assert_same(&rewritten(on_cores), "hybrid cores");
    // Android's report_sample.py.
    let with_tabs = |line: &str| {
        if let Some((ip, name)) = line.trim().split_once(' ').filter(|_| is_frame(line)) {
            return format!("\t{ip:>16}\t{name}");
        }
        let Some((thread, rest)) = line.rsplit_once(" [00") else { return line.to_owned() };
        let (comm, tid) = thread.trim_end().rsplit_once(' ').expect("a thread");
        let (time, event) = rest.split_once(": ").expect("a time");
        format!("{}\t{tid} [00{time}:\t\t{}", comm.trim_end(), event.trim())
    };
    assert_same(&rewritten(with_tabs), "simpleperf");
    // Text that went through `expand`, or was copied from a web page.
    assert_same(&rewritten(|line| line.replacen('\t', "        ", 1)), "blanks");
    // -F +brstack after each call chain.
    let branches = " 0x5623aa/0x5623b0/P/-/-/3  0x5623b4/0x562390/M/-/-/12 ";
    let script = script("several").replace("\n\n", &format!("\n{branches}\n\n"));
    assert_same(&script, "branches");
}

#[test]
fn the_kernel_is_known_by_every_name() {
    for dso in [
        "[kernel.kallsyms].init.text",
        "[guest.kernel.kallsyms]",
        "/usr/lib/debug/boot/vmlinux-6.1.0-18-amd64",
        "/boot/vmlinux",
        "[nf_tables]",
        "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz",
    ] {
        let script = rewritten(|line| line.replace("([kernel.kallsyms])", &format!("({dso})")));
        assert_same(&script, dso);
    }
}

#[test]
fn files_may_end_anywhere_and_hold_messages_of_perf() {
    let script = script("several");
    assert_same(script.trim_end(), "no last line end");
    assert_same(&script.replace('\n', "\r\n"), "CR LF");
    let messages = "Processed 5 events and lost 4 chunks!\n\nCheck IO/CPU overload!\n\n\
                    [ perf record: Woken up 1 times to write data ]\n";
    let args = &ALL[..3];
    for mixed in [format!("{messages}{script}"), format!("{script}{messages}")] {
        let output = output("stack-parse", args, &mixed);
        assert_eq!(output.stdout, filter("stack-parse", args, &script).into_bytes());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            said.matches(": expected a sample or a frame of perf script\n").count(),
            3,
            "{said}"
        );
        let strict = self::output("stack-parse", &ALL, &mixed);
        assert_eq!(strict.status.code(), Some(2));
    }
}

#[test]
fn only_methods_from_a_jit_map_are_split_at_arrows() {
    let script = |dso: &str| {
        format!(
            "java 7 2.5: 1 cycles:\n\t    7f01 La/B;::f->Lc/D;::g ({dso})\n\t    7f00 La/B;::run ({dso})\n\n"
        )
    };
    let folded = filter("stack-parse", &["--annotate"], script("/tmp/perf-7.map"));
    assert_eq!(folded, "java;La/B:::run_[j];La/B:::f_[j];Lc/D:::g_[i] 1\n");
    let folded = filter("stack-parse", &["--annotate"], script("/prog/demo"));
    assert_eq!(folded, "java;La/B:::run_[o];La/B:::f->Lc/D:::g_[o] 1\n");
}

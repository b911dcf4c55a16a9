//! `--labels`: time, thread and place before the stacks.

use std::collections::BTreeMap;

use crate::util::{TempFile, filter, filter_bytes, output, recording, stderr, weight};

/// Three samples of two threads, one of them with another period.
const SCRIPT: &str = "\
a b 7/8 [001] 10.500000:    1000 cycles:
\t    55d0 f+0x1 (/bin/prog)
\t    55d1 main+0x1 (/bin/prog)

c 7/9 [000] 10.500001:    1000 cycles:
\t    7f00 g (/lib/libc.so.6)
\t    55d1 main+0x1 (/bin/prog)

a b 7/8 [000] 12.000000:    1000 cycles:
\t    55d0 f+0x1 (/bin/prog)
\t    55d1 main+0x1 (/bin/prog)

";

#[test]
fn samples_are_summed_by_labels_and_stacks() {
    for (labels, expected) in [
        ("tid", "tid=8\ta b;main;f 2\ntid=9\tc;main;g 1\n"),
        ("none", "a b;main;f 2\nc;main;g 1\n"),
        (
            "cpu,comm,event,pid,object",
            "comm=a b\tcpu=0\tevent=cycles\tobject=/bin/prog\tpid=7\ta b;main;f 1\n\
             comm=a b\tcpu=1\tevent=cycles\tobject=/bin/prog\tpid=7\ta b;main;f 1\n\
             comm=c\tcpu=0\tevent=cycles\tobject=/lib/libc.so.6\tpid=7\tc;main;g 1\n",
        ),
    ] {
        assert_eq!(filter("stack-parse", &["--labels", labels], SCRIPT), expected, "{labels}");
    }
}

#[test]
fn lines_with_times_come_in_the_order_of_time() {
    let mut samples: Vec<&str> = SCRIPT.split_inclusive("\n\n").collect();
    let expected = "since=0.000000000\ttid=8\ta b;main;f 1\n\
                    since=0.000001000\ttid=9\tc;main;g 1\n\
                    since=1.500000000\ttid=8\ta b;main;f 1\n";
    let args = ["--labels", "tid,since"];
    assert_eq!(filter("stack-parse", &args, SCRIPT), expected);
    assert_eq!(filter("stack-parse", &["--labels", "tid,since", "--per-sample"], SCRIPT), expected);
    // The first sample of the input need not be the earliest.
    samples.rotate_left(1);
    let rotated = expected.replace("1.500000000", "1.499999000").replace("0.000001000", "0+");
    let rotated = rotated.replace("0.000000000", "-0.000001000").replace("0+", "0.000000000");
    assert_eq!(filter("stack-parse", &args, samples.concat()), rotated);
    let times = filter("stack-parse", &["--labels", "time"], SCRIPT);
    assert!(times.starts_with("time=10.500000000\ta b;main;f 1\ntime=10.500001000\tc;"), "{times}");
}

#[test]
fn samples_of_one_time_and_stack_are_one_line() {
    let twice = SCRIPT.replace("10.500001", "10.500000").replace("c 7/9", "a b 7/8");
    let twice = twice.replace("7f00 g (/lib/libc.so.6)", "55d0 f+0x1 (/bin/prog)");
    let folded = filter("stack-parse", &["--labels", "since"], twice);
    let expected = "since=0.000000000\ta b;main;f 2\nsince=1.500000000\ta b;main;f 1\n";
    assert_eq!(folded, expected);
}

#[test]
fn auto_weighs_as_it_does_without_labels() {
    let varied = SCRIPT.replacen("   1000 cycles", "   1500 cycles", 1);
    for labels in ["since", "tid"] {
        let args = ["--labels", labels];
        let found = output("stack-parse", &args, &varied);
        assert!(stderr(&found).contains("periods vary"), "{}", stderr(&found));
        assert_eq!(weight(&found.stdout), 3500, "{labels}");
        let samples = ["--labels", labels, "--weight", "samples"];
        assert_eq!(weight(&filter_bytes("stack-parse", &samples, &varied)), 3, "{labels}");
    }
    // A line is written before the next sample is known.
    let args = ["--labels", "since", "--per-sample"];
    assert_eq!(weight(&output("stack-parse", &args, &varied).stdout), 3);
}

#[test]
fn a_label_that_no_sample_has_is_reported() {
    let found = output("stack-parse", &["--labels", "tid,cgroup"], SCRIPT);
    assert_eq!(stderr(&found), "stack-parse: no sample has the label cgroup\n");
    assert_eq!(weight(&found.stdout), 3);
    for args in [["--labels", "a b"], ["--labels", "tid,"], ["--labels", "9"]] {
        let found = output("stack-parse", &args, SCRIPT);
        assert!(found.status.code() == Some(2) && stderr(&found).contains("the key of a label"));
    }
    for other in ["--table", "--list-events"] {
        let found = output("stack-parse", &["--labels", "tid", other], SCRIPT);
        assert_eq!(found.status.code(), Some(2), "{other}");
    }
}

#[test]
fn roots_are_of_any_label() {
    for (key, roots) in [
        ("tid", ["8", "9"]),
        ("cpu", ["0", "1"]),
        ("object", ["/bin/prog", "/lib/libc.so.6"]),
        ("since", ["0.000000000", "0.000001000"]),
        ("comm", ["a b", "c"]),
    ] {
        let folded = filter("stack-parse", &["--root", &format!("label:{key}")], SCRIPT);
        let mut found: Vec<&str> =
            folded.lines().filter_map(|line| line.split(';').next()).collect();
        found.dedup();
        assert_eq!(found[..2], roots, "{key}");
        assert_eq!(weight(folded.as_bytes()), 3, "{key}");
    }
    let folded = filter("stack-parse", &["--root", "label:cgroup"], SCRIPT);
    assert_eq!(folded, "[no cgroup];main;f 2\n[no cgroup];main;g 1\n");
}

#[test]
fn labelled_lines_are_read() {
    let lines = "since=1.5\ttid=8\tcomm=a\tx=1\tmain;f 2\n\
                 since=2\ttid=9\tcomm=b;c\tmain;f 3\n\
                 main;g 1\n\
                 tid=7\t 4\n";
    let read = |args: &[&str]| {
        let output = output("stack-parse", args, lines);
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(read(&[]), "[no stack] 4\nmain;f 5\nmain;g 1\n");
    assert_eq!(
        read(&["--labels", "tid"]),
        "main;g 1\ntid=7\t[no stack] 4\ntid=8\tmain;f 2\ntid=9\tmain;f 3\n"
    );
    let all = "since=1.500000000\tcomm=a\ttid=8\tx=1\tmain;f 2\n\
               since=2.000000000\tcomm=b;c\ttid=9\tmain;f 3\n\
               main;g 1\n\
               tid=7\t[no stack] 4\n";
    assert_eq!(read(&["--labels", "all"]), all);
    assert_eq!(read(&["--from", "1.6"]), "main;f 3\n");
    assert_eq!(read(&["--to", "2"]), "main;f 2\n");
    assert_eq!(read(&["--root", "comm"]), "[no stack] 4\na;main;f 2\nb:c;main;f 3\nmain;g 1\n");
    let by_x = "1;main;f 2\n[no x];[no stack] 4\n[no x];main;f 3\n[no x];main;g 1\n";
    assert_eq!(read(&["--root", "label:x"]), by_x);
}

#[test]
fn times_of_lines_that_are_no_numbers_and_their_order_are_reported() {
    let read = |args: &[&str], lines: &str| {
        let output = output("stack-parse", args, lines);
        assert!(output.status.success());
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"))
    };
    let lines = "since=abc\tmain;a 1\ntime=xyz\tmain;b 2\nsince=1\tmain;c 3\n";
    let [stdout, stderr] = read(&["--labels", "all"], lines);
    assert_eq!(stdout, "since=1.000000000\tmain;c 3\nmain;a 1\nmain;b 2\n");
    let said = "2 lines have a label since or time that is not in seconds: it is left out";
    assert_eq!(stderr, format!("stack-parse: <stdin>: {said}\n"));

    let lines = "time=1000.5\tmain;a 1\ntime=999.5\tmain;b 2\n";
    let [stdout, stderr] = read(&["--from", "0"], lines);
    assert_eq!(stdout, "main;a 1\nmain;b 2\n");
    assert!(stderr.contains("sort the lines with 'sort -V' before"), "{stderr}");
    let [_, stderr] = read(&[], lines);
    assert_eq!(stderr, "");
}

#[test]
fn a_table_has_the_times_that_lines_say() {
    let lines = "since=1.5\ttime=1001.5\ttid=3\tmain;d 8\nsince=2.5\tmain;e 1\n";
    let table = filter("stack-parse", &["-f", "folded", "--table"], lines);
    let mut rows = table.lines().map(|row| row.split('\t').take(2).collect::<Vec<_>>());
    assert_eq!(rows.next(), Some(vec!["time", "since"]));
    assert_eq!(rows.next(), Some(vec!["1001.5", "1.5"]));
    assert_eq!(rows.next(), Some(vec!["", "2.500000000"]));
}

#[test]
fn roots_and_labels_are_of_the_same_times() {
    for name in ["heaptrack/heap.txt.gz", "heaptrack/old.txt", "stackprof/odd.dump"] {
        let file = recording(&format!("formats/{name}"));
        let labels = filter("stack-parse", &["--labels", "since", "--root", "none"], &file);
        let roots = filter("stack-parse", &["--root", "label:since"], &file);
        let values = |text: &str, end: [char; 2]| -> Vec<String> {
            let mut values: Vec<String> = text
                .lines()
                .filter(|line| line.starts_with(|byte: char| byte.is_ascii_digit()))
                .filter_map(|line| line.split(end).next().map(str::to_owned))
                .collect();
            values.sort();
            values.dedup();
            values
        };
        let labelled = values(&labels.replace("since=", ""), ['\t'; 2]);
        assert!(!labelled.is_empty(), "{name}: {labels}");
        assert_eq!(values(&roots, [';', ' ']), labelled, "{name}");
    }
}

#[test]
fn what_massif_counts_is_no_time() {
    let heap = recording("formats/massif/heap.out.gz");
    let folded = output("stack-parse", &["--labels", "all"], heap).stdout;
    let folded = String::from_utf8(folded).expect("UTF-8");
    let first = folded.lines().next().expect("a line");
    let labels = "event=heap\tmassif.time=1918369 i\t";
    assert!(first.starts_with(labels), "{first}");
    assert!(!folded.contains("since="), "{folded}");
}

#[test]
fn control_groups_are_those_of_perf_report() {
    let data = TempFile::new(recording("labels/cgroup.data.gz"));
    let args = ["--labels", "cgroup", data.path()];
    let folded = output("stack-parse", &args, "").stdout;
    let by_group = filter("stack-merge", &["--by-label", "cgroup"], &folded);
    let mut sums: BTreeMap<&str, u128> = BTreeMap::new();
    for line in by_group.lines() {
        let root = line.split(';').next().expect("a root");
        *sums.entry(root).or_default() += weight(line.as_bytes());
    }
    // perf report --sort cgroup -n
    assert_eq!(sums, BTreeMap::from([("/", 263), ("/td/worker", 174)]));
}

#[test]
fn labels_of_pprof_are_kept() {
    let cpu = recording("formats/pprof/go-cpu.pb.gz");
    let labelled = filter("stack-parse", &["--labels", "worker"], &cpu);
    // From 'go tool pprof -tags'.
    for (worker, total) in [("worker=0\t", 390), ("worker=2\t", 300), ("worker=1\t", 250)] {
        let lines: String =
            labelled.split_inclusive('\n').filter(|line| line.starts_with(worker)).collect();
        assert_eq!(weight(lines.as_bytes()), total * 1_000_000, "{worker}");
    }
}

#[test]
fn fields_of_tracepoints_are_labels_unless_they_are_called_as_others_are() {
    // The process that is woken is not the one that wakes it.
    let text = "app    7 [001]     1.000000: sched:sched_waking: comm=my db pid=99 prio=120 target_cpu=003\n\n";
    let args = ["--per-sample", "--root", "none", "--labels", "tid,pid,comm,prio,target_cpu"];
    let output = output("stack-parse", &args, text);
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(lines, "comm=app\tprio=120\ttarget_cpu=003\ttid=7\t[no stack] 1\n");
    assert!(stderr(&output).contains("no sample has the label pid"), "{}", stderr(&output));
}

//! `--labels` of each format with labels of its own: the weight of each value.

use std::collections::BTreeMap;

use crate::util::{filter, golden_path, output, stderr, tool};

/// A recording, the options, a key, and the weight of each of its values; the value is empty for
/// samples without the label.
type Row = (&'static str, &'static str, &'static str, &'static [(&'static str, u128)]);

/// Each sum was counted without our code, as the comment above it describes.
const ROWS: [Row; 40] = [
    // The lines "java.lang.Thread.State:" below threads with a stack, counted by a few lines of
    // Python: 3 of the RUNNABLE ones are "waiting on condition".
    (
        "jstack/busy.txt.gz",
        "--event *waiting",
        "state",
        &[("RUNNABLE", 3), ("TIMED_WAITING", 9), ("WAITING", 3)],
    ),
    // The same for "prio=" of threads without a stack.
    ("jstack/busy.txt.gz", "--event no-stack", "prio", &[("", 21), ("9", 24)]),
    // By eye.
    ("jstack/bean.txt", "--event blocked", "daemon", &[("true", 1)]),
    ("jstack/virtual.json", "--event running", "virtual", &[("", 1), ("true", 1)]),
    ("jstack/virtual.json", "--event running", "pid", &[("12345", 2)]),
    // By eye, as it is short.
    (
        "hprof/samples.hprof.txt",
        "--event live-bytes",
        "class",
        &[("char[]", 8000), ("java.lang.String", 2000)],
    ),
    ("hprof/samples.hprof.txt", "", "group", &[("", 1), ("main", 9)]),
    // grep '^goroutine', grep 'created by'
    (
        "go-traceback/go1.19-debug2.txt",
        "",
        "state",
        &[("IO wait", 1), ("running", 1), ("semacquire", 2), ("sleep", 2)],
    ),
    (
        "go-traceback/go1.19-debug2.txt",
        "",
        "creator",
        &[("", 1), ("main.main", 4), ("runtime/pprof.StartCPUProfile", 1)],
    ),
    // "jfr print --json", summed by Python.
    (
        "jfr/jdk17-alloc.jfr.gz",
        "--event jdk.ObjectAllocationSample",
        "objectClass",
        &[("[B", 337_531_224), ("java.lang.String", 17_447_232)],
    ),
    (
        "jfr/jdk17-alloc.jfr.gz",
        "--event jdk.JavaMonitorEnter",
        "monitorClass",
        &[("java.lang.Object", 255_241_598)],
    ),
    ("jfr/jdk17-two-chunks.jfr.gz", "", "state", &[("STATE_RUNNABLE", 52)]),
    // grep -c '^Thread N '
    ("gdb/fresh-gdb13-pmp.txt", "", "thread", &[("1", 5), ("2", 5), ("3", 5)]),
    // The third column, summed by awk.
    ("memray/demo.csv.gz", "", "allocator", &[("MALLOC", 196_497), ("REALLOC", 1263)]),
    // By eye: one line each.
    ("wprof/server.ndjson", "", "process", &[("app", 3), ("swapper", 1)]),
    ("wprof/server.ndjson", "--event cpu-cycles", "name", &[("cpu-cycles", 1_000_000)]),
    ("phpspy/request.txt", "", "uri", &[("/orders", 1), ("/reports", 1)]),
    ("phpspy/request.txt", "", "qstring", &[("", 1), ("year=2026", 1)]),
    ("rbspy/v1.raw", "", "on_cpu", &[("", 1), ("false", 1), ("true", 1)]),
    ("austin/full.txt", "--event time", "idle", &[("", 300_000), ("true", 100_000)]),
    ("austin/wall.txt", "", "interpreter", &[("", 1_200_000), ("0", 200_000)]),
    ("austin/wall.txt", "", "tid", &[("6360", 1_200_000), ("6361", 200_000)]),
    // As tests/oracle/mojo.py writes it.
    ("mojo/tasks.mojo", "", "task", &[("", 7_800_000), ("Task-1; first", 2_000_000)]),
    (
        "mojo/tasks.mojo",
        "--event await-time",
        "task",
        &[("", 9_300_000), ("Task-1; first", 7_000_000)],
    ),
    // By eye: the threads and weights of four rows.
    ("xctrace/time-profile.xml", "", "thread", &[("", 1_000_000), ("main", 4_500_000)]),
    ("xctrace/time-profile.xml", "", "cpu", &[("3", 5_500_000)]),
    // From its process_name event.
    ("trace-event/hermes.json", "", "process", &[("app", 5)]),
    ("firefox/cpython.json", "", "process", &[("Python Process", 3)]),
    // By eye.
    ("bcc/offwaketime.txt", "", "waker", &[("kworker/u16:2", 40), ("swapper/1", 3_000_331)]),
    // "pid" of the file.
    ("dhat/heap.json.gz", "", "pid", &[("28024", 152_894)]),
    // The values of the entries by the file of the first frame, summed by a few lines of Python:
    // frames of the kernel have none.
    (
        "bpftrace/fresh-perf-style.txt",
        "",
        "object",
        &[
            ("", 12),
            ("/home/someone/work/prog/demo", 8),
            ("/usr/lib/x86_64-linux-gnu/libc.so.6", 5),
            ("/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", 1),
        ],
    ),
    // The files of the two graphs.
    (
        "pmcstat/demo.txt",
        "",
        "object",
        &[("/boot/kernel/zfs.ko", 120), ("/usr/local/bin/demo", 60)],
    ),
    // From LEAK SUMMARY, and from the sums of the records of each process.
    (
        "memcheck/kinds.txt",
        "",
        "kind",
        &[
            ("definitely lost", 10_195),
            ("indirectly lost", 640),
            ("possibly lost", 2_000),
            ("still reachable", 510),
        ],
    ),
    ("lsan/kinds.txt", "", "kind", &[("direct", 10_195), ("indirect", 640)]),
    // "active" and "owns_gil", by eye; grep '^Thread '.
    ("py-spy-dump/native.json", "", "state", &[("active+gil", 1), ("idle", 2)]),
    ("py-spy-dump/locals.txt", "", "state", &[("active+gil", 1), ("idle", 2)]),
    // The numbers before each "d:" below, summed by awk.
    (
        "rprof/all.Rprof",
        "",
        "duplications",
        &[
            ("0", 3),
            ("1", 7),
            ("10", 1),
            ("12", 2),
            ("13", 1),
            ("198", 1),
            ("2", 1),
            ("3", 1),
            ("4", 2),
            ("5", 3),
            ("6", 1),
            ("7", 1),
        ],
    ),
    // "jfr print --json", summed by Python; the durations in the text are rounded.
    (
        "jfr-print/locks.json.gz",
        "--event jdk.JavaMonitorEnter",
        "monitorClass",
        &[("java.lang.Object", 61_284_875)],
    ),
    ("jfr-print/execution.txt.gz", "", "state", &[("STATE_RUNNABLE", 162)]),
    // "go tool pprof -raw": the mappings of the first locations, by a few lines of Python.
    ("pprof/go-cpu.pb.gz", "", "object", &[("/home/someone/work/go/demo", 1_280_000_000)]),
];

#[test]
fn formats_tell_what_they_know() {
    for (file, args, key, expected) in ROWS {
        assert_eq!(sums(file, args, key), owned(expected), "{file} {args} --labels {key}");
    }
}

/// The objects of leaves in formats with other fields for them.
const OBJECTS: [(&str, &[(&str, u128)]); 4] = [
    // Lines of costs below each ob=, except those of calls, summed by a few lines of Python.
    ("callgrind/contexts.out.gz", CALLGRIND),
    // By eye.
    (
        "macos-sample/demo.txt",
        &[
            ("", 30),
            ("libsystem_kernel.dylib", 150),
            ("libsystem_pthread.dylib", 7),
            ("libz.dylib", 10),
            ("my app", 10),
        ],
    ),
    ("systemtap/demo.txt", &[("/prog/demo", 1), ("/usr/lib/libc.so.6", 300), ("kernel", 12)]),
    ("gdb/wrapped.txt", &[("", 1), ("/lib64/libc.so.6", 2)]),
];

const CALLGRIND: &[(&str, u128)] = &[
    ("/home/someone/work/demo", 15_008),
    ("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", 887),
    ("/usr/lib/x86_64-linux-gnu/libc.so.6", 2924),
];

#[test]
fn objects_are_those_of_leaves() {
    for (file, expected) in OBJECTS {
        assert_eq!(sums(file, "", "object"), owned(expected), "{file}");
    }
}

#[test]
fn what_a_text_says_of_its_threads() {
    for (text, labels, expected) in [
        (
            "goroutine 7 [chan receive, 5 minutes, locked to thread]:\nmain.f(0x1)\n\t/a.go:3\n",
            "state,wait,locked",
            "locked=true\tstate=chan receive\twait=5 minutes\tchan receive;main.f 1\n",
        ),
        (
            "== pid 1 tid 2 comm demo wchan futex_wait\n[<0>] futex_wait+0x1/0x2 [fs]\n",
            "wchan,object",
            "object=[fs]\twchan=futex_wait\tdemo;futex_wait 1\n",
        ),
        (
            "Attaching 1 probe...\n@[demo, 13, /data/a b, 14, 99, \n    f+1\n    main+1\n]: 3\n",
            "comm,pid,tid,key3,key5",
            "comm=demo\tkey3=/data/a b\tkey5=99\tpid=13\ttid=14\tdemo, /data/a b, 99;main;f 3\n",
        ),
        (
            "\"a daemon prio=9\" #3 [7] daemon prio=5 os_prio=0 cpu=1.50ms tid=0x1 nid=7 runnable\n\
             \x20  java.lang.Thread.State: RUNNABLE\n\tat A.f(A.java:1)\n",
            "all",
            "comm=a daemon prio=9\tdaemon=true\tevent=running\tjstack.cpu=1.50 ms\tos_prio=0\t\
             prio=5\tstate=RUNNABLE\ttid=7\ta daemon prio=9;A.f 1\n",
        ),
    ] {
        assert_eq!(filter("stack-parse", &["--labels", labels], text), expected, "{labels}");
    }
}

#[test]
fn a_key_that_a_format_does_not_know_is_reported() {
    let text = "Thread 1 (LWP 7):\n#0  0x1 in f () from /lib/a.so\n";
    let found = output("stack-parse", &["--labels", "thread,object,wchan"], text);
    assert_eq!(found.stdout, b"object=/lib/a.so\tthread=1\tf 1\n");
    assert_eq!(stderr(&found), "stack-parse: no sample has the label wchan\n");
}

fn owned(sums: &[(&str, u128)]) -> BTreeMap<String, u128> {
    sums.iter().map(|&(value, sum)| (value.to_owned(), sum)).collect()
}

/// The weight of each value of a label.
fn sums(file: &str, args: &str, key: &str) -> BTreeMap<String, u128> {
    let mut command = tool("stack-parse");
    command.args(args.split_whitespace()).args(["--labels", key]);
    let output = command.arg(golden_path(&format!("formats/{file}"))).output().expect("it starts");
    assert!(output.status.success(), "{file}: {}", stderr(&output));
    let mut sums = BTreeMap::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        if line.starts_with("# ") {
            continue;
        }
        let value = line.split_once('\t').map_or("", |(label, _)| label);
        let value = value.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
        let weight = line.rsplit_once(' ').expect("a weight").1;
        let weight: u128 = weight.parse().expect("a number");
        *sums.entry(value.unwrap_or_default().to_owned()).or_default() += weight;
    }
    sums
}

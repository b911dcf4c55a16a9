//! What cannot be read, is left out or may be wrong is reported, and counted exactly: each case has
//! the output and all messages.

use std::fs;

use crate::perf_stream::{IN_PROGRAM, Stream, words};
use crate::util::{golden_path, output, recording, stderr, weight};

/// The messages about an input, without the name of the tool and of the input: `3: expected ..`
/// is about line 3. Messages about symbols depend on the files of this machine, and are left out.
fn messages(said: &str) -> Vec<String> {
    let said = said.lines().filter_map(|line| line.strip_prefix("stack-parse: <stdin>:"));
    let said = said.filter(|line| !line.contains(": no symbols for "));
    said.map(|line| line.trim_start().to_owned()).collect()
}

#[test]
fn recordings_say_what_is_wrong_with_them() {
    for (file, expected) in [
        ("austin/full.txt", "1 samples freed memory: they weigh no bytes"),
        (
            "austin/wall-errors.txt.gz",
            "400 samples, 40.0 % of all, were lost while recording: use a longer interval, \
             'austin -i'\n\
             812 of 1000 samples took longer than the interval: there are fewer than asked for, \
             'austin -i' sets a longer one",
        ),
        ("bcc/every.txt", "1 stacks were lost while recording: use a larger --stack-storage-size"),
        ("bcc/profile.txt", "3 stacks were lost while recording"),
        ("bpftrace/fresh-two-maps.txt", "map @total has no stacks, it is left out"),
        (
            "bpftrace/warnings.txt",
            "1 updates of maps were lost while recording: set max_map_keys to a larger number",
        ),
        (
            "cpuprofile/hits.json",
            "1 nodes have a caller that is missing or is below them: their stacks begin there",
        ),
        ("d3-flame-graph/fractions.json", "values have fractions, they are counted in millionths"),
        (
            "d3-flame-graph/own.json",
            "most values are less than those of the children: they are read as own weights",
        ),
        (
            "du/bsd.txt",
            "files weigh 2 more than their folders, all of it is counted: due to rounded sizes \
             ('du -ab' is exact), hard links, or files that changed",
        ),
        (
            "dtrace/drops.txt",
            "367 samples or other records were lost while recording: use larger buffers, \
             -x aggsize=64m -x bufsize=64m\n\
             1 records of probes with errors were lost while recording",
        ),
        ("eu-stack/ends.txt", "1 threads, 25.0 % of all, were lost while recording"),
        ("faulthandler/ends.txt", "Python left out threads: it prints 100, unless told otherwise"),
        ("du/sorted.txt", "the line 'total' is the sum of all others, it is left out"),
        (
            "file-list/find-ls.txt",
            "1 names are hard links to files that were counted before: 33000 bytes are not \
             counted again",
        ),
        (
            "file-list/ls.txt",
            "2 names are hard links of files with several names: each is counted\n\
             22: expected a file with its mode, owner, size and time",
        ),
        (
            "find/size-path.txt",
            "1 lines without a size are the rest of names with line ends: -0 keeps names whole",
        ),
        ("fxt/synth.fxt", "1 spans did not end: they last to the last event of their thread"),
        (
            "ghc-prof/overhead.prof.json.gz",
            "the costs of profiling itself are left out: 399872784 bytes of PROFILING.OVERHEAD_of",
        ),
        (
            "go-traceback/broken.txt",
            "1 goroutines have no stack: they ran, and Go prints that of the current thread only",
        ),
        ("ghc-prof/shares.prof", "only shares of 0.1 % were saved: '+RTS -P' saves exact numbers"),
        (
            "jfr/jdk25-cpu-time.jfr.gz",
            "5 samples of jdk.CPUTimeSample, 0.6 % of all, were lost while recording: use a lower \
             rate, as jdk.CPUTimeSample#throttle=100/s",
        ),
        (
            "stackprof/missed.json.gz",
            "5000 samples, 95.4 % of all, were lost while recording: use a longer interval",
        ),
        ("stackprof/forwarded.json", ""),
        ("stackprof/short-deltas.json.gz", "140 samples have no time: each weighs the interval"),
        (
            "xctrace/time-sample.xml.gz",
            "the stacks of table time-sample have addresses and no names: export another table, as \
             with xctrace export --xpath '/trace-toc/run/data/table[@schema=\"time-profile\"]'",
        ),
        (
            "hprof/samples.hprof.txt",
            "2 rows of earlier tables are left out: the last one of each kind has all",
        ),
        ("jfr-print/execution.txt.gz", "162 stacks may be cut: print with --stack-depth 64"),
        (
            "landmarks-text/demo.txt.gz",
            "landmarks' text has three digits of each figure and no small nodes: \
             OCAML_LANDMARKS=format=json keeps all",
        ),
        (
            "massif/heap.out.gz",
            "snapshot 8 of 11 is taken, the peak: --from and --to choose others",
        ),
        (
            "massif/no-peak.out",
            "snapshot 2 of 4 is taken, the last with a tree: --from and --to choose others",
        ),
        (
            "memcheck/default.txt",
            "indirectly lost: 640 bytes in 20 blocks have no stack: --leak-check=full \
             --show-leak-kinds=all prints them\n\
             still reachable: 510 bytes in 5 blocks have no stack: --leak-check=full \
             --show-leak-kinds=all prints them\n\
             1 errors that are not leaks are not read",
        ),
        ("memcheck/kinds.txt", "1 errors that are not leaks are not read"),
        ("memcheck/processes.txt", "2 errors that are not leaks are not read"),
        ("otlp/today.pb", "2 samples have values below 0, or too large ones: they are left out"),
        (
            "perf-script/shape-syscalls-F-trace.gz",
            "1: expected a sample or a frame of perf script\n\
             2: expected a sample or a frame of perf script\n\
             3: expected a sample or a frame of perf script",
        ),
        (
            "perfetto/heap.pftrace",
            "1 dumps of memory end early, as their buffer overran\n\
             1 counts of memory have no stack in this trace: it is [unknown]",
        ),
        (
            "perfetto/profiles.pftrace",
            "4 samples or other records were lost while recording: use a larger \
             ring_buffer_pages, or a lower frequency\n\
             1 samples have no stack in this trace: it is [unknown]",
        ),
        (
            "perfetto/slices.pftrace",
            "1 packets refer to packets that were lost: they are left out\n\
             1 spans did not end: they last to the last event of their thread\n\
             1 ends are of spans that did not begin: they are left out",
        ),
        (
            "pmcstat/demo.txt",
            "event inst_retired.any: 20 of 200 samples are in no call graph, as pmcstat leaves \
             out small ones",
        ),
        (
            "pprof/odd.pb",
            "comment: built with -O2\n\
             frames that its drop_frames matches are left out, as in pprof: malloc|free\n\
             1 samples have values below zero, -60 in all, which count 0: this is the difference \
             of two profiles\n\
             1 frames have no location in this profile: they are called [unknown]",
        ),
        (
            "pstats/demo.pstats.gz",
            "pstats has callers but no stacks: own costs are exact, totals too; 100.0 % of the \
             weight is in recursion, where totals are off by at most 1.2 % of all",
        ),
        (
            "pyinstrument/demo.json.gz",
            "callees took 1000 more than their callers, all of it is counted",
        ),
        (
            "speedscope/odd.json",
            "frames have numbers up to 9, but the list has 4: others are [unknown]\n\
             1 values are no numbers from 0 to 2^64: they are left out\n\
             1 returns are from functions that were not called: they are left out",
        ),
        (
            "stackprof/flat.json",
            "2 samples, 1.3 % of all, were lost while recording: use a longer interval\n\
             no stacks were saved, only functions: record with 'raw: true'",
        ),
        ("svg/nameattr.svg", "2 boxes have no count: their weight stays with their callers"),
        (
            "trace-event/async.json",
            "1 spans did not end: they last to the last event of their thread\n\
             1 ends are of spans that did not begin: they are left out",
        ),
        (
            "trace-event/hermes.json",
            "1 frames are not in stackFrames: they are left out\n\
             1 frames are their own callers: their stacks begin there",
        ),
        (
            "trace-event/no-start.json",
            "2 samples have no node: they are without a stack\n\
             a profile has an end but no start: its last sample weighs nothing",
        ),
        (
            "trace-event/odd.json",
            "1 spans did not end: they last to the last event of their thread\n\
             1 ends are of spans that did not begin: they are left out",
        ),
        (
            "lsan/limit.txt",
            "LeakSanitizer kept only the first 5000 stacks: other leaks are missing, in the \
             summary too\n\
             2 threads ran while leaks were searched: leaks may be false",
        ),
        (
            "pstats/sampled.pstats",
            "pstats has callers but no stacks: own costs are exact, totals too",
        ),
        ("systemtap/demo.txt", "1 frames are marked (inexact): they may not be callers"),
        (
            "systemtap/warned.txt",
            "142 probes were lost while recording\n\
             2 errors of the script: stacks may be missing",
        ),
        (
            "vtune/parts.csv",
            "it lacks the column CPU Time:Self: taken is \
             CPU Time:Effective Time by Utilization:Self + CPU Time:Spin Time:Self + \
             CPU Time:Overhead Time:Self",
        ),
        (
            "vsprof/fractions.csv",
            "3 numbers have a fraction, they are rounded so that their sum is right",
        ),
    ] {
        let file = format!("formats/{file}");
        let args = golden_path(&format!("{}.args", file.trim_end_matches(".gz")));
        // Most recordings have none.
        let args = fs::read_to_string(args).unwrap_or_default();
        let args: Vec<&str> = args.split_whitespace().collect();
        let output = output("stack-parse", &args, recording(&file));
        assert_eq!(messages(&stderr(&output)).join("\n"), expected, "{file}");
        assert!(output.status.success(), "{file}");
    }
}

/// Asserts the status, the output and all messages for a text.
fn assert_says(args: &[&str], text: &str, (status, folded): (i32, &str), expected: &[&str]) {
    let output = output("stack-parse", args, text);
    let said = stderr(&output);
    assert_eq!(messages(&said), expected, "{text}\n{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), folded, "{text}\n{said}");
    assert_eq!(output.status.code(), Some(status), "{text}\n{said}");
}

#[test]
fn a_page_of_async_profiler_names_the_lines_it_cannot_use() {
    let page = "<!DOCTYPE html>\n<html><script>\n// async-profiler\n\
                function f(key, level, left, width\nconst cpool = [\n'all',\n' a',\n'~b',\n];\n\
                f(0,0,0,9)\nf(9,1,0,5)\nf(17,x,0,4)\nf(17,1,5,4)\nd=1\n";
    let (folded, mut said) = (
        "[unknown] 4\na 5\n",
        vec![
            "this page compares two profiles: only the later one is read",
            "8: expected a name",
            "12: expected a frame",
        ],
    );
    assert_says(&[], &format!("{page}</script></html>\n"), (0, folded), &said);
    said.push("line 14: the page ends too early; what came before is kept");
    assert_says(&[], page, (2, folded), &said);
}

#[test]
fn austin_names_lines_without_a_number_and_counts_memory_that_was_freed() {
    let text = "# austin: 3.3.0\n# mode: memory\n\nP1;T1;a.py:main:7 100\nP1;T1;a.py:main:7 -5\n\
                P1;T1;a.py:main:7\nP1;T1;a.py:main:7 1x\nP1;T1;a.py:main:7 -2\n";
    let expected = "expected frames and a number, as austin prints them";
    let said = [
        &format!("6: {expected}"),
        &format!("7: {expected}"),
        "2 samples freed memory: they weigh no bytes",
    ];
    assert_says(&[], text, (2, "main 100\n"), &said);
}

#[test]
fn bcc_names_lines_within_a_stack_and_a_stack_that_is_cut() {
    let text = "Sampling at 49 Hertz of all threads by user stack... Hit Ctrl-C to end.\n    read\n    \
                -                dd (25036)\n        4\n\n    write\nDetaching...\n    \
                -                dd (25036)\n        2\n    cut\n";
    let said = ["10: expected a count below the last stack", "7: expected a frame or a count"];
    assert_says(&[], text, (2, "dd;read 4\ndd;write 2\n"), &said);
}

#[test]
fn bpftrace_names_what_is_no_number_and_maps_without_stacks() {
    let text = "Attaching 1 probe...\n\n@[\n    a+1\n]: 3\n@[\n    b+1\n]: -3\n@[\n    c+1\n]: \n\
                @t: 44\n@[\n    d+1\n]: count 4, average 1, total 4\n@[\n    e+1\n";
    let said = [
        "map @t has no stacks, it is left out",
        "the weight of stats() is its total",
        "16: expected ']: ' at the end of a map's entry",
        "8: expected a number that is not negative",
        "11: expected a number, found a histogram: use count() or sum()",
    ];
    assert_says(&[], text, (2, "a 3\nd 4\n"), &said);
    let json = r#"{"type": "attached_probes", "data": {"probes": 1}}
{"type": "map", "data": {"@": {"\n    vfs_read+187\n,demo": 3, "\n    a+1\n,demo": -1}}}
{"type": "map", "data": {"@n": 3}}
{"type": "hist", "data": {"@n": 3}}
{"type": "map", "data": 
"#;
    let said = [
        "map @n has no stacks, it is left out",
        "5: expected a message of bpftrace in JSON",
        "2: expected a number: use count() or sum()",
        "4: expected numbers, found histograms: use count() or sum()",
    ];
    assert_says(&[], json, (2, "demo;vfs_read 3\n"), &said);
}

#[test]
fn costs_of_valgrind_that_are_no_numbers_or_below_zero_are_named() {
    let said = [
        "5: expected costs, each a number, after a line 'events:'",
        "6: expected a line of cachegrind",
        "costs of -2 are left out: this is the difference of two profiles",
        "the total of Ir is 4 in the file, but its costs add up to 3",
    ];
    let text = "events: Ir\nfl=a.c\nfn=f\n1 5\n2 x\nodd\n3 -2\nsummary: 4\n";
    assert_says(&["-f", "cachegrind"], text, (2, "f 5\n"), &said);
    let said = ["line 4: expected 'summary:' at the end; what came before is kept"];
    let text = "events: Ir\nfl=a.c\nfn=f\n1 5\n";
    assert_says(&["-f", "cachegrind"], text, (2, "f 5\n"), &said);

    let said = [
        "5: expected costs, each a number",
        "6: expected a line of callgrind",
        "costs of -7 are left out: functions freed more than they took",
        "the total of Ir is 9 in the file, but its costs add up to -2",
    ];
    let text = "events: Ir\nfn=f\n1 5\nfn=g\n2 x\nodd\n3 -7\ntotals: 9\n";
    assert_says(&["-f", "callgrind"], text, (2, "f 5\n"), &said);
    let said = ["line 5: expected 'totals:' at the end; what came before is kept"];
    let text = "creator: callgrind-3.1\npart: 1\nevents: Ir\nfn=f\n1 5\n";
    assert_says(&["-f", "callgrind"], text, (2, "f 5\n"), &said);
}

#[test]
fn sizes_of_files_that_are_counted_twice_or_not_at_all_are_counted() {
    let said = [
        "1 weights are no integers of 64 bits: they are left out",
        "files weigh 4 more than their folders, all of it is counted: due to rounded sizes \
         ('du -ab' is exact), hard links, or files that changed",
    ];
    let text = "10\ta\n6\ta/b\n7\ta/c\n4\td/e\n3\td\n18446744073709551615\tz\n5\tz\n";
    let folded = "a;b 6\na;c 7\nd;e 4\nz 18446744073709551615\n";
    assert_says(&["-f", "du"], text, (0, folded), &said);
    let said = ["line 1: the size is rounded: run 'du -ab', without -h"];
    assert_says(&["-f", "du"], "4.0K\tb\n", (2, ""), &said);
}

#[test]
fn the_json_of_a_program_is_refused_where_its_top_is_something_else() {
    for (format, text, folded, said) in [
        (
            "d3-flame-graph",
            r#"{"name":"x","value":3} 5"#,
            "[no stack] 3\n",
            "the JSON of d3-flame-graph",
        ),
        ("trace-event", r#"{"ph":1} 5"#, "", "trace events"),
        ("stackprof", r#"{"mode":"cpu","frames":{}} 5"#, "", "a profile of stackprof"),
        ("jstack", r#"{"threadDump":{"threadContainers":[]}} 5"#, "", "a dump of threads"),
        ("otlp", r#"{"resourceProfiles":[]} 5"#, "", "profiles of OpenTelemetry"),
        ("py-spy-dump", "[] 5", "", "a list of threads"),
        ("jfr-print", r#"{"recording":{"events":[]}} 5"#, "", "the JSON of 'jfr print'"),
    ] {
        // The reader of JSON has gone past the number when it is found to be wrong.
        let at = text.rfind('5').expect("the number");
        let said = format!("byte {at}: expected {said}; what came before is kept");
        assert_says(&["-f", format], text, (2, folded), &[&said]);
    }
}

#[test]
fn spans_that_come_after_their_time_was_counted_are_counted() {
    let string = |number: u64, name: &[u8; 8]| {
        [2 | 2 << 4 | number << 16 | 8 << 32, u64::from_le_bytes(*name)]
    };
    let event = |size: u64, kind: u64, name: u64, time: u64| {
        [4 | size << 4 | kind << 16 | 1 << 24 | name << 48, time]
    };
    let (begin, end, complete) = (2, 3, 4);
    // A thread is settled after 65,536 begins and ends.
    let last = 70_000;
    let mut trace = vec![0x0016_5478_4604_0010];
    trace.extend([string(1, b"outer___"), string(2, b"inner___")].concat());
    trace.extend([3 | 3 << 4 | 1 << 16, 7, 71]);
    // An end without a begin, in the part that is settled.
    trace.extend(event(2, end, 1, 0));
    trace.extend(event(2, begin, 1, 0));
    trace.extend((1..=last).flat_map(|at| event(2, if at % 2 == 1 { begin } else { end }, 2, at)));
    trace.extend(event(3, complete, 2, 5).into_iter().chain([6]));
    trace.extend(event(3, complete, 2, 7).into_iter().chain([8]));
    trace.extend(event(2, end, 1, last + 1));
    let output = output("stack-parse", &["-f", "fxt"], words(&trace));
    let said = stderr(&output);
    assert_eq!(
        messages(&said),
        [
            "1 ends are of spans that did not begin: they are left out",
            "2 spans come long after they began: the time before is counted without them",
        ],
        "{said}"
    );
    assert_eq!(weight(&output.stdout), u128::from(last) + 1);
}

#[test]
fn what_a_recorder_lost_is_said_in_one_sentence() {
    let bpftrace = "@[\n    f+1\n]: 3\n";
    let json = r#"{"type": "map", "data": {"@": {"\n    f+1\n": 3}}}"#;
    let java = "jdk.ExecutionSample {\n  startTime = 09:10:38.568 (2026-11-25)\n  \
                stackTrace = [\n    A.f() line: 1\n  ]\n}\n\njdk.DataLoss {\n  \
                startTime = 09:10:38.568 (2026-11-25)\n  amount = 64 bytes\n  \
                total = 64 bytes\n}\n";
    let remedy = "set BPFTRACE_PERF_RB_PAGES to a larger number";
    for (text, folded, expected) in [
        (
            format!("Lost 10 events\n{bpftrace}Lost 2 events\n"),
            "f 3\n",
            format!("12 events were lost while recording: {remedy}"),
        ),
        (
            format!("{json}\n{{\"type\": \"lost_events\", \"data\": {{\"events\": 7}}}}\n"),
            "f 3\n",
            format!("7 events were lost while recording: {remedy}"),
        ),
        (java.to_owned(), "A.f 1\n", "64 bytes of events were lost while recording".to_owned()),
    ] {
        assert_says(&[], &text, (0, folded), &[&expected]);
    }
    let strict = output("stack-parse", &["--strict"], format!("Lost 1 events\n{bpftrace}"));
    assert_eq!((strict.status.code(), &strict.stdout[..]), (Some(2), &b"f 3\n"[..]));
    // A provider of Fuchsia's whose buffer was full.
    let full = [&recording("formats/fxt/synth.fxt")[..], &words(&[1 << 4 | 3 << 16])].concat();
    let said = stderr(&output("stack-parse", &[], full));
    let expected = "1 providers had no room for more records: some are missing";
    assert!(messages(&said).contains(&expected.to_owned()), "{said}");
}

#[test]
fn records_of_fuchsias_traces_that_are_too_short_are_counted() {
    let synth = recording("formats/fxt/synth.fxt");
    let whole = output("stack-parse", &[], &synth);
    // Begins of a span without their time.
    let short = words(&[4 | 1 << 4 | 2 << 16 | 1 << 24 | 1 << 48; 2]);
    let damaged = [&synth[..], &short].concat();
    for (trace, expected) in [
        (damaged.clone(), "2 records are too short for their contents".to_owned()),
        (
            [&damaged[..], &words(&[4 | 2 << 4])].concat(),
            format!("it ends within the record at byte {}", damaged.len()),
        ),
        (
            [&synth[..], &words(&[0])].concat(),
            format!("the record at byte {} has no size", synth.len()),
        ),
    ] {
        let output = output("stack-parse", &[], trace);
        let said = stderr(&output);
        assert!(messages(&said).contains(&expected), "{expected}: {said}");
        assert_eq!(output.stdout, whole.stdout, "{expected}");
        assert_eq!(output.status.code(), Some(2), "{expected}");
    }
}

#[test]
fn rows_that_no_tool_prints_are_named_by_their_line() {
    let ghc = "\tTime and Allocation Profiling Report  (Final)\n\n\
               \ttotal time  =        0.11 secs   (many ticks @ 1000 us, 1 processor)\n\
               \ttotal alloc =       2,000 bytes  (excludes profiling overheads)\n\n\
               COST CENTRE MODULE SRC              no.     entries  %time %alloc   %time %alloc\n\n\
               MAIN        MAIN   <built-in>       124           0    0.0    0.0   100.0  100.0\n \
               f          Main   Main.hs:1:1-9    125           1   60.0   50.0    60.0   50.0\n \
               g          Main   Main.hs:2:1-9    126           1   40.0   50.0    40.0   50.0\n\
               odd\n";
    assert_says(
        &["--event", "bytes"],
        ghc,
        (2, "MAIN;Main.f 1000\nMAIN;Main.g 1000\n"),
        &[
            "11: expected a cost centre of GHC",
            "only shares of 0.1 % were saved: '+RTS -P' saves exact numbers",
            "2 shares have a total that is not a number: left out",
        ],
    );
    let expected = "expected an allocation, as memray writes it";
    assert_says(
        &["-f", "memray"],
        "allocator,num_allocations,size,tid,thread_name,stack_trace\n\
         malloc,1,10,1,main,f;a.py;1|g;a.py;2\nmalloc,x,10,1,main,f;a.py;1\nmalloc,1\n",
        (2, "g;f 10\n"),
        &[&format!("3: {expected}"), &format!("4: {expected}")],
    );
    assert_says(
        &[],
        "@ ticks [200 samples]\n\n60.00%  [120]      f @ /bin/demo\n 100.0%  [110]       main\n\n\
         odd row\n30.00%  [60]       g @ /bin/demo\n",
        (0, "f 10\ng 60\nmain;f 110\n"),
        &[
            "event ticks: 20 of 200 samples are in no call graph, as pmcstat leaves out small ones",
            "6: expected a share, a count and a function of pmcstat",
        ],
    );
    assert_says(
        &[],
        "@ ticks [200 samples]\n\n60.00%  [200]      f @ /bin/demo\n 100.0%  [207]       main\n",
        (0, "main;f 207\n"),
        &["callees took 7 more than their callers, all of it is counted"],
    );
    assert_says(
        &[],
        "Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n f,0.5,demo\n g,x,demo\n",
        (2, "Total;f 500000000\n"),
        &["4: expected a function, seconds and a module of VTune"],
    );
}

#[test]
fn a_call_graph_of_sample_names_its_odd_lines_and_its_end() {
    let graph = "Analysis of sampling app (pid 7) every 1 millisecond\n\nCall graph:\n    \
                 9 Thread_1   main\n    + 9 start  (in libdyld.dylib) + 1  [0x7f]\n    +   odd\n    \
                 +   5 main  (in app) + 41  [0x10]  main.rs:7\n";
    let folded = "main;start 4\nmain;start;main 5\n";
    let odd = "6: expected a count and a function";
    assert_says(&[], &format!("{graph}\n"), (0, folded), &[odd]);
    let cut = "7: expected a blank line at the end of the call graph";
    assert_says(&[], graph, (2, folded), &[cut, odd]);
}

#[test]
fn a_profile_of_tachyon_says_how_many_samples_are_missing_or_wrong() {
    let profile = recording("formats/tachyon/little.bin");
    let whole = output("stack-parse", &[], &profile);
    for (at, byte, status, expected) in [
        // The number of samples.
        (28, 11, 2, "10 of its 11 samples are there"),
        // How many of its two frames a stack keeps.
        (0x8c, 3, 0, "1 samples keep more frames than their thread had"),
        // The number of the last frame of five.
        (0x63, 5, 0, "some frames are not in its table: they are called [unknown]"),
    ] {
        let mut damaged = profile.clone();
        damaged[at] = byte;
        let output = output("stack-parse", &[], damaged);
        assert_eq!(messages(&stderr(&output)), [expected]);
        assert_eq!(output.status.code(), Some(status));
        assert_eq!(output.stdout == whole.stdout, at != 0x63, "{at}");
    }
}

#[test]
fn only_some_sums_of_heaptrack_have_times() {
    let heap = recording("formats/heaptrack/heap.txt.gz");
    let said = stderr(&output("stack-parse", &["--from", "0"], heap));
    assert_eq!(messages(&said), ["only allocations and allocated bytes have times"], "{said}");
}

#[test]
fn stacks_that_are_not_in_a_text_are_told() {
    assert_says(
        &[],
        "--- Execution profile ---\nTotal samples       : 5\n\n\
         --- 300 ns (75.00%), 3 samples\n  [ 0] f\n  [ 1] main\n",
        (0, "main;f 300\n"),
        &["only 3 of 5 samples are in this text: 'traces=N' prints more stacks"],
    );
    assert_says(
        &["-f", "dtrace"],
        "\n              unix`f+0x1\n              unix`main+0x1\n                11\n\n              \
         unix`g+0x1\n",
        (2, "unix`main;unix`f 11\n"),
        &["6: expected a number below the last stack"],
    );
    assert_says(
        &["-f", "go-traceback"],
        "goroutine 1 [running]:\nmain.f(0x1)\n\t/a.go:3 +0x1\n...37 frames elided...\n\
         main.main()\n\t/a.go:9 +0x2\n",
        (0, "running;main.main;[truncated];main.f 1\n"),
        &[],
    );
    assert_says(&["-f", "du"], "x\n4\ta\n", (0, "a 4\n"), &["1: expected a size and a path"]);
    assert_says(
        &[],
        "Running Time\tSelf (ms)\t\tSymbol Name\n5.0ms   99.9%\t5\t \tstart\nodd\n",
        (2, "start 5000000\n"),
        &["3: expected a weight and a symbol of Instruments"],
    );
    assert_says(
        &[],
        "==7==ERROR: LeakSanitizer: detected memory leaks\n\n\
         Direct leak of many byte(s) in 1 object(s) allocated from:\n    #0 0x1 in f /a.c:1\n\n\
         Direct leak of 7 byte(s) in 1 object(s) allocated from:\n    #0 0x1 in g /a.c:1\n",
        (2, "g 7\n"),
        &["3: expected the bytes and objects of a leak"],
    );
}

#[test]
fn rows_of_hprof_without_a_trace_are_counted() {
    let profile = String::from_utf8(recording("formats/hprof/samples.hprof.txt")).expect("UTF-8");
    let profile = profile.replace("       6 300001 ", "       6 309999 ");
    let profile = profile.replace("   4 10.00% 100.00%       1 300004 demo.Main.<init>", "odd row");
    assert_says(
        &[],
        &profile,
        (0, "[no stack] 7\ndemo.Main$1.run 2\n"),
        &[
            "2 rows of earlier tables are left out: the last one of each kind has all",
            "cpu-samples: 1 of 10 are in no row: they were below hprof's cutoff",
            "1 rows have traces that are not in this file",
            "29: expected a row of a table of hprof",
        ],
    );
}

#[test]
fn lines_of_xdebug_that_are_earlier_are_counted() {
    let start = "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-22 12:02:54.961208]\n\
                 1\t0\t0\t0.000200\t400256\t{main}\t1\t\t/d.php\t0\t0\n\
                 2\t1\t0\t0.000300\t400256\tf\t1\t\t/d.php\t9\t0\n";
    let end = "2\t1\t1\t0.000290\t400256\n1\t0\t1\t0.000310\t400256\nTRACE END   \
               [2026-11-22 12:02:54.961208]\n";
    let said = ["1 lines are earlier than the one before them: no time passes there"];
    assert_says(&[], &format!("{start}{end}"), (0, "{main} 120000\n"), &said);
}

#[test]
fn boxes_of_a_picture_with_scaled_titles_or_too_much_weight_are_told() {
    let picture = |all: &str, child: &str| {
        format!(
            r#"<svg version="1.1" xmlns="http://www.w3.org/2000/svg"
xmlns:fg="http://github.com/jonhoo/inferno"><g id="frames">
<g><title>all (6 samples, 100%)</title><rect x="0" y="30" width="90" height="15"{all}/></g>
<g><title>f (8 samples, 100%)</title><rect x="0" y="14" width="90" height="15"{child}/></g>
</g></svg>"#
        )
    };
    let scaled = picture(r#" fg:x="0" fg:w="5""#, r#" fg:x="0" fg:w="4""#);
    let said = ["titles show multiples of the counts: the counts themselves are taken"];
    assert_says(&["-f", "svg"], &scaled, (0, "[no stack] 1\nf 4\n"), &said);
    let said = ["callees took 2 more than their callers, all of it is counted"];
    assert_says(&["-f", "svg"], &picture("", ""), (0, "f 8\n"), &said);
    let cut = picture("", "").replace("</g></svg>", "") + "<!-- ";
    let output = output("stack-parse", &["-f", "svg"], cut);
    let said = messages(&stderr(&output)).concat();
    assert!(said.contains(": expected an SVG: "), "{said}");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b"f 8\n"[..]), "{said}");
}

#[test]
fn a_processors_profile_of_gperftools_says_where_it_ends() {
    let profile = words(&[0, 3, 0, 1000, 0, 2, 1, 0x1000, 1, 5]);
    for (profile, folded, expected) in [
        (&profile[..], "[0x1000] 2000000\n", "expected a sample or the end of samples at byte 64"),
        (
            &b"--- symbol\n--- profile\nxx"[..],
            "",
            "expected the header of a processor profile of gperftools",
        ),
    ] {
        let output = output("stack-parse", &["-f", "gperftools"], profile);
        assert!(messages(&stderr(&output))[0].starts_with(expected), "{expected}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), folded);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn packets_of_a_child_in_a_trace_of_ocaml_are_counted() {
    let whole = recording("formats/memtrace/every-event.v3.ctf");
    let folded = output("stack-parse", &[], &whole).stdout;
    // The second packet, again as one of another process: its id is after the magic, the size, two
    // times, a duration and the version; 22 bytes later are the numbers of its objects.
    let start = memchr::memmem::rfind(&whole, &whole[..4]).expect("the magic of a packet");
    let mut child = whole[start..].to_vec();
    child[30] ^= 1;
    let number = |at: usize| u64::from_le_bytes(child[at..at + 8].try_into().expect("8 bytes"));
    let allocations = number(60) - number(52);
    let said =
        format!("2 packets of another process left out, with {} allocations", 2 * allocations);
    let output = output("stack-parse", &[], [&whole[..], &child, &child].concat());
    assert!(messages(&stderr(&output)).contains(&said), "{said}: {}", stderr(&output));
    assert_eq!(output.stdout, folded);
}

#[test]
fn events_of_a_flight_recording_without_a_weight_or_a_stack_are_counted() {
    let whole: &[u8] = include_bytes!("../fuzz/jfr/small.jfr");
    let read = |recording: &[u8]| {
        let output = output("stack-parse", &["--by-event"], recording);
        let folded = String::from_utf8(output.stdout.clone()).expect("UTF-8");
        (folded, messages(&stderr(&output)))
    };
    // The recording itself says which stack it cut.
    let stack = "[truncated];demo.Main.main;demo.Main.work;java.lang.Thread.main";
    assert!(read(whole).0.contains(&format!("jdk.ExecutionSample;{stack} 1\n")));
    // Another name of the field is no weight.
    let named = memchr::memmem::find(whole, b"weight").expect("a field");
    let mut nameless = whole.to_vec();
    nameless[named] = b'W';
    let (folded, said) = read(&nameless);
    assert_eq!(said, ["1 events have no weight: each counts one"]);
    assert!(folded.contains("jdk.ObjectAllocationSample;demo.Main.main;demo.Main.work 1\n"));
    // The chunk with other events after its header, which has its size.
    let header = 68;
    let chunk = |events: &[u8]| {
        let mut chunk = [&whole[..header], events, &whole[header..]].concat();
        let size = chunk.len() as u64;
        chunk[8..16].copy_from_slice(&size.to_be_bytes());
        chunk
    };
    // Size, type, time, thread and stack as in the sample that is there, and a weight of -1.
    let sample = [&b"\x0f\x66\x94\x0a\x01\x01"[..], &[0xff; 9]].concat();
    let (_, said) = read(&chunk(&sample.repeat(2)));
    assert_eq!(said, ["2 events have a weight below zero or over 64 bits: they are left out"]);
    // 4,096 events of a type without a stack so far are kept.
    let (folded, said) = read(&chunk(&b"\x08\x67\xf8\x0a\x88\x27\x02\x00".repeat(4099)));
    assert_eq!(
        said,
        ["3 samples of jdk.ThreadSleep have no stack and come before all that have one: they are \
          left out (weight 15.0 us)"]
    );
    assert!(folded.contains(&format!("jdk.ThreadSleep {}\n", 4096 * 5000)), "{folded}");
}

#[test]
fn what_a_recording_of_perf_lost_or_holds_besides_samples_is_counted() {
    let samples = |count: u64| {
        let stream = Stream::new().map(7, IN_PROGRAM, 0x1000, 0x3000, 0, "/gone.so");
        (0..count).fold(stream, |stream, at| stream.sample(IN_PROGRAM, 0x1100 + at))
    };
    let (lost, sample, auxtrace, round) = (2, 9, 71, 68);
    let damaged = |stream: Stream| (stream.bytes.len(), stream.record(sample, 0, &[0; 8]));
    let (first, one) = damaged(samples(3));
    let (_, two) = damaged(damaged(samples(3)).1);
    let cut = [&two.bytes[..], &[9, 0, 0, 0, 0, 0, 24, 0]].concat();
    let mut traced = samples(3).record(auxtrace, 0, &words(&[24, 0, 0, 0, 0]));
    traced.bytes.extend([1; 24]);
    let rounds = (0..3).fold(samples(3), |stream, _| stream.record(round, 0, &[]));
    let late = words(&[0x1100, 7 << 32 | 7, 1]);
    for (bytes, weighs, status, expected) in [
        (
            samples(3).timed(lost, 0, &words(&[0, 5])).bytes,
            3,
            0,
            "5 samples or other records, 62.5 % of all, were lost while recording: use a larger \
             'perf record -m'"
                .to_owned(),
        ),
        (
            samples(3)
                .record(
                    10,
                    1 << 12,
                    &[words(&[7 << 32 | 7, 0x9000, 0x1000, 0]), vec![0; 48]].concat(),
                )
                .bytes,
            3,
            0,
            "1 processes have maps that perf had no time to read, so code in them has no name: \
             record with --proc-map-timeout 5000"
                .to_owned(),
        ),
        (one.bytes, 3, 2, format!("1 damaged records were left out, the first at byte {first}")),
        (cut, 3, 2, format!("2 damaged records were left out, the first at byte {first}; ")),
        (traced.bytes, 3, 0, "24 bytes of a trace by the processor (AUX) left out".to_owned()),
        (
            rounds.record(sample, IN_PROGRAM, &late).record(sample, IN_PROGRAM, &late).bytes,
            5,
            0,
            "2 records came too late to be put in the order of time".to_owned(),
        ),
    ] {
        let output = output("stack-parse", &[], bytes);
        let said = stderr(&output);
        let is_it = |it: &String| it.starts_with(&expected);
        assert!(messages(&said).iter().any(is_it), "{expected}: {said}");
        let nameless = "stack-parse: <stdin>: /gone.so: no symbols for 100.0 % of all frames: ";
        assert!(said.contains(nameless), "{said}");
        assert_eq!(
            (weight(&output.stdout), output.status.code()),
            (weighs, Some(status)),
            "{said}"
        );
    }
}

#[test]
fn what_a_filter_of_perf_left_out_is_not_lost() {
    let (lost_samples, by_filter) = (13, 1 << 15);
    let stream = Stream::new().map(7, IN_PROGRAM, 0x1000, 0x3000, 0, "/gone.so");
    let stream = stream.sample(IN_PROGRAM, 0x1100);
    let filtered = stream.timed(lost_samples, by_filter, &words(&[5000]));
    let output = output("stack-parse", &["--strict", "--header"], filtered.bytes);
    let said = messages(&stderr(&output));
    assert!(
        said.contains(&"5000 samples were left out by the filter of 'perf record'".to_owned()),
        "{said:?}"
    );
    assert!(output.status.success(), "{said:?}");
    let header = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(header.contains("# lost: 0 of 1 samples\n"), "{header}");
}

#[test]
fn the_share_of_frames_without_a_name_is_told_for_each_file() {
    let said = stderr(&output("stack-parse", &[], recording("formats/otlp/today.pb")));
    // A third of the frames is in each of two files, which have no names.
    for file in ["5e0b1f7a00d1", "libdraw.so"] {
        let expected = format!("<stdin>: {file}: no symbols for 33.3 % of all frames: ");
        assert!(said.contains(&expected), "{expected}: {said}");
    }
}

#[test]
fn messages_that_are_cut_in_a_stream_of_protocol_buffers_are_named() {
    for (format, file, what) in [
        ("otlp", "otlp/today.pb", "the input ends within a field at byte "),
        ("perfetto", "perfetto/three.pftrace", "the input ends within a packet at byte "),
    ] {
        let whole = recording(&format!("formats/{file}"));
        let output = output("stack-parse", &["-f", format], &whole[..whole.len() - 3]);
        let said = messages(&stderr(&output));
        let is_it =
            |it: &String| it.starts_with(what) && it.ends_with("; what could be read is kept");
        assert!(said.iter().any(is_it), "{format}: {said:?}");
        assert_eq!(output.status.code(), Some(2), "{format}");
    }
}

#[test]
fn folded_lines_without_frames_or_a_count_are_told() {
    let output = output("stack-parse", &["-f", "folded"], " 3\nmain 2\nodd\n");
    assert_eq!(output.stdout, b"[no stack] 3\nmain 2\n");
    assert_eq!(
        stderr(&output),
        "stack-parse: <stdin>:3: expected 'frame;frame count', found no count at the end\n\
         stack-parse: 1 line without frames, of weight 3, counts as the stack [no stack]\n"
    );
}

#[test]
fn a_line_that_heaptrack_does_not_write_is_named() {
    let mut text = recording("formats/heaptrack/old.txt");
    let line = text.iter().filter(|byte| **byte == b'\n').count() + 1;
    text.extend(b"odd\n");
    let output = output("stack-parse", &[], text);
    let said = format!("{line}: expected a line of heaptrack");
    assert!(messages(&stderr(&output)).contains(&said), "{said}: {}", stderr(&output));
}

#[test]
fn shares_of_what_is_wrong_in_perf_script_are_exact() {
    let (f, main) = ("f+0x1 (/d)", "main+0x1 (/d)");
    let unknown = "[unknown] ([unknown])";
    let compiled = "[unknown] (/tmp/perf-17.map)";
    let switch = "caml_start_program+0x1 (/d)";
    let limit = [f; 127];
    // How many samples of 40 have these frames; the others are `main;f`.
    for (count, frames, expected) in [
        (10, &[unknown; 3][..], "25.0 % of the weight is in stacks of mostly unknown functions: "),
        (10, &[compiled, main], "25.0 % of the weight is in stacks with unknown functions that "),
        (1, &limit, "2.5 % of the weight is in stacks cut at 127 frames, which lack their roots: "),
        (4, &[f, switch], "10.0 % of the weight is in stacks cut at OCaml's runtime: "),
        (
            30,
            &["caml_interprete+0x1 (/d)", main],
            "the program is bytecode of OCaml: 75.0 % of the weight is in its interpreter, ",
        ),
        (
            30,
            &[f],
            "75.0 % of the weight in programs has one function of the program and no caller, ",
        ),
    ] {
        let sample = |frames: &[&str]| {
            let frames: Vec<String> =
                frames.iter().map(|it| format!("\t            2534 {it}\n")).collect();
            format!("d 17 2.5: 1 cycles: \n{}\n", frames.concat())
        };
        let script = sample(&[f, main]).repeat(40 - count) + &sample(frames).repeat(count);
        let said = stderr(&output("stack-parse", &[], script));
        let is_all = said.lines().count() == 1;
        assert!(
            said.starts_with(&format!("stack-parse: {expected}")) && is_all,
            "{expected}: {said}"
        );
    }
    let script = "d 17 2.5: 1 cycles: 2534 f+0x1 (/d)\n".repeat(40);
    let said = stderr(&output("stack-parse", &[], script));
    assert_eq!(said, "stack-parse: no sample has a call chain: record with 'perf record -g'\n");
}

#[test]
fn a_stack_of_rbspy_that_is_none_is_named() {
    let output = output("stack-parse", &[], "rbspy02\n{\"trace\":[]}\n5\n");
    let said = messages(&stderr(&output)).concat();
    assert!(said.ends_with(": expected a stack of rbspy; what came before is kept"), "{said}");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b"[no stack] 1\n"[..]));
}

#[test]
fn stacks_of_which_a_recording_has_a_part_are_counted() {
    let deep = recording("formats/perf-data/dwarf-deep-8k.perf.data.gz");
    let symfs = golden_path("symfs");
    let symfs = symfs.to_str().expect("a path in UTF-8");
    let args = ["--weight", "samples", "--root", "none"];
    let here = output("stack-parse", &[&args[..], &["--symfs", symfs]].concat(), &deep);
    let folded = String::from_utf8_lossy(&here.stdout);
    let cut: String = folded.split_inclusive('\n').filter(|it| it.starts_with("[trun")).collect();
    let share = 100.0 * weight(cut.as_bytes()) as f64 / weight(&here.stdout) as f64;
    let expected = format!(
        "{share:.1} % of the stacks are longer than what was recorded of them and end in \
         [truncated]: record with --call-graph dwarf,65528, and with a lower -F if samples are then \
         lost"
    );
    assert!((50.0..100.0).contains(&share), "{folded}");
    assert!(messages(&stderr(&here)).contains(&expected), "{expected}: {}", stderr(&here));
}

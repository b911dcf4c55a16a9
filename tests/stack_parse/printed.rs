//! Profiles that programs print as text, beyond their golden files.

use crate::util::{output, recording, stderr, weight};

/// The weight of a file with these options, and the messages.
fn weighed(file: &str, args: &[&str]) -> (u128, String) {
    let output = output("stack-parse", args, recording(&format!("formats/{file}")));
    (weight(&output.stdout), stderr(&output))
}

fn folded(args: &[&str], input: impl AsRef<[u8]>) -> (String, String) {
    let output = output("stack-parse", args, input);
    (String::from_utf8(output.stdout.clone()).expect("UTF-8"), stderr(&output))
}

#[test]
fn jemalloc_samples_are_scaled_unless_they_are_counted() {
    // The scaled sums are from a few lines of Python and from jeprof, which truncates them; the raw
    // ones from awk over the lines "t*:" below a stack.
    for (file, event, scaled, raw) in [
        ("mill.heap", "inuse_objects", 314, 143),
        ("mill.heap", "inuse_space", 287_061, 187_309),
        ("mill.heap", "alloc_space", 0, 0),
        ("threads.heap", "inuse_objects", 2_679, 567),
        ("threads.heap", "inuse_space", 3_354_623, 1_778_439),
        ("threads.heap", "alloc_objects", 3_300, 674),
        ("threads.heap", "alloc_space", 3_970_483, 2_094_256),
        ("jeprof.raw", "alloc_space", 3_970_483, 2_094_256),
    ] {
        let file = format!("jemalloc/{file}");
        assert_eq!(weighed(&file, &["--event", event]).0, scaled, "{file} {event}");
        let args = ["--event", event, "--weight", "samples", "--root", "tid"];
        assert_eq!(weighed(&file, &args).0, raw, "{file} {event}");
    }
}

#[test]
fn threads_of_jemalloc_share_what_all_of_them_have() {
    let heap = "heap_v2/0\n  t*: 9: 90 [0: 0]\n  t1: 4: 40 [0: 0] a b\n@ 0x11 0x21\n  \
                t*: 9: 90 [0: 0]\n  t1: 4: 40 [0: 0]\n  t2: 3: 30 [0: 0]\n";
    let (lines, said) = folded(&["--root", "comm"], heap);
    assert_eq!((&lines[..], &said[..]), ("[0x20];[0x10] 50\na b;[0x20];[0x10] 40\n", ""));
    // A second profile follows, with other threads at other places.
    let (lines, _) = folded(&["--labels", "tid"], format!("{heap}\n{heap}"));
    assert_eq!(lines, "[0x20];[0x10] 40\ntid=1\t[0x20];[0x10] 80\ntid=2\t[0x20];[0x10] 60\n");
}

#[test]
fn what_is_wrong_in_a_profile_of_jemalloc_is_reported() {
    let heap = |lines: &str| format!("heap_v2/4096\n@ 0x1\n{lines}\n");
    for (input, expected) in [
        (heap(""), ":2: expected the line 't*:' after a stack"),
        (heap("  t*: 18446744073709551615: 1 [0: 0]"), ":2: expected counts whose sums fit"),
        (heap("  t*: 1: 8 [0: 0]\n@ 0x1 main\n"), ":4: expected '@' and addresses"),
        (
            heap("  t*: 1: 8 [0: 0]\n  f: 2000 1000 8 1\nheap_v3\n"),
            ":5: expected a line of a heap profile of jemalloc",
        ),
        ("heap_v2/many\n".to_owned(), ":1: expected 'heap_v2/' and a number of bytes"),
    ] {
        let (_, said) = folded(&[], &input);
        assert!(said.contains(expected), "{input}: {said}");
    }
}

#[test]
fn what_a_summary_of_leaks_has_beyond_the_stacks_is_reported() {
    // From LEAK SUMMARY of each file.
    let (_, said) = weighed("memcheck/default.txt", &[]);
    for expected in [
        "indirectly lost: 640 bytes in 20 blocks have no stack: --leak-check=full ",
        "still reachable: 510 bytes in 5 blocks have no stack: --leak-check=full ",
        ": 1 errors that are not leaks are not read",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    let (lines, said) = folded(
        &["--event", "blocks"],
        "==7== 8 bytes in 2 blocks are definitely lost in loss record 1 of 1\n\
         printed ==7==    at 0x1: f (a.c:1)\n\
         ==8== 9 bytes in 3 blocks are still reachable in loss record 1 of 1\n\
         ==7==    by 0x2: main (a.c:2)\n\
         ==8==    at 0x3: g (a.c:3)\n==8== \n==7== \n\
         ==8== x bytes in 3 blocks are definitely lost in loss record 1 of 1\n\
         ==7== LEAK SUMMARY:\n==7==    definitely lost: 8 bytes in 2 blocks\n\
         ==7==         suppressed: 1,000 bytes in 3 blocks\n",
    );
    assert_eq!(lines, "g 3\nmain;f 2\n");
    assert!(said.contains(": suppressed: 1000 bytes in 3 blocks have no stack\n"), "{said}");
    assert!(said.contains(":8: expected the bytes, blocks and kind of a leak"), "{said}");
    let search = "==7== 8 bytes in 2 blocks are still reachable in loss record 1 of 1\n\
                  ==7==    at 0x1: f (a.c:1)\n==7== \n==7== LEAK SUMMARY:\n\
                  ==7==    still reachable: 8 bytes in 2 blocks\n";
    let (lines, said) = folded(&[], search.repeat(2));
    assert_eq!(lines, "f 16\n");
    assert!(said.contains(": 1 searches for leaks came after another one: "), "{said}");
    let leak = "Direct leak of 8 byte(s) in 2 object(s) allocated from:\n    #0 0x1 in f a.c:1\n";
    let suppressed = "-----\nSuppressions used:\n  count      bytes template\n\
                      \x20     2        100 lib\n      1          7 a b\n-----\n";
    let more = "==7==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x2 in g a.c:1\n\
                SUMMARY: AddressSanitizer: 9 byte(s) leaked in 3 allocation(s).\n";
    let (lines, said) = folded(&[], format!("{leak}\n{suppressed}\n{more}"));
    assert_eq!(lines, "f 8\n");
    let unlisted = ": 1 bytes in 1 blocks are in the summary and have no stack: ";
    assert!(said.contains(": suppressed: 107 bytes in 3 blocks have no stack\n"), "{said}");
    assert!(said.contains(unlisted) && said.contains("1 errors that are not leaks"), "{said}");
}

#[test]
fn what_is_missing_in_a_print_is_an_error_if_that_is_asked_for() {
    for file in ["lsan/limit.txt", "systemtap/warned.txt"] {
        let input = recording(&format!("formats/{file}"));
        for (args, status) in [(&[][..], 0), (&["--strict"], 2)] {
            let output = output("stack-parse", args, &input);
            assert_eq!(output.status.code(), Some(status), "{file}: {}", stderr(&output));
        }
    }
}

#[test]
fn threads_of_py_spy_are_of_their_process() {
    let (lines, said) = folded(
        &["--labels", "pid,state"],
        "Process 7: python3\nPython v3.11\n\nThread 7 (idle): \"main\"\n    f (a.py:1)\n\
         Process 8: python3\nParent Process 7: python3\n\nThread 8 (active)\n    g (a.py:2)\n\
         Thread 9 (active+gil): \"other\"\n    h (a.py:3)\n",
    );
    assert_eq!(
        lines,
        "pid=7\tstate=idle\tmain;f 1\npid=8\tstate=active\tg 1\nstate=active+gil\tother;h 1\n"
    );
    assert_eq!(said, "");
}

#[test]
fn samples_of_rprof_have_lines_memory_and_odd_names() {
    let profile = "memory profiling: line profiling: sample.interval=20000\n#File 1: a b.R\n\
                   :1:2:3:4:\"<GC>\" 1#5 \"a \"b\"\" 2#6 \"main\" 1#9 \n";
    let (lines, said) = folded(&["--srcline", "--labels", "nodes"], profile);
    assert_eq!((&lines[..], &said[..]), ("nodes=3\tmain;a \"b\" (a b.R:5);<GC> 1\n", ""));
    let (lines, said) = folded(&["--event", "time"], format!("{profile}:1:x\n\"f\" g\n"));
    // The part of a sample that is not understood is reported, and the sample counts.
    assert_eq!(lines, "f 20000000\nmain;a \"b\";<GC> 20000000\n");
    assert!(said.contains(":4: expected a sample of Rprof"), "{said}");
    assert!(said.contains(":5: expected names in quotation marks"), "{said}");
    let deep = format!("sample.interval=20000\n{}\n", "\"f\" ".repeat(2500));
    assert!(folded(&[], deep).1.contains(": 1 stacks may lack their callers"));
}

#[test]
fn a_print_of_a_flight_recording_says_what_it_lacks() {
    let (_, said) = weighed("jfr-print/execution.txt.gz", &[]);
    // grep -c ' [.][.][.]$'
    assert!(said.contains(": 162 stacks may be cut: print with --stack-depth 64"), "{said}");
    let event =
        |fields: &str| format!("jdk.ThreadPark {{\n  startTime = 00:00:01.000\n{fields}}}\n");
    let stack = "  stackTrace = [\n    a.B.c(int) line: 3\n  ]\n";
    let text = [
        event(&format!("  duration = 2.5 ms\n{stack}")),
        event(""),
        event("  duration = N/A\n"),
        event("  duration = long\n"),
    ];
    let (lines, said) = folded(&[], text.concat());
    // A duration of 0 is not printed.
    assert_eq!(lines, "[no stack] 1\na.B.c 2500000\n");
    assert!(said.contains("1 events have a weight that is not a number"), "{said}");
    assert!(said.contains("1 events have no weight"), "{said}");
}

#[test]
fn stacks_of_a_flight_recording_in_json_may_be_cut_where_the_default_depth_is_the_deepest() {
    let printed = |depths: &[usize]| {
        let event = |&depth: &usize| {
            let frame = r#"{"method":{"type":{"name":"a.B"},"name":"c"},"lineNumber":3}"#;
            let frames = vec![frame; depth].join(",");
            format!(
                r#"{{"type":"jdk.ExecutionSample","values":{{"startTime":"2026-11-20T09:10:38Z",
"stackTrace":{{"truncated":false,"frames":[{frames}]}}}}}}"#
            )
        };
        let events: Vec<String> = depths.iter().map(event).collect();
        folded(&[], format!(r#"{{"recording":{{"events":[{}]}}}}"#, events.join(","))).1
    };
    let said = "stack-parse: <stdin>: 2 stacks may be cut: print with --stack-depth 64\n";
    assert_eq!(printed(&[5, 2, 5]), said);
    // A shallower or deeper print was not cut at the default depth.
    for depths in [&[4, 2, 4][..], &[5, 6, 5], &[6, 5, 5], &[2]] {
        assert_eq!(printed(depths), "", "{depths:?}");
    }
    // JSON says, too, where the recording itself was cut.
    let text = r#"{"recording":{"events":[{"type":"jdk.ExecutionSample","values":{
"stackTrace":{"truncated":true,"frames":[{"method":{"type":{"name":"a.B"},"name":"c"}}]}}}]}}"#;
    let (lines, said) = folded(&[], text);
    assert_eq!(lines, "[truncated];a.B.c 1\n");
    assert!(said.contains(": 1 stacks may be cut: print with --stack-depth 64"), "{said}");
}

#[test]
fn lines_that_are_in_no_event_of_a_flight_recording_are_named() {
    let event = |frames: &str| {
        let start = "jdk.ExecutionSample {\n  startTime = 09:10:38.271\n  stackTrace = [\n";
        format!("{start}{frames}  ]\n}}\n")
    };
    let text = [
        &event("    a.B.c(int) line: 3\n    ...\n")[..],
        "odd\n",
        &event("    a.B.c(int) line: 3\n    odd\n"),
    ];
    let (lines, said) = folded(&[], text.concat());
    assert_eq!(lines, "[truncated];a.B.c 1\na.B.c 1\n");
    assert_eq!(
        said,
        "stack-parse: <stdin>:13: expected a method and its line\n\
         stack-parse: <stdin>: 1 stacks may be cut: print with --stack-depth 64\n\
         stack-parse: <stdin>:8: expected an event of 'jfr print'\n"
    );
}

#[test]
fn a_traceback_of_python_shows_what_it_left_out_and_threads_without_frames() {
    let text = "Timeout (0:00:00.050000)!\n\
                Thread 0x1 [worker] (most recent call first):\n  \
                File \"demo.py\", line 8 in _gen\n  ...\n\n\
                Thread 0x2 (most recent call first):\n  Garbage-collecting\n  \
                File \"demo.py\", line 6 in score\n\n\
                Current thread 0x3 (most recent call first):\n  <no Python frame>\n";
    let (lines, said) = folded(&["--root", "label:tid"], text);
    assert_eq!(
        (&lines[..], &said[..]),
        ("0x1;[truncated];_gen 1\n0x2;score;Garbage-collecting 1\n0x3 1\n", "")
    );
}

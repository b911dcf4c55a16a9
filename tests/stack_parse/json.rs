//! Formats in JSON, beyond their golden files: threads, times, damage, depth.

use std::fs;

use crate::util::{filter, output, recording, third_party, weight};

fn stderr(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Two threads, the second of which begins first.
const THREADS: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
"shared":{"frames":[{"name":"main","file":"demo.py","line":7},{"name":"work"}]},"profiles":[
{"type":"sampled","name":"a","unit":"seconds","startValue":2,"endValue":4,"samples":[[0],[0,1]],"weights":[1,1]},
{"type":"sampled","name":"b","unit":"seconds","startValue":1,"endValue":3.5,"samples":[[1],[0]],"weights":[2,0.5]}]}"#;

#[test]
fn threads_are_roots_where_there_are_several() {
    let folded = "a;main 1000000000\na;main;work 1000000000\nb;main 500000000\nb;work 2000000000\n";
    assert_eq!(filter("stack-parse", &[], THREADS), folded);
    let one = THREADS.replace(r#""name":"b","unit":"seconds""#, r#""name":"b","unit":"bytes""#);
    let by_name = output("stack-parse", &["--root", "comm"], &one).stdout;
    assert!(by_name.starts_with(b"a;main 1"), "{}", stderr(&by_name));
    let output = output("stack-parse", &[], &one);
    assert_eq!(stderr(&output.stdout), "main 1000000000\nmain;work 1000000000\n");
    assert!(stderr(&output.stderr).contains("bytes"), "{}", stderr(&output.stderr));
}

#[test]
fn samples_are_in_the_order_of_their_time() {
    let rows = "b;work 2000000000\na;main 1000000000\na;main;work 1000000000\nb;main 500000000\n";
    assert_eq!(filter("stack-parse", &["--per-sample"], THREADS), rows);
    let table = filter("stack-parse", &["--table"], THREADS);
    let second = table.lines().nth(2).expect("a row");
    assert!(second.starts_with("2.000000\t1.000000\ta\t"), "{second}");
    let late = output("stack-parse", &["--from", "1.5"], THREADS).stdout;
    assert_eq!(stderr(&late), "a;main;work 1000000000\nb;main 500000000\n");
}

#[test]
fn source_lines_are_shown() {
    let folded = filter("stack-parse", &["--srcline", "--root", "none"], THREADS);
    assert!(folded.starts_with("main (demo.py:7) 1500000000\n"), "{folded}");
    for (case, line) in [
        ("cpuprofile/hits.json", "outer (b.js:10:1);inner (b.js:1:5) 5\n"),
        ("trace-event/odd.json", "worker; one;A (a.py:3);B 2500\n"),
        ("firefox/processed.json", "main;main;work (demo.rs:14:3);[demo+0x123] 2\n"),
        ("austin/wall.txt", "main (C:\\demo.py:7);:GC: 200000\n"),
        ("pstats/demo.pstats.gz", "main (demo.py:"),
    ] {
        let input = recording(&format!("formats/{case}"));
        let folded = output("stack-parse", &["--srcline"], input).stdout;
        let line = line.replacen("; ", ": ", 1);
        assert!(stderr(&folded).contains(&line), "{case}: {}", stderr(&folded));
    }
}

#[test]
fn the_last_event_of_a_list_counts_once() {
    let span = r#"{"traceEvents":[{"name":"a","ph":"X","ts":0,"dur":2,"pid":1,"tid":1}]}"#;
    assert_eq!(filter("stack-parse", &["--root", "none"], span), "a 2000\n");
    let pair = r#"{"traceEvents":[{"name":"a","ph":"B","ts":0,"pid":1,"tid":1},
{"name":"a","ph":"E","ts":3,"pid":1,"tid":1}],"displayTimeUnit":"ns"}"#;
    assert_eq!(filter("stack-parse", &["--root", "none"], pair), "a 3000\n");
}

/// A file that is cut short gives the part before the cut, and a message with its position.
#[test]
fn what_came_before_a_cut_is_kept() {
    for (case, end) in [
        ("trace-event/hermes.json", "\"stackFrames\""),
        ("speedscope/odd.json", "\"name\": \"heap\""),
        ("cpuprofile/first-generation.json", "1000500300"),
        ("firefox/gecko.json", "\"markers\""),
    ] {
        let text = String::from_utf8(recording(&format!("formats/{case}"))).expect("UTF-8");
        let cut = &text[..text.find(end).expect(end)];
        let output = output("stack-parse", &[], cut);
        let said = stderr(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{case}: {said}");
        let place = format!("byte {}: the JSON ends too early", cut.len());
        assert!(said.contains(&place), "{case}: {place}: {said}");
        assert!(weight(&output.stdout) > 0 || case.starts_with("firefox"), "{case}");
    }
}

#[test]
fn trees_may_be_deeper_than_any_stack() {
    const DEPTH: usize = 100_000;
    let nested = |before: &str, node: &str, leaf: &str| {
        format!("{before}{}{leaf}{}}}", node.repeat(DEPTH), "]}".repeat(DEPTH))
    };
    for text in [
        nested(
            r#"{"head":"#,
            r#"{"selfSize":0,"callFrame":{"functionName":"f"},"children":["#,
            r#"{"selfSize":1}"#,
        ),
        nested(
            r#"{"head":"#,
            r#"{"hitCount":0,"functionName":"f","children":["#,
            r#"{"hitCount":1}"#,
        ),
        nested(
            r#"{"sample_count":1,"root_frame":"#,
            r#"{"time":0.000000001,"function":"f","children":["#,
            r#"{"time":0.000000001}"#,
        ),
        format!(r#"{{"traceEvents":{}{}}}"#, "[".repeat(DEPTH), "]".repeat(DEPTH)),
    ] {
        let output = output("stack-parse", &[], &text);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {}", &text[..60], output.status);
    }
}

/// The figures are the sums of `selfSize` and of `weights`, the number of rows, and the time from
/// the first sample to the end, by jq and Python.
#[test]
fn files_of_other_people_weigh_what_they_hold() {
    for (folder, file, args, expected) in [
        ("cpuprofile", "speedscope-Chrome-65-simple.cpuprofile", "", 36_317_000),
        ("v8-heapprofile", "speedscope-Chrome-69-Heap-20181005T144546.heapprofile", "", 10_030_888),
        ("v8-heapprofile", "speedscope-node-10.11.0-Heap-20181003T105432.heapprofile", "", 525_704),
        ("pstats", "gprof2dot-memtrail.pstats", "", 13_120_819_961),
        ("firefox-gecko", "gecko-1.json", "", 21),
        ("firefox-gecko", "firefox-61-recursion.json.gz", "", 15),
        ("firefox-processed", "processed-2.json", "", 21),
        ("austin", "inferno-austin-flames.txt", "", 291_000),
        ("speedscope-json", "speedscope-out-of-order-events.json", "", 4),
        ("speedscope-json", "speedscope-simple-no-pretty-print.speedscope.json", "", 14),
        ("trace-event", "ffprofiler-issue-5429.json.gz", "", 254_459_000),
        ("trace-event", "speedscope-bex-interaction.json", "", 12_000),
        ("trace-event", "speedscope-hermes-multiple-frames.json", "", 14_000),
        ("trace-event", "speedscope-mismatched-name.json", "", 10_000),
        ("trace-event", "speedscope-out-of-order-unbalanced-name.json", "", 10_000),
        ("trace-event", "speedscope-multi-thread-with-samples.json", "", 8),
    ] {
        let Some(folder) = third_party(folder) else { return };
        let input = fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let args: Vec<&str> = args.split_whitespace().collect();
        let output = output("stack-parse", &args, input);
        assert_eq!(weight(&output.stdout), expected, "{file}: {}", stderr(&output.stderr));
    }
}

/// A profile that Firefox shows has no limit of weights.
#[test]
fn weights_beyond_64_bits_are_left_out_and_counted() {
    let profile = r#"{"meta":{"interval":1,"startTime":0,"preprocessedProfileVersion":47},"libs":[],
"threads":[{"name":"main","pid":"7","tid":7,"samples":{"length":4,"stack":[0,0,0,0],
"time":[1,2,3,4],"weight":[18446744073709551614,1,18446744073709551616,1e300],"weightType":"bytes"},
"stackTable":{"length":1,"prefix":[null],"frame":[0]},"frameTable":{"length":1,"func":[0]},
"funcTable":{"length":1,"name":[0]},"stringArray":["work"]}]}"#;
    let output = output("stack-parse", &["--root", "none"], profile);
    assert_eq!(stderr(&output.stdout), "work 18446744073709551615\n");
    let said = stderr(&output.stderr);
    assert!(said.contains("2 weights do not fit into 64 bits: they are left out"), "{said}");
}

/// V8 counts lines and columns from 0; the largest 64-bit number cannot be increased.
#[test]
fn a_line_after_the_last_one_is_none() {
    let profile = r#"{"nodes":[{"id":1,"hitCount":7,"callFrame":{"functionName":"f","url":"a.js",
"lineNumber":18446744073709551615,"columnNumber":18446744073709551615}}]}"#;
    assert_eq!(output("stack-parse", &["--srcline"], profile).stdout, b"f 7\n");
}

/// As if the keys that show the format arrived later than those before them.
#[test]
fn json_is_known_for_what_it_is_however_little_is_there_at_first() {
    let heap = recording("formats/heapprofile/node20.heapprofile");
    let header = filter("stack-parse", &["--header"], &heap);
    assert!(header.contains("# source: heapprofile\n"), "{header}");
    let at = heap.windows(8).position(|it| it == b"selfSize").expect("a size");
    let mut child = std::process::Command::new(crate::util::binary("stack-parse"))
        .arg("--header")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, &heap[..at]).expect("a pipe");
    std::thread::sleep(std::time::Duration::from_millis(300));
    std::io::Write::write_all(&mut stdin, &heap[at..]).expect("a pipe");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(stderr(&output.stdout), header);
}

#[test]
fn names_of_hermes_are_functions_and_places() {
    let file = recording("formats/trace-event/hermes-raw.json");
    let lines = filter("stack-parse", &["--srcline"], file);
    let (url, native) =
        ("http://localhost:8081/index.bundle?platform=ios", "InternalBytecode.js:1:2");
    let stack = format!("hermes;global ({url}:1:1);render ({url}:20:3)");
    assert_eq!(lines, format!("{stack} 2\n{stack};(address at {native}) 1\n"));
}

#[test]
fn lines_of_definitions_are_called_so() {
    for (file, but) in [
        ("cpuprofile/node20.cpuprofile.gz", ", but those of leaves"),
        ("pstats/demo.pstats.gz", ""),
        ("v8-log/node20.json.gz", ""),
    ] {
        let file = recording(&format!("formats/{file}"));
        let said = |args: &[&str]| stderr(&output("stack-parse", args, &file).stderr);
        let note =
            format!("lines are those where functions are defined{but}: no others were recorded");
        assert!(said(&["--srcline"]).contains(&note), "{}", said(&["--srcline"]));
        assert!(!said(&[]).contains("lines are those"), "{}", said(&[]));
    }
    // Those of CPython's sampling profiler are the ones that ran.
    let sampled = recording("formats/pstats/sampled.pstats");
    let output = output("stack-parse", &["--srcline"], sampled);
    let (folded, said) = (stderr(&output.stdout), stderr(&output.stderr));
    assert!(folded.contains("main (app.py:12);parse (app.py:30) 40000000\n"), "{folded}");
    assert!(!said.contains("lines are those"), "{said}");
}

#[test]
fn a_profile_of_cpython_without_samples_is_empty() {
    let output = output("stack-parse", &[], b"{\xa9\x01\xda\x0b__sampled__T0");
    let said = stderr(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no sample found, it looks like pstats"), "{said}");
}

/// A file of about 300 MB whose last key shows its format, read in 100 MB of memory.
#[test]
fn json_is_read_on_in_little_memory() {
    let zeros = "0,".repeat(32 * 1024);
    let mut child = std::process::Command::new("sh")
        .args(["-c", r#"ulimit -v 100000; exec "$0" "$@""#, crate::util::binary("stack-parse")])
        .args(["--threads", "1"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        let mut write = |text: &str| std::io::Write::write_all(&mut stdin, text.as_bytes());
        write(r#"{"nobody knows this":["#)?;
        (0..4800).try_for_each(|_| write(&zeros))?;
        write(r#"0],"nodes":[{"id":1,"callFrame":{"functionName":"f"},"hitCount":7}]}"#)
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("a pipe that is read to its end");
    assert_eq!(stderr(&output.stdout), "f 7\n");
}

//! State of one input and state of a run: clocks, first events, measures, weights, header lines.

use crate::util::{TempFile, filter, output, recording, weight};

/// Samples of one thread: event, time in seconds, period, leaf.
fn script(samples: &[(&str, f64, u64, &str)]) -> TempFile {
    let text: String = samples
        .iter()
        .map(|(event, time, period, leaf)| {
            format!("demo 7 {time:.6}: {period} {event}: \n\t      10 {leaf} (/d)\n\n")
        })
        .collect();
    TempFile::new(text)
}

fn said(args: &[&str]) -> (String, String, Option<i32>) {
    let output = output("stack-parse", args, "");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn each_file_has_a_clock_of_its_own() {
    let early = script(&[("cycles", 5.0, 1, "f"), ("cycles", 7.0, 1, "late")]);
    let late = script(&[("cycles", 900.0, 1, "g"), ("cycles", 902.0, 1, "late")]);
    let window = ["--from", "0", "--to", "1"];
    for files in [[early.path(), late.path()], [late.path(), early.path()]] {
        let (folded, _, _) = said(&[&window[..], &files].concat());
        assert_eq!(folded, "demo;f 1\ndemo;g 1\n", "{files:?}");
    }
    let (table, _, _) = said(&["--table", early.path(), late.path()]);
    let since: Vec<&str> = table.lines().skip(1).filter_map(|row| row.split('\t').nth(1)).collect();
    assert_eq!(since, ["0.000000", "2.000000", "0.000000", "2.000000"]);
}

#[test]
fn each_file_has_a_first_event_of_its_own() {
    let one = script(&[("cycles", 1.0, 1, "f"), ("page-faults", 1.1, 1, "fault")]);
    let other = script(&[("page-faults", 1.0, 1, "fault"), ("cycles", 1.1, 1, "f")]);
    let (folded, stderr, _) = said(&[one.path(), other.path()]);
    assert_eq!(folded, "demo;f 1\ndemo;fault 1\n");
    let named = format!(
        "stack-parse: the first events differ, and are summed: cycles in {}, page-faults in {}; \
         --event takes one\n",
        one.path(),
        other.path()
    );
    assert!(stderr.contains(&named), "{stderr}");
    assert!(stderr.contains("event cycles: 1 of 4 samples (weight 1) left out"), "{stderr}");
    let (folded, stderr, _) = said(&["--event", "cycles", one.path(), other.path()]);
    assert_eq!(folded, "demo;f 2\n");
    assert!(!stderr.contains("differ"), "{stderr}");
}

#[test]
fn weights_are_decided_for_each_event_over_all_files() {
    let even = script(&[("cycles", 1.0, 7, "f"), ("faults", 1.1, 1, "g"), ("faults", 1.2, 2, "g")]);
    let (folded, stderr, _) = said(&["--by-event", even.path()]);
    assert_eq!(folded, "cycles;demo;f 1\nfaults;demo;g 3\n");
    assert!(stderr.contains("periods of faults vary: weights are sums"), "{stderr}");
    let odd = script(&[("cycles", 1.0, 8, "f")]);
    for files in [[even.path(), odd.path()], [odd.path(), even.path()]] {
        let (folded, _, _) = said(&[&["--by-event"][..], &files].concat());
        assert_eq!(folded, "cycles;demo;f 15\nfaults;demo;g 3\n");
    }
}

#[test]
fn periods_of_nothing_are_reported() {
    let idle = script(&[("cycles", 1.0, 0, "f")]);
    let (folded, stderr, code) = said(&["--weight", "period", idle.path()]);
    assert_eq!((&folded[..], code), ("", Some(1)));
    assert!(stderr.contains("all periods of event cycles are 0"), "{stderr}");
    assert_eq!(said(&[idle.path()]).0, "demo;f 1\n");
}

#[test]
fn what_files_hold_is_listed() {
    let perf = script(&[
        ("cpu-clock", 1.0, 7, "f"),
        ("cpu-clock", 1.1, 9, "f"),
        ("faults:u", 2.0, 1, "g"),
    ]);
    let list = said(&["--list-events", perf.path()]).0;
    assert_eq!(list, "cpu-clock\tns\t2\t16\nfaults:u\tfaults\t1\t1\n");
    let trace = recording("formats/memtrace/alloc.ctf.gz");
    let list = filter("stack-parse", &["--list-events"], &trace);
    assert_eq!(
        list,
        "samples\tsamples\t2286\t2286\tpeak 81 at 0.105451\n\
         words\twords\t2286\t22860000\tpeak 810000 at 0.105451\n\
         bytes\tbytes\t2286\t182880000\tpeak 6480000 at 0.105451\n"
    );
    let tree = recording("formats/landmarks/demo.json.gz");
    let list = filter("stack-parse", &["--list-events"], &tree);
    assert_eq!(
        list,
        "cycles\tcycles\t4\t5226106\nbytes\tbytes\t4\t801704\n\
         major-bytes\tbytes\t4\t120\ncalls\tcalls\t4\t15\n"
    );
    assert_eq!(said(&["--list-events", "/dev/null"]).2, Some(1));
}

#[test]
fn a_measure_that_is_not_there_is_reported() {
    let tree = recording("formats/landmarks-text/demo.txt.gz");
    let output = output("stack-parse", &["--event", "bytes"], &tree);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = "no sample taken: the measures are calls, cycles, but --event asked for bytes";
    assert!(stderr.contains(expected), "{stderr}");
}

#[test]
fn trees_are_written_like_samples() {
    let tree = recording("formats/landmarks/demo.json.gz");
    let folded = filter("stack-parse", &[], &tree);
    let rows = filter("stack-parse", &["--per-sample"], &tree);
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_unstable();
    assert_eq!(rows, folded.lines().collect::<Vec<_>>());
    let table = filter("stack-parse", &["--table"], &tree);
    assert!(table.contains("\t\t\t\t\t\tcycles\t758304\t\"ROOT;eval;parse\"\n"), "{table}");
    let by_event = filter("stack-parse", &["--by-event"], &tree);
    assert!(by_event.starts_with("cycles;ROOT 61732\n"), "{by_event}");
    assert_eq!(weight(by_event.as_bytes()), 5_226_106);
}

#[test]
fn a_header_says_what_is_counted() {
    let counted = script(&[("cpu-clock", 1.0, 7, "f")]);
    let summed = script(&[("cpu-clock", 1.0, 7, "f"), ("cpu-clock", 1.1, 8, "f")]);
    let header =
        |unit: &str| format!("# event: cpu-clock\n# unit: {unit}\n# source: perf-script\n");
    let of_one = "# samples: 1 sample\n# estimated: 0 of 1 samples\n# threads: 1 thread\n";
    let of_two = "# samples: 2 samples\n# estimated: 0 of 2 samples\n\
                  # seconds: 0.100 s\n# threads: 1 thread\n";
    for (args, file, expected) in [
        (&["--header"][..], &counted, header("samples") + of_one + "demo;f 1\n"),
        (&["--header"], &summed, header("ns") + of_two + "demo;f 15\n"),
        // What is known only at the end comes last.
        (
            &["--header", "--per-sample"],
            &summed,
            header("samples") + "demo;f 1\ndemo;f 1\n" + of_two,
        ),
        (&[], &counted, "demo;f 1\n".to_owned()),
    ] {
        assert_eq!(said(&[args, &[file.path()]].concat()).0, expected, "{args:?}");
    }
}

#[test]
fn each_event_that_is_a_root_has_a_header_line_with_its_unit() {
    let two =
        script(&[("cycles", 1.0, 7, "f"), ("page-faults", 1.1, 1, "g"), ("cycles", 1.2, 8, "f")]);
    let expected = "# event: cycles cycles\n# event: page-faults samples\n\
                    # source: perf-script\n\
                    # estimated: 0 of 3 samples\n# seconds: 0.200 s\n# threads: 1 thread\n\
                    cycles;demo;f 15\npage-faults;demo;g 1\n";
    let folded = said(&["--by-event", "--header", two.path()]).0;
    assert_eq!(folded, expected);
    assert_eq!(said(&[TempFile::new(&folded).path()]).0, expected, "read again");
}

#[test]
fn equal_header_lines_are_kept_once_and_differing_ones_named() {
    let one = TempFile::new("# event: cycles\n# unit: samples\n# source: perf-script\nmain 2\n");
    let other = TempFile::new("# event: cycles\n# unit: cycles\nmain 3\n");
    let bare = TempFile::new("main 4\n");
    let (folded, stderr, _) = said(&[one.path(), one.path()]);
    let expected = "# event: cycles\n# unit: samples\n# source: perf-script\n\
                    # samples: 4 samples\nmain 4\n";
    assert_eq!(folded, expected);
    assert_eq!(stderr, "");
    let (folded, stderr, _) = said(&[one.path(), other.path()]);
    assert_eq!(folded, "# event: cycles\nmain 5\n");
    let differ = "inputs differ in '# unit:', it is left out: # unit: samples; # unit: cycles";
    assert!(stderr.contains(differ), "{stderr}");
    assert_eq!(said(&[bare.path()]).0, "main 4\n");
    assert_eq!(said(&["--list-events", other.path()]).0, "cycles\tcycles\t1\t3\n");
}

#[test]
fn a_weight_over_64_bits_is_named_and_left_out() {
    let half = 1 << 63;
    let files = [
        script(&[("cycles", 1.0, half, "f"), ("cycles", 1.1, half, "f"), ("cycles", 1.2, 1, "g")]),
        script(&[("cycles", 1.0, 3, "g")]),
    ];
    let (folded, stderr, code) = said(&["--weight", "period", files[0].path(), files[1].path()]);
    assert_eq!((&folded[..], code), ("demo;f 9223372036854775808\ndemo;g 4\n", Some(2)));
    assert!(stderr.contains("stack 'demo;f': a sum over 18446744073709551615"), "{stderr}");
}

#[test]
fn the_first_stack_may_be_longer_than_what_is_looked_at() {
    let stack = format!("main;{}x", "std::vector<foo::bar<int>>::baz;".repeat(2200));
    assert!(stack.len() > 64 * 1024);
    for text in [
        format!("{stack} 5\n"),
        format!("{stack} 5"),
        format!("{stack} 2\nmain 1\n{stack} 3\n"),
        format!("# event: cycles\n{stack} 5\n"),
    ] {
        let folded = filter("stack-parse", &[], &text);
        assert!(folded.lines().any(|line| line == format!("{stack} 5")), "{}", folded.len());
    }
}

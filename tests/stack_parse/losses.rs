//! What a recorder says that it lost or left out, and figures of recordings that are no default.
//! Each text is in the grammar of the program that writes it.

use crate::util::{filter, output, recording, stderr, third_party, weight};

/// The status, the output and the messages for a text.
fn read(args: &[&str], text: impl AsRef<[u8]>) -> (i32, String, String) {
    let output = output("stack-parse", args, text);
    let folded = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = stderr(&output).replace("stack-parse: <stdin>: ", "");
    (output.status.code().expect("no signal"), folded, said)
}

/// The lines of `--list-events` for a file of a format: event, unit, samples and sum.
fn events(file: &str) -> Vec<String> {
    let list = filter("stack-parse", &["--list-events"], recording(&format!("formats/{file}")));
    list.lines().map(|line| line.replace('\t', " ")).collect()
}

#[test]
fn bpftrace_says_in_json_which_updates_of_maps_failed() {
    let map = r#"{"type": "map", "data": {"@": {"\n    f+1\n": 3}}}"#;
    let failed = |helper: &str, code: i32| {
        format!(
            r#"{{"type": "helper_error", "msg": "x", "helper": "{helper}", "retcode": {code}}}"#
        )
    };
    let start = r#"{"type": "attached_probes", "data": {"probes": 1}}"#;
    let full = "1 updates of maps were lost while recording: set max_map_keys to a larger number\n";
    let exists = "1 updates of maps were lost while recording\n";
    let other = r#"{"type": "runtime_error", "msg": "x", "line": 1, "col": 2}"#.to_owned();
    for (line, said) in [
        (failed("map_update_elem", -7), full),
        (failed("map_update_elem", -17), exists),
        (failed("map_lookup_elem", 0), ""),
        (other, ""),
    ] {
        let (status, folded, found) = read(&[], format!("{start}\n{line}\n{map}\n"));
        assert_eq!((status, &folded[..], &found[..]), (0, "f 3\n", said), "{line}");
    }
    // Nobody knows how many samples were lost, even if the number of lost events is exact.
    let lost = r#"{"type": "lost_events", "data": {"events": 5}}"#;
    let text = format!("{lost}\n{}\n{map}\n", failed("map_update_elem", -7));
    let (_, folded, said) = read(&["--header"], text);
    assert!(!folded.contains("# lost") && said.contains("5 events were lost"), "{folded}{said}");
}

#[test]
fn a_warning_of_bpftrace_before_a_printed_stack_is_not_its_name() {
    let text = "Attached 1 probe\nstdin:1:19-21: WARNING: Can't lookup map element\n\
                Additional Info - helper: map_lookup_elem, retcode: 0\n\
                profile:hz:99 { printf(\"%s\", kstack); }\n    ~~\n    f+1\n    g+2\n\n";
    assert_eq!(read(&[], text), (0, "g;f 1\n".to_owned(), String::new()));
}

#[test]
fn what_dtrace_says_of_itself_is_no_stack() {
    let stack = "\n              unix`a+0x1\n                5\n\n";
    let said = |line: &str| read(&[], format!("dtrace: {line}\n{stack}dtrace: {line}\n"));
    let drops = "2 samples or other records were lost while recording: use larger buffers, \
                 -x aggsize=64m -x bufsize=64m\n";
    let names = "2 stacks have more names than DTrace had room for: -x jstackstrsize=4096 gives \
                 more\n";
    for (line, expected) in [
        ("1 drop on CPU 7", drops),
        ("1 speculative drop", drops),
        ("1 failed speculation (no speculative buffer available)", drops),
        ("1 jstack()/ustack() string table overflow", names),
        ("pid 4711 has exited", ""),
        ("1 error in ERROR probe enabling", ""),
    ] {
        assert_eq!(said(line), (0, "unix`a 5\n".to_owned(), expected.to_owned()), "{line}");
    }
}

#[test]
fn a_full_table_of_bcc_lacks_samples() {
    let text = "Sampling at 49 Hertz of all threads by user stack... Hit Ctrl-C to end.\n    read\n    \
                -                dd (25036)\n        4\n\n\
                WARNING: hash table full. Consider increasing --hash-storage-size.\n";
    let said = "the table was full: samples are missing, use a larger --hash-storage-size\n";
    assert_eq!(read(&[], text), (0, "dd;read 4\n".to_owned(), said.to_owned()));
    assert_eq!(read(&["--strict"], text).0, 2);
}

#[test]
fn threads_that_eu_stack_could_not_read_are_counted() {
    let refused = |tid: u32| {
        format!("TID {tid}:\neu-stack: dwfl_thread_getframes tid {tid}: Operation not permitted\n")
    };
    let process = "PID 42 - process\n";
    let text = format!("{process}{}{}", refused(42), refused(43));
    let (status, folded, said) = read(&[], &text);
    let lost = "2 threads, 100.0 % of all, were lost while recording: run eu-stack as root or as \
                the owner of the process\n";
    assert_eq!((status, &folded[..]), (1, ""), "{said}");
    assert!(said.starts_with(lost), "{said}");
    // The messages went elsewhere.
    let text = format!("{process}TID 42:\n#0  0x0000000000401000 main\nTID 43:\n");
    let (status, folded, said) = read(&["--strict", "--header"], text);
    assert_eq!((status, &said[..]), (2, "1 threads, 50.0 % of all, were lost while recording\n"));
    assert!(folded.contains("# lost: 1 of 2 samples\n"), "{folded}");
}

#[test]
fn stacks_of_python_with_as_many_frames_as_it_prints_are_counted() {
    let text = |frames: usize, mark: &str| {
        let frame = "  File \"a.py\", line 1 in f\n";
        format!("Thread 0x1 (most recent call first):\n{}{mark}", frame.repeat(frames))
    };
    let said = "1 stacks have 100 frames, the most that Python prints: callers may be missing\n";
    assert_eq!(read(&[], text(100, "")).2, said);
    assert_eq!(read(&[], text(99, "")).2, "");
    assert_eq!(read(&[], text(100, "  ...\n")).2, "");
    // Only after an empty line three points are threads.
    assert_eq!(read(&[], format!("{}\nodd\n...\n", text(1, ""))).2, "");
}

#[test]
fn time_and_entries_of_ghc_are_measures_and_a_cut_text_is_noticed() {
    // 166 ticks of 1,000 µs.
    let list = events("ghc-prof/exact.prof");
    let time = list.iter().find(|line| line.starts_with("time "));
    assert!(time.is_some_and(|line| line.ends_with(" 166000000")), "{list:?}");
    let text = recording("formats/ghc-prof/exact.prof");
    let cut: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let (status, _, said) = read(&[], cut[..cut.len() - 1].concat());
    // The last row has no ticks, and 840,016 bytes.
    let expected = "the total of bytes is 86107352 in the file, but its cost centres add up to \
                    85267336\n";
    assert_eq!((status, &said[..]), (0, expected));
    assert_eq!(read(&[], &text).2, "");
}

#[test]
fn tables_of_hprof_and_graphs_of_landmarks_have_all_their_numbers() {
    assert_eq!(
        events("hprof/monitor.hprof.txt"),
        [
            "cpu-time milliseconds 2 200",
            "cpu-calls calls 2 47",
            "live-bytes bytes 2 1290304",
            "allocated-bytes bytes 2 1290330",
            "live-objects objects 2 14523",
            "allocated-objects objects 2 14526",
            "monitor-time milliseconds 2 120",
        ]
    );
    assert_eq!(
        events("landmarks/times.json"),
        [
            "cycles cycles 3 5000",
            "bytes bytes 3 900",
            "major-bytes bytes 3 120",
            "cpu-time ns 3 500000000",
            "calls calls 3 22",
        ]
    );
    let calls =
        filter("stack-parse", &["--event", "calls"], recording("formats/landmarks/times.json"));
    assert_eq!(calls, "ROOT;eval 5\nROOT;eval;apply 17\n");
}

#[test]
fn a_profile_of_xdebug_without_its_summary_was_cut() {
    let text = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /demo.php\npart: 1\n\
                positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=a.php\nfn={main}\n3 7 8\n";
    let error = "line 11: expected 'summary:' at the end; what came before is kept\n";
    let folded = "{main} 70\n";
    assert_eq!(read(&[], text), (2, folded.to_owned(), error.to_owned()));
    // The summary includes what Xdebug itself took.
    let (status, found, said) = read(&[], format!("{text}\nsummary: 9 8\n"));
    assert_eq!((status, &found[..], &said[..]), (0, folded, ""));
}

#[test]
fn a_recording_of_heaptrack_that_was_attached_lacks_what_came_before() {
    let text = recording("formats/heaptrack/old.txt");
    let text = String::from_utf8(text).expect("UTF-8");
    let (first, rest) = text.split_once('\n').expect("lines");
    let before = read(&[], &text);
    let after = read(&[], format!("{first}\nA\n{rest}"));
    assert_eq!(before.1, after.1);
    let note =
        "heaptrack was attached while the program ran: what was allocated before is missing\n";
    assert_eq!(after.2, format!("{note}{}", before.2));
}

#[test]
fn dhat_knows_when_and_how_long_if_its_unit_is_one_of_time() {
    // jq '[.pps[].tl] | add' is 14839, in microseconds, and 22538735.
    for (file, line) in
        [("rust-heap.json.gz", "lifetime ns "), ("heap.json.gz", "lifetime instrs ")]
    {
        let list = events(&format!("dhat/{file}"));
        let sum = if line.contains(" ns ") { " 14839000" } else { " 22538735" };
        let is_it = |found: &String| found.starts_with(line) && found.ends_with(sum);
        assert!(list.iter().any(is_it), "{list:?}");
    }
}

/// A message of OpenTelemetry's profiles with these profiles, each with one sample of `main`.
fn otlp(profiles: &[&str]) -> String {
    let sample = r#""sampleType":{"typeStrindex":1,"unitStrindex":2},"samples":[{"stackIndex":1,"values":["3"]}]"#;
    let profiles: Vec<String> = profiles.iter().map(|it| format!("{{{sample},{it}}}")).collect();
    let profiles = profiles.join(",");
    format!(
        r#"{{"resourceProfiles":[{{"scopeProfiles":[{{"profiles":[{profiles}]}}]}}],"dictionary":{{
        "stringTable":["","cpu","count","nanoseconds","main","bytes"],"functionTable":[{{}},{{"nameStrindex":4}}],
        "locationTable":[{{}},{{"lines":[{{"functionIndex":1}}]}}],
        "stackTable":[{{}},{{"locationIndices":[1]}}]}}}}"#
    )
}

#[test]
fn profiles_of_opentelemetry_say_when_and_how_often() {
    let of = |start: &str, more: &str| format!(r#""timeUnixNano":"{start}"{more}"#);
    let second = r#","durationNano":"1000000000""#;
    let period =
        |unit: u32| format!(r#","periodType":{{"unitStrindex":{unit}}},"period":"10000000""#);
    let facts = |profiles: &[String]| {
        let profiles: Vec<&str> = profiles.iter().map(String::as_str).collect();
        let (_, folded, said) = read(&["--header"], otlp(&profiles));
        assert!(folded.ends_with(&format!("\nmain {}\n", 3 * profiles.len())), "{folded}{said}");
        let is_fact = |line: &&str| line.starts_with("# seconds") || line.starts_with("# rate");
        folded.lines().filter(is_fact).collect::<Vec<_>>().join(", ")
    };
    let first = of("1700000000000000000", &format!("{second}{}", period(3)));
    let later = of("1700000002500000000", second);
    assert_eq!(facts(std::slice::from_ref(&first)), "# seconds: 1.00 s, # rate: 100 Hz");
    // From the first start to the last end; the second has no period.
    assert_eq!(facts(&[first.clone(), later]), "# seconds: 3.50 s");
    assert_eq!(facts(&[first, of("1700000000000000000", "")]), "");
    assert_eq!(
        facts(&[of("1700000000000000000", &format!("{second}{}", period(5)))]),
        "# seconds: 1.00 s"
    );
    // Each line is a message.
    let line = |second: u32| {
        otlp(&[&of(&format!("170000000{second}000000000"), r#","durationNano":"500000000""#)])
    };
    let lines = format!("{}\n{}\n", line(1), line(4)).replace("\n        ", "");
    assert!(read(&["--header"], lines).1.contains("# seconds: 3.50 s\n"));
}

/// A profile of Firefox with two rows of `main` and one of `work`.
fn firefox(meta: &str, samples: &str) -> String {
    format!(
        r#"{{"threads":[{{"name":"t","pid":"1","tid":1,"samples":{{"stack":[0,1,0],{samples}}},
        "stackTable":{{"prefix":[null,0],"frame":[0,1]}},"frameTable":{{"func":[0,1]}},
        "funcTable":{{"name":[0,1]}},"stringArray":["main","work"]}}],
        "meta":{{"preprocessedProfileVersion":47,{meta}}}}}"#
    )
}

#[test]
fn firefox_has_the_time_of_processors_as_a_measure() {
    let deltas = r#""time":[1,2,3],"threadCPUDelta":[null,1500,250]"#;
    for (unit, args, expected) in [
        ("ns", &["--event", "cpu-time"][..], "main 250\nmain;work 1500\n"),
        ("\u{b5}s", &["--event", "cpu-time"], "main 250000\nmain;work 1500000\n"),
        ("variable CPU cycles", &["--event", "cpu-cycles"], "main 250\nmain;work 1500\n"),
        // The default is as without it.
        ("ns", &[], "main 2\nmain;work 1\n"),
        ("ticks", &[], "main 2\nmain;work 1\n"),
    ] {
        let meta =
            format!(r#""interval":0.25,"sampleUnits":{{"time":"ms","threadCPUDelta":"{unit}"}}"#);
        let args = [&["--root", "none"], args].concat();
        let (status, folded, said) = read(&args, firefox(&meta, deltas));
        assert_eq!((status, &folded[..], &said[..]), (0, expected, ""), "{unit}");
    }
    let meta = r#""sampleUnits":{"threadCPUDelta":"ns"}"#;
    let rows = r#""timeDeltas":[1,1,1],"threadCPUDelta":[1,0,2]"#;
    let times =
        read(&["--root", "none", "--event", "cpu-time", "--from", "0.001"], firefox(meta, rows));
    assert_eq!(times.1, "main 2\n", "{}", times.2);
    let Some(folder) = third_party("samply") else { return };
    // jq '[.threads[].samples.threadCPUDelta[]? // 0] | add' is 153216, in microseconds.
    let path = folder.join("other/ls-linux/ls-profile.json");
    let path = path.to_str().expect("a path in UTF-8");
    // Its files are not here, so many messages come.
    let folded = output("stack-parse", &["--event", "cpu-time", path], "").stdout;
    assert_eq!(weight(&folded), 153_216_000);
}

#[test]
fn the_interval_of_firefox_is_that_of_its_clock() {
    let rate = |meta: &str, samples: &str| {
        let (_, folded, said) = read(&["--header"], firefox(meta, samples));
        assert!(folded.contains("# source: firefox\n"), "{folded}{said}");
        folded.lines().find_map(|line| line.strip_prefix("# rate: ")).map(str::to_owned)
    };
    let time = r#""time":[1,2,3]"#;
    assert_eq!(rate(r#""interval":0.25"#, time).as_deref(), Some("4,000 Hz"));
    assert_eq!(rate(r#""startTime":1"#, time), None);
    let spans = r#""time":[1,2,3],"weight":[1,1,1],"weightType":"tracing-ms""#;
    assert_eq!(rate(r#""interval":1"#, spans), None);
}

#[test]
fn allocations_that_v8_sampled_are_counted() {
    let profile = |samples: &str| {
        let node = r#""callFrame":{"functionName":"f"},"selfSize":96,"id":1,"children":[]"#;
        format!(r#"{{"head":{{{node}}}{samples}}}"#)
    };
    let three = r#","samples":[{"size":32,"nodeId":1},{"size":32,"nodeId":1},{"size":32}]"#;
    let header = |samples: &str| read(&["--header"], profile(samples)).1;
    assert!(header(three).contains("# samples: 3 samples\n"), "{}", header(three));
    assert!(!header("").contains("# samples"), "{}", header(""));
    assert!(header("").ends_with("f 96\n"));
}

#[test]
fn instruments_counts_allocations_beside_their_bytes() {
    let list = events("instruments/bytes-7.txt");
    assert_eq!(list, ["bytes bytes 3 2621440", "count count 3 12"]);
    let counts =
        filter("stack-parse", &["--event", "count"], recording("formats/instruments/bytes-7.txt"));
    assert_eq!(counts, "start;main 1\nstart;main;grow() 10\nstart;main;small() 1\n");
    // Where nothing else is measured, the second column is not added.
    let text = "Weight\tCount\tSymbol Name\n5\t7\tf\n";
    assert_eq!(read(&[], text), (0, "f 5\n".to_owned(), String::new()));
}

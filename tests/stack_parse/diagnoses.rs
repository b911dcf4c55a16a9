//! Messages where something is wrong: the observation, and the remedy.

use super::shapes;
use crate::util::{EXECUTABLE, TempFile, filter, golden_path, output, recording, stderr};

fn shape(name: &str) -> Vec<u8> {
    recording(&format!("formats/perf-script/shape-{name}.gz"))
}

const TWO_EVENTS: &str =
    "d 1 2.5: 7 cycles:\n\t 10 f (/d)\n\nd 1 2.6: 1 page-faults:\n\t 10 g (/d)\n\n";

#[test]
fn left_out_events_are_reported() {
    let first = output("stack-parse", &["--stats"], TWO_EVENTS);
    assert_eq!(first.stdout, b"d;f 1\n");
    assert_eq!(
        String::from_utf8_lossy(&first.stderr),
        "stack-parse: event page-faults: 1 of 2 samples (weight 1) left out, --event or --by-event takes them in\n\
         stack-parse: stats: in 2 lines weight 2, out 1 lines weight 1, changed 0 lines weight 0, \
         dropped 1 lines weight 1, malformed 0 lines\n",
    );
    let chosen = output("stack-parse", &["--event", "page-*"], TWO_EVENTS);
    assert_eq!(chosen.stdout, b"d;g 1\n");
    let all = filter("stack-parse", &["--by-event", "--weight", "samples"], TWO_EVENTS);
    assert_eq!(all, "cycles;d;f 1\npage-faults;d;g 1\n");
}

#[test]
fn strict_turns_a_line_that_is_not_understood_into_an_error() {
    let script = "d 1 2.5: c:\n\t 10 f (/d)\nWarning: lost\n\n";
    assert_eq!(output("stack-parse", &[], script).status.code(), Some(0));
    let strict = output("stack-parse", &["--strict"], script);
    assert_eq!((strict.status.code(), &strict.stdout[..]), (Some(2), &b"d;f 1\n"[..]));
}

#[test]
fn what_perf_says_it_lost_is_reported() {
    let sample = "d 1 2.5: 7 cycles:\n\t              10 f (/d)\n\t              20 main (/d)\n\n";
    let lost = "d 1 2.6: PERF_RECORD_LOST lost 42\n";
    let said = "stack-parse: <stdin>: 84 samples or other records were lost while recording: \
                use a larger 'perf record -m'\n";
    // More than one block, so that several threads read it.
    let long = format!("{sample}{lost}{}{lost}{sample}", sample.repeat(50_000));
    for (script, samples) in [(format!("{sample}{lost}{sample}{lost}{sample}"), 3), (long, 50_002)]
    {
        for args in [&["--threads", "1"][..], &["--threads", "4"], &["--threads", "4", "--strict"]]
        {
            let output = output("stack-parse", args, &script);
            assert_eq!(output.stdout, format!("d;main;f {samples}\n").as_bytes());
            assert_eq!(stderr(&output), said, "{args:?}");
            let status = if args.contains(&"--strict") { 2 } else { 0 };
            assert_eq!(output.status.code(), Some(status), "{args:?}");
        }
    }
}

#[test]
fn call_chains_that_were_to_follow_are_reported_once() {
    const KERNEL: u64 = -128i64 as u64;
    const USER_DEFERRED: u64 = -640i64 as u64;
    let record = |kind: u32, numbers: &[u64]| {
        let size = u16::try_from(8 + 8 * numbers.len()).expect("a short record");
        let header = [&kind.to_le_bytes()[..], &2u16.to_le_bytes(), &size.to_le_bytes()].concat();
        header.into_iter().chain(numbers.iter().flat_map(|number| number.to_le_bytes())).collect()
    };
    // The output of perf record into a pipe: an event whose samples have an address, process and
    // thread, and a call chain; then three samples of process 1 and thread 7.
    let mut event = [0; 16];
    (event[0], event[3], event[5]) = (1 | 128 << 32, 1 | 1 << 1 | 1 << 5, 1 << 18);
    let sample = [0x10, 7 << 32 | 1, 4, KERNEL, 0x9, USER_DEFERRED, 70];
    let records: [Vec<u8>; 2] = [record(64, &event), record(9, &sample).repeat(3)];
    let recording = [b"PERFILE2\x10\0\0\0\0\0\0\0".to_vec(), records.concat()].concat();
    let output = output("stack-parse", &["--root", "none"], recording);
    let said = stderr(&output);
    let expected =
        "3 samples lack the program's part of their call chain, which was to be recorded later";
    assert!(said.contains(expected), "{said}");
    assert_eq!(said.matches("lack").count(), 1, "{said}");
}

#[test]
fn tracepoints_count_themselves() {
    let script = "d 1 2.5: sched:sched_switch: prev_comm=d\n\t              10 f (/d)\n\n";
    let folded = filter("stack-parse", &["--header", "--weight", "period"], script);
    assert!(folded.contains("\n# unit: sched:sched_switch\n"), "{folded}");
    let clock = script.replace("sched:sched_switch: prev_comm=d", "5 cycles:ppp: ");
    let folded = filter("stack-parse", &["--header", "--weight", "period"], &clock);
    assert!(folded.contains("\n# unit: cycles\n"), "{folded}");
}

#[test]
fn what_is_not_understood_is_named_and_the_rest_is_read() {
    let script = "d 1 2.5: c:\n\t 10 f (/d)\nWarning: lost\n\nd 1 2.6: c:\n\t 10 f (/d)\n\n";
    let output = output("stack-parse", &[], script);
    assert_eq!(output.stdout, b"d;f 2\n");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: <stdin>:3: expected a sample or a frame of perf script\n",
    );
}

#[test]
fn nothing_out_is_explained_by_what_was_seen() {
    let (several, no_time) = (shape("several"), shape("several-F-no-period"));
    let no_time = String::from_utf8(no_time).expect("UTF-8").replace(": ", " ").into_bytes();
    let events = shapes::counts("side-records");
    let samples = events["cpu-clock"].0;
    for (args, input, why) in [
        (&[][..], &b""[..], "<stdin>: the input is empty".to_owned()),
        (&[], b"\n\r\n", "<stdin>: the input is empty".to_owned()),
        (
            &[],
            b"# ========\n# captured on    : Fri Nov 20\n# ========\n#\n",
            "<stdin>: no sample found, it looks like perf-script".to_owned(),
        ),
        (
            &["--event", "cycles*"],
            &shape("side-records"),
            format!(
                "no sample taken: all {samples} are of event cpu-clock ({samples}), \
                     but --event asked for cycles*"
            ),
        ),
        (
            &["--off-cpu"],
            &several,
            "but --off-cpu needs sched:sched_switch: \
             record with 'perf record -a -g -e sched:sched_switch'"
                .to_owned(),
        ),
        (&["--event", "*", "--from", "100"], &several, "are outside --from and --to".to_owned()),
        (
            &["--event", "*", "--from", "1", "-f", "perf-script"],
            &no_time,
            "have no time for --from and --to; 'perf script -F +time' prints it".to_owned(),
        ),
    ] {
        let output = output("stack-parse", args, input);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let said = stderr(&output);
        assert!(said.contains(&format!("{why}\n")), "{args:?}: {said}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_by_what_it_looks_like() {
    let perf_data = [&b"2ELIFREP"[..], &[0; 96]].concat();
    let report = "# To display the perf.data header info, please use --header options.\n#\n#\n\
                  # Total Lost Samples: 0\n#\n    42.11%  demo     demo  [.] spin\n";
    for (input, what) in [
        (
            &perf_data[..],
            "it looks like perf.data of a big-endian machine: run 'perf script' on it\n",
        ),
        (report.as_bytes(), "it looks like perf report: run 'perf script' instead; "),
        (
            b"\nhello world\n",
            "the first line is \"hello world\"; 'stack-parse --list-formats' lists what can be read\n",
        ),
        (
            b"\x01\x02\x03 hello\n",
            "it does not begin with text; 'stack-parse --list-formats' lists what can be read\n",
        ),
        (
            b"failed to open perf.data: No such file or directory  (try perf record first)\n",
            "the first line is \"failed to open perf.data: No such file or directory  (try perf record first)\"",
        ),
    ] {
        let output = output("stack-parse", &[], input);
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(
            said.starts_with(&format!("stack-parse: <stdin>: unknown format, {what}")),
            "{said}"
        );
    }
    let output = output("stack-parse", &[EXECUTABLE], "");
    assert!(stderr(&output).contains("it looks like an executable: stack-symbols lists its"));
}

#[test]
fn a_measure_that_is_0_everywhere_is_reported_with_those_that_are_not() {
    let freed = "# callgrind format\nevents: curB totB freed\nfn=main\n1 0 7 7\n";
    let output = output("stack-parse", &[], freed);
    assert_eq!(output.status.code(), Some(1));
    let said = "stack-parse: curB is 0 everywhere: --event takes totB, freed\n";
    assert_eq!(stderr(&output), said);
}

#[test]
fn a_profile_without_samples_has_only_that_message() {
    // gperftools writes this for a program that ended before the first tick.
    let words: [u64; 8] = [0, 3, 0, 1000, 0, 0, 1, 0];
    let empty: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let output = output("stack-parse", &[], &empty);
    assert_eq!(output.status.code(), Some(1));
    let said = "stack-parse: <stdin>: no sample found, it looks like gperftools\n";
    assert_eq!(stderr(&output), said);
}

#[test]
fn files_of_other_profilers_are_called_what_they_are() {
    for (input, what) in [
        (&b"memray\0\x0d\0\0\0"[..], "memray: run"),
        (b"PERFFILEh\0\0\0\0\0\0\0X", "perf.data of version 1: run"),
        (b"[\n {\"pid\": 26623}\n]\n", "JSON; "),
    ] {
        let output = output("stack-parse", &[], input);
        assert_eq!(output.status.code(), Some(2));
        let (said, expected) = (stderr(&output), format!("unknown format, it looks like {what}"));
        assert!(said.contains(&expected), "{expected}: {said}");
    }
}

#[test]
fn a_folded_file_with_a_bad_line_is_still_folded() {
    for (input, folded) in [
        ("a;b 1\nodd\n", "a;b 1\n"),
        ("odd\na;b 1\nc 2\n", "a;b 1\nc 2\n"),
        ("a;b 1\na;c 2\na;d 1.5\n", "a;b 1\na;c 2\n"),
    ] {
        let output = output("stack-parse", &[], input);
        assert_eq!(output.stdout, folded.as_bytes(), "{input}");
        assert_eq!(output.status.code(), Some(2), "{input}");
        assert!(stderr(&output).contains("expected 'frame;frame count'"), "{input}");
    }
}

#[test]
fn a_recording_that_is_mostly_not_understood_is_an_error() {
    let good = "d 1 2.5: c:\n\t 10 f (/d)\n\n";
    for (odd, code) in [(3, 0), (4, 2)] {
        let script = format!("{good}{}", "odd line\n".repeat(odd));
        let output = output("stack-parse", &["-f", "perf-script"], &script);
        assert_eq!(output.status.code(), Some(code), "{odd}");
        assert_eq!(output.stdout, b"d;f 1\n", "{odd}");
        let said = "stack-parse: <stdin>: 4 of 7 lines were not understood\n";
        assert_eq!(stderr(&output).contains(said), code == 2, "{odd}: {}", stderr(&output));
    }
    let folded = recording("folded/treegc-5.2.0fp-fp.folded.gz");
    let output = output("stack-parse", &["-f", "perf-script"], folded);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("<stdin>: no sample found, it looks like folded\n"), "{said}");
}

#[test]
fn one_bad_file_of_several_costs_no_other() {
    let bad = TempFile::new("hello\n");
    let good = golden_path("formats/perf-script/shape-side-records.gz");
    let good = good.to_str().expect("UTF-8");
    let both = output("stack-parse", &[bad.path(), good, "no/such/file"], "");
    assert_eq!(both.status.code(), Some(2));
    assert_eq!(both.stdout, output("stack-parse", &[good], "").stdout);
    let said = stderr(&both);
    assert!(
        said.contains("unknown format") && said.contains("no/such/file: no such file"),
        "{said}"
    );
}

#[test]
fn problems_of_a_recording_are_reported_with_their_remedy() {
    for (name, said) in [
        ("formats/perf-script/fresh-nocallchain.gz", "no sample has a call chain: record with"),
        (
            "formats/perf-script/treegc-4.13.1-fp.gz",
            "% of the weight is in stacks of mostly unknown functions",
        ),
        (
            "formats/perf-script/treegc-5.2.0fp-fp.gz",
            "0.5 % of the weight is in stacks cut at 127 frames",
        ),
        (
            "formats/perf-script/domains-5.2.0fp-dwarf.gz",
            "86.4 % of the weight is in stacks cut at OCaml's runtime",
        ),
        ("formats/perf-script/node-no-map.gz", "/tmp/perf-PID.map; run 'node --perf-basic-prof'\n"),
        (
            "formats/perf-script/java-no-map.gz",
            "run 'java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'\n",
        ),
    ] {
        let stderr = output("stack-parse", &[], recording(name)).stderr;
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
    for name in
        ["formats/perf-script/lwtsim-4.13.1-dwarf.gz", "formats/perf-script/fresh-default.gz"]
    {
        assert_eq!(output("stack-parse", &[], recording(name)).stderr, b"", "{name}");
    }
}

/// A sample with a chain of `depth` addresses, and with `inlined` more functions.
fn sample(depth: usize, inlined: usize) -> String {
    let leaves = "\t    1000 leaf (inlined)\n".repeat(inlined);
    let callers: String =
        (0..depth).map(|at| format!("\t    {:x} f{at} (/demo)\n", 4096 + at)).collect();
    format!("demo 7 2.5: 1 c:\n{leaves}{callers}\n")
}

#[test]
fn inlined_functions_do_not_make_a_cut_stack_whole() {
    let said = |script: &str| stderr(&output("stack-parse", &[], script));
    let cut = "stacks cut at 127 frames, which lack their roots: use 'perf script --max-stack";
    let many = sample(127, 0).repeat(25);
    assert!(said(&many).contains(cut), "{}", said(&many));
    assert!(said(&(many.clone() + &sample(127, 3))).contains(cut));
    assert!(said(&sample(127, 1).repeat(25)).contains(cut));
    // If one is longer, the limit was raised.
    assert_eq!(said(&(many + &sample(128, 0))), "");
    assert_eq!(said(&sample(126, 1).repeat(25)), "");
}

#[test]
fn bytecode_is_reported_if_it_has_most_of_the_weight() {
    let sample = |frames: &str| format!("app 7 2.5: 1 c:\n{frames}\n");
    let frame = |name: &str| format!("\t    1000 {name} (/app)\n");
    let interpreter = frame("caml_interprete+0x1ff") + &frame("main");
    let collector = frame("caml_alloc") + &interpreter;
    let other = frame("camlMain__run_12") + &frame("main");
    for (interpreted, others, share) in
        [(25, 0, Some("100.0")), (12, 12, None), (13, 12, Some("52.0"))]
    {
        let stacks = [&interpreter, &collector].map(|frames| sample(frames));
        let script: String = stacks.iter().cycle().take(interpreted).cloned().collect();
        let said = stderr(&output("stack-parse", &[], script + &sample(&other).repeat(others)));
        let expected = share.map_or(String::new(), |share| {
            format!(
                "stack-parse: the program is bytecode of OCaml: {share} % of the weight is in its \
                 interpreter, where functions have no names; compile it with ocamlopt\n"
            )
        });
        assert_eq!(said, expected, "{interpreted} {others}");
    }
}

#[test]
fn chains_without_callers_are_not_reported_as_missing() {
    let said = |script: String| stderr(&output("stack-parse", &[], script));
    let none = "100.0 % of the weight in programs has one function of the program and no caller, \
                though call chains were recorded: if recorded with -g, the program keeps no frame \
                pointers: record with --call-graph dwarf; if recorded with that, run stack-parse \
                on the perf.data itself\n";
    let alone = sample(1, 0).repeat(25);
    assert_eq!(said(alone.clone()), format!("stack-parse: {none}"));
    // An inlined function is no caller.
    assert_eq!(said(sample(1, 2).repeat(25)), format!("stack-parse: {none}"));
    // A minority may be like this for good reasons.
    assert_eq!(said(alone + &sample(9, 0).repeat(30)), "");
}

#[test]
fn code_without_a_map_is_named_by_what_its_language_does() {
    let script = |comm: &str, frame: &str| {
        let sample =
            format!("{comm} 7 2.5: 1 c:\n\t 7f00 [unknown] (/tmp/perf-7.map)\n\t 10 {frame}\n\n");
        sample.repeat(20)
    };
    let general = "use what its language has for this: stack-tools(7) says what";
    for (comm, frame, remedy) in [
        ("python3", "main (/usr/bin/python3.12)", "run 'python3 -X perf'"),
        ("worker", "_PyEval_EvalFrameDefault (/usr/bin/python3.12)", "run 'python3 -X perf'"),
        ("worker", "[unknown] (/lib/libpython3.12.so.1.0)", "run 'python3 -X perf'"),
        ("worker", "v8::Function::Call (/usr/bin/node)", "run 'node --perf-basic-prof'"),
        ("node", "main (/usr/bin/node)", "run 'node --perf-basic-prof'"),
        (
            "worker",
            "[unknown] (/usr/lib/jvm/lib/server/libjvm.so)",
            "run 'java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'",
        ),
        ("worker", "main (/usr/bin/worker)", general),
    ] {
        let said = stderr(&output("stack-parse", &[], script(comm, frame)));
        let expected = "stack-parse: 100.0 % of the weight is in stacks with unknown functions \
                        that were compiled at run time: perf reads their names from /tmp/perf-PID.map; ";
        assert_eq!(said, format!("{expected}{remedy}\n"), "{comm} {frame}");
        assert_eq!(stderr(&output("stack-parse", &["--annotate"], script(comm, frame))), said);
    }
    // With a map there is no message.
    let named = script("node", "main (/usr/bin/node)").replace("[unknown]", "JS:*work w.js:1");
    assert_eq!(stderr(&output("stack-parse", &[], named)), "");
}

use std::collections::BTreeMap;
use std::fs;

use inferno::collapse::Collapse;
use inferno::collapse::perf;
use proptest::prelude::*;

use crate::util::{assert_golden, filter, filter_bytes, golden_path, output, recording, weight};

/// All recordings of `perf script` below tests/golden.
fn recordings() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["perf", "perf-script"] {
        for entry in fs::read_dir(golden_path(folder)).expect("a folder of recordings") {
            let file = entry.expect("an entry").file_name().into_string().expect("a plain name");
            names.push(format!("{folder}/{file}"));
        }
    }
    names.sort();
    names
}

/// Counts the samples and their periods without our parser: all lines that
/// are neither frame, source line, comment nor blank are event lines, and the
/// period is the number before `event:`.
fn count_by_hand(script: &[u8]) -> (u128, u128) {
    let text = String::from_utf8_lossy(script);
    let is_source_line = |line: &str| line.starts_with("  ") && !line.contains("cpu-clock:");
    let mut sums = (0, 0);
    for line in text.lines() {
        if line.is_empty() || line.starts_with(['\t', '#']) || is_source_line(line) {
            continue;
        }
        let period = line.split_whitespace().zip(line.split_whitespace().skip(1));
        let mut period =
            period.filter(|(_, event)| ["cpu-clock:", "context-switches:"].contains(event));
        sums.0 += 1;
        sums.1 += period.next().and_then(|(period, _)| period.parse().ok()).unwrap_or(1);
    }
    sums
}

#[test]
fn no_recording_loses_weight() {
    let recordings = recordings();
    assert!(recordings.len() > 30, "{}", recordings.len());
    for name in recordings {
        let script = recording(&name);
        let (samples, periods) = count_by_hand(&script);
        let parse = |args: &[&str]| weight(&output("stack-parse", args, &script).stdout);
        assert!(samples > 0, "{name}");
        assert_eq!(parse(&["--by-event", "--weight", "samples"]), samples, "{name}");
        assert_eq!(parse(&["--by-event", "--per-sample"]), samples, "{name}");
        // These print no period: the number before the event is the thread.
        let periods = if name.contains("F-no") { samples } else { periods };
        assert_eq!(parse(&["--by-event", "--weight", "period"]), periods, "{name}");
    }
}

#[test]
fn known_totals_come_out() {
    // The true figures of recordings that other tools lose samples of.
    for (name, samples) in [
        ("fresh-default", 557),
        ("fresh-nocallchain", 90),
        ("fresh-sched-tracepoints", 22),
        ("fresh-F-notime", 557),
        ("fresh-dwarf-inlined-srcline", 52),
    ] {
        let script = recording(&format!("perf-script/{name}.gz"));
        let folded = output("stack-parse", &["--by-event", "--weight", "samples"], script);
        assert_eq!(weight(&folded.stdout), samples, "{name}");
    }
}

#[test]
fn samples_read_whole_and_line_by_line_are_the_same() {
    for name in recordings() {
        let script = recording(&name);
        // No blank line is found in a file with CRLF, so it is read line by line.
        let text: Vec<u8> =
            script.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
        for args in [&["--by-event", "--annotate"][..], &["--by-event", "--per-sample"]] {
            let whole = output("stack-parse", args, &script);
            assert_eq!(whole, output("stack-parse", args, &text), "{name}");
        }
    }
}

#[test]
fn an_anonymous_namespace_keeps_its_frames() {
    let folded = filter("stack-parse", &[], recording("perf-script/fresh-default.gz"));
    let is_leaf = |line: &&str| line.contains(";(anonymous namespace)::anon_fn ");
    let leaves: String = folded.lines().filter(is_leaf).map(|line| format!("{line}\n")).collect();
    assert_eq!(weight(leaves.as_bytes()), 355);
}

/// Folds with the inferno crate, then undoes what is known to differ in ours.
fn inferno_folded(script: &[u8]) -> BTreeMap<String, u64> {
    let mut options = perf::Options::default();
    options.nthreads = 1;
    let mut folded = Vec::new();
    perf::Folder::from(options).collapse(script, &mut folded).expect("inferno reads it");
    counted(&String::from_utf8(folded).expect("UTF-8"))
}

fn counted(folded: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        *counts.entry(stack.to_owned()).or_default() += count.parse::<u64>().expect("a number");
    }
    counts
}

/// One of our stacks with inferno's known differences: `_` for a space in the
/// comm, no frame that starts with `(` (it drops C++'s anonymous namespace),
/// and names cut at their arguments.
fn as_inferno(stack: &str) -> String {
    let mut frames = stack.split(';');
    let comm = frames.next().unwrap_or_default().replace(' ', "_");
    let frames = frames.filter(|frame| !frame.starts_with('('));
    let frames = frames.map(|frame| frame.strip_suffix("()").unwrap_or(frame));
    std::iter::once(comm.as_str()).chain(frames).collect::<Vec<_>>().join(";")
}

/// Recordings that inferno 0.12.8 reads wrongly: source lines taken for
/// frames, event names taken from a tracepoint's text, samples of one line
/// dropped, invalid UTF-8 refused.
const WRONG_IN_INFERNO: [&str; 7] = [
    "perf-script/fresh-dwarf-inlined-srcline.gz",
    "perf-script/fresh-srcline.gz",
    "perf-script/fresh-sched-F.gz",
    "perf-script/fresh-sched-tracepoints.gz",
    "perf-script/fresh-nocallchain.gz",
    "perf/treegc-5.4alpha-dollar-fp.script.gz",
    "perf/treegc-5.4alpha-dollar-fp.nodemangle.script.gz",
];

#[test]
fn inferno_agrees_where_it_is_right() {
    let is_right = |name: &String| !WRONG_IN_INFERNO.contains(&name.as_str());
    for name in recordings().into_iter().filter(is_right) {
        let script = recording(&name);
        let mut ours = BTreeMap::new();
        let folded = output("stack-parse", &["--weight", "period"], &script).stdout;
        for (stack, count) in counted(&String::from_utf8(folded).expect("UTF-8")) {
            *ours.entry(as_inferno(&stack)).or_default() += count;
        }
        assert_eq!(ours, inferno_folded(&script), "{name}");
    }
}

#[test]
fn every_shape_of_line_is_read() {
    for (script, folded) in [
        (
            "demo 1 2.5:     7 cycles: \n\t 10 leaf+0x1 (/demo)\n\t 20 main (/demo)\n\n",
            "demo;main;leaf 1\n",
        ),
        // No blank line at the end, no LF.
        ("demo 1 2.5: cycles:\n\t 10 f (/demo)", "demo;f 1\n"),
        // No call chain.
        (
            "        my demo 1   2.5:  7 cycles:   561ae304d6c4 fib+0x24 (/prog/demo)\n",
            "my demo;fib 1\n",
        ),
        // No frames at all.
        ("demo 1 2.5: cycles:\n\n", "demo 1\n"),
        // A blank line before the frames.
        ("demo 1 2.5: cycles:\n\n\t 10 f (/demo)\n\n", "demo;f 1\n"),
        // Only addresses and symbols: `-F ip,sym`.
        ("\n\t 10 f\n\t 20 g\n\n\n\t 10 f\n\t 20 g\n", "g;f 2\n"),
        ("cpu-clock: \n\t 10 f\n\n", "f 1\n"),
        ("my demo \n\t 10 f\n\n", "my demo;f 1\n"),
        // Side records.
        (
            "demo 1 2.5: PERF_RECORD_COMM exec: demo:1/1\ndemo 1 2.6: cycles:\n\t 10 f (/demo)\n\n",
            "demo;f 1\n",
        ),
        // A source line, which says that the function was inlined.
        (
            "demo 1 2.5: cycles:\n\t 10 f+0x1\n  demo.cpp:14 (inlined)\n\t 10 g (/demo)\n\n",
            "demo;g;f 1\n",
        ),
        // A line that ends in all of the line before it.
        ("d 1 2.5: c:\n\t10 f (/d)\n\nd 1 2.6: c:\n\t7 gg\t10 f (/d)\n\n", "d;f 1\nd;gg 10 f 1\n"),
        // Names that break the format.
        ("a;b 1 2.5: cycles:\n\t 10 Odd..%(;..)_258+0x1 (/demo)\n\n", "a:b;Odd..%(:..)_258 1\n"),
        ("demo 1 2.5: cycles:\n\t 10 [unknown] (/usr/lib/libc.so.6)\n\n", "demo;[libc.so.6] 1\n"),
    ] {
        assert_eq!(filter("stack-parse", &[], script), folded, "{script:?}");
    }
}

#[test]
fn periods_are_summed_where_they_vary() {
    let same = "d 1 2.5: 7 cycles:\n\t 10 f (/d)\n\nd 1 2.6: 7 cycles:\n\t 10 f (/d)\n\n";
    assert_eq!(filter("stack-parse", &[], same), "d;f 2\n");
    assert_eq!(filter("stack-parse", &["--weight", "period"], same), "d;f 14\n");
    let vary = format!("{same}d 1 2.7: 9 cycles:\n\t 10 g (/d)\n\n");
    let output = output("stack-parse", &[], &vary);
    assert_eq!(output.stdout, b"d;f 14\nd;g 9\n");
    assert_eq!(
        output.stderr,
        b"stack-parse: periods vary: weights are sums of periods, --weight samples counts\n",
    );
    assert_eq!(filter("stack-parse", &["--weight", "samples"], vary), "d;f 2\nd;g 1\n");
}

const TWO_EVENTS: &str =
    "d 1 2.5: 7 cycles:\n\t 10 f (/d)\n\nd 1 2.6: 1 page-faults:\n\t 10 g (/d)\n\n";

#[test]
fn other_events_are_said_to_be_left_out() {
    let first = output("stack-parse", &["--stats"], TWO_EVENTS);
    assert_eq!(first.stdout, b"d;f 1\n");
    assert_eq!(
        String::from_utf8_lossy(&first.stderr),
        "stack-parse: event page-faults: 1 samples (weight 1) left out, --event or --by-event takes them in\n\
         stack-parse: stats: in 2 lines weight 2, out 1 lines weight 1, changed 0 lines weight 0, \
         dropped 1 lines weight 1, malformed 0 lines\n",
    );
    let chosen = output("stack-parse", &["--event", "page-*"], TWO_EVENTS);
    assert_eq!(chosen.stdout, b"d;g 1\n");
    let all = filter("stack-parse", &["--by-event", "--weight", "samples"], TWO_EVENTS);
    assert_eq!(all, "cycles;d;f 1\npage-faults;d;g 1\n");
}

#[test]
fn roots_are_chosen() {
    let script = "my demo 12/34 2.5: cycles:\n\t 10 f (/d)\n\nmy demo 12/34 2.5: cycles:\n\n";
    for (root, folded) in [
        ("comm", "my demo 1\nmy demo;f 1\n"),
        ("pid", "my demo-12 1\nmy demo-12;f 1\n"),
        ("tid", "my demo-12/34 1\nmy demo-12/34;f 1\n"),
        ("none", "[no stack] 1\nf 1\n"),
    ] {
        assert_eq!(filter("stack-parse", &["--root", root], script), folded, "{root}");
    }
}

#[test]
fn samples_come_one_by_one_on_request() {
    let script = "d 1 2.5: 7 c:\n\t 10 f (/d)\n\nd 1 2.6: 9 c:\n\t 10 a (/d)\n\nd 1 2.7: 7 c:\n\t 10 f (/d)\n\n";
    assert_eq!(filter("stack-parse", &["--per-sample"], script), "d;f 1\nd;a 1\nd;f 1\n");
    let periods = filter("stack-parse", &["--per-sample", "--weight", "period"], script);
    assert_eq!(periods, "d;f 7\nd;a 9\nd;f 7\n");
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
fn an_unknown_format_is_refused_with_its_first_line() {
    let output = output("stack-parse", &[], "\nhello world\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: <stdin>: unknown format, the first line is \"hello world\"; \
         known are perf-script, memtrace, landmarks, landmarks-text, folded\n",
    );
}

#[test]
fn folded_text_is_merged() {
    assert_eq!(filter("stack-parse", &[], "b 1\na;c 2\nb 3\n"), "a;c 2\nb 4\n");
}

#[test]
fn marks_and_inlined_frames_are_optional() {
    let script = "d 1 2.5: c:\n\t 10 f+0x1 (inlined)\n\t 10 g (/d)\n\tffffffff81000000 k ([kernel.kallsyms])\n\n";
    assert_eq!(filter("stack-parse", &["--annotate"], script), "d;k_[k];g;f_[i] 1\n");
    assert_eq!(filter("stack-parse", &["--inlined", "drop"], script), "d;k;g 1\n");
}

#[test]
fn a_recording_folds_as_it_always_did() {
    let script = recording("perf-script/fresh-dwarf-inlined.gz");
    assert_golden(
        "stack-parse/fresh-dwarf-inlined.folded",
        &filter_bytes("stack-parse", &[], script),
    );
}

#[test]
fn any_number_of_threads_gives_the_same() {
    // Several blocks, of several events and shapes, with lines that are not understood.
    let mut script = Vec::new();
    for round in 0..6 {
        for name in
            ["perf-script/fresh-default", "perf-script/fresh-cs", "perf-script/fresh-srcline"]
        {
            script.extend(recording(&format!("{name}.gz")));
            script.extend(format!("odd line {round} of {name}\n\n").bytes());
        }
    }
    let args = |threads| ["--stats", "--threads", threads];
    for more in [&[][..], &["--by-event"], &["--from", "0.1", "--to", "0.3"], &["--annotate"]] {
        let one = output("stack-parse", &[&args("1"), more].concat(), &script);
        assert!(weight(&one.stdout) > 100);
        for threads in ["2", "5"] {
            let many = output("stack-parse", &[&args(threads), more].concat(), &script);
            assert_eq!(one, many, "{threads} threads {more:?}");
        }
    }
}

#[test]
fn a_slice_of_time_is_taken() {
    let script = "d 1 2.500000: c:\n\t 10 f (/d)\n\nd 1 3.5: c:\n\t 10 g (/d)\n\nd 1 4.5: c:\n\t 10 h (/d)\n\n";
    let taken = output("stack-parse", &["--from", "1", "--to", "2"], script);
    assert_eq!(taken.stdout, b"d;g 1\n");
    assert_eq!(taken.stderr, b"stack-parse: 2 samples (weight 2) are outside --from and --to\n",);
    let empty = output("stack-parse", &["--from", "2", "--to", "1"], script);
    assert_eq!(empty.stderr, b"stack-parse: --from must be less than --to\n");
}

#[test]
fn a_table_has_a_row_per_sample() {
    let script = "a \"b\" 1/2 [003] 2.5: 7 c:u:\n\t 10 f (/d)\n\nd 9 3.5: 8 c:u:\n\t 10 g (/d)\n\n";
    assert_eq!(
        filter("stack-parse", &["--table"], script),
        "time\tcomm\tpid\ttid\tcpu\tevent\tweight\tstack\n\
         2.5\t\"a \"\"b\"\"\"\t1\t2\t003\tc:u\t7\t\"a \"\"b\"\";f\"\n\
         3.5\td\t\t9\t\tc:u\t8\td;g\n",
    );
}

#[test]
fn source_lines_are_appended_on_request() {
    let script =
        "d 1 2.5: c:\n\t 10 f+0x1\n  demo.c:14 (inlined)\n\t 10 g+0x2 (/d)\n  demo.c:20\n\n";
    assert_eq!(filter("stack-parse", &[], script), "d;g;f 1\n");
    let with_lines = filter("stack-parse", &["--srcline", "--annotate"], script);
    assert_eq!(with_lines, "d;g (demo.c:20);f (demo.c:14)_[i] 1\n");
    assert_eq!(filter("stack-parse", &["--inlined", "drop"], script), "d;g 1\n");
}

#[test]
fn blocked_time_is_the_time_between_switches() {
    let switch = |time: &str, from: &str, state: &str, to: &str, frame: &str| {
        format!(
            "t{from} {from} [000] {time}: sched:sched_switch: prev_comm=t{from} prev_pid={from} \
             prev_prio=120 prev_state={state} ==> next_comm=t{to} next_pid={to} next_prio=120\n\
             \t 10 {frame} (/d)\n\n"
        )
    };
    let script = [
        switch("1.000000", "1", "S", "2", "read"),
        switch("1.500000", "2", "R", "1", "work"),
        switch("1.750000", "1", "D", "2", "write"),
        switch("2.000000", "2", "S", "0", "sleep"),
        switch("2.100000", "0", "R", "1", "idle"),
    ];
    let output = output("stack-parse", &["--off-cpu"], script.concat());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "t1;read 500000000\nt1;write 350000000\n",);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: off-cpu: 1 switches away from threads that could go on left out\n\
         stack-parse: off-cpu: 1 threads that did not come back left out\n",
    );
}

#[test]
fn strict_turns_a_line_that_is_not_understood_into_trouble() {
    let script = "d 1 2.5: c:\n\t 10 f (/d)\nWarning: lost\n\n";
    assert_eq!(output("stack-parse", &[], script).status.code(), Some(0));
    let strict = output("stack-parse", &["--strict"], script);
    assert_eq!((strict.status.code(), &strict.stdout[..]), (Some(2), &b"d;f 1\n"[..]));
}

#[test]
fn no_samples_are_explained() {
    for (args, script, why) in [
        (&[][..], "", "<stdin>: the input is empty"),
        (&["-f", "perf-script"], "main;f 12\n", "<stdin>: no sample found, it looks like folded"),
        (
            &["--event", "x"],
            "d 1 2.5: c:\n\t 10 f (/d)\n\n",
            "event c: 1 samples (weight 1) left out, --event or --by-event takes them in",
        ),
    ] {
        let output = output("stack-parse", args, script);
        assert_eq!(output.status.code(), Some(1), "{script:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(&format!("stack-parse: {why}\n")), "{stderr}");
    }
}

#[test]
fn troubles_of_a_recording_are_said_with_their_remedy() {
    for (name, said) in [
        ("perf-script/fresh-nocallchain.gz", "no sample has a call chain: record with"),
        (
            "perf/treegc-4.13.1-fp.script.gz",
            "% of the weight is in stacks of mostly unknown functions",
        ),
        ("perf/treegc-5.2.0fp-fp.script.gz", "0.5 % of the weight is in stacks cut at 127 frames"),
        (
            "perf/domains-5.2.0fp-dwarf.script.gz",
            "86.4 % of the weight is in stacks cut at OCaml's runtime",
        ),
    ] {
        let stderr = output("stack-parse", &[], recording(name)).stderr;
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
    for name in ["perf/lwtsim-4.13.1-dwarf.script.gz", "perf-script/fresh-default.gz"] {
        assert_eq!(output("stack-parse", &[], recording(name)).stderr, b"", "{name}");
    }
}

/// A sample as perf prints it, and the folded line it must become.
fn sample() -> impl Strategy<Value = (String, String)> {
    let comm = "[a-zA-Z0-9/:\\[\\]_-]{1,6}( [a-z0-9:]{1,4})?";
    let symbol =
        "[a-zA-Z_][a-zA-Z0-9_:<>~]{0,8}( [a-z]{1,3}>)?|\\(anonymous namespace\\)::[a-z]{1,3}";
    let dso = "(/[a-z.]{1,5}){1,2}( [a-z]{1,3})?( \\(deleted\\))?|\\[kernel.kallsyms\\]";
    let frames = prop::collection::vec((symbol, dso, 0u32..0xfff), 0..5);
    (comm, 0u32..99999, frames).prop_map(|(comm, tid, frames)| {
        let mut script = format!("{comm} {tid} [001]  12.000345:          1 cpu-clock:u: \n");
        for (symbol, dso, offset) in &frames {
            script += &format!("\t{offset:16x} {symbol}+0x{offset:x} ({dso})\n");
        }
        let names = frames.iter().rev().map(|(symbol, ..)| symbol.as_str());
        let folded = std::iter::once(comm.as_str()).chain(names).collect::<Vec<_>>().join(";");
        (script + "\n", folded + " 1\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn samples_printed_by_perf_are_read_back(samples in prop::collection::vec(sample(), 1..20)) {
        let (script, folded): (Vec<_>, Vec<_>) = samples.into_iter().unzip();
        let args = ["--per-sample", "-f", "perf-script"];
        prop_assert_eq!(filter("stack-parse", &args, script.concat()), folded.concat());
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), format in 0usize..3) {
        let args = [&["-f", "perf-script"][..], &["-f", "folded"], &[]][format];
        let code = output("stack-parse", args, &bytes).status.code();
        prop_assert!(matches!(code, Some(0..=2)), "{:?}", code);
    }

    #[test]
    fn text_like_perf_script_never_panics(
        lines in prop::collection::vec("[\t #]{0,2}[a-f0-9:.()\\[\\]/ +x-]{0,20}[:)]? ?\r?", 0..12)
    ) {
        let code = output("stack-parse", &["-f", "perf-script"], lines.join("\n")).status.code();
        prop_assert!(matches!(code, Some(0 | 1)), "{:?}", code);
    }
}

//! Traces of OCaml's allocations.

use proptest::prelude::*;

use super::trace::{Trace, allocation, collection, event, every_kind, location, promotion};
use crate::util::{few_cases, filter, filter_bytes, output, recording, third_party, weight};

#[test]
fn a_trace_is_folded_as_an_independent_reader_folds_it() {
    let trace = recording("formats/memtrace/alloc.ctf.gz");
    for (objects, expected) in
        [(&[][..], "folded/alloc.folded.gz"), (&["--live"], "oracle/alloc.live-samples.folded")]
    {
        let samples = String::from_utf8(recording(expected)).expect("UTF-8");
        // MEMTRACE_RATE was 0.0001: a sample stands for 10000 words.
        let words: String = samples.lines().map(|line| format!("{line}0000\n")).collect();
        for (args, expected) in [
            (&[][..], &samples),
            (&["--weight", "samples"], &samples),
            (&["--event", "words"], &words),
            (&["--weight", "period", "-f", "memtrace", "--event", "w*"], &words),
        ] {
            let folded = output("stack-parse", &[objects, args].concat(), &trace).stdout;
            assert!(folded == expected.as_bytes(), "{objects:?} {args:?}");
        }
    }
}

/// How many allocations a trace has, read from the headers of its packets.
fn allocations_by_headers(mut trace: &[u8]) -> u64 {
    let mut count = 0;
    while !trace.is_empty() {
        let number = |at: usize| u64::from_le_bytes(trace[at..at + 8].try_into().expect("8 bytes"));
        let size = (number(0) >> 32) as usize / 8;
        let header = if trace[28] >= 3 { 68 } else { 66 };
        count += number(header - 8) - number(header - 16);
        trace = &trace[size..];
    }
    count
}

#[test]
fn no_allocation_is_lost() {
    for trace in [recording("formats/memtrace/alloc.ctf.gz"), every_kind(3).bytes()] {
        let count = |args: &[&str]| weight(&filter_bytes("stack-parse", args, &trace));
        let rows = filter("stack-parse", &["--table", "--weight", "samples"], &trace);
        let rows: Vec<_> = rows.lines().skip(1).collect();
        assert_eq!(rows.len() as u64, allocations_by_headers(&trace));
        let samples: u128 = rows
            .iter()
            .map(|row| row.split('\t').nth(7).and_then(|weight| weight.parse::<u128>().ok()))
            .sum::<Option<_>>()
            .expect("a weight in each row");
        assert_eq!(count(&[]), samples);
        assert_eq!(count(&["--per-sample"]), samples);
        let words = count(&["--event", "words"]);
        assert_eq!(words % samples, 0);
        assert_eq!(count(&["--event", "bytes"]), 8 * words);
    }
    // 2286 samples at a rate of 0.0001, as the reference decoder says.
    let trace = recording("formats/memtrace/alloc.ctf.gz");
    let words = filter_bytes("stack-parse", &["--event", "words"], trace);
    assert_eq!(weight(&words), 22_860_000);
}

#[test]
fn all_versions_and_kinds_of_events_are_read() {
    let folded = "Demo.main 4\n\
        Demo.main;Demo.f;List.map 10\n\
        Demo.main;[0x28] 1\n\
        [no stack] 6\n";
    for version in 1..=3 {
        let trace = every_kind(version).bytes();
        assert_eq!(filter("stack-parse", &[], &trace), folded, "version {version}");
        let dropped = filter("stack-parse", &["--inlined", "drop"], &trace);
        assert_eq!(dropped, folded.replace(";List.map", ""));
        let named = filter("stack-parse", &["--srcline", "--annotate"], &trace);
        assert!(named.contains("Demo.f (demo.ml:12);List.map (demo.ml:12)_[i] 10\n"), "{named}");
    }
}

#[test]
fn roots_events_and_times_are_those_of_the_process() {
    let trace = every_kind(3).bytes();
    for (args, first) in [
        (&["--root", "comm"][..], "demo.exe 6\ndemo.exe;Demo.main 4\n"),
        (&["--root", "pid"], "demo.exe-7 6\n"),
        (&["--root", "tid"], "demo.exe-7/0 6\n"),
        (&["--by-event"], "samples 6\n"),
        (&["--per-sample"], "Demo.main;[0x28] 1\n"),
        (&["--from", "0", "--to", "1"], "Demo.main 4\n"),
    ] {
        let folded = filter("stack-parse", args, &trace);
        assert!(folded.starts_with(first), "{args:?}: {folded}");
    }
    let table = filter("stack-parse", &["--table", "--event", "words"], &trace);
    let row = table.lines().nth(2).expect("a second sample");
    let expected =
        "0.000006\t0.000001\tdemo.exe\t7\t0\t\twords\t500\t\"Demo.main;Demo.f;List.map\"";
    assert_eq!(row, expected);
}

#[test]
fn objects_are_chosen() {
    let trace = every_kind(2).bytes();
    for (args, folded) in [
        (&["--live"][..], "Demo.main;Demo.f;List.map 5\nDemo.main;[0x28] 1\n[no stack] 6\n"),
        (&["--major"], "Demo.main;Demo.f;List.map 5\n"),
        (&["--promoted"], "Demo.main 4\nDemo.main;Demo.f;List.map 3\n"),
        (&["--major", "--promoted"], "Demo.main 4\nDemo.main;Demo.f;List.map 8\n"),
        (&["--live", "--major"], ""),
        (&["--live", "--promoted"], "Demo.main;Demo.f;List.map 3\n"),
    ] {
        let output = output("stack-parse", &[args, &["--stats"]].concat(), &trace);
        assert_eq!(String::from_utf8_lossy(&output.stdout), folded, "{args:?}");
        let left_out = 21 - weight(folded.as_bytes());
        let stderr = String::from_utf8_lossy(&output.stderr);
        let said = format!("{left_out} samples (weight {left_out}) are of objects");
        assert!(stderr.contains(&said), "{args:?}: {stderr}");
        assert!(stderr.contains(&format!("dropped {left_out} lines")), "{args:?}: {stderr}");
    }
    let output = output("stack-parse", &["--live", "--table"], &trace);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn domains_have_their_own_backtraces_and_share_objects() {
    let one = [location(20, &["one"]), allocation(1, 0, 0, &[20]), allocation(2, 0, 1, &[])];
    // Object 11 is allocated by the other domain, whose packet comes later.
    let more = [collection(1), [event(4), vec![255], (-10i64).to_le_bytes().to_vec()].concat()];
    let two = [location(30, &["two"]), allocation(4, 0, 0, &[30]), allocation(8, 0, 1, &[])];
    let trace = Trace::new(3, 0.5)
        .packet(7, 0, 0, 2, &one)
        .packet(7, 0, 2, 0, &more)
        .packet(7, 1, 10, 2, &two)
        .bytes();
    let both = filter("stack-parse", &["--root", "tid"], &trace);
    assert_eq!(both, "demo.exe-7/0;one 3\ndemo.exe-7/1;two 12\n");
    let live = output("stack-parse", &["--live"], &trace);
    assert_eq!(String::from_utf8_lossy(&live.stdout), "one 2\ntwo 4\n");
}

#[test]
fn another_process_is_left_out_and_reported() {
    let child = [allocation(1, 0, 0, &[20])];
    let trace = every_kind(2).packet(8, 0, 6, 1, &child).packet(8, 0, 7, 0, &[]);
    let output = output("stack-parse", &[], trace.bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, filter_bytes("stack-parse", &[], every_kind(2).bytes()));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: <stdin>: 2 packets of another process left out, with 1 allocations\n",
    );
}

/// Each trace is damaged in one place, and the message must name the damage.
#[test]
fn damage_is_reported_and_what_came_before_is_kept() {
    let packet = |body: &[Vec<u8>]| every_kind(2).packet(7, 0, 6, 0, body).bytes();
    let with = |at: usize, byte: u8| {
        let mut trace = packet(&[]);
        let start = trace.len() - 66;
        trace[start + at] = byte;
        trace
    };
    for (trace, said) in [
        (packet(&[event(0)]), "is out of place"),
        (packet(&[event(77)]), "has an event of unknown kind 77"),
        (packet(&[allocation(1, 3, 0, &[])]), "has an allocation of unknown kind 3"),
        (
            packet(&[allocation(0, 0, 0, &[])]),
            "has another number of allocations than its header says",
        ),
        (packet(&[promotion(253)]), "ends within an event"),
        (
            packet(&[[event(1), vec![0; 8], vec![1, 0, 0, 0, 0, 0x80, 7]].concat()]),
            "with a name that is not",
        ),
        (with(0, 0), "is not a packet of memtrace"),
        (with(28, 4), "is of version 4, expected 1, 2 or 3"),
        (with(39, 0x7F), "does not follow the one before: it is damaged"),
        (with(4, 0), "ends within an event"),
    ] {
        let output = output("stack-parse", &[], &trace);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}: {stderr}");
        assert!(stderr.contains(said), "{said}: {stderr}");
        assert!(stderr.ends_with("; what came before is kept\n"), "{stderr}");
        assert_eq!(output.stdout, filter_bytes("stack-parse", &[], every_kind(2).bytes()));
    }
    for rate in [0.0, -1.0, 2.0, 1e-300, f64::NAN, f64::INFINITY] {
        let output = output("stack-parse", &[], Trace::new(3, rate).bytes());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("impossible sample rate"), "{rate}: {stderr}");
    }
}

#[test]
fn a_cache_that_differs_from_the_writers_ends_the_trace() {
    let mut trace = recording("formats/memtrace/alloc.ctf.gz");
    let last = packet_ends(&trace)[3];
    trace[last + 42] ^= 1;
    let output = output("stack-parse", &[], &trace);
    assert_eq!(output.status.code(), Some(2));
    // The content of the packet before.
    assert_eq!(weight(&output.stdout), 1663);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: <stdin>: the packet at byte 29830 does not follow the one before: it is \
         damaged; what came before is kept\n",
    );
}

/// The offsets at which packets end. A trace that is cut there is valid.
fn packet_ends(trace: &[u8]) -> Vec<usize> {
    let mut ends = vec![0];
    while let Some(size) = trace.get(ends[ends.len() - 1] + 4..).and_then(|rest| rest.get(..4)) {
        let size = u32::from_le_bytes(size.try_into().expect("4 bytes")) as usize / 8;
        ends.push(ends[ends.len() - 1] + size);
    }
    ends
}

/// Reads the first `length` bytes of a trace. stack-parse must report that the trace is cut, and
/// the rest must weigh at most `at_most`, the weight of a longer piece. Returns its weight.
fn cut(trace: &[u8], ends: &[usize], length: usize, at_most: u128) -> u128 {
    let args = ["-f", "memtrace", "--weight", "samples"];
    let output = output("stack-parse", &args, &trace[..length]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let sum = weight(&output.stdout);
    assert!(sum <= at_most, "{length}: {sum} > {at_most}");
    if ends.contains(&length) {
        assert_eq!(output.status.code(), Some(i32::from(sum == 0)), "{length}: {stderr}");
    } else {
        assert_eq!(output.status.code(), Some(2), "{length}: {stderr}");
        assert!(stderr.contains(" is cut short after "), "{length}: {stderr}");
    }
    sum
}

#[test]
fn a_trace_may_be_cut_anywhere() {
    for trace in [every_kind(1), every_kind(3)] {
        let trace = trace.bytes();
        let ends = packet_ends(&trace);
        let lengths = (0..=trace.len()).rev();
        let left = lengths.fold(u128::MAX, |sum, length| cut(&trace, &ends, length, sum));
        assert_eq!(left, 0);
    }
    let trace = recording("formats/memtrace/alloc.ctf.gz");
    let ends = packet_ends(&trace);
    // Every length in the first packets, and some lengths in the long ones.
    let lengths = (0..1600).chain((1600..trace.len()).step_by(229)).rev();
    let mut sums: Vec<u128> = lengths
        .scan(2286, |sum, length| {
            *sum = cut(&trace, &ends, length, *sum);
            Some(*sum)
        })
        .collect();
    sums.dedup();
    assert!(sums.len() > 100, "whole events of a cut packet count: {sums:?}");
}

#[test]
fn rates_that_differ_are_made_comparable() {
    let trace = |rate| {
        let events = [location(20, &["f"]), allocation(3, 0, 0, &[20])];
        Trace::new(2, rate).packet(7, 0, 0, 1, &events).bytes()
    };
    let [coarse, fine] = [trace(0.01), trace(0.1)].map(crate::util::TempFile::new);
    let both = output("stack-parse", &[coarse.path(), fine.path()], "");
    assert_eq!(String::from_utf8_lossy(&both.stdout), "f 6\n");
    let said = "the sampling rates of the inputs differ";
    assert!(String::from_utf8_lossy(&both.stderr).contains(said));
    let words = filter("stack-parse", &["--event", "words", coarse.path(), fine.path()], "");
    assert_eq!(words, "f 330\n");
    let odd = output("stack-parse", &["--event", "words"], trace(0.03));
    assert_eq!(String::from_utf8_lossy(&odd.stdout), "f 99\n");
    assert_eq!(
        String::from_utf8_lossy(&odd.stderr),
        "stack-parse: <stdin>: a sample stands for 33.333 words and counts 33\n",
    );
}

#[test]
fn traces_of_others_are_read() {
    let Some(folder) = third_party("memtrace") else { return };
    let trace = |name: &str| std::fs::read(folder.join(name)).expect("a trace");
    let [two, three] = ["v2", "v3"].map(|v| trace(&format!("memtrace-test-ocamlopt.{v}.ctf")));
    // The figures are those of the reference decoder.
    for (args, sum) in [
        (&[][..], 1676),
        (&["--event", "words"], 83_800_000),
        (&["--live"], 110),
        (&["--major"], 10),
    ] {
        let ours = output("stack-parse", args, &two).stdout;
        assert_eq!(weight(&ours), sum, "{args:?}");
        assert!(ours == output("stack-parse", args, &three).stdout, "{args:?}");
    }
    let one = trace("memthol-lists_and_sets.v1.ctf");
    let folded = filter("stack-parse", &[], &one);
    assert_eq!(weight(folded.as_bytes()), 758);
    let depths = folded.lines().map(|line| line.split(';').count());
    // 9982 locations, two of them of two functions.
    assert_eq!(depths.max(), Some(9984));
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn bytes_after_a_valid_header_never_panic(
        version in 1u16..=3,
        body in prop::collection::vec(any::<u8>(), 0..300),
        kinds in prop::collection::vec((prop::sample::select(vec![1u32, 2, 3, 4, 101, 116]),
            prop::collection::vec(any::<u8>(), 0..20)), 0..8),
    ) {
        let likely: Vec<u8> =
            kinds.into_iter().flat_map(|(kind, rest)| [event(kind), rest].concat()).collect();
        for body in [body, likely] {
            let trace = every_kind(version).packet(7, 0, 6, 3, &[body]).bytes();
            let code = output("stack-parse", &["--weight", "samples"], trace).status.code();
            prop_assert!(matches!(code, Some(0 | 2)), "{:?}", code);
        }
    }

    #[test]
    fn a_damaged_trace_never_panics(changes in prop::collection::vec((0usize..40_000, any::<u8>()), 1..6)) {
        let mut trace = recording("formats/memtrace/alloc.ctf.gz");
        for (at, byte) in changes {
            trace[at] = byte;
        }
        let code = output("stack-parse", &["-f", "memtrace", "--live"], trace).status.code();
        prop_assert!(matches!(code, Some(0..=2)), "{:?}", code);
    }
}

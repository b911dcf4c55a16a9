//! stack-parse on what OCaml's own profilers write: memtrace and landmarks.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::util::{few_cases, filter, filter_bytes, output, recording, weight};

const CONTEXT: &str = "a context";

/// A trace in parts, written as memtrace's documentation says: every name and
/// every location code is written out.
struct Trace {
    version: u16,
    packets: Vec<Vec<u8>>,
}

impl Trace {
    /// A trace of process 7 where a sample stands for `1 / rate` words.
    fn new(version: u16, rate: f64) -> Trace {
        let mut info = event(0);
        info.extend(rate.to_le_bytes());
        info.push(64);
        info.extend(b"/bin/demo.exe\0host\0v=0\0");
        info.extend(7u64.to_le_bytes());
        if version >= 2 {
            info.extend(CONTEXT.bytes().chain([0]));
        }
        Trace { version, packets: Vec::new() }.packet(7, 0, 0, 0, &[info])
    }

    /// Adds a packet with `objects` allocations from number `first` on.
    fn packet(
        mut self,
        pid: u64,
        domain: u16,
        first: u64,
        objects: u64,
        body: &[Vec<u8>],
    ) -> Trace {
        let mut header = Vec::new();
        header.extend([5u64.to_le_bytes(), 9u64.to_le_bytes()].concat());
        header.extend(0u32.to_le_bytes());
        header.extend(self.version.to_le_bytes());
        header.extend(pid.to_le_bytes());
        if self.version >= 3 {
            header.extend(domain.to_le_bytes());
        }
        header.extend([0xFF, 0xFF, 0, 0]);
        header.extend(0u64.to_le_bytes());
        header.extend([first.to_le_bytes(), (first + objects).to_le_bytes()].concat());
        let size = (8 + header.len() + body.concat().len()) as u32 * 8;
        let start = [0xC1FC_1FC1u32.to_le_bytes(), size.to_le_bytes()].concat();
        self.packets.push([start, header, body.concat()].concat());
        self
    }

    fn bytes(&self) -> Vec<u8> {
        self.packets.concat()
    }
}

/// The head of an event, six microseconds after the epoch.
fn event(kind: u32) -> Vec<u8> {
    (kind << 25 | 6).to_le_bytes().to_vec()
}

/// The functions a code stands for, those behind the first inlined into it.
fn location(code: u64, functions: &[&str]) -> Vec<u8> {
    let mut bytes = [event(1), code.to_le_bytes().to_vec(), vec![functions.len() as u8]].concat();
    for function in functions {
        bytes.extend(&(12u64 | 31 << 38 | 31 << 43).to_le_bytes()[..6]);
        bytes.extend(format!("demo.ml\0{function}\0").bytes());
    }
    bytes
}

/// An allocation whose backtrace shares `common` codes with the one before.
fn allocation(samples: u8, source: u8, common: u8, codes: &[u64]) -> Vec<u8> {
    let head = vec![100, samples, source, common, codes.len() as u8, 0];
    let codes = codes.iter().flat_map(|&code| {
        [&((code as u16) << 2 | 3).to_le_bytes()[..], &code.to_le_bytes()].concat()
    });
    [event(2), head, codes.collect()].concat()
}

/// One of 3 words in the minor heap.
fn short_allocation(common: u8, codes: &[u64]) -> Vec<u8> {
    let long = allocation(1, 0, common, codes);
    [event(103), vec![common, codes.len() as u8], long[10..].to_vec()].concat()
}

/// A promotion or a collection of the object allocated before so many others.
fn promotion(before: u8) -> Vec<u8> {
    [event(3), vec![before]].concat()
}

fn collection(before: u8) -> Vec<u8> {
    [event(4), vec![before]].concat()
}

/// Every kind of event: one code without location, one with inlined functions.
fn every_kind(version: u16) -> Trace {
    let locations = [location(20, &["Demo.main"]), location(30, &["Demo.f", "List.map"])];
    let events = [
        // main;[0x28]
        short_allocation(0, &[20, 40]),
        // main;f;map, in the major heap, and outside the heaps
        allocation(5, 1, 1, &[30]),
        allocation(2, 2, 2, &[]),
        // The one before was cut by the writer, so it is taken for this one.
        allocation(3, 0, 9, &[50]),
        promotion(0),
        collection(2),
        allocation(4, 0, 0, &[20]),
        promotion(0),
        collection(0),
        allocation(6, 0, 0, &[]),
    ];
    Trace::new(version, 0.01).packet(7, 0, 0, 0, &locations).packet(7, 0, 0, 6, &events)
}

#[test]
fn a_trace_equals_its_folded_stacks() {
    let trace = recording("memtrace/alloc.ctf.gz");
    for (args, folded) in [
        (&[][..], "samples"),
        (&["--weight", "samples"], "samples"),
        (&["--weight", "words"], "words"),
        (&["--weight", "period", "-f", "memtrace"], "words"),
    ] {
        let expected = recording(&format!("memtrace/alloc.{folded}.folded.gz"));
        assert!(filter_bytes("stack-parse", args, &trace) == expected, "{args:?}");
    }
    for (args, folded) in
        [(&["--live"][..], "live-samples"), (&["--live", "--weight", "words"], "live-words")]
    {
        let expected = recording(&format!("memtrace/alloc.{folded}.folded.gz"));
        assert!(output("stack-parse", args, &trace).stdout == expected, "{args:?}");
    }
}

/// The allocations of a trace, counted by the headers of its packets alone.
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
    for trace in [recording("memtrace/alloc.ctf.gz"), every_kind(3).bytes()] {
        let count = |args: &[&str]| weight(&filter_bytes("stack-parse", args, &trace));
        let rows = filter("stack-parse", &["--table", "--weight", "samples"], &trace);
        let rows: Vec<_> = rows.lines().skip(1).collect();
        assert_eq!(rows.len() as u64, allocations_by_headers(&trace));
        let samples: u128 = rows
            .iter()
            .map(|row| row.split('\t').nth(6).and_then(|weight| weight.parse::<u128>().ok()))
            .sum::<Option<_>>()
            .expect("a weight in each row");
        assert_eq!(count(&[]), samples);
        assert_eq!(count(&["--per-sample"]), samples);
        let words = count(&["--weight", "words"]);
        assert_eq!(words % samples, 0);
        assert_eq!(count(&["--weight", "bytes"]), 8 * words);
    }
    // 2286 samples at a rate of 0.0001, as the executable specification says.
    let trace = recording("memtrace/alloc.ctf.gz");
    let words = filter_bytes("stack-parse", &["--weight", "words"], trace);
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
        (&["--by-event"], "alloc 6\n"),
        (&["--per-sample"], "Demo.main;[0x28] 1\n"),
        (&["--from", "0", "--to", "1"], "Demo.main 4\n"),
    ] {
        let folded = filter("stack-parse", args, &trace);
        assert!(folded.starts_with(first), "{args:?}: {folded}");
    }
    let table = filter("stack-parse", &["--table"], &trace);
    let row = table.lines().nth(2).expect("a second sample");
    assert_eq!(row, "0.000006\tdemo.exe\t7\t0\t\talloc\t500\tDemo.main;Demo.f;List.map");
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
    // Object 11 is of the other domain, whose packet comes later.
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
fn another_process_is_left_out_and_said() {
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

/// Traces that are damaged in one place, and what is said of it.
#[test]
fn damage_is_said_and_what_came_before_is_kept() {
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
        (packet(&[allocation(0, 0, 0, &[])]), "has another number of allocations than it says"),
        (packet(&[promotion(253)]), "ends within an event"),
        (
            packet(&[[event(1), vec![0; 8], vec![1, 0, 0, 0, 0, 0x80, 7]].concat()]),
            "with a name that is not",
        ),
        (with(0, 0), "is none of memtrace"),
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
    let mut trace = recording("memtrace/alloc.ctf.gz");
    let last = packet_ends(&trace)[3];
    trace[last + 42] ^= 1;
    let output = output("stack-parse", &[], &trace);
    assert_eq!(output.status.code(), Some(2));
    // The objects of the packet before, each of one sample.
    assert_eq!(weight(&output.stdout), 1663);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: <stdin>: the packet at byte 29830 does not follow the one before: it is \
         damaged; what came before is kept\n",
    );
}

/// Where a trace may end without anyone noticing: behind its packets.
fn packet_ends(trace: &[u8]) -> Vec<usize> {
    let mut ends = vec![0];
    while let Some(size) = trace.get(ends[ends.len() - 1] + 4..).and_then(|rest| rest.get(..4)) {
        let size = u32::from_le_bytes(size.try_into().expect("4 bytes")) as usize / 8;
        ends.push(ends[ends.len() - 1] + size);
    }
    ends
}

/// Cuts a trace: what is left is said to be cut, and weighs no more than what
/// is left of a longer piece.
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
    let trace = recording("memtrace/alloc.ctf.gz");
    let ends = packet_ends(&trace);
    // All of the first packets, and some of the long ones.
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
    assert_eq!(String::from_utf8_lossy(&both.stdout), "f 330\n");
    assert!(String::from_utf8_lossy(&both.stderr).contains("periods vary"));
    let odd = output("stack-parse", &["--weight", "words"], trace(0.03));
    assert_eq!(String::from_utf8_lossy(&odd.stdout), "f 99\n");
    assert_eq!(
        String::from_utf8_lossy(&odd.stderr),
        "stack-parse: a sample stands for 33.333 of memory and counts 33\n",
    );
}

#[test]
fn what_a_format_does_not_hold_cannot_be_asked_for() {
    let trace = every_kind(2).bytes();
    let folded = b"main;f 12\n".to_vec();
    let tree = recording("landmarks/demo.json.gz");
    for (input, args, said) in [
        (
            &folded,
            &["--weight", "words"][..],
            "--weight words: folded has only auto, samples, period",
        ),
        (
            &tree,
            &["--weight", "samples"],
            "--weight samples: landmarks has only auto, period, bytes",
        ),
        (&tree, &["--table"], "--table and --off-cpu: the input holds no samples"),
        (&folded, &["--live"], "--live, --major and --promoted need a memtrace: <stdin> is none"),
    ] {
        let output = output("stack-parse", args, input);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, format!("stack-parse: {said}\n"), "{args:?}");
    }
    assert_eq!(output("stack-parse", &["-f", "memtrace"], &folded).status.code(), Some(2));
    // Others write CTF too.
    let mut other = trace;
    other[28] = 200;
    let output = output("stack-parse", &[], &other);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("unknown format, it looks like a CTF trace, but not"), "{stderr}");
}

/// A folder of recordings by others, which are not ours to copy: next to the
/// project, or where STACK_TOOLS_DATA says; `None` where they are missing.
fn third_party(folder: &str) -> Option<PathBuf> {
    let named = std::env::var_os("STACK_TOOLS_DATA").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
    let near = above.map(|above| above.join("shared/data"));
    let found = named.into_iter().chain(near).map(|data| data.join("third-party").join(folder));
    let found = found.into_iter().find(|path| path.is_dir());
    if found.is_none() {
        eprintln!("skipped: third-party/{folder} is not here, STACK_TOOLS_DATA says where");
    }
    found
}

#[test]
fn traces_of_others_are_read() {
    let Some(folder) = third_party("memtrace") else { return };
    let trace = |name: &str| std::fs::read(folder.join(name)).expect("a trace");
    let [two, three] = ["v2", "v3"].map(|v| trace(&format!("memtrace-test-ocamlopt.{v}.ctf")));
    // The figures are those of the executable specification.
    for (args, sum) in [
        (&[][..], 1676),
        (&["--weight", "words"], 83_800_000),
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

#[test]
fn a_call_tree_is_folded_by_what_each_call_took_itself() {
    let tree = recording("landmarks/demo.json.gz");
    let cycles = "ROOT 61732\nROOT;eval 1806152\nROOT;eval;parse 758304\nROOT;parse 2599918\n";
    assert_eq!(filter("stack-parse", &[], &tree), cycles);
    assert_eq!(weight(cycles.as_bytes()), 5_226_106);
    assert_eq!(
        filter("stack-parse", &["--weight", "bytes"], &tree),
        "ROOT 47320\nROOT;eval 528\nROOT;eval;parse 417104\nROOT;parse 336752\n",
    );
    let named = filter("stack-parse", &["--srcline"], &tree);
    assert!(named.contains(";eval (app/demo.ml:2);parse (app/demo.ml:1) 758304\n"), "{named}");
}

#[test]
fn a_call_tree_in_text_is_read_as_far_as_it_goes() {
    let text = recording("landmarks/demo.txt.gz");
    let output = output("stack-parse", &[], &text);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "ROOT 60000\nROOT;eval 2028580\nROOT;eval;parse 771420\nROOT;parse 2610000\n",
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: <stdin>: landmarks' text has three digits of each figure and no small nodes: \
         OCAML_LANDMARKS=format=json keeps all\n",
    );
}

#[test]
fn call_trees_of_threads_and_lines_between_them() {
    let text = "hello 1\nCall graph:\n-----------\n\
        [   12.00  cycles in 1 calls ]     - 60.00% : f;g\n\
        [    5.00  cycles in 1 calls ]     |   - 40.00% : h\n\
        [    9.00  cycles in 1 calls ]     |   |   |   |   - 40.00% : lost\n\
        Call graph 'thread':\n--------------------\n\
        [    1.00K cycles in 1 calls ]     - 60.00% : f;g\n";
    let output = output("stack-parse", &[], text);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ROOT;f:g 1007\nROOT;f:g;h 5\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("<stdin>:6: expected a call of landmarks below its caller"),
        "{stderr}"
    );
}

#[test]
fn odd_call_trees_are_said() {
    let node = |name: &str, time: &str, children: &str| {
        format!(
            r#"{{"landmark_id": "{name}", "name": "{name}", "time": {time}, "children": {children}}}"#
        )
    };
    let graph =
        |nodes: &[String]| format!(r#"{{"nodes": [{}], "label": "", "root": 0}}"#, nodes.join(","));
    for (nodes, folded, said) in [
        (vec![node(r"caf\195\169;\233", "7.4", "[]")], &b"caf\xc3\xa9:\xe9 7\n"[..], ""),
        (vec![node("", "7.5", "[]")], b"[no name] 8\n", ""),
        (
            vec![node("a", "7", "[1]"), node("b", "9", "[]")],
            b"a;b 9\n",
            "callees took 2 more than their callers",
        ),
        (
            vec![node("a", "7", "[0, 5]"), node("b", "9", "[]")],
            b"a 7\n",
            "expected a tree: 2 callees are missing or called elsewhere too, 1 nodes are called by none",
        ),
        (vec![], b"", "expected a tree: 1 callees are missing"),
        (vec![node("a", "nan", "[]")], b"", "expected landmarks' JSON: expected ident at line 1"),
    ] {
        let output = output("stack-parse", &["-f", "landmarks"], graph(&nodes));
        assert_eq!(output.stdout, folded, "{nodes:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(said), "{nodes:?}: {stderr}");
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn bytes_behind_a_valid_header_never_panic(
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
        let mut trace = recording("memtrace/alloc.ctf.gz");
        for (at, byte) in changes {
            trace[at] = byte;
        }
        let code = output("stack-parse", &["-f", "memtrace", "--live"], trace).status.code();
        prop_assert!(matches!(code, Some(0..=2)), "{:?}", code);
    }

    #[test]
    fn damaged_call_trees_never_panic(at in 0usize..1394, byte in any::<u8>(), format in 0usize..2) {
        let name = ["landmarks/demo.json.gz", "landmarks/demo.txt.gz"][format];
        let mut tree = recording(name);
        let at = at % tree.len();
        tree[at] = byte;
        let args = ["-f", ["landmarks", "landmarks-text"][format]];
        let code = output("stack-parse", &args, tree).status.code();
        prop_assert!(matches!(code, Some(0..=2)), "{:?}", code);
    }
}

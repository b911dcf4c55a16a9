//! Traces of Perfetto.

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::util::{filter, golden_path, output, stderr, third_party, weight};

/// The output for a trace in tests/golden/formats/perfetto.
fn folded(name: &str, args: &[&str]) -> String {
    let path = golden_path(&format!("formats/perfetto/{name}"));
    let path = path.to_str().expect("a path in UTF-8");
    String::from_utf8(output("stack-parse", &[args, &[path]].concat(), "").stdout).expect("UTF-8")
}

#[test]
fn samples_say_who_ran_and_when() {
    let labelled = folded("profiles.pftrace", &["--labels", "time,comm,pid,tid,cpu,process"]);
    for expected in [
        "time=0.001000000\tcomm=worker\tcpu=1\tpid=9\tprocess=/bin/app\ttid=91\tworker;main;org.Demo.run 1\n",
        "time=0.000037000\tcomm=/bin/app\tpid=9\tprocess=/bin/app\ttid=93\t/bin/app;Loop 1\n",
    ] {
        assert!(labelled.contains(expected), "{expected}{labelled}");
    }
}

#[test]
fn a_later_dump_adds_what_is_more_in_it() {
    for (side, expected) in [("--to", 1064), ("--from", 2051)] {
        let grown = folded("heap.pftrace", &[side, "0.0005"]);
        assert_eq!(weight(grown.as_bytes()), expected, "{side}: {grown}");
    }
    let heaps = folded("heap.pftrace", &["--root", "label:heap", "--event", "in-use"]);
    assert!(heaps.contains("libc.malloc;main;grow 2200\n"), "{heaps}");
    assert!(heaps.contains("custom;main 32\n"), "{heaps}");
}

#[test]
fn counters_of_a_profiler_are_events_of_their_own() {
    let time = folded("stack-sample.pftrace", &["--event", "wall-time", "--srcline"]);
    assert_eq!(time, "python3;main (m.py:9);leaf 5000\npython3;shared 7000\n");
    let list = folded("stack-sample.pftrace", &["--list-events"]);
    assert!(list.contains("alloc\tbytes\t1\t256\n"), "{list}");
}

#[test]
fn what_nothing_else_came_with_is_named() {
    // Two packets of ftrace.
    let trace = b"\x0a\x06\x50\x01\x0a\x02\x08\x01\x0a\x06\x50\x01\x0a\x02\x08\x01";
    let said = stderr(&output("stack-parse", &[], trace));
    assert!(said.contains("2 packets are not read: events of ftrace: 'traceconv "), "{said}");
}

#[test]
fn packets_compressed_by_zstd_weigh_the_same() {
    let plain = std::fs::read(golden_path("formats/perfetto/three.pftrace")).expect("a trace");
    let packed = compress_to_vec(&plain[..], CompressionLevel::Fastest);
    let field = |tag: &[u8], content: &[u8]| {
        // Two bytes are enough for these lengths.
        let length = content.len() as u16;
        [tag, &[0x80 | (length & 0x7f) as u8, (length >> 7) as u8], content].concat()
    };
    let trace = field(b"\x0a", &field(b"\xaa\x08", &packed));
    assert_eq!(filter("stack-parse", &[], trace), folded("three.pftrace", &[]));
}

#[test]
fn a_damaged_packet_costs_no_other() {
    let slices = std::fs::read(golden_path("formats/perfetto/three.pftrace")).expect("a trace");
    // A packet with an event whose length is too large, between two good packets.
    let damaged = b"\x0a\x05\x50\x01\x5a\x09\x48";
    let args = ["--format", "perfetto"];
    let output = output("stack-parse", &args, [&slices[..23], damaged, &slices[23..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(weight(&output.stdout), 9000);
    let said = stderr(&output);
    assert!(said.contains("1 packets cannot be read in whole"), "{said}");
}

#[test]
fn traces_of_others_weigh_what_they_say() {
    let Some(folder) = third_party("perfetto") else { return };
    for (name, event, expected) in [
        ("heap_profile.pftrace", "allocated", 2100),
        ("heap_profile.pftrace", "freed", 1010),
        ("stack_sample.pftrace", "samples", 4),
        ("perf_sample_switch_interp.pftrace", "samples", 1),
    ] {
        let path = folder.join(name);
        let path = path.to_str().expect("a path in UTF-8");
        let folded = filter("stack-parse", &["--event", event, path], "");
        assert_eq!(weight(folded.as_bytes()), expected, "{name} {event}: {folded}");
    }
}

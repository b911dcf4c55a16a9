//! Traces of Perfetto.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::pprof::Message;
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
fn every_damaged_packet_is_counted_once() {
    let slices = std::fs::read(golden_path("formats/perfetto/three.pftrace")).expect("a trace");
    let packet = |packet: &[u8]| Message::default().bytes(1, packet).0;
    let compressed = |packets: &[u8]| {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(packets).expect("memory");
        Message::default().bytes(50, &zlib.finish().expect("memory")).0
    };
    let whole = compressed(&packet(b"\x50\x01"));
    for (what, damaged, count) in [
        ("a packet", b"\x50".to_vec(), 1),
        ("an event in a packet", b"\x5a\x01\x48".to_vec(), 1),
        ("names in a packet", b"\x62\x01\x08".to_vec(), 1),
        ("a compressed packet", compressed(&packet(b"\x50")), 1),
        ("two compressed packets", compressed(&packet(b"\x50").repeat(2)), 2),
        ("compressed packets that are cut", compressed(b"\x0a\x09\x50\x01"), 1),
        ("compression", whole[..whole.len() - 1].to_vec(), 1),
    ] {
        let trace = [&slices[..23], &packet(&damaged), &slices[23..]].concat();
        let output = output("stack-parse", &["--format", "perfetto"], trace);
        let said = stderr(&output);
        assert_eq!(weight(&output.stdout), 9000, "{what}: {said}");
        assert_eq!(output.status.code(), Some(2), "{what}");
        assert!(
            said.contains(&format!("{count} packets cannot be read in whole")),
            "{what}: {said}"
        );
    }
}

#[test]
fn dumps_of_memory_that_end_early_or_are_smaller_than_before_are_counted() {
    // A dump of the process 5: a stack that allocated `bytes`, and more fields.
    let dump = |bytes: u64, more: &[u64]| {
        let sample = Message::default().number(1, 100).number(2, bytes);
        let process = Message::default().number(1, 5).bytes(2, &sample.0);
        let process = more.iter().fold(process, |it, &field| it.number(field, 1));
        let profile = Message::default()
            .bytes(1, &Message::default().number(1, 1).bytes(2, b"f").0)
            .bytes(2, &Message::default().number(1, 1).number(2, 1).0)
            .bytes(3, &Message::default().number(1, 100).number(2, 1).0)
            .bytes(5, &process.0);
        let packet = Message::default().number(10, 3).bytes(37, &profile.0);
        Message::default().bytes(1, &packet.0).0
    };
    let said = |dumps: &[Vec<u8>]| {
        let output = output("stack-parse", &["--format", "perfetto"], dumps.concat());
        assert_eq!(weight(&output.stdout), 100);
        stderr(&output)
    };
    for (field, expected) in [
        (4, "were rejected, as another session profiled their process"),
        (7, "end early, as their buffer overran"),
        (8, "end early, as their buffer was damaged"),
        (10, "end early, as they took too much memory or time"),
        (14, "end early, as their process could not go on sending"),
    ] {
        let said = said(&[dump(70, &[field]), dump(90, &[]), dump(100, &[field])]);
        assert!(said.contains(&format!("<stdin>: 2 dumps of memory {expected}\n")), "{said}");
    }
    let said = said(&[dump(100, &[]), dump(70, &[]), dump(90, &[])]);
    let expected = "2 counts of memory are smaller than before: they are left out";
    assert!(said.contains(expected), "{said}");
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

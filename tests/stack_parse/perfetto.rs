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

/// A trace of these packets of one sequence; the first begins it.
fn of_packets(packets: &[Message]) -> Vec<u8> {
    let of_sequence =
        |packet: &Message| Message::default().bytes(1, &packet.clone().number(10, 1).0).0;
    packets.iter().map(of_sequence).collect::<Vec<_>>().concat()
}

/// The names of a stack with the id 1: `main`.
fn names() -> Message {
    let interned = Message::default()
        .bytes(5, &Message::default().number(1, 1).bytes(2, b"main").0)
        .bytes(6, &Message::default().number(1, 1).number(2, 1).0)
        .bytes(7, &Message::default().number(1, 1).number(2, 1).0);
    Message::default().number(13, 1).bytes(12, &interned.0)
}

/// The status, the output with its header and the messages for a trace.
fn with_header(args: &[&str], trace: &[u8]) -> (Option<i32>, String, String) {
    let args = [args, &["--header", "--format", "perfetto"]].concat();
    let output = output("stack-parse", &args, trace);
    let said = stderr(&output).replace("stack-parse: <stdin>: ", "");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), said)
}

/// A packet of perf: a sample of process 9, or what is there in its place.
fn of_perf(more: impl Fn(Message) -> Message) -> Message {
    Message::default().number(8, 1000).bytes(66, &more(Message::default()).0)
}

fn sample() -> Message {
    of_perf(|perf| perf.number(2, 9).number(3, 9).number(4, 1))
}

#[test]
fn what_a_profiler_lost_and_that_it_stopped_is_said() {
    let reason =
        |reason: u64| of_perf(|perf| perf.bytes(19, &Message::default().number(1, reason).0));
    let lost = of_perf(|perf| perf.number(17, 3));
    let stopped = "1 profilers stopped before the end, as they took too much memory or time\n";
    let lost_3 = "3 samples or other records were lost while recording: use a larger \
                  ring_buffer_pages, or a lower frequency\n";
    for (packet, expected, line) in
        [(reason(1), stopped, false), (reason(0), "", false), (lost, lost_3, true)]
    {
        let trace = of_packets(&[names(), sample(), packet]);
        let (status, folded, said) = with_header(&[], &trace);
        assert!(status == Some(0) && folded.ends_with("main 1\n"), "{folded}{said}");
        assert_eq!(said, expected);
        assert_eq!(folded.contains("# lost: 3 of 4 samples\n"), line, "{folded}");
        let strict = if expected.is_empty() { 0 } else { 2 };
        assert_eq!(with_header(&["--strict"], &trace).0, Some(strict), "{expected}");
    }
}

#[test]
fn a_full_buffer_of_the_trace_is_said_once() {
    let statistics = |field: u64, count: u64| {
        let buffer = Message::default().number(2, 9).number(field, count);
        Message::default().bytes(35, &Message::default().bytes(1, &buffer.0).0)
    };
    let full = "events were lost while recording, as a buffer was full: use a larger one, or record \
                for a shorter time\n";
    let lost = of_perf(|perf| perf.number(17, 3));
    for (field, count, expected) in
        [(3, 5, full), (18, 1, full), (19, 2, full), (17, 9, ""), (3, 0, "")]
    {
        let twice = [statistics(field, count), statistics(field, count)];
        let trace = of_packets(&[&[names(), sample()][..], &twice].concat());
        let (_, folded, said) = with_header(&[], &trace);
        assert_eq!((said.as_str(), folded.contains("# lost")), (expected, false), "{field}");
        // Nobody knows how many samples were in what was lost.
        let trace = of_packets(&[&[names(), sample(), lost.clone()][..], &twice].concat());
        let (_, folded, _) = with_header(&[], &trace);
        assert_eq!(folded.contains("# lost"), expected.is_empty(), "{field}: {folded}");
    }
}

#[test]
fn packets_of_memory_that_are_missing_are_counted_from_the_first_on() {
    let dump = |index: u64, bytes: u64| {
        let sample = Message::default().number(1, 1).number(2, bytes);
        let process = Message::default().number(1, 5).bytes(2, &sample.0);
        let profile = Message::default().bytes(5, &process.0).number(7, index);
        Message::default().bytes(37, &profile.0)
    };
    let said = |indexes: &[u64]| {
        let dumps = indexes.iter().zip(1..).map(|(&index, bytes)| dump(index, bytes));
        let trace = of_packets(&[vec![names()], dumps.collect()].concat());
        let (_, folded, said) = with_header(&[], &trace);
        assert!(folded.ends_with(&format!("main {}\n", indexes.len())), "{folded}");
        said
    };
    let lost = "3 packets of memory were lost while recording: use a larger buffer\n";
    for (indexes, expected) in [
        // A buffer that was overwritten begins with any number, and another session with 0.
        (&[7, 8, 9][..], ""),
        (&[8, 9, 0, 1], ""),
        (&[7, 9, 12], lost),
    ] {
        assert_eq!(said(indexes), expected, "{indexes:?}");
    }
}

#[test]
fn the_rate_is_that_of_the_counter_if_all_samples_are_of_one() {
    let defaults = |frequency: u64| {
        let timebase = Message::default().number(2, frequency).number(4, 1);
        let perf = Message::default().bytes(1, &timebase.0);
        names().bytes(59, &Message::default().bytes(12, &perf.0).0)
    };
    let has_rate =
        |packets: &[Message]| with_header(&[], &of_packets(packets)).1.contains("# rate: 100 Hz\n");
    assert!(has_rate(&[defaults(100), sample(), sample()]));
    assert!(!has_rate(&[names(), sample()]));
    assert!(!has_rate(&[defaults(100), sample(), defaults(200), sample()]));
    // Another profiler, and a span.
    let streamed = Message::default().bytes(54, &Message::default().number(1, 1).0);
    assert!(!has_rate(&[defaults(100), sample(), streamed]));
    let span = |kind: u64, time: u64| {
        let event = Message::default().number(9, kind).bytes(23, b"f");
        Message::default().number(8, time).bytes(11, &event.0)
    };
    assert!(!has_rate(&[defaults(100), sample(), span(1, 10), span(2, 20)]));
}

#[test]
fn allocations_that_were_sampled_are_samples() {
    let list = folded("heap.pftrace", &["--list-events"]);
    assert!(list.contains("allocations\tsamples\t"), "{list}");
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

//! Recordings made by hand, with content that none of our real recordings has.

mod build;
mod chains;
mod layouts;
mod order;
mod running;
mod simpleperf;
mod stacks;

use std::io::Cursor;

use crate::Recording;
use crate::recording::header::MAGIC;
use build::{Seen, Stream, field, for_each, read, why};

#[test]
fn recordings_of_other_kinds_are_refused_by_name() {
    for (head, why) in [
        (&b"2ELIFREP\0\0\0\0\0\0\0\x10"[..], "it was recorded on a big-endian machine"),
        (b"PERFFILE\x68\0\0\0\0\0\0\0", "it has version 1 of the format"),
        (b"hello, this is text\n", "it is not a perf.data file, which begins with PERFILE2"),
        (b"PERFILE2\x10\0", "the header is cut short"),
        (b"PERFILE2\x68\0\0\0\0\0\0\0", "the header is cut short"),
    ] {
        let error = Recording::from_file(Cursor::new(head)).err().expect("it is refused");
        assert_eq!(error.to_string(), why);
    }
    let file = Recording::from_stream(&b"PERFILE2\x68\0\0\0\0\0\0\0"[..]);
    assert_eq!(file.err().expect("it is refused").to_string(), "it is a file, not a stream");
}

#[test]
fn a_stream_in_a_file_is_read_as_a_stream() {
    let stream = Stream::new().attr(field::IP, 0).sample(&[0x10]);
    let recording = Recording::from_file(Cursor::new(&stream.0)).expect("a header");
    let summary = recording.read(|_| Ok::<(), ()>(())).expect("no error of ours");
    assert_eq!((summary.samples, why(&summary)), (1, None));
}

#[test]
fn what_the_caller_returns_ends_reading() {
    let stream = Stream::new().attr(field::IP, 0).sample(&[0x10]).sample(&[0x20]);
    let mut records = 0;
    let recording = Recording::from_stream(&stream.0[..]).expect("a header");
    let read = recording.read(|_| {
        records += 1;
        Err("enough")
    });
    assert_eq!((read.err(), records), (Some("enough"), 1));
}

#[test]
fn a_trace_by_the_processor_is_skipped() {
    // The data after the record is not a record.
    let aux = [&24u64.to_le_bytes()[..], &[0; 32]].concat();
    let stream = Stream::new().attr(field::IP | field::TID, 0).record(71, 0, &aux);
    let stream = Stream([stream.0, vec![7; 24]].concat());
    let (seen, summary) = read(&stream.0);
    assert_eq!((seen.len(), summary.aux_bytes, why(&summary)), (0, 24, None));
    let (seen, summary) = read(&stream.sample(&[0x10, 1 << 32 | 1]).0);
    assert_eq!((seen.len(), summary.aux_bytes, why(&summary)), (1, 24, None));
}

#[test]
fn attributes_and_names_may_come_at_any_time() {
    let stream = Stream::new()
        .attr_with_ids(field::IDENTIFIER | field::IP, 0, &[5, 6])
        .sample(&[5, 0x10])
        // EVENT_UPDATE of the name of the event of counter 6.
        .record(
            78,
            0,
            &[&2u64.to_le_bytes()[..], &6u64.to_le_bytes(), b"cpu-clock:ppp\0\0\0"].concat(),
        )
        .sample(&[6, 0x20])
        .attr_with_ids(field::IDENTIFIER | field::IP, 2, &[7])
        .sample(&[7, 0x30])
        // No event has this counter.
        .sample(&[8, 0x40]);
    let (seen, summary) = read(&stream.0);
    let events: Vec<&str> = seen.iter().map(|seen| &*seen.event).collect();
    assert_eq!(events, ["cpu-clock", "cpu-clock:ppp", "page-faults"]);
    assert_eq!((summary.unknown_events, why(&summary)), (1, None));
}

#[test]
fn losses_are_summed_once() {
    let lost = |stream: Stream| {
        let stream = stream
            .record(2, 0, &[0u64.to_le_bytes(), 3u64.to_le_bytes()].concat())
            .record(2, 0, &[0u64.to_le_bytes(), 4u64.to_le_bytes()].concat())
            .record(13, 0, &7u64.to_le_bytes());
        read(&stream.0).1.lost()
    };
    assert_eq!(lost(Stream::new().attr(field::IP, 0)), 14);
    // Counters that say what they lost say the same again at the end.
    assert_eq!(lost(Stream::new().attr_with(field::IP, |attr| attr.read_format = 1 << 4)), 7);
}

#[test]
fn what_is_damaged_is_left_out_and_counted() {
    let stream = Stream::new()
        .attr(field::IP | field::TIME | field::CALLCHAIN, 0)
        .sample(&[0x10, 1, 1, 0x10])
        // A chain that is longer than its record.
        .sample(&[0x20, 2, u64::MAX, 0x20])
        .record(1, 0, &5u64.to_le_bytes())
        .sample(&[0x30, 3, 1, 0x30]);
    let (seen, summary) = read(&stream.0);
    assert_eq!(seen.iter().map(|seen| seen.ip).collect::<Vec<_>>(), [0x10, 0x30]);
    let first = summary.first_damaged as usize;
    assert_eq!(stream.0[first + 8..][..8], 0x20u64.to_le_bytes());
    assert_eq!((summary.damaged, why(&summary)), (2, None));
}

#[test]
fn a_record_without_a_size_ends_the_recording() {
    let whole = Stream::new().attr(field::IP, 0).sample(&[0x10]);
    let at = whole.0.len();
    let (seen, summary) = read(&Stream([whole.0, vec![0; 16]].concat()).sample(&[0x20]).0);
    assert_eq!(seen.len(), 1);
    let what = format!("the record at byte {at} has a size of 0 bytes, expected 8 at least");
    assert_eq!(why(&summary), Some(what));
}

#[test]
fn build_ids_maps_and_threads_are_handed_out_as_recorded() {
    let text = |text: &[u8]| [text, &[0; 8][..8 - text.len() % 8]].concat();
    let words =
        |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let id: Vec<u8> = (1..=20).collect();
    let identity = [&[20, 0, 0, 0][..], &id].concat();
    let build_id = [&7u32.to_le_bytes()[..], &id, &[8, 0, 0, 0], &text(b"/lib/a.so")].concat();
    let protection = 5u64; // read and execute
    let map =
        [words(&[1 << 32 | 1, 0x1000, 0x2000, 0x3000]), identity, words(&[protection])].concat();
    let mut seen = Vec::new();
    let stream = Stream::new()
        .attr(field::IP, 0)
        .record(67, 2 | 1 << 15, &build_id)
        .record(10, 2 | 1 << 14, &[map.clone(), text(b"/lib/a.so")].concat())
        // The map of a guest is of another machine.
        .record(10, 5 | 1 << 14, &[map, text(b"/lib/a.so")].concat())
        .record(1, 1, &[words(&[u64::MAX, 0x10, 0x20, 0x30]), text(b"[kernel]")].concat())
        .record(3, 1 << 13, &[words(&[2 << 32 | 1]), text(b"w0 worker")].concat())
        .record(7, 0, &words(&[1 << 32 | 3, 2 << 32 | 4, 99]))
        .record(4, 0, &words(&[1 << 32 | 3, 2 << 32 | 4, 99]));
    let summary = for_each(&stream.0, |record| match record {
        crate::Record::Events(events) => seen.push(format!("{} event", events.len())),
        record => seen.push(format!("{record:?}")),
    });
    assert_eq!(why(&summary), None);
    let path = format!("path: {:?}", b"/lib/a.so");
    assert_eq!(
        seen,
        [
            format!("BuildId {{ {path}, id: {:?} }}", &id[..8]),
            "1 event".to_owned(),
            format!(
                "Map(MapRecord {{ pid: 1, start: 4096, length: 8192, offset: 12288, {path}, \
                 build_id: Some({id:?}), file: None, is_code: true, is_kernel: false }})"
            ),
            format!(
                "Map(MapRecord {{ pid: 4294967295, start: 16, length: 32, offset: 48, \
                 path: {:?}, build_id: None, file: None, is_code: true, is_kernel: true }})",
                b"[kernel]"
            ),
            format!("Comm {{ pid: 1, tid: 2, name: {:?}, time: None }}", b"w0 worker"),
            "Fork { pid: 3, parent_pid: 1, tid: 4, parent_tid: 2, time: None }".to_owned(),
            "Exit { pid: 3, tid: 4, time: None }".to_owned(),
        ]
    );
}

#[test]
fn a_stream_has_a_header_of_16_bytes() {
    assert_eq!(Stream::new().0, [&MAGIC[..], &16u64.to_le_bytes()].concat());
    let empty: Vec<Seen> = read(&Stream::new().0).0;
    assert!(empty.is_empty());
}

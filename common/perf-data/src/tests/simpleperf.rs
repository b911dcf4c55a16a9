//! Recordings of simpleperf, the perf of Android.

use std::convert::Infallible;
use std::io::Cursor;

use super::build::{SAMPLE_ID_ALL, Stream, field, read, why};
use crate::recording::header::{FILE_HEADER_SIZE, MAGIC};
use crate::unwind::StackFrame;
use crate::{Processes, Record, Recording, Summary, Unwinder};

/// The kinds of simpleperf's own records.
const SPLIT: u32 = 32772;
const SPLIT_END: u32 = 32773;
const EVENT_ID: u32 = 32774;
const TRACING_DATA: u32 = 32777;

/// Numbers of features.
const FILE: usize = 128;
const META_INFO: usize = 129;
const FILE2: usize = 132;

/// A file with the attributes and records of a stream.
struct File {
    /// A `struct perf_event_attr` of 128 bytes each, and the ids of its counters.
    attrs: Vec<(Vec<u8>, Vec<u8>)>,
    records: Vec<u8>,
    features: Vec<(usize, Vec<u8>)>,
}

impl File {
    /// `events` is a stream with attributes alone.
    fn new(events: &Stream, records: Stream, features: &[(usize, &[u8])]) -> File {
        let (mut attrs, mut rest) = (Vec::new(), &events.0[16..]);
        while let Some((attr, after)) = crate::records::split_off(rest) {
            attrs.push((attr[8..136].to_vec(), attr[136..].to_vec()));
            rest = after;
        }
        let features = features.iter().map(|(number, feature)| (*number, feature.to_vec()));
        File { attrs, records: records.0[16..].to_vec(), features: features.collect() }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut parts = Vec::new();
        let mut end = FILE_HEADER_SIZE;
        let mut add = |bytes: &[u8]| {
            parts.extend_from_slice(bytes);
            end += bytes.len();
            ((end - bytes.len()) as u64, bytes.len() as u64)
        };
        let ids: Vec<_> = self.attrs.iter().map(|(_, ids)| add(ids)).collect();
        let attrs = self.attrs.iter().zip(ids).flat_map(|((attr, _), ids)| {
            [attr, &ids.0.to_le_bytes()[..], &ids.1.to_le_bytes()].concat()
        });
        let attrs = add(&attrs.collect::<Vec<u8>>());
        let data = add(&self.records);
        let mut next = data.0 + data.1 + 16 * self.features.len() as u64;
        for (_, feature) in &self.features {
            add(&[next.to_le_bytes(), (feature.len() as u64).to_le_bytes()].concat());
            next += feature.len() as u64;
        }
        let mut bits = [0u64; 4];
        for (number, feature) in &self.features {
            add(feature);
            bits[number / 64] |= 1 << (number % 64);
        }
        let words = [104, 144, attrs.0, attrs.1, data.0, data.1, 0, 0];
        let words = words.iter().chain(&bits).flat_map(|word: &u64| word.to_le_bytes());
        [&MAGIC[..], &words.collect::<Vec<u8>>(), &parts].concat()
    }

    /// Calls `each` with all records, also those of switches.
    fn read(&self, mut each: impl FnMut(Record<'_>)) -> Summary {
        let mut recording = Recording::from_file(Cursor::new(self.bytes())).expect("a header");
        recording.pass_switches();
        let each = |record: Record<'_>| -> Result<(), Infallible> {
            each(record);
            Ok(())
        };
        recording.read(each).unwrap_or_else(|never| match never {})
    }

    /// The event and the address of each sample.
    fn samples(&self) -> Vec<(String, u64)> {
        let mut samples = Vec::new();
        let summary = self.read(|record| {
            if let Record::Sample(sample) = record {
                let event = String::from_utf8_lossy(sample.event.name()).into_owned();
                samples.push((event, sample.ip.unwrap_or_default()));
            }
        });
        assert_eq!((why(&summary), summary.unknown_events, summary.damaged), (None, 0, 0));
        samples
    }
}

/// The description of a tracepoint with the number 47, as `TRACING_DATA` has it.
fn description() -> Vec<u8> {
    let sized = |bytes: &[u8]| [&(bytes.len() as u64).to_le_bytes()[..], bytes].concat();
    let event = b"name: sched_switch\nID: 47\nformat:\n\nprint fmt: \"\"\n";
    let none = 0u32.to_le_bytes();
    let one = 1u32.to_le_bytes();
    [
        &b"\x17\x08\x44tracing0.5\0\0\x08\0\x10\0\0header_page\0"[..],
        &sized(b""),
        b"header_event\0",
        &sized(b""),
        &none,
        &one,
        b"sched\0",
        &one,
        &sized(event),
    ]
    .concat()
}

/// A tracepoint with the number 47.
fn switches() -> Stream {
    Stream::new().attr_with(field::IP, |attr| (attr.kind, attr.config) = (2, 47))
}

/// The body of a record that contains the description and its size, and padding after it.
fn contained() -> Vec<u8> {
    let data = description();
    let padded = data.len().next_multiple_of(64);
    [&(data.len() as u32).to_le_bytes()[..], &data, &vec![0; padded - data.len()]].concat()
}

/// Asserts that a stream has one sample, of the tracepoint.
fn assert_is_read(stream: Stream) {
    let (seen, summary) = read(&stream.sample(&[0x10]).0);
    let seen: Vec<_> = seen.iter().map(|seen| (&*seen.event, seen.ip)).collect();
    assert_eq!((seen, why(&summary)), (vec![("sched:sched_switch", 0x10)], None));
}

#[test]
fn descriptions_of_tracepoints_follow_the_record_or_are_in_it() {
    let data = description();
    let size = (data.len() as u32).to_le_bytes();
    // perf may pad the record.
    for size in [&size[..], &[&size[..], &[0; 4]].concat()] {
        let mut after = switches().record(66, 0, size);
        after.0.extend_from_slice(&data);
        after.0.resize(after.0.len() + data.len().next_multiple_of(8) - data.len(), 0);
        assert_is_read(after);
    }
    assert_is_read(switches().record(66, 0, &contained()));
    assert_is_read(switches().record(TRACING_DATA, 0, &contained()));
}

#[test]
fn a_record_in_pieces_is_put_together() {
    let body = contained();
    let size = (8 + body.len()) as u32;
    // The two halves of the size are in reverse order.
    let sizes = [((size >> 16) as u16).to_le_bytes(), (size as u16).to_le_bytes()].concat();
    let whole = [&TRACING_DATA.to_le_bytes()[..], &sizes, &body].concat();
    let pieces = whole.chunks(50).fold(switches(), |stream, piece| stream.record(SPLIT, 0, piece));
    assert_is_read(pieces.record(SPLIT_END, 0, &[]));
}

#[test]
fn pieces_of_nothing_do_no_harm() {
    let stream = Stream::new()
        .attr(field::IP, 0)
        .record(SPLIT_END, 0, &[])
        .record(SPLIT, 0, b"short")
        .record(SPLIT_END, 0, &[])
        .record(EVENT_ID, 0, &[0xff; 30])
        .record(TRACING_DATA, 0, &[0xff; 9])
        // It never ends.
        .record(SPLIT, 0, &[0; 64])
        .sample(&[0x10]);
    let (seen, summary) = read(&stream.0);
    assert_eq!((seen.len(), why(&summary)), (1, None));
}

#[test]
fn counters_that_were_opened_later_have_events() {
    let fields = field::IDENTIFIER | field::IP;
    let events = Stream::new().attr_with_ids(fields, 0, &[5]).attr_with_ids(fields, 2, &[6]);
    // One pair: the index of the event, the id.
    let ids = [1u64, 1, 7].map(u64::to_le_bytes).concat();
    let records = Stream::new().record(EVENT_ID, 0, &ids).sample(&[7, 0x10]).sample(&[5, 0x20]);
    let samples = File::new(&events, records, &[]).samples();
    let expected = [("page-faults".to_owned(), 0x10), ("cpu-clock".to_owned(), 0x20)];
    assert_eq!(samples, expected);
}

#[test]
fn events_have_the_names_that_the_recording_has() {
    const EXCLUDE_KERNEL_AND_HV: u64 = 1 << 5 | 1 << 6;
    let fields = field::IDENTIFIER | field::IP;
    let events = Stream::new()
        .attr_of(fields, &[5], |attr| {
            (attr.kind, attr.config, attr.flags) = (0, 0, EXCLUDE_KERNEL_AND_HV);
        })
        .attr_of(fields, &[6], |attr| (attr.kind, attr.config) = (2, 91))
        .attr_of(fields, &[7], |attr| (attr.kind, attr.config) = (2, 92));
    let records = || Stream::new().sample(&[5, 1]).sample(&[6, 2]).sample(&[7, 3]);
    let names = |meta_info: &[u8]| {
        let file = File::new(&events, records(), &[(META_INFO, meta_info)]);
        file.samples().into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    let named = b"simpleperf_version\x001.2\0event_type_info\0cpu-cycles,0,0\n\
                  sched:sched_switch,2,91\nbad\nworse,2\n,2,92\0trace_offcpu\0true\0";
    assert_eq!(names(named), ["cpu-cycles:u", "sched:sched_switch", "tracepoint:92"]);
    assert_eq!(names(b"event_type_info"), ["cycles:u", "tracepoint:91", "tracepoint:92"]);
}

#[test]
fn what_simpleperf_itself_lost_is_added_to_what_the_kernel_lost() {
    let records = || Stream::new().numbers(2, 0, &[0, 7]).sample(&[1]).sample(&[2]);
    let summary = |meta_info: &[u8]| {
        let events = Stream::new().attr(field::IP, 0);
        let summary = File::new(&events, records(), &[(META_INFO, meta_info)]).read(|_| {});
        assert!(summary.is_of_simpleperf);
        (summary.lost(), summary.lost_others, summary.cut_stacks)
    };
    assert_eq!(summary(b"record_stat"), (7, 0, 0));
    let stat = b"record_stat\0sample_record_count=2,kernelspace_lost_records=7,\
                 userspace_lost_samples=9,userspace_lost_non_samples=4,odd,\
                 userspace_truncated_stack_samples=5\0";
    assert_eq!(summary(stat), (16, 4, 5));
    // No record repeats what the kernel lost if that record was lost, too.
    let older = b"record_stat\0kernelspace_lost_records=8,userspace_cut_stack_samples=3\0";
    assert_eq!(summary(older), (8, 0, 3));
    assert_eq!(summary(b"record_stat\0userspace_lost_samples=-1\0"), (7, 0, 0));
}

#[test]
fn files_with_functions_come_before_the_records() {
    let section = b"\x03\0\0\0one\0\0\0\0\x02\0\0\0to\x09\0\0\0cut";
    for (number, form) in [(FILE, "Struct"), (FILE2, "Message")] {
        let records = Stream::new().sample(&[0x10]);
        let file = File::new(&Stream::new().attr(field::IP, 0), records, &[(number, section)]);
        let mut seen = Vec::new();
        let summary = file.read(|record| match record {
            Record::Sample(_) => seen.push("a sample".to_owned()),
            Record::Events(events) => seen.push(format!("{} event", events.len())),
            record => seen.push(format!("{record:?}")),
        });
        let of = |name: &[u8]| format!("FileSymbols({form}({name:?}))");
        let rest = ["1 event", "a sample"].map(str::to_owned);
        assert_eq!(seen, [&[of(b"one"), of(b""), of(b"to")][..], &rest].concat());
        assert_eq!(why(&summary), None);
    }
}

/// The addresses of the frames of a sample in a program, whose chain is as in the comment of
/// `unwind::chain`.
fn frames(features: &[(usize, &[u8])]) -> Vec<u64> {
    let records = Stream::new().sample(&[0x10, 3, -512i64 as u64, 0x10, 0x20]);
    let events = Stream::new().attr(field::IP | field::CALLCHAIN, 0);
    let mut frames: Vec<StackFrame<()>> = Vec::new();
    File::new(&events, records, features).read(|record| {
        if let Record::Sample(sample) = record {
            Unwinder::new().unwind(&sample, &Processes::new(), &mut (), &mut frames);
        }
    });
    frames.iter().map(|frame| frame.address).collect()
}

#[test]
fn chains_have_the_addresses_of_calls() {
    assert_eq!(frames(&[(META_INFO, b"")]), [0x10, 0x20]);
    assert_eq!(frames(&[]), [0x10, 0x1f]);
}

#[test]
fn switches_are_passed_on_if_they_are_wanted() {
    const CONTEXT_SWITCH: u64 = 1 << 26;
    const OUT: u16 = 1 << 13;
    const PREEMPT: u16 = 1 << 14;
    let fields = field::IP | field::TID | field::TIME | field::CPU;
    let events =
        Stream::new().attr_with(fields, |attr| attr.flags = SAMPLE_ID_ALL | CONTEXT_SWITCH);
    let records = Stream::new()
        .numbers(14, OUT, &[8 << 32 | 7, 30, 1])
        .numbers(14, OUT | PREEMPT, &[9 << 32 | 7, 10, 1])
        // Of all processors: which process comes next, then the thread that this is about.
        .numbers(15, 0, &[1 << 32 | 1, 9 << 32 | 7, 20, 1])
        // Too short.
        .numbers(14, 0, &[40]);
    let mut seen = Vec::new();
    let file = File::new(&events, records, &[]);
    let is_other = |record: &Record<'_>| !matches!(record, Record::Events(_));
    file.read(|record| seen.extend(is_other(&record).then(|| format!("{record:?}"))));
    let expected = [
        "Switch { pid: 7, tid: 9, time: 10, kind: Preempted }",
        "Switch { pid: 7, tid: 9, time: 20, kind: In }",
        "Switch { pid: 7, tid: 8, time: 30, kind: Out }",
    ];
    assert_eq!(seen, expected);
    let recording = Recording::from_file(Cursor::new(file.bytes())).expect("a header");
    assert!(recording.has_switches());
    let none = |record: Record<'_>| if is_other(&record) { Err("none was wanted") } else { Ok(()) };
    recording.read(none).expect("no record");
}

#[test]
fn no_cut_and_no_damage_loses_a_sample_without_a_word() {
    let meta_info = b"event_type_info\0sched:sched_switch,2,47\0";
    let records = Stream::new().sample(&[1]).record(66, 0, &contained()).sample(&[2]).sample(&[3]);
    let file = File::new(&switches(), records, &[(FILE2, b"\x01\0\0\0x"), (META_INFO, meta_info)]);
    let bytes = file.bytes();
    let read = |bytes: &[u8]| {
        let recording = Recording::from_file(Cursor::new(bytes)).ok()?;
        let mut samples = 0;
        let summary = recording.read(|record| -> Result<(), Infallible> {
            samples += u64::from(matches!(record, Record::Sample(_)));
            Ok(())
        });
        let summary = summary.unwrap_or_else(|never| match never {});
        assert!(samples + summary.unknown_events + summary.damaged >= summary.samples);
        Some((samples, summary.error.is_some()))
    };
    assert_eq!(read(&bytes), Some((3, false)));
    let end = bytes.len() - 16 * 2 - 5 - meta_info.len();
    for cut in 0..bytes.len() {
        let all = read(&bytes[..cut]);
        assert!(cut >= end || all.is_none_or(|(samples, is_cut)| samples < 3 || is_cut), "{cut}");
    }
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            read(&damaged);
        }
    }
}

//! The order in which records are passed on.

use std::convert::Infallible;
use std::io::Write;

use super::build::{Stream, field, for_each, read, why};
use crate::{Record, Recording};

const FIELDS: u64 = field::IP | field::TIME;

/// A sample of this time, which is identified by its address.
fn at(stream: Stream, time: u64, ip: u64) -> Stream {
    stream.sample(&[ip, time])
}

/// The addresses of the samples, and 0 for the end of a round.
fn order(stream: &Stream) -> Vec<u64> {
    let mut seen = Vec::new();
    let summary = for_each(&stream.0, |record| match record {
        Record::Sample(sample) => seen.push(sample.ip.expect("an address")),
        Record::RoundEnd => seen.push(0),
        _ => {}
    });
    assert_eq!(why(&summary), None);
    seen
}

#[test]
fn a_round_brings_out_what_the_round_before_had() {
    let first = at(at(at(Stream::new().attr(FIELDS, 0), 10, 1), 30, 2), 20, 3).round();
    let second = at(at(at(first, 25, 4), 60, 5), 40, 6).round();
    let third = at(at(second, 50, 7), 70, 8).round();
    // At the end of the second round all records up to time 30 are known, of the third up to 60.
    assert_eq!(order(&third), [0, 1, 3, 4, 2, 0, 6, 7, 5, 0, 8]);
}

#[test]
fn records_of_one_time_keep_their_order() {
    // Three times, in turn.
    let time = |ip: u64| 7 + ip % 3;
    let stream =
        (1..=60).fold(Stream::new().attr(FIELDS, 0), |stream, ip| at(stream, time(ip), ip));
    let mut expected: Vec<u64> = (1..=60).collect();
    expected.sort_by_key(|&ip| (time(ip), ip));
    assert_eq!(order(&stream), expected);
}

#[test]
fn what_has_no_time_comes_at_once() {
    let stream = at(Stream::new().attr(FIELDS, 0), 10, 1);
    let stream = at(at(at(stream, 0, 2), u64::MAX, 3), 5, 4);
    assert_eq!(order(&stream), [2, 3, 4, 1]);
}

#[test]
fn what_comes_too_late_is_counted() {
    let stream = at(at(Stream::new().attr(FIELDS, 0), 10, 1), 30, 2).round().round();
    let (seen, summary) = read(&at(stream, 20, 3).0);
    assert_eq!(seen.iter().map(|seen| seen.ip).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((summary.late, why(&summary)), (1, None));
}

#[test]
fn a_recording_without_rounds_does_not_fill_the_memory() {
    // 300 MB with descending times, of which 128 MiB wait.
    let numbers = vec![0x10; 8000];
    let attr = Stream::new().attr(FIELDS, 0).0;
    struct Endless(Vec<u8>, u64, Vec<u8>);
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() && self.1 > 0 {
                self.2[16..24].copy_from_slice(&self.1.to_le_bytes());
                self.0.extend_from_slice(&self.2);
                self.1 -= 1;
            }
            let count = buffer.len().min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }
    let sample = Stream(Vec::new()).sample(&numbers).0;
    let reader = Endless(attr, 300_000_000 / 64_000, sample);
    let recording = Recording::from_stream(reader).expect("a header");
    let mut samples = 0;
    let each = |record: Record<'_>| -> Result<(), Infallible> {
        samples += u64::from(matches!(record, Record::Sample(_)));
        Ok(())
    };
    let summary = recording.read(each).unwrap_or_else(|never| match never {});
    assert_eq!(why(&summary), None);
    assert_eq!(samples, 300_000_000 / 64_000);
    // Only records that were passed on early made others late.
    assert!(summary.late > 1000, "{}", summary.late);
}

#[test]
fn a_file_with_long_rounds_is_passed_on_in_order() {
    // 200 MB in one round, with descending times, of which 128 MiB wait: the rest is read again.
    const SAMPLES: u64 = 200_000_000 / 64_000;
    let mut numbers = vec![0x10; 8000];
    let mut file = std::io::BufWriter::new(tempfile::tempfile().expect("a temporary file"));
    file.write_all(&Stream::new().attr(FIELDS, 0).0).expect("a new file");
    for time in (1..=SAMPLES).rev() {
        (numbers[0], numbers[1]) = (!time, time);
        file.write_all(&Stream(Vec::new()).sample(&numbers).0).expect("a new file");
    }
    let file = file.into_inner().expect("a new file");
    let mut next = 1;
    let each = |record: Record<'_>| -> Result<(), Infallible> {
        if let Record::Sample(sample) = record {
            assert_eq!((sample.time, sample.ip), (Some(next), Some(!next)));
            next += 1;
        }
        Ok(())
    };
    let recording = Recording::from_file(file).expect("a copy of a stream");
    let summary = recording.read(each).unwrap_or_else(|never| match never {});
    assert_eq!((why(&summary), summary.late, next), (None, 0, SAMPLES + 1));
}

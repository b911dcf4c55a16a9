//! How many threads run.

use std::convert::Infallible;

use proptest::prelude::*;

use super::build::{SAMPLE_ID_ALL, Stream, field};
use crate::{NoParallelism, Record, Recording};

const FIELDS: u64 = field::IP | field::TIME;

/// `perf record --switch-events`
const CONTEXT_SWITCH: u64 = 1 << 26;

const SWITCH: u32 = 14;
const SWITCH_CPU_WIDE: u32 = 15;
const OUT: u16 = 1 << 13;

fn recorded(fields: u64, flags: u64) -> Stream {
    Stream::new().attr_with(fields, |attr| attr.flags = SAMPLE_ID_ALL | flags)
}

/// A recording of a machine that may use this many processors and uses one less.
fn with_switches(processors: u32) -> Stream {
    let counts = u64::from(processors) | u64::from(processors - 1) << 32;
    recorded(FIELDS, CONTEXT_SWITCH).numbers(80, 0, &[7, counts])
}

fn switch(stream: Stream, time: u64, flags: u16) -> Stream {
    stream.numbers(SWITCH, flags, &[time])
}

/// PERF_RECORD_EXIT of thread 5 of process 5.
fn exit(stream: Stream, time: u64) -> Stream {
    stream.numbers(4, 0, &[5 | 5 << 32, 5 | 5 << 32, time, time])
}

/// The addresses of the samples, and how many threads ran.
fn running(stream: &Stream) -> Vec<(u64, Result<u32, NoParallelism>)> {
    let mut seen = Vec::new();
    let mut recording = Recording::from_stream(&stream.0[..]).expect("a header");
    recording.count_running();
    let each = |record: Record<'_>| -> Result<(), Infallible> {
        if let Record::Sample(sample) = record {
            seen.push((sample.ip.expect("an address"), sample.parallelism));
        }
        Ok(())
    };
    recording.read(each).unwrap_or_else(|never| match never {});
    seen
}

#[test]
fn switches_and_ends_of_threads_count_in_the_order_of_time() {
    let stream = with_switches(3).sample(&[1, 10]);
    let stream = switch(switch(stream, 20, 0), 30, OUT).sample(&[4, 35]).sample(&[3, 25]);
    let stream = switch(switch(stream, 40, 0), 41, 0).sample(&[5, 45]);
    let stream = exit(exit(switch(stream, 46, 0), 50), 51).sample(&[6, 60]);
    // Three threads end, of which two began unseen.
    let stream = exit(exit(exit(stream, 61), 62), 63).sample(&[7, 70]);
    let stream = switch(switch(stream, 80, 0), 81, 0).sample(&[8, 90]);
    let expected = [(1, 1), (3, 2), (4, 1), (5, 3), (6, 2), (7, 1), (8, 1)];
    assert_eq!(running(&stream), expected.map(|(ip, count)| (ip, Ok(count))));
}

#[test]
fn there_are_no_more_than_processors() {
    let stream = (1..9).fold(with_switches(3), |stream, time| switch(stream, time, 0));
    assert_eq!(running(&stream.sample(&[1, 10])), [(1, Ok(3))]);
}

#[test]
fn a_recording_that_cannot_say_it_says_why() {
    let all = |stream: Stream| stream.numbers(SWITCH_CPU_WIDE, OUT, &[7, 5]).sample(&[1, 10]);
    for (stream, why) in [
        (recorded(FIELDS, 0).sample(&[1, 10]), NoParallelism::NoSwitches),
        (recorded(field::IP, CONTEXT_SWITCH).sample(&[1]), NoParallelism::NoTimes),
        (all(recorded(FIELDS, CONTEXT_SWITCH)), NoParallelism::AllProcessors),
    ] {
        assert_eq!(running(&stream), [(1, Err(why))]);
    }
    let mut asked = Vec::new();
    super::for_each(&with_switches(3).sample(&[1, 10]).0, |record| {
        if let Record::Sample(sample) = record {
            asked.push(sample.parallelism);
        }
    });
    assert_eq!(asked, [Err(NoParallelism::NotCounted)]);
}

#[test]
fn a_sample_whose_callers_come_later_has_the_threads_of_its_own_time() {
    let fields = FIELDS | field::CALLCHAIN;
    let (kernel, deferred, user) = (-128i64 as u64, -640i64 as u64, -512i64 as u64);
    let stream = recorded(fields, CONTEXT_SWITCH);
    let stream = switch(stream, 5, 0).sample(&[1, 10, 4, kernel, 0xf1, deferred, 77]);
    let stream = switch(stream, 15, OUT).numbers(22, 0, &[77, 2, user, 0x10, 20]);
    assert_eq!(running(&stream), [(1, Ok(2))]);
}

proptest! {
    #[test]
    fn rounds_change_nothing(
        steps in prop::collection::vec((0..4u8, any::<bool>()), 0..60),
    ) {
        let (mut stream, mut count, mut expected) = (with_switches(4), 1i64, Vec::new());
        for (time, &(step, ends_round)) in (1..).zip(&steps) {
            stream = match step {
                0 => switch(stream, time, 0),
                1 => switch(stream, time, OUT),
                2 => exit(stream, time),
                _ => stream.sample(&[time, time]),
            };
            match step {
                0 => count += 1,
                1 | 2 => count -= 1,
                _ => expected.push((time, Ok(count.clamp(1, 4) as u32))),
            }
            stream = if ends_round { stream.round() } else { stream };
        }
        prop_assert_eq!(running(&stream), expected);
    }
}

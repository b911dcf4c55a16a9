//! What samples consist of.

use super::build::{Seen, Stream, field, read, why};
use crate::events::attr::{branches, reads};

/// All fields that a sample may have, up to Linux 6.18.
const ALL: u64 = (1 << 25) - 1;

/// Two forms of the same field; no sample has both.
const WEIGHT: u64 = 1 << 14;
const WEIGHT_STRUCT: u64 = 1 << 24;

/// The only sample of a stream without any damage.
fn only(stream: &Stream) -> Seen {
    let (seen, summary) = read(&stream.0);
    assert_eq!(why(&summary), None);
    let [seen] = &seen[..] else { panic!("{seen:?}") };
    seen.clone()
}

#[test]
fn every_field_is_where_the_kernel_puts_it() {
    let fields = ALL & !(WEIGHT | WEIGHT_STRUCT);
    for weight in [WEIGHT, WEIGHT_STRUCT] {
        let stream = Stream::new().attr_with(fields | weight, |attr| {
            attr.read_format = reads::ENABLED | reads::RUNNING | reads::LOST;
            attr.branch_sample_type = branches::HW_INDEX | branches::COUNTERS;
            attr.sample_regs_user = 0b1001;
        });
        let raw = u64::from_le_bytes(*b"\x04\0\0\0rawd");
        let stack = u64::from_le_bytes(*b"abcdefgh");
        let stream = stream.sample(
            &[
                &[1, 0x10, 8 << 32 | 7, 99, 0xadd, 1, 2, 3, 1000][..], // up to the period
                &[5, 6, 7, 8],                                         // the counter
                &[2, 0x10, 0x20],                                      // the chain
                &[raw],
                &[1, 77, 0xf0, 0xf1, 0, 0xcc], // a branch, its counter after it
                &[2, 0xa, 0xd],                // registers
                &[8, stack, 3],                // 3 bytes of the stack
                &[4, 5, 6],                    // weight, source of the data, transaction
                &[0, 7, 8, 9, 10],             // no registers of the kernel, the rest
                &[0],                          // no trace of the processor
            ]
            .concat(),
        );
        let expected = Seen {
            event: "cpu-clock".to_owned(),
            ip: 0x10,
            time: Some(99),
            tid: Some(8),
            cpu: Some(3),
            cgroup: Some(8),
            period: Some(1000),
            chain: vec![0x10, 0x20],
            registers: Some((false, 0b1001, vec![0xa, 0xd])),
            stack: Some(b"abc".to_vec()),
            raw: b"rawd".to_vec(),
            ..Seen::default()
        };
        assert_eq!(only(&stream), expected);
    }
}

#[test]
fn processes_of_32_bits_and_other_machines_have_their_registers() {
    // AArch64 has 33 registers: 31, the stack pointer and the program counter.
    let mask = (1 << 33) - 1;
    let stream =
        Stream::new().attr_with(field::IP | field::REGS_USER, |attr| attr.sample_regs_user = mask);
    for (abi, is_32_bit) in [(1, true), (2, false)] {
        let sample: Vec<u64> = [0x10, abi].into_iter().chain(100..133).collect();
        let expected = Some((is_32_bit, mask, (100..133).collect()));
        assert_eq!(only(&stream.clone().sample(&sample)).registers, expected);
    }
    // A thread of the kernel has no registers of a program.
    assert_eq!(only(&stream.sample(&[0x10, 0])).registers, None);
}

#[test]
fn no_more_of_the_stack_is_taken_than_was_copied() {
    let stream = Stream::new().attr(field::IP | field::STACK_USER, 0);
    for (numbers, expected) in [
        (&[0x10, 16, 1, 2, 8][..], [1u64.to_le_bytes()].concat()),
        (&[0x10, 8, 1, u64::MAX], [1u64.to_le_bytes()].concat()),
        (&[0x10, 0], Vec::new()),
    ] {
        assert_eq!(only(&stream.clone().sample(numbers)).stack, Some(expected), "{numbers:?}");
    }
}

#[test]
fn a_period_is_in_the_sample_or_fixed() {
    const FREQ: u64 = 1 << 10;
    let asked = |flags| {
        Stream::new().attr_with(field::IP, |attr| {
            (attr.sample_period, attr.flags) = (4000, flags);
        })
    };
    assert_eq!(only(&asked(0).sample(&[0x10])).period, Some(4000));
    // 4000 times a second: the period is not known.
    assert_eq!(only(&asked(FREQ).sample(&[0x10])).period, None);
}

#[test]
fn the_members_of_a_group_have_samples_of_their_own() {
    let fields = field::IDENTIFIER | field::IP | field::READ | field::PERIOD;
    let read_format = reads::GROUP | reads::ID | reads::LOST;
    let stream = Stream::new()
        .attr_of(fields, &[5], |attr| attr.read_format = read_format)
        .attr_of(fields, &[6], |attr| (attr.config, attr.read_format) = (2, read_format))
        // The number of counters, then of each its value, its id and what it lost.
        .sample(&[5, 0x10, 1, 2, 100, 5, 0, 0, 6, 0])
        .sample(&[5, 0x20, 1, 2, 250, 5, 0, 3, 6, 0])
        // No event has the counter 7.
        .sample(&[5, 0x30, 1, 2, 250, 5, 0, 9, 7, 0]);
    let (seen, summary) = read(&stream.0);
    let samples: Vec<_> = seen.iter().map(|seen| (&*seen.event, seen.ip, seen.period)).collect();
    let expected = [
        ("cpu-clock", 0x10, Some(100)),
        ("cpu-clock", 0x20, Some(150)),
        ("page-faults", 0x20, Some(3)),
    ];
    assert_eq!(samples, expected);
    assert_eq!((summary.unknown_events, why(&summary)), (1, None));
}

#[test]
fn the_event_is_found_wherever_its_counter_is() {
    let others = field::IP | field::TID | field::TIME | field::ADDR;
    let ids = [others | field::ID | field::STREAM_ID | field::CPU, others | field::IDENTIFIER];
    for (fields, sample) in [
        (ids[0], &[0x10, 0, 9, 0xadd, 6, 1, 2][..]),
        (ids[1], &[6, 0x10, 0, 9, 0xadd]),
        (field::ID, &[6]),
    ] {
        let stream = Stream::new()
            .attr_with_ids(fields, 0, &[5])
            .attr_with_ids(fields, 2, &[6])
            .sample(sample);
        assert_eq!(only(&stream).event, "page-faults", "{fields:b}");
    }
}

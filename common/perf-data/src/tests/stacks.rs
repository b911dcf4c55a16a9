//! The stacks of samples, by what is mapped where.

use std::convert::Infallible;

use super::build::{Stream, field};
use crate::sample::context::{KERNEL, USER};
use crate::{Processes, Record, Recording, StackEnd, StackFrame, Unwinder};

/// Samples of process 1, which has an object at 0x1000 and another at 0x2000; the kernel is at
/// 1 << 63.
fn stream(fields: u64, registers: u64) -> Stream {
    let map = |stream: Stream, pid: u64, start: u64, offset: u64| {
        stream.numbers(1, 2, &[pid, start, 0x1000, offset, 0])
    };
    let stream = Stream::new().attr_with(fields | field::TID, |attr| {
        attr.sample_regs_user = registers;
    });
    let stream = map(map(stream, 1, 0x1000, 0), 1, 0x2000, 0x500);
    map(stream, u64::from(u32::MAX), 1 << 63, 0)
}

/// The stack of each sample: address, the number of the object in the order of the maps, and
/// where in the object.
fn stacks(stream: &Stream) -> Vec<(Vec<StackFrame<u32>>, StackEnd)> {
    let (mut processes, mut maps) = (Processes::new(), 0);
    let (mut unwinder, mut frames, mut stacks) = (Unwinder::new(), Vec::new(), Vec::new());
    let recording = Recording::from_stream(&stream.0[..]).expect("a header");
    let each = |record: Record<'_>| -> Result<(), Infallible> {
        processes.apply(&record, |_| {
            maps += 1;
            maps
        });
        if let Record::Sample(sample) = record {
            let end = unwinder.unwind(&sample, &processes, &mut (), &mut frames);
            stacks.push((frames.clone(), end));
        }
        Ok(())
    };
    recording.read(each).unwrap_or_else(|never| match never {});
    stacks
}

fn frame(address: u64, mapped: Option<(u32, u64)>) -> StackFrame<u32> {
    StackFrame { address, mapped }
}

const THREAD: u64 = 1 << 32 | 1;

#[test]
fn a_call_chain_is_of_the_kernel_and_of_the_program() {
    let stream = stream(field::IP | field::CALLCHAIN, 0);
    let in_kernel = (1 << 63) + 0x10;
    let chain = [0x1010, THREAD, 6, KERNEL, in_kernel, USER, 0x1010, 0x2001, 0x9000];
    let expected = vec![
        frame(in_kernel, Some((3, 0x10))),
        frame(0x1010, Some((1, 0x10))),
        frame(0x2001, Some((2, 0x501))),
        frame(0x9000, None),
    ];
    assert_eq!(stacks(&stream.sample(&chain)), [(expected, StackEnd::Recorded)]);
}

#[test]
fn without_a_chain_there_is_the_address_of_the_sample() {
    let stream = stream(field::IP, 0).sample(&[0x1010, THREAD]).sample(&[0x9000, THREAD]);
    let [known, unknown] = [frame(0x1010, Some((1, 0x10))), frame(0x9000, None)];
    let ends = [(vec![known], StackEnd::Recorded), (vec![unknown], StackEnd::Recorded)];
    assert_eq!(stacks(&stream), ends);
}

#[test]
fn a_copy_of_the_stack_is_unwound_by_frame_pointers() {
    // %rbp, %rsp and %rip, and 4 numbers of the stack from 0x7000 on.
    let stream = stream(field::IP | field::REGS_USER | field::STACK_USER, 7 << 6);
    let sample = |abi: u64, stack: [u64; 4]| {
        [&[0x1010, THREAD, abi, 0x7000, 0x7000, 0x1010, 32][..], &stack, &[32]].concat()
    };
    let callee = frame(0x1010, Some((1, 0x10)));
    let caller = frame(0x2004, Some((2, 0x504)));
    for (abi, stack, expected) in [
        (2, [0x7010, 0x2005, 0, 0], (vec![callee, caller], StackEnd::Root)),
        (2, [0x7018, 0x2005, 0, 0x1001], (vec![callee, caller], StackEnd::Truncated)),
        (2, [0x7010, 0x9000, 0, 0], (vec![callee], StackEnd::Lost)),
        // A program of 32 bits.
        (1, [0x7010, 0x2005, 0, 0], (vec![callee], StackEnd::OtherRegisters)),
    ] {
        assert_eq!(stacks(&stream.clone().sample(&sample(abi, stack))), [expected], "{stack:x?}");
    }
}

//! The stacks of samples, with the objects that are mapped at their addresses.

use std::convert::Infallible;

use super::build::{Stream, field};
use crate::events::attr::branches;
use crate::sample::context::{KERNEL, USER};
use crate::{
    LoadedSegment, Processes, Record, Recording, StackEnd, StackFrame, UnwindFiles, UnwindSections,
    Unwinder,
};

/// Samples of process 1, which has an object at 0x1000 and another at 0x2000; the kernel is at
/// 1 << 63.
fn stream(fields: u64, registers: u64) -> Stream {
    let map = |stream: Stream, pid: u64, start: u64, offset: u64| {
        stream.numbers(1, 2, &[pid, start, 0x1000, offset, 0])
    };
    let stream = Stream::new().attr_with(fields | field::TID, |attr| {
        attr.sample_regs_user = registers;
        attr.branch_sample_type = branches::CALL_STACK;
    });
    let stream = map(map(stream, 1, 0x1000, 0), 1, 0x2000, 0x500);
    map(stream, u64::from(u32::MAX), 1 << 63, 0)
}

/// The stack of each sample: address, the number of the object in the order of the maps, and
/// where in the object.
fn stacks(stream: &Stream) -> Vec<(Vec<StackFrame<u32>>, StackEnd)> {
    stacks_with(stream, &mut ())
}

fn stacks_with(
    stream: &Stream,
    files: &mut dyn UnwindFiles<'static, u32>,
) -> Vec<(Vec<StackFrame<u32>>, StackEnd)> {
    let (mut processes, mut maps) = (Processes::new(), 0);
    let (mut unwinder, mut frames, mut stacks) = (Unwinder::new(), Vec::new(), Vec::new());
    let recording = Recording::from_stream(&stream.0[..]).expect("a header");
    let each = |record: Record<'_>| -> Result<(), Infallible> {
        processes.apply(&record, |_| {
            maps += 1;
            maps
        });
        if let Record::Sample(sample) = record {
            let end = unwinder.unwind(&sample, &processes, files, &mut frames);
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

/// The frames of a chain of process 1.
fn chain_frames(chain: &[u64], files: &mut dyn UnwindFiles<'static, u32>) -> Vec<StackFrame<u32>> {
    let sample = [&[0x1010, THREAD, chain.len() as u64][..], chain].concat();
    let stream = stream(field::IP | field::CALLCHAIN, 0).sample(&sample);
    let [(frames, StackEnd::Recorded)] = &stacks_with(&stream, files)[..] else {
        panic!("one recorded chain");
    };
    frames.clone()
}

#[test]
fn a_call_chain_is_of_the_kernel_and_of_the_program() {
    let in_kernel = (1 << 63) + 0x10;
    let chain = [KERNEL, in_kernel, in_kernel + 5, USER, 0x1010, 0x2001, 0x9000];
    let expected = [
        frame(in_kernel, Some((3, 0x10))),
        // For callers, an address in the call.
        frame(in_kernel + 4, Some((3, 0x14))),
        frame(0x1010, Some((1, 0x10))),
        frame(0x2000, Some((2, 0x500))),
        frame(0x8fff, None),
    ];
    assert_eq!(chain_frames(&chain, &mut ()), expected);
}

#[test]
fn a_call_at_the_end_of_an_object_is_in_that_object() {
    // A function that never returns may be called by the last instruction of a file.
    let expected = [frame(0x2010, Some((2, 0x510))), frame(0x1fff, Some((1, 0xfff)))];
    assert_eq!(chain_frames(&[USER, 0x2010, 0x2000], &mut ()), expected);
}

#[test]
fn the_chain_of_a_sample_without_markers_begins_where_the_processor_was() {
    let expected = [frame(0x1010, Some((1, 0x10))), frame(0x1020, Some((1, 0x20)))];
    assert_eq!(chain_frames(&[0x1010, 0x1021], &mut ()), expected);
}

#[test]
fn branches_are_the_calls_themselves() {
    let calls = [2, 0x1030, 0x1040, 0, 0x2020, 0x1008, 0];
    let in_kernel = (1 << 63) + 0x10;
    let chain = [KERNEL, in_kernel, in_kernel + 5, USER, 0x1041];
    let sample = [&[0x1041, THREAD, chain.len() as u64][..], &chain, &calls].concat();
    let stream = stream(field::IP | field::CALLCHAIN | field::BRANCH_STACK, 0).sample(&sample);
    let expected = vec![
        frame(in_kernel, Some((3, 0x10))),
        frame(in_kernel + 4, Some((3, 0x14))),
        frame(0x1040, Some((1, 0x40))),
        frame(0x1030, Some((1, 0x30))),
        frame(0x2020, Some((2, 0x520))),
    ];
    assert_eq!(stacks(&stream), [(expected, StackEnd::Recorded)]);
}

/// A file whose code at 0x20 is `__restore_rt`: mov $15, %rax; syscall.
struct SignalReturn;

impl UnwindFiles<'static, u32> for SignalReturn {
    fn sections(&mut self, _object: u32) -> Option<UnwindSections<'static>> {
        const CODE: &[u8; 0x29] = b"\
            \x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\
            \x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\
            \x48\xc7\xc0\x0f\0\0\0\x0f\x05";
        let segments = vec![LoadedSegment { offset: 0, address: 0, bytes: CODE }];
        Some(UnwindSections { segments, ..UnwindSections::default() })
    }
}

#[test]
fn nothing_has_called_what_a_signal_handler_returns_to() {
    // Frame pointers lead to the caller of what the signal interrupted.
    let expected = [
        frame(0x1010, Some((1, 0x10))),
        frame(0x1020, Some((1, 0x20))),
        frame(0x2000, Some((2, 0x500))),
    ];
    assert_eq!(chain_frames(&[USER, 0x1010, 0x1020, 0x2001], &mut SignalReturn), expected);
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

//! How long a path is in each thread, state and stack.

use bstr::ByteSlice;
use hashbrown::HashMap;

use super::{Part, ThreadId, Times};
use crate::folded::ThreadState as State;
use crate::numbers::shared;
use crate::stacks::FrameId;

/// The frame in place of the stack where a thread ran for so short a time that no sample was taken.
const NO_SAMPLE: &[u8] = b"[no sample]";

/// Whether a slice without a sample has this stack.
pub fn is_without_sample(stack: &[u8]) -> bool {
    stack.ends_with(NO_SAMPLE)
}

/// A stack without that of who ended the wait.
pub fn without_waker(stack: &[u8]) -> &[u8] {
    &stack[..stack.find(";--;").unwrap_or(stack.len())]
}

/// The path, summed by thread, state and stack.
#[derive(Debug, Default)]
pub struct Lengths {
    lengths: HashMap<(ThreadId, State, FrameId), u64>,
    ran: HashMap<ThreadId, Ran>,
}

/// How long a thread ran on the path, in nanoseconds, and how many samples each of its stacks has
/// there.
#[derive(Debug, Default)]
struct Ran {
    length: u64,
    samples: HashMap<FrameId, u128>,
    without: Option<FrameId>,
}

/// A slice has one sample, mostly near its middle. Where only another part of the slice is on the
/// path the sample is not, and counts only if there is no other.
const SAMPLE: u128 = 1 << 20;

impl Lengths {
    /// Adds a part of the path.
    pub fn add(&mut self, part: Part, times: Times<'_>) {
        let slice = times.slice(part.thread, part.at as usize);
        let length = part.to - part.from;
        if slice.state() != State::Running {
            let key = (part.thread, slice.state(), slice.stack());
            *self.lengths.entry(key).or_default() += length;
            return;
        }
        let ran = self.ran.entry(part.thread).or_default();
        ran.length += length;
        if is_without_sample(times.slices.stacks.name(slice.stack())) {
            ran.without = Some(slice.stack());
            return;
        }
        let start = times.start(part.thread, part.at as usize);
        let middle = start + (times.end(part.thread, part.at as usize) - start) / 2;
        let samples = if (part.from..part.to).contains(&middle) { SAMPLE } else { 1 };
        *ran.samples.entry(slice.stack()).or_default() += samples;
    }

    /// The time in each state and stack. What a thread ran on the path is shared among its samples
    /// there: a slice without a sample says nothing, all together do.
    pub fn all(&self) -> Vec<((ThreadId, State, FrameId), u64)> {
        let mut all: Vec<_> = self.lengths.iter().map(|(key, length)| (*key, *length)).collect();
        for (&thread, ran) in &self.ran {
            let mut samples: Vec<_> = ran.samples.iter().map(|(id, part)| (*id, *part)).collect();
            samples.sort_unstable();
            if let Some(stack) = ran.without.filter(|_| samples.is_empty()) {
                samples.push((stack, 1));
            }
            let running = |(stack, length)| ((thread, State::Running, stack), length);
            all.extend(shared(ran.length, samples).map(running));
        }
        all.retain(|(_, length)| *length > 0);
        all
    }
}

//! Writes the path as folded stacks.

use bstr::ByteSlice;
use common::folded::{FoldedLine, Label, append_label};
use common::numbers::shared;
use common::stacks::{FrameId, StackCounts};
use common::{Result, pipe::Pipe};
use hashbrown::HashMap;

use crate::path::Part;
use crate::slices::{Slices, State, ThreadId};
use crate::times::Times;

/// How lines are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    pub(crate) slices: &'a Slices,
    /// Whether the stack of who ended a wait is wanted.
    pub(crate) wakers: bool,
}

/// The frame in place of the stack where a thread ran for so short a time that no sample was taken.
const NO_SAMPLE: &[u8] = b"[no sample]";

/// Whether a slice without a sample has this stack.
pub(crate) fn is_without_sample(stack: &[u8]) -> bool {
    stack.ends_with(NO_SAMPLE)
}

/// A stack without that of who ended the wait.
pub(crate) fn without_waker(stack: &[u8]) -> &[u8] {
    &stack[..stack.find(";--;").unwrap_or(stack.len())]
}

impl Form<'_> {
    /// The labels and the stack of a line.
    fn text(&self, thread: ThreadId, state: State, stack: FrameId, time: Option<u64>) -> Vec<u8> {
        let (mut text, slices) = (Vec::new(), self.slices);
        let seconds = |time: u64| format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
        // Before the first sample is 0.
        let since = slices.origin.and_then(|origin| time.map(|time| time.saturating_sub(origin)));
        let [time, since] = [time.filter(|_| slices.has_time), since].map(|it| it.map(seconds));
        let comm = slices.threads[thread as usize].comm.filter(|_| slices.has_comm);
        for (key, value) in [
            (&b"since"[..], since.as_deref().map(str::as_bytes)),
            (b"time", time.as_deref().map(str::as_bytes)),
            (b"comm", comm.map(|comm| slices.stacks.name(comm))),
            (b"state", Some(state.label().as_bytes())),
            (b"tid", Some(slices.tids.name(thread))),
        ] {
            if let Some(value) = value {
                append_label(Label { key, value }, &mut text);
            }
        }
        let stack = slices.stacks.name(stack);
        text.extend_from_slice(if self.wakers { stack } else { without_waker(stack) });
        text
    }

    /// Writes each part of the path, the first first.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    pub(crate) fn each(&self, parts: &[Part], times: Times<'_>, pipe: &mut Pipe) -> Result<()> {
        for part in parts.iter().rev() {
            let slice = times.slice(part.thread, part.at as usize);
            let text = self.text(part.thread, slice.state(), slice.stack(), Some(part.from));
            pipe.pass(&FoldedLine::of_labelled_stack(&text, part.to - part.from))?;
        }
        Ok(())
    }

    /// Writes sums, sorted.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    pub(crate) fn sums(&self, parts: &Sums, pipe: &mut Pipe) -> Result<()> {
        let mut counts = StackCounts::default();
        for ((thread, state, stack), length) in parts.lengths() {
            counts.add(&self.text(thread, state, stack, None), length);
        }
        counts
            .for_each_sorted(|text, length| pipe.pass(&FoldedLine::of_labelled_stack(text, length)))
    }
}

/// The path, summed by thread, state and stack.
#[derive(Debug, Default)]
pub(crate) struct Sums {
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

impl Sums {
    pub(crate) fn add(&mut self, part: Part, times: Times<'_>) {
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
    pub(crate) fn lengths(&self) -> Vec<((ThreadId, State, FrameId), u64)> {
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

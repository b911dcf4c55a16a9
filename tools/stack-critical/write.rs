//! Writes the path as folded stacks.

use common::critical::{Lengths, Part, Slices, ThreadId, Times, without_waker};
use common::folded::{FoldedLine, Label, ThreadState as State, append_label};
use common::stacks::{FrameId, StackCounts};
use common::{Result, pipe::Pipe};

/// How lines are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    pub(crate) slices: &'a Slices,
    /// Whether the stack of who ended a wait is wanted.
    pub(crate) wakers: bool,
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
    pub(crate) fn sums(&self, parts: &Lengths, pipe: &mut Pipe) -> Result<()> {
        let mut counts = StackCounts::default();
        for ((thread, state, stack), length) in parts.all() {
            counts.add(&self.text(thread, state, stack, None), length);
        }
        counts
            .for_each_sorted(|text, length| pipe.pass(&FoldedLine::of_labelled_stack(text, length)))
    }
}

//! What limits an answer, said where it matters.

use bstr::ByteSlice;
use common::critical::{LOCKS, Slices, ThreadId, without_waker};
use common::folded::ThreadState as State;
use common::names::printable;
use common::pipe::Pipe;

/// How the path is made up.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    /// In nanoseconds.
    length: u64,
    runnable: u64,
    not_recorded: u64,
    /// How many waits it goes past, and how many of them were for locks.
    waits: u64,
    locks: u64,
}

/// A part of the path that is worth a message: one in so many.
const PART: u64 = 10;

impl Limits {
    /// Adds a part of the path.
    pub(crate) fn add(&mut self, state: State, length: u64) {
        self.length += length;
        match state {
            State::Runnable => self.runnable += length,
            State::NotRecorded => self.not_recorded += length,
            _ => {}
        }
    }

    /// Adds a wait that the path goes past.
    pub(crate) fn skip(&mut self, slices: &Slices, thread: ThreadId, at: usize) {
        let slice = slices.threads[thread as usize].slices[at];
        let stack = without_waker(slices.stacks.name(slice.stack()));
        let is_lock = LOCKS.iter().any(|lock| stack.contains_str(lock));
        self.waits += 1;
        self.locks += u64::from(is_lock);
    }

    fn percent(&self, part: u64) -> u64 {
        (u128::from(part) * 100 / u128::from(self.length.max(1))) as u64
    }

    /// Says what limits the path.
    pub(crate) fn say_of_path(&self, pipe: &Pipe) {
        if self.runnable > self.length / PART {
            pipe.note(format_args!(
                "{} % of the path is [runnable]: processors were busy, and what to make faster is \
                 better told by CPU time",
                self.percent(self.runnable)
            ));
        }
        if self.not_recorded > self.length / PART {
            pipe.note(format_args!(
                "{} % of the path is [not recorded]: it may have gone another way",
                self.percent(self.not_recorded)
            ));
        }
        if let Some(lost) = pipe.header_part("lost").filter(|lost| lost.number() > 0) {
            pipe.note(format_args!(
                "{} were lost while recording: the path may have gone another way",
                printable(&lost.text())
            ));
        }
    }

    /// Says what limits a prediction: who gets a lock next is not decided anew.
    pub(crate) fn say_of_prediction(&self, pipe: &Pipe) {
        if self.locks > self.waits / PART && self.waits > 0 {
            pipe.note(format_args!(
                "{} of {} waits that end on the path are for locks: the order in which threads get \
                 them stays, so factors above 2 promise too much",
                self.locks, self.waits
            ));
        }
    }
}

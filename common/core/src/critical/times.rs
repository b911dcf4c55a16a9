//! When slices begin and end: as they were recorded, or as they would if some code were faster.

use super::{Slice, Slices, ThreadId};

/// The times of all slices.
#[derive(Clone, Copy)]
pub struct Times<'a> {
    /// The slices.
    pub slices: &'a Slices,
    /// `None` if they are as they were recorded.
    pub replayed: Option<&'a Replayed>,
}

/// Of each thread the new start of its first slice, and the new ends of all of them.
pub type Replayed = Vec<Vec<u64>>;

impl<'a> Times<'a> {
    /// The times as they were recorded.
    #[must_use]
    pub fn recorded(slices: &'a Slices) -> Times<'a> {
        Times { slices, replayed: None }
    }

    /// A slice of a thread.
    #[must_use]
    pub fn slice(&self, thread: ThreadId, at: usize) -> Slice {
        self.slices.threads[thread as usize].slices[at]
    }

    /// How long before a slice nothing is known of its thread.
    fn gap(&self, thread: ThreadId, at: usize) -> u64 {
        let before = at.checked_sub(1).map(|before| self.slice(thread, before).end());
        before.map_or(0, |end| self.slice(thread, at).start() - end)
    }

    /// When a slice begins, in nanoseconds.
    #[must_use]
    pub fn start(&self, thread: ThreadId, at: usize) -> u64 {
        match self.replayed {
            Some(replayed) => replayed[thread as usize][at].saturating_add(self.gap(thread, at)),
            None => self.slice(thread, at).start(),
        }
    }

    /// When a slice ends, in nanoseconds.
    #[must_use]
    pub fn end(&self, thread: ThreadId, at: usize) -> u64 {
        match self.replayed {
            Some(replayed) => replayed[thread as usize][at + 1],
            None => self.slice(thread, at).end(),
        }
    }

    /// The last slice of a thread that begins before this moment, if there is one.
    pub fn before(&self, thread: ThreadId, time: u64) -> Option<usize> {
        let slices = &self.slices.threads[thread as usize].slices;
        if self.replayed.is_none() {
            return slices.partition_point(|slice| slice.start() < time).checked_sub(1);
        }
        let (mut known, mut beyond) = (0, slices.len());
        while known < beyond {
            let middle = known + (beyond - known) / 2;
            match self.start(thread, middle) < time {
                true => known = middle + 1,
                false => beyond = middle,
            }
        }
        known.checked_sub(1)
    }

    /// When a thread that ended a wait was last there, until the end of the wait. A process ends some
    /// time before who waits for it goes on; `None` if it was not there during the wait.
    pub fn last_there(&self, waker: ThreadId, [from, to]: [u64; 2]) -> Option<u64> {
        if self.is_alive(waker, to) {
            return Some(to);
        }
        let end = self.end(waker, self.before(waker, to)?);
        Some(end.min(to)).filter(|end| *end > from)
    }

    /// Whether a thread was there just before this moment.
    pub fn is_alive(&self, thread: ThreadId, time: u64) -> bool {
        let last = self.slices.threads[thread as usize].slices.len().checked_sub(1);
        last.is_some_and(|last| self.start(thread, 0) < time && time <= self.end(thread, last))
    }
}

//! What would happen if some code were faster: `--what-if`.
//!
//! Each thread does the same as it did; what it runs takes the time that it would, and a wait ends
//! when the thread that ended it is where it was when it did so. Who gets a lock is not decided anew.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use common::critical::{Ends, Replayed, Slice, Slices, ThreadId, Times};
use common::folded::ThreadState as State;

/// How much of the time of each running slice stays.
pub(crate) struct Kept {
    /// By stack; `None` of a slice without a sample.
    pub(crate) of_stack: Vec<Option<f64>>,
    /// By thread: that of its samples together, for its slices without one.
    pub(crate) of_thread: Vec<f64>,
}

impl Kept {
    pub(crate) fn new(slices: &Slices, of_stack: Vec<Option<f64>>) -> Kept {
        let mean = |slices: &[Slice]| {
            let running = slices.iter().filter(|slice| slice.state() == State::Running);
            let (sum, count) = running
                .filter_map(|slice| of_stack[slice.stack() as usize])
                .fold((0.0, 0.0), |(sum, count), kept| (sum + kept, count + 1.0));
            if count > 0.0 { sum / count } else { 1.0 }
        };
        let of_thread = slices.threads.iter().map(|thread| mean(&thread.slices)).collect();
        Kept { of_stack, of_thread }
    }

    /// How long a part of a slice takes.
    fn length(&self, thread: ThreadId, slice: Slice, length: u64) -> u64 {
        if slice.state() != State::Running {
            return length;
        }
        let kept = self.of_stack[slice.stack() as usize];
        let kept = kept.unwrap_or(self.of_thread[thread as usize]);
        if kept == 1.0 { length } else { (length as f64 * kept).round() as u64 }
    }
}

/// The new times of all slices, and the new ends of the path.
pub(crate) fn replay(slices: &Slices, kept: &Kept, ends: Ends) -> (Replayed, Ends) {
    let empty = slices.threads.iter().map(|thread| Vec::with_capacity(thread.slices.len() + 1));
    let mut replay = Replay { recorded: Times::recorded(slices), kept, new: empty.collect() };
    // A waking is later than all slices that ended before it.
    let next = |thread: ThreadId, at: usize| {
        let slice = slices.threads[thread as usize].slices.get(at)?;
        Some(Reverse((slice.end(), slice.state() != State::Running, thread)))
    };
    let threads = 0..slices.threads.len() as ThreadId;
    let mut queue: BinaryHeap<_> = threads.filter_map(|thread| next(thread, 0)).collect();
    while let Some(Reverse((_, _, thread))) = queue.pop() {
        replay.advance(thread);
        queue.extend(next(thread, replay.new[thread as usize].len() - 1));
    }
    let start = replay.new[ends.thread as usize][0];
    let end = replay.new_time(ends.thread, ends.end).unwrap_or(ends.end);
    (replay.new, Ends { start, end, ..ends })
}

struct Replay<'a> {
    recorded: Times<'a>,
    kept: &'a Kept,
    new: Replayed,
}

impl Replay<'_> {
    /// Finds the new end of the next slice of a thread.
    fn advance(&mut self, thread: ThreadId) {
        if self.new[thread as usize].is_empty() {
            let first = self.recorded.slice(thread, 0);
            let maker = first.waker().filter(|_| first.state() == State::Runnable);
            let born = maker.and_then(|maker| self.new_time(maker, first.start()));
            self.new[thread as usize].push(born.unwrap_or(first.start()));
        }
        let at = self.new[thread as usize].len() - 1;
        let slice = self.recorded.slice(thread, at);
        let start = self.new_start(thread, at);
        let waker = slice.waker().filter(|waker| slice.state().is_away() && *waker != thread);
        let woken = waker.and_then(|waker| {
            let moment = self.recorded.last_there(waker, [slice.start(), slice.end()])?;
            Some(self.new_time(waker, moment)?.saturating_add(slice.end() - moment))
        });
        let end = match woken {
            Some(woken) => woken.max(start),
            None => start.saturating_add(self.kept.length(thread, slice, slice.length())),
        };
        self.new[thread as usize].push(end);
    }

    fn new_start(&self, thread: ThreadId, at: usize) -> u64 {
        let gap = match at.checked_sub(1) {
            Some(before) => {
                self.recorded.slice(thread, at).start() - self.recorded.slice(thread, before).end()
            }
            None => 0,
        };
        self.new[thread as usize][at].saturating_add(gap)
    }

    /// When a thread is where it was at this time; `None` if it was not there.
    fn new_time(&self, thread: ThreadId, time: u64) -> Option<u64> {
        if !self.recorded.is_alive(thread, time) {
            return None;
        }
        let at = self.recorded.before(thread, time)?;
        // A circle of wakings at one moment.
        if self.new[thread as usize].len() <= at {
            return None;
        }
        let slice = self.recorded.slice(thread, at);
        let within = time.min(slice.end()) - slice.start();
        let length = self.kept.length(thread, slice, within);
        let new = self.new_start(thread, at).saturating_add(length);
        // A wait may have become shorter.
        let known = self.new[thread as usize].get(at + 1);
        let new = match known {
            Some(end) if time >= slice.end() => end.saturating_add(time - slice.end()),
            Some(end) => new.min(*end),
            None => new,
        };
        Some(new)
    }
}

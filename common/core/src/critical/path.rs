//! The critical path: what had to end so that the program could end, from its end back to its start.

use super::{ThreadId, Times};
use crate::folded::ThreadState as State;

/// A part of the path: what a thread did from one moment to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The thread that is on the path.
    pub thread: ThreadId,
    /// The index of its slice.
    pub at: u32,
    /// In nanoseconds.
    pub from: u64,
    /// In nanoseconds.
    pub to: u64,
}

/// Where a path ends, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The thread whose end is that of the path.
    pub thread: ThreadId,
    /// In nanoseconds.
    pub start: u64,
    /// In nanoseconds.
    pub end: u64,
}

/// Calls `each` with the parts of the path, the last first, and `skipped` with the waits in place of
/// which it goes on in the thread that ended them.
///
/// While a thread runs, or could run, it is on the path. At the end of a wait the path goes to the
/// thread that ended it; a wait that no known thread ended is on the path itself. At the start of a
/// thread it goes to the one that made it.
pub fn walk(
    times: Times<'_>,
    ends: Ends,
    mut each: impl FnMut(Part),
    mut skipped: impl FnMut(ThreadId, usize),
) {
    /// Wakings at one moment may be a circle.
    const MOST_AT_ONCE: u32 = 8;
    let (mut thread, mut time, mut at_once) = (ends.thread, ends.end, 0);
    while time > ends.start {
        let Some(at) = times.before(thread, time) else {
            // The slice that says who made the thread was taken out.
            if thread == ends.thread {
                return;
            }
            thread = ends.thread;
            continue;
        };
        let end = times.end(thread, at);
        if end < time {
            // A slice was taken out, and its time with it.
            time = end;
            continue;
        }
        let slice = times.slice(thread, at);
        let waker = slice.waker().filter(|waker| *waker != thread);
        let is_ended_wait = slice.state().is_away() && end == time && at_once < MOST_AT_ONCE;
        let wait = [times.start(thread, at), time];
        let there = waker.filter(|_| is_ended_wait);
        if let Some((waker, moment)) = there.and_then(|it| Some((it, times.last_there(it, wait)?)))
        {
            skipped(thread, at);
            let from = moment.max(ends.start);
            if from < time {
                each(Part { thread, at: at as u32, from, to: time });
            }
            at_once = if from < time { 0 } else { at_once + 1 };
            (thread, time) = (waker, from);
            continue;
        }
        let from = times.start(thread, at).max(ends.start);
        each(Part { thread, at: at as u32, from, to: time });
        (time, at_once) = (from, 0);
        if let Some(maker) =
            waker.filter(|maker| slice.state() == State::Runnable && times.is_alive(*maker, from))
        {
            thread = maker;
        }
    }
}

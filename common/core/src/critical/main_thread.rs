//! Which thread's end is that of the program.

use std::cmp::Reverse;

use super::{Slices, Thread, ThreadId};
use crate::folded::ThreadState as State;

/// The thread whose end is that of the program, and how many others it might be: one that no other
/// made, of a process that ended before the recording did, and that ran most. With a name, one of the
/// threads of this name. `None` if there is none.
#[must_use]
pub fn main_threads(slices: &Slices, name: Option<&[u8]>) -> Option<(ThreadId, usize)> {
    let [_, last] = slices.span()?;
    let is_asked = |thread: &Thread| {
        let comm = thread.comm.map(|comm| slices.stacks.name(comm));
        name.is_none() || comm == name
    };
    let ids = || 0..slices.threads.len() as ThreadId;
    let thread = |id: &ThreadId| &slices.threads[*id as usize];
    let all = || ids().filter(|id| !thread(id).slices.is_empty() && is_asked(thread(id)));
    let is_main = |id: &ThreadId| {
        let pid = thread(id).pid.map(|pid| slices.stacks.name(pid));
        pid == Some(slices.tids.name(*id))
    };
    let mut candidates: Vec<ThreadId> = all().filter(is_main).collect();
    if candidates.is_empty() {
        candidates = all().collect();
    }
    let has_ended = |id: &ThreadId| thread(id).end().is_some_and(|end| end < last);
    let ran = |id: ThreadId| {
        let pid = thread(&id).pid;
        let same = ids().filter(|other| *other == id || pid.is_some() && thread(other).pid == pid);
        same.map(|other| running(thread(&other))).sum::<u64>()
    };
    let best = *candidates
        .iter()
        .min_by_key(|id| (is_made(thread(id)), !has_ended(id), Reverse(ran(**id)), **id))?;
    let is_like_best = |id: &&ThreadId| is_made(thread(id)) == is_made(thread(&best));
    Some((best, candidates.iter().filter(is_like_best).count() - 1))
}

/// Whether its first slice says who made it.
fn is_made(thread: &Thread) -> bool {
    let first = thread.slices.first();
    first.is_some_and(|slice| slice.state() == State::Runnable && slice.waker().is_some())
}

fn running(thread: &Thread) -> u64 {
    let running = thread.slices.iter().filter(|slice| slice.state() == State::Running);
    running.map(|slice| slice.length()).sum()
}

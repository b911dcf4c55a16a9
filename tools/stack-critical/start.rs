//! Where the path ends: in which thread, and when.

use std::cmp::Reverse;

use clap::Args;
use common::names::printable;
use common::numbers::nanoseconds;
use common::pipe::Pipe;
use common::{Error, Result};

use crate::path::Ends;
use crate::slices::{Slices, State, Thread, ThreadId};

/// The options for where the path ends.
#[derive(Args, Debug)]
pub(crate) struct StartArgs {
    /// The path to the end of this thread; the default is the main thread of the program
    #[arg(long, value_name = "TID")]
    tid: Option<String>,

    /// The path to the end of the main thread of this name
    #[arg(long, value_name = "NAME", conflicts_with = "tid")]
    comm: Option<String>,

    /// The path to this time of the label, in seconds, not to the end of the thread
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    to: Option<u64>,
}

fn parse_seconds(text: &str) -> Result<u64, &'static str> {
    nanoseconds(text.as_bytes()).ok_or("expected seconds such as 10 or 12.304000113")
}

impl StartArgs {
    /// The ends of the path.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if there is no such thread.
    pub(crate) fn ends(&self, slices: &Slices, pipe: &Pipe) -> Result<Option<Ends>> {
        let Some([_, last]) = slices.span() else { return Ok(None) };
        let thread = match &self.tid {
            Some(tid) => slices.tids.find(tid.as_bytes()).ok_or_else(|| no_thread(tid))?,
            None => self.main_thread(slices, last, pipe)?,
        };
        let of = &slices.threads[thread as usize];
        let (Some(start), Some(end)) = (of.start(), of.end()) else {
            return Err(no_thread(&slices.shown(thread)));
        };
        let end = self.to.map_or(end, |to| to.min(end));
        if end <= start {
            let of = slices.shown(thread);
            return Err(Error::Usage(format!("--to is before thread {of} begins")));
        }
        Ok(Some(Ends { thread, start, end }))
    }

    /// The thread whose end is that of the program: one that no other made, of a process that ended
    /// before the recording did, and that ran most.
    fn main_thread(&self, slices: &Slices, last: u64, pipe: &Pipe) -> Result<ThreadId> {
        let is_asked = |thread: &Thread| {
            let name = thread.comm.map(|comm| slices.stacks.name(comm));
            self.comm.as_ref().is_none_or(|comm| name == Some(comm.as_bytes()))
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
            let same =
                ids().filter(|other| *other == id || pid.is_some() && thread(other).pid == pid);
            same.map(|other| running(thread(&other))).sum::<u64>()
        };
        let best = candidates
            .iter()
            .min_by_key(|id| (is_made(thread(id)), !has_ended(id), Reverse(ran(**id)), **id));
        let best = *best.ok_or_else(|| no_thread(self.comm.as_deref().unwrap_or_default()))?;
        if candidates.iter().filter(|id| is_made(thread(id)) == is_made(thread(&best))).count() > 1
        {
            pipe.note(format_args!(
                "the path to the end of {}: --tid and --comm choose another thread",
                slices.shown(best)
            ));
        }
        Ok(best)
    }
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

fn no_thread(name: &str) -> Error {
    Error::Usage(format!("no slice is of thread '{}'", printable(name.as_bytes())))
}

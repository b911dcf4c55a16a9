//! Where the path ends: in which thread, and when.

use clap::Args;
use common::critical::{Ends, Slices, ThreadId, main_threads};
use common::names::printable;
use common::numbers::nanoseconds;
use common::pipe::Pipe;
use common::{Error, Result};

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
        if slices.is_empty() {
            return Ok(None);
        }
        let thread = match &self.tid {
            Some(tid) => slices.tids.find(tid.as_bytes()).ok_or_else(|| no_thread(tid))?,
            None => self.main_thread(slices, pipe)?,
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

    /// The thread whose end is that of the program, or of the one with this name.
    fn main_thread(&self, slices: &Slices, pipe: &Pipe) -> Result<ThreadId> {
        let name = self.comm.as_deref();
        let (best, others) = main_threads(slices, name.map(str::as_bytes))
            .ok_or_else(|| no_thread(name.unwrap_or_default()))?;
        if others > 0 {
            pipe.note(format_args!(
                "the path to the end of {}: --tid and --comm choose another thread",
                slices.shown(best)
            ));
        }
        Ok(best)
    }
}

fn no_thread(name: &str) -> Error {
    Error::Usage(format!("no slice is of thread '{}'", printable(name.as_bytes())))
}

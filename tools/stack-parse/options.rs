//! Options that only some formats use.

mod live;

use std::num::NonZero;
use std::thread;

use clap::Args;
use common::{Error, Result, numbers::seconds};

use crate::symbolize_args::SymbolizeArgs;

pub(crate) use live::Live;

/// Each thread has its own blocks and tables; more threads than this no longer read faster.
const MOST_THREADS: usize = 8;

/// More than the cores of any processor; each thread takes memory.
const MOST_ASKED_THREADS: usize = 256;

/// Options that only some formats use.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,

    #[command(flatten)]
    pub(crate) symbolize: SymbolizeArgs,

    /// Read with this many threads; the default is one per processor, 8 at most
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

impl Options {
    /// How many threads may read one input.
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            Some(threads) => threads.get().min(MOST_ASKED_THREADS),
            None => thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS),
        }
    }
}

/// Which objects of a recording of memory to count.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ObjectArgs {
    /// Only memory in use this many seconds after the start, at the peak, or (default) at the end
    #[arg(long, value_name = "SECONDS|peak|end", num_args = 0..=1, require_equals = true)]
    #[arg(conflicts_with_all = ["per_sample", "table", "off_cpu", "every", "spans"])]
    live: Option<Option<Live>>,

    /// Only what was allocated in the major heap (memtrace)
    #[arg(long, conflicts_with = "spans")]
    pub(crate) major: bool,

    /// Only what was promoted to the major heap; with --major, both kinds (memtrace)
    #[arg(long, conflicts_with_all = ["per_sample", "table", "off_cpu", "every", "spans"])]
    pub(crate) promoted: bool,
}

impl ObjectArgs {
    /// When memory must be in use to count; `None`: it counts in any case.
    pub(crate) fn live(self) -> Option<Live> {
        self.live.map(|live| live.unwrap_or(Live::End))
    }

    /// Whether it matters in which heap an object is.
    pub(crate) fn choose_heaps(self) -> bool {
        self.major || self.promoted
    }

    /// Refuses `--live` without a value beside `--to`, which is `to` nanoseconds: the user may mean
    /// `--live=TO` or `--live=end`.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`], which names the options for both meanings.
    pub(crate) fn check(self, to: Option<u64>) -> Result<()> {
        let (Some(None), Some(to)) = (self.live, to) else { return Ok(()) };
        let to = seconds(to);
        Err(Error::Usage(format!(
            "--live with --to {to}: --live={to} takes what was in use then, \
             --live=end --to {to} what was allocated before and in use at the end"
        )))
    }
}

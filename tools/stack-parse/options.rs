//! What the user chose that only some formats know.

use std::num::NonZero;
use std::thread;

use clap::Args;

use crate::symbolize_args::SymbolizeArgs;

/// Each thread has blocks and tables of its own, and memory is as fast as it
/// gets before there are more.
const MOST_THREADS: usize = 8;

/// More than processors have cores; each takes memory.
const MOST_ASKED_THREADS: usize = 256;

/// What the user chose for some formats only.
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

/// Which objects of a memory trace to count.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ObjectArgs {
    /// Only memory that was not collected before the trace ended (memtrace)
    #[arg(long, conflicts_with_all = ["per_sample", "table", "off_cpu", "every"])]
    pub(crate) live: bool,

    /// Only what was allocated in the major heap (memtrace)
    #[arg(long)]
    pub(crate) major: bool,

    /// Only what was promoted to the major heap; with --major, both kinds (memtrace)
    #[arg(long, conflicts_with_all = ["per_sample", "table", "off_cpu", "every"])]
    pub(crate) promoted: bool,
}

impl ObjectArgs {
    /// Whether some objects are left out.
    pub(crate) fn is_choice(self) -> bool {
        self.live || self.major || self.promoted
    }
}

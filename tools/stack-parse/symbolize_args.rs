//! The options that say where the files of a recording are.

use std::env;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::Args;
use symbolize::{Fetch, Objects};

use crate::debuginfod::{self, Debuginfod};

/// Where the files of a recording are.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SymbolizeArgs {
    /// Read every file of the recorded machine below DIR
    #[arg(long, value_name = "DIR")]
    symfs: Option<PathBuf>,

    /// Look for separate debug files below DIR, too; may be given several times
    #[arg(long, value_name = "DIR")]
    debug_dir: Vec<PathBuf>,

    /// Download missing files from the servers of DEBUGINFOD_URLS; wait SECONDS for each, or 90
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
        value_parser = clap::value_parser!(u64).range(1..))]
    debuginfod: Option<Option<u64>>,

    /// Downloads files, for all recordings of a run.
    #[arg(skip)]
    client: OnceLock<Arc<Debuginfod>>,

    /// The symbols of the recorded kernel: a copy of its /proc/kallsyms
    #[arg(long, value_name = "FILE")]
    pub(crate) kallsyms: Option<PathBuf>,

    /// The vdso of the recorded kernel
    #[arg(long, value_name = "FILE")]
    pub(crate) vdso: Option<PathBuf>,

    /// Name OCaml functions, and those inlined into them, from the executable's frame tables
    #[arg(long)]
    exact_names: bool,
}

impl SymbolizeArgs {
    /// Whether files are where they were recorded, on this machine.
    pub(crate) fn is_of_this_machine(&self) -> bool {
        self.symfs.is_none()
    }

    /// Downloads debug information; `None` if the user did not ask for it.
    pub(crate) fn client(&self) -> Option<&Arc<Debuginfod>> {
        let limit = self.debuginfod?.map_or(debuginfod::LIMIT, Duration::from_secs);
        Some(self.client.get_or_init(|| Arc::new(Debuginfod::new(limit))))
    }

    /// The objects of one recording, with the folders and options that the user gave.
    pub(crate) fn objects(&self) -> Objects {
        Objects::new(symbolize::Options {
            root: self.symfs.clone(),
            debug_dirs: self.debug_dir.clone(),
            home: env::var_os("HOME").map(PathBuf::from),
            debuginfod_caches: debuginfod::caches(),
            fetch: self.client().map(|client| Arc::clone(client) as Arc<dyn Fetch>),
            kallsyms: self.kallsyms.clone(),
            vdso: self.vdso.clone(),
            exact_names: self.exact_names,
            open: common::io::map_executable,
        })
    }
}

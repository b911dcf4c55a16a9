//! The options of the library.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the files of a recording are, and which names are wanted.
///
/// The default finds the files of this machine by their paths.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder that has the files of the recorded machine, as if it were `/`, if that is another
    /// machine.
    pub root: Option<PathBuf>,
    /// Folders with separate debug files, beside `/usr/lib/debug`: they hold
    /// `.build-id/1d/8f2556.debug`, or files at the paths of the executables.
    pub debug_dirs: Vec<PathBuf>,
    /// The user's home folder on the recorded machine: `perf record` keeps copies of files in
    /// `.debug` there.
    pub home: Option<PathBuf>,
    /// The caches of debuginfod's client on this machine, which hold `BUILDID/debuginfo` and
    /// `BUILDID/executable`.
    pub debuginfod_caches: Vec<PathBuf>,
    /// Gets files that are not on this machine. Without it nothing is downloaded.
    pub fetch: Option<Arc<dyn Fetch>>,
    /// A copy of `/proc/kallsyms` with the symbols of the recorded kernel.
    pub kallsyms: Option<PathBuf>,
    /// The vdso of the recorded kernel.
    pub vdso: Option<PathBuf>,
    /// Whether functions of OCaml, and those inlined into them, get their names from the
    /// executable's frame tables.
    pub exact_names: bool,
    /// Reads an executable, or its debug file, into memory that stays as long as the program runs.
    /// The default reads the whole file. A caller that may use `unsafe` can map it, so that only
    /// the pages that are needed are read.
    pub open: fn(&Path) -> io::Result<&'static [u8]>,
}

/// The files that a server of debug information has of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Artifact {
    /// The file with its debug information, or with the part that it shares with others.
    DebugInfo,
    /// The program itself.
    Executable,
}

impl Artifact {
    /// Its name in debuginfod's addresses and cache.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Artifact::DebugInfo => "debuginfo",
            Artifact::Executable => "executable",
        }
    }
}

/// Gets files that are not on this machine, as `debuginfod-find` does.
pub trait Fetch: fmt::Debug + Send + Sync {
    /// The file with this build-id, which is downloaded if necessary; `path` is where the program
    /// was recorded. Several threads may call this, also more than once for the same file.
    fn fetch(&self, build_id: &[u8], what: Artifact, path: &[u8]) -> Option<PathBuf>;
}

impl Default for Options {
    fn default() -> Options {
        Options {
            root: None,
            debug_dirs: Vec::new(),
            home: None,
            debuginfod_caches: Vec::new(),
            fetch: None,
            kallsyms: None,
            vdso: None,
            exact_names: false,
            open: read_whole,
        }
    }
}

/// Reads a file; its bytes stay in memory.
fn read_whole(path: &Path) -> io::Result<&'static [u8]> {
    // Opening a named pipe might take forever.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    std::fs::read(path).map(|bytes| &*bytes.leak())
}

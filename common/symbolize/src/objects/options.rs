//! What the user of the library chooses.

use std::io;
use std::path::{Path, PathBuf};

/// Where the files of a recording are, and what their names are to be.
///
/// The default finds the files of this machine by their paths.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder that has the recorded machine's files, as if it were `/`, if they are of
    /// another machine.
    pub root: Option<PathBuf>,
    /// Folders with separate debug files, beside `/usr/lib/debug`: they hold
    /// `.build-id/1d/8f2556.debug`, or files at the paths of the executables.
    pub debug_dirs: Vec<PathBuf>,
    /// The user's folder on the recorded machine: `perf record` keeps copies of what it met
    /// in `.debug` there.
    pub home: Option<PathBuf>,
    /// A copy of `/proc/kallsyms` with the symbols of the recorded kernel.
    pub kallsyms: Option<PathBuf>,
    /// The vdso of the recorded kernel.
    pub vdso: Option<PathBuf>,
    /// Whether functions of OCaml, and what was inlined into them, have the names that the
    /// executable's frame tables give them.
    pub exact_names: bool,
    /// Brings an executable, or its debug file, into memory for as long as the program runs.
    /// The default reads all of it; who may use `unsafe` can map it, so that only the pages
    /// that are needed are read.
    pub open: fn(&Path) -> io::Result<&'static [u8]>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            root: None,
            debug_dirs: Vec::new(),
            home: None,
            kallsyms: None,
            vdso: None,
            exact_names: false,
            open: read_whole,
        }
    }
}

/// Reads a file, whose bytes stay in memory.
fn read_whole(path: &Path) -> io::Result<&'static [u8]> {
    // To open a named pipe might take forever.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    std::fs::read(path).map(|bytes| &*bytes.leak())
}

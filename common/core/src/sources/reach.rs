//! Which files may be read. A profile is often somebody else's, and may name any file of the
//! reader.

use std::fs;
use std::path::{Path, PathBuf};

/// Where compilers and interpreters have the sources that they bring, which everybody has.
const OF_SYSTEM: [&str; 2] = ["/usr/include", "/usr/lib"];

/// The folders whose files may be read: the current one, those that the user named, and those of
/// the system's toolchains.
pub(crate) struct Reach {
    /// Without links.
    folders: Vec<PathBuf>,
}

impl Reach {
    pub(crate) fn of(named: &[PathBuf]) -> Reach {
        let folders = [Path::new(".")].into_iter().chain(named.iter().map(PathBuf::as_path));
        let folders = folders.chain(OF_SYSTEM.map(Path::new));
        Reach { folders: folders.filter_map(|folder| fs::canonicalize(folder).ok()).collect() }
    }

    /// Whether a file is below one of the folders, after all links were followed.
    pub(crate) fn has(&self, file: &Path) -> bool {
        fs::canonicalize(file)
            .is_ok_and(|file| self.folders.iter().any(|folder| file.starts_with(folder)))
    }
}

/// Whether a file is below a folder, after all links were followed.
pub(crate) fn is_within(file: &Path, folder: &Path) -> bool {
    let [file, folder] = [file, folder].map(fs::canonicalize);
    matches!((file, folder), (Ok(file), Ok(folder)) if file.starts_with(&folder))
}

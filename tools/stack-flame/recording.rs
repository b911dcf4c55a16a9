//! The file that is recorded. What could not be drawn is never deleted.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::failure::Failure;

/// A recording goes through a file, not through a pipe: the standard output of the
/// program stays its own, unwinding does not compete with it for the processor, and
/// Ctrl-C ends the recording without ending what draws it.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) file: PathBuf,
    /// Whether the user wants it.
    pub(crate) is_kept: bool,
    /// A folder for what is needed meanwhile. It is deleted in the end.
    folder: TempDir,
}

impl Recording {
    /// A recording in the file that the user wants to keep, or of this name in a temporary folder.
    pub(crate) fn new(keep: Option<&Path>, name: &str) -> Result<Recording, Failure> {
        let mut folder = tempfile::Builder::new();
        folder.prefix("stack-flame.");
        // A recording has parts of the program's memory.
        #[cfg(unix)]
        folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = folder
            .tempdir()
            .map_err(|error| Failure::of_file(std::env::temp_dir().display(), error))?;
        let file = keep.map_or_else(|| folder.path().join(name), Path::to_path_buf);
        Ok(Recording { file, is_kept: keep.is_some(), folder })
    }

    /// Where a file is that nobody needs in the end.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether what records wrote anything.
    pub(crate) fn check(&self, recorder: &str) -> Result<(), Failure> {
        match fs::metadata(&self.file) {
            Ok(file) if file.len() > 0 => Ok(()),
            _ => Err(Failure::ours(format!("{recorder} recorded nothing"))),
        }
    }

    /// Keeps a recording that could not be drawn, and returns what to say of it.
    pub(crate) fn keep(self) -> String {
        if !self.is_kept {
            // The path stays what it was; this only forgets to delete the folder.
            let _ = self.folder.keep();
        }
        let file = self.file.display();
        format!("the recording is kept: {file}; 'stack-flame -i {file}' draws it")
    }
}

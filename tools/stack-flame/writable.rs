//! Whether a file can be written, before anything is recorded that would go there.

use std::fs::{self, OpenOptions};
use std::path::Path;

use crate::failure::Failure;

/// Opens a file for writing and leaves it as it was.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let failed = |source| Failure::of_file(path.display(), source);
    match fs::metadata(path) {
        // To open a pipe would wait for its reader.
        Ok(file) if !file.is_file() && !file.is_dir() => Ok(()),
        Ok(_) => OpenOptions::new().append(true).open(path).map(drop).map_err(failed),
        Err(_) => {
            OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
            fs::remove_file(path).map_err(failed)
        }
    }
}

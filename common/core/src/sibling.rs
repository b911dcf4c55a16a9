//! The other tools.

use std::path::PathBuf;

/// Where the tool of this name is if it is in the folder of the running one, as after an
/// installation; `None` if it is not there.
#[must_use]
pub fn sibling(tool: &str) -> Option<PathBuf> {
    let file = format!("{tool}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::current_exe().ok()?.with_file_name(file);
    path.is_file().then_some(path)
}

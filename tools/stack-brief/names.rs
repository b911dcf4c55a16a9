//! Names and places as the page shows them.

use std::sync::LazyLock;

use common::names::{
    bare_name, base_of_place, fitted, fitted_path, normalize, printable, printable_name,
};

use crate::chains::Caller;

/// The name of a function in at most `letters` letters.
pub(crate) fn name_text(name: &[u8], letters: usize) -> String {
    let mut name = name.to_vec();
    normalize(&mut name);
    fitted(bare_name(&printable_name(&name)), letters)
}

/// A path, relative where it is below the current folder.
pub(crate) fn near_path(path: &[u8]) -> &[u8] {
    static HERE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let here = std::env::current_dir().unwrap_or_default();
        [here.as_os_str().as_encoded_bytes(), b"/"].concat()
    });
    // Node writes the files of modules like this.
    let path = path.strip_prefix(b"file://").unwrap_or(path);
    path.strip_prefix(&HERE[..]).unwrap_or(path)
}

/// `Server::handle:174`, and with its file where that is another than `file`:
/// `main ingest.cpp:192`.
pub(crate) fn caller_text(caller: &Caller<'_>, file: &[u8]) -> String {
    let name = name_text(caller.name, 32);
    match caller.place {
        (b"", _) | (_, 0) => name,
        (path, line) if path == file => format!("{name}:{line}"),
        (path, line) => format!("{name} {}:{line}", printable(base_of_place(path))),
    }
}

/// The place of a row: the file, and the first and the last of these lines.
pub(crate) fn range_text(path: &[u8], lines: &[u32], letters: usize) -> String {
    let numbers = match (lines.iter().min(), lines.iter().max()) {
        (Some(first), Some(last)) if first < last => format!(":{first}-{last}"),
        (Some(only), _) => format!(":{only}"),
        _ => String::new(),
    };
    let room = letters.saturating_sub(numbers.len());
    let shown = fitted_path(near_path(path), Some(room));
    format!("{shown}{numbers}")
}

//! Sizes of files: the parts of a path are the frames.

use bstr::ByteSlice;
use common::numbers::is_digits;

use sized::Sized;

mod du;
mod find;
mod list;
mod order;
mod sized;

pub(super) use du::FORMAT as DU;
pub(super) use find::FORMAT as FIND;
pub(super) use list::FORMAT as LIST;

/// A hint on how to read an input that looks like sizes of files but was not detected as such.
pub(super) fn looks_like(text: &[u8]) -> Option<&'static str> {
    let lines = || text.lines().take(100);
    if lines().next().is_some_and(sized::is_rounded) {
        return Some("du -h, whose sizes are rounded: run 'du -ab'");
    }
    let is_path = |line: &[u8]| Sized::parse(line).is_some_and(|line| line.path.contains(&b'/'));
    let ends_in_number =
        |line: &[u8]| line.rsplit(|&byte| byte == b' ').next().is_some_and(is_digits);
    let are_paths = lines().next().is_some() && lines().all(is_path);
    let are_folded = lines().all(ends_in_number);
    (are_paths && !are_folded)
        .then_some("sizes and paths: read them with '--format du' or '--format find'")
}

//! The files that a message names.

/// How many files a message names.
const NAMED: usize = 3;

/// `/app, /lib/b.so, /lib/c.so, 2 more`
pub(super) fn listed(files: impl ExactSizeIterator<Item = String>) -> String {
    let others = files.len().saturating_sub(NAMED);
    let mut named: Vec<String> = files.take(NAMED).collect();
    if others > 0 {
        named.push(format!("{others} more"));
    }
    named.join(", ")
}

//! What a row of a picture of time is called.

use crate::names::printable;

/// What is shown for a label or a field that is there but empty.
const EMPTY: &[u8] = b"[empty]";

/// The value that names the row of a label: empty if the line does not have the label, `[empty]` if
/// the label's value is empty.
#[must_use]
pub fn label_value(value: Option<&[u8]>) -> &[u8] {
    match value {
        Some(b"") => EMPTY,
        Some(value) => value,
        None => b"",
    }
}

/// Whether a value of this label is a number that means little without the name of the thread.
#[must_use]
pub fn shows_comm(key: &str) -> bool {
    matches!(key, "pid" | "tid")
}

/// The name of a row: the value, after the name of its thread if that is known. An empty value
/// means that the label is missing: `worker 4711`, `[no tid]`.
#[must_use]
pub fn row_name(value: &[u8], comm: Option<&[u8]>, key: &str) -> String {
    match (value, comm.filter(|comm| !comm.is_empty())) {
        (b"", _) => format!("[no {key}]"),
        (value, Some(comm)) => format!("{} {}", printable(comm), printable(value)),
        (value, None) => printable(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_named_after_its_thread() {
        let name = |value: Option<&[u8]>, comm| row_name(label_value(value), comm, "tid");
        assert_eq!(name(Some(b"7"), Some(b"git")), "git 7");
        assert_eq!(name(Some(b"7"), Some(b"")), "7");
        assert_eq!(name(Some(b""), None), "[empty]");
        assert_eq!(name(None, Some(b"git")), "[no tid]");
    }
}

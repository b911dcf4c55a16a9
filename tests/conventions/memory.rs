//! Input that does not fit into memory.

use crate::util::{endless, folded_tools, with_minimal};

#[test]
fn an_endless_line_is_named_and_no_crash() {
    for name in folded_tools() {
        let (output, is_all_read) = endless(name, &with_minimal(name, &[]), "x");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.starts_with(&format!("{name}: <stdin>: out of memory")), "{said}");
        assert!(!is_all_read, "{name} read all of it");
    }
}

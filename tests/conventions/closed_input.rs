//! Standard input that is closed, which is not an empty one.

use std::process::Command;

use crate::util::{binary, folded_tools, scratch, with_minimal};

#[test]
fn a_closed_standard_input_is_an_error() {
    let file = scratch("closed-input.folded", "main;a 1\n");
    let others = ["stack-heat", "stack-symbols"];
    for name in folded_tools().chain(others) {
        let args = with_minimal(name, &[]).join(" ");
        let run = |from: &str, operand: &str| {
            let script = format!("\"$0\" {args} {operand} {from}");
            Command::new("sh").args(["-c", &script, binary(name)]).output().expect("a shell")
        };
        for operand in ["", "-"] {
            let output = run("<&-", operand);
            let said = String::from_utf8_lossy(&output.stderr);
            let expected = format!("{name}: <stdin>: it is closed\n");
            assert!(said.starts_with(&expected), "{operand}: {said}");
            assert_eq!(output.status.code(), Some(2), "{name} {operand}");
        }
        // Nobody needs it where a file is named.
        if !others.contains(&name) {
            let output = run("<&-", file.to_str().expect("UTF-8"));
            assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        }
    }
}

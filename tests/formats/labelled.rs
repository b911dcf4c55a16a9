//! Labels change no stack and no weight, in any format.

use super::{Case, for_every_case, header_and_lines};
use crate::util::{filter_bytes, golden_path, tool};

#[test]
fn what_has_labels_is_the_same_without_them() {
    for_every_case(|case| {
        let args = case.args();
        let args: Vec<&str> = args.split_whitespace().collect();
        if args.iter().any(|arg| arg.starts_with("--off-cpu")) {
            return;
        }
        let plain = folded(case, &args);
        for labels in ["all", "comm,pid,tid,cpu,event"] {
            let labelled = folded(case, &[&args[..], &["--labels", labels]].concat());
            let merged = filter_bytes("stack-merge", &["--labels", "none"], labelled);
            assert!(merged == plain, "{}: --labels {labels}", case.input);
        }
    });
}

/// The lines of a case with these options; other tests check the messages.
fn folded(case: &Case, args: &[&str]) -> Vec<u8> {
    let mut command = tool("stack-parse");
    let output = command.args(args).arg(golden_path(&case.input)).output().expect("it starts");
    assert!(output.status.success(), "{}: {args:?}", case.input);
    let (_, lines) = header_and_lines(&output.stdout);
    lines.to_vec()
}

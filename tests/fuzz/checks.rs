//! Checks that hold for every run of a tool, whatever its input.

use std::collections::HashSet;
use std::process::ExitCode;

use super::readable;
use super::streams::Outcome;
use crate::folded::{FoldedLine, Malformed};

/// The tools that read folded stacks and write them.
const FILTERS: [&str; 6] = [
    "stack-collapse-frames",
    "stack-demangle",
    "stack-fold-towers",
    "stack-grep",
    "stack-merge",
    "stack-reverse",
];

/// Panics if the outcome of `tool` for `input` breaks a promise; `again` runs it on another input.
pub(crate) fn check(
    tool: &str,
    input: &[u8],
    outcome: &Outcome,
    again: impl FnMut(&[u8]) -> Outcome,
) {
    let statuses = [0, 1, 2].map(ExitCode::from);
    assert!(statuses.contains(&outcome.status), "{:?}", outcome.status);
    let accounts = Accounts::in_text(&outcome.said);
    // A tool that cannot write anything says why: a weight in pprof has at most 63 bits.
    let has_given_up = outcome.status == statuses[2] && outcome.out.is_empty();
    if let (Some(Accounts { read, written, dropped }), false) = (accounts, has_given_up) {
        assert_eq!(read, written + dropped, "weight in, and out or dropped");
    }
    if tool == "stack-parse" || FILTERS.contains(&tool) {
        let weight = weight_of_clean_lines(&outcome.out);
        let accounts = accounts.expect("--stats among the options");
        assert_eq!(weight, accounts.written, "what was written, and what --stats says of it");
        if tool != "stack-parse" && is_plain(input) {
            let folded: Vec<FoldedLine<'_>> = folded_lines(input).flatten().collect();
            assert_eq!(weight_of(&folded), accounts.read, "what --stats says of the input");
            let out: Vec<FoldedLine<'_>> = folded_lines(&outcome.out).flatten().collect();
            if !has_empty_frame(&folded) {
                assert!(!has_empty_frame(&out), "an empty frame that was not in the input");
            }
            assert!(labels_of(&out).is_subset(&labels_of(&folded)), "a label of no input line");
        }
    }
    match tool {
        "stack-grep" | "stack-merge" => is_left_by(outcome, 1, again),
        "stack-reverse" => is_left_by(outcome, 2, again),
        "stack-heat" | "stack-svg" => readable::as_picture(&outcome.out),
        "stack-export" if outcome.status == statuses[0] => {
            let Accounts { written, .. } = accounts.expect("--stats among the options");
            readable::by_stack_parse(&outcome.out, written);
        }
        _ => {}
    }
}

/// The weights that `--stats` prints.
#[derive(Clone, Copy)]
struct Accounts {
    read: u128,
    written: u128,
    dropped: u128,
}

impl Accounts {
    /// `stack-grep: stats: in 3 lines weight 9, out 1 lines weight 4, ...`
    fn in_text(said: &str) -> Option<Accounts> {
        let (_, stats) = said.rsplit_once(": stats: in ")?;
        let weight = |flow: &str| {
            let (_, rest) = stats.split_once(flow)?;
            let (_, rest) = rest.split_once(" lines weight ")?;
            rest.split(|byte: char| !byte.is_ascii_digit()).next()?.parse().ok()
        };
        Some(Accounts {
            read: weight("")?,
            written: weight(", out ")?,
            dropped: weight(", dropped ")?,
        })
    }
}

/// Whether readers take the input as it is: not compressed, not encoded, and with no control bytes
/// except tabs.
fn is_plain(input: &[u8]) -> bool {
    input.iter().all(|&byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'))
}

/// The lines that are neither empty nor comments.
fn folded_lines(text: &[u8]) -> impl Iterator<Item = Result<FoldedLine<'_>, Malformed>> {
    let lines = text.split(|&byte| byte == b'\n');
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"# ")).map(FoldedLine::parse)
}

fn weight_of(lines: &[FoldedLine<'_>]) -> u128 {
    lines.iter().map(|line| u128::from(line.count)).sum()
}

fn has_empty_frame(lines: &[FoldedLine<'_>]) -> bool {
    lines.iter().any(|line| line.frames().any(<[u8]>::is_empty))
}

/// The labels of all lines, each as `key=value`.
fn labels_of<'a>(lines: &[FoldedLine<'a>]) -> HashSet<&'a [u8]> {
    let fields = lines.iter().flat_map(|line| line.labels.as_bytes().split(|&byte| byte == b'\t'));
    fields.filter(|field| !field.is_empty()).collect()
}

/// The total weight of lines, all of which readers must take as they are.
fn weight_of_clean_lines(out: &[u8]) -> u128 {
    assert!(out.is_empty() || out.ends_with(b"\n"), "the last line has no end");
    let lines: Result<Vec<_>, _> = folded_lines(out).collect();
    let lines = lines.expect("folded lines");
    for line in &lines {
        let is_clean = !line.stack.iter().any(u8::is_ascii_control);
        assert!(is_clean, "'{}': a control byte", line.stack.escape_ascii());
    }
    weight_of(&lines)
}

/// Asserts that the tool, run `times` more on its own output, leaves it unchanged.
fn is_left_by(outcome: &Outcome, times: usize, mut again: impl FnMut(&[u8]) -> Outcome) {
    let mut out = outcome.out.clone();
    for _ in 0..times {
        out = again(&out).out;
    }
    let [before, after] = [&outcome.out, &out].map(|out| String::from_utf8_lossy(out));
    assert_eq!(before, after, "another run changes it");
}

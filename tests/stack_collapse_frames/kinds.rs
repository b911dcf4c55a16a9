//! Frames of a kind of code: `--drop-kind`, on recordings of programs in several languages.

use std::collections::BTreeMap;

use clap::ValueEnum;
use common::folded::FoldedLine;
use common::names::{CodeKind, code_kinds};

use super::{collapse, refusal};
use crate::util::{TempFile, golden_files, recording};

/// The lines without the frames of a kind, in their order.
fn without(folded: &str, kind: CodeKind) -> String {
    let lines: Vec<FoldedLine<'_>> = folded
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| FoldedLine::parse(line.as_bytes()).expect("a folded line"))
        .collect();
    let all = || lines.iter().flat_map(FoldedLine::frames);
    let kinds: BTreeMap<&[u8], CodeKind> = all().zip(code_kinds(all())).collect();
    let mut out = String::new();
    for line in &lines {
        let kept: Vec<_> = line.frames().filter(|frame| kinds[frame] != kind).collect();
        let stack = String::from_utf8(kept.join(&b';')).expect("UTF-8");
        let stack = if stack.is_empty() { "[hidden]" } else { &stack };
        let labels = String::from_utf8_lossy(line.labels.as_bytes());
        out += &format!("{labels}{stack} {}\n", line.count);
    }
    out
}

fn without_comments(folded: &str) -> String {
    let lines = folded.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn frames_of_a_kind_leave_their_weight_to_their_callers() {
    for file in golden_files("kinds") {
        let folded = String::from_utf8(recording(&format!("kinds/{file}"))).expect("UTF-8");
        for kind in CodeKind::value_variants() {
            let done = collapse(&["--drop-kind", kind.argument()], &folded);
            assert!(without_comments(&done) == without(&folded, *kind), "{file} {kind:?}");
        }
    }
}

#[test]
fn all_rules_of_a_command_see_the_kinds_of_the_frames_as_they_came() {
    let folded = "tid=1\tapp::main;app::run;other::find 5\n\
                  tid=1\tapp::run;other::find;std::sort::<u8>_[i] 7\napp::main;read_[k] 2\n";
    // Without `app::main` nothing would show that `other` is not the program's.
    let args = ["--drop", "::main$", "--drop-kind", "unknown", "--drop-kind", "library"];
    let done = "tid=1\tapp::run 5\ntid=1\tapp::run 7\nread_[k] 2\n";
    assert_eq!(collapse(&args, folded), done);
    let rules = TempFile::new("drop ::main$\ndrop-kind unknown\ndrop-kind library\n");
    assert_eq!(collapse(&["--rules", rules.path()], folded), done);
    // The kinds of a part are those of the whole, and lines are written as they come.
    let whole = TempFile::new(folded);
    let part = "app::run;other::find 5\n";
    assert_eq!(collapse(&["--drop-kind", "unknown"], part), "[hidden] 5\n");
    let args = ["--drop-kind", "unknown", "--kinds-of", whole.path()];
    assert_eq!(collapse(&args, part), "app::run 5\n");
}

#[test]
fn kinds_and_fibres_are_learnt_together() {
    let lwt = String::from_utf8(recording("folded/lwtsim-4.13.1-dwarf.folded.gz")).expect("UTF-8");
    let first = collapse(&["--drop-kind", "runtime"], &lwt);
    assert!(first != lwt);
    let two = collapse(&["--lwt", "entries"], &first);
    let one = collapse(&["--drop-kind", "runtime", "--lwt", "entries"], &lwt);
    let merged = |folded: &str| crate::util::filter("stack-merge", &[], folded);
    assert!(merged(&one) == merged(&two));
}

#[test]
fn a_word_that_is_no_kind_is_named_with_those_that_are() {
    for args in [&["--drop-kind", "libary"][..], &["--drop-kind", ""]] {
        let said = refusal(args, "a 1\n");
        let kinds = "expected own, library, runtime, kernel, no-symbol, unknown, waiting, runnable";
        assert!(said.contains(kinds), "{said}");
    }
}

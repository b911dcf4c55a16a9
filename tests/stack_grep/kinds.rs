//! Frames of a kind of code: `--kind`, on recordings of programs in several languages.

use std::collections::BTreeMap;

use clap::ValueEnum;
use common::folded::FoldedLine;
use common::names::{CodeKind, code_kinds};

use super::{grep, outcome};
use crate::util::{TempFile, golden_files, golden_path, output, recording, stderr};

/// The lines of a recording, each with the kinds of its frames, root first.
fn lines(folded: &str) -> Vec<(&str, Vec<CodeKind>, u64)> {
    let parsed: Vec<(&str, FoldedLine<'_>)> = folded
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| (line, FoldedLine::parse(line.as_bytes()).expect("a folded line")))
        .collect();
    let all = || parsed.iter().flat_map(|(_, line)| line.frames());
    let kinds: BTreeMap<&[u8], CodeKind> = all().zip(code_kinds(all())).collect();
    let kinds_of = |line: &FoldedLine<'_>| line.frames().map(|frame| kinds[frame]).collect();
    parsed.iter().map(|(text, line)| (*text, kinds_of(line), line.count)).collect()
}

fn each_recording(mut each: impl FnMut(&str, &str)) {
    let files = golden_files("kinds");
    assert!(files.len() >= 8);
    for file in files {
        let folded = String::from_utf8(recording(&format!("kinds/{file}"))).expect("UTF-8");
        each(&file, &folded);
    }
}

#[test]
fn stacks_with_a_frame_of_the_kind_are_kept() {
    each_recording(|file, folded| {
        let lines = lines(folded);
        let all: u64 = lines.iter().map(|(_, _, count)| count).sum();
        let mut leaves = 0;
        for kind in CodeKind::value_variants() {
            let args = |rest: &[&'static str]| [&["--kind", kind.argument()], rest].concat();
            let kept = |holds: &dyn Fn(&[CodeKind]) -> bool| {
                let kept = lines.iter().filter(|(_, kinds, _)| holds(kinds));
                kept.map(|(text, ..)| format!("{text}\n")).collect::<String>()
            };
            let any = kept(&|kinds| kinds.contains(kind));
            assert_eq!(outcome(&args(&[]), folded).1, any, "{file} {kind:?}");
            let others = kept(&|kinds| !kinds.contains(kind));
            assert_eq!(outcome(&args(&["-v"]), folded).1, others, "{file} {kind:?}");
            let rooted = kept(&|kinds| kinds[0] == *kind);
            assert_eq!(outcome(&args(&["--root"]), folded).1, rooted, "{file} {kind:?}");
            let of_leaf: u64 = lines
                .iter()
                .filter(|(_, kinds, _)| kinds.last() == Some(kind))
                .map(|(_, _, count)| count)
                .sum();
            let counted = outcome(&args(&["--leaf", "-c"]), folded).1;
            assert_eq!(counted.split(' ').next(), Some(&*of_leaf.to_string()), "{file} {kind:?}");
            leaves += of_leaf;
        }
        assert_eq!(leaves, all, "{file}: each leaf is of one kind");
    });
}

#[test]
fn a_part_has_the_kinds_of_the_whole_if_it_is_named() {
    // Without `app::main` nothing shows that `other` is not the program's.
    let whole = "app::main;app::run;read_[k] 5\napp::run;other::find;read_[k] 7\n";
    let part = "app::run;other::find;read_[k] 7\n";
    let file = TempFile::new(whole);
    assert_eq!(outcome(&["--kind", "unknown"], whole), (0, part.to_owned()));
    assert_eq!(outcome(&["--kind", "unknown"], part), (1, String::new()));
    let args = ["--kind", "unknown", "--kinds-of", file.path()];
    assert_eq!(outcome(&args, part), (0, part.to_owned()));
    assert_eq!(outcome(&args, "new::frame 3\n"), (1, String::new()));
    // The lines of the file do not count as read.
    let said = stderr(&output("stack-grep", &[&args[..], &["--stats"]].concat(), part));
    assert!(said.contains("in 1 lines weight 7, out 1 lines weight 7"), "{said}");
    let missing = output("stack-grep", &["--kind", "own", "--kinds-of", "no-such-file"], part);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("no-such-file"));
    assert_eq!(missing.stdout, b"");
}

#[test]
fn a_frame_must_match_names_and_kinds() {
    let folded = "main_[o];read_[l];read_[k] 5\nmain_[o];read_[l];write_[k] 7\n";
    let first = "main_[o];read_[l];read_[k] 5\n";
    assert_eq!(grep(&["--kind", "kernel", "-e", "read"], folded), first);
    assert_eq!(grep(&["--kind", "kernel", "-e", "read", "--under", "main"], folded), first);
    assert_eq!(outcome(&["--kind", "own", "-e", "read"], folded), (1, String::new()));
    assert_eq!(grep(&["--kind", "library", "-m1"], folded), first);
    assert_eq!(outcome(&["--kind", "library", "-q"], folded), (0, String::new()));
    let colored = grep(&["--kind", "kernel", "--color=always", "-m1"], folded);
    assert_eq!(colored, "main_[o];read_[l];\x1b[01;31m\x1b[Kread\x1b[m\x1b[K_[k] 5\n");
}

#[test]
fn each_file_shows_its_own_kinds() {
    let path = |file| golden_path(file).to_str().expect("UTF-8").to_owned();
    let files = ["kinds/go.folded.gz", "kinds/python.folded.gz"].map(path);
    let of = |files: &[&str]| grep(&[&["-c", "--kind", "own", "--leaf"], files].concat(), "");
    let alone: String = files.iter().map(|file| format!("{file}:{}", of(&[file]))).collect();
    assert_eq!(of(&files.each_ref().map(String::as_str)), alone);
}

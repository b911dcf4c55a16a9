//! Own code of the C++ program whose lines truth.rs judges: functions of its one source.

use std::collections::BTreeMap;

use common::names::FrameParts;

use super::truth::stacks;
use crate::util::filter;

/// The weight of each leaf, without its place and its marks.
fn leaves(folded: &str) -> BTreeMap<String, u64> {
    let mut leaves = BTreeMap::new();
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        let leaf = stack.rsplit(';').next().expect("a frame");
        let name = String::from_utf8_lossy(FrameParts::of(leaf.as_bytes()).name).into_owned();
        *leaves.entry(name).or_default() += count.parse::<u64>().expect("a number");
    }
    leaves
}

/// The stacks up to the deepest frame in the program's source, as its line says; all others are one.
fn up_to_own_lines(folded: &str) -> String {
    let is_own = |frame: &&str| frame.contains("/work/td/src/hot.cpp:");
    let lines = folded.lines().map(|line| {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        let own = stack.split(';').rfind(is_own).unwrap_or("[not own]");
        format!("{own} {count}\n")
    });
    lines.collect()
}

#[test]
fn what_is_charged_to_own_code_is_what_its_lines_say() {
    let expected = leaves(&up_to_own_lines(&stacks(&["--srcline"])));
    let names: Vec<&str> = expected.keys().filter_map(|name| name.split('(').next()).collect();
    assert_eq!(names, ["[not own]", "hash_all", "mix", "sort_some"]);
    for inlined in ["keep", "own"] {
        let marked = stacks(&["--annotate", "--inlined", inlined]);
        let charged = filter("stack-collapse-frames", &["--charge-own"], marked);
        assert_eq!(leaves(&charged), expected, "--inlined {inlined}");
    }
    let depth = |folded: &str| folded.lines().map(|line| line.matches(';').count()).sum::<usize>();
    let [keep, own, drop] = ["keep", "own", "drop"].map(|it| depth(&stacks(&["--inlined", it])));
    assert!(keep > own && own > drop, "{keep} {own} {drop}");
    // What the user names is own, whoever wrote it.
    let all = stacks(&["--annotate", "--own", "."]);
    assert!(all.lines().all(|line| line.contains("_[o]") || line.contains("[k]")));
}

//! Graphs, read by Graphviz.

use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::Event;
use regex::Regex;
use serde_json::Value;

use super::{HOSTILE, Weights, export, recursive, weights};
use crate::needs::goes_without;
use crate::util::scratch;

/// The sum of self weights: `tooltip="self 3, total 5"`.
pub(super) fn self_weights(written: &[u8]) -> u128 {
    let text = std::str::from_utf8(written).expect("UTF-8");
    let pattern = Regex::new(r#"tooltip="self (\d+), total \d+""#).expect("a pattern");
    pattern.captures_iter(text).map(|it| it[1].parse::<u128>().expect("a number")).sum()
}

/// The output of Graphviz for a graph; there must be no messages.
fn graphviz(name: &str, written: &[u8], format: &str) -> String {
    let file = scratch(&format!("{name}.dot"), written);
    let output = Command::new("dot").arg(format).arg(file).output().expect("Debian's graphviz");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    assert!(output.status.success(), "{name}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The functions of a graph as Graphviz read it.
fn functions(name: &str, written: &[u8]) -> Weights {
    let graph = graphviz(name, written, "-Tdot_json");
    let graph: Value = serde_json::from_str(&graph).expect("JSON");
    let nodes = graph["objects"].as_array().expect("nodes").iter();
    nodes
        .map(|node| {
            let text = |key: &str| node[key].as_str().expect("a text");
            // The names that it reads are still escaped; those in pictures are not.
            let (name, _) = text("label").split_once("\\nself ").expect("three lines");
            let name = name.replace("\\\\", "\\");
            let numbers =
                text("tooltip").strip_prefix("self ").and_then(|it| it.split_once(", total "));
            let (own, total) = numbers.expect("two numbers");
            let [own, total] = [own, total].map(|it| it.parse().expect("a number"));
            (name, (own, total))
        })
        .collect()
}

#[test]
fn graphviz_finds_the_weights_of_stack_top() {
    if goes_without(&[&["dot"]]) {
        return;
    }
    for (name, folded) in [("recursive", &recursive()[..]), ("hostile", HOSTILE)] {
        assert_eq!(functions(name, &export("dot", &[], folded)), weights(folded), "{name}");
    }
}

#[test]
fn graphviz_draws_names_as_they_are() {
    if goes_without(&[&["dot"]]) {
        return;
    }
    let picture = graphviz("hostile-picture", &export("dot", &[], HOSTILE), "-Tsvg");
    assert!(!picture.contains("<script"));
    let mut reader = Reader::from_str(&picture);
    while reader.read_event().expect("well-formed XML") != Event::Eof {}
    for shown in ["&lt;script&gt;alert(1)&lt;/script&gt;", ">&amp;lt<", " \\n \\N \\<"] {
        assert!(picture.contains(shown), "{shown}: {picture}");
    }
}

//! How far recordings can be trusted: ten that were spoiled, each in another way, and ten that are
//! good.

use super::json;
use crate::util::{output, recording};

/// The programs of tests/planted that perf recorded, with a thousand samples and more.
const GOOD: [&str; 10] = [
    "buildplan",
    "fieldscan",
    "lzpack",
    "meter",
    "pagebox",
    "quotes",
    "replay",
    "shelf",
    "ticker",
    "watershed",
];

/// What was spoiled, and what the page says of it. The program is tests/planted/pagebox but for
/// `jit`, which is songbook, and `est`, which is payroll.
const SPOILED: [(&str, &str, &str); 10] = [
    // perf's buffers were small and the machine was busy.
    ("lost", "sizes", "of the samples lost"),
    // 256 bytes of each stack.
    ("cut", "callers", "of the stacks cut"),
    // The program was stripped.
    ("nosym", "order", "may be own code without a name"),
    // By frame pointers, which the program does not keep.
    ("nofp", "callers", "stacks that do not begin where a thread does"),
    // Another program had taken its place when the recording was read.
    ("other", "callers", "of the stacks without their callers"),
    // Twenty samples a second.
    ("few", "sizes", "points"),
    // The program was gone.
    ("gone", "order", "may be own code without a name"),
    // Without -g.
    ("nocalls", "callers", "stacks that do not begin where a thread does"),
    // Node.js without --perf-basic-prof.
    ("jit", "order", "may be own code without a name"),
    // cProfile keeps edges only.
    ("est", "callers", "of the weight with estimated callers"),
];

fn stacks(folder: &str, name: &str) -> String {
    String::from_utf8(recording(&format!("{folder}/{name}.folded.gz"))).expect("UTF-8")
}

/// The part of a page, its lines as one.
fn trust(stacks: &str) -> String {
    let page = String::from_utf8(output("stack-brief", &[], stacks).stdout).expect("UTF-8");
    let (_, part) = page.split_once("\n## trust\n\n").expect("the part");
    part.split("\n\n").next().unwrap_or_default().replace('\n', " ")
}

#[test]
fn each_spoiled_recording_is_doubted_for_what_it_is() {
    for (name, aspect, reason) in SPOILED {
        let stacks = stacks("spoiled", name);
        let said = trust(&stacks);
        assert!(said.contains(reason), "{name}: {said}");
        let page = json(&[], &stacks);
        assert!(
            ["fair", "poor"].contains(&page["trust"][aspect].as_str().expect("a word")),
            "{name}"
        );
    }
}

#[test]
fn no_good_recording_is_doubted() {
    for name in GOOD {
        let stacks = stacks("planted", name);
        let page = json(&[], &stacks);
        for aspect in ["order", "sizes", "callers"] {
            assert_eq!(page["trust"][aspect], "good", "{name}: {}", trust(&stacks));
        }
        assert!(trust(&stacks).starts_with("good"), "{name}");
    }
}

#[test]
fn without_header_lines_nothing_is_known() {
    let said = trust("# unit: ns\nmain;work 123456789\n");
    assert!(said.starts_with("unknown: "), "{said}");
    assert_eq!(json(&[], "# unit: ns\nmain;work 123456789\n")["trust"], serde_json::Value::Null);
}

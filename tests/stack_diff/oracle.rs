//! Compares whole outputs with those of tests/diff/oracle.py, which uses numpy and scipy.

use std::collections::BTreeMap;

use super::{Change, rows, run, runs, stdout};
use crate::util::recording;

/// The oracle's results: how much functions vary, and the change of each `function`, `self` or
/// `total`.
fn expected(case: &str) -> (f64, BTreeMap<(String, String), Change>) {
    let text = recording(&format!("diff/{case}.tsv.gz"));
    let text = String::from_utf8(text).expect("UTF-8");
    let (noise, lines) = text.split_once('\n').expect("two lines");
    let changes = lines.lines().map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |cell: usize| cells[cell].parse().expect("a number");
        let change = Change {
            before: number(2),
            after: number(3),
            diff: number(4),
            error: number(5),
            listed: cells[6] == "1",
        };
        ((cells[0].to_owned(), cells[1].to_owned()), change)
    });
    (noise.parse().expect("a number"), changes.collect())
}

fn assert_equal(case: &str, before: &[&str], after: &[&str], args: &[&str]) {
    let (noise, mut expected) = expected(case);
    let [before, after] = [before, after].map(|names| names.iter().map(|it| run(it)).collect());
    let (before, after): (Vec<String>, Vec<String>) = (before, after);
    // The oracle uses names unchanged.
    let args = &[args, &["--exact-functions"]].concat()[..];
    let found = runs::compare(&before, &after, &[args, &["--all", "--tsv"]].concat());
    let mut assert_near = |function: &str, which: &str, found: Change| {
        let key = (function.to_owned(), which.to_owned());
        let change = expected.remove(&key).unwrap_or_else(|| panic!("{case}: {key:?} is new"));
        for (found, expected) in [
            (found.before, change.before),
            (found.after, change.after),
            (found.diff, change.diff),
            (found.error, change.error),
        ] {
            assert!((found - expected).abs() < 1e-4, "{case} {key:?}: {found}, not {expected}");
        }
        assert_eq!(found.listed, change.listed, "{case}: {key:?}");
    };
    for row in rows(&found) {
        if row.function == "[whole]" {
            assert_near("", "whole", row.total);
        } else {
            assert_near(&row.function, "self", row.own);
            assert_near(&row.function, "total", row.total);
        }
    }
    assert!(expected.is_empty(), "{case}: {expected:?}");
    let found = runs::compare(&before, &after, &[args, &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&stdout(&found)).expect("JSON");
    let found = json["noise"].as_f64().expect("a number");
    assert!((found - noise).abs() < 1e-4, "{case}: {found}, not {noise}");
}

#[test]
fn comparisons_are_those_of_numpy_and_scipy() {
    let before = ["base-01", "base-02", "base-03", "base-04", "base-05"];
    let after = ["slower-01", "slower-02", "slower-03", "slower-04", "slower-05"];
    assert_equal("one-each", &before[..1], &after[..1], &[]);
    assert_equal("five-each", &before, &after, &[]);
    assert_equal("five-each-absolute", &before, &after, &["--absolute"]);
    let after = ["slower-06", "slower-07", "slower-08"];
    assert_equal("unequal", &["double"], &after, &[]);
}

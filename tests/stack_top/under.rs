//! The tree below the functions that match `--under`.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::util::{few_cases, filter, output, stderr};

const PROFILE: &str = "\
# unit: samples
main;Tree.walk;Tree.find;compare 700
main;Tree.walk;Tree.find;Tree.find;compare 1200
main;Tree.find 107
main;tree.find;hash 3
main;Tree.find;warm_up 3
main;List.map;Tree.finder 40
main;idle 777
";

fn tree(args: &[&str]) -> String {
    filter("stack-top", &[&["--tree"], args].concat(), PROFILE)
}

fn as_json(args: &[&str], folded: &str) -> Value {
    let text = filter("stack-top", &[&["--tree", "--json"], args].concat(), folded);
    serde_json::from_str(&text).expect("one object")
}

fn without_trust(mut object: Value) -> Value {
    object["trust"].take();
    object
}

#[test]
fn below_a_function_there_are_shares_of_it_and_of_all() {
    assert_eq!(
        tree(&["--under", "^Tree.find$"]),
        "Tree.find: 2,010 of 2,830 samples (71.02%)
TOTAL  OF MATCH  OF ALL   SELF  FUNCTION
2,010   100.00%  71.02%    107  Tree.find
1,200    59.70%  42.40%  1,200  |- Tree.find;compare
  700    34.83%  24.73%    700  |- compare
    3     0.15%   0.11%         `- 1 other
"
    );
}

#[test]
fn each_function_that_matches_is_a_root() {
    assert_eq!(
        tree(&["--under", "^Tree.find|idle", "--min", "2%"]),
        "functions that match ^Tree.find|idle: 2,827 of 2,830 samples (99.89%)
TOTAL  OF MATCH  OF ALL   SELF  FUNCTION
2,010    71.10%  71.02%    107  Tree.find
1,200    42.45%  42.40%  1,200  |- Tree.find;compare
  700    24.76%  24.73%    700  |- compare
    3     0.11%   0.11%         `- 1 other
  777    27.48%  27.46%    777  idle
   40     1.41%   1.41%         1 other
"
    );
}

#[test]
fn light_branches_are_those_with_a_small_share_of_the_function() {
    // 40 of 2,830 are 1.41 %, but 100 % of the tree below List.map.
    assert!(tree(&["--under", "List", "--min", "50%"]).contains("40  List.map;Tree.finder\n"));
    // 3 of 2,010 are more than 0.12 %, but of all samples they are less.
    assert!(tree(&["--under", "^Tree.find$", "--min", "0.12%"]).contains("warm_up"));
    assert!(!tree(&["--under", "^Tree.find$", "--min", "0.16%"]).contains("warm_up"));
}

#[test]
fn a_pattern_is_one_of_stack_grep_and_sees_what_a_row_shows() {
    let below = |args: &[&str]| {
        let output = output("stack-top", &[&["--tree", "--json"], args].concat(), PROFILE);
        let json: Value = serde_json::from_slice(&output.stdout).expect("one object");
        json["under"]["total"].as_u64()
    };
    assert_eq!(below(&["--under", "Tree.find"]), Some(2050));
    assert_eq!(below(&["-w", "--under", "Tree.find"]), Some(2010));
    assert_eq!(below(&["-wi", "--under", "Tree.find"]), Some(2013));
    assert_eq!(below(&["-F", "--under", "^Tree"]), Some(0));
    assert_eq!(below(&["--under", "main;"]), Some(0));
    assert_eq!(below(&["--by", "module", "--under", "^Tree$"]), Some(2050));
    let placed = as_json(&["--under", "^f$"], "main;f (a.c:1)_[i] 2\nmain;f (a.c:3) 1\n");
    assert_eq!(placed["children"][0], json!({ "function": "f", "self": 3, "total": 3 }));
}

#[test]
fn as_json_it_says_the_pattern_and_both_totals() {
    let folded = "main;f\";g 6\nmain;f\" 3\nmain 1\n";
    assert_eq!(
        as_json(&["--under", "f\""], folded),
        json!({
            "unit": null, "total": 10, "trust": null, "under": { "pattern": "f\"", "total": 9 },
            "children": [{
                "function": "f\"", "self": 3, "total": 9,
                "children": [{ "function": "g", "self": 6, "total": 6 }],
            }],
        })
    );
}

#[test]
fn what_is_left_out_counts_as_dropped() {
    let output = output("stack-top", &["--tree", "--stats", "--under", "List"], PROFILE);
    let said = stderr(&output);
    assert!(said.contains(" weight 2830, out 1 lines weight 40, "), "{said}");
    assert!(said.contains(" dropped 1 lines weight 2790, "), "{said}");
}

#[test]
fn no_match_is_status_1_and_reported() {
    let nothing = json!({
        "unit": "samples", "total": 2830, "trust": null, "children": [],
        "under": { "pattern": "no such", "total": 0 },
    });
    let nothing = nothing.to_string();
    for (args, expected) in [(&[][..], ""), (&["--json"], &nothing)] {
        let args = [&["--tree", "--under", "no such"], args].concat();
        let output = output("stack-top", &args, PROFILE);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert_eq!(stderr(&output), "stack-top: --under no such: no function matches\n");
        let printed = serde_json::from_slice::<Value>(&output.stdout).map(without_trust);
        assert_eq!(printed.map_or(String::new(), |it| it.to_string()), expected);
    }
    // A function of weight 0 does not count, as in a table.
    let output = output("stack-top", &["--tree", "--under", "f"], "main;f 0\nmain 1\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

#[test]
fn only_a_tree_is_below_a_function() {
    for view in [
        &[][..],
        &["--json"],
        &["--tsv"],
        &["--callers", "f"],
        &["--callees", "f"],
        &["--split", "tid"],
        &["--draw"],
    ] {
        let output = output("stack-top", &[&["--under", "f"], view].concat(), "main;f 1\n");
        assert_eq!(output.status.code(), Some(2), "{view:?}");
        assert!(stderr(&output).contains("--under"), "{view:?}: {}", stderr(&output));
    }
}

#[test]
fn intervals_have_the_tree_below_a_function_too() {
    let intervals = "main;f 3\nmain 1\n# end 2\nmain 5\n# end 4\nmain;f;g 2\n# end 6\n";
    let heads = |args: &[&str]| -> Vec<String> {
        let output =
            output("stack-top", &[&["--tree", "--under", "^f$"], args].concat(), intervals);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines().filter(|line| line.contains(" of ")).map(str::to_owned).collect()
    };
    let sums = ["f: 3 of 4 (75.00%)", "f: 3 of 9 (33.33%)", "f: 5 of 11 (45.45%)"];
    assert_eq!(heads(&["--follow"]), sums);
    // Nothing matches in the second interval.
    assert_eq!(heads(&["--follow", "--last"]), ["f: 3 of 4 (75.00%)", "f: 2 of 2 (100.00%)"]);
    assert_eq!(heads(&["--last"]), ["f: 2 of 2 (100.00%)"]);
}

/// Puts the self and total weight of each call below a node into a map, by its path. No call may be
/// missing.
fn collect_calls(node: &Value, path: &str, calls: &mut BTreeMap<String, (u64, u64)>) {
    assert_eq!(node.get("others"), None, "{node}");
    for child in node["children"].as_array().into_iter().flatten() {
        let weight = |key| child[key].as_u64().expect("a weight");
        let path = format!("{path};{}", child["function"].as_str().expect("a name"));
        calls.insert(path.clone(), (weight("self"), weight("total")));
        collect_calls(child, &path, calls);
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn every_stack_with_a_match_counts_once_from_the_outermost_on(
        lines in prop::collection::vec(("[abcd](;[abcd]){0,6}", 0..50u64), 1..16),
    ) {
        let folded: String = lines.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect();
        // Names are single letters, so a letter of the text is a frame.
        let (mut expected, mut below) = (BTreeMap::<String, (u64, u64)>::new(), 0);
        for (stack, count) in lines.iter().filter(|(_, count)| *count > 0) {
            let Some(at) = stack.find(['b', 'c']) else { continue };
            below += count;
            let cut = format!(";{}", &stack[at..]);
            for end in (2..=cut.len()).step_by(2) {
                expected.entry(cut[..end].to_owned()).or_default().1 += count;
            }
            expected.entry(cut).or_default().0 += count;
        }
        let args = ["--tree", "--json", "--under", "[bc]", "--min", "0"];
        let printed = output("stack-top", &args, &folded).stdout;
        let all: u64 = lines.iter().map(|(_, count)| count).sum();
        prop_assume!(all > 0);
        let json: Value = serde_json::from_slice(&printed).expect("JSON");
        let mut calls = BTreeMap::new();
        collect_calls(&json, "", &mut calls);
        prop_assert_eq!(calls, expected, "{}", json);
        prop_assert_eq!(json["under"]["total"].as_u64(), Some(below));
        prop_assert_eq!(json["total"].as_u64(), Some(all));
    }
}

//! The tree of calls, as text and as JSON.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use crate::util::{few_cases, filter, output};

#[test]
fn the_tree_sums_light_branches_and_joins_what_has_one_child() {
    let folded = "main;run;loop;a 600\nmain;run;loop;b;c 388\nmain;run;loop;d 3\n\
                  main;run;loop;e 2\nmain;run 5\nidle 2\n";
    assert_eq!(
        filter("stack-top", &["--tree", "--unit", "samples"], folded),
        "TOTAL  TOTAL%   SELF%  FUNCTION
  998  99.80%   0.50%  main;run
  993  99.30%   0.00%  `- loop
  600  60.00%  60.00%     |- a
  388  38.80%  38.80%     |- b;c
    5   0.50%             `- 2 others
    2   0.20%          1 other
1,000 samples in all
"
    );
}

#[test]
fn the_tree_as_json_has_calls_within_their_callers() {
    let json = |args: &[&str], folded: &str| -> Value {
        let args = [&["--tree", "--json"], args].concat();
        serde_json::from_str(&filter("stack-top", &args, folded)).expect("one object")
    };
    let folded = "# unit: ns\nmain;a;b 60\nmain;a 30\nmain;c \" 9\nmain;d 1\nmain;e 0\n";
    assert_eq!(
        json(&["--min", "5%"], folded),
        serde_json::json!({
            "unit": "ns", "total": 100, "trust": null,
            "children": [{
                "function": "main", "self": 0, "total": 100,
                "others": { "functions": 1, "total": 1 },
                "children": [
                    {
                        "function": "a", "self": 30, "total": 90,
                        "children": [{ "function": "b", "self": 60, "total": 60 }],
                    },
                    { "function": "c \"", "self": 9, "total": 9 },
                ],
            }],
        })
    );
    assert_eq!(json(&[], "a 1\n")["unit"], Value::Null);
    // A stack may be deeper than the tool's own stack could be.
    let deep = format!("{} 1\n", vec!["f"; 200_000].join(";"));
    let text = filter("stack-top", &["--tree", "--json"], deep);
    assert_eq!(text.matches("\"function\"").count(), 200_000);
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    let output = output("stack-top", &["--tree", "--json", "--tsv"], "a 1\n");
    assert_eq!(output.status.code(), Some(2));
}

/// The text that `--tree` prints for each path, with its total.
fn paths_of_tree(tree: &str) -> BTreeMap<String, u64> {
    let mut paths = BTreeMap::new();
    let mut open: Vec<String> = Vec::new();
    for line in tree.lines().skip(1).filter(|line| !line.ends_with("in all")) {
        let numbers: Vec<&str> = line.split_whitespace().take(3).collect();
        // Both shares may be the same.
        let end = line.match_indices('%').nth(1).expect("two shares").0 + 1;
        let rest = &line[end + 2..];
        let names = rest.trim_start_matches(['|', '`', '-', ' ']);
        open.truncate((rest.len() - names.len()) / 3);
        let total: u64 = numbers[0].replace(',', "").parse().expect("a number");
        let mut path = open.join(";");
        for name in names.split(';') {
            path = if path.is_empty() { name.to_owned() } else { format!("{path};{name}") };
            paths.insert(path.clone(), total);
        }
        open.push(names.to_owned());
    }
    paths
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn the_tree_holds_every_path_with_its_total(
        lines in prop::collection::vec(("[abc](;[abc]){0,5}", 1..50u64), 1..12),
    ) {
        let folded: String = lines.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect();
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for (stack, count) in &lines {
            let ends = stack.match_indices(';').map(|(at, _)| at).chain([stack.len()]);
            ends.for_each(|end| *expected.entry(stack[..end].to_owned()).or_default() += count);
        }
        let tree = filter("stack-top", &["--tree", "--min", "0"], &folded);
        prop_assert_eq!(paths_of_tree(&tree), expected, "{}", tree);
    }
}

/// The weight of the calls and of 'others' directly below a node.
fn weight_of_children(node: &Value) -> u64 {
    let children = node["children"].as_array().into_iter().flatten();
    let others = node.get("others");
    children.chain(others).map(|it| it["total"].as_u64().expect("a total")).sum()
}

/// Checks that each node weighs as much as its self weight and its children together.
fn assert_adds_up(call: &Value) {
    let own = call["self"].as_u64().expect("a self weight");
    assert_eq!(call["total"].as_u64(), Some(own + weight_of_children(call)), "{call}");
    call["children"].as_array().into_iter().flatten().for_each(assert_adds_up);
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn a_call_weighs_what_it_does_itself_and_what_it_calls(
        lines in prop::collection::vec(("[abc](;[abc]){0,5}", 1..50u64), 1..12),
        min in 0..60u8,
        under in prop::option::of(Just("[ab]")),
    ) {
        let folded: String = lines.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect();
        let (min, all) = (min.to_string(), lines.iter().map(|(_, count)| count).sum::<u64>());
        let mut args = vec!["--tree", "--json", "--min", &min];
        args.extend(under.into_iter().flat_map(|pattern| ["--under", pattern]));
        let printed = output("stack-top", &args, &folded).stdout;
        let tree: Value = serde_json::from_slice(&printed).expect("JSON");
        prop_assert_eq!(tree["total"].as_u64(), Some(all), "{}", tree);
        let is_below = |stack: &str| under.is_none() || stack.contains(['a', 'b']);
        let below = lines.iter().filter(|(stack, _)| is_below(stack)).map(|(_, count)| count);
        prop_assert_eq!(weight_of_children(&tree), below.sum::<u64>(), "{}", tree);
        tree["children"].as_array().expect("roots").iter().for_each(assert_adds_up);
    }
}

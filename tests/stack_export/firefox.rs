//! The Firefox Profiler's tables, read according to its documentation. Its viewer is a web site and
//! in no package.

use serde_json::{Value, json as value};

use super::{HOSTILE, json, recursive, weights, weights_of_stacks};

/// The numbers of a column; -1 for none.
fn column(table: &Value, name: &str) -> Vec<i64> {
    let numbers = table[name].as_array().unwrap_or_else(|| panic!("column {name}")).iter();
    let numbers: Vec<i64> = numbers.map(|it| it.as_i64().unwrap_or(-1)).collect();
    assert_eq!(Some(numbers.len() as u64), table["length"].as_u64(), "{name}");
    numbers
}

/// The stacks of the first thread, root first, with their weights.
fn stacks(profile: &Value) -> Vec<(Vec<String>, u64)> {
    let thread = &profile["threads"][0];
    let at = |list: &[i64], place: i64| list[usize::try_from(place).expect("a place")];
    let prefix = column(&thread["stackTable"], "prefix");
    let frame = column(&thread["stackTable"], "frame");
    let function = column(&thread["frameTable"], "func");
    let name = column(&thread["funcTable"], "name");
    let strings = thread["stringArray"].as_array().expect("strings");
    let weights = column(&thread["samples"], "weight");
    let stack_of = |mut stack: i64| {
        let mut names = Vec::new();
        while stack >= 0 {
            let place = at(&name, at(&function, at(&frame, stack)));
            let string = strings[usize::try_from(place).expect("a place")].as_str();
            names.push(string.expect("a string").to_owned());
            stack = at(&prefix, stack);
        }
        names.reverse();
        names
    };
    let samples = column(&thread["samples"], "stack").into_iter().zip(weights);
    samples.map(|(stack, weight)| (stack_of(stack), weight.unsigned_abs())).collect()
}

#[test]
fn its_tables_hold_the_weights_of_stack_top() {
    for folded in [&recursive()[..], HOSTILE] {
        let profile = json("firefox", &[], folded);
        assert_eq!(weights_of_stacks(&stacks(&profile)), weights(folded));
        assert_eq!(profile["threads"][0]["samples"]["weightType"], "samples");
        // Version 49 was the last to change the fields used here; the viewer reads all older ones.
        assert_eq!(profile["meta"]["preprocessedProfileVersion"], 55);
    }
}

#[test]
fn times_are_milliseconds_and_bytes_are_bytes() {
    let samples = |unit: &str| {
        let profile = json("firefox", &["--unit", unit], b"a 1500000\nb 4294967296000001\n");
        profile["threads"][0]["samples"].clone()
    };
    assert_eq!(samples("ns")["weightType"], "tracing-ms");
    assert_eq!(samples("ns")["weight"], value!([1.5, 4_294_967_296.000_001]));
    assert_eq!(samples("us")["weight"], value!([1500.0, 4_294_967_296_000.001]));
    assert_eq!(samples("bytes")["weightType"], "bytes");
    assert_eq!(samples("bytes")["weight"], value!([1_500_000, 4_294_967_296_000_001_u64]));
}

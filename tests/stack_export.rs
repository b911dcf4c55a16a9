//! The output of stack-export, opened by the programs that it is made for.

use std::collections::BTreeMap;

use common::names::escaped;
use proptest::prelude::*;
use serde_json::Value;

use crate::util::{few_cases, filter, folded_lines, output, recording, weight};

// callgrind_annotate.
mod callgrind;

// Graphviz.
mod dot;

// The tables of the Firefox Profiler.
mod firefox;

// The messages of pprof, and Go's pprof.
mod pprof;

// Several events in one file.
mod events;

// Files and lines of frames.
mod places;

// How far a profile can be trusted.
mod trust;

// Threads and times.
mod threads;

// Inputs with times, without times, and with weights that are times.
mod times;

// Labels of pprof, events by label, the table.
mod labels;

// speedscope and d3-flame-graph in a browser.
mod viewers;

/// Every format.
const FORMATS: [&str; 8] =
    ["callgrind", "chrome", "d3", "dot", "firefox", "pprof", "speedscope", "tsv"];

/// Names made to break a format. No name equals the escaped form of another.
const HOSTILE: &[u8] = b"main;a \"b\" 'c' \\n \\N \\ 1\n\
    main;<script>alert(1)</script>;&lt;&amp;]]> 2\n\
    main;caf\xe9\xff;\xe2\x82 3\n\
    main;\xe2\x80\xa8\xe2\x80\xa9;\xef\xbb\xbf 4\n\
    main;{\"x\":[1]};# fn=(1) x;(2) 5\n\
    main;%s%n $HOME `id` ${x};  spaces  6\n\
    main;\xe2\x80\xaeright to left;\xf0\x9f\x94\xa5 7\n\
    main;calls=1 0;cfn=(1);events: Ir 8\n";

/// A recording with recursion.
fn recursive() -> Vec<u8> {
    recording("folded/treegc-4.13.1-dwarf.folded.gz")
}

/// The self and total weight of each function.
type Weights = BTreeMap<String, (u64, u64)>;

/// The weights in the output of stack-top.
fn weights(folded: &[u8]) -> Weights {
    let text = filter("stack-top", &["--json", "-n", "0"], folded);
    let top: Value = serde_json::from_str(&text).expect("JSON");
    let rows = top["rows"].as_array().expect("rows").iter();
    let number = |row: &Value, key: &str| row[key].as_u64().expect("a weight");
    rows.map(|row| {
        let function = row["function"].as_str().expect("a name").to_owned();
        (function, (number(row, "self"), number(row, "total")))
    })
    .collect()
}

/// The weights of stacks, root first.
fn weights_of_stacks<'a>(stacks: impl IntoIterator<Item = &'a (Vec<String>, u64)>) -> Weights {
    let mut weights = Weights::new();
    for (stack, weight) in stacks {
        let mut functions: Vec<&String> = stack.iter().collect();
        functions.sort();
        functions.dedup();
        for function in functions {
            weights.entry(function.clone()).or_default().1 += weight;
        }
        let leaf = stack.last().expect("a frame");
        weights.entry(leaf.clone()).or_default().0 += weight;
    }
    weights
}

/// The output for folded stacks; messages on standard error must be about names.
fn export(format: &str, args: &[&str], folded: &[u8]) -> Vec<u8> {
    let output = output("stack-export", &[&["--to", format], args].concat(), folded);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.lines().all(|line| line.contains(" not UTF-8: ")), "{format}: {said}");
    assert!(output.status.success(), "{format}: {said}");
    output.stdout
}

fn json(format: &str, args: &[&str], folded: &[u8]) -> Value {
    serde_json::from_slice(&export(format, args, folded)).expect("JSON")
}

/// The lines of folded stacks as text, sorted.
fn escaped_lines(folded: &[u8]) -> Vec<String> {
    let lines = folded.split_inclusive(|&byte| byte == b'\n');
    let mut lines: Vec<String> = lines.map(|line| escaped(line, |_| false)).collect();
    lines.sort();
    lines
}

/// The total weight in an output.
fn weight_in(format: &str, folded: &[u8]) -> u128 {
    let sum = |list: &Value| -> u128 {
        let weights = list.as_array().expect("weights").iter();
        weights.map(|weight| u128::from(weight.as_u64().expect("a weight"))).sum()
    };
    match format {
        "speedscope" => sum(&json(format, &[], folded)["profiles"][0]["weights"]),
        "firefox" => sum(&json(format, &[], folded)["threads"][0]["samples"]["weight"]),
        "d3" => u128::from(json(format, &[], folded)["value"].as_u64().expect("a value")),
        "chrome" => {
            let trace = json(format, &[], folded);
            let last = trace["traceEvents"].as_array().and_then(|events| events.last());
            u128::from(last.and_then(|event| event["ts"].as_u64()).expect("a time"))
        }
        "pprof" => {
            pprof::stacks(&export(format, &[], folded)).iter().map(|it| u128::from(it.1)).sum()
        }
        "callgrind" => callgrind::self_weights(&export(format, &[], folded)),
        "dot" => dot::self_weights(&export(format, &[], folded)),
        "tsv" => labels::weights_of_table(&export(format, &[], folded)),
        _ => unreachable!("{format}"),
    }
}

#[test]
fn hostile_names_weigh_what_they_did() {
    for format in FORMATS {
        assert_eq!(weight_in(format, HOSTILE), weight(HOSTILE), "{format}");
    }
}

#[test]
fn what_is_not_utf8_is_escaped_and_reported() {
    let written = json("speedscope", &[], b"caf\xe9;caf\xff;\\xE9 1\n");
    let names = written["shared"]["frames"].as_array().expect("frames").iter();
    let names: Vec<&str> = names.map(|frame| frame["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["\\xE9", "caf\\xE9", "caf\\xFF"]);
    for format in FORMATS {
        let said = output("stack-export", &["--to", format], "caf\u{e9};a 1\n").stderr;
        assert_eq!(String::from_utf8_lossy(&said), "", "{format}");
        let said = output("stack-export", &["--to", format], b"caf\xe9;\xff 1\n").stderr;
        let expected = match format {
            "callgrind" => "",
            _ => {
                "stack-export: 2 names are not UTF-8: \\xAD and the like stand for such bytes in \
                 them\n"
            }
        };
        assert_eq!(String::from_utf8_lossy(&said), expected, "{format}");
    }
}

#[test]
fn an_empty_name_is_shown_as_one() {
    // The root of PHP's Excimer.
    let folded = b";a;b 5\na;b 3\n";
    for format in ["speedscope", "firefox", "chrome", "d3", "dot"] {
        let written = export(format, &[], folded);
        let text = String::from_utf8_lossy(&written);
        assert!(text.contains("\"[empty name]"), "{format}: {text}");
    }
}

#[test]
fn values_of_labels_that_are_not_utf8_are_counted() {
    let said = |format: &str, folded: &[u8]| {
        let said = output("stack-export", &["--to", format], folded).stderr;
        String::from_utf8_lossy(&said).into_owned()
    };
    let folded = b"comm=caf\xe9\tx=\xff\tname\xe9 1\ncomm=caf\xe9\tx=y\tname 1\n";
    let expected = |names: u64| {
        format!(
            "stack-export: {names} names are not UTF-8: \\xAD and the like stand for such bytes \
             in them\n"
        )
    };
    for format in ["tsv", "pprof"] {
        assert_eq!(said(format, folded), expected(3), "{format}");
    }
    // These have no field for the label x.
    for format in ["chrome", "firefox", "speedscope"] {
        assert_eq!(said(format, folded), expected(2), "{format}");
    }
}

#[test]
fn a_sum_that_is_too_large_is_named_with_its_labels() {
    let folded = b"since=1\ta 18446744073709551615\nsince=2\tcomm=x;y\tmain;a 1\n";
    let output = output("stack-export", &["--to", "firefox"], folded);
    let expected = "stack-export: stack 'since=2 comm=x;y main;a': a sum over \
        18446744073709551615, weight 1 left out\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn equal_stacks_are_one_and_weigh_their_sum() {
    let twice = json("speedscope", &[], b"a;b 1\nc 0\na;b 2\na 4\n");
    assert_eq!(twice["profiles"][0]["samples"], serde_json::json!([[0], [0, 1]]));
    assert_eq!(twice["profiles"][0]["weights"], serde_json::json!([4, 3]));
}

#[test]
fn no_weight_is_no_file() {
    for format in FORMATS {
        let output = output("stack-export", &["--to", format], "a;b 0\n");
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(output.stdout.is_empty(), "{format}");
    }
}

#[test]
fn weights_that_a_format_cannot_hold_are_refused() {
    for (args, most) in
        [(&["a 9223372036854775807\n"][..], true), (&["a 9223372036854775808\n"], false)]
    {
        for format in FORMATS {
            let output = output("stack-export", &["--to", format], args[0]);
            let holds = match format {
                "pprof" => most,
                "chrome" => false,
                _ => true,
            };
            assert_eq!(output.status.code(), Some(if holds { 0 } else { 2 }), "{format}");
            assert_eq!(output.stdout.is_empty(), !holds, "{format}");
        }
    }
    // Chrome's times are nanoseconds of 63 bits; other units count as microseconds.
    for (unit, most) in [("samples", 9_223_372_036_854_775), ("ns", i64::MAX), ("s", 9_223_372_036)]
    {
        for (count, status) in [(most as u64, 0), (most as u64 + 1, 2)] {
            let args = ["--to", "chrome", "--unit", unit];
            let output = output("stack-export", &args, format!("a {count}\n"));
            assert_eq!(output.status.code(), Some(status), "{count} {unit}");
        }
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn the_weight_that_comes_in_goes_out(folded in folded_lines()) {
        for format in FORMATS {
            if weight(&folded) > 0 {
                prop_assert_eq!(weight_in(format, &folded), weight(&folded), "{}", format);
            }
        }
    }

    #[test]
    fn no_bytes_crash_it(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let lines: Vec<u8> = bytes
            .split(|byte| byte % 16 == 0)
            .flat_map(|frames| [frames, b" 1\n"].concat())
            .collect();
        for format in FORMATS {
            let output = output("stack-export", &["--to", format], &lines);
            prop_assert!(output.status.code().is_some_and(|code| code <= 2), "{}", format);
            let said = String::from_utf8_lossy(&output.stderr);
            prop_assert!(!said.contains("panicked"), "{}: {}", format, said);
        }
    }
}

#[test]
fn stack_parse_reads_the_same_stacks_again() {
    let hostile: Vec<u8> = bstr::ByteSlice::lines_with_terminator(HOSTILE)
        .filter(|line| std::str::from_utf8(line).is_ok())
        .collect::<Vec<_>>()
        .concat();
    for stacks in [recursive(), hostile] {
        let merged = output("stack-merge", &[], stacks).stdout;
        // One microsecond of Chrome is a thousand nanoseconds.
        for (format, times) in
            [("chrome", 1000), ("d3", 1), ("firefox", 1), ("pprof", 1), ("speedscope", 1)]
        {
            let file = output("stack-export", &["--to", format], &merged).stdout;
            let again = output("stack-parse", &["--root", "none"], file);
            let said = String::from_utf8_lossy(&again.stderr);
            assert_eq!(said, "", "{format}");
            assert_eq!(weight(&again.stdout), weight(&merged) * times, "{format}");
            if times == 1 {
                assert_eq!(again.stdout, merged, "{format}");
            }
        }
    }
}

#[test]
fn stack_parse_reads_the_largest_weights_again() {
    let stacks = "a;b 18446744073709551614\nc 1\n";
    for format in ["d3", "firefox", "speedscope", "callgrind"] {
        let file = output("stack-export", &["--to", format], stacks).stdout;
        let again = output("stack-parse", &["--root", "none"], file).stdout;
        let again = String::from_utf8_lossy(&again).replace("[all];", "");
        assert_eq!(again, stacks, "{format}");
    }
}

//! Labels before a stack: filters pass them on unchanged, and pictures and sums do not depend on
//! them.

use proptest::prelude::*;

use crate::util::{
    FILTERS, TempFile, feed, filter_bytes, golden_files, output, recording, stderr, with_minimal,
};

/// Filters that write each line as soon as they have read it.
const BY_LINE: [(&str, &[&str]); 22] = [
    ("stack-demangle", &[]),
    ("stack-demangle", &["--ocaml"]),
    ("stack-demangle", &["--rust", "--cpp", "--normalize"]),
    ("stack-demangle", &["--stamps", "keep"]),
    ("stack-demangle", &["--stamps", "drop"]),
    ("stack-grep", &["-e", "main"]),
    ("stack-grep", &["-e", "tid=|since|[0-9]"]),
    ("stack-grep", &["-v", "-e", "main"]),
    ("stack-grep", &["-F", "--leaf", "-e", "a"]),
    ("stack-grep", &["--root", "-e", "a"]),
    ("stack-grep", &["--under", "main", "-e", "a"]),
    ("stack-grep", &["--stack", "-e", "^main;.*a"]),
    ("stack-grep", &["-i", "--place", "A"]),
    ("stack-collapse-frames", &["--preset", "ocaml-gc", "--preset", "ocaml-runtime"]),
    ("stack-collapse-frames", &["--drop", "a", "--merge", "f|g=h"]),
    ("stack-collapse-frames", &["--below", "main=all", "--reroot", "^g"]),
    ("stack-fold-towers", &[]),
    ("stack-fold-towers", &["--count"]),
    ("stack-fold-towers", &["--erase"]),
    ("stack-fold-towers", &["--exact", "--max-period", "1"]),
    ("stack-reverse", &[]),
    // This one holds all lines back, but still writes each of them in its place.
    ("stack-demangle", &["--stamps", "auto"]),
];

/// Filters that hold lines back and sum equal ones.
const SUMMING: [(&str, &[&str]); 4] = [
    ("stack-fold-towers", &["--reattach=3"]),
    ("stack-collapse-frames", &["--lwt", "entries"]),
    ("stack-collapse-frames", &["--preset", "lwt"]),
    ("stack-merge", &[]),
];

/// A line of input. Its count is unique in its input.
#[derive(Clone, Debug)]
struct Line {
    /// The labels with their tabs.
    labels: Vec<u8>,
    stack: Vec<u8>,
    count: usize,
}

impl Line {
    fn unlabelled(&self) -> Vec<u8> {
        [&self.stack[..], format!(" {}\n", self.count).as_bytes()].concat()
    }

    fn labelled(&self) -> Vec<u8> {
        [&self.labels[..], &self.unlabelled()].concat()
    }
}

fn text(lines: &[Line], of_line: fn(&Line) -> Vec<u8>) -> Vec<u8> {
    lines.iter().flat_map(of_line).collect()
}

/// Stacks of names that filters change, and of names that might confuse them.
fn stacks() -> impl Strategy<Value = Vec<u8>> {
    let frames: [&[u8]; 20] = [
        b"main",
        b"a",
        b"f",
        b"g (a b.c:12)_[i]",
        b"h_[k]",
        b"",
        b"caf\xe9",
        b"a b=c",
        b"t b\tx=1",
        b"camlStdlib__List__map_123",
        b"camlMain__f_12",
        b"camlMain__f_13",
        b"camlMain__fun_7",
        b"camlLwt__catch_2",
        b"camlLwt__callback_9",
        b"caml_call_gc",
        b"caml_main",
        b"_ZN4core3fmt5Write17h0123456789abcdefE",
        b"_ZN2ns1fEi",
        b"7",
    ];
    let stack = prop::collection::vec(prop::sample::select(frames.to_vec()), 1..9);
    let stack = stack.prop_map(|frames| frames.join(&b';'));
    let is_usual = |stack: &Vec<u8>| !stack.is_empty();
    prop_oneof![
        20 => stack.prop_filter("an empty frame alone is no stack", is_usual),
        // A sample without a stack, and a stack that looks like a comment.
        1 => Just(Vec::new()),
        1 => Just(b"\\# my thread;main;a".to_vec()),
    ]
}

/// The labels of a line, in any order; often none.
fn labels() -> impl Strategy<Value = Vec<u8>> {
    let keys = ["since", "tid", "comm", "x.y:/-z", "_"];
    let values: [&[u8]; 9] =
        [b"", b"7", b"12.304122000", b"a;b", b"main", b"k=v 3", b" ", b"caf\xe9\xff", b"# end 2"];
    let keys = prop::sample::subsequence(keys.to_vec(), 0..4).prop_shuffle();
    (keys, prop::collection::vec(prop::sample::select(values.to_vec()), 4)).prop_map(
        |(keys, values)| {
            let label = |(key, value): (&str, &[u8])| [key.as_bytes(), b"=", value, b"\t"].concat();
            keys.into_iter().zip(values).flat_map(label).collect()
        },
    )
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    prop::collection::vec((labels(), stacks()), 1..60).prop_map(|lines| {
        let line = |(count, (labels, stack))| Line { labels, stack, count };
        lines.into_iter().enumerate().map(line).collect()
    })
}

/// A profile, and the same lines with other labels in another order.
fn profile_and_other() -> impl Strategy<Value = (Vec<Line>, Vec<Line>)> {
    lines().prop_flat_map(|lines| {
        let other = Just(lines.clone()).prop_shuffle();
        let labels = prop::collection::vec(labels(), lines.len());
        let relabelled = (other, labels).prop_map(|(other, labels)| {
            let line = |(line, labels)| Line { labels, ..line };
            other.into_iter().zip(labels).map(line).collect()
        });
        (Just(lines), relabelled)
    })
}

/// Runs a filter; its only message may be that nothing matched.
fn run(filter: (&str, &[&str]), input: &[u8]) -> (Vec<u8>, String) {
    let output = output(filter.0, filter.1, input);
    let said = stderr(&output);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{filter:?}: {said}");
    (output.stdout, said)
}

fn merged(args: &[&str], folded: &[u8]) -> Vec<u8> {
    let merged = output("stack-merge", args, folded);
    assert!(matches!(merged.status.code(), Some(0 | 1)), "{}", stderr(&merged));
    merged.stdout
}

fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// The count of a folded line.
fn count_of(line: &[u8]) -> usize {
    let line = String::from_utf8_lossy(line);
    line.trim_end().rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a count")
}

/// Asserts that a filter writes the same lines with labels as without, each with the labels of its
/// input line.
fn assert_passed_on(filter: (&str, &[&str]), lines: &[Line]) {
    let (without, said_without) = run(filter, &text(lines, Line::unlabelled));
    let (with, said_with) = run(filter, &text(lines, Line::labelled));
    assert_eq!(said_with, said_without, "{filter:?}");
    let expected: Vec<u8> = lines_of(&without)
        .into_iter()
        .flat_map(|line| {
            let of_input = lines.iter().find(|it| it.count == count_of(line));
            [&of_input.expect("a line of the input").labels, line].concat()
        })
        .collect();
    let [found, expected] = [&with, &expected].map(|text| lines_of(text));
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.escape_ascii().to_string(), expected.escape_ascii().to_string());
    }
    assert_eq!(found.len(), expected.len(), "{filter:?}");
}

/// Asserts that `labelled | FILTER | stack-merge --labels none` is `unlabelled | FILTER |
/// stack-merge`.
fn assert_same_sums(filter: (&str, &[&str]), labelled: &[u8], unlabelled: &[u8]) {
    let found = merged(&["--labels", "none"], &run(filter, labelled).0);
    let expected = merged(&[], &run(filter, unlabelled).0);
    let [found, expected] = [found, expected].map(|it| it.escape_ascii().to_string());
    assert_eq!(found, expected, "{filter:?}");
}

/// Asserts that a filter does not change the weight of any set of labels.
fn assert_same_weights(filter: (&str, &[&str]), labelled: &[u8]) {
    // If all weights are 0, stack-merge has nothing to write, which its status shows.
    if lines_of(labelled).iter().all(|line| count_of(line) == 0) {
        return;
    }
    let weights = |folded: &[u8]| {
        let leafless = |line: &&[u8]| {
            let labels = line.iter().rposition(|&byte| byte == b'\t').map_or(0, |tab| tab + 1);
            [&line[..labels], format!("x {}\n", count_of(line)).as_bytes()].concat()
        };
        merged(&[], &lines_of(folded).iter().flat_map(leafless).collect::<Vec<u8>>())
    };
    let cleaned = filter_bytes("stack-merge", &[], labelled);
    let [found, expected] = [weights(&run(filter, &cleaned).0), weights(&cleaned)];
    assert_eq!(found, expected, "{filter:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]

    #[test]
    fn filters_pass_labels_on_as_they_are((lines, other) in profile_and_other()) {
        // The output of `cat` for two files, one of them shuffled.
        let all: Vec<Line> = lines.iter().chain(&other).cloned().collect();
        let [with, without] = [Line::labelled, Line::unlabelled].map(|of_line| text(&all, of_line));
        for filter in BY_LINE {
            assert_passed_on(filter, &lines);
            assert_same_sums(filter, &with, &without);
        }
    }

    #[test]
    fn filters_that_sum_keep_labels((lines, other) in profile_and_other()) {
        let all: Vec<Line> = lines.iter().chain(&other).cloned().collect();
        let [with, without] = [Line::labelled, Line::unlabelled].map(|of_line| text(&all, of_line));
        for filter in SUMMING {
            assert_same_sums(filter, &with, &without);
            // Some of these are samples without a stack; only a sum has a name for them.
            if !all.iter().any(|line| line.stack.is_empty()) {
                assert_same_weights(filter, &with);
            }
        }
    }
}

/// The lines of each golden profile, with a time, a thread, and their line number as count.
fn goldens() -> impl Iterator<Item = (String, Vec<Line>)> {
    golden_files("folded").into_iter().map(|name| {
        let folded = recording(&format!("folded/{name}"));
        let lines = lines_of(&folded).into_iter().filter(|line| !line.starts_with(b"# "));
        let line = |(count, line): (usize, &[u8])| {
            let space = line.iter().rposition(|&byte| byte == b' ').expect("a count");
            let seconds = 12.304_122 + count as f64 / 997.0;
            let labels = format!("since={seconds:.9}\ttid={}\t", 4711 + count % 7).into_bytes();
            Line { labels, stack: line[..space].to_vec(), count }
        };
        (name, lines.enumerate().map(line).collect())
    })
}

#[test]
fn filters_pass_the_labels_of_real_profiles_on() {
    for (name, lines) in goldens() {
        assert!(lines.len() > 30, "{name}");
        for filter in FILTERS {
            let args = match filter {
                "stack-grep" => vec!["-e", "[0-9]"],
                "stack-collapse-frames" => vec!["--preset", "ocaml-gc"],
                name => with_minimal(name, &[]),
            };
            assert_passed_on((filter, &args), &lines);
        }
        let [with, without] =
            [Line::labelled, Line::unlabelled].map(|of_line| text(&lines, of_line));
        for filter in [&SUMMING[..], &[("stack-fold-towers", &["--reattach"])]].concat() {
            assert_same_sums(filter, &with, &without);
            assert_same_weights(filter, &with);
        }
    }
}

#[test]
fn recordings_with_labels_become_what_they_are_without() {
    // Recordings of OCaml, one with equal periods and one with different ones.
    let recordings = ["perf-script/domains-5.2.0fp-dwarf.gz", "perf-script/fresh-cs.gz"];
    for name in recordings {
        let recording = recording(&format!("formats/{name}"));
        for weight in ["auto", "samples", "period"] {
            let parse = |args: &[&str]| {
                let args = [&["--weight", weight], args].concat();
                output("stack-parse", &args, &recording).stdout
            };
            let (labelled, plain) = (parse(&["--labels", "since,tid"]), parse(&[]));
            assert!(labelled.starts_with(b"since=") && plain.len() < labelled.len(), "{name}");
            let mut shuffled = lines_of(&labelled);
            shuffled.sort_by_key(|line| line.iter().rev().copied().collect::<Vec<u8>>());
            let shuffled = shuffled.concat();
            for filter in BY_LINE {
                assert_same_sums(filter, &labelled, &plain);
                assert_same_sums(filter, &shuffled, &plain);
            }
        }
    }
}

/// Tools that draw, sum or export a profile. Labels that a format does not know change nothing.
const ANSWERS: [(&str, &[&str]); 19] = [
    ("stack-source", &[]),
    ("stack-source", &["--tsv"]),
    ("stack-svg", &[]),
    ("stack-svg", &["--reverse"]),
    ("stack-svg", &["--split", "root"]),
    ("stack-svg", &["--flamechart"]),
    ("stack-top", &[]),
    ("stack-top", &["--by", "module"]),
    ("stack-top", &["--tree"]),
    ("stack-top", &["--callers", "a"]),
    ("stack-top", &["--json"]),
    ("stack-export", &["--to", "callgrind"]),
    ("stack-export", &["--to", "chrome"]),
    ("stack-export", &["--to", "d3"]),
    ("stack-export", &["--to", "dot"]),
    ("stack-export", &["--to", "firefox"]),
    ("stack-export", &["--to", "speedscope"]),
    ("stack-merge", &["--labels", "none"]),
    ("stack-fold-towers", &["--report"]),
];

/// The lines with labels that no tool knows.
fn with_odd_labels(lines: &[Line]) -> Vec<u8> {
    let labels = [&b""[..], b"shape=a;b\t", b"x.y:/-z=\tshape=k=v 3\t"];
    let line = |line: &Line| [labels[line.count % labels.len()], &line.unlabelled()].concat();
    lines.iter().flat_map(line).collect()
}

#[test]
fn what_draws_and_sums_ignores_labels() {
    for (name, lines) in goldens().take(3) {
        let [with, without] = [with_odd_labels(&lines), text(&lines, Line::unlabelled)];
        assert!(with != without);
        for (tool, args) in ANSWERS {
            let [found, expected] = [&with, &without].map(|input| output(tool, args, input));
            assert!(!expected.stdout.is_empty(), "{tool} {args:?}: {}", stderr(&expected));
            assert!(found == expected, "{tool} {args:?}: {name}");
        }
        let base = TempFile::new("main;a 100\n");
        for how in ["--json", "--folded"] {
            let [found, expected] = [&with, &without]
                .map(|input| output("stack-diff", &[how, base.path(), "-"], input));
            assert!(!expected.stdout.is_empty(), "stack-diff {how}: {}", stderr(&expected));
            assert!(found == expected, "stack-diff {how}: {name}");
        }
    }
}

#[test]
fn a_key_twice_is_malformed_and_an_end_has_no_labels() {
    let input = "tid=1\ttid=1\tmain 1\ntid=1\t# end 2\n# end 3.000\ntid=1\t 4\n";
    for name in FILTERS {
        let filtered = feed(name, &[], input);
        let said = stderr(&filtered);
        let place = "<stdin>:1: expected 'frame;frame count', found two labels of the same key";
        assert_eq!(said.lines().next(), Some(&*format!("{name}: {place}")));
        let out = String::from_utf8(filtered.stdout).expect("UTF-8");
        assert_eq!(out, "tid=1\t\\# end 2\n# end 3.000\ntid=1\t[no stack] 4\n", "{name}");
        assert_eq!(filtered.status.code(), Some(2));
    }
}

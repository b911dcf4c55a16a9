use proptest::prelude::*;

use crate::util::{filter, filter_bytes, folded_lines, output, recording, weight};

fn folded(args: &[&str], stack: &str) -> String {
    let line = filter("stack-fold-towers", args, format!("{stack} 7\n"));
    line.strip_suffix(" 7\n").expect("one line of the same weight").to_owned()
}

#[test]
fn cycles_of_any_period_fold_to_one_turn() {
    for (stack, expected) in [
        ("a;f;f;f;x", "a;f;x"),
        ("m;ping;pang;pong;ping;pang;pong;ping;busy", "m;ping;pang;pong;ping;busy"),
        ("m;rename;map;map;map;rename;map;map;rename;leaf", "m;rename;map;rename;leaf"),
        ("m;iter;f;iter;g", "m;iter;f;iter;g"),
        ("f;f", "f"),
        (";;a;;", ";a;"),
        (";", ";"),
    ] {
        assert_eq!(folded(&[], stack), expected, "{stack}");
    }
}

#[test]
fn options_choose_what_is_a_tower() {
    for (args, stack, expected) in [
        (&["--min-height", "3"][..], "m;f;f;x", "m;f;f;x"),
        (&["--min-height", "3"], "m;f;f;f;x", "m;f;x"),
        (&["--max-period", "1"], "m;a;b;a;b;b;x", "m;a;b;a;b;x"),
        (&["--erase"], "m;iter;f;iter;g", "m;iter;g"),
        (&["--count"], "m;f;f;f;f;f;x", "m;f (x4+);x"),
        (&["--ignore-stamps"], "m;T.add_1;T.add_2;x", "m;T.add_1;x"),
        (&[], "m;T.add_1;T.add_2;x", "m;T.add_1;T.add_2;x"),
        (&["--ignore-stamps"], "m;T.fun_1;T.fun_2;x", "m;T.fun_1;T.fun_2;x"),
        (&[], "T.r;map;dps;T.r;map;T.r;map;x", "T.r;map;dps;T.r;map;x"),
    ] {
        assert_eq!(folded(args, stack), expected, "{args:?} {stack}");
    }
}

#[test]
fn recordings_fold_to_as_few_stacks_as_the_research_found() {
    // There the page table's look-ups counted for the collector.
    let collector = ["--preset", "ocaml-gc", "--below", "^caml_page_table_lookup$=[GC]"];
    for (name, samples, stacks) in [
        ("treegc-4.13.1-dwarf", 2357, 201),
        ("treegc-5.2.0fp-fp", 1472, 193),
        ("packbench-4.13.1-dwarf", 1974, 194),
    ] {
        let raw = recording(&format!("folded/{name}.folded.gz"));
        let collapsed = filter_bytes("stack-collapse-frames", &collector, raw);
        let towerless = filter_bytes("stack-fold-towers", &[], collapsed);
        let merged = filter_bytes("stack-merge", &[], towerless);
        assert_eq!(weight(&merged), samples, "{name}");
        assert_eq!(merged.iter().filter(|&&byte| byte == b'\n').count(), stacks, "{name}");
    }
}

#[test]
fn ten_thousand_frames_fold_in_a_moment() {
    for (turn, expected) in [("deep", "m;deep;x"), ("a;b;c;d;e;f;g", "m;a;b;c;d;e;f;g;x")] {
        let stack = format!("m;{};x", vec![turn; 10_000 / turn.len().div_ceil(2)].join(";"));
        assert_eq!(folded(&[], &stack), expected);
    }
}

#[test]
fn names_may_be_any_bytes() {
    let out = filter_bytes("stack-fold-towers", &[], b"m;\xad;\xad;\xff 1\n");
    assert_eq!(out, b"m;\xad;\xff 1\n");
}

#[test]
fn cut_stacks_get_their_callers_back() {
    let input = "m;f;f;f;f;x 1\nm;run;f;f;x 2\nm;g;g;g;g;x 3\n";
    assert_eq!(
        filter("stack-fold-towers", &["--reattach=5"], input),
        "m;run;f;x 2\nm;run;f;x 1\nm;[truncated];g;x 3\n",
    );
}

#[test]
fn towers_are_reported_by_weight() {
    let input = "m;g;f;f;x 5\nm;h 5\nm;ping;pong;ping;pong;x 10\n";
    assert_eq!(
        filter("stack-fold-towers", &["--report"], input),
        "weight  share  highest      mean  cycle\n\
         \u{20}   10  50.0%        2       2.0  ping;pong\n\
         \u{20}    5  25.0%        2       2.0  f\n",
    );
    let none = output("stack-fold-towers", &["--report"], "m;h 5\n");
    assert_eq!(none.status.code(), Some(1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn weight_order_root_and_leaf_stay(stacks in prop::collection::vec("[ab](;[abc]){0,12}", 1..12)) {
        let input: String =
            stacks.iter().enumerate().map(|(n, stack)| format!("{stack} {n}\n")).collect();
        let once = filter("stack-fold-towers", &[], &input);
        prop_assert_eq!(&filter("stack-fold-towers", &[], &once), &once);
        for (before, after) in input.lines().zip(once.lines()) {
            let ends = |line: &str| {
                let (stack, count) = line.rsplit_once(' ').expect("a count");
                let frames: Vec<_> = stack.split(';').collect();
                (frames[0].to_owned(), frames[frames.len() - 1].to_owned(), count.to_owned())
            };
            prop_assert_eq!(ends(before), ends(after));
        }
        prop_assert_eq!(input.lines().count(), once.lines().count());
    }

    #[test]
    fn any_bytes_keep_their_weight(input in folded_lines()) {
        let out = output("stack-fold-towers", &["--count"], &input);
        prop_assert_eq!(weight(&out.stdout), weight(&input));
    }
}

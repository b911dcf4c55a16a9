//! stack-fold-towers on real stacks, and properties of any stack.

use std::collections::{BTreeMap, BTreeSet};

use common::names::FrameParts;
use proptest::prelude::*;

use crate::util::{filter, filter_bytes, output, recording, weight};

const TOOL: &str = "stack-fold-towers";

/// Recordings without changes, and the same with the garbage collector as one frame.
const RECORDINGS: [&str; 6] = [
    "folded/treegc-4.13.1-dwarf.folded.gz",
    "folded/treegc-4.13.1-dwarf.gc.folded.gz",
    "folded/treegc-5.2.0fp-fp.folded.gz",
    "folded/treegc-5.2.0fp-fp.gc.folded.gz",
    "folded/packbench-4.13.1-dwarf.folded.gz",
    "folded/packbench-4.13.1-dwarf.gc.folded.gz",
];

/// All sets of options that fold stacks.
const CHOICES: [&[&str]; 8] = [
    &[],
    &["--exact"],
    &["--erase"],
    &["--count"],
    &["--erase", "--count"],
    &["--ignore-stamps"],
    &["--max-period", "3", "--min-height", "4"],
    &["--reattach"],
];

fn fold(args: &[&str], input: &str) -> String {
    filter(TOOL, args, input)
}

/// The stacks of folded lines with their weights.
fn stacks(folded: &[u8]) -> BTreeMap<&[u8], u64> {
    let mut sums = BTreeMap::new();
    for line in folded.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let space = line.iter().rposition(|&byte| byte == b' ').expect("a count");
        let count = std::str::from_utf8(&line[space + 1..]).expect("digits");
        *sums.entry(&line[..space]).or_default() += count.parse::<u64>().expect("a count");
    }
    sums
}

#[test]
fn the_recordings_fold_to_as_many_stacks_as_counted_by_an_independent_program() {
    for (name, expected, total) in [
        ("treegc-4.13.1-dwarf", 201, 2357),
        ("treegc-5.2.0fp-fp", 193, 1472),
        ("packbench-4.13.1-dwarf", 194, 1974),
    ] {
        let collected = recording(&format!("folded/{name}.gc.folded.gz"));
        let folded = filter_bytes(TOOL, &[], collected);
        assert_eq!(stacks(&folded).len(), expected, "{name}");
        assert_eq!(weight(&folded), total, "{name}");
    }
}

#[test]
fn every_choice_keeps_the_weight_and_has_nothing_left_to_do() {
    for name in RECORDINGS {
        let raw = recording(name);
        for args in CHOICES {
            let once = filter_bytes(TOOL, args, &raw);
            assert_eq!(weight(&once), weight(&raw), "{name} {args:?}");
            assert_eq!(filter_bytes(TOOL, args, &once), once, "{name} {args:?}");
        }
    }
}

#[test]
fn a_cycle_is_left_once() {
    assert_eq!(
        fold(&[], "main;ping;pang;pong;ping;pang;pong;ping;busy 7\nmain;add;add;add;bal 2\n"),
        "main;ping;pang;pong;ping;busy 7\nmain;add;bal 2\n"
    );
}

#[test]
fn a_frame_that_some_turns_lack_is_kept() {
    let stack = "Treegc.rename;Stdlib.List.map;Stdlib.List.map_dps;Treegc.rename;Stdlib.List.map;Treegc.rename;work 1\n";
    let folded = "Treegc.rename;Stdlib.List.map;Stdlib.List.map_dps;Treegc.rename;work 1\n";
    assert_eq!(fold(&[], stack), folded);
    assert_eq!(fold(&["--exact"], stack), stack);
}

#[test]
fn lines_keep_their_order_and_are_not_summed() {
    let input = "b;b;x 1\n# a comment\na;a 2\nb;x 3\nb;b;b;x 18446744073709551615\n";
    let folded = "b;x 1\n# a comment\na 2\nb;x 3\nb;x 18446744073709551615\n";
    assert_eq!(fold(&[], input), folded);
}

#[test]
fn frames_without_a_name_are_frames() {
    assert_eq!(fold(&[], ";;x;;x;;y 1\n;; 2\n;a;a 3\n"), ";x;;y 1\n;; 2\n;a 3\n");
}

#[test]
fn periods_and_heights_have_limits() {
    assert_eq!(fold(&["--max-period", "2"], "a;b;a;b;x;c;d;e;c;d;e 1\n"), "a;b;x;c;d;e;c;d;e 1\n");
    assert_eq!(fold(&["--min-height", "3"], "a;a;b;b;b 1\n"), "a;a;b 1\n");
    for args in [["--max-period", "0"], ["--max-period", "17"], ["--min-height", "1"]] {
        assert_eq!(output(TOOL, &args, "").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn erasing_leaves_no_frame_twice() {
    assert_eq!(fold(&["--erase"], "main;iter;f;iter;g 1\n"), "main;iter;g 1\n");
    let raw = recording("folded/treegc-5.2.0fp-fp.folded.gz");
    for stack in stacks(&filter_bytes(TOOL, &["--erase"], raw)).keys() {
        let frames: Vec<&[u8]> = stack.split(|&byte| byte == b';').collect();
        assert_eq!(frames.iter().collect::<BTreeSet<_>>().len(), frames.len());
    }
}

#[test]
fn heights_are_counted_in_powers_of_two() {
    let input = "f;f;f;f;f;f;f;g 1\nping;pong;ping;pong;ping;busy 1\n";
    let folded = "f (x4+);g 1\nping (x2+);pong (x2+);ping;busy 1\n";
    assert_eq!(fold(&["--count"], input), folded);
    assert_eq!(fold(&[], folded), folded);
    assert_eq!(fold(&["--count"], folded), folded);
    assert_eq!(fold(&["--count"], "f (x4+);f;g 1\n"), "f (x4+);g 1\n");
    assert_eq!(fold(&["--erase", "--count"], "iter;f;iter;g 1\n"), "iter (x2+);g 1\n");
}

#[test]
fn annotations_stay_at_the_end_of_a_name() {
    assert_eq!(fold(&["--count"], "walk_[k];walk_[k];x 1\n"), "walk (x2+)_[k];x 1\n");
    assert_eq!(fold(&["--count"], "walk (a.c:3);walk;x 1\n"), "walk (x2+) (a.c:3);x 1\n");
}

#[test]
fn stamps_tell_functions_apart_unless_ignored() {
    // Pair.decode and Make_list.decode, on a stack of packbench.
    let input = "Pack_store.Codec.decode_243;Pack_store.Codec.decode_149;x 1\n";
    assert_eq!(fold(&[], input), input);
    assert_eq!(fold(&["--ignore-stamps"], input), "Pack_store.Codec.decode_243;x 1\n");
    let anonymous = "Lwtsim.fun_811;Lwtsim.fun_812;Lwtsim.fun_811;Lwtsim.fun_812;x 1\n";
    assert_eq!(fold(&["--ignore-stamps"], anonymous), "Lwtsim.fun_811;Lwtsim.fun_812;x 1\n");
    // Without a tower no name changes.
    let other = "A.f_1;B.g_2;C.h_3 1\nA.f_9;B.g_9;C.h_9 1\n";
    assert_eq!(fold(&["--ignore-stamps"], other), other);
}

#[test]
fn the_table_counts_a_stack_once_for_each_cycle() {
    let input = "main;ping;pong;ping;pong;ping;pong;x 3\nmain;pong;ping;pong;ping;y 1\nmain;f;f;g;f;f 5\nmain 1\n";
    assert_eq!(
        fold(&["--report"], input),
        "weight  share  highest      mean  cycle\n\
         \x20    5  50.0%        2       2.0  f\n\
         \x20    4  40.0%        3       2.8  ping;pong\n"
    );
}

#[test]
fn a_table_of_no_towers_is_empty() {
    let output = output(TOOL, &["--report"], "main;f 1\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

#[test]
fn the_table_of_a_recording_names_its_towers() {
    let report = filter_bytes(TOOL, &["--report"], recording("folded/treegc-5.2.0fp-fp.folded.gz"));
    let report = String::from_utf8(report).expect("UTF-8");
    let row = |cycle: &str| {
        let row = report.lines().find(|line| line.ends_with(&format!("  {cycle}"))).expect(cycle);
        row.split_whitespace().take(4).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("Treegc.ping_775;Treegc.pang_776;Treegc.pong_777")[2], "33");
    assert_eq!(row("Treegc.sum_nontail_584"), ["7", "0.5%", "127", "126.1"]);
}

#[test]
fn a_stack_cut_in_a_recursion_is_given_the_callers_of_the_others() {
    let input = "cc;f;f;f;g 1\ncc;main;run;f;f;h 2\ncc;main;other 4\n";
    let reattached = "cc;main;run;f;h 2\ncc;main;other 4\ncc;main;run;f;g 1\n";
    assert_eq!(fold(&["--reattach=5"], input), reattached);
    assert_eq!(fold(&["--reattach=6"], input), "cc;f;g 1\ncc;main;run;f;h 2\ncc;main;other 4\n");
}

#[test]
fn a_stack_whose_callers_are_not_certain_is_marked() {
    let cut = "cc;f;f;f;f;g 1\ncc;f;f;f;f;g 1\n";
    for others in ["", "cc;main;run;f 1\ncc;main;f 1\n", "dd;main;f 1\n", "cc;[unknown];f 1\n"] {
        let marked = format!("{others}cc;[truncated];f;g 2\n");
        assert_eq!(fold(&["--reattach=5"], &format!("{cut}{others}")), marked);
        assert_eq!(fold(&["--reattach=3"], &marked), marked);
    }
    assert_eq!(fold(&["--reattach=4"], "[unknown];f;f;f;g 1\n"), "[truncated];f;g 1\n");
    assert_eq!(fold(&["--reattach=4"], "f;f;f;f;g 1\n"), "[truncated];f;g 1\n");
}

#[test]
fn an_almost_whole_stack_does_not_keep_others_from_their_callers() {
    let lines = [
        "p;_start;main;run;map;map;map;map;leaf 5\n",
        "p;[truncated];map;map;map;map;map;map;leaf 5\n",
        "p;[truncated];main;run;map;map;map;leaf 1\n",
    ];
    let expected = "p;[truncated];main;run;map;leaf 1\np;_start;main;run;map;leaf 10\n";
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let folded = fold(&["--reattach=9"], &order.map(|at| lines[at]).concat());
        let summed = filter_bytes("stack-merge", &[], folded);
        // The first line also has 9 frames, but it does not start in the recursion.
        assert_eq!(String::from_utf8(summed).expect("ASCII"), expected);
    }
}

#[test]
fn a_stack_whose_caller_was_not_found_stays_and_is_no_caller_of_others() {
    let broken = "cc;[broken];f;f;f;g 1\n";
    let whole = "cc;main;run;f;h 2\n";
    let folded = "cc;[broken];f;g 1\n";
    assert_eq!(fold(&["--reattach=6"], &format!("{broken}{whole}")), format!("{folded}{whole}"));
    // What is below the mark must agree with the callers of the others.
    for (below, callers) in [("", "main;run"), ("run;", "main;run"), ("other;", "[truncated]")] {
        let input = format!("cc;[broken];{below}f;f;g 1\n{whole}cc;f;f;f;k 1\n");
        let expected = format!("cc;[broken];{below}f;g 1\n{whole}cc;{callers};f;k 1\n");
        assert_eq!(fold(&["--reattach=5"], &input), expected);
    }
}

#[test]
fn a_recording_that_is_cut_anew_folds_to_what_it_was() {
    let raw = recording("folded/treegc-4.13.1-dwarf.gc.folded.gz");
    let expected = filter_bytes(TOOL, &[], &raw);
    let (mut cut, mut cuts) = (Vec::new(), 0);
    for line in raw.split_inclusive(|&byte| byte == b'\n') {
        let frames: Vec<&[u8]> = line.split(|&byte| byte == b';').collect();
        let is_cut = frames.len() > 80 && frames[0] == b"_start";
        cuts += u32::from(is_cut);
        cut.extend(frames[if is_cut { frames.len() - 60 } else { 0 }..].join(&b';'));
    }
    assert!(cuts > 20, "{cuts}");
    let known = |folded: &[u8]| {
        let mut sums: BTreeMap<Vec<u8>, u64> =
            stacks(folded).into_iter().map(|(stack, sum)| (stack.to_vec(), sum)).collect();
        // These stacks were cut while recording, so their callers are unknown.
        sums.retain(|stack, _| !stack.windows(11).any(|word| word == b"sum_nontail"));
        sums
    };
    assert_eq!(known(&filter_bytes(TOOL, &["--reattach=60"], &cut)), known(&expected));
    assert_ne!(known(&filter_bytes(TOOL, &[], &cut)), known(&expected));
}

#[test]
fn stacks_that_perf_cut_are_marked() {
    let raw = recording("folded/treegc-5.2.0fp-fp.folded.gz");
    let folded = filter_bytes(TOOL, &["--reattach"], raw);
    assert_eq!(stacks(&folded)[&b"[truncated];Treegc.sum_nontail_584"[..]], 5);
    let marked =
        folded.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"[truncated]"));
    assert_eq!(marked.count(), 3);
}

#[test]
fn a_recursion_is_one_whichever_of_its_lines_calls() {
    for (stack, folded) in [
        ("walk_[k];walk;walk_[k];x", "walk_[k];x"),
        ("main;walk (a.c:3);walk (a.c:4)_[i];x", "main;walk (a.c:3);x"),
        ("ping (a:1);pong (b:1);ping (a:2);pong;x", "ping (a:1);pong (b:1);x"),
        // The leaf is where the program ran.
        ("main;walk (a.c:3);walk (a.c:4)_[i]", "main;walk (a.c:4)_[i]"),
        ("ping (a:1);pong (b:1);ping (a:2);pong (b:2)", "ping (a:1);pong (b:2)"),
        ("walk (x4+) (a.c:3);walk (a.c:4)", "walk (x4+) (a.c:4)"),
        ("walk (a.c:3);walk", "walk"),
    ] {
        assert_eq!(fold(&[], &format!("{stack} 7\n")), format!("{folded} 7\n"), "{stack}");
    }
    let walk = "walk (a.c:3);walk (a.c:4);walk (a.c:5)_[i]";
    assert_eq!(fold(&["--count"], &format!("{walk} 7\n")), "walk (x2+) (a.c:5)_[i] 7\n");
    assert_eq!(fold(&["--erase"], &format!("{walk};x;walk (a.c:6) 7\n")), "walk (a.c:6) 7\n");
    let report = fold(&["--report"], &format!("{walk} 7\nwalk;walk_[k] 2\n"));
    assert_eq!(report.lines().nth(1), Some("     9  100.0%        3       2.8  walk"));
}

#[test]
fn the_report_does_not_depend_on_the_order_of_lines() {
    let raw = recording("folded/treegc-5.2.0fp-fp.folded.gz");
    let mut lines: Vec<&[u8]> = raw.split_inclusive(|&byte| byte == b'\n').collect();
    let entered = b"ping;pong;ping 5\npong;ping;pong;x 6\nM.f_1;M.f_2 3\nM.f_2;M.f_1 4\n";
    lines.extend(entered.split_inclusive(|&byte| byte == b'\n'));
    for args in [&["--report"][..], &["--report", "--ignore-stamps"]] {
        let expected = filter_bytes(TOOL, args, lines.concat());
        for step in [1, 7, 11, 13] {
            let mut others = lines.clone();
            others.reverse();
            others.rotate_left(step);
            others.sort_by_key(|line| line.len() % step);
            assert_eq!(filter_bytes(TOOL, args, others.concat()), expected, "{args:?} {step}");
        }
    }
    // The cycle is written with the start that has the most weight.
    let report = fold(&["--report"], "ping;pong;ping;pong;x 5\npong;ping;pong;ping;x 6\n");
    assert!(report.ends_with("  pong;ping\n"), "{report}");
}

#[test]
fn stacks_of_ten_thousand_frames_are_read() {
    let (run, cycle) = (["f"; 10_000].join(";"), ["ping;pang;map_dps;pong"; 2_500].join(";"));
    assert_eq!(
        fold(&[], &format!("{run};x 1\n{cycle};x 1\n")),
        "f;x 1\nping;pang;map_dps;pong;x 1\n"
    );
}

#[test]
fn names_may_be_any_bytes() {
    let out = filter_bytes(TOOL, &[], b"m;\xad;\xad;\xff 1\n");
    assert_eq!(out, b"m;\xad;\xff 1\n");
}

#[test]
fn options_that_exclude_each_other_are_named() {
    for args in [&["--erase", "--exact"][..], &["--erase", "--report"], &["--report", "--count"]] {
        let output = output(TOOL, args, "a 1\n");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(args[1]), "{args:?}");
    }
}

/// Folded lines with few different frames, so that they recur; some are not UTF-8.
fn lines() -> impl Strategy<Value = Vec<(Vec<Vec<u8>>, u32)>> {
    let frame = prop::sample::select(vec![
        b"a".to_vec(),
        b"".to_vec(),
        b"b".to_vec(),
        b"b c 1".to_vec(),
        b"\xad\xff".to_vec(),
        b"M.f_1".to_vec(),
        b"M.f_2".to_vec(),
        b"g_[k]".to_vec(),
        b"g (a.c:1)".to_vec(),
        b"g (b (c).c:2)_[i]".to_vec(),
    ]);
    let stack = prop::collection::vec(frame, 1..30);
    let stack = stack.prop_filter("one frame without a name is no stack", |stack| stack != &[b""]);
    prop::collection::vec((stack, any::<u32>()), 1..20)
}

fn text(lines: &[(Vec<Vec<u8>>, u32)]) -> Vec<u8> {
    let line = |(frames, count): &(Vec<Vec<u8>>, u32)| {
        [&frames.join(&b';'), format!(" {count}\n").as_bytes()].concat()
    };
    lines.iter().flat_map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn order_weight_root_and_leaf_are_kept(lines in lines()) {
        for args in [&[][..], &["--exact"], &["--erase"], &["--min-height", "3"]] {
            let folded = filter_bytes(TOOL, args, text(&lines));
            let folded: Vec<&[u8]> = folded.split_inclusive(|&byte| byte == b'\n').collect();
            prop_assert_eq!(folded.len(), lines.len());
            for (line, (frames, count)) in folded.iter().zip(&lines) {
                let count = format!(" {count}\n");
                let stack = line.strip_suffix(count.as_bytes());
                let kept: Vec<&[u8]> = stack.expect("its count").split(|&byte| byte == b';').collect();
                prop_assert_eq!(kept.last().copied(), frames.last().map(Vec::as_slice));
                // The source line of the root may be that of another repetition, or of the leaf.
                let name = |frame: &[u8]| FrameParts::of(frame).name.to_vec();
                prop_assert_eq!(name(kept[0]), name(&frames[0]));
            }
        }
    }

    #[test]
    fn folding_again_changes_nothing(lines in lines()) {
        for args in CHOICES {
            let once = filter_bytes(TOOL, args, text(&lines));
            prop_assert_eq!(filter_bytes(TOOL, args, &once), once.clone());
            prop_assert_eq!(weight(&once), weight(&text(&lines)));
        }
    }
}

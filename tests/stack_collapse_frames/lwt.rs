use std::collections::BTreeMap;

use crate::stack_collapse_frames::{collapse, refusal, run, stack};
use crate::util::{filter_bytes, recording, weight};

/// The weight of each stack.
fn stacks(folded: &[u8]) -> BTreeMap<String, u64> {
    let mut stacks = BTreeMap::new();
    for line in String::from_utf8_lossy(folded).lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        *stacks.entry(stack.to_owned()).or_default() += count.parse::<u64>().expect("a number");
    }
    stacks
}

/// The output of an independent program, and ours.
fn both(mode: &str, args: &[&str]) -> (BTreeMap<String, u64>, BTreeMap<String, u64>) {
    let expected = recording(&format!("oracle/lwtsim-4.13.1-dwarf.{mode}.folded"));
    let input = recording("folded/lwtsim-4.13.1-dwarf.folded.gz");
    // It drops these frames, too; here, the preset ocaml-runtime does.
    let also = ["--drop", r"^(caml_callback\w*|caml_start_program|epoll_wait)$"];
    let out = filter_bytes("stack-collapse-frames", &[args, &also].concat(), &input);
    assert_eq!(weight(&out), weight(&input));
    (stacks(&expected), stacks(&out))
}

#[test]
fn resumed_fibres_are_those_of_the_research() {
    let (expected, ours) = both("reroot", &["--lwt", "reroot"]);
    assert_eq!(ours, expected);
    // This drops all of Lwt, even if a function of Lwt is the leaf.
    let (expected, ours) = both("drop", &["--preset", "lwt"]);
    assert_eq!(ours, expected);
}

#[test]
fn entry_points_are_those_of_the_research_but_for_the_collector() {
    let (mut expected, ours) = both("entries", &["--lwt", "entries"]);
    // There, an allocation in Lwt right after a resumption makes caml_call_gc an
    // entry point; here, only an OCaml function can be one.
    assert_eq!(expected.remove("[lwt];caml_call_gc;caml_garbage_collection"), Some(1));
    let request = "[lwt];Lwtsim.loop_181;Lwtsim.handle_request_168;caml_call_gc;\
                   caml_garbage_collection";
    expected.insert(request.to_owned(), 1);
    assert_eq!(ours, expected);
}

/// The functions of lwtsim's fibres: stamp, name in the program's frame tables, and
/// true share, computed from the constants of the program.
const ROWS: [(&str, f64, &[&str]); 7] = [
    ("handle_request", 61.4, &["811", "815"]),
    ("producer.loop", 9.9, &["189", "loop"]),
    ("waiters.(fun)", 8.1, &["845"]),
    ("guarded.(fun)", 7.9, &["889", "892", "895"]),
    ("pipeline.feed", 6.3, &["282", "feed"]),
    ("pipeline.(fun)", 4.5, &["854"]),
    ("main.(fun)", 2.0, &["1044"]),
];

#[test]
fn the_rows_of_lwtsim_are_near_the_truth_however_names_are_spelled() {
    for name in ["lwtsim-4.13.1-dwarf", "lwtsim-4.13.1-dwarf.nodemangle"] {
        let script = recording(&format!("formats/perf-script/{name}.gz"));
        let parsed = crate::util::output("stack-parse", &["--weight", "samples"], script).stdout;
        let demangled = filter_bytes("stack-demangle", &["--ocaml"], &parsed);
        for input in [parsed, demangled] {
            let out = filter_bytes("stack-collapse-frames", &["--lwt", "entries"], &input);
            assert_eq!(weight(&out), weight(&input), "{name}");
            let mut rows = BTreeMap::new();
            for (stack, count) in stacks(&out).into_iter().filter(|it| it.0.contains("hash_block"))
            {
                let fibre = stack.strip_prefix("lwtsim;[lwt];").expect("a fibre of lwtsim");
                let fibre = fibre.split(';').next().unwrap_or(fibre).trim_end_matches(')');
                let function = fibre.rsplit(['_', '/', '.']).next().unwrap_or(fibre);
                *rows.entry(function.to_owned()).or_default() += count;
            }
            let all: u64 = rows.values().sum();
            assert_eq!(all, 4086, "{name}");
            for (row, truth, functions) in ROWS {
                let weight: u64 =
                    functions.iter().filter_map(|function| rows.remove(*function)).sum();
                let share = 100.0 * weight as f64 / all as f64;
                assert!((share - truth).abs() < 2.0, "{name}: {row}: {share}, not {truth}");
            }
            assert_eq!(rows, BTreeMap::new(), "{name}: rows that are none");
        }
    }
}

#[test]
fn a_fibre_is_found_under_names_of_every_spelling() {
    for resumer in [
        "camlLwt__callback_1368",
        "_camlLwt$callback_1368",
        "Lwt.callback_1368",
        "Lwt.callback",
        "Lwt.Resolution_loop.run_callbacks.run_regular_callbacks.iter_callback_list",
        "Lwt.Resolving.wakeup_later",
    ] {
        let line = format!("app;_start;App.main;App.waker;{resumer};Lwt.bind;App.fibre;App.work");
        assert_eq!(stack(&["--lwt", "reroot"], &line), "app;[lwt];App.fibre;App.work", "{resumer}");
    }
    // Work of Lwt itself, and a stack without fibres.
    assert_eq!(stack(&["--lwt", "reroot"], "app;_start;Lwt.resolve;Lwt.return"), "app;[lwt]");
    assert_eq!(stack(&["--lwt", "reroot"], "app;Lwt_main.run;App.idle"), "app;App.idle");
}

const LEARNT: &str = "# comment\n\
    app;_start;App.main;App.fibre;App.work 2\n\
    app;_start;App.main;Lwt.callback;App.fibre;App.work 3\n\
    app;_start;Lwt.resolve;caml_call_gc 1\n\
    app;_start;App.main;App.fibre;App.helper;caml_call_gc 1\n\
    app;_start;Lwt.resolve;App.helper 4\n\
    app;_start;App.main;App.fibre;App.work 5\n";

#[test]
fn what_follows_a_resumption_is_an_entry_point_everywhere_unless_kept() {
    // All input is read before the first output, and equal stacks are summed.
    let learnt = "# comment\n\
        app;[lwt];App.helper;caml_call_gc 1\n\
        app;[lwt];App.fibre;App.work 7\n\
        app;[lwt];App.fibre;App.work 3\n\
        app;[lwt];App.helper 4\n\
        app;[lwt];caml_call_gc 1\n";
    assert_eq!(collapse(&["--lwt", "entries"], LEARNT), learnt);
    let kept = collapse(&["--lwt", "entries", "--keep", "helper$"], LEARNT);
    assert_eq!(kept, learnt.replace("[lwt];App.helper;caml", "[lwt];App.fibre;App.helper;caml"));
}

#[test]
fn rules_before_are_learnt_from_and_rules_after_are_run() {
    let args = ["--drop", "fibre", "--lwt", "entries", "--merge", "work=w", "--stats"];
    let output = run(&args, LEARNT);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).lines().collect::<Vec<_>>(),
        [
            "# comment",
            "app;[lwt];App.helper;caml_call_gc 1",
            "app;[lwt];w 7",
            "app;[lwt];w 3",
            "app;[lwt];App.helper 4",
            "app;[lwt];caml_call_gc 1",
        ]
    );
    // Learning does not count as a change.
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("--drop 'fibre' moved 3 lines weight 11"), "{stderr}");
    assert!(stderr.contains("in 6 lines weight 16, out 5 lines weight 16"), "{stderr}");
}

#[test]
fn a_bad_mode_is_named() {
    assert_eq!(
        refusal(&["--lwt", "drop"], ""),
        "stack-collapse-frames: --lwt 'drop': expected reroot or entries\n"
    );
    assert_eq!(
        refusal(&["--lwt", "reroot", "--keep", "a"], ""),
        "stack-collapse-frames: --keep: expected --lwt entries\n"
    );
    let unclosed = refusal(&["--lwt", "entries", "--keep", "a("], "");
    assert!(unclosed.ends_with("pattern 'a(': unclosed group\n"), "{unclosed}");
}

use std::collections::BTreeSet;
use std::process::Output;

use proptest::prelude::*;

// Kinds of code.
mod kinds;

// Lwt's fibres.
mod lwt;

// Presets, on recordings of programs that they are made for.
mod presets;

use crate::util::{
    TempFile, few_cases, filter, filter_bytes, folded_lines, recording, tool, weight,
};

fn collapse(args: &[&str], input: &str) -> String {
    filter("stack-collapse-frames", args, input)
}

/// The frames of one stack after the rules, without its count.
fn stack(args: &[&str], stack: &str) -> String {
    let out = collapse(args, &format!("{stack} 7\n"));
    out.strip_suffix(" 7\n").expect("the count is kept").to_owned()
}

/// Runs the tool; it may fail.
fn run(args: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut command = tool("stack-collapse-frames");
    command.args(args).write_stdin(input.as_ref()).output().expect("it starts")
}

/// The message about bad arguments.
fn refusal(args: &[&str], rules: &str) -> String {
    let output = run(args, rules);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert_eq!(output.stdout, b"");
    String::from_utf8(output.stderr).expect("UTF-8 messages")
}

#[test]
fn weight_is_charged_to_the_deepest_own_frame_that_called_what_is_not_own() {
    for (given, charged) in [
        (
            "_start_[l];main_[o];sort_[l]_[i];less_[o]_[i];memcmp_[l];do_fault_[k]",
            "main_[o];less_[o]_[i]",
        ),
        ("main (a.c:3)_[o];f;g_[l]", "main (a.c:3)_[o]"),
        ("clone_[l];worker;memcpy_[l]", "[not own]"),
        // A name that only looks like the mark.
        ("a_[o]b;c", "[not own]"),
    ] {
        assert_eq!(stack(&["--charge-own"], given), charged, "{given}");
    }
    // In the order of the command line, and in files of rules.
    let given = "main_[o];log_[o];write_[l]";
    assert_eq!(stack(&["--drop", "log", "--charge-own"], given), "main_[o]");
    let rules = TempFile::new("drop log\ncharge-own\n");
    assert_eq!(stack(&["--rules", rules.path()], given), "main_[o]");
    let refused = TempFile::new("charge-own main\n");
    assert!(
        refusal(&["--rules", refused.path()], "").contains("charge-own main: expected no pattern")
    );
}

/// The share of the stacks with a frame `[GC]`, and the number of distinct stacks.
fn gc_of(name: &str, args: &[&str]) -> (u128, u128, usize) {
    let input = recording(&format!("folded/{name}.folded.gz"));
    let out = filter_bytes("stack-collapse-frames", args, &input);
    assert_eq!(weight(&out), weight(&input), "{name}");
    let gc = filter_bytes("stack-grep", &["^\\[GC\\]$"], &out);
    let stacks: BTreeSet<&[u8]> = out
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.rsplitn(2, |&byte| byte == b' ').nth(1))
        .collect();
    (weight(&gc), weight(&out), stacks.len())
}

#[test]
fn dropped_frames_leave_their_weight_to_the_caller() {
    assert_eq!(stack(&["--drop", "^std::"], "main;std::a;work;std::b"), "main;work");
    assert_eq!(stack(&["--drop", "none"], "main;;work"), "main;;work");
}

#[test]
fn merged_frames_are_one() {
    let args = ["--merge", "^std::=[std]"];
    assert_eq!(stack(&args, "std::a;std::b;main;std::c;x"), "[std];main;[std];x");
    assert_eq!(stack(&["--merge", "^a$=a"], "a;a;b;a"), "a;b;a");
}

#[test]
fn the_last_equals_sign_separates_pattern_and_name() {
    assert_eq!(stack(&["--merge", "operator==eq"], "main;operator=;x"), "main;eq;x");
    assert_eq!(stack(&["--below", "a=b=c"], "a;x;a=b;y"), "a;x;c");
}

#[test]
fn below_takes_the_first_match_and_all_under_it() {
    assert_eq!(stack(&["--below", "malloc=[heap]"], "a;malloc;b;malloc;c"), "a;[heap]");
    assert_eq!(stack(&["--below", "x=semi;colon"], "a;x"), "a;semi:colon");
}

#[test]
fn reroot_takes_the_last_match_and_all_above_it() {
    assert_eq!(stack(&["--reroot", "^main$"], "_start;main;a;main;b;c"), "b;c");
}

#[test]
fn a_stack_without_frames_keeps_its_weight() {
    assert_eq!(stack(&["--drop", "."], "a;b"), "[hidden]");
    assert_eq!(stack(&["--reroot", "leaf"], "a;leaf"), "[hidden]");
    // Without any name the line would have no stack.
    assert_eq!(stack(&["--drop", "^a$"], ";a"), "[hidden]");
    assert_eq!(stack(&["--drop", "^a$"], ";a;"), ";");
    // No rule applies to this name: it is inserted after all rules.
    assert_eq!(stack(&["--drop", ".", "--merge", "hidden=x"], "a;b"), "[hidden]");
}

#[test]
fn presets_know_old_names_and_new_ones_and_leave_others() {
    for (preset, before, after) in [
        ("kernel", "swapper;common_startup_64;start_secondary;do_idle", "swapper;[kernel]"),
        (
            "kernel",
            "ruby;rb_exc_new_cstr;exc_initialize;x",
            "ruby;rb_exc_new_cstr;exc_initialize;x",
        ),
        ("kernel", "demo;main;asm_exc_int3;exc_int3;do_trap", "demo;main;[kernel]"),
        ("cpython", "py::f:a.py;_Py_HandlePending;_Py_RunGC;gc_collect_main", "py::f:a.py;[GC]"),
        ("go-runtime", "main.work;internal/runtime/syscall.Syscall6", "main.work"),
        (
            "go-runtime",
            "main.work;internal/runtime/maps.grow",
            "main.work;internal/runtime/maps.grow",
        ),
        ("jvm", "java;JavaThread::run();C2Compiler::compile_method(ciEnv*);x", "java;[JIT]"),
        ("jvm", "java;VM_Operation::evaluate();VM_G1CollectForAllocation::doit();x", "java;[GC]"),
        ("jvm", "java;ZDirector::run_thread();x", "java;[GC]"),
        ("jvm", "java;ZDriverPort::receive;x", "java;[GC]"),
        ("jvm", "java;ZRootsIteratorTask::work;x", "java;[GC]"),
        ("jvm", "app;ZipTask::run;inflate", "app;ZipTask::run;inflate"),
        ("jvm", "java;StubRoutines (initial stubs);void app.Foo.run()", "java;void app.Foo.run()"),
        (
            "rust-std",
            "main;<fn() as core::ops::function::FnOnce<()>>::call_once;app::main",
            "main;app::main",
        ),
        ("rust-std", "a;<b::{closure#0} as core::ops::function::FnOnce<()>>::call_once;c", "a;c"),
    ] {
        assert_eq!(stack(&["--preset", preset], before), after, "{preset}");
    }
}

#[test]
fn rules_run_in_the_order_of_the_command_line() {
    assert_eq!(stack(&["--merge", "a|b=c", "--drop", "c", "--below", "d=e"], "a;b;d;x"), "e");
    assert_eq!(stack(&["--drop", "c", "--merge", "a|b=c", "--below", "d=e"], "a;b;d;x"), "c;e");
    assert_eq!(
        stack(&["--below", "d=a", "--merge", "a|b=c", "--drop", "c"], "a;b;d;x"),
        "[hidden]"
    );
    let gc = "main;Foo.f;caml_call_gc;caml_gc_dispatch";
    assert_eq!(
        stack(&["--drop=caml_call_gc", "--preset=ocaml-gc", "--merge=GC=x"], gc),
        "main;Foo.f;x"
    );
    assert_eq!(stack(&["--merge=GC=x", "--preset=ocaml-gc"], gc), "main;Foo.f;[GC]");
    assert_eq!(stack(&["--preset=ocaml-gc", "--preset=ocaml-runtime"], gc), "Foo.f;[GC]");
}

#[test]
fn a_bad_rule_is_named() {
    assert_eq!(
        refusal(&["--merge", "a"], ""),
        "stack-collapse-frames: --merge 'a': expected RE=NAME\n"
    );
    assert_eq!(
        refusal(&["--drop", "a("], ""),
        "stack-collapse-frames: --drop 'a(': pattern 'a(': unclosed group\n"
    );
    assert_eq!(
        refusal(&["--drop", ""], ""),
        "stack-collapse-frames: --drop '': expected a pattern\n"
    );
    assert_eq!(
        refusal(&["--preset", "perl"], ""),
        "stack-collapse-frames: preset 'perl': no such preset; \
         expected async, cpython, eio, go-runtime, jvm, kernel, libc-start, lwt, lwt-entries, \
         lwt-reroot, ocaml-gc, ocaml-gc-phases, ocaml-runtime, rayon, rust-std, tokio, v8\n"
    );
    assert_eq!(
        refusal(&["--rules", "/nowhere"], ""),
        "stack-collapse-frames: /nowhere: no such file or directory\n"
    );
}

#[test]
fn a_bad_line_in_a_rule_file_is_named() {
    const VERBS: &str = "expected drop RE, drop-kind KIND, merge RE=NAME, below RE=NAME, reroot RE, charge-own or preset NAME";
    for (rules, message) in [
        ("\nhide a\n", format!("2: {VERBS}")),
        ("drop a\nhide b\n", format!("2: {VERBS}")),
        ("  a\n", format!("1: {VERBS}")),
        // A list cannot follow a preset, which has its own lists.
        ("preset lwt\n  a\n", format!("2: {VERBS}")),
        ("preset lwt\nhide b\n", format!("2: {VERBS}")),
        ("drop\n  a\n  b)\n", "3: pattern 'b)': unopened group".to_owned()),
        ("drop x\n  a\n", "1: drop x: expected a pattern or a list, not both".to_owned()),
        ("drop\n", "1: drop: expected a pattern".to_owned()),
        ("merge x\n", "1: merge x: expected RE=NAME".to_owned()),
        ("drop a\nuntil b\n", "2: expected 'until' only after 'below'".to_owned()),
        ("preset lwt\nphase b=c\n", "2: expected 'phase' only after 'below'".to_owned()),
        ("below a=b\nphase c\n", "2: expected RE=NAME".to_owned()),
        ("below a=b\nroot c\n", "2: expected 'root' only after 'reroot'".to_owned()),
        ("reroot a\nroot\n", "2: expected a name".to_owned()),
        ("drop a\nentries b\n", "2: expected 'entries' only after 'reroot'".to_owned()),
        ("drop a\norphans 3\n", "2: expected 'orphans' only after 'where'".to_owned()),
        ("drop a\nwhere b\norphans x\n", "3: expected a number of frames".to_owned()),
        ("drop a\nwhere\n", "2: expected a pattern".to_owned()),
    ] {
        assert_eq!(
            refusal(&["--rules", "-"], rules),
            format!("stack-collapse-frames: <stdin>:{message}\n"),
            "{rules:?}"
        );
    }
}

#[test]
fn a_rule_file_says_what_options_say_and_more() {
    let rules = "\
# Hide a library.
drop ^lib_
below =[pool]
where ^scheduler$
until ^task
    park
    sleep(_\\d+)?

reroot ^_start$
";
    let rules = TempFile::new(rules);
    let args = ["--rules", rules.path()];
    let out = [
        // The library is dropped, and so are the frames above _start.
        stack(&args, "x;_start;lib_a;main"),
        // Only stacks with a scheduler change; a list matches whole names.
        stack(&args, "main;park;wait"),
        stack(&args, "scheduler;park;wait"),
        stack(&args, "scheduler;parking;sleepy"),
        // The stack continues with a task, which may park again.
        stack(&args, "scheduler;sleep_1;wait;task_a;run;park;wait"),
    ];
    let expected = [
        "main",
        "main;park;wait",
        "scheduler;[pool]",
        "scheduler;parking;sleepy",
        "scheduler;[pool];task_a;run;[pool]",
    ];
    assert_eq!(out, expected);
}

#[test]
fn a_rule_file_can_name_what_it_cuts_off_and_tell_phases_apart() {
    let rules = TempFile::new(
        "preset libc-start\nreroot ^poll$\nroot [pool]\nbelow ^gc=[GC]\nphase mark=[mark]\n",
    );
    let args = ["--rules", rules.path()];
    // The frames above a start name the process; without a start, the first frame does.
    let cut = TempFile::new("reroot ^poll$\nroot [pool]\n");
    let cut = ["--rules", cut.path()];
    assert_eq!(
        stack(&cut, "cycles;Server.exe;_start;main;poll;a;poll;b"),
        "cycles;Server.exe;[pool];b"
    );
    assert_eq!(stack(&cut, "server;main;poll;a"), "server;[pool];a");
    assert_eq!(stack(&cut, "Server.main;poll;a"), "[pool];a");
    assert_eq!(stack(&cut, "[unknown];poll"), "[pool]");
    assert_eq!(stack(&cut, "_start;main;poll;a"), "[pool];a");
    assert_eq!(stack(&cut, "server;main;a"), "server;main;a");
    // The last frame that shows a phase decides.
    assert_eq!(stack(&args, "s;_start;main;gc;mark;x"), "s;main;[mark]");
    assert_eq!(stack(&args, "s;_start;main;gc;x"), "s;main;[GC]");
}

#[test]
fn listed_names_may_have_a_clone_suffix_and_an_annotation() {
    for leaf in ["mark_slice.isra.0", "mark_slice_darken.constprop.0.cold", "mark.part.0_[i]"] {
        assert_eq!(stack(&["--preset", "ocaml-gc"], &format!("Foo.f;{leaf}")), "Foo.f;[GC]");
    }
    assert_eq!(stack(&["--preset", "ocaml-gc"], "Foo.f;mark.x"), "Foo.f;mark.x");
}

#[test]
fn rules_see_names_without_places_and_marks() {
    for (args, before, after) in [
        (&["--drop", "^vfs_read$"][..], "main;vfs_read_[k]", "main"),
        (&["--drop", "^f$"], "main;f (a b (c).c:1)_[i];g (f.c:2)", "main;g (f.c:2)"),
        (&["--drop", "\\.c|k\\]"], "main (a.c:1);vfs_read_[k]", "main (a.c:1);vfs_read_[k]"),
        (&["--merge", "^f$=[f]"], "main;f (a.c:1);f_[k];g (a.c:9)", "main;[f];g (a.c:9)"),
        (&["--below", "^f$=[f]"], "main (a.c:1);f (a.c:1);g", "main (a.c:1);[f]"),
        (&["--reroot", "^f$"], "main;f (a.c:1);g (a.c:2)_[i]", "g (a.c:2)_[i]"),
        // A pattern with a mark sees marks, but still no source line.
        (&["--drop", r"_\[k\]$"], "main;read;vfs_read_[k]", "main;read"),
        (&["--drop", r"^f_\[i\]$"], "main;f (a.c:1)_[i];f (a.c:2)", "main;f (a.c:2)"),
        (&["--preset", "ocaml-gc"], "a;caml_call_gc (gc.c:12);b", "a;[GC]"),
        (
            &["--preset", "ocaml-gc"],
            "A.f (a.ml:1);mark_slice.isra.0 (gc.c:12)_[i]",
            "A.f (a.ml:1);[GC]",
        ),
        (&["--preset", "kernel"], "a;do_syscall_64_[k];vfs_read_[k]", "a;[kernel]"),
        (&["--preset", "kernel"], "a;do_syscall_64 (common.c:9)_[k];vfs_read_[k]", "a;[kernel]"),
    ] {
        assert_eq!(stack(args, before), after, "{args:?}");
    }
}

#[test]
fn the_shares_of_the_collector_are_those_of_the_research() {
    assert_eq!(gc_of("treegc-5.2.0fp-fp", &["--preset", "ocaml-gc"]), (487, 1472, 548));
    assert_eq!(gc_of("treegc-4.13.1-dwarf", &["--preset", "ocaml-gc"]), (911, 2357, 674));
    // An independent program counted 42.4 %, including caml_page_table_lookup below
    // comparison and hashing, which is not work of the collector.
    let page_table = ["--preset", "ocaml-gc", "--below", "^caml_page_table_lookup$=[GC]"];
    assert_eq!(gc_of("treegc-4.13.1-dwarf", &page_table), (999, 2357, 674));
}

#[test]
fn the_collector_is_found_under_names_of_every_spelling() {
    for caller in [
        "Treegc.ping_775",
        "camlTreegc__ping_775",
        "camlTreegc.ping_775",
        "camlTreegc$ping_775",
        "_camlTreegc.ping_775",
        "Treegc.ping",
        "Stdlib.Map.bal",
        "Lwtsim.(fun/811)",
        "Eio__core.Fiber.(fun)",
        "_CamlU3FooF3bar",
    ] {
        let args = ["--preset", "ocaml-gc"];
        assert_eq!(stack(&args, &format!("main;{caller};mark")), format!("main;{caller};[GC]"));
        // A finaliser, a signal handler, a memprof callback.
        let called = format!("a;caml_call_gc;caml_final_do_calls_exn;caml_callback;{caller};b");
        assert_eq!(stack(&args, &called), format!("a;[GC];{caller};b"));
        let again = format!("{called};caml_call_gc;oldify_one");
        assert_eq!(stack(&args, &again), format!("a;[GC];{caller};b;[GC]"));
    }
    let damaged = b"main;Map\xbal_407;mark 1\n";
    let out = filter_bytes("stack-collapse-frames", &["--preset", "ocaml-gc"], damaged);
    assert_eq!(out, b"main;Map\xbal_407;[GC] 1\n");
}

#[test]
fn static_names_count_only_in_ocaml_programs() {
    let args = ["--preset", "ocaml-gc"];
    assert_eq!(stack(&args, "_start;main;v8::run;mark"), "_start;main;v8::run;mark");
    assert_eq!(stack(&args, "_start;main;caml_main;mark;memcpy"), "_start;main;caml_main;[GC]");
    assert_eq!(stack(&args, "[unknown];sweep_slice"), "[unknown];[GC]");
    assert_eq!(stack(&args, "mark;caml_darken"), "[GC]");
    let compare = "Foo.f;caml_compare;do_compare_val;caml_page_table_lookup";
    assert_eq!(stack(&args, compare), compare);
    assert_eq!(stack(&args, "Foo.f;mark_slice;caml_page_table_lookup"), "Foo.f;[GC]");
}

#[test]
fn plumbing_goes_and_the_program_stays() {
    let line = "_start;__libc_start_main_impl;__libc_start_call_main;main;caml_main;\
                caml_startup_common;caml_start_program;caml_startup.code_begin;Lwtsim.entry;\
                Lwt_main.run_176;Lwt_main.run_loop_135;Lwt_engine.fun_2091;lwt_libev_loop;\
                ev_invoke_pending;caml_callback;caml_start_program;camlLwt__wakeup_general_1061;\
                Lwt.callback;Lwtsim.fun_811;caml_apply2;Lwtsim.hash_block_94";
    assert_eq!(
        stack(&["--preset", "lwt", "--preset", "ocaml-runtime"], line),
        "Lwtsim.entry;Lwtsim.fun_811;Lwtsim.hash_block_94"
    );
}

#[test]
fn presets_can_be_listed_shown_and_used_as_rules() {
    let list = collapse(&["--list-presets"], "");
    assert!(list.lines().any(|line| line.starts_with("ocaml-gc ")), "{list}");
    for line in list.lines() {
        let (name, title) = line.split_once(' ').expect("a name and a title");
        assert!(!title.trim().is_empty(), "{line}");
        let rules = collapse(&["--show-preset", name], "");
        // Used as rules, an empty file has no effect.
        assert_eq!(run(&["--rules", "-"], rules).status.code(), Some(1), "{name}");
    }
}

#[test]
fn stats_say_what_each_rule_moved() {
    let args = ["--stats", "--drop", "b", "--merge", "a=x", "--preset", "eio"];
    let stderr = run(&args, "a;b 1\nb;c 2\nc 4\n").stderr;
    let stderr = String::from_utf8(stderr).expect("UTF-8 messages");
    let lines: Vec<_> = stderr
        .lines()
        .map(|line| line.trim_start_matches("stack-collapse-frames: stats: "))
        .collect();
    assert_eq!(lines[0], "--drop 'b' moved 2 lines weight 3");
    assert_eq!(lines[1], "--merge 'a=x' moved 1 lines weight 1");
    assert!(lines[2].starts_with("eio:") && lines[2].ends_with(": drop moved 0 lines weight 0"));
    assert!(lines[3].starts_with("in 3 lines weight 7, out 3 lines weight 7, changed 2 lines"));
}

#[test]
fn other_lines_pass_as_they_came() {
    assert_eq!(collapse(&["--drop", "b"], "# a comment;b 1\na;b 1"), "# a comment;b 1\na 1\n");
    assert_eq!(collapse(&[], "a;b 1\nc 2\n"), "a;b 1\nc 2\n");
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn every_line_keeps_its_place_and_its_weight(
        input in folded_lines(),
        rules in prop::collection::vec(prop::sample::select(vec![
            "--drop=a", "--drop=.", "--drop=^$", "--merge=a|b=c", "--merge=^=x", "--below=b=a",
            "--below=^$=[empty]", "--reroot=b", "--reroot=A|ff", "--preset=ocaml-gc", "--preset=lwt",
        ]), 0..4),
    ) {
        let output = run(&rules, &input);
        prop_assert_eq!(output.status.code(), Some(i32::from(input.is_empty())), "{:?}", output);
        let counts = |text: &[u8]| -> Vec<Vec<u8>> {
            let lines = text.split(|&byte| byte == b'\n');
            lines.map(|line| line.rsplit(|&byte| byte == b' ').next().unwrap_or(line).to_vec()).collect()
        };
        prop_assert_eq!(counts(&output.stdout), counts(&input));
    }

    #[test]
    fn no_input_and_no_rule_file_panics(
        input in prop::collection::vec(any::<u8>(), 0..80),
        rules in "((drop|merge|below|reroot|where|until|orphans)?[ =a(\n\\[3]{0,4}\n?){0,4}",
    ) {
        let rules = TempFile::new(rules);
        let output = run(&["--rules", rules.path()], input);
        prop_assert!(output.status.code().is_some_and(|status| status <= 2), "{:?}", output);
    }
}

#[test]
fn shells_complete_the_names_of_presets() {
    let list = collapse(&["--list-presets"], "");
    for (shell, behind) in [("bash", " "), ("zsh", "\\:"), ("fish", "\\t")] {
        let script = collapse(&["--completions", shell], "").replace('"', " ");
        for name in list.lines().filter_map(|line| line.split(' ').next()) {
            let name = format!("{name}{behind}");
            // `--lwt ` is an option, `lwt ` a preset.
            let option = format!("-{name}");
            let is_list = |line: &&str| line.contains(&name) && !line.contains(&option);
            let lines = script.lines().filter(is_list).count();
            assert_eq!(lines, 2, "{shell}: {name} behind --preset and --show-preset");
        }
    }
}

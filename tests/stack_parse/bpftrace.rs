//! Outputs of bpftrace in addition to those in tests/golden/formats/bpftrace.

use crate::util::{filter, output};

#[test]
fn the_kernel_runs_below_the_user_in_any_order_of_keys() {
    let kernel = "\n    vfs_read+187\n    entry_SYSCALL_64_after_hwframe+118\n";
    let user = "\n    read+76\n    main+2\n";
    for key in [
        format!("{kernel}, {user}, demo, 7, 8"),
        format!("{user}, {kernel}, 7, 8, demo"),
        format!("demo, 7, {user}, 8, {kernel}"),
    ] {
        let text = format!("Attached 1 probe\n\n@[{key}]: 3\n");
        let folded = filter("stack-parse", &["--root", "tid", "--annotate"], text);
        let stack = "main;read;entry_SYSCALL_64_after_hwframe_[k];vfs_read_[k]";
        assert_eq!(folded, format!("demo-7/8;{stack} 3\n"), "{key}");
    }
}

#[test]
fn empty_stacks_count() {
    let text = "@[]: 1\n@[, ]: 2\n@[, , demo]: 4\n@[\n    k+1\n, , demo]: 8\n@[demo, ]: 16\n";
    assert_eq!(filter("stack-parse", &[], text), "[no stack] 3\ndemo 20\ndemo;k 8\n");
}

#[test]
fn names_of_any_shape_survive() {
    let text = "@s[\n    std::map<int, char>::at(int) const [clone .isra.0]+4\n    \
                a]: 3+1\n    \u{fc}+9\n, a, b: [x]]: 5\n";
    let folded = filter("stack-parse", &[], text);
    let stack = "a, b: [x];\u{fc};a]: 3;std::map<int, char>::at(int) const [clone .isra.0]";
    assert_eq!(folded, format!("{stack} 5\n"));
}

#[test]
fn addresses_sources_and_inlined_functions_are_read() {
    let raw = "@[\n7ff4884d44a3\nffffffff821ef666\n]: 2\n";
    let folded = filter("stack-parse", &["--annotate"], raw);
    assert_eq!(folded, "[0xffffffff821ef666]_[k];[0x7ff4884d44a3]_[k] 2\n");
    let sources = "@[\n    [inlined] f@a.c:4\n    g+3@b.c:5\n    entry_x+1\n]: 2\n";
    let folded = filter("stack-parse", &["--srcline", "--annotate"], sources);
    assert_eq!(folded, "entry_x_[k];g (b.c:5)_[k];f (a.c:4)_[i] 2\n");
    assert_eq!(filter("stack-parse", &["--inlined", "drop"], sources), "entry_x;g 2\n");
}

#[test]
fn what_is_no_weight_is_named() {
    let text = "@h[\n    f+1\n]: \n[0]  3 |@@@|\n[1]  1 |@  |\n\n@n[\n    g+1\n]: -2\n\
                @s[\n    f+1\n]: count 4, average 3, total 12\n@open[\n    f+1\n";
    let output = output("stack-parse", &["--by-event"], text);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"@s;f 12\n", "{said}");
    for expected in [
        "3: expected a number, found a histogram",
        "9: expected a number that is not negative",
        "expected ']: ' at the end",
        "the weight of stats() is its total",
    ] {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn json_is_read_like_text() {
    let json = r#"{"type": "attached_probes", "data": {"probes": 1}}
{"type": "map", "data": {"@total": 44}}
{"type": "map", "data": {"@x": {"\n    k+1\n    asm_x+2\n,\n    u+1\n,demo,7": 3, ",,demo,7": 2}}}
{"type": "stats", "data": {"@x": {"demo": {"count": 2, "average": 2, "total": 4}}}}
{"type": "hist", "data": {"@x": {"demo": [{"min": 0, "max": 1, "count": 2}]}}}
"#;
    let output = output("stack-parse", &["--root", "pid"], json);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"demo-7 2\ndemo-7;u;asm_x;k 3\ndemo-? 4\n", "{said}");
    assert!(said.contains("5: expected numbers, found histograms"), "{said}");
    assert!(said.contains("map @total has no stacks"), "{said}");
}

#[test]
fn printed_stacks_are_samples() {
    let text = "Attaching 1 probe...\nmy demo 15 \n        f+1\n        g+2\n \n        u+1\n\n\n\
                my demo 16 \n        f+1\n\nbye\n";
    let folded = filter("stack-parse", &["--root", "pid"], text);
    assert_eq!(folded, "my demo-15;u;g;f 1\nmy demo-16;f 1\n");
}

#[test]
fn a_greeting_of_the_script_is_no_name_of_its_first_sample() {
    let stack = |frames: &str| format!("\n    {frames}+1\n    main+2\n\n");
    let stacks: String = ["f", "g", "h"].map(stack).concat();
    let text = format!("Attaching 1 probe...\nTracing... Hit Ctrl-C\n{stacks}");
    let folded = filter("stack-parse", &["--root", "none"], text);
    assert_eq!(folded, "main;f 1\nmain;g 1\nmain;h 1\n");
}

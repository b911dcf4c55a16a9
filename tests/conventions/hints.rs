//! Help for a user who knows another program, or chose the wrong one.

use crate::util::{feed, folded_tools, output, recording, tool};

#[test]
fn what_a_profiler_wrote_is_called_so_once_and_stack_parse_is_named() {
    let perf_script = recording("formats/perf-script/fresh-header.gz");
    let with_tabs = b"\t    55d0c6a8b1c9 main+0x1c (/demo)\n".to_vec();
    let landmarks = b"[  771.42K cycles in 5 calls ]     |   - 27.50% : parse\n".to_vec();
    for (text, format) in [
        (perf_script, "what perf script prints"),
        (with_tabs, "what perf script prints"),
        (landmarks, "what landmarks prints"),
        (b"PERFILE2h\0\0\0\n".to_vec(), "perf.data"),
        (b"{\"nodes\":[\n".to_vec(), "JSON"),
    ] {
        for name in folded_tools().filter(|name| *name != "stack-parse") {
            let output = feed(name, &[], &text);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let hint =
                format!("{name}: <stdin>: it looks like {format}: pipe it through stack-parse\n");
            assert_eq!(stderr.matches(&hint).count(), 1, "{name}: {stderr}");
            assert_eq!(output.status.code(), Some(2), "{name}");
        }
    }
}

#[test]
fn a_damaged_line_among_good_ones_is_no_other_format() {
    for name in folded_tools() {
        let output = feed(name, &[], "main;a 1\n\t  55d0c6a8b1c9 main (/demo)\nmain;b 2\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.lines().count(), 1, "{name}: {stderr}");
    }
}

/// The options of flamegraph.pl, with a value where one is needed. Those that stack-svg lacks have
/// the hint that it prints.
const OF_FLAMEGRAPH_PL: [(&[&str], Option<&str>); 25] = [
    (&["--title", "x"], None),
    (&["--subtitle", "x"], None),
    (&["--width", "800"], None),
    (&["--height", "16"], None),
    (&["--minwidth", "0.1"], None),
    (&["--minwidth", "0.1%"], None),
    (&["--fontsize", "11"], None),
    (&["--countname", "bytes"], None),
    (&["--colors", "java"], None),
    (&["--color", "io"], None),
    (&["--reverse"], None),
    (&["--inverted"], None),
    (&["--flamechart"], None),
    (&["--bgcolors", "grey"], Some("use '--theme light'")),
    (&["--cp"], Some("leave it out: a name has the same colour in every picture")),
    (&["--encoding=UTF-8"], Some("leave it out: pictures are UTF-8")),
    (&["--factor", "2"], Some("scale the counts before; '--unit WORD'")),
    (&["--fonttype", "Verdana"], Some("'--font-size' sets its size")),
    (&["--fontwidth", "0.59"], Some("use '--font-size'")),
    (&["--hash"], Some("leave it out: a name has the same colour in every picture")),
    (&["--nameattr", "x"], Some("leave it out: frames have no attributes")),
    (&["--nametype", "Frame:"], Some("leave it out; '--unit WORD'")),
    (&["--negate"], Some("use '--diff' and give the two counts of each line in the other order")),
    (&["--notes", "x"], Some("use '--subtitle TEXT'")),
    (&["--random"], Some("leave it out: a name has the same colour in every picture")),
];

/// The options of stackcollapse-perf.pl. Those that stack-parse lacks have the hint that it prints.
const OF_STACKCOLLAPSE_PL: [(&[&str], Option<&str>); 10] = [
    (&["--srcline"], None),
    (&["--addrs"], Some("leave it out: a function without a name is called after its file")),
    (&["--all"], Some("use '--annotate'")),
    (&["--context"], Some("use '--srcline', and 'perf script -F +srcline'")),
    (&["--event-filter=cycles"], Some("use '--event GLOB'")),
    (&["--inline"], Some("leave it out: what perf script found to be inlined is kept")),
    (&["--jit"], Some("use '--annotate'")),
    (&["--kernel"], Some("use '--annotate'")),
    (&["--pid"], Some("use '--root pid'")),
    (&["--tid"], Some("use '--root tid'")),
];

#[test]
fn options_of_flamegraph_pl_work_or_name_what_does_it_here() {
    let cases = [("stack-svg", &OF_FLAMEGRAPH_PL[..]), ("stack-parse", &OF_STACKCOLLAPSE_PL[..])];
    for (name, options) in cases {
        for (args, tip) in options {
            let output = output(name, args, "d;f 1\n");
            let stderr = String::from_utf8_lossy(&output.stderr);
            let Some(tip) = tip else {
                assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args:?}");
                continue;
            };
            let option = args[0].split('=').next().unwrap_or_default();
            let start = format!("{name}: unexpected argument '{option}' found\n\n  tip: ");
            assert!(stderr.starts_with(&start), "{args:?}: {stderr}");
            assert!(stderr[start.len()..].contains(tip), "{args:?}: {stderr}");
            assert_eq!(stderr.matches("tip:").count(), 1, "{args:?}: {stderr}");
            assert!(stderr.contains(&format!("Usage: {name} [OPTIONS]")), "{args:?}: {stderr}");
            assert_eq!(output.status.code(), Some(2), "{args:?}");
        }
    }
}

#[test]
fn other_unknown_options_are_compared_with_ours() {
    let output = tool("stack-svg").arg("--subtitel").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("a similar argument exists: '--subtitle'"), "{stderr}");
}

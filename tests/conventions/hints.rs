//! What helps a user who came from another program, or took the wrong one.

use crate::util::{feed, folded_tools, recording};

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

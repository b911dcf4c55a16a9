//! stack-parse on files of OCaml's own profilers.

use crate::util::output;

// memtrace: allocations.
mod memtrace;

// landmarks: time.
mod landmarks;

// A writer of memtrace's format.
mod trace;

use trace::every_kind;

#[test]
fn what_a_format_does_not_hold_cannot_be_asked_for() {
    let trace = every_kind(2).bytes();
    let folded = b"main;f 12\n".to_vec();
    for (input, args, said) in [
        (&trace, &["--weight", "words"][..], "--weight words: use '--event words'"),
        (
            &folded,
            &["--major"],
            "--major and --promoted need a recording of memtrace: <stdin> is folded",
        ),
    ] {
        let output = output("stack-parse", args, input);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, format!("stack-parse: {said}\n"), "{args:?}");
    }
    assert_eq!(output("stack-parse", &["-f", "memtrace"], &folded).status.code(), Some(2));
    // Other programs write CTF, too.
    let mut other = trace;
    other[28] = 200;
    let output = output("stack-parse", &[], &other);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("unknown format, it looks like a CTF trace, but not"), "{stderr}");
}

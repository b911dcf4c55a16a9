//! Intervals without weight, among others.

use crate::util::{filter, output};

/// Three intervals, the last of which is empty.
const QUIET: &str = "main;f 3\nmain;g 1\n# end 1.0\nmain;g 2\n# end 2.0\n# end 3.0\n";

/// The views of `--follow`.
const VIEWS: [&[&str]; 6] =
    [&[], &["--tree"], &["--draw"], &["--json"], &["--callers", "f"], &["--split", "root"]];

#[test]
fn an_interval_without_weight_is_shown_as_such() {
    let text = filter("stack-top", &["--follow", "--last"], QUIET);
    let tables: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(tables.len(), 3, "{text}");
    assert!(tables[1].contains("self 2 of 2"), "{text}");
    assert!(tables[2].ends_with("0 of 0 functions, self 0 of 0 (0.00%)\n"), "{text}");
    assert!(!tables[2].contains("main"), "{text}");
    let objects = filter("stack-top", &["--follow", "--last", "--json"], QUIET);
    let last = objects.lines().last().expect("an object");
    let last: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(last["total"], 0, "{objects}");
    for view in VIEWS {
        let output = output("stack-top", &[&["--follow", "--last"], view].concat(), QUIET);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("nothing to show"), "{view:?}: {said}");
        assert_eq!(output.status.code(), Some(0), "{view:?}: {said}");
    }
}

#[test]
fn without_any_weight_there_is_nothing_to_show() {
    for args in [&["--follow", "--last"][..], &["--follow"], &["--last"]] {
        for input in ["", "# end 1.0\n# end 2.0\n"] {
            let output = output("stack-top", args, input);
            assert_eq!(output.status.code(), Some(1), "{args:?} {input:?}");
        }
    }
    // What is asked for is the newest interval alone.
    let output = output("stack-top", &["--last"], QUIET);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]));
}

//! Binary profiles of CPython 3.15.

use crate::util::{golden_path, output, stderr};

/// The bytes of a profile in tests/golden/formats/tachyon.
fn profile(name: &str) -> Vec<u8> {
    std::fs::read(golden_path(&format!("formats/tachyon/{name}"))).expect("a profile")
}

#[test]
fn samples_say_the_state_and_the_time_of_their_thread() {
    let args = ["--labels", "all", "--srcline"];
    let labelled = output("stack-parse", &args, profile("little.bin")).stdout;
    let labelled = String::from_utf8(labelled).expect("UTF-8");
    for expected in [
        "time=1700000000.000100000\tevent=samples\tinterpreter=0\tstate=gil+cpu\ttid=7\t\
         main (app.py:3);work (app.py:14) 1\n",
        "time=1700000000.003150000\tevent=samples\tinterpreter=0\tstate=idle\ttid=1099511627776\t\
         main (app.py:3);loads (/lib/json.py:9) 1\n",
        "interpreter=1\tstate=cpu\ttid=7\tmain (app.py:3) 1\n",
    ] {
        assert!(labelled.contains(expected), "{expected}{labelled}");
    }
}

#[test]
fn a_profile_that_is_cut_keeps_what_is_there() {
    let whole = profile("little.bin");
    for (length, folded, said) in [
        (whole.len() - 60, "main;loads 3\n", "its tables of names are cut short"),
        (120, "[unknown];[unknown] 3\n", "expected a sample at byte 37 of its samples"),
        (60, "", "it ends within its header"),
    ] {
        let output = output("stack-parse", &["--format", "tachyon"], &whole[..length]);
        assert_eq!(output.status.code(), Some(2), "{length}");
        assert!(stderr(&output).contains(said), "{length}: {}", stderr(&output));
        let ours = String::from_utf8_lossy(&output.stdout);
        assert!(ours.contains(folded), "{length}: {ours}");
    }
}

#[test]
fn other_versions_are_named() {
    let mut later = profile("little.bin");
    later[4] = 9;
    let said = stderr(&output("stack-parse", &[], later));
    assert!(said.contains("version 9 of the format: expected 1 or 2"), "{said}");
}

//! How far a profile can be trusted, in the formats that have a place for it.

use super::{export, json};
use crate::util::unpacked;

const STACKS: &str = "# unit: samples\n# lost: 41 of 1,000 samples\nmain;work 959\n";

#[test]
fn formats_with_a_place_for_it_say_how_far_a_profile_can_be_trusted() {
    let trust = "trust: good for the order and the callers, fair for the sizes: \
                 50.0 % is ± 3.2 points; 4.1 % of the samples lost";
    let text = |format: &str, stacks: &str| {
        String::from_utf8(export(format, &[], stacks.as_bytes())).expect("UTF-8")
    };
    assert!(text("callgrind", STACKS).contains(&format!("\ndesc: {trust}\n")));
    assert!(text("dot", STACKS).contains(&format!("\\n{trust}\"; labelloc")));
    let firefox = json("firefox", &[], STACKS.as_bytes());
    assert_eq!(firefox["meta"]["extra"][0]["entries"][0]["value"], trust);
    assert_eq!(json("chrome", &[], STACKS.as_bytes())["otherData"]["trust"], trust);
    let pprof = unpacked(&export("pprof", &[], STACKS.as_bytes()));
    assert!(String::from_utf8_lossy(&pprof).contains(trust));
    // Where nothing is known, nothing is said.
    for format in ["callgrind", "dot", "firefox", "chrome"] {
        assert!(!text(format, "main;work 959\n").contains("trust"), "{format}");
    }
}

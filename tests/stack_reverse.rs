use proptest::prelude::*;

use crate::util::{few_cases, filter, filter_bytes, folded_lines, output, recording, weight};

#[test]
fn the_leaf_comes_first_and_every_frame_stays() {
    let lines = "main;a;b 1\n;x 2\n# a comment\na; 3\nmain 4\n";
    let expected = "b;a;main 1\nx; 2\n# a comment\n;a 3\nmain 4\n";
    assert_eq!(filter("stack-reverse", &[], lines), expected);
}

#[test]
fn self_weights_of_a_recording_are_those_of_the_roots_of_the_reversed() {
    let folded = recording("folded/treegc-4.13.1-dwarf.folded.gz");
    let reversed = filter_bytes("stack-reverse", &[], &folded);
    assert_eq!(weight(&reversed), weight(&folded));
    let args = |by| ["--tsv", "--by", by];
    let leaves = filter("stack-top", &args("leaf"), &folded);
    assert_eq!(filter("stack-top", &args("root"), &reversed), leaves);
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn twice_reversed_is_as_before(folded in folded_lines()) {
        let reverse = |lines: &[u8]| output("stack-reverse", &[], lines).stdout;
        prop_assert_eq!(reverse(&reverse(&folded)), folded);
    }
}

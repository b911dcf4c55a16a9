//! Programs in several languages, recorded with the usual profiler of each, see
//! tests/diff/record-languages: the gate passes where nothing changed, and finds what did.

use std::ops::Range;
use std::process::Output;

use super::runs::compare;
use super::{golden, rows, stderr};

/// The recording, and the function that does 30 % more in the slower program.
const KINDS: [(&str, &str); 8] = [
    ("c", "edit_distance"),
    ("ocaml", "Queens.threats"),
    ("rust", "library::fractal::escape_time"),
    ("go", "post/grid.Spread"),
    ("node", "relax"),
    ("java", "Risk.simulate"),
    ("pyspy", "smooth"),
    ("pstats", "smooth"),
];

/// How many pairs there are of each kind and number of runs.
const PAIRS: usize = 5;

/// The recordings with these numbers; the first is 1.
fn recorded(kind: &str, numbers: Range<usize>) -> Vec<String> {
    numbers.map(|number| golden(&format!("diff/languages/{kind}-{number:02}.folded.gz"))).collect()
}

fn gate(before: &[String], after: &[String]) -> Output {
    compare(before, after, &["--tsv", "--fail-over", "2%"])
}

/// The gate's messages for pairs of recordings of one program, `runs` of each, where it fails.
fn false_alarms(runs: usize) -> Vec<String> {
    let mut said = Vec::new();
    for (kind, _) in KINDS {
        for pair in 0..PAIRS {
            let first = 1 + 2 * pair * runs;
            let [before, after] =
                [first, first + runs].map(|first| recorded(kind, first..first + runs));
            let found = gate(&before, &after);
            match found.status.code() {
                Some(0) => {}
                Some(1) => said.push(format!("{kind} {first}: {}", stderr(&found))),
                _ => panic!("{kind} {first}: {}", stderr(&found)),
            }
        }
    }
    said
}

#[test]
fn one_program_twice_seldom_fails_the_gate() {
    let of_three = false_alarms(3);
    assert!(of_three.len() <= 1, "{of_three:#?}");
    let of_one = false_alarms(1);
    assert!(of_one.len() <= 5, "{of_one:#?}");
}

/// Whether three runs of each list the slower function first, and fail the gate.
fn is_found(kind: &str, slower: &str, numbers: Range<usize>) -> bool {
    let before = recorded(kind, numbers.clone());
    let after = recorded(&format!("{kind}-slower"), numbers);
    let found = gate(&before, &after);
    let rows = rows(&compare(&before, &after, &["--tsv", "--all"]));
    let own = rows.iter().find(|row| row.function == slower).expect("it was recorded").own;
    assert!(own.before >= 30.0, "{kind}: {slower} has {:.1} % of the self weight", own.before);
    let first = super::rows(&found).into_iter().find(|row| row.own.listed);
    found.status.code() == Some(1) && first.is_some_and(|first| first.function == slower)
}

#[test]
fn a_slower_function_fails_the_gate_and_is_first_in_every_language() {
    let mut found = 0;
    for (kind, slower) in KINDS {
        let sets = [1..4, 4..7].map(|numbers| is_found(kind, slower, numbers));
        assert!(sets.contains(&true), "{kind}: {slower}");
        found += sets.iter().filter(|is_found| **is_found).count();
    }
    // One run of Go and one of Node were recorded on a busy machine and are unlike the others.
    assert!(found >= 14, "{found} of 16");
}

//! Recorded runs, see tests/diff/record: twelve of a program, and twelve of a version in which the
//! function `hot`, with a fifth of the samples, takes 20 % longer.

use std::collections::BTreeSet;
use std::process::Output;

use super::{Row, diff, golden, rows, run, stderr, stdout};
use crate::random::Random;
use crate::util::{TempFile, output, recording};

/// The number of draws, and in how many of them the check must hold: 19 of 20.
const DRAWINGS: usize = 100;
const ENOUGH: usize = DRAWINGS * 19 / 20;

/// For equal programs it holds in about 24 of 25: 100 draws could not distinguish that from 19 of
/// 20.
const EQUAL_DRAWINGS: usize = 600;
const ENOUGH_EQUAL: usize = EQUAL_DRAWINGS * 19 / 20;

/// The names of the runs of a kind.
fn runs_of(kind: &str) -> Vec<String> {
    let numbers = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"];
    numbers.iter().map(|number| golden(&format!("diff/{kind}-{number}.folded.gz"))).collect()
}

/// Compares several runs of each.
pub(super) fn compare(before: &[String], after: &[String], args: &[&str]) -> Output {
    let mut all = args.to_vec();
    for (option, paths) in [("--before", before), ("--after", after)] {
        all.push(option);
        all.extend(paths.iter().map(String::as_str));
    }
    output("stack-diff", &all, "")
}

/// `hot` and all of its callers.
pub(super) fn hot_and_its_callers() -> BTreeSet<String> {
    let mut callers = BTreeSet::from(["[whole]".to_owned()]);
    for number in ["01", "02", "03", "04", "05"] {
        let text = recording(&format!("diff/base-{number}.folded.gz"));
        let text = String::from_utf8(text).expect("UTF-8");
        for (above, _) in text.lines().filter_map(|line| line.split_once(";hot")) {
            callers.extend(above.split(';').map(str::to_owned));
        }
    }
    callers.insert("hot".to_owned());
    callers
}

#[test]
fn every_run_has_ten_thousand_samples() {
    for name in [runs_of("base"), runs_of("slower")].concat() {
        let text = String::from_utf8(output("stack-merge", &[&name], "").stdout).expect("UTF-8");
        assert!(crate::util::weight(text.as_bytes()) >= 10_000, "{name}");
    }
}

#[test]
fn of_equal_programs_nothing_is_listed() {
    let base = runs_of("base");
    for args in [&["--fail-over", "1%"][..], &["--fail-over", "1%", "--absolute"]] {
        let mut random = Random(1);
        let is_quiet = |_: &usize| {
            let drawn = random.draw(&base, 10);
            let found = compare(&drawn[..5], &drawn[5..], args);
            let text = stdout(&found);
            let is_equal = text.lines().count() == 1 && !text.contains("more than noise");
            is_equal && found.status.code() == Some(0)
        };
        let quiet = (0..EQUAL_DRAWINGS).filter(is_quiet).count();
        assert!(quiet >= ENOUGH_EQUAL, "{args:?}: {quiet} of {EQUAL_DRAWINGS}");
    }
}

#[test]
fn a_slower_function_is_listed_fails_the_gate_and_no_other_is_blamed() {
    let (base, slower, callers) = (runs_of("base"), runs_of("slower"), hot_and_its_callers());
    assert!(callers.contains("plan_step") && callers.len() < 12, "{callers:?}");
    for args in [&["--tsv", "--fail-over", "1%"][..], &["--tsv", "--fail-over", "1%", "--absolute"]]
    {
        let mut random = Random(2);
        let is_right = |_: &usize| {
            let (before, after) = (random.draw(&base, 5), random.draw(&slower, 5));
            let found = compare(&before, &after, args);
            let grown = grown(&found);
            let said = stderr(&found);
            found.status.code() == Some(1)
                && said.starts_with("stack-diff: hot: grew by ")
                && grown.contains("hot")
                && grown.is_subset(&callers)
        };
        let right = (0..DRAWINGS).filter(is_right).count();
        assert!(right >= ENOUGH, "{args:?}: {right} of {DRAWINGS}");
    }
}

#[test]
fn counts_drawn_twice_from_one_profile_are_hardly_ever_listed() {
    let text = String::from_utf8(recording("diff/base-01.folded.gz")).expect("UTF-8");
    let stacks: Vec<(&str, u64)> = text
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(stack, count)| (stack, count.parse().expect("a count")))
        .collect();
    // Each sample by the index of its stack.
    let samples: Vec<usize> =
        stacks.iter().enumerate().flat_map(|(at, &(_, n))| vec![at; n as usize]).collect();
    let mut random = Random(3);
    let mut draw = || {
        let mut counts = vec![0u64; stacks.len()];
        for _ in 0..samples.len() {
            counts[samples[random.below(samples.len())]] += 1;
        }
        let lines = stacks.iter().zip(counts).map(|((stack, _), n)| format!("{stack} {n}\n"));
        lines.collect::<String>()
    };
    let mut listed = 0;
    for _ in 0..1000 {
        let before = TempFile::new(draw());
        let found = output("stack-diff", &["--tsv", before.path(), "-"], draw());
        assert_eq!(found.status.code(), Some(0));
        listed += usize::from(!rows(&found).is_empty());
    }
    assert!(listed <= 20, "{listed} of 1000");
}

/// The names of the functions that grew.
pub(super) fn grown(found: &Output) -> BTreeSet<String> {
    rows(found).into_iter().filter(Row::is_grown).map(|row| row.function).collect()
}

/// How much the share of `hot` grew, in percent of the whole.
fn growth_of_hot(found: &Output) -> f64 {
    let hot = rows(found).into_iter().find(|row| row.function == "hot");
    hot.unwrap_or_else(|| panic!("{}", stdout(found))).own.diff
}

#[test]
fn runs_twice_as_long_give_the_same_answers_in_shares() {
    let (base, slower, callers) = (runs_of("base"), runs_of("slower"), hot_and_its_callers());
    let found = compare(&[run("double")], &slower[..5], &["--tsv"]);
    let same = compare(&base[..1], &slower[..5], &["--tsv"]);
    for found in [&found, &same] {
        // The kernel was not as busy in each single run.
        let mut grown = grown(found);
        grown.retain(|name| include_str!("../diff/work.c").contains(&format!(" {name}(")));
        assert!(grown.is_subset(&callers), "{}", stdout(found));
    }
    assert!((growth_of_hot(&found) - growth_of_hot(&same)).abs() < 0.8);
    // Each of these files holds two runs.
    let joined = |runs: &[String]| {
        let pairs = runs.chunks(2);
        let joined = pairs
            .map(|pair| TempFile::new(output("stack-merge", &[&pair[0][..], &pair[1]], "").stdout));
        joined.collect::<Vec<_>>()
    };
    let paths = |files: &[TempFile]| -> Vec<String> {
        files.iter().map(|file| file.path().to_owned()).collect()
    };
    let (base_joined, slower_joined) = (joined(&base[6..]), joined(&slower[6..]));
    let [equal, longer] = [paths(&base_joined), paths(&slower_joined)];
    assert!(rows(&compare(&base[..5], &equal, &["--tsv"])).is_empty());
    let longer = compare(&base[..5], &longer, &["--tsv"]);
    let same = compare(&base[..5], &slower[6..], &["--tsv"]);
    assert!(grown(&longer).is_subset(&callers), "{}", stdout(&longer));
    assert!((growth_of_hot(&longer) - growth_of_hot(&same)).abs() < 0.05);
}

#[test]
fn a_gate_that_is_blind_says_how_many_samples_it_needs() {
    let (base, slower) = (runs_of("base"), runs_of("slower"));
    let found = diff(&base[0], &base[1], &["--fail-over", "1%"]);
    let expected = "stack-diff: plan_step: noise may hide a growth of 2.5% of the whole; to see 1% \
                    takes about 67,000 samples before and after each, in several runs, and there \
                    are 11,013\n";
    assert_eq!((stderr(&found), found.status.code()), (expected.to_owned(), Some(0)));
    // More runs detect smaller changes.
    let found = compare(&base[..6], &base[6..], &["--fail-over", "1%"]);
    assert!(stderr(&found).contains("may hide a growth of 1.1%"), "{}", stderr(&found));
    let few = ["a 5\nb 4\n", "a 4\nb 5\n"].map(TempFile::new);
    let found = diff(few[0].path(), few[1].path(), &["--fail-over", "1%"]);
    assert!(stderr(&found).starts_with("stack-diff: new functions: noise may hide"), "{found:?}");
    assert_eq!(found.status.code(), Some(0));
    let found = diff(&base[0], &base[1], &["--fail-over", "5%"]);
    assert_eq!((stderr(&found), found.status.code()), (String::new(), Some(0)));
    let found = diff(&base[0], &slower[1], &["--fail-over", "0%"]);
    let said = "stack-diff: hot: grew by 3.15% \u{b1}1.20 of the whole before, more than 0%\n";
    assert!(stderr(&found).starts_with(said), "{}", stderr(&found));
    assert_eq!(found.status.code(), Some(1));
}

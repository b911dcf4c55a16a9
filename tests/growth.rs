//! How the work of tools grows with what is many in a profile: instructions, which do not depend on
//! what else the machine does.

use std::fmt::Write;
use std::process::Command;

use crate::needs::goes_without;
use crate::util::{TempFile, binary, stderr};

const NEEDS: &[&[&str]] = &[&["valgrind", "strip"]];

/// Twice as much may take this many times as many instructions: a little more than twice, as sorting
/// takes.
const MOST: f64 = 2.3;

/// From a number so large that the work that is always the same hides nothing.
const DOUBLINGS: u32 = 2;

/// A copy of a tool without debug information, which valgrind would read each time.
fn stripped(tool: &str) -> TempFile {
    let copy = TempFile::new("");
    let status = Command::new("strip").args(["-o", copy.path(), binary(tool)]).status();
    assert!(status.expect("it starts").success(), "{tool}");
    copy
}

/// How many instructions a program takes.
fn instructions(program: &str, args: &[&str]) -> u64 {
    let mut valgrind = Command::new("valgrind");
    // Of its tools that count instructions this one is the fastest: it keeps no call graph.
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    let output = valgrind.arg(program).args(args).output().expect("it starts");
    let said = stderr(&output);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    // ==1235== I   refs:      907,552,220
    let counted = said.lines().find_map(|line| line.split_once("refs:"));
    let (_, number) = counted.unwrap_or_else(|| panic!("no number: {said}"));
    number.trim().replace(',', "").parse().expect("a number")
}

/// Doubles the profile that `write` makes of a number.
fn assert_linear(tool: &str, args: &[&str], start: u32, write: impl Fn(u32) -> String) {
    let (program, mut before) = (stripped(tool), None);
    for count in (0..=DOUBLINGS).map(|doubling| start << doubling) {
        let file = TempFile::new(write(count));
        let now = instructions(program.path(), &[args, &[file.path()]].concat());
        if let Some(before) = before.replace(now) {
            let ratio = now as f64 / before as f64;
            assert!(ratio <= MOST, "{tool} {args:?}: {ratio:.2} times for {count}");
        }
    }
}

fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        writeln!(text, "{}", line(number)).expect("text");
        text
    })
}

/// Threads that have functions of their own.
fn threads(count: u32) -> String {
    lines(2 * count, |number| {
        let (seconds, tid) = (f64::from(number) / 1000.0, number / 2);
        format!("since={seconds:.3}\ttid={tid}\tmain;f{tid};g 10")
    })
}

#[test]
fn twice_as_many_threads_take_twice_as_long() {
    if goes_without(NEEDS) {
        return;
    }
    for format in ["firefox", "chrome"] {
        assert_linear("stack-export", &["--to", format], 2000, threads);
    }
    assert_linear("stack-heat", &["--tsv", "--by", "tid"], 2000, threads);
    assert_linear("stack-heat", &["--tsv", "--by", "tid", "--column", "0.001"], 1000, threads);
    for format in ["--tsv", "--json"] {
        assert_linear("stack-top", &["--split", "tid", format], 2000, threads);
    }
    assert_linear("stack-diff", &["--outliers", "--split", "tid"], 1000, threads);
}

#[test]
fn twice_as_many_roots_take_twice_as_long() {
    if goes_without(NEEDS) {
        return;
    }
    let roots = |count| lines(count, |number| format!("r{number};f{number} 1"));
    for format in ["--tsv", "--json"] {
        assert_linear("stack-top", &["--split", "root", format], 2000, roots);
    }
}

#[test]
fn twice_as_many_profiles_take_twice_as_long() {
    if goes_without(NEEDS) {
        return;
    }
    // Each has a function of its own, and every tenth is odd.
    let text = |number: u32| {
        let odd = if number.is_multiple_of(10) { 300 } else { 20 };
        format!("main;work 80\nmain;wait {odd}\nmain;f{number};g 9\n")
    };
    let (program, mut before) = (stripped("stack-diff"), None);
    // With this many, the odd ones are no longer all set aside one by one.
    for count in (0..=DOUBLINGS).map(|doubling| 640 << doubling) {
        let files: Vec<TempFile> = (0..count).map(|number| TempFile::new(text(number))).collect();
        let files = files.iter().map(TempFile::path);
        let args: Vec<&str> = ["--outliers"].into_iter().chain(files).collect();
        let now = instructions(program.path(), &args);
        if let Some(before) = before.replace(now) {
            let ratio = now as f64 / before as f64;
            assert!(ratio <= MOST, "{ratio:.2} times for {count}");
        }
    }
}

#[test]
fn twice_as_many_keys_of_labels_take_twice_as_long() {
    if goes_without(NEEDS) {
        return;
    }
    let keys = |count| lines(count, |number| format!("key{number}=v\tmain;f 1"));
    assert_linear("stack-export", &["--to", "tsv"], 1000, keys);
    // Of these, a column's name is another's in capital letters.
    let cases = |count| {
        lines(count, |number| {
            let letter = |bit: u32| if number >> bit & 1 == 1 { 'K' } else { 'k' };
            let key: String = (0..12).map(letter).collect();
            format!("{key}=v\tmain;f 1")
        })
    };
    assert_linear("stack-export", &["--to", "tsv"], 1000, cases);
}

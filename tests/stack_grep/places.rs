//! The parts of a frame that patterns see: names, source lines and marks.

use proptest::prelude::*;
use regex::bytes::Regex;

use super::{grep, in_brackets, outcome};
use crate::util::{few_cases, output};

const LINES: &str = "\
main (main.c:9);copy (io.c:31);memcpy_[k] 3
main (main.c:9);copy (io.c:33)_[i] 4
main (main.c:8);sum (c:d (x).c:12) 5
app;f(int);[libc.so.6] 6
";

/// The counts of the lines that are kept.
fn counts(args: &[&str]) -> String {
    let (_, kept) = outcome(args, LINES);
    kept.lines().filter_map(|line| line.rsplit(' ').next()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_pattern_sees_the_name_alone() {
    for (args, kept) in [
        (&["^memcpy$"][..], "3"),
        (&["^copy$"], "3 4"),
        (&["^sum$"], "5"),
        (&["--leaf", "^copy$"], "4"),
        (&["--root", "^main$"], "3 4 5"),
        (&["--under", "^main$", "^copy$"], "3 4"),
        (&["-w", "memcpy"], "3"),
        (&["-iw", "COPY"], "3 4"),
        (&["-v", "^main$"], "6"),
        (&["-F", "f(int)"], "6"),
        (&["^\\[libc"], "6"),
        // Neither places nor marks.
        (&["main\\.c"], ""),
        (&["-F", ".c:9"], ""),
        (&["[)0-9]$"], "6"),
        (&["k\\]$"], ""),
        (&["-F", "[k]"], ""),
    ] {
        assert_eq!(counts(args), kept, "{args:?}");
    }
}

#[test]
fn a_pattern_that_speaks_of_a_mark_sees_it() {
    for (args, kept) in [
        (&[r"_\[k\]$"][..], "3"),
        (&[r"^copy_\[i\]$"], "4"),
        (&["-F", "_[k]"], "3"),
        (&["--leaf", r"_\[[ki]\]$"], "3 4"),
        (&["--under", r"^copy$", r"_\[k\]$"], "3"),
        (&["-v", r"_\[k\]$"], "4 5 6"),
        // The whole stack is matched as it is written.
        (&["--stack", r"^main \(main.c:9\);.*_\[k\]$"], "3"),
    ] {
        assert_eq!(counts(args), kept, "{args:?}");
    }
}

#[test]
fn places_are_matched_on_their_own() {
    for (args, kept) in [
        (&["--place", "^main\\.c:9$"][..], "3 4"),
        (&["--place", "io", "--place", "x"], "3 4 5"),
        (&["--place", "io\nx"], "3 4 5"),
        (&["--place", "^c:d \\(x\\)\\.c:12$"], "5"),
        (&["--place", "int"], ""),
        // Any source line, but there must be one.
        (&["--place", ""], "3 4 5"),
        (&["-v", "--place", ""], "6"),
        (&["--place", "memcpy"], ""),
        (&["--leaf", "--place", "io"], "4"),
        (&["--root", "--place", "io"], ""),
        (&["--under", "^copy$", "--place", "io"], ""),
        (&["--under", "^main$", "--place", "io"], "3 4"),
        (&["-i", "--place", "MAIN"], "3 4 5"),
        (&["-F", "--place", "(x)"], "5"),
        (&["-w", "--place", "3"], ""),
        (&["-w", "--place", "33"], "4"),
        // One frame must match both.
        (&["-e", "^main$", "--place", "8"], "5"),
        (&["-e", "^main$", "--place", "io"], ""),
        (&["-v", "-e", "^main$", "--place", "8"], "3 4 6"),
        (&["-e", r"_\[i\]$", "--place", "io"], "4"),
        (&["-f", "/dev/null", "--place", "io"], ""),
    ] {
        assert_eq!(counts(args), kept, "{args:?}");
    }
    assert_eq!(grep(&["-c", "--place", "io"], LINES), "7 38.89%\n");
    let taken = output("stack-grep", &["--place", "io", "no-such-file"], "");
    let said = String::from_utf8_lossy(&taken.stderr).into_owned();
    assert_eq!(said, "stack-grep: no-such-file: no such file or directory\n");
    let refused = output("stack-grep", &["--stack", "--place", "io"], LINES);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn what_matched_is_coloured_where_it_is_written() {
    for (args, painted) in [
        (&["cpy$"][..], "main (main.c:9);copy (io.c:31);mem<cpy>_[k] 3\n"),
        (&["--place", "31"], "main (main.c:9);copy (io.c:<31>);memcpy_[k] 3\n"),
        (&["-e", "op", "--place", "33"], "main (main.c:9);c<op>y (io.c:<33>)_[i] 4\n"),
        (&[r"_\[i\]"], "main (main.c:9);copy (io.c:33)<_[i]> 4\n"),
        (&[r"y_\[i"], "main (main.c:9);cop<y (io.c:33)_[i>] 4\n"),
        (&["-e", r"y_\[i", "--place", "3"], "main (main.c:9);cop<y (io.c:33)_[i>] 4\n"),
    ] {
        let found = grep(&[&["--color=always"], args].concat(), LINES);
        assert_eq!(in_brackets(&found), painted, "{args:?}");
    }
}

/// A name, a place and marks.
type Parts = (&'static str, &'static str, &'static str);

fn frames() -> impl Strategy<Value = Vec<Parts>> {
    let name = prop::sample::select(vec!["a", "b", "ab", "", "f(a)", "b (a)", "[a]", "a_[x]"]);
    let place = prop::sample::select(vec!["", "", "a.c:1", ":2", "b:b (a).c:3"]);
    let marks = prop::sample::select(vec!["", "", "_[k]", "_[i]", "_[k]_[i]"]);
    prop::collection::vec((name, place, marks), 1..5)
}

fn written(frames: &[Parts]) -> String {
    let frame = |(name, place, marks): &Parts| match *place {
        "" => format!("{name}{marks}"),
        place => format!("{name} ({place}){marks}"),
    };
    frames.iter().map(frame).collect::<Vec<_>>().join(";")
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn stacks_are_kept_as_their_parts_say(
        stacks in prop::collection::vec(frames(), 1..30),
        pattern in prop::sample::select(vec!["^a$", "b$", "a", "^$", r"_\[k\]$", r"^a_\[", "c"]),
        place in prop::sample::select(vec![None, Some("a"), Some("^:"), Some("3$"), Some("")]),
        position in prop::sample::select(vec!["", "--leaf", "--root"]),
    ) {
        let stacks: Vec<_> = stacks.into_iter().filter(|stack| !written(stack).is_empty()).collect();
        let (name_regex, place_regex) =
            (Regex::new(pattern).expect("good"), place.map(|it| Regex::new(it).expect("good")));
        let matches = |(name, place, marks): &Parts| {
            let seen = if pattern.contains(r"_\[") { [*name, marks].concat() } else { (*name).into() };
            let is_placed = |it: &Regex| !place.is_empty() && it.is_match(place.as_bytes());
            name_regex.is_match(seen.as_bytes()) && place_regex.as_ref().is_none_or(is_placed)
        };
        let is_kept = |stack: &&Vec<Parts>| match position {
            "--leaf" => stack.last().is_some_and(matches),
            "--root" => stack.first().is_some_and(matches),
            _ => stack.iter().any(matches),
        };
        let line = |stack: &Vec<Parts>| format!("{} 1\n", written(stack));
        let input: String = stacks.iter().map(line).collect();
        let expected: String = stacks.iter().filter(is_kept).map(line).collect();
        let mut args = vec!["-e", pattern];
        args.extend(place.iter().flat_map(|place| ["--place", place]));
        args.extend((!position.is_empty()).then_some(position));
        let (_, kept) = outcome(&args, &input);
        prop_assert_eq!(&kept, &expected, "{:?}", args);
        // Colours are the only difference.
        args.push("--color=always");
        let (_, painted) = outcome(&args, &input);
        prop_assert_eq!(in_brackets(&painted).replace(['<', '>'], ""), expected, "{:?}", args);
    }
}

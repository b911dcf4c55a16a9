//! Labels: `--label`.

use super::{grep, outcome};
use crate::util::{TempFile, filter_bytes, output, stderr};

/// Lines of three threads, one line without labels and one of another recording.
const LINES: &str = "\
since=9.500\ttid=7\tcomm=web server\tmain;read 1
since=12.304122000\ttid=71\tcomm=web\tmain;write 2
main;read;tid=7 3
since=-3\tcomm=\tmain;read 4
tid=seven\tx.y:/-z=a=b;c\tmain;send 5
";

/// The counts of the lines that are kept; all counts are different.
fn kept(args: &[&str]) -> String {
    kept_of(args, LINES)
}

fn kept_of(args: &[&str], lines: &str) -> String {
    counts(&String::from_utf8(output("stack-grep", args, lines).stdout).expect("UTF-8"))
}

fn counts(lines: &str) -> String {
    lines.lines().map(|line| line.rsplit(' ').next().expect("a count")).collect()
}

#[test]
fn all_of_the_value_of_a_label_matches() {
    for (condition, expected) in [
        ("tid=7", "1"),
        ("tid=7.", "2"),
        ("tid=71|7", "12"),
        ("tid=7|71", "12"),
        ("tid=.*", "125"),
        ("comm=web", "2"),
        ("comm=web.*", "12"),
        ("comm=^web$", "2"),
        ("comm=", "4"),
        ("comm=.+", "12"),
        ("comm=WEB", ""),
        ("comm=seven", ""),
        ("x.y:/-z=a=b;c", "5"),
        ("x.y:/-z=.*=b;.", "5"),
        ("tid=7\n71", "12"),
        ("pid=.*", ""),
        ("ti=.*", ""),
        ("TID=7", ""),
    ] {
        assert_eq!(kept(&["--label", condition]), expected, "{condition:?}");
    }
    assert_eq!(kept(&["-i", "--label", "comm=WEB"]), "2");
    assert_eq!(kept(&["-F", "--label", "tid=7."]), "");
    assert_eq!(kept(&["-F", "--label", "x.y:/-z=a=b;c"]), "5");
    assert_eq!(kept(&["-F", "--label", "x.y:/-z=a=b"]), "");
    assert_eq!(kept(&["-w", "--label", "comm=web.*"]), "12");
}

#[test]
fn numbers_are_compared_digit_by_digit() {
    for (condition, expected) in [
        ("since>=9.5", "12"),
        ("since>=9.500000000000000000000000001", "2"),
        ("since<9.5", "4"),
        ("since>=12.304122", "2"),
        ("since>=12.304122001", ""),
        ("since<12.304122001", "124"),
        ("since<12.304122000000000000000000001", "124"),
        ("since>=-3.0", "124"),
        ("since>=-2.9", "12"),
        ("since<-3", ""),
        ("since<inf", "124"),
        ("since>=-inf", "124"),
        ("since<-inf", ""),
        ("tid>=7", "12"),
        ("tid<8", "1"),
        ("comm<inf", ""),
    ] {
        assert_eq!(kept(&["--label", condition]), expected, "{condition:?}");
        assert_eq!(kept(&["-F", "--label", condition]), expected, "{condition:?}");
    }
    let units = "bytes=4096 bytes\ta 1\nbytes=12 kB\ta 2\nbytes=x 9\ta 3\n";
    assert_eq!(kept_of(&["--label", "bytes>=100"], units), "1");
    let infinite = "since=inf\ta 1\nsince=-inf\ta 2\nsince=1\ta 3\nsince=nan\ta 4\n";
    let kept = |condition| kept_of(&["--label", condition], infinite);
    assert_eq!(kept("since>=inf"), "1");
    assert_eq!(kept("since<inf"), "23");
    assert_eq!(kept("since>=-inf"), "123");
    assert_eq!(kept("since<1"), "2");
}

#[test]
fn several_conditions_must_all_hold_and_v_turns_all_of_it_round() {
    let range = ["--label", "since>=9.5", "--label", "since<10"];
    assert_eq!(kept(&range), "1");
    assert_eq!(kept(&[&["-v"], &range[..]].concat()), "2345");
    assert_eq!(kept(&["--label", "comm=web.*", "-e", "read"]), "1");
    assert_eq!(kept(&["--label", "comm=web.*", "-e", "read", "-e", "write"]), "12");
    assert_eq!(kept(&["-v", "--label", "comm=web.*", "-e", "read"]), "2345");
    assert_eq!(kept(&["--label", "comm=.*", "--leaf", "-e", "read"]), "14");
    assert_eq!(kept(&["--label", "comm=.*", "--under", "main", "-e", "read"]), "14");
    assert_eq!(kept(&["--label", "comm=.*", "--stack", "-e", "^main;read$"]), "14");
}

#[test]
fn a_pattern_for_frames_sees_no_labels() {
    for pattern in ["tid=7", "web", "since", "server", "="] {
        for options in [&[][..], &["-F"], &["--stack"], &["--leaf"]] {
            let expected = if pattern == "tid=7" || pattern == "=" { "3" } else { "" };
            assert_eq!(kept(&[options, &[pattern]].concat()), expected, "{options:?} {pattern}");
        }
    }
    assert_eq!(kept(&["--stack", "^main;read$"]), "14");
    assert_eq!(outcome(&["-c", "read"], LINES), (0, "8 53.33%\n".to_owned()));
}

#[test]
fn with_a_label_all_operands_are_files() {
    let file = TempFile::new(LINES);
    let label = ["--label", "tid=7"];
    assert_eq!(kept(&[&label[..], &[file.path(), file.path()]].concat()), "11");
    let count = [&["-c"], &label[..], &[file.path()]].concat();
    assert_eq!(outcome(&count, ""), (0, "1 6.67%\n".to_owned()));
    let missing = output("stack-grep", &[&label[..], &["read"]].concat(), LINES);
    assert_eq!(stderr(&missing), "stack-grep: read: no such file or directory\n");
}

#[test]
fn options_of_grep_hold_for_labels_too() {
    let file = TempFile::new(LINES);
    let path = format!("{}\n", file.path());
    for (options, condition, expected) in [
        (&["-q"][..], "tid=7", (0, "")),
        (&["-q"], "tid=8", (1, "")),
        (&["-c"], "comm=web.*", (0, "3 20.00%\n")),
        (&["-c", "-v"], "comm=web.*", (0, "12 80.00%\n")),
        (&["-c", "-e", "read"], "comm=web.*", (0, "1 6.67%\n")),
        (&["-l"], "tid=7", (0, &path)),
        (&["-l"], "tid=8", (1, "")),
        (&["-L"], "tid=7", (0, "")),
        (&["-L"], "tid=8", (1, &path)),
        (&["-m1"], "comm=web.*", (0, "since=9.500\ttid=7\tcomm=web server\tmain;read 1\n")),
    ] {
        let args = [options, &["--label", condition, file.path()]].concat();
        assert_eq!(outcome(&args, ""), (expected.0, expected.1.to_owned()), "{args:?}");
    }
}

#[test]
fn only_frames_are_shown_in_colour() {
    let color = ["--color=always", "--label", "tid=7|71", "-e", "r.*"];
    let [start, end] = ["\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"];
    let expected = format!(
        "since=9.500\ttid=7\tcomm=web server\tmain;{start}read{end} 1\n\
         since=12.304122000\ttid=71\tcomm=web\tmain;w{start}rite{end} 2\n"
    );
    assert_eq!(grep(&color, LINES), expected);
    // What is kept did not match.
    let inverted = ["-v", "--color=always", "--label", "tid=7|seven", "-e", "read|write"];
    let expected: String = LINES.split_inclusive('\n').skip(1).collect();
    assert_eq!(grep(&inverted, LINES), expected);
}

#[test]
fn values_that_are_no_text_are_searched() {
    let lines = b"comm=caf\xe9\tmain 1\ncomm=caf\xc3\xa9\tmain 2\ncomm=a;b=c d\tmain 3\n";
    let kept = |label: &str| filter_bytes("stack-grep", &["--label", label], lines);
    assert_eq!(kept(r"comm=caf(?-u:\xe9)"), lines[..17]);
    assert_eq!(kept("comm=caf\u{e9}"), lines[17..35]);
    assert_eq!(kept("comm=a.*"), lines[35..]);
}

/// Without it `span>=100`, where `span` is a name, finds nothing, and nobody knows why.
#[test]
fn labels_that_no_line_has_or_that_are_no_numbers_are_named() {
    let not_there = |key, labels| {
        format!("stack-grep: none of 5 lines has the label {key}; labels of the first: {labels}\n")
    };
    let said = |args: &[&str]| stderr(&output("stack-grep", args, LINES));
    let spam = not_there("spam", "since, tid, comm");
    for options in [&[][..], &["-v"], &["-c"], &["-L"]] {
        for condition in ["spam=1", "spam>=1", "spam<1"] {
            assert_eq!(said(&[options, &["--label", condition]].concat()), spam, "{options:?}");
        }
    }
    let named = "stack-grep: the label tid is no number on 1 of 3 lines, such as 'seven'\n";
    assert_eq!(said(&["--label", "tid>=7"]), named);
    assert_eq!(said(&["--label", "tid<7"]), named);
    assert_eq!(said(&["-q", "--label", "tid<7"]), "");
    assert_eq!(said(&["--label", "tid=7"]), "");
    assert_eq!(
        said(&["--label", "since>=9", "--label", "spam=1"]),
        spam.replace("5 lines", "2 lines")
    );
    let bare = stderr(&output("stack-grep", &["--label", "span_ms>=1"], "a;b 1\na 2\n"));
    assert_eq!(bare, not_there("span_ms", "none").replace("5 lines", "2 lines"));
    assert_eq!(stderr(&output("stack-grep", &["--label", "tid=7"], "")), "");
}

#[test]
fn what_is_no_condition_is_named() {
    let key = "expected the key of a label, such as tid: a letter or _, then letters, digits and \
               _.:/-";
    let number = "expected a decimal number such as 12.304, inf or -inf";
    let form = "expected KEY=PATTERN, KEY>=NUMBER or KEY<NUMBER";
    for (condition, expected) in [
        ("a b=1", format!("--label 'a b=1': {key}")),
        ("=1", format!("--label '=1': {key}")),
        ("9=1", format!("--label '9=1': {key}")),
        ("", format!("--label '': {form}")),
        ("tid", format!("--label 'tid': {form}")),
        ("tid>7", format!("--label 'tid>7': {form}")),
        ("tid<=7", format!("--label 'tid<=7': {number}")),
        ("tid>=", format!("--label 'tid>=': {number}")),
        ("tid>=1e6", format!("--label 'tid>=1e6': {number}")),
        ("tid=a)|(b", "pattern 'a)|(b': unopened group".to_owned()),
    ] {
        let refused = output("stack-grep", &["--label", condition], LINES);
        assert_eq!(stderr(&refused), format!("stack-grep: {expected}\n"), "{condition}");
        assert_eq!(refused.status.code(), Some(2));
    }
}

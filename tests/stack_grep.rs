use proptest::prelude::*;

use crate::util::{
    TempFile, few_cases, filter, filter_bytes, folded_lines, golden_path, recording, tool, weight,
};

const SMALL: &str = "\
main;parse;caml_alloc 3
main;parse;read_line 4
main;caml_alloc_small;memset 5
main;write 6
";

fn grep(args: &[&str], input: &str) -> String {
    filter("stack-grep", args, input)
}

/// Exit status and standard output where stderr must stay silent.
fn outcome(args: &[&str], input: impl AsRef<[u8]>) -> (i32, String) {
    let output = tool("stack-grep").args(args).write_stdin(input.as_ref()).output().expect("runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    let status = output.status.code().expect("an exit status");
    (status, String::from_utf8(output.stdout).expect("UTF-8 output"))
}

#[test]
fn stacks_with_a_matching_frame_are_kept_in_order() {
    assert_eq!(
        grep(&["caml_alloc"], SMALL),
        "main;parse;caml_alloc 3\nmain;caml_alloc_small;memset 5\n"
    );
    assert_eq!(grep(&["^caml_alloc$"], SMALL), "main;parse;caml_alloc 3\n");
    assert_eq!(grep(&["-v", "parse"], SMALL), "main;caml_alloc_small;memset 5\nmain;write 6\n");
}

#[test]
fn a_pattern_sees_neither_the_separator_nor_the_count() {
    for pattern in ["main;parse", "main.parse", "main.*write", "e[^x]c", "6", " ", r"\s"] {
        assert_eq!(outcome(&[pattern], SMALL), (1, String::new()), "{pattern}");
    }
    assert_eq!(outcome(&["-F", "main;write"], SMALL), (1, String::new()));
}

#[test]
fn options_mean_what_they_mean_to_grep() {
    assert_eq!(grep(&["-i", "READ"], SMALL), "main;parse;read_line 4\n");
    assert_eq!(grep(&["-F", "rea", "-"], SMALL), "main;parse;read_line 4\n");
    assert_eq!(outcome(&["-F", "rea."], SMALL).0, 1);
    assert_eq!(grep(&["-w", "caml_alloc"], SMALL), "main;parse;caml_alloc 3\n");
    assert_eq!(grep(&["-w", "caml_alloc|write"], SMALL), "main;parse;caml_alloc 3\nmain;write 6\n");
    assert_eq!(
        grep(&["-e", "write", "-e", "read"], SMALL),
        "main;parse;read_line 4\nmain;write 6\n"
    );
    assert_eq!(grep(&["write\nread"], SMALL), "main;parse;read_line 4\nmain;write 6\n");
    assert_eq!(grep(&["-e", "-x"], "a;go-x 1\nb 2\n"), "a;go-x 1\n");
    assert_eq!(grep(&[""], SMALL), SMALL);
    let long = ["--invert-match", "--ignore-case", "--fixed-strings", "--word-regexp", "--regexp"];
    assert_eq!(grep(&[&long[..], &["MAIN"]].concat(), "main;a 1\nmain_1;b 2\n"), "main_1;b 2\n");
}

#[test]
fn whole_words_may_start_and_end_with_any_character() {
    let stacks = "Stdlib.(@) 1\nStdlib.(@)_7 2\ncaf\u{e9} 3\n";
    assert_eq!(grep(&["-wF", "(@)"], stacks), "Stdlib.(@) 1\n");
    assert_eq!(outcome(&["-w", "caf"], stacks).0, 1);
    // The first place is no word, the second one is.
    assert_eq!(grep(&["-w", "alloc"], "realloc.alloc 1\n"), "realloc.alloc 1\n");
    // The longest match is no word, a shorter one is.
    assert_eq!(grep(&["-w", "a.*"], "a bc_d 1\n"), "a bc_d 1\n");
}

#[test]
fn patterns_come_from_files_too() {
    let patterns = TempFile::new("^write$\r\nread\n");
    assert_eq!(grep(&["-f", patterns.path()], SMALL), "main;parse;read_line 4\nmain;write 6\n");
    let both = ["-e", "memset", "--file", patterns.path()];
    assert_eq!(outcome(&[&both[..], &["-c"]].concat(), SMALL), (0, "15 83.33%\n".to_owned()));

    let empty = TempFile::new("");
    assert_eq!(outcome(&["-f", empty.path()], SMALL), (1, String::new()));
    assert_eq!(grep(&["-v", "-f", empty.path()], SMALL), SMALL);
    let empty_line = TempFile::new("\n");
    assert_eq!(grep(&["-f", empty_line.path()], SMALL), SMALL);
}

#[test]
fn with_e_or_f_all_operands_are_files() {
    let file = golden_path("folded/treegc-4.13.1-dwarf.folded.gz");
    let file = file.to_str().expect("a UTF-8 path");
    assert_eq!(outcome(&["-c", "-e", "sum_nontail", file], ""), (0, "9 0.38%\n".to_owned()));
    assert_eq!(outcome(&["-c", "sum_nontail", file], ""), (0, "9 0.38%\n".to_owned()));
    let patterns = TempFile::new("sum_nontail\n");
    let twice = ["-c", "-f", patterns.path(), file, file];
    assert_eq!(outcome(&twice, ""), (0, "18 0.38%\n".to_owned()));
}

#[test]
fn a_match_can_be_asked_to_be_leaf_or_root() {
    let stacks = "a;b;c 1\nc;b;a 2\nb 3\n";
    assert_eq!(grep(&["--leaf", "a"], stacks), "c;b;a 2\n");
    assert_eq!(grep(&["--root", "a"], stacks), "a;b;c 1\n");
    assert_eq!(grep(&["--leaf", "b"], stacks), "b 3\n");
    assert_eq!(grep(&["--root", "-v", "c"], stacks), "a;b;c 1\nb 3\n");
}

#[test]
fn the_whole_stack_can_be_text() {
    let stacks = "entry;system_call;ksys_read 1\nksys_read;entry 2\n";
    assert_eq!(
        grep(&["--stack", "system_call.*sys_(read|write)"], stacks),
        "entry;system_call;ksys_read 1\n"
    );
    assert_eq!(grep(&["--stack", "^ksys.*entry$"], stacks), "ksys_read;entry 2\n");
    assert_eq!(outcome(&["--stack", "[12]"], stacks).0, 1);
}

#[test]
fn a_match_can_be_asked_to_stand_below_another() {
    let stacks = "a;b;c 1\nb;a 2\na;b;a 3\na 4\n";
    assert_eq!(grep(&["--under", "b", "a"], stacks), "b;a 2\na;b;a 3\n");
    assert_eq!(grep(&["--under", "a", "a"], stacks), "a;b;a 3\n");
    assert_eq!(grep(&["--under", "^a$", "--leaf", "b|c"], stacks), "a;b;c 1\n");
    assert_eq!(grep(&["-i", "--under", "B", "C"], stacks), "a;b;c 1\n");
    assert_eq!(grep(&["--under", "$", ""], stacks), "a;b;c 1\nb;a 2\na;b;a 3\n");
}

#[test]
fn count_is_weight_and_share() {
    assert_eq!(outcome(&["-c", "parse"], SMALL), (0, "7 38.89%\n".to_owned()));
    assert_eq!(outcome(&["--count", "-v", "parse"], SMALL), (0, "11 61.11%\n".to_owned()));
    assert_eq!(outcome(&["-c", "nothing"], SMALL), (1, "0 0.00%\n".to_owned()));
    assert_eq!(outcome(&["-c", "a"], "# comment\n"), (1, "0 0.00%\n".to_owned()));
}

#[test]
fn a_bad_pattern_is_named() {
    let output = tool("stack-grep").args(["--under", "x", "a("]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-grep: pattern 'a(': unclosed group\n"
    );
}

#[test]
fn malformed_lines_are_named_whatever_is_searched() {
    let input = "a 1\nno count\nb 2\n";
    let output = tool("stack-grep").arg("b").write_stdin(input).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"b 2\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("stack-grep: <stdin>:2: expected"), "{stderr}");
}

#[test]
fn kept_and_dropped_lines_are_the_input() {
    for name in ["treegc-4.13.1-dwarf", "treegc-5.2.0fp-fp"] {
        let input = recording(&format!("folded/{name}.folded.gz"));
        let kept = filter_bytes("stack-grep", &["caml_call_gc"], &input);
        let dropped = filter_bytes("stack-grep", &["-v", "caml_call_gc"], &input);
        assert_eq!(weight(&kept) + weight(&dropped), weight(&input));
        assert!(weight(&kept) > 0 && weight(&dropped) > 0);
    }
}

#[test]
fn names_that_are_no_utf8_are_searched_byte_by_byte() {
    let input = b"Stdlib.Map\xbal_407 1\nother 2\n";
    for args in [["-F", "Map"], ["-e", r"Map(?-u:\xba)l"], ["-e", "(?-u)^Stdlib..*407$"]] {
        assert_eq!(filter_bytes("stack-grep", &args, input), b"Stdlib.Map\xbal_407 1\n");
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn grep_and_its_inverse_part_the_input(
        input in folded_lines(),
        pattern in prop::sample::select(vec!["a", "^$", "[^a]", "b+$", "", r"\xff|a"]),
        place in prop::sample::select(vec!["--leaf", "--root", "--under=b", "--stack", "-i"]),
    ) {
        let run = |invert: &[&str]| {
            let output = tool("stack-grep").args(invert).args([place, pattern])
                .write_stdin(input.clone()).output().expect("it starts");
            prop_assert!(output.status.code() < Some(2), "{:?}", output);
            Ok(output.stdout)
        };
        let (kept, dropped) = (run(&[])?, run(&["-v"])?);
        // Merging both in the order of the input gives the input.
        let (mut kept, mut dropped) = (lines(&kept).peekable(), lines(&dropped).peekable());
        for line in lines(&input) {
            prop_assert!(kept.next_if_eq(&line).or_else(|| dropped.next_if_eq(&line)).is_some());
        }
        prop_assert!(kept.next().is_none() && dropped.next().is_none());
    }

    #[test]
    fn no_input_and_no_pattern_panics(
        input in prop::collection::vec(any::<u8>(), 0..80),
        pattern in "[a(\\[^$;*\\\\w]{0,6}",
        fixed in any::<bool>(),
    ) {
        let args = ["-e", &pattern, "--under", &pattern, if fixed { "-F" } else { "-w" }];
        let output = tool("stack-grep").args(args).write_stdin(input).output().expect("it starts");
        prop_assert!(output.status.code().is_some_and(|status| status <= 2), "{:?}", output);
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

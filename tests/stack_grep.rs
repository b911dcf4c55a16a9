mod kinds;
mod labels;
mod long_files;
mod places;

use std::io::Write;

use assert_cmd::Command;
use proptest::prelude::*;

use crate::needs::goes_without;
use crate::running::{Running, assert_silent_success, lines_of, next, start};
use crate::util::{
    TempFile, few_cases, filter, filter_bytes, folded_lines, golden_path, output, recording,
    stderr, tool, weight,
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
    // The first match is not a word, the second one is.
    assert_eq!(grep(&["-w", "alloc"], "realloc.alloc 1\n"), "realloc.alloc 1\n");
    // The longest match is not a word, a shorter one is.
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
    assert_eq!(outcome(&twice, ""), (0, format!("{file}:9 0.38%\n").repeat(2)));
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
fn several_files_have_a_count_each() {
    let (one, other) = (TempFile::new(SMALL), TempFile::new("main;parse 1\n"));
    let (one, other) = (one.path(), other.path());
    let files = [one, other];
    let count = |args: &[&str], files: &[&str]| outcome(&[args, &["parse"], files].concat(), SMALL);
    let named = format!("{one}:7 38.89%\n{other}:1 100.00%\n");
    assert_eq!(count(&["-c"], &files), (0, named.clone()));
    assert_eq!(count(&["-c", "--no-filename", "-H"], &files), (0, named));
    for args in [&["-c", "--no-filename"][..], &["-c", "-H", "--no-filename"]] {
        assert_eq!(count(args, &files), (0, "7 38.89%\n1 100.00%\n".to_owned()));
    }
    assert_eq!(count(&["-c", "-H"], &[one]), (0, format!("{one}:7 38.89%\n")));
    assert_eq!(count(&["-c", "--with-filename"], &[]), (0, "<stdin>:7 38.89%\n".to_owned()));
    let either = [other, "-"];
    assert_eq!(count(&["-c"], &either), (0, format!("{other}:1 100.00%\n<stdin>:7 38.89%\n")));
}

#[test]
fn a_file_that_is_not_there_has_no_count_and_one_that_is_cut_has_one() {
    let whole = std::fs::read(golden_path("folded/treegc-4.13.1-dwarf.folded.gz")).expect("a file");
    let cut = TempFile::new(&whole[..whole.len() / 2]);
    let output = output("stack-grep", &["-c", "", "/no/such/file", cut.path()], "");
    assert_eq!(output.status.code(), Some(2));
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let count = printed.strip_prefix(&format!("{}:", cut.path())).expect("the name");
    assert!(count.ends_with(" 100.00%\n") && count.lines().count() == 1, "{printed}");
    assert!(!count.starts_with("0 "), "{printed}");
}

/// The output and the exit status of GNU grep.
fn gnu_grep(args: &[&str], input: &str) -> (i32, String) {
    let output = Command::new("grep").args(args).write_stdin(input).output().expect("grep starts");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let status = output.status.code().expect("an exit status");
    (status, printed.replace("(standard input)", "<stdin>"))
}

#[test]
fn options_that_stop_early_do_what_they_do_in_grep() {
    if goes_without(&[&["grep"]]) {
        return;
    }
    // A stack of one frame is a line. grep's -h suppresses names before lines.
    let input = "a 7\nc 8\n";
    let texts = ["a 1\nb 2\nc 3\n", "x 1\n", "a 1\na 2\nb 3\n", ""].map(TempFile::new);
    let files: Vec<&str> = texts.iter().map(TempFile::path).collect();
    let missing = "/no/such/file";
    let operands = [
        &files[..],
        &files[1..],
        &files[3..],
        &[],
        &["-"],
        &[missing, files[0]],
        &[files[0], missing],
    ];
    let all_options = "-l|-L|-lv|-Lv|-q|-qv|-ql|-lm1|-m0|-lm0|-Lm0|-qm0|-m1|-m2|-vm1|-E|-F|-Fm1|\
        --files-with-matches|--files-without-match|--quiet|--max-count=1|--extended-regexp";
    for options in all_options.split('|') {
        for pattern in ["^a", "^z", "^"] {
            for files in operands {
                let args = [&[options, pattern], files].concat();
                let output = output("stack-grep", &args, input);
                let printed = String::from_utf8(output.stdout).expect("UTF-8");
                let status = output.status.code().expect("an exit status");
                let expected = gnu_grep(&[&["-h"], &args[..]].concat(), input);
                assert_eq!((status, printed), expected, "{args:?}");
            }
        }
    }
}

#[test]
fn nothing_is_read_after_what_was_asked_for() {
    for (args, expected) in [
        (&["-q", "b"][..], None),
        (&["-l", "b"], Some("<stdin>")),
        (&["-m1", "b"], Some("a;b 1")),
        (&["-q", "b", "-", "/no/such/file"], None),
    ] {
        let Running { mut child, mut stdin } = start("stack-grep", args);
        let lines = lines_of(&mut child);
        stdin.write_all(b"a 1\na;b 1\n").expect("it reads");
        // The input stays open.
        assert_silent_success("stack-grep", child);
        assert_eq!(next(&lines).as_deref(), expected, "{args:?}");
        assert_eq!(next(&lines), None, "{args:?}");
    }
}

#[test]
fn a_match_is_found_whatever_was_wrong_before() {
    let broken = "no count\nmain;parse 1\n";
    let status = |args: &[&str]| output("stack-grep", args, broken).status.code();
    assert_eq!(status(&["-q", "parse"]), Some(0));
    assert_eq!(status(&["-q", "parse", "/no/such/file", "-"]), Some(0));
    assert_eq!(status(&["-q", "nothing"]), Some(2));
    assert_eq!(status(&["-l", "parse"]), Some(2));
}

#[test]
fn a_pattern_of_a_whole_name_is_told_the_short_one() {
    let stderr = |args: &[&str], input: &str| {
        let output = output("stack-grep", args, input);
        assert_eq!(output.status.code(), Some(if output.stdout.is_empty() { 1 } else { 0 }));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let (short, whole) = ("std::vector<int>::at(int) 1\n", "f(std::allocator<int>) 1\n");
    let pattern = "std::vector<int, std::allocator<int> >::at";
    let expected = "stack-grep: names are short: look for 'std::vector<int>::at', or \
                    stack-demangle --full-names keeps whole ones\n";
    assert_eq!(stderr(&["-F", pattern], short), expected);
    assert!(stderr(&["__cxx11"], short).starts_with("stack-grep: names are short, 'std::string'"));
    // What is found, what names do not lack, and silence that is asked for.
    for (args, input) in [
        (&["allocator<"][..], whole),
        (&["vector"], short),
        (&["nothing"], short),
        (&["-q", "allocator<"], short),
        (&["allocator<"], ""),
    ] {
        assert_eq!(stderr(args, input), "");
    }
}

#[test]
fn comments_are_passed_on_up_to_the_last_stack() {
    let input = "# unit: ns\na 1\n# between\na 2\n# behind\na 3\n";
    assert_eq!(grep(&["-m2", "a"], input), "# unit: ns\na 1\n# between\na 2\n");
}

/// `text` with brackets where a match in colour starts and ends.
pub(crate) fn in_brackets(text: &str) -> String {
    text.replace("\x1b[01;31m\x1b[K", "<").replace("\x1b[m\x1b[K", ">")
}

#[test]
fn matches_are_shown_in_colour() {
    let stacks = "a;b;a 1\nb;ab 2\n";
    for (args, expected) in [
        (&["a"][..], "<a>;b;<a> 1\nb;<a>b 2\n"),
        (&["--leaf", "a"], "a;b;<a> 1\nb;<a>b 2\n"),
        (&["--root", "a"], "<a>;b;a 1\n"),
        (&["--under", "b", "a"], "a;b;<a> 1\nb;<a>b 2\n"),
        (&["--stack", "a;b"], "<a;b>;a 1\n"),
        (&["-iw", "A|AB"], "<a>;b;<a> 1\nb;<ab> 2\n"),
        (&["-v", "ab"], "a;b;a 1\n"),
        (&[""], "a;b;a 1\nb;ab 2\n"),
        (&["x*"], "a;b;a 1\nb;ab 2\n"),
    ] {
        let painted = grep(&[&["--color=always"], args].concat(), stacks);
        assert_eq!(in_brackets(&painted), expected, "{args:?}");
        for never in [&[][..], &["--color"], &["--color=auto"], &["--color=never"]] {
            let plain = grep(&[never, args].concat(), stacks);
            assert_eq!(plain, expected.replace(['<', '>'], ""), "{never:?} {args:?}");
        }
    }
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
        // Merging both in the order of the input restores the input.
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

/// Lines of all kinds before, between and after those in which a text is found.
const MIXED: &[u8] = b"\
# event: cycles
main;alloc 3
no count alloc
main;read 4\r

# end 1.000
main;alloc;a\tb\x1b 5\r
no count
main;\x1b[1malloc;write 7
 12
main;ALLOC;alloc_ 8
main;write 18446744073709551616
main;write 00000000000000000000000000000007
# alloc 2
#alloc 1
main;7 alloc
alloc 99;alloc 10
\xff;write;alloc\xff 11
main;caml_alloc 12
main;under;alloc 13
main;last 14";

#[test]
fn a_text_is_looked_for_in_many_lines_as_in_each_of_them() {
    // No line matches. Since the pattern has a space, each line is searched by itself.
    let each_line = ["-e", "of no line"];
    for text in ["alloc", "write", "of_no_line", "7", "main", "alloc 99", "last", "^alloc$"] {
        for how in [
            "-F",
            "-E",
            "-c",
            "-q",
            "-l",
            "-L",
            "-m1",
            "-m2",
            "-w",
            "-i",
            "-v",
            "--leaf",
            "--root",
            "--stack",
            "--under=under",
            "--color=always",
        ] {
            let args = ["--stats", how, "-e", text];
            let found = output("stack-grep", &args, MIXED);
            let expected = output("stack-grep", &[&args[..], &each_line].concat(), MIXED);
            assert_eq!(found, expected, "{args:?}");
        }
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn lines_of_any_bytes_are_searched_alike(
        lines in prop::collection::vec(prop::sample::select(b"ab; 1#\t\r\n\n\xff".to_vec()), 0..60),
    ) {
        let found = output("stack-grep", &["--stats", "-F", "a"], &lines);
        let expected = output("stack-grep", &["--stats", "-F", "-e", "a", "-e", "of no line"], &lines);
        prop_assert_eq!((found.status, &found.stdout), (expected.status, &expected.stdout));
        // A message about lines of another format shows the command.
        let expected = stderr(&expected).replace("-F -e a -e 'of no line'", "-F a");
        prop_assert_eq!(stderr(&found), expected);
    }
}

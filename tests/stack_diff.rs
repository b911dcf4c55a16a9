use std::collections::BTreeMap;
use std::fs::File;
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;

use crate::util::{
    TempFile, binary, few_cases, filter, folded_lines, golden_path, output, tool, weight,
};

// Names of a function, and of runs.
mod names;

// Which function comes first.
mod order;

// The number of samples, and where it comes from.
mod samples;

// The outlier among many profiles.
mod outliers;

// Recorded runs: which changes are found, which are not, and the result of the gate.
mod runs;

// Recorded runs of programs in several languages.
mod languages;

// Comparisons that Python computes, too.
mod oracle;

/// The path of a recorded run, see tests/diff/record.
fn run(name: &str) -> String {
    golden(&format!("diff/{name}.folded.gz"))
}

fn golden(file: &str) -> String {
    golden_path(file).to_str().expect("UTF-8").to_owned()
}

/// The output of stack-diff for two files.
fn diff(before: &str, after: &str, args: &[&str]) -> Output {
    output("stack-diff", &[args, &[before, after]].concat(), "")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// A row of `--tsv`.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    function: String,
    own: Change,
    total: Change,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    before: f64,
    after: f64,
    diff: f64,
    error: f64,
    listed: bool,
}

impl Row {
    fn is_grown(&self) -> bool {
        [self.own, self.total].iter().any(|change| change.listed && change.diff > 0.0)
    }
}

/// The rows of `--tsv`, without the titles.
fn rows(output: &Output) -> Vec<Row> {
    let text = stdout(output);
    let change = |cells: &[&str]| {
        let number = |cell: usize| cells[cell].parse().unwrap_or(f64::NAN);
        Change {
            before: number(0),
            after: number(1),
            diff: number(2),
            error: number(3),
            listed: cells[4] == "1",
        }
    };
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), 11, "{line}");
        let (own, total) = (change(&cells[1..6]), change(&cells[6..]));
        Row { function: cells[0].to_owned(), own, total }
    });
    rows.collect()
}

const BEFORE: &str = "main;parse;read 4021\nmain;parse 1003\nmain;render;draw 4976\n";
const AFTER: &str = "main;parse;read 4010\nmain;parse 1017\nmain;render;draw 6214\n";

#[test]
fn the_first_line_has_both_totals_their_change_and_how_much_changed() {
    let [before, after] = [BEFORE, AFTER].map(TempFile::new);
    let first = |args: &[&str]| {
        let text = stdout(&diff(before.path(), after.path(), args));
        text.lines().next().expect("a line").to_owned()
    };
    let line = "total 10,000 -> 11,241 (+12.4% \u{b1}4.2); 4 of 5 functions changed";
    assert_eq!(first(&[]), line);
    assert_eq!(first(&["--all"]), line);
    assert_eq!(first(&["--markdown"]), line.replace("->", "\u{2192}"));
    let line =
        "total 10,000 -> 11,241 (+12.4% \u{b1}4.2, more than noise); 3 of 5 functions changed";
    assert_eq!(first(&["--absolute"]), line);
}

#[test]
fn shares_of_unlike_totals_are_said_to_be_shares() {
    let said = "Shares of unlike totals are compared; --absolute compares the weights.\n";
    let profiles =
        ["main;a 200\nmain;b 135\n", "main;a 40\nmain;b 110\n", "main;a 70\nmain;b 270\n"];
    let files = profiles.map(TempFile::new);
    let [slow, fast, other] = files.each_ref().map(TempFile::path);
    assert!(stdout(&diff(slow, fast, &[])).ends_with(said));
    assert!(!stdout(&diff(slow, fast, &["--absolute"])).contains(said));
    assert!(!stdout(&diff(slow, other, &[])).contains(said));
}

#[test]
fn the_table_is_aligned_and_fits_a_terminal() {
    let runs = |kind: &str| ["01", "02", "03", "04", "05"].map(|it| run(&format!("{kind}-{it}")));
    let (before, after) = (runs("base"), runs("slower"));
    let args = ["--all", "--before"].map(str::to_owned).into_iter().chain(before);
    let args = args.chain(["--after".to_owned()]).chain(after).collect::<Vec<_>>();
    let text = filter("stack-diff", &args.iter().map(String::as_str).collect::<Vec<_>>(), "");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..6],
        [
            "total 10,955 -> 11,363 a run (+3.7% \u{b1}1.8); 2 of 276 functions changed",
            "",
            "SELF %                     TOTAL %",
            "before after  diff         before  after  diff         FUNCTION",
            " 19.92 23.32 +3.41 \u{b1}0.54*   20.23  23.67 +3.44 \u{b1}0.54*  hot",
            " 14.78 14.04 -0.75 \u{b1}0.54    14.97  14.23 -0.74 \u{b1}0.52   user_copy",
        ]
    );
    let rows = &lines[3..lines.len() - 3];
    assert_eq!(rows.len(), 1 + 276);
    let start = rows[0].find("FUNCTION").expect("a title");
    for row in rows {
        let numbers: String = row.chars().take(start).collect();
        assert!(numbers.ends_with("  "), "{row}");
        let name: String = row.chars().skip(start).collect();
        assert!(!name.is_empty() && !name.starts_with(' '), "{row}");
    }
    // Names may be long, but numbers are not.
    assert!(start <= 56, "{text}");
    assert!(lines[lines.len() - 2].starts_with("* noise does not explain it"), "{text}");
    assert!(lines[lines.len() - 1].ends_with("vary by 1.0%."), "{text}");
}

#[test]
fn a_function_is_counted_once_in_each_stack() {
    let profile = "main;f;g;f 3000\nmain;f 1000\nmain;h 6001\n";
    let [before, after] = [profile; 2].map(TempFile::new);
    let all = rows(&diff(before.path(), after.path(), &["--all", "--absolute", "--tsv"]));
    let totals: BTreeMap<&str, f64> =
        all.iter().map(|row| (&row.function[..], row.total.before)).collect();
    assert_eq!(
        totals,
        [("[whole]", 10001.0), ("f", 4000.0), ("g", 3000.0), ("h", 6001.0), ("main", 10001.0)]
            .into_iter()
            .collect()
    );
    assert!(all.iter().all(|row| row.total.diff == 0.0 && !row.total.listed));
}

#[test]
fn an_empty_or_unreadable_profile_is_an_error_and_nothing_is_printed() {
    let [good, empty, malformed] =
        [BEFORE, "# unit: samples\n\nmain 0\n", "no count\n"].map(TempFile::new);
    let what = "expected folded stacks that weigh something, found none\n";
    for args in [&[][..], &["--folded"], &["--tsv"], &["--fail-over", "1"]] {
        let found = diff(good.path(), empty.path(), args);
        assert_eq!(stderr(&found), format!("stack-diff: {}: {what}", empty.path()));
        assert_eq!((found.status.code(), stdout(&found)), (Some(2), String::new()), "{args:?}");
        let found = diff("no/such/file", malformed.path(), args);
        let said = stderr(&found);
        assert!(
            said.starts_with("stack-diff: no/such/file: no such file or directory\n"),
            "{said}"
        );
        assert!(said.ends_with(&format!("stack-diff: {}: {what}", malformed.path())), "{said}");
        assert_eq!((found.status.code(), stdout(&found)), (Some(2), String::new()), "{args:?}");
    }
    let found = diff("-", "-", &[]);
    assert_eq!(found.status.code(), Some(2));
    assert!(stderr(&found).contains("standard input can be read only once"));
}

#[test]
fn a_malformed_line_is_named_and_the_rest_is_compared() {
    let [before, after] = [format!("{BEFORE}main;x\n"), AFTER.to_owned()].map(TempFile::new);
    let found = diff(before.path(), after.path(), &["--fail-over", "90"]);
    let what = "expected 'frame;frame count', found no count at the end";
    assert_eq!(stderr(&found), format!("stack-diff: {}:4: {what}\n", before.path()));
    assert!(stdout(&found).starts_with("total 10,000 -> 11,241 "));
    assert_eq!(found.status.code(), Some(2));
}

#[test]
fn standard_input_and_compressed_files_are_read() {
    let (base, slower) = (run("base-01"), run("slower-01"));
    let packed = diff(&base, &slower, &["--tsv"]);
    let unpacked = crate::util::recording("diff/slower-01.folded.gz");
    let piped = output("stack-diff", &["--tsv", &base, "-"], &unpacked);
    assert_eq!(packed, piped);
    assert_eq!(
        rows(&packed).iter().map(|row| &row.function[..]).collect::<Vec<_>>(),
        ["hot", "plan_step"]
    );
}

#[test]
fn names_of_any_bytes_survive() {
    let before = TempFile::new(b"a\xff|`b\" 5000\nmain 5001\n");
    let after = TempFile::new(b"a\xff|`b\" 1000\nmain 5001\n");
    let run = |args: &[&str]| diff(before.path(), after.path(), args).stdout;
    let contains = |text: Vec<u8>, name: &[u8]| text.windows(name.len()).any(|at| at == name);
    assert!(contains(run(&[]), b"  a\\xFF|`b\"\n"));
    assert!(contains(run(&["--folded"]), b"a\xff|`b\" 5000 1000\n"));
    assert!(contains(run(&["--markdown"]), b"| ``a\\xFF\\|`b\"`` | 50.00 "));
    let json: serde_json::Value = serde_json::from_slice(&run(&["--json"])).expect("JSON");
    // One function gained what the other lost: either may come first.
    let rows = json["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["function"] == "a\\xFF|`b\""), "{json}");
}

#[test]
fn json_says_what_the_table_says() {
    let found = diff(&run("base-01"), &run("slower-01"), &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    assert_eq!(json["unit"], "%");
    assert_eq!(json["before"]["samples"], 10850.0);
    assert_eq!(
        (&json["total"]["before"], &json["total"]["after"]),
        (&10850.0.into(), &11356.0.into())
    );
    assert_eq!(
        (&json["functions"], &json["changed"], &json["noise"]),
        (&212.into(), &2.into(), &1.0.into())
    );
    let hot = &json["rows"][0];
    assert_eq!((&hot["function"], &hot["self"]["listed"]), (&"hot".into(), &true.into()));
    let table = rows(&diff(&run("base-01"), &run("slower-01"), &["--tsv"]));
    let error = hot["total"]["error"].as_f64().expect("a number");
    assert!((error - table[0].total.error).abs() < 1e-4);
}

/// A profile in nanoseconds, each sample of another length, as if drawn at random.
fn times(samples: &str) -> String {
    let line = |(stack, count): (&str, &str)| {
        let count: u64 = count.parse().expect("a count");
        format!("{stack} {}\n", count * 1_000_357 + count * count % 1009)
    };
    samples.lines().filter_map(|line| line.rsplit_once(' ')).map(line).collect()
}

#[test]
fn weights_that_are_no_counts_need_several_runs() {
    let text = |name: &str| {
        String::from_utf8(crate::util::recording(&format!("diff/{name}.folded.gz"))).expect("UTF-8")
    };
    let numbers = ["01", "02", "03", "04", "05"];
    let side = |kind: &str| numbers.map(|it| TempFile::new(times(&text(&format!("{kind}-{it}")))));
    let (before, after) = (side("base"), side("slower"));
    // With one run of each, it is known only that each stack has a sample.
    let found = diff(before[0].path(), after[0].path(), &["--all", "--fail-over", "2%"]);
    assert_eq!(found.status.code(), Some(0));
    let last = "The weights are not counts of samples: each stack is taken for one sample.\n";
    assert!(stdout(&found).ends_with(last), "{found:?}");
    let first = "functions changed";
    assert!(stdout(&found).lines().next().expect("a line").ends_with(first));
    assert!(stdout(&found).contains("; 0 of "), "{found:?}");
    let found = diff(before[0].path(), after[0].path(), &["--folded"]);
    assert_eq!((found.status.code(), stderr(&found)), (Some(0), String::new()));
    let paths = |side: &'_ [TempFile; 5]| side.each_ref().map(|file| file.path().to_owned());
    let [before, after] = [paths(&before), paths(&after)];
    for args in [&["--tsv"][..], &["--tsv", "--absolute"]] {
        let found = runs::compare(&before, &after, args);
        let grown = runs::grown(&found);
        assert!(grown.contains("hot"), "{args:?}: {grown:?}");
        assert!(grown.is_subset(&runs::hot_and_its_callers()), "{args:?}: {grown:?}");
    }
    // The number of samples follows from how much the runs vary: 54,775.
    let found = runs::compare(&before, &after, &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let samples = json["before"]["samples"].as_f64().expect("a number");
    assert!((30_000.0..90_000.0).contains(&samples), "{samples}");
}

#[test]
fn a_profile_with_whole_names_and_one_with_short_names_differ_in_nothing() {
    let whole = "\
main;void std::sort<int*>(int*, int*);std::vector<int, std::allocator<int> >::at(unsigned long) 40
main;<alloc::vec::Vec<u8> as core::ops::drop::Drop>::drop 30
main;std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() 30
";
    let short = filter("stack-demangle", &[], whole);
    assert!(short.contains(";std::sort<int*>(int*, int*);std::vector<int>::at("), "{short}");
    let [whole, short] = [whole, &short].map(TempFile::new);
    for (before, after) in [(whole.path(), short.path()), (short.path(), whole.path())] {
        let output = diff(before, after, &["--tsv", "--all"]);
        let rows = rows(&output);
        assert_eq!(rows.len(), 5, "{}", stdout(&output));
        assert!(rows.iter().all(|row| !row.is_grown()), "{}", stdout(&output));
        let pairs = stdout(&diff(before, after, &["--folded"]));
        assert!(pairs.lines().all(|line| {
            let mut counts = line.rsplit(' ');
            counts.next() == counts.next()
        }));
        assert_eq!(pairs.lines().count(), 3, "{pairs}");
    }
}

#[test]
fn functions_that_moved_in_the_source_did_not_change() {
    let at = |line: u32| format!("main (a.c:{line});f (b.c:{line})_[i] 4021\nmain (a.c:7) 1003\n");
    let [before, after] = [at(9), at(12)].map(TempFile::new);
    let all = rows(&diff(before.path(), after.path(), &["--all", "--tsv"]));
    assert_eq!(all.iter().map(|row| &row.function[..]).collect::<Vec<_>>(), ["main", "f"]);
    assert!(all.iter().all(|row| row.own.diff == 0.0 && row.total.diff == 0.0), "{all:?}");
    let pairs = diff(before.path(), after.path(), &["--folded"]);
    assert_eq!(stdout(&pairs), "main 1003 1003\nmain;f 4021 4021\n");
    let marks = TempFile::new("_[k] 1\n");
    assert_eq!(stdout(&diff(marks.path(), marks.path(), &["--folded"])), "_[k] 1 1\n");
}

#[test]
fn a_unit_that_a_header_names_is_shown_and_makes_counts_of_samples() {
    let heavy = |unit: &str| {
        [4021, 4976]
            .map(|own| TempFile::new(format!("# unit: {unit}\nmain;f {own}001\nmain;g 3001007\n")))
    };
    let [before, after] = heavy("samples");
    let found = diff(before.path(), after.path(), &["--absolute"]);
    assert!(stdout(&found).starts_with("total 7,022,008 -> 7,977,008 samples ("), "{found:?}");
    let [before, after] = heavy("bytes");
    let found = diff(before.path(), after.path(), &[]);
    assert!(stdout(&found).contains("; 0 of 3 functions changed"), "{found:?}");
    let tens = [4020, 4980].map(|own| TempFile::new(format!("# unit: ms\nf {own}0\ng 30000\n")));
    let found = diff(tens[0].path(), tens[1].path(), &["--absolute"]);
    assert!(stdout(&found).starts_with("total 70.2 s -> 79.8 s ("), "{found:?}");
}

#[test]
fn pairs_are_what_stack_svg_draws() {
    let [before, after] = ["a;b 3\na 2\nc 1\n", "a;b 1\na;b 1\nd 9\n"].map(TempFile::new);
    let found = stdout(&diff(before.path(), after.path(), &["--folded"]));
    assert_eq!(found, "a 2 0\na;b 3 2\nc 1 0\nd 0 9\n");
    let picture = filter("stack-svg", &["--diff"], &found);
    assert!(picture.contains("<title>d ("), "{picture}");
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    let (base, slower) = (run("base-01"), run("slower-01"));
    for args in [&[][..], &["--all"], &["--tsv"], &["--json"], &["--markdown"], &["--folded"]] {
        let started = |stdout: Stdio| {
            let mut command = Command::new(binary("stack-diff"));
            command.args(args).args([&base, &slower]).stdout(stdout).stderr(Stdio::piped());
            command.spawn().expect("it starts")
        };
        let full = File::options().write(true).open("/dev/full").expect("/dev/full");
        let found = started(full.into()).wait_with_output().expect("it ends");
        assert_eq!(stderr(&found), "stack-diff: <stdout>: no space left on device\n", "{args:?}");
        assert_eq!(found.status.code(), Some(2), "{args:?}");
        let mut child = started(Stdio::piped());
        drop(child.stdout.take());
        let found = child.wait_with_output().expect("it ends");
        assert_eq!((found.status.code(), stderr(&found)), (Some(0), String::new()), "{args:?}");
    }
}

#[test]
fn the_accounts_balance() {
    let [before, after] = [BEFORE, AFTER].map(TempFile::new);
    for args in [&["--stats"][..], &["--stats", "--folded"]] {
        let said = stderr(&diff(before.path(), after.path(), args));
        let all = "weight 21241";
        assert!(said.contains(&format!("in 6 lines {all}, out ")), "{said}");
        assert_eq!(said.matches(all).count(), 2, "{said}");
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn pairs_hold_the_weights_of_both(before in folded_lines(), after in folded_lines()) {
        prop_assume!(weight(&before) > 0 && weight(&after) > 0);
        let sums = |folded: &[u8]| {
            let mut sums = BTreeMap::<Vec<u8>, u64>::new();
            for line in folded.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                let space = line.iter().rposition(|&byte| byte == b' ').expect("a space");
                let count = std::str::from_utf8(&line[space + 1..]).expect("digits");
                *sums.entry(line[..space].to_vec()).or_default() += count.parse::<u64>().expect("it");
            }
            sums.retain(|_, sum| *sum > 0);
            sums
        };
        let files = [TempFile::new(&before), TempFile::new(&after)];
        let pairs = diff(files[0].path(), files[1].path(), &["--folded", "--exact-functions"]);
        let after_of_pairs = sums(&pairs.stdout);
        let mut both = BTreeMap::<Vec<u8>, [u64; 2]>::new();
        for (side, sums) in [sums(&before), sums(&after)].into_iter().enumerate() {
            for (stack, sum) in sums {
                both.entry(stack).or_default()[side] = sum;
            }
        }
        let expected: BTreeMap<Vec<u8>, u64> = both
            .into_iter()
            .map(|(stack, [one, other])| ([&stack[..], format!(" {one}").as_bytes()].concat(), other))
            .filter(|(_, other)| *other > 0)
            .collect();
        prop_assert_eq!(after_of_pairs, expected);
    }

    #[test]
    fn the_other_way_round_everything_is_reversed(before in folded_lines(), after in folded_lines()) {
        prop_assume!(weight(&before) > 0 && weight(&after) > 0);
        let files = [TempFile::new(&before), TempFile::new(&after)];
        let by_name = |before: &TempFile, after: &TempFile| {
            let found = diff(before.path(), after.path(), &["--tsv", "--all", "--exact-functions"]);
            let key = |row: Row| (row.function.clone(), row);
            rows(&found).into_iter().map(key).collect::<BTreeMap<_, _>>()
        };
        let there = by_name(&files[0], &files[1]);
        let back = by_name(&files[1], &files[0]);
        prop_assert_eq!(there.keys().collect::<Vec<_>>(), back.keys().collect::<Vec<_>>());
        for (row, other) in there.values().zip(back.values()) {
            for (one, other) in [(row.own, other.own), (row.total, other.total)] {
                prop_assert_eq!((one.before, one.after), (other.after, other.before));
                prop_assert_eq!((one.error, one.listed), (other.error, other.listed));
            }
        }
    }
}

#[test]
fn bad_percentages_are_named() {
    for option in ["--fail-over", "--noise"] {
        let found = tool("stack-diff").args([option, "1x", "a", "b"]).output().expect("it starts");
        let said = stderr(&found);
        assert!(said.contains("expected a percentage from 0 to 100, such as 1%"), "{said}");
        assert_eq!(found.status.code(), Some(2));
    }
}

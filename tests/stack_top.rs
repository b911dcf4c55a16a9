//! The table of functions, compared with the counts of other programs: Python and perf.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use serde_json::Value;

use crate::needs::{OCAML, goes_without, skip};
use crate::programs::APP;
use crate::util::{
    TempFile, binary, few_cases, filter, filter_bytes, folded_lines, output, recording, tool,
};

// The time of own code.
mod own;
// The columns of --split.
mod split;
// The tree of calls.
mod tree;
// The tree below some functions.
mod under;
// Intervals without weight.
mod intervals;

/// Self and total of every function, and the number of stacks that have a function twice.
const ORACLE: &str = "
import sys
own, total, recursive = {}, {}, 0
for line in sys.stdin.buffer.read().decode('latin-1').split('\\n'):
    if not line: continue
    stack, count = line.rsplit(' ', 1)
    frames = stack.split(';')
    recursive += len(set(frames)) < len(frames)
    for f in set(frames): total[f] = total.get(f, 0) + int(count)
    own[frames[-1]] = own.get(frames[-1], 0) + int(count)
print(recursive)
for f in sorted(total): print(f, own.get(f, 0), total[f], sep='\\t')
";

/// Python's results: the number of recursive stacks, and a line for each function.
fn oracle(folded: &[u8]) -> (u64, String) {
    let file = TempFile::new(folded);
    let command = format!("python3 -c \"$0\" < {}", file.path());
    let output = Command::new("sh").args(["-c", &command, ORACLE]).output().expect("sh");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let (recursive, lines) = text.split_once('\n').expect("python3");
    (recursive.parse().expect("a number"), lines.to_owned())
}

/// The rows of `--tsv` without its first line.
fn rows(args: &[&str], folded: &[u8]) -> String {
    let tsv = filter("stack-top", &[&["--tsv"], args].concat(), folded);
    tsv.split_once('\n').expect("a first line").1.to_owned()
}

#[test]
fn self_and_total_are_those_that_python_counts() {
    if goes_without(&[&["python3"]]) {
        return;
    }
    for name in [
        "treegc-4.13.1-dwarf",
        "treegc-5.2.0fp-fp",
        "packbench-4.13.1-dwarf",
        "java-17-fp",
        "rust-rayon-dwarf",
    ] {
        let folded = recording(&format!("folded/{name}.folded.gz"));
        let (recursive, expected) = oracle(&folded);
        assert!(recursive > 10, "{name}: {recursive} recursive stacks");
        assert_eq!(rows(&["--sort", "name"], &folded), expected, "{name}");
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn rows_are_those_of_python_whatever_the_lines(folded in folded_lines()) {
        if goes_without(&[&["python3"]]) {
            return Ok(());
        }
        let output = output("stack-top", &["--tsv", "--sort", "name"], &folded);
        let printed = String::from_utf8_lossy(&output.stdout).replace("\\xFF", "\u{ff}");
        let expected: String = oracle(&folded).1.lines().filter(|line| !line.ends_with("\t0"))
            .map(|line| format!("{line}\n")).collect();
        let rows = printed.split_once('\n').map_or("", |it| it.1);
        prop_assert_eq!(rows, expected);
    }

    #[test]
    fn callers_and_callees_add_up_to_the_function(folded in folded_lines()) {
        let args = ["--json", "--callers", "", "--callees", ""];
        let output = output("stack-top", &args, &folded);
        if output.stdout.is_empty() {
            return Ok(());
        }
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for row in json["rows"].as_array().expect("rows") {
            for relation in ["callers", "callees"] {
                let relatives = row[relation].as_array().expect("relatives");
                let sum: u64 = relatives.iter().filter_map(|it| it["weight"].as_u64()).sum();
                prop_assert_eq!(Some(sum), row["total"].as_u64(), "{}", row);
            }
        }
    }
}

/// The shares that `perf report` prints for each symbol, in percent.
fn perf_shares(data: &str, children: &str) -> Option<BTreeMap<String, f64>> {
    let args = ["report", "--no-inline", "--sort", "sym", "--stdio", "-g", "none", "-i", data];
    let output = Command::new("perf").args(args).arg(children).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut shares = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((numbers, symbol)) = line.split_once("  [") else { continue };
        let share = numbers.trim().split('%').next().expect("a part");
        shares.insert(symbol[3..].trim().to_owned(), share.parse().expect("a share"));
    }
    Some(shares)
}

#[test]
fn shares_are_those_of_perf_report() {
    if goes_without(&[OCAML, &["perf"]]) {
        return;
    }
    let data = [env!("CARGO_TARGET_TMPDIR"), "/stack-top.data"].concat();
    let record = ["record", "-F", "999", "-g", "-o", &data];
    let recorded = Command::new("perf").args(record).arg(&*APP).output();
    if !recorded.is_ok_and(|output| output.status.success()) {
        return skip("perf does not record here");
    }
    let script = Command::new("perf").args(["script", "--no-inline", "-i", &data]).output();
    let script = script.expect("perf").stdout;
    let parse = ["--root", "none", "--weight", "period"];
    let folded = output("stack-parse", &parse, script).stdout;
    let total: u64 = String::from_utf8_lossy(&folded)
        .lines()
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum();
    let table = rows(&[], &folded);
    for (children, column) in [("--no-children", 1), ("--children", 2)] {
        let expected = perf_shares(&data, children).expect("perf");
        let mut compared = 0;
        for row in table.lines() {
            let fields: Vec<&str> = row.split('\t').collect();
            let weight: f64 = fields[column].parse().expect("a number");
            // perf shows a function without a name as its address.
            if let Some(share) = expected.get(fields[0])
                && !fields[0].starts_with('[')
            {
                let found = 100.0 * weight / total as f64;
                assert!((found - share).abs() <= 0.0051, "{row}: {found}, not {share}");
                compared += 1;
            }
        }
        assert!(compared >= 20, "{children}: {compared} of {}", expected.len());
    }
}

const PROFILE: &str = "\
# event: cpu-clock
# unit: ns
main;parse;alloc 1200000000
main;parse;parse;read 300000000
main;Gc.run (gc.c:3);alloc 500000
main 40000
";

#[test]
fn the_table_has_units_shares_and_a_foot() {
    assert_eq!(
        filter("stack-top", &["-n", "3"], PROFILE),
        "   SELF   SELF%   TOTAL   TOTAL%  FUNCTION
 1.20 s  80.00%  1.20 s   80.00%  alloc
 300 ms  19.99%  300 ms   19.99%  read
40.0 us   0.00%  1.50 s  100.00%  main
3 of 5 functions, self 1.50 s of 1.50 s (100.00%)
"
    );
}

#[test]
fn callers_and_callees_are_those_of_the_recursion_as_a_whole() {
    assert_eq!(
        filter("stack-top", &["--callers", "^parse$", "--callees", "^parse$"], PROFILE),
        "WEIGHT    SHARE  CALLERS OF parse
1.50 s  100.00%  main
1.50 s of 1.50 s (99.96%)

WEIGHT   SHARE  CALLEES OF parse
1.20 s  80.00%  alloc
300 ms  20.00%  read
1.50 s of 1.50 s (99.96%)
"
    );
}

#[test]
fn data_is_complete_raw_and_utf8() {
    let mut folded = b"# unit: samples\n".to_vec();
    (0..40).for_each(|number| folded.extend(format!("main;f{number} 1\n").bytes()));
    folded.extend(b"main;caf\xe9 7\nmain;nan 3\nmain;operator\"\" _s 2\n");
    let tsv = filter("stack-top", &["--tsv"], &folded);
    let lines: Vec<&str> = tsv.lines().collect();
    assert_eq!(lines.len(), 45);
    let expected =
        ["function\tself\ttotal", "caf\\xE9\t7\t7", "[nan]\t3\t3", "\"operator\"\"\"\" _s\"\t2\t2"];
    assert_eq!(lines[..4], expected);
    let json: Value = serde_json::from_str(&filter("stack-top", &["--json", "-n", "1"], &folded))
        .expect("one object");
    assert_eq!(json["rows"].to_string(), r#"[{"function":"caf\\xE9","self":7,"total":7}]"#);
    assert_eq!(json["all_rows"], 44);
    let tsv = filter("stack-top", &["--tsv", "--callees", "main", "-n", "1"], &folded);
    assert_eq!(tsv, "function\trelation\tother\tweight\nmain\tcallee\tcaf\\xE9\t7\n");
    let table = filter_bytes("stack-top", &["-n", "1"], &folded);
    let table = String::from_utf8(table).expect("text for people");
    assert!(table.contains("caf\\xE9"), "{table}");
}

#[test]
fn nothing_that_matches_is_status_1() {
    let empty =
        "{\"unit\":\"ns\",\"total\":1500540000,\"trust\":null,\"all_rows\":0,\"rows\":[]}\n";
    for (view, expected) in
        [(&[][..], ""), (&["--tsv"], "function\trelation\tother\tweight\n"), (&["--json"], empty)]
    {
        for option in ["--callers", "--callees"] {
            let output = output("stack-top", &[&[option, "no such"], view].concat(), PROFILE);
            assert_eq!(output.status.code(), Some(1), "{option} {view:?}");
            assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), expected);
            let said = String::from_utf8(output.stderr).expect("UTF-8");
            assert_eq!(said, format!("stack-top: {option} no such: no function matches\n"));
        }
    }
    // Functions that the other pattern matches are shown.
    let args = ["--callers", "^parse$", "--callees", "parse2"];
    let output = crate::util::output("stack-top", &args, PROFILE);
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(said, "stack-top: --callees parse2: no function matches\n");
}

#[test]
fn rows_of_lines_that_no_frame_has_are_explained() {
    for by in ["line", "file"] {
        let output = output("stack-top", &["--by", by], "main;f 1\n");
        assert_eq!(output.status.code(), Some(0));
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(said.contains("no frame has a place: 'stack-parse --srcline'"), "{by}: {said}");
        assert!(filter("stack-top", &["--by", by], "main;f (a.c:1) 1\n").contains("a.c"), "{by}");
    }
}

#[test]
fn parts_of_names_are_counted() {
    let folded = "sh;a::f (x.c:1);b::g (x.c:2) 3\nsh;a::f (x.c:9) 2\nls;a::f;ls_[k] 1\n";
    for (by, expected) in [
        ("function", "b::g\t3\t3\na::f\t2\t6\nls\t1\t1\nsh\t0\t5\n"),
        ("module", "b\t3\t3\na\t2\t6\n[kernel]\t1\t1\n[no module]\t0\t6\n"),
        ("leaf", "b::g\t3\t3\na::f\t2\t2\nls\t1\t1\n"),
        ("root", "sh\t5\t5\nls\t1\t1\n"),
        ("file", "x.c\t5\t5\n[no line]\t1\t6\n"),
        (
            "line",
            "x.c:2\t3\t3\tb::g\nx.c:9\t2\t2\ta::f\n[no line]\t1\t6\tls;sh;a::f\n\
             x.c:1\t0\t3\ta::f\n",
        ),
    ] {
        assert_eq!(rows(&["--by", by], folded.as_bytes()), expected, "{by}");
    }
}

#[test]
fn lines_have_their_functions_beside_them() {
    let folded = "main (/src/main.c:3);f (/src/a/util.c:14) 5\n\
                  main (/src/main.c:3);f (/src/b/util.c:14) 3\n\
                  main (/src/main.c:3);g (/src/b/util.c:14)_[i] 1\n\
                  g (/src/b/util.c:14)_[k] 1\n";
    let table = filter("stack-top", &["--by", "line"], folded);
    let expected = "\
        SELF   SELF%  TOTAL  TOTAL%  LINE              FUNCTION\n   \
           5  50.00%      5  50.00%  /src/a/util.c:14  f\n   \
           5  50.00%      5  50.00%  /src/b/util.c:14  f +1\n   \
           0   0.00%      9  90.00%  /src/main.c:3     main\n\
        3 of 3 lines, self 10 of 10 (100.00%)\n";
    assert_eq!(table, expected);
    let json: Value =
        serde_json::from_str(&filter("stack-top", &["--by", "line", "--json"], folded))
            .expect("one object");
    assert_eq!(json["rows"][1]["functions"], serde_json::json!(["f", "g"]));
    // Functions have no such column.
    assert_eq!(rows(&[], folded.as_bytes()), "f\t8\t8\ng\t2\t2\nmain\t0\t9\n");
}

#[test]
fn a_function_is_one_whatever_its_marks_and_places() {
    let folded = "main;memcpy 2\nmain (a.c:1);memcpy_[k] 3\nmain (a.c:2);memcpy (b.c:3)_[i] 4\n";
    assert_eq!(rows(&[], folded.as_bytes()), "memcpy\t9\t9\nmain\t0\t9\n");
    let callers = filter("stack-top", &["--tsv", "--callers", "^memcpy$"], folded);
    assert_eq!(callers, "function\trelation\tother\tweight\nmemcpy\tcaller\tmain\t9\n");
    let kernel = ["--tsv", "--by", "module", "--callers", "^\\[kernel\\]$"];
    let callers = filter("stack-top", &kernel, folded);
    assert!(callers.ends_with("[kernel]\tcaller\t[no module]\t3\n"), "{callers}");
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn bars_begin_and_end_within_half_a_cell(
        weights in prop::collection::vec(1..1000u64, 1..9),
        columns in 1..200usize,
    ) {
        let folded: String = weights
            .iter()
            .enumerate()
            .map(|(number, weight)| format!("{number} {weight}\n"))
            .collect();
        let output = tool("stack-top")
            .arg("--draw")
            .env("COLUMNS", columns.to_string())
            .write_stdin(folded)
            .output()
            .expect("it starts");
        let drawn = String::from_utf8(output.stdout).expect("UTF-8");
        let found: Vec<usize> = drawn.lines().next().map_or(vec![], |row| {
            row.char_indices().filter(|(_, char)| *char == '|').map(|(at, _)| at).collect()
        });
        let total: u64 = weights.iter().sum();
        let edge = |weight: u64| (weight as f64 * columns as f64 / total as f64 + 0.5) as usize;
        let mut before = 0;
        let mut expected = Vec::new();
        for weight in &weights {
            if edge(before) < edge(before + weight) {
                expected.push(edge(before));
            }
            before += weight;
        }
        prop_assert_eq!(found, expected, "{}", drawn);
    }
}

#[test]
fn a_drawing_in_a_pipe_is_plain_and_as_wide_as_asked() {
    let drawn = |columns: &str| {
        let output = tool("stack-top")
            .arg("--draw")
            .env("COLUMNS", columns)
            .write_stdin("main;alpha 50\nmain;beta_[k] 25\nother 24\ntiny 1\n")
            .output()
            .expect("it starts");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(
        drawn("40"),
        "|alpha______________|beta_____
|main_________________________|other____
all: 100
"
    );
    assert_eq!(drawn("4"), "|_|\n|__|\nall: 100\n".replace("all: 100", ""));
}

#[test]
fn levels_without_a_name_are_not_drawn() {
    let tower = (0..110).map(|level| format!("level{level}")).collect::<Vec<_>>().join(";");
    let input = format!("main;load;{tower} 3\nmain;load 17\nmain;work 80\n");
    let output = tool("stack-top").arg("--draw").env("COLUMNS", "60").write_stdin(input).output();
    let drawn = String::from_utf8(output.expect("it starts").stdout).expect("UTF-8");
    assert_eq!(
        drawn,
        "110 more levels
|load_______|work___________________________________________
|main_______________________________________________________
all: 100
"
    );
}

const INTERVALS: &str = "# unit: samples
main;a 3
main;b 1
# end 2.000
main;b 5
# end 4.000
";

#[test]
fn intervals_are_added_up_or_the_newest_is_shown() {
    let totals = |args: &[&str], input: &str| -> Vec<u64> {
        let printed = filter("stack-top", &[&["--json"], args].concat(), input);
        let lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines.filter_map(|json| json["total"].as_u64()).collect()
    };
    assert_eq!(totals(&["--follow"], INTERVALS), [4, 9]);
    assert_eq!(totals(&["--follow", "--last"], INTERVALS), [4, 5]);
    assert_eq!(totals(&["--last"], INTERVALS), [5]);
    // Stopped within an interval, or outside of one.
    let stopped = format!("{INTERVALS}main;c 1\n");
    assert_eq!(totals(&["--follow"], &stopped), [4, 9, 10]);
    assert_eq!(totals(&["--last"], &stopped), [1]);
    assert_eq!(totals(&["--follow"], "main 7\n"), [7]);
}

#[test]
fn an_interval_is_shown_when_it_is_over() {
    let mut child = Command::new(binary("stack-top"))
        .args(["--follow", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    for total in [4, 9] {
        let interval = if total == 4 { "main;a 4\n# end 2.000\n" } else { "a 5\n# end 4.000\n" };
        stdin.write_all(interval.as_bytes()).expect("it reads");
        let line = lines.next().expect("a line").expect("UTF-8");
        assert!(line.contains(&format!("\"total\":{total},\"trust\":null,\"all_rows\"")), "{line}");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    assert!(lines.next().is_none());
}

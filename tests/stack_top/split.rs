//! The columns of `--split`: the weight of functions for each value.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::util::{TempFile, few_cases, filter, output};

/// Two threads, one of them without a name, a line without the label, and one without frames.
const LABELLED: &[u8] = b"tid=1\tmain;f;g 10\n\
    since=0.5\ttid=1\tmain;f 5\n\
    tid=2\tmain;f;g 3\n\
    main;h 4\n\
    tid=\tmain;h;f;f 7\n\
    comm=x\ttid=a b;c\xff\t[no stack] 2\n";

#[test]
fn each_value_has_a_column_of_self_weights() {
    assert_eq!(
        filter("stack-top", &["--split", "tid"], LABELLED),
        "SELF    SELF%   1  [empty]  [no tid]  2  a b:c\\xFF  FUNCTION\n  \
           13   41.94%  10        0         0  3          0  g\n  \
           12   38.71%   5        7         0  0          0  f\n   \
            4   12.90%   0        0         4  0          0  h\n   \
            2    6.45%   0        0         0  0          2  [no stack]\n   \
            0    0.00%   0        0         0  0          0  main\n  \
           31  100.00%  15        7         4  3          2  [all]\n\
         5 of 5 functions, self 31 of 31 (100.00%)\n"
    );
}

#[test]
fn sorted_by_totals_it_shows_totals_and_sums_what_has_no_column() {
    let args = ["--split", "tid", "--sort", "total", "--columns", "3", "-n", "2", "--unit", "ns"];
    assert_eq!(
        filter("stack-top", &args, LABELLED),
        "TOTAL   TOTAL%      1  [empty]  3 others  FUNCTION\n\
         29 ns   93.55%  15 ns     7 ns      7 ns  main\n\
         25 ns   80.65%  15 ns     7 ns      3 ns  f\n\
         31 ns  100.00%  15 ns     7 ns      9 ns  [all]\n\
         2 of 5 functions, self 12 ns of 31 ns (38.71%)\n"
    );
}

#[test]
fn in_a_pipe_there_are_eight_columns() {
    let lines: String = (0..20).map(|tid| format!("tid={tid}\tmain {}\n", 100 - tid)).collect();
    let head = |args: &[&str]| {
        let table = filter("stack-top", &[&["--split", "tid"], args].concat(), &lines);
        let head = table.lines().next().expect("a head").to_owned();
        head.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(head(&[]), "SELF SELF% 0 1 2 3 4 5 6 13 others FUNCTION");
    assert_eq!(head(&["--columns", "1"]), "SELF SELF% 20 others FUNCTION");
    assert_eq!(head(&["--columns", "0"]).split(' ').count(), 23);
    assert_eq!(head(&["--tsv"]).split(' ').count(), 23);
}

#[test]
fn programs_get_a_column_named_as_its_label() {
    assert_eq!(
        filter("stack-top", &["--split", "tid", "--tsv"], LABELLED),
        "function\tself\ttotal\ttid=1\ttid=\ttid=[no tid]\ttid=2\ttid=a b:c\\xFF\n\
         g\t13\t13\t10\t0\t0\t3\t0\n\
         f\t12\t25\t5\t7\t0\t0\t0\n\
         h\t4\t11\t0\t0\t4\t0\t0\n\
         [no stack]\t2\t2\t0\t0\t0\t0\t2\n\
         main\t0\t29\t0\t0\t0\t0\t0\n"
    );
    assert_eq!(
        filter("stack-top", &["--split", "tid", "--tsv", "--columns", "2", "-n", "1"], LABELLED),
        "function\tself\ttotal\ttid=1\tothers\ng\t13\t13\t10\t3\n"
    );
    let args = ["--split", "tid", "--json", "--columns", "2", "-n", "2"];
    assert_eq!(
        filter("stack-top", &args, LABELLED),
        "{\"unit\":null,\"total\":31,\"trust\":null,\"split\":\"tid\",\"values\":[{\"value\":\"1\",\"total\":15}],\
         \"others\":{\"values\":4,\"total\":16},\"all_rows\":5,\"rows\":[\
         {\"function\":\"g\",\"self\":13,\"total\":13,\
         \"values\":[{\"value\":\"1\",\"self\":10,\"total\":10}],\"others\":{\"self\":3,\"total\":3}},\
         {\"function\":\"f\",\"self\":12,\"total\":25,\
         \"values\":[{\"value\":\"1\",\"self\":5,\"total\":15}],\"others\":{\"self\":7,\"total\":10}}]}\n"
    );
}

#[test]
fn roots_and_files_are_columns_and_so_are_labels_of_these_names() {
    let folded = "worker 1_[k];f 1\nworker 1;M.g 2\nfile=x\troot=y\tworker 2;M.f 4\n";
    assert_eq!(
        filter("stack-top", &["--split", "root", "--by", "module", "--tsv"], folded),
        "function\tself\ttotal\troot=worker 2\troot=worker 1\n\
         M\t6\t6\t4\t2\n\
         [no module]\t1\t7\t0\t1\n\
         [kernel]\t0\t1\t0\t0\n"
    );
    let [one, two] = ["main;f 1\n", "main;f 2\nmain;g 4\n"].map(TempFile::new);
    let args = ["--split", "file", "--tsv", one.path(), two.path()];
    // Files may be versions, so they stay in their order.
    let expected = format!(
        "function\tself\ttotal\tfile={}\tfile={}\n\
         g\t4\t4\t0\t4\n\
         f\t3\t3\t1\t2\n\
         main\t0\t7\t0\t0\n",
        one.path(),
        two.path()
    );
    assert_eq!(filter("stack-top", &args, ""), expected);
    for (word, heads) in
        [("label:file", "file=x\tfile=[no file]"), ("label:root", "root=y\troot=[no root]")]
    {
        let table = filter("stack-top", &["--split", word, "--by", "leaf", "--tsv"], folded);
        assert!(table.starts_with(&format!("function\tself\ttotal\t{heads}\n")), "{table}");
    }
}

#[test]
fn intervals_are_split_too() {
    let folded = "tid=1\tmain 3\n# end 1.0\ntid=2\tmain 5\ntid=1\tmain 1\n# end 2.0\n";
    let args = ["--split", "tid", "--follow"];
    assert_eq!(
        filter("stack-top", &args, folded),
        "SELF    SELF%  1  FUNCTION\n   \
            3  100.00%  3  main\n   \
            3  100.00%  3  [all]\n\
         1 of 1 functions, self 3 of 3 (100.00%)\n\
         \n\
         SELF    SELF%  2  1  FUNCTION\n   \
            9  100.00%  5  4  main\n   \
            9  100.00%  5  4  [all]\n\
         1 of 1 functions, self 9 of 9 (100.00%)\n"
    );
    let last = filter("stack-top", &["--split", "tid", "--last", "--tsv"], folded);
    assert_eq!(last, "function\tself\ttotal\ttid=2\ttid=1\nmain\t6\t6\t5\t1\n");
}

#[test]
fn what_cannot_be_split_is_reported() {
    let said = |args: &[&str], input: &str| {
        let output = output("stack-top", args, input);
        (String::from_utf8(output.stderr).expect("UTF-8"), output.status.code())
    };
    for view in ["--tree", "--draw", "--callers=f", "--callees=f"] {
        let (text, status) = said(&["--split", "tid", view], "f 1\n");
        assert!(text.contains("cannot be used with") && text.contains(&view[..8.min(view.len())]));
        assert_eq!(status, Some(2), "{view}");
    }
    for last in ["--follow", "--last"] {
        let expected = "stack-top: --follow and --last read one recording: --split file is for \
            several\n";
        assert_eq!(said(&["--split", "file", last], "f 1\n"), (expected.to_owned(), Some(2)));
    }
    let hint = "stack-top: no line has a label 'tid', as 'stack-parse --labels tid' writes it\n";
    assert_eq!(said(&["--split", "tid"], "pid=1\tf 1\n"), (hint.to_owned(), Some(0)));
    let (text, status) = said(&["--split", "tid,pid"], "f 1\n");
    assert!(text.contains("expected the key of a label") && status == Some(2), "{text}");
    let nothing = "stack-top: nothing to show: no folded stack with a weight came in\n";
    assert_eq!(said(&["--split", "tid"], "tid=1\tf 0\n"), (nothing.to_owned(), Some(1)));
}

#[test]
fn what_is_not_shown_is_accounted_for() {
    let output = output("stack-top", &["--split", "tid", "--stats", "-n", "1"], LABELLED);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-top: stats: in 6 lines weight 31, out 1 lines weight 13, changed 0 lines weight 0, \
         dropped 1 lines weight 18, malformed 0 lines\n"
    );
}

proptest! {
    #![proptest_config(few_cases())]

    /// The columns of a row add up to it; the columns of a value add up to its weight, which is
    /// that of its lines; a row without its columns is that of the table without `--split`.
    #[test]
    fn no_weight_is_lost_between_columns(
        lines in prop::collection::vec(
            (prop::option::of("[ab;\u{e9}]{0,2}"), "[fgh](;[fgh]){0,4}", 0..100u64),
            1..40,
        ),
        columns in 0..4usize,
    ) {
        let line = |(key, stack, count): &(Option<String>, String, u64)| match key {
            Some(key) => format!("k={key}\t{stack} {count}\n"),
            None => format!("{stack} {count}\n"),
        };
        let folded: String = lines.iter().map(line).collect();
        let total: u64 = lines.iter().map(|line| line.2).sum();
        prop_assume!(total > 0);
        let columns = columns.to_string();
        let args = ["--split", "k", "--json", "--columns", &columns];
        // With no label at all, a hint is on standard error.
        let split: Value = serde_json::from_slice(&output("stack-top", &args, &folded).stdout)?;
        let plain: Value = serde_json::from_str(&filter("stack-top", &["--json"], &folded))?;
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for (key, _, count) in &lines {
            let value = key.as_ref().map_or("[no k]".to_owned(), |key| key.replace(';', ":"));
            *expected.entry(value).or_default() += count;
        }
        for value in list(&split["values"]) {
            let name = value["value"].as_str().expect("a name");
            prop_assert_eq!(number(&value["total"]), expected[name]);
        }
        let of_values: u64 = list(&split["values"]).iter().map(|it| number(&it["total"])).sum();
        prop_assert_eq!(of_values + number(&split["others"]["total"]), total);
        prop_assert_eq!(list(&split["rows"]).len(), list(&plain["rows"]).len());
        for (row, plain) in list(&split["rows"]).iter().zip(list(&plain["rows"])) {
            for weight in ["self", "total"] {
                let cells: u64 = list(&row["values"]).iter().map(|it| number(&it[weight])).sum();
                prop_assert_eq!(cells + number(&row["others"][weight]), number(&row[weight]));
            }
            let row = json!({"function": row["function"], "self": row["self"], "total": row["total"]});
            prop_assert_eq!(row, plain);
        }
    }
}

#[test]
fn a_mark_is_where_a_function_leaves_what_noise_explains() {
    let version = |hot: u64, other: u64| {
        TempFile::new(format!("main;hot {hot}\nmain;other {other}\nmain;rest 1000000\n"))
    };
    // Noise, a step, and no second step.
    let files = [(20_010, 9_950), (19_980, 10_020), (26_000, 10_010), (26_100, 9_990)]
        .map(|(hot, other)| version(hot, other));
    let paths = files.each_ref().map(TempFile::path);
    let args = [&["--split", "file", "--columns", "0"], &paths[..]].concat();
    let table = filter("stack-top", &args, "");
    let cells = |name: &str| {
        let line = table.lines().find(|line| line.ends_with(name)).expect("a row");
        line.split_whitespace().skip(2).take(4).map(str::to_owned).collect::<Vec<_>>()
    };
    // In the order of the command line, not that of the weights.
    assert_eq!(cells("  hot"), ["20,010", "19,980", "26,000*", "26,100"], "{table}");
    assert_eq!(cells("  other"), ["9,950", "10,020", "10,010", "9,990"], "{table}");
    assert!(table.ends_with("\n* noise does not explain the change from the files before it\n"));
    // Threads have no order in time.
    let labelled = "tid=1\tmain;hot 9000\ntid=2\tmain;hot 900\ntid=2\tmain;cold 8100\n";
    assert!(!filter("stack-top", &["--split", "tid"], labelled).contains('*'));
}

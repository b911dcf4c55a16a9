//! Labels in formats that keep all of them: pprof and the table; and events that are labels.

use std::process::Stdio;

use super::pprof::{Profile, go_pprof};
use super::{export, json};
use crate::needs::{READERS, goes_without};
use crate::util::{output, python, scratch};

/// Two samples of equal labels and stacks, in another order, and values of all kinds.
const LABELLED: &[u8] = b"tid=4711\tcomm=my;app\tsize=12 bytes\tmain;f 2\n\
    size=12 bytes\tcomm=my;app\ttid=4711\tmain;f 3\n\
    since=1.500000000\ttime=1700000001.500000000\tn=0\tcode=007\tempty=\tmain;g 5\n\
    main;g 7\n\
    since=3.500000000\ttime=1700000003.500000000\tmany=a,b\tmain 1\n";

#[test]
fn labels_are_those_of_samples_of_pprof() {
    let profile = Profile::decoded(&export("pprof", &[], LABELLED));
    let mut found: Vec<(Vec<String>, i64)> =
        profile.sample.iter().map(|it| (profile.labels(it), it.value[0])).collect();
    found.sort();
    let owned = |labels: &[&str]| labels.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
    let first = ["since: \"1.500000000\"", "time: \"1700000001.500000000\"", "code: \"007\""];
    let first = [&first[..], &["empty: \"\"", "n: \"0\""]].concat();
    let second = ["since: \"3.500000000\"", "time: \"1700000003.500000000\"", "many: \"a,b\""];
    let expected = [
        (vec![], 7),
        (owned(&["comm: \"my;app\"", "size: 12 bytes", "tid: 4711"]), 5),
        (owned(&first), 5),
        (owned(&second), 1),
    ];
    assert_eq!(found, expected);
    assert_eq!(profile.time_nanos, 1_700_000_000_000_000_000);
    assert_eq!(profile.duration_nanos, 2_000_000_000);
}

#[test]
fn stack_parse_reads_the_values_of_labels_again() {
    let file = export("pprof", &[], LABELLED);
    let by = |key: &str| {
        let args = ["--root", &format!("label:{key}")];
        String::from_utf8(output("stack-parse", &args, &file).stdout).expect("UTF-8")
    };
    // A `;` in a name is `:`.
    assert!(by("comm").contains("my:app;main;f 5\n"), "{}", by("comm"));
    assert!(by("size").contains("12 bytes;main;f 5\n"));
    assert!(by("tid").contains("4711;main;f 5\n"));
    assert!(by("n").contains("0;main;g 5\n"));
    assert!(by("code").contains("007;main;g 5\n"));
    assert!(by("since").contains("3.500000000;main 1\n"));
}

#[test]
fn go_reads_labels() {
    if goes_without(&[&["go"]]) {
        return;
    }
    let raw = go_pprof("labels", &export("pprof", &[], LABELLED), &["-raw"]);
    assert!(raw.contains("comm:[my;app]"), "{raw}");
    assert!(raw.contains("size:[12 bytes] tid:[4711]"), "{raw}");
    assert!(raw.contains("n:[0]"), "{raw}");
    assert!(raw.contains("Duration: 2"), "{raw}");
}

#[test]
fn values_of_the_label_event_are_events() {
    let folded = b"# event: cpu-clock ns\n# event: page-faults samples\n\
        event=cpu-clock\tmain;a 5\nevent=page-faults\tmain;b 3\n";
    let profiles = &json("speedscope", &[], folded)["profiles"];
    let of =
        |number: usize| ["name", "unit", "endValue"].map(|key| profiles[number][key].to_string());
    assert_eq!(of(0), ["\"cpu-clock\"", "\"nanoseconds\"", "5"]);
    assert_eq!(of(1), ["\"page-faults (samples)\"", "\"none\"", "3"]);
    let profile = Profile::decoded(&export("pprof", &[], folded));
    assert_eq!(profile.stacks(1), [(vec!["main".to_owned(), "b".to_owned()], 3)]);
    let refused = output("stack-export", &["--to", "d3"], folded);
    let expected = "stack-export: d3 holds one event: choose one with --event: \
                    cpu-clock, page-faults\n";
    assert_eq!(String::from_utf8_lossy(&refused.stderr), expected);
    let tree = json("d3", &["--event", "page-faults"], folded);
    assert_eq!(tree["value"], 3);
    assert_eq!(tree["children"][0]["children"][0]["name"], "b");
}

#[test]
fn events_and_units_of_speedscope_and_callgrind_are_read_again() {
    for (event, unit, weight) in [
        ("cpu-clock", "samples", 3),
        ("cpu-clock", "ns", 3),
        ("cycles:u", "cycles", 3),
        ("page-faults", "samples", 3),
        ("memory", "bytes", 3),
    ] {
        let folded = format!("# event: {event}\n# unit: {unit}\nmain;a {weight}\n");
        for format in ["speedscope", "callgrind"] {
            let file = export(format, &[], folded.as_bytes());
            let args = ["--header", "--root", "none"];
            let again = String::from_utf8(output("stack-parse", &args, file).stdout);
            let again = again.expect("UTF-8").replace("[all];", "").replace("count", "samples");
            // One line counts as one sample of a speedscope file, since nothing else is known.
            let drawn = match (format, unit) {
                ("speedscope", "samples") => "# samples: 3 samples\n".to_owned(),
                ("speedscope", _) => "# samples: 1 sample\n".to_owned(),
                _ => format!("# estimated: 0 of 3 {unit}\n"),
            };
            let more = format!("# source: {format}\n{drawn}main;");
            let expected = folded.replace("main;", &more);
            assert_eq!(again, expected, "{format}");
        }
    }
}

/// The sum of the last column but one.
pub(super) fn weights_of_table(table: &[u8]) -> u128 {
    let text = String::from_utf8_lossy(table);
    let weight = |row: &str| row.rsplit('\t').nth(1).expect("a weight").parse::<u128>();
    text.lines().skip(1).map(|row| weight(row).expect("a number")).sum()
}

#[test]
fn a_table_has_a_row_for_each_line_in_their_order() {
    let folded = b"tid=7\tcomm=say \"x\"\tmain;a \"b\" 3\n\
        main;f 2\n\
        since=1.5\ttime=10.5\tA=\tweight=4\tcaf\xe9;x 1\n\
        main;f 2\nmain;zero 0\n";
    let table = String::from_utf8(export("tsv", &[], folded)).expect("UTF-8");
    let expected = "since\ttime\tA\tcomm\ttid\tlabel:weight\tweight\tstack\n\
        \t\t\t\"say \"\"x\"\"\"\t7\t\t3\t\"main;a \"\"b\"\"\"\n\
        \t\t\t\t\t\t2\t\"main;f\"\n\
        1.5\t10.5\t\t\t\t4\t1\t\"caf\\xE9;x\"\n\
        \t\t\t\t\t\t2\t\"main;f\"\n";
    assert_eq!(table, expected);
}

#[test]
fn columns_of_a_table_have_different_names_whatever_their_case() {
    let folded = b"weight=1\tlabel:weight=2\tStack=3\tA=4\ta=5\tmain 6\n";
    let table = String::from_utf8(export("tsv", &[], folded)).expect("UTF-8");
    let expected = "A\tlabel:Stack\tlabel:a\tlabel:weight\tlabel2:weight\tweight\tstack\n\
        4\t3\t5\t2\t1\t6\t\"main\"\n";
    assert_eq!(table, expected);
    let events = b"# event: cycles cycles\n# event: faults samples\nEvent=7\tcycles;main 6\n";
    let table = String::from_utf8(export("tsv", &[], events)).expect("UTF-8");
    assert_eq!(table, "label:Event\tevent\tweight\tstack\n7\tcycles\t6\t\"main\"\n");
}

/// A stack without the label `event`, one where it is empty, and one with the default name of
/// weights as its event.
const FEW_EVENTS: &[u8] = b"main;a 1\nevent=\tmain;b 2\nevent=samples\tmain;c 4\n";

#[test]
fn stacks_without_an_event_are_one_of_another_name() {
    let profile = Profile::decoded(&export("pprof", &[], FEW_EVENTS));
    let names: Vec<&str> = profile.sample_type.iter().map(|it| profile.string(it.kind)).collect();
    assert_eq!(names, ["[no event]", "[empty event]", "samples"]);
    let stack = |leaf: &str| vec!["main".to_owned(), leaf.to_owned()];
    assert_eq!(profile.stacks(0), [(stack("a"), 1)]);
    assert_eq!(profile.stacks(1), [(stack("b"), 2)]);
    assert_eq!(profile.stacks(2), [(stack("c"), 4)]);
    let refused = output("stack-export", &["--to", "d3"], FEW_EVENTS);
    let expected = "stack-export: d3 holds one event: choose one with --event: \
                    [no event], [empty event], samples\n";
    assert_eq!(String::from_utf8_lossy(&refused.stderr), expected);
}

#[test]
fn an_event_is_called_the_same_in_a_table_and_in_other_formats() {
    for (name, value, weight, leaf) in
        [("[no event]", "", 1, 'a'), ("[empty event]", "", 2, 'b'), ("samples", "samples", 4, 'c')]
    {
        let table = String::from_utf8(export("tsv", &["--event", name], FEW_EVENTS));
        let expected = format!("event\tweight\tstack\n{value}\t{weight}\t\"main;{leaf}\"\n");
        assert_eq!(table.expect("UTF-8"), expected);
        assert_eq!(json("d3", &["--event", name], FEW_EVENTS)["value"], weight);
    }
    for format in ["tsv", "d3"] {
        let refused = output("stack-export", &["--to", format, "--event", ""], FEW_EVENTS);
        let expected = "stack-export: --event '': expected one of these: \
                        [empty event], [no event], samples\n";
        assert_eq!(String::from_utf8_lossy(&refused.stderr), expected, "{format}");
        let refused = output("stack-export", &["--to", format, "--event", "x"], "main 1\n");
        let expected = "stack-export: --event x: the stacks have none, see 'stack-parse \
                        --by-event --header' and 'stack-parse --labels event'\n";
        assert_eq!(String::from_utf8_lossy(&refused.stderr), expected, "{format}");
    }
}

#[test]
fn a_table_has_events_as_a_column_and_one_can_be_taken() {
    let folded = b"# event: cpu-clock ns\n# event: page-faults samples\n\
        cpu-clock;main 5\npage-faults 3\n";
    let table = String::from_utf8(export("tsv", &[], folded)).expect("UTF-8");
    let head = "event\tweight\tstack\n";
    assert_eq!(table, format!("{head}cpu-clock\t5\t\"main\"\npage-faults\t3\t\"page-faults\"\n"));
    let args = ["--to", "tsv", "--event", "cpu-clock", "--stats"];
    let taken = output("stack-export", &args, folded);
    assert_eq!(String::from_utf8_lossy(&taken.stdout), format!("{head}cpu-clock\t5\t\"main\"\n"));
    let said = String::from_utf8_lossy(&taken.stderr).into_owned();
    assert!(said.contains("in 2 lines weight 8, out 1 lines weight 5, "), "{said}");
    assert!(said.contains("dropped 1 lines weight 3, "), "{said}");
    let labelled = b"event=cycles\tmain 1\nevent=faults\tmain 2\n";
    let table = String::from_utf8(export("tsv", &["--event", "faults"], labelled));
    assert_eq!(table.expect("UTF-8"), format!("{head}faults\t2\t\"main\"\n"));
    let refused = output("stack-export", &["--to", "tsv", "--event", "x"], labelled);
    let expected = "stack-export: --event x: expected one of these: cycles, faults\n";
    assert_eq!(String::from_utf8_lossy(&refused.stderr), expected);
}

#[test]
fn pandas_and_duckdb_read_the_table() {
    if goes_without(&[READERS]) {
        return;
    }
    let folded = b"since=0.5\tcomm=say \"x\"\ttid=7\tmain;a 'b';caf\xe9 3\n\
        since=1.5\tcomm=\ttid=8\tmain;NA 2\n";
    let file = scratch("table.tsv", export("tsv", &[], folded));
    let script = "import sys, pandas, duckdb\n\
        table = pandas.read_csv(sys.argv[1], sep='\\t')\n\
        print(list(table.columns), table.tid.sum(), table.weight.sum(), table.since.sum())\n\
        print(table.comm[0], table['stack'].tolist())\n\
        print(duckdb.read_csv(sys.argv[1]).fetchall())\n";
    let output =
        python().args(["-c", script]).arg(file).stderr(Stdio::inherit()).output().expect("python3");
    let expected = "['since', 'comm', 'tid', 'weight', 'stack'] 15 5 2.0\n\
        say \"x\" [\"main;a 'b';caf\\\\xE9\", 'main;NA']\n\
        [(0.5, 'say \"x\"', 7, 3, \"main;a 'b';caf\\\\xE9\"), (1.5, None, 8, 2, 'main;NA')]\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

//! Maps of folded lines with labels for the time.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{HEADER, Map, decimal, row, said};
use crate::util::{TempFile, few_cases, filter, filter_bytes, output};

/// Two threads, one of which is renamed; values that are missing, empty or not UTF-8.
const LABELLED: &[u8] = b"# event: cpu-clock\n# unit: samples\n\
    since=0.0\ttid=7\tcomm=a\tcgroup=/x y\tmain;f 1\n\
    since=0.5\ttid=7\tcomm=a\tcgroup=/x y\tmain;g 1\n\
    since=1.0\ttid=8\tcgroup=/b\xff\t 2\n\
    since=1.5\ttid=7\tcomm=b\tmain;f 3\n\
    # end 2.0\n\
    since=2.5\ttid=8\tcgroup=\tmain 4\n";

const MAP_BY_TID: &str = "8   |  -  @\n\
    b 7 |.. +\n     \
         0 s\n\
    a column is 0.5 s, all 11 samples\n\
    cells: .. 1  -- 2  ++ 3  @@ 4\n";

#[test]
fn labels_are_rows_and_their_times_columns() {
    let map = |by| filter("stack-heat", &["--text", "--column", "0.5", "--by", by], LABELLED);
    assert_eq!(map("tid"), MAP_BY_TID);
    assert_eq!(
        map("cgroup"),
        "[empty]     |     @\n\
         [no cgroup] |   +\n\
         /b\\xFF      |  -\n\
         /x y        |..\n             \
                      0 s\n\
         a column is 0.5 s, all 11 samples\n\
         cells: .. 1  -- 2  ++ 3  @@ 4\n"
    );
    let map = Map::drawn(&["--by", "cgroup"], LABELLED);
    assert_eq!((&map.facts["data-by"][..], map.sum()), ("cgroup", 11));
    assert!(map.texts.iter().any(|text| text.contains("a row for each control group; 11 samples")));
    assert!(
        Map::drawn(&["--by", "trace.id", "--rows", "1"], "since=0\ttrace.id=<&\tf 1\n")
            .texts
            .iter()
            .any(|text| text.contains("a row for each value of trace.id;"))
    );
}

/// Two processors together have more time than the recording took.
#[test]
fn the_time_of_samples_and_that_of_the_recording_have_names() {
    let lines = "# unit: ns\nsince=0\tf 1500000000\nsince=0.9\tf 1600000000\n";
    let said = "samples of 3.10 s within 1 s of recording";
    let map = Map::drawn(&["--column", "1"], lines);
    assert!(map.texts.iter().any(|text| text.ends_with(said)), "{:?}", map.texts);
}

#[test]
fn processors_are_sorted_by_number() {
    let lines = "since=0\tcpu=10\tf 1\nsince=0\tcpu=2\tf 9\nsince=0\tcpu=0\tf 5\nsince=0\tf 7\n";
    assert_eq!(Map::drawn(&["--by", "cpu"], lines).names, ["0", "2", "10", "[no cpu]"]);
}

/// The same samples as lines and as a table give the same map, separately and together.
#[test]
fn each_input_is_lines_or_a_table() {
    let table = "since\ttid\tcomm\tweight\n0.0\t7\ta\t1\n0.5\t7\ta\t1\n1.0\t8\t\t2\n1.5\t7\tb\t3\n\
        2.5\t8\t\t4\n";
    let args = ["--text", "--column", "0.5", "--by", "tid", "--unit", "samples"];
    assert_eq!(filter("stack-heat", &args, table), MAP_BY_TID);
    let [table, lines] = [TempFile::new(table), TempFile::new(LABELLED)];
    let both = Map::drawn(&["--by", "tid", table.path(), lines.path()], "");
    let one = Map::drawn(&["--by", "tid"], LABELLED);
    assert_eq!((&both.names, both.sum()), (&one.names, 22));
    // The rows of a map can be any column of a table.
    let by_any = Map::drawn(&["--by", "trace id"], "since\tweight\ttrace id\n0\t1\tx\n");
    assert_eq!(by_any.names, ["x"]);
}

#[test]
fn lines_without_a_time_are_counted_and_reported() {
    let lines = "tid=1\tmain 5\nsince=\tmain 6\nsince=1\tmain 2\nmain 7\n";
    let output = output("stack-heat", &["--stats"], lines);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-heat: 3 lines of weight 18 have no time, and the map lacks them: 'stack-parse \
         --labels since' writes it\n\
         stack-heat: stats: in 4 lines weight 20, out 1 lines weight 2, changed 0 lines weight 0, \
         dropped 3 lines weight 18, malformed 0 lines\n"
    );
    assert_eq!((Map::of(&output.stdout).sum(), output.status.code()), (2, Some(0)));
    let nothing = "stack-heat: 1 line of weight 1 has no time, and the map lacks them: 'stack-parse \
        --labels since' writes it\n\
        stack-heat: nothing to show: no line with a time and a weight came in\n";
    assert_eq!(said(&[], "main;a 1\n"), (nothing.to_owned(), Some(1)));
    let (text, _) = said(&["--by", "tid"], "since=1\tpid=2\tmain 1\n");
    assert_eq!(
        text,
        "stack-heat: no line has a label 'tid', as 'stack-parse --labels tid' writes it\n"
    );
}

#[test]
fn malformed_lines_are_named_wherever_they_are() {
    let lines = "main;f\nsince=x\tmain 1\nsince=1\tsince=2\tmain 1\nsince=1\tmain 4\nmain 1.5\n\
        since=2\tmain 18446744073709551615\n";
    let output = output("stack-heat", &[], lines);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-heat: <stdin>:1: expected 'frame;frame count', found no count at the end\n\
         stack-heat: <stdin>:2: expected seconds such as since=2.5\n\
         stack-heat: <stdin>:3: expected 'frame;frame count', found two labels of the same key\n\
         stack-heat: 2 more malformed lines skipped\n"
    );
    assert_eq!((Map::of(&output.stdout).sum(), output.status.code()), (4, Some(2)));
}

#[test]
fn header_lines_and_labels_name_the_unit() {
    let unit = |lines: &str| Map::drawn(&[], lines).facts["data-unit"].clone();
    assert_eq!(unit("# unit: ns\nsince=1\tf 1\n"), "ns");
    assert_eq!(unit("# event: cycles\nsince=1\tf 7\n"), "cycles");
    assert_eq!(unit("# event: page-faults samples\nsince=1\tf 7\n"), "page-faults");
    assert_eq!(unit("since=1\tevent=cpu-clock:u\tf 7\n"), "ns");
    assert_eq!(unit("since=1\tf 1\n"), "samples");
    assert_eq!(unit("since=1\tf 7\n"), "");
    let mixed = "stack-heat: weights of different events are added up: cycles, faults\n";
    let lines = "since=1\tevent=cycles\tf 7\nsince=1\tevent=faults\tf 7\n";
    assert_eq!(said(&[], lines), (mixed.to_owned(), Some(0)));
    assert_eq!(said(&["--by", "event"], lines), (String::new(), Some(0)));
    let [one, two] =
        ["ns", "bytes"].map(|unit| TempFile::new(format!("# unit: {unit}\nsince=1\tf 1\n")));
    let (text, _) = said(&[one.path(), two.path()], "");
    assert_eq!(text, "stack-heat: weights of different units are added up: ns, bytes\n");
}

proptest! {
    #![proptest_config(few_cases())]

    /// Lines and the table of the same samples give the same map.
    #[test]
    fn lines_and_tables_are_equal(
        samples in prop::collection::vec((0..100_000_000_000u64, 0..9u32, 1..1000u64), 1..60),
        is_by_tid in any::<bool>(),
    ) {
        let lines: String = samples.iter().map(|(time, tid, weight)| {
            format!("since={}\tcomm=demo\ttid={tid}\tevent=cycles\tmain {weight}\n", decimal(*time))
        }).collect();
        let rows = samples.iter().map(|(time, tid, weight)| row(&decimal(*time), &tid.to_string(), *weight));
        let table: String = [HEADER.to_owned()].into_iter().chain(rows).collect();
        let args: &[&str] = if is_by_tid { &["--by", "tid", "--rows", "5"] } else { &[] };
        let [of_lines, of_table] = [lines, table].map(|input| filter_bytes("stack-heat", args, input));
        prop_assert_eq!(&of_lines, &of_table);
        let total: u128 = samples.iter().map(|sample| u128::from(sample.2)).sum();
        prop_assert_eq!(Map::of(&of_lines).sum(), total);
    }

    /// A line is in the map whatever bytes its value has.
    #[test]
    fn no_value_loses_its_line(values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 1..9)) {
        let mut lines = Vec::new();
        let mut expected = BTreeMap::<Vec<u8>, u64>::new();
        for (value, weight) in values.into_iter().zip(1..) {
            let value: Vec<u8> = value.into_iter().filter(|byte| !byte.is_ascii_control()).collect();
            lines.extend([b"since=0\tcgroup=", &value[..], b"\tmain "].concat());
            lines.extend(format!("{weight}\n").into_bytes());
            *expected.entry(value).or_default() += weight;
        }
        let map = Map::drawn(&["--by", "cgroup"], lines);
        let mut found: Vec<u64> = map.weights.iter().map(|row| row[0]).collect();
        let mut expected: Vec<u64> = expected.into_values().collect();
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn rows_of_threads_that_do_not_run_are_pale_or_striped() {
    let slices = "since=0.0\tstate=waiting\tmain 2000000000\n\
        since=0.0\tstate=running\tmain 1000000000\n\
        since=0.5\tstate=runnable\tmain 500000000\n";
    let veils = |by, lines: &str| {
        let svg = filter("stack-heat", &["--column", "0.5", "--by", by], lines);
        let is_veil = |line: &&str| line.contains("fill-opacity");
        let veils: Vec<String> = svg.lines().filter(is_veil).map(str::to_owned).collect();
        veils.iter().map(|veil| veil.matches('M').count()).collect::<Vec<_>>()
    };
    assert_eq!(veils("state", slices), [1, 120], "waiting is the first row, runnable the last");
    assert_eq!(veils("mood", &slices.replace("state=", "mood=")), [0; 0]);
}

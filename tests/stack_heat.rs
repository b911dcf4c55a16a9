//! Heat maps of samples over time.

use std::collections::BTreeMap;
use std::fs::File;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::util::{
    TempFile, binary, endless, few_cases, filter, filter_bytes, output, recording, tool, weight,
};

// Folded lines with labels.
mod labelled;

const HEADER: &str = "time\tsince\tcomm\tpid\ttid\tcpu\tevent\tweight\tstack\n";

/// The map in the picture, as its script reads it.
pub(crate) struct Map {
    pub(crate) facts: BTreeMap<String, String>,
    names: Vec<String>,
    /// The rows of the map.
    pub(crate) weights: Vec<Vec<u64>>,
    /// All texts in the picture except the script and the style.
    texts: Vec<String>,
    /// How often each element occurs.
    elements: BTreeMap<String, usize>,
}

impl Map {
    pub(crate) fn of(svg: &[u8]) -> Map {
        let mut reader = Reader::from_reader(svg);
        let (mut facts, mut texts, mut elements) =
            <(BTreeMap<_, _>, Vec<_>, BTreeMap<_, _>)>::default();
        let mut by_id = BTreeMap::new();
        let (mut text, mut id) = (String::new(), String::new());
        loop {
            let event = reader.read_event().expect("well-formed XML");
            match event {
                Event::Eof => break,
                Event::Start(ref tag) | Event::Empty(ref tag) => {
                    let name = String::from_utf8(tag.name().as_ref().to_vec()).expect("a name");
                    *elements.entry(name).or_default() += 1;
                    text.clear();
                    id.clear();
                    for attribute in tag.attributes() {
                        let attribute = attribute.expect("a well-formed attribute");
                        let key =
                            String::from_utf8(attribute.key.as_ref().to_vec()).expect("UTF-8");
                        let value = attribute.decoded_and_normalized_value(
                            quick_xml::XmlVersion::Implicit1_0,
                            reader.decoder(),
                        );
                        let value = value.expect("UTF-8").into_owned();
                        match &key[..] {
                            "id" => id = value,
                            _ if id == "facts" => drop(facts.insert(key, value)),
                            _ => {}
                        }
                    }
                }
                Event::Text(part) => text.push_str(&part.decode().expect("UTF-8")),
                Event::GeneralRef(part) => text.push_str(match &*part.decode().expect("UTF-8") {
                    "lt" => "<",
                    "gt" => ">",
                    "amp" => "&",
                    "quot" => "\"",
                    "apos" => "'",
                    other => panic!("an entity &{other};"),
                }),
                Event::End(_) => {
                    texts.push(text.clone());
                    by_id.insert(std::mem::take(&mut id), std::mem::take(&mut text));
                }
                _ => {}
            }
        }
        let weights = by_id["weights"].split('\n').map(|line| {
            let number =
                |text: &str| if text.is_empty() { 0 } else { text.parse().expect("a weight") };
            line.split(' ').map(number).collect()
        });
        let names = by_id["names"].split('\n').map(str::to_owned).collect();
        Map { facts, names, weights: weights.collect(), texts, elements }
    }

    fn drawn(args: &[&str], table: impl AsRef<[u8]>) -> Map {
        Map::of(&filter_bytes("stack-heat", args, table))
    }

    pub(crate) fn number(&self, fact: &str) -> u64 {
        self.facts[fact].parse().expect("a number")
    }

    pub(crate) fn sum(&self) -> u128 {
        self.weights.iter().flatten().map(|&weight| u128::from(weight)).sum()
    }

    /// The sum of the cells that begin between these times, in nanoseconds.
    fn sum_between(&self, from: u128, to: u128) -> u128 {
        let (rows, width) = (self.weights.len(), u128::from(self.number("data-width")));
        let mut sum = 0;
        for (row, line) in self.weights.iter().enumerate() {
            for (column, &weight) in line.iter().enumerate() {
                let cell = (column * rows + row) as u128;
                let start = (cell * width).div_ceil(rows as u128);
                sum += if (from..to).contains(&start) { u128::from(weight) } else { 0 };
            }
        }
        sum
    }
}

/// A row of the table.
fn row(since: &str, tid: &str, weight: u64) -> String {
    format!("9.9\t{since}\tdemo\t7\t{tid}\t001\tcycles\t{weight}\t\"demo;main\"\n")
}

/// The messages of a tool for a table, and its status.
fn said(args: &[&str], table: impl AsRef<[u8]>) -> (String, Option<i32>) {
    let output = output("stack-heat", args, table);
    (String::from_utf8(output.stderr).expect("UTF-8"), output.status.code())
}

fn decimal(time: u64) -> String {
    format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000)
}

proptest! {
    #![proptest_config(few_cases())]

    /// Each weight is in the cell that a division gives, and nothing is lost, whatever the number
    /// of columns and rows.
    #[test]
    fn cells_are_sums_of_the_table(
        rows in prop::collection::vec(
            (20..45u32).prop_flat_map(|bits| 0..1u64 << bits).prop_flat_map(|time| {
                (Just(time), 0..12u32, 1..1000u64)
            }),
            1..200,
        ),
        is_by_tid in any::<bool>(),
    ) {
        let line = |(time, tid, weight): &(u64, u32, u64)| row(&decimal(*time), &tid.to_string(), *weight);
        let table: String = [HEADER.to_owned()].into_iter().chain(rows.iter().map(line)).collect();
        let map = Map::drawn(if is_by_tid { &["--by", "tid", "--rows", "5"] } else { &[] }, &table);
        let total: u128 = rows.iter().map(|row| u128::from(row.2)).sum();
        prop_assert_eq!(map.sum(), total);
        prop_assert_eq!(u128::from(map.number("data-total")), total);
        let (width, columns) = (map.number("data-width"), map.number("data-columns"));
        prop_assert!(columns <= 600 && map.weights.len() <= 50);
        let mut expected = BTreeMap::new();
        for (time, tid, weight) in &rows {
            let per_column = if is_by_tid { 1 } else { map.weights.len() as u64 };
            let cell = (u128::from(*time) * u128::from(per_column) / u128::from(width)) as u64;
            let name = map.names.iter().position(|name| *name == format!("demo {tid}"));
            let row = match is_by_tid {
                true => name.unwrap_or(map.names.len() - 1) as u64,
                false => cell % per_column,
            };
            *expected.entry((row, cell / per_column)).or_insert(0) += weight;
        }
        let mut found = BTreeMap::new();
        for (row, line) in (0..).zip(&map.weights) {
            found.extend((0..).zip(line).filter(|it| *it.1 > 0).map(|(at, &it)| ((row, at), it)));
        }
        prop_assert_eq!(found, expected);
    }
}

/// The command for a selection keeps the weight of its cells.
#[test]
fn the_times_of_cells_are_those_of_from_and_to() {
    for name in ["fresh-default", "fresh-systemwide", "packbench-4.13.1-fp", "shape-several"] {
        let script = recording(&format!("formats/perf-script/{name}.gz"));
        let table = output("stack-parse", &["--table"], &script).stdout;
        let map = Map::of(&output("stack-heat", &[], table).stdout);
        let all = output("stack-parse", &["--weight", "period"], &script).stdout;
        assert_eq!(map.sum(), weight(&all), "{name}");
        let (rows, width) = (map.weights.len() as u64, map.number("data-width"));
        let steps = rows * map.number("data-columns");
        let start = |step: u64| (step * width).div_ceil(rows);
        for (first, last) in [(0, steps / 3), (steps / 3, steps / 2), (steps / 2 + 1, steps)] {
            let (from, to) = (start(first), start(last));
            let args = ["--weight", "period", "--from", &decimal(from), "--to", &decimal(to)];
            let taken = weight(&output("stack-parse", &args, &script).stdout);
            let cells = map.sum_between(from.into(), to.into());
            assert_eq!(cells, taken, "{name}: from {from} to {to}");
        }
    }
}

#[test]
fn columns_are_found_by_their_names() {
    let table = "weight\tx\tsince\ttid\n3\t?\t0.5\t8\n4\t?\t1e-03\t9\n5\t?\t-0.25\t\n";
    let map = Map::drawn(&["--by", "tid"], table);
    assert_eq!(map.names, ["[no tid]", "9", "8"]);
    assert_eq!((map.number("data-width"), map.sum()), (1_000_000, 12));
    assert_eq!((&map.weights[0][..], &map.weights[1][..]), (&[5][..], &[0, 4][..]));
    // The same table with other line ends, with quotation marks, and without the last line end.
    let quoted = "\"weight\"\tx\t\"since\"\ttid\r\n\r\n3\t?\t\"0.5\"\t8\r\n4\t?\t0.001\t\"9\"\r\n5\t?\t0\t\"\"";
    assert_eq!(Map::drawn(&["--by", "tid"], quoted).weights, map.weights);
}

#[test]
fn a_file_without_the_columns_is_named_and_the_next_one_is_read() {
    let folded = TempFile::new("time\tcomm\n1\t2\n");
    let good = TempFile::new([HEADER, &row("0.0", "1", 2)].concat());
    let output = output("stack-heat", &[folded.path(), good.path()], "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = format!(
        "stack-heat: {}: expected columns 'since' and 'weight' in the first line, as \
         'stack-parse --table' prints it, or folded lines with labels, as 'stack-parse --labels \
         since' prints them\n",
        folded.path()
    );
    assert_eq!((&*stderr, output.status.code()), (&expected[..], Some(2)));
    assert_eq!(Map::of(&output.stdout).sum(), 2);
    let (said, _) = said(&["--by", "cpu"], "since\tweight\n0\t1\n");
    assert!(said.contains(": expected a column 'cpu' in the first line"), "{said}");
}

#[test]
fn malformed_rows_are_named_and_counted_and_the_others_are_read() {
    let table = "since\tweight\n0.0\t1\nx\t1\n0\n1.5\t-2\n2\t7.5\n2\t18446744073709551615\n3\t4\n";
    let output = output("stack-heat", &[], table);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-heat: <stdin>:3: expected seconds such as 2.5 in the column 'since'\n\
         stack-heat: <stdin>:4: fewer columns than the first line has\n\
         stack-heat: <stdin>:5: expected a weight such as 12\n\
         stack-heat: 2 more malformed lines skipped\n"
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(Map::of(&output.stdout).sum(), 5);
}

#[test]
fn nothing_to_show_is_reported() {
    let nothing = "stack-heat: nothing to show: no line with a time and a weight came in\n";
    for table in ["", HEADER, "since\tweight\n0\t0\n"] {
        assert_eq!(said(&[], table), (nothing.to_owned(), Some(1)), "{table:?}");
    }
    let table = [HEADER, &row("", "1", 5), &row("", "1", 6)].concat();
    let (said, status) = said(&["--stats"], &table);
    assert!(said.starts_with(
        "stack-heat: 2 samples of weight 11 have no time and are left out: print it with 'perf \
         script -F +time'\n"
    ));
    assert!(
        said.contains("in 2 lines weight 11") && said.contains("dropped 2 lines weight 11"),
        "{said}"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn files_lie_over_one_another_and_mixed_events_are_reported() {
    let table = |event: &str| {
        TempFile::new([HEADER, &row("0.25", "1", 2).replace("cycles", event)].concat())
    };
    let (one, other) = (table("cycles"), table("faults"));
    let joined = output("stack-heat", &[one.path(), other.path()], "");
    let stderr = String::from_utf8_lossy(&joined.stderr);
    assert_eq!(stderr, "stack-heat: weights of different events are added up: cycles, faults\n");
    assert_eq!(joined.status.code(), Some(0));
    let map = Map::of(&joined.stdout);
    assert_eq!(map.weights.iter().flatten().max(), Some(&4));
    assert_eq!(map.facts["data-unit"], "");
    // One file after the other, each with its header line.
    let both = [HEADER, &row("0.25", "1", 2), HEADER, &row("0.25", "1", 2)].concat();
    assert_eq!(Map::drawn(&[], both).weights, map.weights);
}

#[test]
fn rows_are_the_heaviest_first_and_the_others_are_summed() {
    let rows = [("0", "5", 1), ("1", "7", 10), ("2", "3", 5), ("2", "4", 2), ("0", "7", 1)];
    let rows = rows.map(|(since, tid, weight)| row(since, tid, weight)).concat();
    let map =
        Map::drawn(&["--by", "tid", "--rows", "3", "--column", "1"], [HEADER, &rows].concat());
    assert_eq!(map.names, ["demo 7", "demo 3", "2 others"]);
    assert_eq!(map.weights, [&[1, 10][..], &[0, 0, 5], &[1, 0, 2]]);
    let table = "since\tweight\tcpu\n0\t1\t010\n0\t9\t002\n0\t5\t000\n";
    assert_eq!(Map::drawn(&["--by", "cpu"], table).names, ["000", "002", "010"]);
}

#[test]
fn columns_are_as_the_user_wants_them() {
    let table = "since\tweight\n0\t1\n9.999\t1\n";
    let map = Map::drawn(&["--column", "0.5", "--rows", "3"], table);
    assert_eq!((map.number("data-columns"), map.weights.len()), (20, 3));
    let (said, status) = said(&["--column", "0.001"], "since\tweight\n0\t1\n10\t1\n");
    let message = "stack-heat: <stdin>:3: more than 10000 columns: give --column a longer time\n";
    assert_eq!((&said[..], status), (message, Some(2)));
}

#[test]
fn the_unit_is_that_of_the_event_or_the_users() {
    let table =
        |event: &str, weight| [HEADER, &row("0", "1", weight).replace("cycles", event)].concat();
    let unit = |args: &[&str], table: String| Map::drawn(args, table).facts["data-unit"].clone();
    assert_eq!(unit(&[], table("cpu-clock:u", 1_000_000)), "ns");
    assert_eq!(unit(&[], table("cycles:u", 9)), "cycles");
    assert_eq!(unit(&[], table("cycles:u", 1)), "samples");
    assert_eq!(unit(&["--unit", "bytes"], table("cycles:u", 9)), "bytes");
}

#[test]
fn names_and_titles_are_only_text() {
    let names = ["</metadata><script>hit()</script>", "\"onload=\"x", "&lt <b>", "a\u{202e}b"];
    let shown = [names[0], names[1], names[2], "a\\xE2\\x80\\xAEb"];
    let rows = names.map(|name| format!("0\t1\t\"{}\"\n", name.replace('"', "\"\"")));
    let table = [&["since\tweight\tcomm\n".to_owned()][..], &rows].concat().concat();
    let map = Map::drawn(&["--by", "comm", "--title", "<script>", "--unit", "\"'<&"], table);
    let mut found: Vec<&str> = map.names.iter().map(String::as_str).collect();
    found.sort_unstable();
    let mut expected = shown.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!((map.elements["script"], map.elements["metadata"]), (1, 4));
    assert!(map.texts.contains(&"<script>".to_owned()));
    assert_eq!(map.facts["data-unit"], "\"'<&");
}

#[test]
fn a_pipe_gets_a_map_of_letters() {
    // A sample for each cell.
    let line = |at: u64| row(&format!("{}.{}", at * 4 / 10, at * 4 % 10), "1", 1 + at / 25);
    let rows: String = (0..75).map(line).collect();
    assert_eq!(
        filter("stack-heat", &["--text", "--rows", "5", "--column", "2"], [HEADER, &rows].concat()),
        "+1.6 s |.....=====@@@@@\n\
         +1.2 s |.....=====@@@@@\n\
         +0.8 s |.....=====@@@@@\n\
         +0.4 s |.....=====@@@@@\n  \
           +0 s |.....=====@@@@@\n        \
                 0 s\n\
         a column is 2 s, 5 rows of it, all 150 cycles\n\
         cells: .. 1  == 2  @@ 3\n"
    );
}

#[test]
fn the_policy_names_script_and_style() {
    let policy = filter("stack-heat", &["--csp-hash"], "");
    assert!(policy.starts_with("script-src 'sha256-") && policy.contains("; style-src 'sha256-"));
}

#[test]
fn a_full_disk_is_an_error_and_a_reader_that_left_is_not() {
    let table = TempFile::new([HEADER, &row("0", "1", 2)].concat());
    let full = Command::new(binary("stack-heat"))
        .arg(table.path())
        .stdout(File::options().write(true).open("/dev/full").expect("/dev/full"))
        .output()
        .expect("it starts");
    let stderr = String::from_utf8_lossy(&full.stderr);
    assert_eq!(stderr, "stack-heat: <stdout>: no space left on device\n");
    assert_eq!(full.status.code(), Some(2));
    let mut child = Command::new(binary("stack-heat"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("piped");
    std::io::copy(&mut File::open(table.path()).expect("a file"), &mut stdin).expect("it reads");
    drop(stdin);
    let left = child.wait_with_output().expect("it ends");
    assert!(left.status.success() && left.stderr.is_empty());
}

#[test]
fn memory_does_not_grow_with_the_input() {
    let rows: String = (0..200).map(|at| row(&format!("{at}.5"), &at.to_string(), 1)).collect();
    let text = format!("{HEADER}{rows}");
    let (output, read_all) = endless("stack-heat", &["--by", "tid"], &text);
    assert!(output.status.success() && read_all, "{output:?}");
}

#[test]
fn a_missing_file_is_named() {
    let output = tool("stack-heat").arg("no-such-file").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with("stack-heat: no-such-file: no such file or directory\n"),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(2));
}

//! Labels by spans: a server whose slow requests are known, and random spans and lines beside a search
//! through all of them.

mod events;
mod probes;

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::util::{TempFile, few_cases, filter, golden_path, output, recording, stderr};

const SPANS: &str = "start\tend\ttid\tname\tid\tpod\n\
    10\t20\t1\touter\ta\tx\n\
    12.5\t14\t1\tinner\tb\t\n\
    30\t31\t\tany\tc\ty\n";

/// What stack-label prints of lines with these spans, and what it says.
fn labelled(args: &[&str], spans: &str, lines: &str) -> (String, String) {
    let spans = TempFile::new(spans);
    let output = output("stack-label", &[args, &[spans.path()]].concat(), lines);
    (String::from_utf8(output.stdout.clone()).expect("UTF-8"), stderr(&output))
}

#[test]
fn a_line_has_the_labels_of_the_innermost_span() {
    let lines = "# clock: monotonic\ntime=11\ttid=1\tmain;f 1\ntime=12.500000000\ttid=1\tmain;g 2\n\
        time=14\ttid=1\tmain 3\ntime=13\ttid=2\tmain 4\ntime=30.5\ttid=2\tmain 5\ntime=20\ttid=1\tmain 6\n";
    let (found, said) = labelled(&[], SPANS, lines);
    let expected = "# clock: monotonic\n\
        time=11\ttid=1\tspan=outer\tspan_ms=10000\tspan_id=a\tpod=x\tmain;f 1\n\
        time=12.500000000\ttid=1\tspan=inner\tspan_ms=1500\tspan_id=b\tmain;g 2\n\
        time=14\ttid=1\tspan=outer\tspan_ms=10000\tspan_id=a\tpod=x\tmain 3\n\
        time=13\ttid=2\tmain 4\n\
        time=30.5\ttid=2\tspan=any\tspan_ms=1000\tspan_id=c\tpod=y\tmain 5\n\
        time=20\ttid=1\tmain 6\n";
    assert_eq!(found, expected);
    assert_eq!(said, "stack-label: 2 lines (47.62% of the weight) are in no span\n");
    let (all, _) = labelled(&["--all"], SPANS, lines);
    assert!(all.contains("span=outer > inner\tspan_ms=1500\tspan_id=a > b\tmain;g 2"), "{all}");
    let (frames, _) = labelled(&["--frames"], SPANS, lines);
    assert!(frames.contains("span_id=b\tmain;[outer];[inner];g 2\n"), "{frames}");
    // Labels of an earlier run are replaced.
    let (again, _) = labelled(&[], SPANS, &found);
    assert_eq!(again, expected);
    let (moved, _) =
        labelled(&["--offset", "-1.5"], SPANS, "# clock: monotonic\ntime=11\ttid=1\tmain 1\n");
    assert!(moved.contains("span=inner"), "{moved}");
}

#[test]
fn a_slice_is_cut_where_spans_begin_and_end() {
    let lines = "# clock: monotonic\n\
        since=1.000000000\ttime=11.000000000\ttid=1\tstate=waiting\tmain 10000000000\n";
    let (found, said) = labelled(&[], SPANS, lines);
    let expected = "# clock: monotonic\n\
        since=1.000000000\ttime=11.000000000\ttid=1\tstate=waiting\tspan=outer\tspan_ms=10000\tspan_id=a\tpod=x\tmain 1500000000\n\
        since=2.500000000\ttime=12.500000000\ttid=1\tstate=waiting\tspan=inner\tspan_ms=1500\tspan_id=b\tmain 1500000000\n\
        since=4.000000000\ttime=14.000000000\ttid=1\tstate=waiting\tspan=outer\tspan_ms=10000\tspan_id=a\tpod=x\tmain 6000000000\n\
        since=10.000000000\ttime=20.000000000\ttid=1\tstate=waiting\tmain 1000000000\n";
    assert_eq!(found, expected);
    assert!(
        said.contains("1 of 3 have no line of their own") || said.contains("1 span of 3"),
        "{said}"
    );
}

#[test]
fn rows_with_one_id_are_one_span_that_moved_between_threads() {
    let spans = "start\tend\ttid\tname\tid\n1\t2\t1\trequest\t7\n2.5\t4\t2\trequest\t7\n";
    let (found, _) = labelled(&["--clock", "any"], spans, "time=3\ttid=2\tmain 1\n");
    assert_eq!(found, "time=3\ttid=2\tspan=request\tspan_ms=3000\tspan_id=7\tmain 1\n");
}

#[test]
fn what_cannot_be_is_said() {
    let line = "time=11\ttid=1\tmain 1\n";
    for (args, spans, lines, part) in [
        (&[][..], SPANS, line, "no header line says of which clock"),
        (&[], SPANS, "# clock: boottime\ntime=11\ttid=1\tmain 1\n", "are of the clock boottime"),
        (&["--clock", "any"], "start\tend\n", line, "expected a first line that names the columns"),
        (&["--clock", "any"], "", line, "expected a first line that names the columns"),
        (
            &["--clock", "any"],
            "start\tend\tname\ttime\n",
            line,
            "column 'time' is a label that lines have",
        ),
        (&["--clock", "any"], "start\tend\tname\na b\n1\t2\tx\n", line, ":2: expected 3 fields"),
        (
            &["--clock", "any"],
            "start\tend\tname\n2\t1\tx\n1\t20\tx\n",
            line,
            ":2: it ends before it starts",
        ),
        (
            &["--clock", "any"],
            "start\tend\tname\n1e3\t1\tx\n",
            line,
            ":2: expected seconds such as",
        ),
        (
            &["--clock", "any"],
            SPANS,
            "time=99\ttid=1\tmain 1\n",
            "no line is in any span: lines are from 99 to 99, spans from 10 to 31",
        ),
        (&["--clock", "any"], SPANS, "tid=1\tmain 1\n", "1 line without a label time stay"),
        (&["--offset", "x"], SPANS, line, "expected seconds such as 0.25"),
    ] {
        let file = TempFile::new(spans);
        let output = output("stack-label", &[args, &[file.path()]].concat(), lines);
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{part}");
    }
    let overlapping = "start\tend\tname\n10\t20\tx\n15\t25\ty\n";
    let (found, said) =
        labelled(&["--clock", "any"], overlapping, "time=17\tmain 1\ntime=12\tmain 1\n");
    assert!(
        said.contains("1 span begin in one that ends before") && found.contains("span=y"),
        "{said}{found}"
    );
}

/// The slices or samples of a server, whose slow requests were planted.
fn of_server(name: &str, args: &[&str]) -> String {
    let path = |name: &str| golden_path(name).into_os_string().into_string().expect("UTF-8");
    let recording = path(&format!("wall/{name}.data.zst"));
    let (spans, symfs) = (path(&format!("wall/{name}.spans.tsv")), path("symfs"));
    let args = [args, &["--header", "--per-sample", "--symfs", &symfs, &recording]].concat();
    let lines = output("stack-parse", &args, "").stdout;
    let output = output("stack-label", &[&spans], lines);
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn weight(lines: &str, parts: &[&str]) -> u64 {
    let counted = lines.lines().filter(|line| !line.starts_with('#'));
    let counted = counted.filter(|line| parts.iter().all(|part| line.contains(part)));
    counted
        .map(|line| line.rsplit(' ').next().expect("a count").parse::<u64>().expect("a count"))
        .sum()
}

#[test]
fn the_slow_requests_of_a_server_have_the_planted_function() {
    let labelled = of_server("srv-compute", &["--labels", "time,tid"]);
    let slow = filter("stack-grep", &["--label", "span_ms>=100", "-e", ""], &labelled);
    let share =
        |lines: &str| 100.0 * weight(lines, &["rebuild_index"]) as f64 / weight(lines, &[]) as f64;
    assert_eq!(format!("{:.1} {:.1}", share(&labelled), share(&slow)), "7.9 96.3");
    // It is what tells slow requests from others: all of them spend their time in the function `burn`
    // that it calls, so that this does not change.
    let fast = filter("stack-grep", &["--label", "span_ms<100", "-e", ""], &labelled);
    let [fast, slow] = [fast, slow].map(|lines| TempFile::new(&lines));
    let changed = output("stack-diff", &["--tsv", fast.path(), slow.path()], "").stdout;
    let changed = String::from_utf8(changed).expect("UTF-8");
    assert!(
        changed.lines().nth(1).is_some_and(|row| row.starts_with("rebuild_index\t")),
        "{changed}"
    );
}

#[test]
fn the_slow_requests_of_a_server_wait_as_long_as_they_do() {
    let labelled = of_server("srv-wait", &["--wall", "--labels", "time,tid,state"]);
    let slow = filter("stack-grep", &["--label", "span_ms>=100", "-e", ""], &labelled);
    assert_eq!(weight(&slow, &[]), 720_926_303);
    assert_eq!(weight(&slow, &["state=waiting\t"]), 692_297_255);
}

#[test]
fn what_slow_requests_wait_for_is_what_was_planted() {
    // Its stacks need the files of the recorded machine, so these are the slices themselves.
    let slices = recording("wall/srv-wait.slices.zst");
    let spans = golden_path("wall/srv-wait.spans.tsv");
    let labelled = output("stack-label", &[spans.to_str().expect("UTF-8")], slices).stdout;
    let labelled = String::from_utf8(labelled).expect("UTF-8");
    let slow = filter("stack-grep", &["--label", "span_ms>=100"], &labelled);
    let waiting = weight(&slow, &["state=waiting\t"]);
    assert_eq!((weight(&slow, &[]), waiting), (720_926_303, 692_297_255));
    let below = weight(&slow, &["state=waiting\t", ";update_stats_[o];"]);
    assert!(below * 100 >= waiting * 95, "{below} of {waiting}");
    let brief = String::from_utf8(output("stack-brief", &[], slow).stdout).expect("UTF-8");
    let first = brief.lines().find(|line| line.starts_with("## "));
    assert!(first.is_some_and(|line| line.starts_with("## `update_stats`")), "{brief}");
}

/// Spans and lines of few threads and moments, so that they touch, nest and begin together.
fn any_spans() -> impl Strategy<Value = Vec<(u64, u64, Option<u8>)>> {
    prop::collection::vec((0..30_u64, 0..12_u64, prop::option::of(0..3_u8)), 0..12).prop_map(
        |spans| {
            spans.into_iter().map(|(start, length, tid)| (start, start + length, tid)).collect()
        },
    )
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn labels_are_those_of_a_search_through_all_spans(
        spans in any_spans(),
        lines in prop::collection::vec((0..35_u64, 0..9_u64, 0..3_u8, any::<bool>()), 0..20),
    ) {
        let mut table = "start\tend\ttid\tname\n".to_owned();
        for (at, (start, end, tid)) in spans.iter().enumerate() {
            let tid = tid.map_or(String::new(), |tid| tid.to_string());
            table += &format!("0.{start:09}\t0.{end:09}\t{tid}\ts{at}\n");
        }
        let (mut text, mut expected) = (String::new(), BTreeMap::<(u64, u8, String), u64>::new());
        for (number, &(time, weight, tid, is_slice)) in lines.iter().enumerate() {
            let state = if is_slice { "state=running\t" } else { "" };
            text += &format!("time=0.{time:09}\ttid={tid}\t{state}main;l{number} {weight}\n");
            let innermost = |moment: u64| {
                let holds = |(_, (start, end, of)): &(usize, &(u64, u64, Option<u8>))| {
                    (*start..*end).contains(&moment) && of.is_none_or(|of| of == tid)
                };
                let all = spans.iter().enumerate().filter(holds);
                let last = all.max_by_key(|(at, (start, end, _))| (*start, std::cmp::Reverse(*end), *at));
                last.map_or(String::new(), |(at, _)| format!("s{at}"))
            };
            let moments = if is_slice && weight > 0 { time..time + weight } else { time..time + 1 };
            for moment in moments {
                let part = if is_slice && weight > 0 { 1 } else { weight };
                *expected.entry((number as u64, tid, innermost(moment))).or_default() += part;
            }
        }
        let (found, _) = labelled(&["--clock", "any"], &table, &text);
        let mut sums = BTreeMap::<(u64, u8, String), u64>::new();
        for line in found.lines() {
            let (labels, weight) = line.rsplit_once(' ').expect("a count");
            let label = |key: &str| labels.split('\t').find_map(|it| it.strip_prefix(key)).unwrap_or_default();
            let number = labels.rsplit_once(";l").expect("a number").1.parse().expect("a number");
            let key = (number, label("tid=").parse().expect("a thread"), label("span=").to_owned());
            *sums.entry(key).or_default() += weight.parse::<u64>().expect("a count");
        }
        prop_assert_eq!(sums, expected, "{}\n{}\n{}", table, text, found);
    }

    #[test]
    fn no_table_makes_it_panic(table in "(start\tend\tname(\ttid|\tid|\tx|\t[a-z ]{0,3}){0,2}\n)?([0-9.\t a-z\"]{0,12}\n){0,5}") {
        let file = TempFile::new(&table);
        let output = output("stack-label", &["--clock", "any", file.path()], "time=1\ttid=1\tmain 1\n");
        prop_assert!(output.status.code().is_some_and(|code| code < 3), "{}", table);
    }
}

//! Spans that lie between lines of two events.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::util::{TempFile, few_cases, output, stderr};

const BY_EVENTS: [&str; 4] = ["--begin", "app:begin", "--end", "app:end"];

/// What stack-label prints of lines, and what it says.
fn labelled(args: &[&str], lines: &str) -> (String, String, Option<i32>) {
    let output = output("stack-label", args, lines);
    let status = output.status.code();
    (String::from_utf8(output.stdout.clone()).expect("UTF-8"), stderr(&output), status)
}

const LINES: &str = "# source: perf-data\n\
    time=1\ttid=1\tevent=clock\tmain 1\n\
    time=2\ttid=1\tevent=app:begin\turl=/a b\tmain;f 1\n\
    time=3\ttid=2\tevent=clock\tmain 1\n\
    time=4\ttid=1\tevent=clock\tmain;f 2\n\
    time=5\ttid=1\tevent=app:begin\turl=/inner\tmain;f;g 1\n\
    time=6\ttid=1\tevent=clock\tmain;f;g 3\n\
    time=7\ttid=1\tevent=app:end\tret=9\tmain;f 1\n\
    time=8\ttid=1\tevent=clock\tmain;f 4\n\
    time=9.5\ttid=1\tevent=app:end\tret=8\tmain 1\n\
    time=10\ttid=1\tevent=clock\tmain 1\n";

#[test]
fn lines_between_two_events_have_the_labels_of_both() {
    let args = [&BY_EVENTS[..], &["--name", "url"]].concat();
    let (found, said, _) = labelled(&args, LINES);
    let mut found: Vec<&str> = found.lines().collect();
    found.sort_unstable();
    let outer = "span=/a b\tspan_ms=7500\tspan_id=1\turl=/a b\tret=8";
    let inner = "span=/inner\tspan_ms=2000\tspan_id=2\turl=/inner\tret=9";
    let expected = [
        "# source: perf-data".to_owned(),
        "time=1\ttid=1\tevent=clock\tmain 1".to_owned(),
        "time=10\ttid=1\tevent=clock\tmain 1".to_owned(),
        format!("time=2\ttid=1\tevent=app:begin\t{outer}\tmain;f 1"),
        "time=3\ttid=2\tevent=clock\tmain 1".to_owned(),
        format!("time=4\ttid=1\tevent=clock\t{outer}\tmain;f 2"),
        format!("time=5\ttid=1\tevent=app:begin\t{inner}\tmain;f;g 1"),
        format!("time=6\ttid=1\tevent=clock\t{inner}\tmain;f;g 3"),
        format!("time=7\ttid=1\tevent=app:end\t{outer}\tmain;f 1"),
        format!("time=8\ttid=1\tevent=clock\t{outer}\tmain;f 4"),
        "time=9.5\ttid=1\tevent=app:end\tret=8\tmain 1".to_owned(),
    ];
    assert_eq!(found, expected.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(said, "stack-label: 4 lines (25.00% of the weight) are in no span\n");
    let (all, _, _) = labelled(&[&args[..], &["--all"]].concat(), LINES);
    assert!(all.contains("span=/a b > /inner\tspan_ms=2000\tspan_id=1 > 2\t"), "{all}");
    let (frames, _, _) = labelled(&[&args[..], &["--frames"]].concat(), LINES);
    assert!(frames.contains("\tmain;[/a b];[/inner];f;g 3\n"), "{frames}");
    let (table, _, _) = labelled(&[&args[..], &["--tsv"]].concat(), LINES);
    assert_eq!(
        table,
        "start\tend\ttid\tname\tid\turl\tret\n2\t9.5\t1\t/a b\t1\t/a b\t8\n5\t7\t1\t/inner\t2\t/inner\t9\n"
    );
}

#[test]
fn a_field_tells_which_end_belongs_to_which_begin() {
    // Two requests at once in one thread, of which one ends in another.
    let lines = "time=1\ttid=1\tevent=app:begin\treq=7\tmain 1\n\
        time=2\ttid=1\tevent=clock\tmain 1\n\
        time=3\ttid=1\tevent=app:begin\treq=8\tmain 1\n\
        time=4\ttid=1\tevent=clock\tmain 1\n\
        time=5\ttid=1\tevent=app:end\treq=7\tmain 1\n\
        time=6\ttid=1\tevent=clock\tmain 1\n\
        time=7\ttid=2\tevent=app:end\treq=8\tmain 1\n\
        time=8\ttid=1\tevent=app:end\treq=9\tmain 1\n";
    let (found, said, _) = labelled(&[&BY_EVENTS[..], &["--by", "req"]].concat(), lines);
    for (time, ms, req) in [(2, 4000, 7), (4, 4000, 8), (6, 4000, 8)] {
        let span = req - 6;
        let expected = format!(
            "time={time}\ttid=1\tevent=clock\tspan=app:begin\tspan_ms={ms}\tspan_id={span}\treq={req}\tmain 1\n"
        );
        assert!(found.contains(&expected), "{expected}{found}");
    }
    for part in ["1 span of 2 ended in another thread", "1 end without a begin"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn one_event_may_end_a_span_and_begin_the_next() {
    let frame = |time: u8| format!("time={time}\ttid=1\tevent=vsync\tmain 1\n");
    let line = "time=2.5\ttid=1\tevent=clock\tmain 1\n";
    let lines = [&frame(1), &frame(2), line, &frame(4), &frame(5)].concat();
    let (found, said, _) = labelled(&["--begin", "vsync", "--end", "vsync"], &lines);
    assert!(found.contains("event=clock\tspan=vsync\tspan_ms=2000\tspan_id=2\t"), "{found}");
    assert!(found.contains("time=5\ttid=1\tevent=vsync\tmain 1\n"), "{found}");
    assert!(said.starts_with("stack-label: 1 span of 4 did not end"), "{said}");
    assert!(!said.contains("without a begin"), "{said}");
}

/// Of three requests, the end of the second and the begin of the third were lost.
#[test]
fn that_ends_may_be_lost_is_said() {
    let lines = "time=1\ttid=1\tevent=app:begin\tmain 1\n\
        time=2\ttid=1\tevent=app:end\tmain 1\n\
        time=3\ttid=1\tevent=app:begin\tmain 1\n\
        time=8\ttid=1\tevent=app:end\tmain 1\n";
    for (lost, is_said) in [("0", false), ("55", true)] {
        let header = format!("# lost: {lost} of 1,047 samples\n");
        // stack-parse writes it after the lines if it knows it only then.
        for lines in [format!("{header}{lines}"), format!("{lines}{header}")] {
            let (_, said, _) = labelled(&BY_EVENTS, &lines);
            let note = "stack-label: 55 of 1,047 samples were lost while recording: ";
            assert_eq!(said.contains(note), is_said, "{said}");
        }
    }
}

#[test]
fn what_cannot_be_is_said() {
    let slice = "time=1\ttid=1\tstate=running\tmain 5\n";
    for (args, lines, part) in [
        (
            &["--begin", "x*", "--end", "app:end"][..],
            LINES,
            "no line is of the event of --begin; lines are of clock",
        ),
        (
            &["--begin", "app:begin", "--end", "x"],
            LINES,
            "no line is of the event of --end; lines are of clock, app:end",
        ),
        (&BY_EVENTS, "tid=1\tevent=app:begin\tmain 1\n", "1 line without a label time"),
        (
            &BY_EVENTS,
            "time=1\ttid=1\tmain 1\n",
            "of --begin: print lines with 'stack-parse --header --per-sample --event '*'",
        ),
        (&BY_EVENTS, "time=1\tevent=app:begin\tmain 1\n", "1 begin or end has no label tid"),
        (&BY_EVENTS, slice, "write a table of the spans with --tsv"),
        (&["--begin", "x"], LINES, "--end <EVENT>"),
        (&["--tsv", "spans"], LINES, "--begin <EVENT>"),
        (&[], LINES, "<SPANS>"),
    ] {
        let (_, said, status) = labelled(args, lines);
        assert!(said.contains(part), "{part}: {said}");
        assert_eq!(status, Some(2), "{part}");
    }
    let early = LINES.replace("time=8", "time=6.5");
    let (_, said, status) = labelled(&BY_EVENTS, &early);
    assert!(said.contains("1 line is earlier than one before it of the same thread"), "{said}");
    assert_eq!(status, Some(0));
}

/// A line of any kind, some nanoseconds after the one before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    after: u64,
    tid: u8,
    key: u8,
    kind: u8,
    weight: u64,
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (1..4_u64, 0..2_u8, 0..2_u8, 0..4_u8, 0..5_u64);
    let step =
        step.prop_map(|(after, tid, key, kind, weight)| Step { after, tid, key, kind, weight });
    prop::collection::vec(step, 0..40)
}

/// The spans of steps, by a search of the test's own: begin, end and the thread. An end ends what
/// began last of what has the same `key`.
fn spans_of(steps: &[(u64, Step)], key: fn(&Step) -> u8) -> Vec<(u64, u64, u8)> {
    let mut open: Vec<(u64, Step)> = Vec::new();
    let mut spans = Vec::new();
    for (time, step) in steps {
        match step.kind {
            0 => open.push((*time, *step)),
            1 => {
                if let Some(at) = open.iter().rposition(|(_, begun)| key(begun) == key(step)) {
                    let (begun, by) = open.remove(at);
                    spans.push((begun, *time, by.tid));
                }
            }
            _ => {}
        }
    }
    spans
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn labels_are_those_of_a_search_and_of_the_table(steps in any_steps(), by_key: bool) {
        let mut time = 0;
        let timed: Vec<(u64, Step)> = steps.iter().map(|step| {
            time += step.after;
            (time, *step)
        }).collect();
        let lines: String = timed.iter().map(|(time, Step { tid, key, kind, weight, .. })| {
            let event = ["app:begin", "app:end", "clock", "other"][usize::from(*kind)];
            format!("time=0.{time:09}\ttid={tid}\tevent={event}\tkey={key}\tmain;l{time} {weight}\n")
        }).collect();
        let spans = spans_of(&timed, if by_key { |it| it.key } else { |it| it.tid });
        let by = if by_key { "key" } else { "tid" };
        let args = [&BY_EVENTS[..], &["--by", by]].concat();
        let (found, _, _) = labelled(&args, &lines);
        let mut expected = BTreeMap::new();
        for (time, Step { tid, weight, .. }) in &timed {
            let holds = |it: &&(u64, u64, u8)| it.2 == *tid && it.0 <= *time && *time < it.1;
            let innermost = spans.iter().filter(holds).max_by_key(|it| it.0);
            let ms = innermost.map(|(start, end, _)| (end - start) as f64 / 1e6);
            expected.insert(*time, (*weight, ms.map(|ms| format!("{ms}"))));
        }
        let mut seen = BTreeMap::new();
        for line in found.lines() {
            let (labels, weight) = line.rsplit_once(' ').expect("a count");
            let ms = labels.split('\t').find_map(|it| it.strip_prefix("span_ms="));
            let ms = ms.map(|ms| format!("{}", ms.parse::<f64>().expect("a number")));
            let time = labels.rsplit_once(";l").expect("a time").1.parse().expect("a time");
            let weight: u64 = weight.parse().expect("a count");
            prop_assert!(seen.insert(time, (weight, ms)).is_none(), "{} twice", time);
        }
        prop_assert_eq!(seen, expected, "{}\n{}", lines, found);
        // The same spans as a table give the same lines.
        if spans.is_empty() {
            return Ok(());
        }
        let (table, _, _) = labelled(&[&args[..], &["--tsv"]].concat(), &lines);
        let table = TempFile::new(table);
        for how in [&[][..], &["--all"], &["--frames"]] {
            let (by_events, _, _) = labelled(&[&args[..], how].concat(), &lines);
            let by_table = ["--clock", "any", table.path()];
            let (by_table, _, _) = labelled(&[how, &by_table].concat(), &lines);
            prop_assert_eq!(sorted(&by_events), sorted(&by_table), "{:?} {}", how, lines);
        }
    }

    #[test]
    fn no_lines_make_it_panic(lines in "((time=[0-9.]{0,3}|tid=[0-9]|event=app:(begin|end)|x=[a-z;]{0,2})\t){0,4}[a-z; ]{0,4}[0-9\n]{0,3}") {
        let (_, said, status) = labelled(&BY_EVENTS, &lines);
        prop_assert!(status.is_some_and(|code| code < 3), "{}{}", lines, said);
    }
}

/// The lines, in an order that does not depend on how long they waited.
fn sorted(lines: &str) -> Vec<String> {
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

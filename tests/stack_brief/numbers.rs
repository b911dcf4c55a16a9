//! Every number of a page by another way: by the other tools, and by a sum of the lines themselves.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json;
use crate::util::{TempFile, command, filter, golden_files, output, recording};

/// The recordings of tests/golden/planted with one weight.
fn recordings() -> Vec<(String, String)> {
    let all = golden_files("planted").into_iter().map(|name| {
        let stacks = String::from_utf8(recording(&format!("planted/{name}"))).expect("UTF-8");
        (name, stacks)
    });
    all.filter(|(_, stacks)| !stacks.contains("\tstate=")).collect()
}

/// What another tool prints as JSON.
fn other(tool: &str, args: &[&str], stacks: &str) -> Value {
    let file = TempFile::new(stacks);
    let output = command(tool).args(args).arg(file.path()).output();
    serde_json::from_slice(&output.expect("it starts").stdout).expect("JSON")
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().expect("text")
}

fn number(row: &Value, key: &str) -> u64 {
    row[key].as_u64().expect("a number")
}

fn list<'v>(row: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    row[key].as_array().expect("a list").iter()
}

/// The stacks of the first event, where header lines name several.
fn of_first_event(stacks: &str) -> String {
    let events = stacks.lines().filter_map(|line| line.strip_prefix("# event: "));
    let names: Vec<&str> = events.filter_map(|event| Some(event.rsplit_once(' ')?.0)).collect();
    let root = names
        .first()
        .map(|name| format!("{name};"))
        .filter(|root| stacks.lines().any(|line| line.starts_with(root.as_str())));
    let Some(root) = root else { return stacks.to_owned() };
    let lines = stacks.lines().filter_map(|line| line.strip_prefix(root.as_str()));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn rows_are_those_of_stack_top_and_lines_those_of_stack_source() {
    let mut compared = 0;
    for (name, stacks) in recordings() {
        let page = json(&[], &stacks);
        // Of a program that hardly ran, rows are of another event.
        if text(&page, "title").contains("jdk.ThreadPark") {
            continue;
        }
        let stacks = of_first_event(&stacks);
        let top = other("stack-top", &["--sort", "own", "--json", "-n", "0"], &stacks);
        let weights = |page: &Value| -> Vec<u64> {
            let rows = list(page, "rows").filter(|row| text(row, "function") != "[not own]");
            rows.map(|row| number(row, "own")).collect()
        };
        let found = weights(&page);
        assert_eq!(found, weights(&top)[..found.len()], "{name}");
        for row in list(&page, "rows") {
            let same = |it: &&Value| it["function"] == row["function"];
            assert_eq!(list(&top, "rows").find(same).expect("a row")["own"], row["own"], "{name}");
        }
        assert_eq!(number(&page, "total"), number(&top, "total"), "{name}");
        let not_own = list(&top, "rows").find(|row| text(row, "function") == "[not own]");
        assert_eq!(number(&page, "not_own"), not_own.map_or(0, |row| number(row, "own")), "{name}");
        let source = other("stack-source", &["--sort", "own", "--json", "-n", "0"], &stacks);
        for row in list(&page, "rows") {
            for line in list(row, "lines").filter(|line| number(line, "own") > 0) {
                let same =
                    |it: &&Value| it["function"] == row["function"] && it["path"] == line["path"];
                let listing = list(&source, "listings").find(same).expect("a listing");
                let of_line = list(listing, "lines").find(|it| it["line"] == line["line"]);
                assert_eq!(of_line.expect("a line")["own"], line["own"], "{name}: {line}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The frames of a line that are own code, root first, as names and places, the frames after the last
/// of them, and its weight.
type OwnFrames<'l> = (Vec<(&'l str, &'l str)>, Vec<&'l str>, u64);

fn own_frames(line: &str) -> Option<OwnFrames<'_>> {
    let (stack, count) = line.rsplit_once(' ')?;
    let frames: Vec<&str> = stack.split('\t').next_back()?.split(';').collect();
    let own: Vec<usize> = (0..frames.len()).filter(|at| frames[*at].contains("_[o]")).collect();
    let split = |frame: &'_ str| -> (usize, usize) {
        let marks = frame.find("_[").unwrap_or(frame.len());
        let place = frame[..marks].rfind(" (").filter(|_| frame[..marks].ends_with(')'));
        (place.unwrap_or(marks), marks)
    };
    let named = own.iter().map(|&at| {
        let frame = frames[at];
        let (name, marks) = split(frame);
        (&frame[..name], frame[name..marks].trim_matches([' ', '(', ')']))
    });
    let named: Vec<(&str, &str)> = named.collect();
    let below = own.last().map_or(Vec::new(), |at| frames[at + 1..].to_vec());
    Some((named, below, count.parse().ok()?))
}

#[test]
fn callers_and_calls_are_sums_of_the_lines() {
    let mut compared = 0;
    for (name, stacks) in recordings() {
        // Where own code has no marks, rules tell it.
        if !stacks.contains("_[o]") {
            continue;
        }
        let page = json(&[], &stacks);
        let stacks = of_first_event(&stacks);
        let lines: Vec<_> =
            stacks.lines().filter(|line| !line.starts_with("# ")).filter_map(own_frames).collect();
        for row in list(&page, "rows") {
            let function = text(row, "function");
            let of_row =
                || lines.iter().filter(|(own, ..)| own.last().is_some_and(|it| it.0 == function));
            // The chain of callers: the stacks whose own frames end in it, each function once.
            let chain: Vec<&str> = list(row, "callers").map(|it| text(it, "function")).collect();
            let has_chain = |own: &[(&str, &str)]| {
                let mut seen = vec![function];
                let mut callers: Vec<&str> = Vec::new();
                for (name, _) in own.iter().rev() {
                    if !seen.contains(name) {
                        seen.push(name);
                        callers.push(name);
                    }
                }
                callers.truncate(24);
                chain.iter().rev().zip(&callers).filter(|(one, other)| one == other).count()
                    == chain.len()
            };
            let sum: u64 = of_row().filter(|(own, ..)| has_chain(own)).map(|it| it.2).sum();
            if let Some(first) = list(row, "callers").next() {
                assert_eq!(number(first, "own"), sum, "{name}: {function}: {chain:?}");
                compared += 1;
            }
            let mut callees: BTreeMap<&str, u64> = BTreeMap::new();
            for (_, below, weight) in of_row() {
                if let Some(callee) = below.first() {
                    let marks = callee.find("_[").unwrap_or(callee.len());
                    let place =
                        callee[..marks].rfind(" (").filter(|_| callee[..marks].ends_with(')'));
                    *callees.entry(&callee[..place.unwrap_or(marks)]).or_default() += weight;
                }
            }
            for call in list(row, "calls") {
                let callee = call["functions"][0].as_str().expect("a name");
                assert_eq!(Some(&number(call, "own")), callees.get(callee), "{name}: {callee}");
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn the_share_of_the_kernel_is_that_of_stack_grep() {
    for name in ["meter", "lzpack"] {
        let stacks =
            String::from_utf8(recording(&format!("planted/{name}.folded.gz"))).expect("UTF-8");
        let page = json(&[], &stacks);
        let kinds: u64 = list(&page, "kinds").map(|kind| number(kind, "weight")).sum();
        assert_eq!(kinds, number(&page, "total"), "each stack counts once");
        let kernel = ["kernel", "faults"].map(|kind| {
            list(&page, "kinds").find(|it| it["kind"] == kind).map_or(0, |it| number(it, "weight"))
        });
        let marked = stacks.lines().filter(|line| line.contains("_[k]") && !line.starts_with("# "));
        let marked: u64 = marked
            .filter(|line| !line.contains(";malloc_[l]"))
            .map(|line| line.rsplit_once(' ').expect("a count").1.parse::<u64>().expect("a count"))
            .sum();
        let allocating = list(&page, "kinds").find(|it| it["kind"] == "allocation");
        let allocating = allocating.map_or(0, |it| number(it, "weight"));
        let all = kernel.iter().sum::<u64>();
        assert!(
            (marked.saturating_sub(allocating)..=marked).contains(&all),
            "{name}: {all} of {marked}"
        );
        let pattern = "^((asm_)?exc_page_fault|do_user_addr_fault|handle_mm_fault)$";
        let faults = output("stack-grep", &["-c", "--tsv", pattern], &stacks).stdout;
        let faults = String::from_utf8(faults).expect("UTF-8");
        assert!(faults.contains(&format!("\t{}\t", kernel[1])), "{name}: {faults}");
    }
}

/// How long threads ran in each function of own code: what a thread ran, shared among its samples,
/// which are the slices with a stack.
fn ran(slices: &str) -> (f64, BTreeMap<String, f64>) {
    let mut threads: BTreeMap<&str, (u64, BTreeMap<String, f64>)> = BTreeMap::new();
    for line in slices.lines().filter(|line| line.contains("state=running\t")) {
        let tid = line.split('\t').find_map(|label| label.strip_prefix("tid=")).expect("a thread");
        let (stack, length) = line.rsplit_once(' ').expect("a length");
        let (ran, samples) = threads.entry(tid).or_default();
        *ran += length.parse::<u64>().expect("a length");
        if stack.ends_with("[no sample]") {
            continue;
        }
        let (own, ..) = own_frames(line).expect("a line");
        let function = own.last().map_or("[not own]", |it| it.0).to_owned();
        *samples.entry(function).or_default() += 1.0;
    }
    let (mut all, mut functions) = (0.0, BTreeMap::new());
    for (ran, samples) in threads.into_values() {
        all += ran as f64;
        let count: f64 = samples.values().sum();
        for (function, samples) in samples {
            *functions.entry(function).or_default() += ran as f64 * samples / count;
        }
    }
    (all, functions)
}

#[test]
fn the_share_of_the_processor_is_that_of_the_samples() {
    for name in ["quotes", "fieldscan"] {
        let slices =
            String::from_utf8(recording(&format!("planted/{name}.folded.gz"))).expect("UTF-8");
        let page = json(&[], &slices);
        let (all, functions) = ran(&slices);
        let columns: Vec<&str> = list(&page, "columns").map(|it| text(it, "column")).collect();
        let cpu = columns.iter().position(|it| *it == "CPU").expect("a column");
        assert_eq!(page["columns"][cpu]["total"], all, "{name}");
        for row in list(&page, "rows") {
            let expected = functions.get(text(row, "function")).copied().unwrap_or_default();
            let found = row["weights"][cpu].as_f64().expect("a number");
            assert!((found - expected).abs() <= 1e-3 * all, "{name}: {row}: {expected}");
        }
    }
}

#[test]
fn the_critical_path_is_that_of_stack_critical_and_waiting_that_of_stack_grep() {
    for name in ["quotes", "fieldscan"] {
        let slices =
            String::from_utf8(recording(&format!("planted/{name}.folded.gz"))).expect("UTF-8");
        let page = json(&[], &slices);
        let path = filter("stack-critical", &[], &slices);
        let top = other("stack-top", &["--sort", "own", "--json"], &path);
        let waiting = filter("stack-grep", &["--label", "state=waiting", "-e", ""], &slices);
        let waiting = other("stack-top", &["--sort", "own", "--json", "-n", "0"], &waiting);
        let columns: Vec<&str> = list(&page, "columns").map(|it| text(it, "column")).collect();
        let wait = columns.iter().position(|it| *it == "waiting").expect("a column");
        assert_eq!(columns[0], "the critical path");
        assert_eq!(page["columns"][0]["total"], top["total"], "{name}");
        assert_eq!(page["columns"][wait]["total"], waiting["total"], "{name}");
        for row in list(&page, "rows") {
            let same = |other: &&Value| other["function"] == row["function"];
            let of_path = list(&top, "rows").find(same).expect("a row");
            assert_eq!(row["own"], of_path["own"], "{name}: {row}");
            let of_wait = list(&waiting, "rows").find(same).map_or(0, |row| number(row, "own"));
            assert_eq!(row["weights"][wait], of_wait, "{name}: {row}");
        }
    }
}

//! Call graphs of callgrind and its imitators, beyond their golden files.

use std::collections::BTreeMap;
use std::fs;

use crate::util::{filter, output, recording, stderr, third_party, weight};

const PARTS: &str = "formats/callgrind/parts.out.gz";

/// The self weight of each function.
fn by_leaf(folded: &[u8]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for line in String::from_utf8_lossy(folded).lines() {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        let leaf = stack.rsplit(';').next().expect("a frame");
        *sums.entry(leaf.to_owned()).or_default() += count.parse::<u64>().expect("a number");
    }
    sums
}

/// The sums of the four lines `totals:` of the file, by awk.
const TOTALS: [(&str, u64); 14] = [
    ("Ir", 18819),
    ("Dr", 2276),
    ("Dw", 2467),
    ("I1mr", 101),
    ("D1mr", 31),
    ("D1mw", 99),
    ("ILmr", 100),
    ("DLmr", 16),
    ("DLmw", 97),
    ("Bc", 2530),
    ("Bcm", 481),
    ("Bi", 16),
    ("Bim", 4),
    ("calls", 633),
];

#[test]
fn all_events_of_a_call_graph_are_measures() {
    let list = output("stack-parse", &["--list-events"], recording(PARTS)).stdout;
    let list = String::from_utf8(list).expect("ASCII");
    assert_eq!(list.lines().count(), TOTALS.len(), "{list}");
    for (line, (event, total)) in list.lines().zip(TOTALS) {
        assert!(line.starts_with(&format!("{event}\t")), "{line}");
        assert!(line.ends_with(&format!("\t{total}")), "{line}");
        let chosen = output("stack-parse", &["--event", event], recording(PARTS)).stdout;
        assert_eq!(weight(&chosen), total.into(), "{event}");
    }
}

#[test]
fn threads_of_a_call_graph_are_roots() {
    let folded = output("stack-parse", &[], recording(PARTS)).stdout;
    let roots: Vec<&str> = ["demo-18850/1", "demo-18850/2"].to_vec();
    for line in String::from_utf8_lossy(&folded).lines() {
        assert!(roots.iter().any(|root| line.starts_with(root)), "{line}");
    }
    let folded = output("stack-parse", &["--root", "comm"], recording(PARTS)).stdout;
    assert!(folded.starts_with(b"demo;"));
}

#[test]
fn lines_of_a_call_graph_are_those_that_called() {
    let graph = "events: Ir\n\nfl=a.c\nfn=main\n16 20\n+2 5\ncfi=b.c\ncfn=f\ncalls=3 20\n16 30\n\
                 cfi=b.c\ncfn=f\ncalls=1 20\n* 10\nfi=c.h\n7 2\nfl=b.c\nfn=f\n20 40\n";
    let folded = output("stack-parse", &[], graph).stdout;
    assert_eq!(String::from_utf8_lossy(&folded), "main 27\nmain;f 40\n");
    let folded = output("stack-parse", &["--srcline"], graph).stdout;
    let expected =
        "main (a.c:16) 20\nmain (a.c:16);f (b.c:20) 40\nmain (a.c:18) 5\nmain (c.h:7) 2\n";
    assert_eq!(String::from_utf8_lossy(&folded), expected);
}

#[test]
fn a_call_graph_that_is_written_is_read_again() {
    let folded = "main;a;b;a;c 3\nmain;a 2\nmain 7\nmain;d;c 5\nx 1\ny;y;y 4\n";
    let graph = filter("stack-export", &["--to", "callgrind"], folded);
    let read = output("stack-parse", &[], graph).stdout;
    assert_eq!(by_leaf(&read), by_leaf(folded.as_bytes()));
    let read = String::from_utf8_lossy(&read).into_owned();
    assert!(read.contains("[all];main;a;c 3\n"), "{read}");
    assert!(read.contains("[all];main;d;c 5\n"), "{read}");
}

#[test]
fn what_callers_share_is_split_in_proportion() {
    let graph = "events: Ir\nfn=main\n1 1\ncfn=parse\ncalls=1 0\n1 300\nfn=test\n1 2\ncfn=parse\n\
                 calls=1 0\n1 100\nfn=parse\n1 100\ncfn=eat\ncalls=9 0\n1 300\nfn=eat\n1 300\n";
    let output = output("stack-parse", &[], graph);
    let expected = "main 1\nmain;parse 75\nmain;parse;eat 225\ntest 2\ntest;parse 25\n\
                    test;parse;eat 75\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let said = "callgrind has callers but no stacks: own costs are exact, totals too\n";
    assert!(stderr(&output).ends_with(said), "{}", stderr(&output));
}

#[test]
fn damage_of_a_call_graph_is_named() {
    let head = "# callgrind format\ncreator: callgrind-3.19.0\npart: 1\nevents: Ir\n";
    for (graph, expected, said) in [
        (format!("{head}fn=f\n1 7\ntotals: 7\n"), "f 7\n", ""),
        (format!("{head}fn=f\n1 7\n"), "f 7\n", "line 6: expected 'totals:' at the end"),
        (
            format!("{head}fn=f\n1 7\ntotals: 9\n"),
            "f 7\n",
            "the total of Ir is 9 in the file, but its costs add up to 7",
        ),
        (format!("{head}fn=f\n1 7\n+1 x\n1 2\ntotals: 9\n"), "f 9\n", "<stdin>:7: expected costs"),
        // Contrary to the format, the costs are relative to the last ones, too.
        (format!("{head}fn=f\n1 7\n+1 +2\ntotals: 7\n"), "f 7\n", "<stdin>:7: expected costs"),
        (format!("{head}fn=(7)\n1 7\ntotals: 7\n"), "[unknown] 7\n", "<stdin>:5: expected a numb"),
        (format!("{head}fn=f\n1 7\nodd\ntotals: 7\n"), "f 7\n", "<stdin>:7: expected a line of"),
        (
            format!("{head}fn=f\n1 18446744073709551615\n1 1\ntotals: 7\n"),
            "f 18446744073709551615\n",
            "<stdin>:7: expected a sum that fits into 64 bits",
        ),
        (
            "events: B\nfn=f\n1 7\nfn=g\n1 -3\n".to_owned(),
            "f 7\n",
            "costs of -3 are left out: functions freed",
        ),
    ] {
        let output = output("stack-parse", &[], &graph);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{graph}");
        let stderr = stderr(&output);
        assert!(stderr.contains(said), "{said}: {stderr}");
        let is_trouble = said.starts_with("line ") || said.starts_with('<');
        assert_eq!(output.status.code(), Some(if is_trouble { 2 } else { 0 }), "{graph}");
    }
}

#[test]
fn a_long_chain_of_calls_is_read() {
    let mut graph = "events: Ir\n".to_owned();
    for depth in 0..100_000 {
        let (this, next) = (depth, depth + 1);
        graph.push_str(&format!("fn=f{this}\n1 0\ncfn=f{next}\ncalls=1 0\n1 1\n"));
    }
    graph.push_str("fn=f100000\n1 1\n");
    let folded = output("stack-parse", &[], graph).stdout;
    assert_eq!(folded.iter().filter(|&&byte| byte == b';').count(), 100_000);
    assert!(folded.ends_with(b";f99999;f100000 1\n"));
}

/// The figures are from callgrind_annotate, and the sum of all numbers that do not follow `calls=`
/// from Python, which differs only for the second file.
#[test]
fn call_graphs_of_other_people_weigh_what_they_hold() {
    for (file, expected) in [
        ("gprof2dot-xapian.callgrind", 3_243_393_764),
        ("gprof2dot-bzr.callgrind", 1_482_191),
        ("gprof2dot-issue35.callgrind", 9_600_070_538),
        ("speedscope-callgrind.cfn-reset.log", 40),
        ("speedscope-callgrind.example.log", 820),
        ("speedscope-callgrind.name-compression.log", 820),
    ] {
        let Some(folder) = third_party("callgrind") else { return };
        let input = fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let output = output("stack-parse", &[], input);
        assert_eq!(weight(&output.stdout), expected, "{file}: {}", stderr(&output));
    }
}

#[test]
fn lines_of_cachegrind_are_summed_by_function() {
    let file = recording("formats/cachegrind/lines.out");
    let folded = output("stack-parse", &[], &file).stdout;
    let expected = "(anonymous namespace)::f(int: char) 7\n[unknown] 6\nmain 34\n";
    assert_eq!(String::from_utf8_lossy(&folded), expected);
    let folded = filter("stack-parse", &["--event", "I1mr"], &file);
    assert_eq!(folded, "(anonymous namespace)::f(int: char) 1\nmain 1\n");
}

#[test]
fn damage_of_cachegrind_is_named() {
    let head = "cmd: ./demo\nevents: Ir Dr\nfl=a.c\nfn=f\n1 7 1\n";
    for (file, expected, said, status) in [
        (format!("{head}summary: 7 1\n"), "f 7\n", "", 0),
        (head.to_owned(), "f 7\n", "line 5: expected 'summary:' at the end", 2),
        (format!("{head}1 x\nsummary: 7\n"), "f 7\n", "<stdin>:6: expected costs", 2),
        (format!("{head}odd\nsummary: 7\n"), "f 7\n", "<stdin>:6: expected a line of", 2),
        (format!("{head}2 -5\nsummary: 2\n"), "f 7\n", "costs of -5 are left out", 0),
        (
            format!("{head}summary: 8\n"),
            "f 7\n",
            "the total of Ir is 8 in the file, but its costs add up to 7",
            0,
        ),
    ] {
        let output = output("stack-parse", &[], &file);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{file}");
        assert!(stderr(&output).contains(said), "{said}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(status), "{file}");
    }
}

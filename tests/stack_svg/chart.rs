//! Flame charts of lines that have a time, without the script.

use std::fmt::Write;

use crate::util::{filter, output, stderr};

/// Two threads: one runs for 10 s with a pause, the other is mostly idle.
const LINES: &str = "since=0\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=1\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=1\ttid=8\tidle 1\n\
                     since=2\tcomm=web\ttid=7\tmain;log 2\n\
                     since=3\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=8\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=9\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=9.999\ttid=8\tidle;wake 1\n";

/// A box: its title, its row from above, and its left and right edge as fractions of the width.
#[derive(Debug, PartialEq)]
struct Block {
    title: String,
    row: u32,
    from: f64,
    to: f64,
}

fn block(title: &str, row: u32, from: f64, to: f64) -> Block {
    Block { title: title.to_owned(), row, from, to }
}

/// All boxes, row by row.
fn blocks(args: &[&str], input: impl AsRef<[u8]>) -> Vec<Block> {
    let svg = filter("stack-svg", &[&["--flamechart", "--no-script"], args].concat(), input);
    let mut tops: Vec<u32> = Vec::new();
    let mut blocks = Vec::new();
    for line in svg.lines().filter(|line| line.starts_with("<g")) {
        let (_, rest) = line.split_once("<title>").expect("a title");
        let (title, rest) = rest.split_once("</title>").expect("its end");
        let number = |key: &str| {
            let (_, rest) = rest.split_once(&format!(" {key}=\"")).expect("an attribute");
            let (number, _) = rest.split_once('"').expect("its end");
            number.trim_end_matches('%').parse::<f64>().expect("a number")
        };
        let (x, width, top) = (number("x"), number("width"), number("y") as u32);
        if !tops.contains(&top) {
            tops.push(top);
        }
        let row = tops.iter().position(|other| *other == top).expect("a row") as u32;
        blocks.push(block(title, row, x / 100.0, (x + width) / 100.0));
    }
    assert!(tops.is_sorted(), "{tops:?}");
    blocks
}

#[test]
fn threads_have_lanes_on_one_axis_and_a_pause_is_empty() {
    let expected = [
        block("web 7 (7 counts, 77.78%)", 0, 0.0, 1.0),
        block("main (5 counts, 55.56%, 0 – 4 s)", 1, 0.0, 0.4),
        block("main (2 counts, 22.22%, 8 – 10 s)", 1, 0.8, 1.0),
        block("serve (2 counts, 22.22%, 0 – 2 s)", 2, 0.0, 0.2),
        block("log (2 counts, 22.22%, 2 – 3 s)", 2, 0.2, 0.3),
        block("serve (1 count, 11.11%, 3 – 4 s)", 2, 0.3, 0.4),
        block("serve (2 counts, 22.22%, 8 – 10 s)", 2, 0.8, 1.0),
        block("8 (2 counts, 22.22%)", 3, 0.0, 1.0),
        block("idle (1 count, 11.11%, 1 – 2 s)", 4, 0.1, 0.2),
        block("idle (1 count, 11.11%, 9.999 – 10 s)", 4, 0.9999, 1.0),
        block("wake (1 count, 11.11%, 9.999 – 10 s)", 5, 0.9999, 1.0),
    ];
    let mut found = blocks(&[], LINES);
    // Blocks of 1 ms are drawn one pixel wide.
    for (place, name) in [(9, "idle"), (10, "wake")] {
        let title = format!("{name} (1 count, 11.11%, 9.999 – ");
        assert!(found[place].title.starts_with(&title) && found[place].to < 1.001, "{found:#?}");
        (found[place].title, found[place].to) = (format!("{title}10 s)"), 1.0);
    }
    for (found, expected) in found.iter().zip(&expected) {
        let is_near = |one: f64, other: f64| (one - other).abs() < 1e-5;
        assert_eq!((&found.title, found.row), (&expected.title, expected.row));
        assert!(is_near(found.from, expected.from) && is_near(found.to, expected.to), "{found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    let svg = filter("stack-svg", &["--flamechart"], LINES);
    assert!(svg.contains(">1 s</text>") && !svg.contains("data-chart=\"1\""), "an axis of seconds");
}

#[test]
fn the_order_of_the_lines_does_not_matter() {
    let mut lines: Vec<&str> = LINES.lines().collect();
    let sorted = blocks(&[], lines.join("\n"));
    lines.reverse();
    assert_eq!(blocks(&[], lines.join("\n")), sorted);
}

#[test]
fn lanes_are_values_of_split() {
    let lanes = |args: &[&str]| {
        let blocks = blocks(args, LINES);
        let lanes = blocks.iter().filter(|block| !block.title.ends_with(" s)"));
        lanes
            .map(|lane| lane.title.split(" (").next().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(lanes(&["--split", "comm"]), ["web", "[no comm]"]);
    assert_eq!(lanes(&["--split", "root"]), ["main", "idle"]);
    assert_eq!(lanes(&["--split", "file"]), ["&lt;stdin&gt;"]);
}

#[test]
fn narrow_blocks_are_drawn_together_as_deep_as_they_are() {
    // A different function each millisecond, every second time a deeper one; one second later,
    // none.
    let mut lines = String::new();
    for at in (0..1_000).chain(2_000..10_000) {
        let deeper = if at % 2 == 0 { ";deep" } else { "" };
        writeln!(lines, "since={}.{:03}\tmain;f{}{deeper} 1", at / 1000, at % 1000, at % 7)
            .expect("memory");
    }
    let blocks = blocks(&[], &lines);
    let row = |row: u32| blocks.iter().filter(move |block| block.row == row);
    assert_eq!(row(1).count(), 2, "main is wide");
    for (depth, counts) in [(2, 10..60), (3, 2..3)] {
        let narrow: Vec<_> = row(depth).collect();
        assert!(counts.contains(&narrow.len()), "{}", narrow.len());
        let is_pause = |block: &&&Block| block.to > 0.102 && block.from < 0.199;
        assert_eq!(narrow.iter().find(is_pause), None);
        let width: f64 = narrow.iter().map(|block| block.to - block.from).sum();
        assert!(width > 0.89 && width < 0.91, "{width} of the width in row {depth}");
    }
    assert_eq!(row(4).count(), 0);
    // Each block says how many frames it has: all of them together.
    let words = row(2).map(|block| block.title.split(' ').next().expect("a word"));
    let counts = words.map(|word| word.replace(',', "").parse::<u64>().expect("a number"));
    assert_eq!(counts.sum::<u64>(), 9_000);
    // Blocks of a single function have its name.
    assert!(row(3).all(|block| block.title.starts_with("deep, ")));
}

#[test]
fn lanes_that_do_not_fit_are_reported() {
    let stack = vec!["f"; 30].join(";");
    let lines: String =
        (0..50).map(|at| format!("since={at}\ttid={at}\t{stack} {}\n", 50 - at)).collect();
    let blocks = blocks(&[], &lines);
    let lanes = blocks.iter().filter(|block| block.row % 31 == 0).count();
    assert_eq!(lanes, 3, "of 31 rows each");
    for (args, hint) in [(&["--no-script"][..], ""), (&[], "; scrolling shows them in a browser")] {
        let svg = filter("stack-svg", &[&["--flamechart"], args].concat(), &lines);
        assert!(
            svg.contains(&format!(">47 more lanes (88.5% of the weight) are not drawn{hint}<"))
        );
    }
}

#[test]
fn over_a_thousand_lanes_are_only_known_together() {
    let lines: String =
        (0..1_003).map(|tid| format!("since={tid}\ttid={tid}\tf {}\n", 2_000 - tid)).collect();
    let chart = output("stack-svg", &["--flamechart"], lines);
    let said =
        "stack-svg: 3 of the lanes are only known together, so that the picture is not too large\n";
    assert_eq!(stderr(&chart), said);
    let svg = String::from_utf8(chart.stdout).expect("UTF-8");
    assert!(svg.contains("data-others=\"3\""));
}

/// The lines may be from another recording.
#[test]
fn lines_without_a_time_are_no_part_of_a_chart_of_times() {
    let mixed = output("stack-svg", &["--flamechart"], format!("a;b 5\na 2\n{LINES}"));
    assert_eq!(
        stderr(&mixed),
        "stack-svg: 2 lines of weight 7 have no time, and the strip of time lacks them\n"
    );
    let svg = String::from_utf8(mixed.stdout).expect("UTF-8");
    assert!(svg.contains(">total weight 16</text>") && svg.contains("data-view=\"chart\""));
    assert_eq!(svg.matches("\n<g").count(), 11);
}

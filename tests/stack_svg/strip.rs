//! The strip of time in the static picture, and its data in the file.

use crate::util::{filter, output, stderr};

/// Two threads with a pause of a second.
const LINES: &str = "since=0.000000000\tcomm=web\ttid=7\tmain;serve 3\n\
                     since=0.100000000\ttid=8\tmain;log 1\n\
                     since=1.500000000\tcomm=web\ttid=7\tmain;serve 2\n";

/// The strip of a picture, if it has one.
fn strip(args: &[&str], input: &str) -> Option<String> {
    let svg = filter("stack-svg", args, input);
    let start = svg.find("<svg class=\"strip\">")?;
    Some(svg[start..start + svg[start..].find("<svg id=\"frames\"")?].to_owned())
}

#[test]
fn lines_with_a_time_have_a_strip_without_the_script_too() {
    for args in [&[][..], &["--no-script"], &["--reverse"], &["--inverted"]] {
        let strip = strip(args, LINES).expect("a strip");
        assert!(strip.contains("<desc>what ran in 1.501 s, a step is 0.001 s</desc>"), "{strip}");
        let lanes = ["web 7</text>", ">8</text>", "0 s</text>"].map(|it| strip.find(it));
        assert!(lanes.iter().all(Option::is_some) && lanes.is_sorted(), "{strip}");
    }
    let svg = filter("stack-svg", &[], LINES);
    assert!(svg.contains("data-width=\"1000000\" data-steps=\"1501\""), "{svg}");
    assert!(svg.contains("=7\tweb 7\t"), "{svg}");
}

#[test]
fn what_has_no_time_has_no_strip() {
    for line in ["tid=7\tmain;serve 3\n", "since=soon\ttid=7\tmain;serve 3\n", "main 1\n"] {
        let svg = filter("stack-svg", &[], line);
        assert!(!svg.contains("class=\"strip\"") && !svg.contains("id=\"strip\""), "{line}");
    }
    assert_eq!(strip(&["--flamechart"], LINES), None);
    let pair = "since=1\tmain;f 1 2\n";
    assert_eq!(strip(&["--diff"], pair), None);
}

#[test]
fn lanes_are_values_of_split_and_those_that_do_not_fit_are_summed() {
    let lines: String = (0..20)
        .map(|tid| format!("since={tid}\tcpu={}\ttid={tid}\tf {}\n", tid % 2, 99 - tid))
        .collect();
    let threads = strip(&[], &lines).expect("a strip");
    assert!(threads.contains(">6</text>") && !threads.contains(">7</text>"), "{threads}");
    assert!(threads.contains(">13 others</text>"), "{threads}");
    let cpus = strip(&["--split", "cpu"], &lines).expect("a strip");
    assert!(cpus.contains(">1</text>") && !cpus.contains("others"), "{cpus}");
    assert!(strip(&["--split", "file"], &lines).expect("a strip").contains("stdin"));
}

#[test]
fn lines_without_a_time_are_named() {
    let some = output("stack-svg", &[], format!("{LINES}main;idle 5\n"));
    assert_eq!(
        stderr(&some),
        "stack-svg: 1 line of weight 5 has no time, and the strip of time lacks them\n"
    );
    assert_eq!(stderr(&output("stack-svg", &[], "main;idle 5\n")), "");
}

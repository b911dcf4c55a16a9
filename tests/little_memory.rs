//! All tools with too little memory: they end as they promise, and never by a signal.

use std::fmt::Write;

use crate::limits::within;
use crate::util::{TOOLS, TempFile, stderr, with_minimal};

/// Options with which a tool keeps more than without them.
const KEEP_MORE: [(&str, &[&str]); 15] = [
    ("stack-critical", &["--gains"]),
    ("stack-diff", &["--outliers", "--split", "tid"]),
    ("stack-export", &["--to", "firefox"]),
    ("stack-export", &["--to", "tsv"]),
    ("stack-export", &["--to", "pprof"]),
    ("stack-fold-towers", &["--report"]),
    ("stack-grep", &["-c", "f"]),
    ("stack-heat", &[]),
    ("stack-heat", &["--tsv", "--by", "tid"]),
    ("stack-merge", &["--by-file"]),
    ("stack-parse", &["-f", "folded", "--labels", "all"]),
    ("stack-parse", &["-f", "folded", "--per-sample"]),
    ("stack-svg", &["--split", "tid"]),
    ("stack-top", &["--split", "tid", "--tsv"]),
    ("stack-top", &["--tree", "--json"]),
];

/// Tools that read no profile, that need a terminal, or that keep none of the lines.
const OTHERS: [&str; 4] = ["stack-flame", "stack-label", "stack-symbols", "stack-view"];

/// Each stack comes once, at its own time, in one of many threads.
fn profile(lines: u32, threads: u32) -> String {
    let mut text = String::new();
    for number in 0..lines {
        let (seconds, tid) = (f64::from(number) / 1000.0, number % threads);
        let labels = format!("since={seconds:.3}\ttid={tid}\tstate=running");
        writeln!(text, "{labels}\tmain;f{number};g{} 1", number % 7).expect("text");
    }
    text
}

#[test]
fn without_enough_memory_every_tool_says_what_helps() {
    let file = TempFile::new(profile(60_000, 15_000));
    let tools = TOOLS.iter().map(|(name, _)| *name).filter(|name| !OTHERS.contains(name));
    let plain = tools.map(|name| (name, with_minimal(name, &[])));
    let more = KEEP_MORE.iter().map(|(name, args)| (*name, args.to_vec()));
    let mut refused = 0;
    for (tool, args) in plain.chain(more) {
        let is_one_of_several = args.contains(&"--outliers");
        let files = vec![file.path(); if is_one_of_several { 2 } else { 1 }];
        let args = [args, files].concat();
        let mut kib = 24_000;
        // Up to what suffices.
        loop {
            let Some(output) = within(kib, tool, &args, "") else { return };
            let said = stderr(&output);
            let what = format!("{tool} {args:?} with {kib} KiB: {said}");
            match output.status.code() {
                // Without towers there is nothing to report.
                Some(0 | 1) => break,
                Some(2) => {
                    let remedy = format!("{tool}: out of memory: ");
                    assert!(said.contains(&remedy) && said.contains("'ulimit -v'"), "{what}");
                    refused += 1;
                }
                status => panic!("ended with {status:?}: {what}"),
            }
            kib += kib / 3;
            assert!(kib < 4_000_000, "{what}");
        }
    }
    assert!(refused > 20, "there was mostly enough memory: {refused}");
}

//! The promises of stack-ocaml(7).

use super::shared::*;
use super::{Cooked, Line, lines, sum, values, weight};

/// Checks the promises of the recipe with this title.
pub(in super::super) fn of_ocaml(title: &str, cooked: &Cooked<'_>) {
    match title {
        "OCaml 4 on Linux" => {
            let stacks = cooked.stacks("app.folded");
            has_all_samples(cooked, &stacks, "perf.data");
            // The collector is one frame, and each recursion one level.
            assert!(weight(&stacks, |it| it.leaf() == "[GC]") > 0);
            let below =
                |it: &Line| it.has("[GC]") && it.frames.iter().any(|it| it == "caml_gc_dispatch");
            assert!(!stacks.iter().any(|it| it.recurs() || below(it)));
        }
        "OCaml 5 on Linux" => has_all_samples(cooked, &cooked.drawn("app.svg"), "perf.data"),
        "macOS" => assert_eq!(sum(&cooked.drawn("mac.svg")), sum(&cooked.stacks("mac.folded"))),
        "Exact names" => has_all_samples(cooked, &cooked.stacks("lines.folded"), "perf.data"),
        "Which line?" => {
            let stacks = cooked.stacks("source.folded");
            let own = weight(&stacks, |it| it.leaf().ends_with("db.ml:6)")).to_string();
            let told = |row: &&str| row.split_whitespace().nth(2) == Some("6");
            let row = cooked.result.lines().find(told).expect("the line of the call");
            assert_eq!(row.split_whitespace().next(), Some(&own[..]), "{row}");
        }
        "The garbage collector" => collector(cooked),
        "Recursion" => towers_are_low(cooked, "all.folded", "towers.svg"),
        "Lwt" => {
            let drawn = cooked.drawn("fibres.svg");
            assert_eq!(sum(&drawn), sum(&cooked.stacks("all.folded")));
            // Each fibre is in one place, whatever resumed it.
            let place = |line: &Line, name: &str| {
                let at = line.frames.iter().position(|it| it == name)?;
                Some(line.frames[..at].to_vec())
            };
            let mut places: Vec<_> =
                drawn.iter().filter_map(|it| place(it, "Server.handle")).collect();
            places.dedup();
            assert_eq!(places.len(), 1, "{places:?}");
        }
        "Eio and Async" => {
            assert_eq!(sum(&cooked.drawn("jobs.svg")), sum(&cooked.stacks("all.folded")));
            assert_eq!(sum(&cooked.drawn("resumed.svg")), sum(&cooked.stacks("all.folded")));
        }
        "Memory" => {
            let list = cooked.run("stack-parse --list-events app.ctf");
            let total = list.lines().find_map(|row| row.strip_prefix("bytes\tbytes\t"));
            let total = total.and_then(|row| row.split('\t').nth(1)).expect(&list);
            assert_eq!(sum(&cooked.drawn("allocated.svg")).to_string(), total);
            weighs_the_peak(cooked, "peak.svg", "app.ctf", "bytes");
            assert!(sum(&cooked.drawn("live.svg")) < sum(&cooked.drawn("peak.svg")));
        }
        "What the runtime did, and when" => {
            let domains = lines(&cooked.run("stack-parse --labels tid out.fxt"));
            assert!(!values(&domains, "tid").is_empty());
            assert_eq!(sum(&cooked.drawn("phases.svg")), sum(&domains));
        }
        _ => panic!("{title}: what does it promise?"),
    }
}

/// All stacks stay, and the share is that of the stacks that end in the collector.
fn collector(cooked: &Cooked<'_>) {
    let [all, gc, phases] =
        ["all", "gc", "phases"].map(|it| cooked.stacks(&format!("{it}.folded")));
    assert_eq!([sum(&gc), sum(&phases)], [sum(&all); 2]);
    let own = weight(&gc, |it| it.leaf() == "[GC]");
    let told = format!("{own} {:.2}%\n", 100.0 * own as f64 / sum(&all) as f64);
    assert!(cooked.result.contains(&told), "{told}");
    let in_phase = |it: &Line| it.frames.iter().any(|name| name.starts_with("[GC"));
    assert_eq!(weight(&phases, in_phase), weight(&gc, |it| it.has("[GC]")));
    assert!(phases.iter().any(|it| it.has("[GC minor]")));
}

//! The promises of README.md.

use std::collections::BTreeSet;

use super::shared::*;
use super::{Cooked, Line, lines, sum, weight};

/// Checks the promises of the recipe with this title.
pub(in super::super) fn of_readme(title: &str, cooked: &Cooked<'_>) {
    match title {
        "stack-tools" => assert!(cooked.text("flame.svg").contains("Db.query (db.ml:")),
        "A first picture" => {
            let told = cooked.run("stack-parse cpu.pprof");
            assert_eq!(sum(&cooked.drawn("flame.svg")), sum(&lines(&told)), "{told}");
        }
        "Questions" => assert!(cooked.result.contains("total 5 -> 9")),
        "The pipe" => {
            let of_query = weight(&cooked.stacks("app.folded"), |it| it.has("Db.query"));
            assert_eq!(sum(&cooked.drawn("query.svg")), of_query);
        }
        "What you type today" => today(cooked),
        "Your language" => {
            assert!(cooked.text("go.folded").contains("# unit: ns\n"));
            let told = cooked.run("go tool pprof -raw cpu.pprof");
            assert_eq!(sum(&cooked.drawn("go.svg")), sum(&cooked.stacks("go.folded")), "{told}");
        }
        "Did it get slower, in CI?" => ci_notices(cooked),
        "What to make faster so that it ends sooner?" => {
            cooked.run("stack-flame --critical --keep threads.data -o path.svg -- ./threads");
            is_alone_on_the_path(cooked, "alone", "path.svg", "threads.data");
        }
        "What do the slow requests do?" => {
            let slow = lines(&cooked.run("stack-grep --label 'span_ms>=100' requests.folded"));
            assert!(weight(&slow, |it| it.has("rebuild_index")) * 2 > sum(&slow));
        }
        "When was it busy?" => {
            for picture in ["strip.svg", "chart.svg"] {
                has_all_samples(cooked, &cooked.drawn(picture), "perf.data");
            }
        }
        "The runtime out of the way," => {
            let drawn = cooked.drawn("gc.svg");
            assert_eq!(sum(&drawn), sum(&cooked.stacks("app.folded")));
            assert!(weight(&drawn, |it| it.has("[GC]")) > 0);
            assert!(!drawn.iter().any(|it| it.recurs() || it.has("caml_gc_dispatch")));
        }
        "Memory." => weighs_the_peak(cooked, "memory.svg", "heaptrack.app.zst", "peak"),
        "Another viewer?" => {
            let viewed = lines(&cooked.run("stack-parse app.speedscope.json"));
            assert_eq!(sum(&viewed), sum(&cooked.stacks("app.folded")));
        }
        _ => panic!("{title}: what does it promise?"),
    }
}

/// Each command gives what the one beside it gives.
fn today(cooked: &Cooked<'_>) {
    let stacks = cooked.stacks("out.folded");
    has_all_samples(cooked, &stacks, "perf.data");
    assert_eq!(sum(&cooked.drawn("out.svg")), sum(&stacks));
    // Turned around, the innermost function is the root.
    let callers = cooked.drawn("callers.svg");
    let roots: BTreeSet<&str> = callers.iter().map(|it| &it.frames[0][..]).collect();
    assert_eq!(roots, stacks.iter().map(Line::leaf).collect());
    assert_eq!(sum(&callers), sum(&stacks));
    assert_eq!(sum(&cooked.drawn("diff.svg")), 9);
}

//! The promises of stack-tools(7).

use std::collections::BTreeSet;
use std::path::Path;

use common::numbers::grouped;

use super::shared::*;
use super::{Cooked, Line, lines, speedscope, sum, values, weight};

/// Checks the promises of the recipe with this title.
pub(in super::super) fn of_cook_book(title: &str, cooked: &Cooked<'_>) {
    match title {
        "Record" => {
            let stacks = cooked.stacks("app.folded");
            has_all_samples(cooked, &stacks, "perf.data");
            // perf script cuts stacks at 127 frames.
            assert!(stacks.iter().any(|line| line.frames.len() > 127));
        }
        "Names that are elsewhere" => {
            has_all_samples(cooked, &cooked.stacks("named.folded"), "app.data");
        }
        "Recursion" => towers_are_low(cooked, "app.folded", "towers.svg"),
        "What filled the memory at the peak?" => peak(cooked),
        "What lives longer than a second?" => long_lives(cooked),
        "What is hot?" => hot(cooked),
        "Which line?" => lines_and_instructions(cooked),
        "Who calls it?" => callers(cooked),
        "Which viewer?" => viewers(cooked),
        "When was it busy?" => busy(cooked),
        "When did one function run?" => {
            let stacks = cooked.stacks("when.folded");
            has_all_samples(cooked, &stacks, "perf.data");
            let told = format!(" {} samples\n", grouped(weight(&stacks, |it| it.has("Db.insert"))));
            assert!(cooked.result.contains(&told), "{told}");
        }
        "What ran then?" => {
            has_all_samples(cooked, &cooked.drawn("time.svg"), "perf.data");
            has_all_samples(cooked, &cooked.drawn("chart.svg"), "perf.data");
        }
        "What did one thread do then?" => {
            let stacks = cooked.stacks("when.folded");
            let thread = stacks[0].label("tid");
            let then =
                |it: &Line| it.label("tid") == thread && (0.0..0.5).contains(&it.number("since"));
            assert_eq!(sum(&cooked.drawn("thread.svg")), weight(&stacks, then));
        }
        "What do the slow requests do?" => slow_requests(cooked),
        "Spans that a recording has itself" => {
            // As many as 'jfr summary' counts, and the line with the columns.
            assert_eq!(cooked.text("shop.tsv").lines().count(), 601);
            let [slow, fast] =
                ["slow", "fast"].map(|it| cooked.stacks(&format!("shop-{it}.folded")));
            assert!(weight(&slow, |it| it.has("Shop.rebuildIndex")) * 20 > sum(&slow) * 19);
            assert!(sum(&fast) > 50 && !fast.iter().any(|it| it.has("Shop.rebuildIndex")));
        }
        "What do the slow requests wait for?" => {
            let waits = lines(&cooked.run("stack-grep --label state=waiting slow.slices"));
            assert!(weight(&waits, |it| it.has("write_index")) * 2 > sum(&waits));
            // Own code comes before what it calls to wait.
            let grown = grown(cooked, "fast.slices", "slow.slices");
            let is_sleep = |name: &String| name == "usleep" || name.contains("nanosleep");
            let of_sleep = grown.iter().position(is_sleep).expect("a sleep");
            let of_writer = grown.iter().position(|name| name == "write_index");
            assert!(of_writer.is_some_and(|at| at < of_sleep), "{grown:?}");
        }
        "What came with the new version?" => {
            let [v1, v2] = ["v1", "v2"].map(|it| cooked.stacks(&format!("{it}.folded")));
            let is_new = |it: &Line| it.has("check_twice");
            assert_eq!(weight(&v1, is_new), 0);
            assert!(weight(&v2, is_new) > 0);
        }
        "Which thread is slow?" => threads(cooked),
        "One container" => {
            containers_are_columns(cooked);
            assert_eq!(sum(&cooked.drawn("shop.svg")), sum(&cooked.stacks("containers.folded")));
        }
        "A table for pandas" => {
            let rows = cooked.text("samples.tsv").lines().count() as u64 - 1;
            assert_eq!(rows, cooked.samples_of("perf.data"));
        }
        "Several recordings" => assert_eq!(cooked.text("both.folded"), "main;work 5\n"),
        "What changed?" => {
            let total = "total 5 -> 9";
            assert_eq!(cooked.result.matches(total).count(), 2, "{total}");
            assert_eq!(sum(&cooked.drawn("diff.svg")), 9);
        }
        "Does CI notice?" => ci_notices(cooked),
        "Since when is it slower?" => slower(cooked),
        "Which host of 500 is it?" => {
            outlier_is_first(cooked);
            let roots: BTreeSet<String> =
                cooked.drawn("hosts.svg").into_iter().map(|mut it| it.frames.remove(0)).collect();
            let hosts = ["001", "002", "003", "417"].map(|host| format!("host-{host}.folded"));
            assert_eq!(roots, BTreeSet::from(hosts));
        }
        "What does it wait for?" => waits_for_sleep(cooked, "waits.folded"),
        "Who keeps it waiting?" => {
            waits_for_sleep(cooked, "who.folded");
            let stacks = cooked.stacks("who.folded");
            // Between the two stacks is a line, and the last frame is a program.
            assert!(stacks.iter().all(|it| it.has("--") && it.leaf() != "--"), "{stacks:?}");
        }
        "Which requests are slow, without a log?" => probed_are_slow(cooked),
        "What to make faster so that it ends sooner?" => {
            is_alone_on_the_path(cooked, "alone", "path.svg", "threads.data");
        }
        "How much would it help?" => {
            let path = sum(&cooked.drawn("twice.svg"));
            let whole = sum(&lines(&cooked.run("stack-critical threads.slices")));
            assert!(path < whole, "{path} {whole}");
        }
        "Where was the time of each thread?" => {
            let all = sum(&lines(&cooked.run("stack-parse --wall all.data")));
            assert_eq!(
                [sum(&cooked.drawn("all.svg")), sum(&cooked.stacks("states.folded"))],
                [all; 2]
            );
        }
        "What ends it sooner, without root?" => {
            is_shared_by_threads(cooked, "alone", "latency.folded", "threads.data");
            has_all_samples(cooked, &cooked.stacks("time.folded"), "threads.data");
        }
        "Where are the cache misses?" => {
            let drawn = cooked.drawn("misses.svg");
            assert!(weight(&drawn, |it| it.has("Db.insert")) * 2 > sum(&drawn));
        }
        "How many cycles does an instruction take?" => {
            assert_eq!(sum(&cooked.drawn("slow.svg")), sum(&cooked.stacks("cycles.folded")));
        }
        "A Makefile rule" => make_stops_at_damage(cooked, "app.data", "half.data"),
        "What does it do now?" => {
            intervals_add_up(cooked, "live.folded", "live.svg");
            assert!(
                cooked.stacks("live.folded").iter().all(|it| it.frames.join(";").contains("Db"))
            );
        }
        _ => panic!("{title}: what does it promise?"),
    }
}

/// The code that only slow requests run has nearly all of their samples; no sample is lost.
fn slow_requests(cooked: &Cooked<'_>) {
    let [all, slow, fast] =
        ["requests", "slow", "fast"].map(|it| cooked.stacks(&format!("{it}.folded")));
    let elsewhere = weight(&all, |it| !it.labels.contains_key("span_ms"));
    assert_eq!(sum(&slow) + sum(&fast) + elsewhere, sum(&all));
    assert_eq!(sum(&all), cooked.samples_of("server.data"));
    assert!(slow.iter().all(|it| it.number("span_ms") >= 100.0));
    // On a busy machine others may be slow, too.
    let rebuilds = |lines: &[Line]| weight(lines, |it| it.has("rebuild_index"));
    assert_eq!(rebuilds(&slow), rebuilds(&all));
    assert!(rebuilds(&slow) * sum(&all) >= rebuilds(&all) * sum(&slow) && rebuilds(&slow) > 0);
    assert_eq!(sum(&cooked.drawn("requests.svg")), sum(&all));
    let grown = grown(cooked, "fast.folded", "slow.folded");
    assert_eq!(grown.first().map(String::as_str), Some("rebuild_index"), "{grown:?}");
}

/// The functions that weigh more in a second profile, in the order of stack-diff.
fn grown(cooked: &Cooked<'_>, one: &str, other: &str) -> Vec<String> {
    let rows = cooked.run(&format!("stack-diff --tsv {one} {other}"));
    let rows = rows.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let total = |cells: &[&str]| cells[8].parse::<f64>().expect("a difference");
    rows.filter(|cells| total(cells) > 0.0).map(|cells| cells[0].to_owned()).collect()
}

/// All of what only slow requests run is in them, and the probe has their numbers.
fn probed_are_slow(cooked: &Cooked<'_>) {
    let requests = cooked.stacks("requests.folded");
    let rebuilds: Vec<&Line> = requests.iter().filter(|it| it.has("rebuild_index")).collect();
    assert!(!rebuilds.is_empty(), "{requests:?}");
    for line in rebuilds {
        assert!(line.number("number") % 8.0 == 5.0 && line.number("span_ms") >= 100.0, "{line:?}");
    }
}

fn peak(cooked: &Cooked<'_>) {
    weighs_the_peak(cooked, "peak.svg", "app.ctf", "bytes");
    let live = |options: &str| {
        sum(&lines(&cooked.run(&format!("stack-parse --event bytes {options} app.ctf"))))
    };
    // The moment of the peak is any other moment; at the end less is in use, and of what was
    // allocated later even less.
    assert_eq!(live("--live=0.105451"), live("--live=peak"));
    assert!(live("--live") < live("--live=peak") && live("--from 0.05 --live") <= live("--live"));
}

fn long_lives(cooked: &Cooked<'_>) {
    for (event, recording, file) in [
        ("bytes", "app.ctf", "long.folded"),
        ("allocated", "heaptrack.app.raw.zst", "leaks.folded"),
    ] {
        let options = format!("--event {event} --labels lifetime");
        let all = lines(&cooked.run(&format!("stack-parse {options} {recording}")));
        let long = cooked.stacks(file);
        let expected = weight(&all, |it| it.number("lifetime") >= 1.0);
        assert!(expected > 0 && expected < sum(&all), "{file}");
        assert_eq!(sum(&long), expected, "{file}");
        assert!(long.iter().all(|it| it.labels.is_empty()), "{file}");
    }
    let all = lines(&cooked.run("stack-parse --event bytes --labels lifetime app.ctf"));
    let short = grouped(weight(&all, |it| it.number("lifetime") < 0.001));
    assert!(cooked.result.contains(&format!(" of {short} (")), "{short}");
}

fn hot(cooked: &Cooked<'_>) {
    hottest_is_first(cooked, "app.folded");
    let stacks = cooked.stacks("app.folded");
    let map = weight(&stacks, |it| it.leaf().starts_with("Stdlib.Map."));
    assert_eq!(cooked.row("  Stdlib.Map")[0], map as f64);
    assert_eq!(cooked.row("  app.exe")[0], sum(&stacks) as f64);
    // Of the lines only those that were asked for, with what they cost themselves.
    let ran = cooked.stacks("lines-that-ran.folded");
    let own = weight(&ran, |it| it.leaf().ends_with("db.ml:6)")).to_string();
    let rows: Vec<&str> =
        cooked.result.lines().filter(|row| row.contains("% ") && row.contains(".ml:")).collect();
    assert!(rows.iter().all(|row| row.contains("db.ml:")), "{rows:?}");
    let of_call: Vec<&&str> = rows.iter().filter(|row| row.contains("db.ml:6 ")).collect();
    assert_eq!(of_call.len(), 2, "{rows:?}");
    assert!(of_call.iter().all(|row| row.split_whitespace().next() == Some(&own)), "{rows:?}");
}

fn lines_and_instructions(cooked: &Cooked<'_>) {
    let stacks = cooked.stacks("lines.folded");
    let of_line = weight(&stacks, |it| it.leaf().ends_with("db.ml:6)_[o]"));
    let source = cooked.result.lines().find(|row| row.contains("(Index.add ")).expect("source");
    let cost: Vec<&str> = source.split_whitespace().take(3).collect();
    assert_eq!(cost[0], of_line.to_string(), "{source}");
    assert_eq!(cost[2], "6", "{source}");
    // The instructions of the function. The last heading is theirs: before them another recording
    // may have one of a source.
    let addresses = cooked.stacks("addresses.folded");
    let of_function = weight(&addresses, |it| it.leaf() == "Db.insert");
    let heading = cooked.result.lines().rfind(|row| row.contains("  self ")).expect("a function");
    assert!(heading.starts_with("Db.insert  "), "{heading}");
    let told = heading.split("  self ").nth(1).and_then(|it| it.split(' ').next());
    assert_eq!(told.expect("a weight").replace(',', ""), of_function.to_string(), "{heading}");
}

fn callers(cooked: &Cooked<'_>) {
    let stacks = cooked.stacks("app.folded");
    let all = weight(&stacks, |it| it.has("Db.query"));
    let told = format!("Db.query: {} of {} (", grouped(all), grouped(sum(&stacks)));
    assert!(cooked.result.contains(&told), "{told}");
    let called_by = |it: &Line| {
        it.frames.windows(2).any(|pair| pair[0] == "Db.insert" && pair[1] == "Stdlib.Map.add")
    };
    let (_, table) = cooked.result.split_once("CALLERS OF Stdlib.Map.add\n").expect("a table");
    let row = table.lines().find(|row| row.ends_with("  Db.insert")).expect(table);
    let told = row.split_whitespace().next().expect("a weight").replace(',', "");
    assert_eq!(told, weight(&stacks, called_by).to_string(), "{row}");
    is_below(cooked, "query.svg", "app.folded", |name| name == "Db.query");
}

fn viewers(cooked: &Cooked<'_>) {
    speedscope::threads_have_stacks_in_their_order(cooked.place);
    let stacks = cooked.stacks("app.folded");
    let (all, add) = (sum(&stacks), |it: &Line| it.leaf() == "Stdlib.Map.add");
    let told = format!(" of {all} total\n");
    assert!(cooked.result.contains(&told), "pprof: {told}");
    assert_eq!(cooked.row("  Stdlib.Map.add")[0], weight(&stacks, add) as f64, "pprof");
    assert!(cooked.result.contains(&format!("{} (100.0%)  PROGRAM TOTALS", grouped(all))));
    // Its trees are too deep for most readers of JSON.
    let page = cooked.text("app.d3.json");
    assert!(page.starts_with(&format!(r#"{{"name":"samples","value":{all},"#)), "d3");
    // Perfetto has no samples: each lasts a microsecond.
    for (name, each) in [("app.firefox.json", 1), ("app.trace.json", 1000)] {
        let viewed = sum(&lines(&cooked.run(&format!("stack-parse {name}"))));
        assert_eq!(viewed, all * each, "{name}");
    }
    let graph = cooked.text("query.svg");
    assert!(graph.contains("Db.insert") && !graph.contains("Server."), "not below Db.query");
}

fn busy(cooked: &Cooked<'_>) {
    let table = cooked.text("app.tsv");
    let mut rows = table.lines();
    let head: Vec<&str> = rows.next().expect("a head").split('\t').collect();
    let at = head.iter().position(|it| *it == "since").expect("times");
    let since: Vec<f64> = rows
        .map(|row| row.split('\t').nth(at).and_then(|it| it.parse().ok()).expect(row))
        .collect();
    assert_eq!(since.len() as u64, cooked.samples_of("perf.data"));
    let early = since.iter().filter(|since| **since < 0.5).count();
    assert_eq!(sum(&cooked.stacks("busy.folded")), early as u64);
}

fn threads(cooked: &Cooked<'_>) {
    let stacks = cooked.stacks("when.folded");
    let head = cooked.result.lines().find(|line| line.ends_with("  FUNCTION")).expect("a table");
    for thread in values(&stacks, "tid") {
        assert!(head.split_whitespace().any(|column| column == thread), "{head}");
        let own = weight(&stacks, |it| it.label("tid") == thread && it.has("Db.insert"));
        if own > 0 {
            assert_eq!(cooked.row(&format!("  {thread}"))[0], own as f64);
        }
    }
    assert_eq!(sum(&cooked.drawn("values.svg")), sum(&stacks));
}

fn slower(cooked: &Cooked<'_>) {
    let row = |name: &str| cooked.result.lines().find(|row| row.ends_with(name)).expect(name);
    for (name, last) in [("  work", "6,000*"), ("  rest", "6,000*")] {
        let row = row(name);
        assert!(row.contains(last) && row.matches('*').count() == 1, "{row}");
    }
    bisect(cooked);
}

/// The script for git bisect: its status says of a commit that it is good, bad, or not to be tested.
fn bisect(cooked: &Cooked<'_>) {
    let page = super::super::STACK_TOOLS;
    let (_, script) = page.split_once(".Pa bisect.sh :\n.Bd -literal\n").expect("the script");
    let (script, _) = script.split_once("\n.Ed").expect("its end");
    let place = cooked.place;
    place.write("bisect.sh", script.replace("\\e", "\\"));
    let status = || cooked.run("sh bisect.sh > /dev/null && echo 0 || echo $?");
    let _ = std::fs::remove_file(place.path("Makefile"));
    let good =
        |text: &str| (1..=3).for_each(|run| place.write(&format!("good-{run}.folded"), text));
    // No commit is as bad as one whose program never ran what takes the time now.
    good("app;main;other 1000\n");
    assert_eq!(status(), "1\n");
    for run in 1..=3 {
        let (from, to) = (format!("now-{run}.folded"), format!("good-{run}.folded"));
        std::fs::copy(place.path(&from), place.path(&to)).expect("a profile");
    }
    place.write("same.sh", "stack-diff --fail-over 2% --before good-?.folded --after now-?.folded");
    assert!(place.run("sh same.sh").0);
    let hidden = place.path("app.hidden");
    std::fs::rename(place.path("app"), &hidden).expect("our own file");
    assert_eq!(status(), "125\n");
    std::fs::rename(&hidden, place.path("app")).expect("our own file");
    assert!(Path::new(&place.path("app")).exists());
}

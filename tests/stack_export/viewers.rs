//! speedscope and d3-flame-graph, from npm's registry, in a real browser.

use std::fs;
use std::path::{Path, PathBuf};

use common::numbers::grouped;
use serde_json::json as value;

use super::{HOSTILE, Weights, export, recursive, weights, weights_of_stacks};
use crate::browser::{Browser, Server};
use crate::needs::{BROWSER, READERS, VIEWERS, goes_without};
use crate::util::{python, scratch};

/// The folder in which `scripts/test` installs packages of npm's registry.
fn package(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("npm");
    place.join("node_modules").join(name)
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| {
        panic!("{}: {error}; scripts/test installs it", path.display());
    })
}

/// Several events, some of them times.
const EVENTS: &[u8] = b"# event: cpu-clock ns\n# event: page-faults samples\n\
    cpu-clock;main;a 5\ncpu-clock;main 2\npage-faults;b 3\n";

#[test]
fn what_is_written_for_speedscope_is_as_its_schema_says() {
    if goes_without(&[READERS, VIEWERS]) {
        return;
    }
    let check = "import json, sys, jsonschema\n\
                 schema, *files = [json.load(open(name)) for name in sys.argv[1:]]\n\
                 for file in files: jsonschema.validate(file, schema)";
    let mut command = python();
    command.args(["-c", check]);
    command.arg(package("speedscope/dist/release/file-format-schema.json"));
    for (name, folded) in
        [("schema-1", &recursive()[..]), ("schema-2", HOSTILE), ("schema-3", EVENTS)]
    {
        command.arg(scratch(name, export("speedscope", &[], folded)));
    }
    let output = command.output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Shows files in their viewers.
struct Stage {
    browser: Browser,
    server: Server,
}

const JSON: &str = "Content-Type: application/json\r\n";
const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";
const SCRIPT: &str = "Content-Type: text/javascript\r\n";

impl Stage {
    fn set() -> Stage {
        let stage = Stage { browser: Browser::start(), server: Server::start() };
        // Only the visible part of a table is drawn.
        let screen =
            value!({"width": 1200, "height": 8000, "deviceScaleFactor": 1, "mobile": false});
        stage.browser.chromium("Emulation.setDeviceMetricsOverride", &screen);
        let folder = package("speedscope/dist/release");
        let files = fs::read_dir(&folder).unwrap_or_else(|error| {
            panic!("{}: {error}; scripts/test installs it", folder.display());
        });
        for path in files.map(|file| file.expect("a file").path()) {
            let headers = match path.extension().and_then(|end| end.to_str()) {
                Some("html") => HTML,
                Some("js") => SCRIPT,
                Some("css") => "Content-Type: text/css\r\n",
                _ => "",
            };
            let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
            stage.server.put(name, headers, read(&path));
        }
        let scripts = D3.iter().flat_map(|name| [read(&package(name)), b"\n".to_vec()].concat());
        stage.server.put("d3.js", SCRIPT, scripts.collect());
        stage.server.put("d3.html", HTML, D3_PAGE.into());
        stage
    }

    /// The functions that speedscope lists for a file: name, self and total as it shows them.
    fn speedscope(&self, file: Vec<u8>) -> Vec<[String; 3]> {
        let page = self.server.put("profile.json", JSON, file).replace("profile.json", "");
        let address = format!("{page}index.html#profileURL={page}profile.json&view=sandwich");
        // A browser does not reload an address that differs only in its fragment.
        self.browser.open("about:blank");
        self.browser.open(&address);
        // The table of functions is the last one, and its head is a separate table.
        let is_shown = "document.body.innerText.includes('Symbol Name') &&
            [...document.querySelectorAll('table')].at(-1).querySelector('td') !== null";
        self.browser.await_value(is_shown, &value!(true));
        let rows = self.browser.value(
            "[...[...document.querySelectorAll('table')].at(-1).rows].map((row) => {
                const cells = [...row.querySelectorAll('td')].map((cell) => cell.textContent);
                // 11.00ns (61%)
                const [total, self] = cells.map((cell) => cell.split(' (')[0]);
                return [cells[2], self, total];
            })",
        );
        assert_eq!(self.browser.messages(), [""; 0]);
        let mut rows: Vec<[String; 3]> = serde_json::from_value(rows).expect("rows");
        rows.sort();
        rows
    }

    /// The frames that d3-flame-graph draws, as stacks with their self weights.
    fn d3(&self, file: Vec<u8>) -> Vec<(Vec<String>, u64)> {
        let page = self.server.put("profile.json", JSON, file).replace("profile.json", "d3.html");
        self.browser.open("about:blank");
        self.browser.open(&page);
        self.browser.await_value("document.querySelectorAll('g.frame').length > 1", &value!(true));
        let stacks = self.browser.value(
            "[...document.querySelectorAll('g.frame')].map((frame) => d3.select(frame).datum())
                .filter((frame) => frame.parent)
                .map((frame) => [
                    frame.ancestors().reverse().slice(1).map((frame) => frame.data.name),
                    frame.value - (frame.children ?? []).reduce((sum, it) => sum + it.value, 0),
                ])",
        );
        assert_eq!(self.browser.messages(), [""; 0]);
        serde_json::from_value(stacks).expect("stacks")
    }
}

/// d3-flame-graph and what it needs, in an order in which they load.
const D3: [&str; 14] = [
    "d3-array/dist/d3-array.min.js",
    "d3-color/dist/d3-color.min.js",
    "d3-dispatch/dist/d3-dispatch.min.js",
    "d3-ease/dist/d3-ease.min.js",
    "d3-format/dist/d3-format.min.js",
    "d3-interpolate/dist/d3-interpolate.min.js",
    "d3-timer/dist/d3-timer.min.js",
    "d3-selection/dist/d3-selection.min.js",
    "d3-hierarchy/dist/d3-hierarchy.min.js",
    "d3-time/dist/d3-time.min.js",
    "d3-time-format/dist/d3-time-format.min.js",
    "d3-scale/dist/d3-scale.min.js",
    "d3-transition/dist/d3-transition.min.js",
    "d3-flame-graph/dist/d3-flamegraph.umd.min.js",
];

const D3_PAGE: &str = r##"<!DOCTYPE html><title>d3</title><div id="chart"></div>
<script src="d3.js"></script>
<script>
const draw = (data) => d3.select("#chart").datum(data).call(flamegraph.default().width(1000));
fetch("profile.json").then((file) => file.json()).then(draw);
</script>
"##;

/// The rows of stack-top, as a viewer shows them.
fn shown(folded: &[u8], number: impl Fn(u64) -> String) -> Vec<[String; 3]> {
    let weights: Weights = weights(folded);
    weights.into_iter().map(|(name, (own, total))| [name, number(own), number(total)]).collect()
}

/// A time in microseconds, as speedscope shows it.
fn microseconds(weight: u64) -> String {
    match weight {
        0 => "0.00ns".to_owned(),
        1..1000 => format!("{weight}.00µs"),
        _ => format!("{:.2}ms", weight as f64 / 1000.0),
    }
}

/// All cases are one test, since one browser is enough.
#[test]
fn viewers_in_a_browser_find_the_weights_of_stack_top() {
    if goes_without(&[BROWSER, VIEWERS]) {
        return;
    }
    let stage = Stage::set();
    // Where one function ends, another of its name begins.
    let neighbours = b"main;a;b 1\nmain;b;a 2\nmain;b;b 4\n";
    for folded in [&recursive()[..], HOSTILE, neighbours] {
        let found = stage.speedscope(export("speedscope", &[], folded));
        assert_eq!(found, shown(folded, grouped), "speedscope");
        let found = stage.speedscope(export("chrome", &[], folded));
        assert_eq!(found, shown(folded, microseconds), "chrome");
    }
    for folded in [HOSTILE, neighbours] {
        let found = stage.d3(export("d3", &[], folded));
        assert_eq!(weights_of_stacks(&found), weights(folded), "d3");
    }
    // A function with several lines is one.
    let lines = b"main (m.c:3);work (a.c:7) 1\nmain (m.c:4);work (a.c:8) 2\nmain;work (b.c:8) 4\n";
    let found = stage.speedscope(export("speedscope", &[], lines));
    let rows = [["main", "0", "3"], ["main", "0", "4"], ["work", "3", "3"], ["work", "4", "4"]];
    assert_eq!(found, rows.map(|row| row.map(str::to_owned)));
    // The first of several threads; its samples weigh the time to the next one.
    let threads = b"# event: cpu-clock\n# unit: samples\nsince=0.001\ttid=7\tmain;a 1\n\
        since=0.002\ttid=7\tmain 1\nsince=0.001\ttid=8\tmain 1\n";
    let found = stage.speedscope(export("speedscope", &[], threads));
    let rows = [["a", "1.00ms", "1.00ms"], ["main", "1.00ms", "2.00ms"]];
    assert_eq!(found, rows.map(|row| row.map(str::to_owned)));
    // The first of several events, in its unit.
    let found = stage.speedscope(export("speedscope", &[], EVENTS));
    let expected = [["a", "5.00ns", "5.00ns"], ["main", "2.00ns", "7.00ns"]];
    assert_eq!(found, expected.map(|row| row.map(str::to_owned)));
    let listed = stage
        .browser
        .value("[...document.querySelector('table').rows].slice(1).map((row) => row.textContent)");
    assert_eq!(listed, value!(["1cpu-clock7.00ns", "2page-faults (samples)3"]));
    let found = stage.speedscope(export("chrome", &["--unit", "ns"], b"main;a 1\nmain 2\n"));
    assert_eq!(found[1], ["main", "2.00ns", "3.00ns"].map(str::to_owned));
}

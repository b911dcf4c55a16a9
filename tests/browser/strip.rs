//! The strip of time: a selection in it, and the command that does the same.

use std::fmt::Write;

use serde_json::{Value, json};

use super::asking::by_shell;
use super::driver::key::{DOWN, END, ENTER, HOME, RIGHT};
use super::numbers::{of_one, weights_of};
use super::oracle::percent;
use super::{Browser, Stage, cases, drawn, query, text_of};
use crate::util::output;

cases![
    numbers_of_a_selection_are_those_of_its_command,
    a_selection_is_of_all_views_and_in_the_address,
    a_pause_a_burst_and_a_warm_up_are_found,
    the_strip_works_without_a_mouse_and_is_read_aloud,
    what_does_not_fit_opens_by_a_click,
    hostile_lanes_are_only_text,
];

/// Numerical Recipes' generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xffff_ffff;
        (self.0 >> 8) % limit
    }
}

/// Lines of several threads over 40 s, some without a thread, a time, or with odd values.
pub(super) fn lines() -> String {
    const TIDS: [&str; 5] = ["tid=7\t", "tid=8\t", "tid=a.c+\t", "tid=it's $HOME \\x41\t", ""];
    let mut random = Random(1);
    let mut lines =
        String::from("since=-0.5\ttid=7\tmain;start 2\nmain;untimed 9\ntid=8\tmain 4\n");
    for _ in 0..1_500 {
        let (at, tid) = (random.below(40_000_000_000), TIDS[random.below(5) as usize]);
        let (a, b, c) = (random.below(4), random.below(6), random.below(9));
        let (second, rest) = (at / 1_000_000_000, at % 1_000_000_000);
        writeln!(lines, "since={second}.{rest:09}\t{tid}main;a{a};b{b};c{c} {}", 1 + c)
            .expect("memory");
    }
    lines
}

/// The fragments of random selections: a range, a lane, a step, or several of them.
pub(super) fn selections(count: usize) -> Vec<String> {
    const LANES: [&str; 6] = ["", "=7", "=8", "=a.c+", "=it's $HOME \\x5Cx41", "-"];
    let mut random = Random(7);
    let mut fragments = Vec::new();
    while fragments.len() < count {
        let from = random.below(38_000);
        let longest = [900, 30_000][random.below(2) as usize];
        let to = from + 1 + random.below(longest);
        let lane = LANES[random.below(6) as usize];
        let mut words = Vec::new();
        if random.below(5) > 0 {
            words.push(format!(
                "since={}.{:03}-{}.{:03}",
                from / 1000,
                from % 1000,
                to / 1000,
                to % 1000
            ));
        }
        if !lane.is_empty() {
            let bytes = lane.bytes().map(|byte| format!("%{byte:02X}"));
            words.push(format!("lane={}", bytes.collect::<String>()));
        }
        if !words.is_empty() {
            fragments.push(format!("#{}", words.join("&")));
        }
    }
    fragments
}

/// The command on the page, without the labels of lines, which these weights do not have.
pub(super) fn without_labels(command: &str) -> String {
    format!("{command} | stack-merge --labels none")
}

fn command(browser: &Browser) -> String {
    browser.text("document.querySelector('.command')?.textContent ?? 'cat'")
}

/// Each frame of each tree, what a search found, and its share.
fn numbers_of_a_selection_are_those_of_its_command(stage: &Stage) {
    let folded = lines();
    // The page says that some lines have no time.
    let browser = stage.show_svg("", output("stack-svg", &[], &folded).stdout);
    let mut checked = 0;
    for fragment in selections(32) {
        // As a link does.
        browser.go_to(&fragment);
        let expected = by_shell(&without_labels(&command(browser)), folded.as_bytes());
        let found = weights_of(browser, "TopDown");
        assert_eq!(found, of_one(expected.clone()), "{fragment}: {}", command(browser));
        checked += found.len();
        query(browser, "c3");
        let total = expected[""][0];
        let c3 = expected.iter().filter(|(path, _)| path.ends_with(";c3"));
        let c3 = c3.map(|(_, weights)| weights[0]).sum();
        assert_eq!(
            text_of(browser, "matched"),
            format!("{} found", percent(c3, total)),
            "{fragment}"
        );
        query(browser, "");
    }
    assert!(checked > 2_000, "{checked} numbers were checked");
}

/// Three threads: one warms up, two serve with a pause of 1 s, and one of these has a burst after
/// it.
const PLANTED: &str = "since=0.1\ttid=1\tmain;warm_up 5\n\
                       since=0.6\ttid=2\tmain;serve 4\n\
                       since=1.0\ttid=3\tmain;serve 4\n\
                       since=2.5\ttid=2\tmain;serve;again 3\n\
                       since=2.7\ttid=3\tmain;burst 20\n\
                       since=3.0\ttid=3\tmain;serve 4\n";

fn lane(name: &str) -> String {
    format!("[...document.querySelectorAll('.lane')].find((e) => e.textContent === '{name}')")
}

const TIMES: &str = "document.querySelector('.times')";

/// Drags from one time to another.
fn drag(browser: &Browser, from: f64, to: f64) {
    browser.drag(TIMES, [from / 3.001, 0.5], [to / 3.001, 0.5]);
}

fn a_selection_is_of_all_views_and_in_the_address(stage: &Stage) {
    let browser = stage.show(&[], PLANTED);
    drag(browser, 0.5, 1.1);
    assert_eq!(drawn(browser), ["all", "main", "serve"]);
    assert!(text_of(browser, "steps").contains("20.0% of 40 counts left"));
    browser.click(&lane("3"));
    browser.type_keys("4");
    assert_eq!(text_of(browser, "table-sum"), "4 100.0% all 2 functions");
    browser.reload();
    assert_eq!(text_of(browser, "table-sum"), "4 100.0% all 2 functions");
    browser.type_keys("1T");
    assert_eq!(drawn(browser).len(), 6);
    assert_eq!(browser.value("document.querySelector('.steps').hidden"), json!(true));
    browser.back();
    browser.await_value("document.querySelectorAll('.step').length", &json!(2));
    // A range is undone by its button, and a lane by a click on it.
    browser.click("document.querySelector('.back')");
    assert_eq!(drawn(browser), ["all", "burst", "main", "serve"]);
    browser.click(&lane("3"));
    assert_eq!(browser.value("document.querySelector('.steps').hidden"), json!(true));
}

fn a_pause_a_burst_and_a_warm_up_are_found(stage: &Stage) {
    let browser = stage.show(&[], PLANTED);
    drag(browser, 1.2, 2.3);
    let said = text_of(browser, "status");
    assert!(said.starts_with("nothing ran: 1."), "{said}");
    assert_eq!(drawn(browser).len(), 6);
    drag(browser, 2.4, 2.9);
    browser.click(&lane("3"));
    assert_eq!(drawn(browser), ["all", "burst", "main"]);
    browser.type_keys("T");
    drag(browser, 0.0, 0.3);
    assert_eq!(drawn(browser), ["all", "main", "warm_up"]);
    let command = command(browser);
    assert!(command.starts_with("stack-grep --label 'since<0.3"), "{command}");
}

/// The names that a screen reader gets for all elements of a role.
pub(super) fn named(browser: &Browser, role: &str) -> Vec<String> {
    let tree = browser.chromium("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes");
    let text = |value: &Value| value["value"].as_str().map(str::to_owned);
    let named = nodes.iter().filter(|node| node["role"]["value"] == role);
    named.filter_map(|node| text(&node["name"])).collect()
}

fn the_strip_works_without_a_mouse_and_is_read_aloud(stage: &Stage) {
    let browser = stage.show(&[], PLANTED);
    browser.type_keys("t");
    assert_eq!(named(browser, "slider"), ["Start of the time", "End of the time"]);
    let lanes = named(browser, "button");
    assert!(lanes.contains(&"tid 3, 28 counts".to_owned()), "{lanes:?}");
    // A step is 2 ms long.
    for _ in 0..3 {
        browser.type_shift(RIGHT);
    }
    browser.type_keys(RIGHT);
    let value =
        |name: &str| browser.text(&format!("document.activeElement.getAttribute('{name}')"));
    assert_eq!(value("aria-valuetext"), "0.092 s");
    assert_eq!(command(browser), "stack-grep --label 'since>=0.092' --label 'since<3.002'");
    browser.value(&format!("void ({}).focus()", lane("2")));
    browser.type_keys(ENTER);
    assert!(command(browser).ends_with(" --label tid=2"), "{}", command(browser));
    assert_eq!(drawn(browser), ["again", "all", "main", "serve"]);
    browser.type_keys("T");
    assert_eq!(drawn(browser).len(), 6);
}

fn what_does_not_fit_opens_by_a_click(stage: &Stage) {
    let lines: String = (0..40).map(|tid| format!("since={tid}\ttid={tid}\tf{tid} 1\n")).collect();
    let browser = stage.show(&[], lines);
    let lanes = "document.querySelectorAll('.lane').length";
    let few = browser.number(lanes);
    assert!(few < 20.0, "{few}");
    let rest = "[...document.querySelectorAll('.lane')].at(-1)";
    assert_eq!(browser.text(&format!("{rest}.textContent")), format!("{} others", 41.0 - few));
    browser.click(rest);
    assert_eq!(browser.number(lanes), 40.0);
    // Lanes that weigh as much are in the order of their numbers, and one of them is a tab stop.
    let in_order =
        "[...document.querySelectorAll('.lane')].every((e, at) => e.textContent === `${at}`)";
    assert_eq!(browser.value(in_order), json!(true));
    let stops = "[...document.querySelectorAll('.lane')].filter((e) => e.tabIndex === 0).map((e) => e.textContent)";
    browser.value("void document.querySelector('.lane[tabindex=\"0\"]').focus()");
    browser.type_keys(&[HOME, DOWN, DOWN].concat());
    assert_eq!(browser.value(stops), json!(["2"]));
    browser.type_keys(END);
    assert_eq!(browser.text("document.activeElement.textContent"), "39");
    browser.type_keys(HOME);
    browser.click(&lane("9"));
    assert_eq!(drawn(browser), ["all", "f9"]);
}

fn hostile_lanes_are_only_text(stage: &Stage) {
    let name = "</script><script>window.hit=1</script>\" onload='window.hit=1";
    let lines = format!("since=1\ttid={name}\tcomm={name}\tf 1\nsince=2\ttid=]]>&lt;\tg 1\n");
    let browser = stage.show(&[], &lines);
    assert_eq!(browser.text("document.querySelectorAll('.lane')[1].textContent"), "]]>&lt;");
    browser.click(&lane("]]>&lt;"));
    assert_eq!(drawn(browser), ["all", "g"]);
    browser.click("document.querySelector('.lane')");
    assert_eq!(drawn(browser), ["all", "f"]);
    assert_eq!(browser.value("window.hit ?? null"), json!(null));
    let found = by_shell(&without_labels(&command(browser)), lines.as_bytes());
    assert_eq!(found.keys().collect::<Vec<_>>(), ["", "f"]);
}

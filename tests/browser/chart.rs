//! Flame charts of lines that have a time.

use std::collections::BTreeMap;

use serde_json::json;

use super::asking::by_shell;
use super::driver::key::{DOWN, ENTER, ESCAPE, RIGHT, UP};
use super::strip::{lines, named, selections, without_labels};
use super::{Browser, Stage, cases, drawn, frame, query, text_of};
use crate::util::output;

cases![
    lanes_have_blocks_at_their_times_and_pauses_are_empty,
    a_click_shows_the_time_of_a_block_and_chooses_a_lane,
    blocks_weigh_what_the_command_says,
    a_chart_works_by_the_keyboard_and_is_read_aloud,
    a_search_goes_through_the_blocks_of_a_chart,
    narrow_blocks_of_a_chart_keep_their_depth,
    lanes_out_of_sight_are_drawn_when_scrolled_to,
];

/// Two threads, one of them idle except for a moment.
const LINES: &str = "since=0\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=1\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=2\tcomm=web\ttid=7\tmain;log 2\n\
                     since=3\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=8\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=9\tcomm=web\ttid=7\tmain;serve 1\n\
                     since=2.5\ttid=8\tidle;wake 1\n\
                     since=9.999\tcomm=web\ttid=7\tmain;serve 1\n";

fn lanes_have_blocks_at_their_times_and_pauses_are_empty(stage: &Stage) {
    let browser = stage.show(&["--flamechart"], LINES);
    let blocks =
        "[...document.querySelectorAll('.frame[role]')].map(({ box: { branch: b, row } }) =>
        [b.word, row, b.start / 1e9, (b.start + b.size) / 1e9, Number(b.weight)])";
    let expected = json!([
        ["web 7", 0, 0, 10, 8],
        ["main", 1, 0, 4, 5],
        ["serve", 2, 0, 2, 2],
        ["log", 2, 2, 3, 2],
        ["serve", 2, 3, 4, 1],
        ["main", 1, 8, 10, 3],
        ["serve", 2, 8, 10, 3],
        ["8", 3, 0, 10, 1],
        ["idle", 4, 2.5, 3.5, 1],
        ["wake", 5, 2.5, 3.5, 1],
    ]);
    assert_eq!(browser.value(blocks), expected);
    assert!(text_of(browser, "content .axis").starts_with("0 s 1 s 2 s"));
    browser.point_at(&frame("log"));
    assert!(text_of(browser, "tip").starts_with("2 – 3 s 2 counts 22.2% of all 40.0% of parent"));
    // The axis of the strip is the same.
    let left = |what: &str| {
        browser.number(&format!("document.querySelector('{what}').getBoundingClientRect().left"))
    };
    assert_eq!(left(".times"), left(".stage"));
}

fn axis(browser: &Browser) -> String {
    text_of(browser, "content .axis")
}

fn a_click_shows_the_time_of_a_block_and_chooses_a_lane(stage: &Stage) {
    let browser = stage.show(&["--flamechart"], LINES);
    browser.click(&frame("log"));
    // All lanes are of this time now.
    assert_eq!(drawn(browser), ["8", "idle", "log", "main", "serve", "serve", "wake", "web 7"]);
    assert!(axis(browser).starts_with("2 s 2.1 s"), "{}", axis(browser));
    assert_eq!(text_of(browser, "crumbs"), "all 1.98 – 3.02 s");
    browser.reload();
    assert!(axis(browser).starts_with("2 s 2.1 s"), "{}", axis(browser));
    browser.type_keys(ESCAPE);
    assert!(axis(browser).starts_with("0 s 1 s"));
    browser.click(&frame("8"));
    assert_eq!(drawn(browser), ["8", "idle", "wake"]);
    assert!(text_of(browser, "steps").contains("stack-grep --label tid=8"));
    // The other views show the whole lane, not the range of the chart.
    browser.type_keys("1");
    assert_eq!(drawn(browser), ["all", "idle", "wake"]);
    browser.type_keys("5");
    browser.click(&frame("8"));
    assert_eq!(drawn(browser).len(), 10);
    // A step leaves gaps.
    browser.value(&format!("void ({}).focus()", frame("log")));
    browser.type_keys("f");
    browser.click("document.querySelectorAll('.item')[1]");
    assert_eq!(
        drawn(browser),
        ["8", "idle", "main", "main", "main", "serve", "serve", "serve", "wake", "web 7"]
    );
}

/// The weight of each stack, summed over all blocks of all lanes, and of each lane.
fn sums(browser: &Browser) -> (BTreeMap<String, u64>, BTreeMap<String, u64>) {
    let sums = browser.value(
        "(() => {
            const { tree } = document.querySelector('.frame[role]').box.branch;
            const [stacks, lanes] = [{}, {}];
            const add = (branch, path) => {
                stacks[path] = (stacks[path] ?? 0) + Number(branch.weight);
                for (const kid of branch.kids) add(kid, `${path}${path && ';'}${kid.word}`);
            };
            for (const lane of tree.root.kids) {
                lanes[lane.word] = Number(lane.weight);
                add(lane, '');
            }
            return [stacks, lanes];
        })()",
    );
    serde_json::from_value(sums).expect("two objects of numbers")
}

/// Under random selections and steps.
fn blocks_weigh_what_the_command_says(stage: &Stage) {
    let folded = lines();
    let browser = stage.show_svg("", output("stack-svg", &["--flamechart"], &folded).stdout);
    let weights = |command: &str| -> BTreeMap<String, u64> {
        let all = by_shell(&without_labels(command), folded.as_bytes());
        all.into_iter().map(|(path, [weight, _])| (path, weight)).collect()
    };
    let (stacks, lanes) = sums(browser);
    assert_eq!(stacks, weights("stack-grep --label 'since<inf'"));
    assert_eq!(lanes["8"], weights("stack-grep --label 'since<inf' --label tid=8")[""]);
    let mut checked = 0;
    for fragment in selections(12) {
        browser.go_to(&fragment);
        for step in ["", "a1", "b3"] {
            if !step.is_empty() {
                browser.value(&format!("void ({}).focus()", frame(step)));
                browser.type_keys("f");
                browser.click("document.querySelectorAll('.item')[2]");
            }
            let command = text_of(browser, "command");
            let timed = format!("stack-grep --label 'since<inf' | {command}");
            let (stacks, _) = sums(browser);
            assert_eq!(stacks, weights(&timed), "{fragment}: {command}");
            checked += stacks.len();
        }
    }
    assert!(checked > 1_500, "{checked} numbers were checked");
}

fn a_chart_works_by_the_keyboard_and_is_read_aloud(stage: &Stage) {
    let browser = stage.show(&["--flamechart"], LINES);
    let items = named(browser, "treeitem");
    assert!(items.contains(&"web 7, 8 counts, 88.9%".to_owned()), "{items:?}");
    assert!(items.contains(&"log, 2 counts, 22.2%, 2 – 3 s".to_owned()), "{items:?}");
    let focus = || browser.text("document.activeElement.getAttribute('aria-label').split(',')[0]");
    browser.value("void document.querySelector('.frame[tabindex=\"0\"]').focus()");
    assert_eq!(focus(), "web 7");
    browser.type_keys(&[DOWN, DOWN, RIGHT].concat());
    assert_eq!(focus(), "log");
    browser.type_keys(ENTER);
    assert!(axis(browser).starts_with("2 s 2.1 s"));
    browser.type_keys(&[ESCAPE, UP, UP, UP].concat());
    assert_eq!(focus(), "web 7");
    browser.type_keys(&[RIGHT, ENTER].concat());
    assert_eq!(drawn(browser), ["8", "idle", "wake"]);
    browser.type_keys("T5");
    assert_eq!(drawn(browser).len(), 10);
    // The print shows the selection, too.
    browser.click(&frame("8"));
    browser.value("void window.dispatchEvent(new Event('beforeprint'))");
    assert_eq!(drawn(browser), ["8", "idle", "wake"]);
    assert!(text_of(browser, "steps").starts_with("tid 8"));
    browser.value("void window.dispatchEvent(new Event('afterprint'))");
}

fn a_search_goes_through_the_blocks_of_a_chart(stage: &Stage) {
    let browser = stage.show(&["--flamechart"], LINES);
    query(browser, "serve");
    assert_eq!(text_of(browser, "matched"), "66.7% found");
    let found = || browser.text("document.activeElement.getAttribute('aria-label')");
    browser.type_keys(ENTER);
    assert_eq!(found(), "serve, 2 counts, 22.2%, 0 – 2 s, found");
    browser.type_keys("nn");
    assert_eq!(found(), "serve, 3 counts, 33.3%, 8 – 10 s, found");
    browser.type_keys("N");
    assert_eq!(found(), "serve, 1 count, 11.1%, 3 – 4 s, found");
}

fn narrow_blocks_of_a_chart_keep_their_depth(stage: &Stage) {
    let lines: String = (0..9_000)
        .map(|at| {
            let deeper = if at % 2 == 0 { ";deep" } else { "" };
            format!("since={}.{:03}\tmain;f{}{deeper} 1\n", at / 1000, at % 1000, at % 7)
        })
        .collect();
    let browser = stage.show(&["--flamechart"], lines);
    let blocks = "[...document.querySelectorAll('.group')].map(({ box }) => box)";
    for (row, frames) in [(2, 9_000), (3, 4_500)] {
        let of_row = format!("{blocks}.filter(({{ row }}) => row === {row})");
        let sum = |key: &str| {
            browser.number(&format!("{of_row}.reduce((sum, {{ {key} }}) => sum + {key}, 0)"))
        };
        assert_eq!(sum("frames"), f64::from(frames));
        assert_eq!(sum("weight"), f64::from(frames));
        let whole = browser.number("document.querySelector('.stage').clientWidth");
        assert!(sum("width") > 0.99 * whole && sum("width") < 1.01 * whole);
    }
    assert_eq!(browser.number(&format!("{blocks}.filter(({{ row }}) => row > 3).length")), 0.0);
    // Clicks reach the frames.
    for _ in 0..2 {
        browser.click("document.querySelector('.group')");
    }
    assert!(drawn(browser).contains(&"f3".to_owned()), "{:?}", drawn(browser));
}

fn lanes_out_of_sight_are_drawn_when_scrolled_to(stage: &Stage) {
    let stack = vec!["f"; 20].join(";");
    let lines: String =
        (0..40).map(|tid| format!("since={tid}\ttid={tid}\t{stack} {}\n", 99 - tid)).collect();
    let browser = stage.show(&["--flamechart"], lines);
    let last = "[...document.querySelectorAll('.lane-title')].some((e) => e.textContent.startsWith('39 '))";
    assert_eq!(browser.value(last), json!(false));
    browser.value("void (document.querySelector('.stage').scrollTop = 1e6)");
    browser.await_value(last, &json!(true));
    let blocks = "[...document.querySelectorAll('.frame')].filter((e) => e.box.lane?.word === '39' || e.box.branch?.lane?.word === '39').length";
    assert_eq!(browser.number(blocks), 21.0);
}

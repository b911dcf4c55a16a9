//! The legend: shares of the kinds of code, and which boxes are of one kind. The heading.

use serde_json::json;

use super::{Browser, Stage, cases, drawn, frame, text_of};

cases![
    each_kind_has_its_share_of_what_is_shown,
    a_kind_lights_its_boxes,
    the_heading_says_what_was_sampled,
];

const FOLDED: &str = "app;main_[o] 5\napp;main_[o];f_[o] 5\napp;main_[o];f_[o];read_[l] 30\n\
                      app;main_[o];f_[o];read_[l];vfs_read_[k] 60\napp;main_[o];g_[o] 100\n";

/// The entries that are seen.
fn entries(browser: &Browser) -> Vec<String> {
    let entries = browser.value(
        "[...document.querySelectorAll('.kind')].filter((e) => !e.hidden).map((e) => e.textContent)",
    );
    serde_json::from_value(entries).expect("texts")
}

fn each_kind_has_its_share_of_what_is_shown(stage: &Stage) {
    let browser = stage.show(&[], FOLDED);
    assert_eq!(entries(browser), ["own code 55.0%", "library 15.0%", "kernel 30.0%"]);
    browser.click(&frame("read"));
    assert_eq!(entries(browser), ["library 33.3%", "kernel 66.7%"]);
    browser.type_keys("0");
    browser.click(&frame("g"));
    assert_eq!(entries(browser), ["own code 100.0%"]);
    // The part of a selected time, and of what steps leave.
    let lines = "since=1\tmain_[o] 1\nsince=2\tmain_[o];read_[k] 3\n";
    let browser = stage.show_at("#since=2-3", &[], lines);
    assert_eq!(entries(browser), ["own code 0%", "kernel 100.0%"]);
    let browser = stage.show(&["--colors", "module"], "A.f 3\nB.g 1\n");
    assert_eq!(entries(browser), ["A 75.0%", "B 25.0%"]);
}

fn a_kind_lights_its_boxes(stage: &Stage) {
    let browser = stage.show(&[], FOLDED);
    let entry =
        "[...document.querySelectorAll('.kind')].find((e) => e.textContent.startsWith('library'))";
    let faded =
        "[...document.querySelectorAll('.frame.faded')].map((e) => e.box.branch.word).sort()";
    browser.value(&format!("void {entry}.focus()"));
    assert_eq!(browser.value(faded), json!(["all", "app", "f", "g", "main", "vfs_read"]));
    browser.value("void document.activeElement.blur()");
    assert_eq!(browser.value(faded), json!([]));
    assert_eq!(drawn(browser).len(), 7);
}

fn the_heading_says_what_was_sampled(stage: &Stage) {
    let lines = "# event: cycles:ppp\n# unit: cycles\n# samples: 12 samples\n# seconds: 1.50 s\n\
                 # rate: 999 Hz\n# threads: 1 thread\napp;main 12\n";
    let browser = stage.show(&[], lines);
    let said = "cycles \u{b7} 999 Hz \u{b7} 1.50 s \u{b7} 1 thread \u{b7} 12 samples";
    assert_eq!(text_of(browser, "subtitle"), said);
    let browser = stage.show(&["--subtitle", "mine"], lines);
    assert_eq!(text_of(browser, "subtitle"), "mine");
    let browser = stage.show(&[], "app;main 12\n");
    assert_eq!(browser.value("document.querySelector('.subtitle')"), json!(null));
}

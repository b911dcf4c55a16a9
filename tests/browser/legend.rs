//! The legend: shares of the kinds of code, and which boxes are of one kind. The heading.

use std::collections::BTreeSet;

use serde_json::json;

use super::asking::by_shell;
use super::driver::key::{DOWN, ENTER};
use super::numbers::{of_one, weights_of};
use super::strip::named;
use super::{Browser, Stage, cases, drawn, frame, text_of};
use crate::util::{golden_files, recording};

cases![
    each_kind_has_its_share_of_what_is_shown,
    a_kind_lights_its_boxes,
    a_kind_is_hidden_or_kept_by_keys,
    what_kinds_leave_is_what_the_command_leaves,
    inlined_functions_are_an_entry,
    states_of_threads_are_kinds,
    kinds_that_a_cut_makes_wrong_stay,
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
    let all = ["own code 55.0%", "library 15.0%", "kernel 30.0%"];
    assert_eq!(entries(browser), all);
    let aloud = named(browser, "button");
    assert!(all.iter().all(|entry| aloud.iter().any(|name| name == entry)), "{aloud:?}");
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

/// The command that does what is shown.
fn command(browser: &Browser) -> String {
    browser.text("document.querySelector('.command').textContent")
}

fn a_kind_is_hidden_or_kept_by_keys(stage: &Stage) {
    let browser = stage.show(&[], FOLDED);
    browser.type_keys(&["k", ENTER].concat());
    assert_eq!(text_of(browser, "menu"), "own code Hide own code Only stacks that end in own code");
    browser.type_keys(&[DOWN, ENTER].concat());
    assert_eq!(entries(browser), ["own code 100.0%"]);
    assert_eq!(command(browser), "stack-grep --leaf --kind own");
    assert_eq!(super::focused(browser), json!("all"));
    browser.type_keys("u");
    let click = "void [...document.querySelectorAll('.kind')].find((e) => e.textContent.startsWith('library')).click()";
    browser.value(click);
    browser.value("void document.querySelector('.item').click()");
    assert_eq!(entries(browser), ["own code 70.0%", "kernel 30.0%"]);
    assert_eq!(drawn(browser), ["all", "app", "f", "g", "main", "vfs_read"]);
    assert_eq!(command(browser), "stack-collapse-frames --drop-kind library");
    assert!(
        text_of(browser, "steps").starts_with("Hide library \u{2715} 100.0% of 200 counts left")
    );
    browser.reload();
    assert_eq!(drawn(browser), ["all", "app", "f", "g", "main", "vfs_read"]);
    browser.click("document.querySelector('.back')");
    assert_eq!(drawn(browser).len(), 7);
}

/// Steps as an address has them, in an order in which each sees what the last one left.
const STEPS: [&str; 9] = [
    "klibrary",
    "eown",
    "klibrary.kkernel.kruntime",
    "elibrary",
    "f.kown",
    "klibrary.elibrary",
    "eruntime.kruntime",
    "r.kunknown.eno-symbol",
    "i.kkernel.eown",
];

fn what_kinds_leave_is_what_the_command_leaves(stage: &Stage) {
    let mut commands = BTreeSet::new();
    for file in golden_files("kinds") {
        // The expected weights are of lines without labels.
        let labelled = String::from_utf8(recording(&format!("kinds/{file}"))).expect("UTF-8");
        let lines = labelled.lines().map(|line| line.rsplit('\t').next().expect("a stack"));
        let folded = lines.collect::<Vec<_>>().join("\n").into_bytes();
        let browser = stage.show(&[], &folded);
        for steps in STEPS {
            browser.go_to(&format!("#steps={steps}"));
            let shown = weights_of(browser, "TopDown");
            let chips = browser.number("document.querySelectorAll('.step').length");
            // Where no stack would be left, or the kind is not there, no step was taken.
            if chips > 0.0 {
                let command = command(browser);
                assert!(of_one(by_shell(&command, &folded)) == shown, "{file} {command}");
                commands.insert(command);
            }
        }
    }
    // No page stays as the last address has made it.
    assert!(commands.len() >= STEPS.len(), "{commands:?}");
    // Roots that are labels are no code, and stay.
    let folded = "comm=web\tmain_[o];read_[l] 3\ncomm=db\tstd::sort 5\ncomm=db\tf_[o] 2\n";
    for (steps, expected) in [
        ("klibrary", "--by-label comm | stack-collapse-frames --drop-kind library"),
        ("elibrary.kown", "--by-label comm | stack-grep --leaf --kind library"),
        ("r.kown", "--by-label comm | LC_ALL=C sed"),
    ] {
        let browser = stage.show_at(&format!("#steps={steps}"), &["--split", "comm"], folded);
        let command = command(browser);
        assert!(command.contains(expected) && command.contains("--kinds-of"), "{command}");
        let shown = weights_of(browser, "TopDown");
        assert_eq!(of_one(by_shell(&command, folded.as_bytes())), shown, "{command}");
    }
    // A selected time comes first.
    let folded = "since=1\tapp::main;read_[k] 3\nsince=2\tapp::f;other::g;read_[k] 4\n";
    let browser = stage.show_at("#since=2-3&steps=kunknown", &[], folded);
    let command = command(browser);
    assert!(
        command.ends_with("| stack-collapse-frames --drop-kind unknown --kinds-of profile.folded"),
        "{command}"
    );
    let shown = weights_of(browser, "TopDown");
    let bare = format!("{command} | sed 's/.*\t//'");
    assert_eq!(of_one(by_shell(&bare, folded.as_bytes())), shown, "{command}");
}

fn inlined_functions_are_an_entry(stage: &Stage) {
    let folded = "main_[o];add_[o]_[i] 6\nmain_[o];add_[o]_[i];find_[l]_[i] 1\nmain_[o] 3\n";
    let browser = stage.show(&[], folded);
    assert_eq!(entries(browser), ["own code 90.0%", "library 10.0%", "of them inlined 70.0%"]);
    browser.type_keys("k");
    browser.value("void [...document.querySelectorAll('.kind')].at(2).focus()");
    let lit =
        "[...document.querySelectorAll('.frame:not(.faded)')].map((e) => e.box.branch.word).sort()";
    assert_eq!(browser.value(lit), json!(["add", "find"]));
    browser.type_keys(&[ENTER, DOWN, ENTER].concat());
    let of_leaf = r"stack-grep --leaf '_\[i\](_\[.\])*$'";
    assert_eq!(command(browser), of_leaf);
    assert_eq!(weights_of(browser, "TopDown"), of_one(by_shell(of_leaf, folded.as_bytes())));
    assert_eq!(entries(browser), ["own code 85.7%", "library 14.3%", "of them inlined 100.0%"]);
    browser.type_keys("uk");
    browser.value("void [...document.querySelectorAll('.kind')].at(2).focus()");
    browser.type_keys(&[ENTER, ENTER].concat());
    assert_eq!(drawn(browser), ["all", "main"]);
    assert_eq!(command(browser), r"stack-collapse-frames --drop '_\[i\](_\[.\])*$'");
}

fn states_of_threads_are_kinds(stage: &Stage) {
    let folded = "main_[o];read_[l] 3\nmain_[o];read_[l];[waiting] 5\nmain_[o];[runnable] 2\n";
    let browser = stage.show_at("#steps=kwaiting", &[], folded);
    assert_eq!(entries(browser), ["own code 0%", "library 80.0%", "runnable 20.0%"]);
    let hidden = of_one(by_shell(&command(browser), folded.as_bytes()));
    assert_eq!(weights_of(browser, "TopDown"), hidden);
    let browser = stage.show_at("#steps=ewaiting", &[], folded);
    assert_eq!(drawn(browser), ["[waiting]", "all", "main", "read"]);
}

fn kinds_that_a_cut_makes_wrong_stay(stage: &Stage) {
    let folded = "a_[o];x_[l] 50\nb_[o] 40\nc_[o];x_[l] 7\nd_[o] 3\n";
    let browser = stage.show_at("#steps=klibrary", &["--max-frames", "3"], folded);
    assert!(drawn(browser).contains(&"x".to_owned()));
    browser.type_keys(&["k", ENTER].concat());
    assert_eq!(browser.number("document.querySelectorAll('.item:enabled').length"), 0.0);
    assert!(text_of(browser, "menu").ends_with("--max-frames has cut the picture."));
}

fn the_heading_says_what_was_sampled(stage: &Stage) {
    let lines = "# event: cycles:ppp\n# unit: cycles\n# samples: 12 samples\n# seconds: 1.50 s\n\
                 # rate: 999 Hz\n# threads: 1 thread\napp;main 12\n";
    let browser = stage.show(&[], lines);
    let said = "cycles \u{b7} 999 Hz \u{b7} 1.50 s elapsed \u{b7} 1 thread \u{b7} 12 samples \u{b7} trust: poor";
    assert_eq!(text_of(browser, "subtitle"), said);
    assert_eq!(text_of(browser, "title"), "app");
    let clock = "# event: cpu-clock\n# unit: ns\n# samples: 90000 samples\n# program: shop\n\
                 a;main 2000\nb;main 3000\n";
    let browser = stage.show(&[], clock);
    let said = "cpu-clock \u{b7} 90,000 samples \u{b7} in ns \u{b7} trust: good";
    assert_eq!(text_of(browser, "subtitle"), said);
    assert_eq!(text_of(browser, "title"), "shop");
    let browser = stage.show(&["--subtitle", "mine"], lines);
    assert_eq!(text_of(browser, "subtitle"), "mine");
    let browser = stage.show(&[], "app;main 12\n");
    assert_eq!(browser.value("document.querySelector('.subtitle')"), json!(null));
}

use serde_json::json;

use super::asking::by_shell;
use super::numbers::{of_one, weights_of};
use super::{Browser, Stage, cases, drawn, frame, query, share, text_of};

cases![
    a_profile_of_slivers_opens_without_its_roots,
    roots_of_a_label_go_by_a_command_that_makes_them,
    one_key_takes_the_roots_away_and_puts_them_back,
    few_roots_and_wide_ones_stay,
];

/// The stacks of this many threads, which all do the same.
fn threads(count: usize) -> String {
    let lines =
        (0..count).map(|n| format!("thread-{n:03};main;work 3\nthread-{n:03};main;wait 1\n"));
    lines.collect()
}

fn chip(browser: &Browser) -> String {
    browser.text("document.querySelector('.step')?.textContent ?? 'none'")
}

fn a_profile_of_slivers_opens_without_its_roots(stage: &Stage) {
    let browser = stage.show(&[], threads(300));
    assert_eq!(drawn(browser), ["all", "main", "wait", "work"]);
    assert!((share(browser, "work") - 0.75).abs() < 0.001);
    assert_eq!(chip(browser), "300 roots taken away: r puts them back\u{2715}");
    assert_eq!(browser.text("location.hash"), "");
    // The command gives the same result for the stacks.
    let command = browser.text("document.querySelector('.command').textContent");
    let stacks = by_shell(&command, threads(300).as_bytes());
    assert_eq!(weights_of(browser, "TopDown"), of_one(stacks));
    // After the undo they stay, also when the page is reloaded, and filters work as before.
    browser.type_keys("r");
    assert_eq!((chip(browser), drawn(browser).len()), ("none".to_owned(), 1 + 3 * 300));
    browser.reload();
    assert_eq!(chip(browser), "none");
    browser.type_keys("r");
    assert_eq!(browser.text("location.hash"), "");
    query(browser, "work");
    assert_eq!(text_of(browser, "matched"), "75.0% found");
    browser.reload();
    assert_eq!(drawn(browser), ["all", "main", "wait", "work"]);
}

/// The lines have no such roots until stack-merge adds them.
fn roots_of_a_label_go_by_a_command_that_makes_them(stage: &Stage) {
    let labelled = threads(150).replace("thread-", "tid=").replace(";main", "\tmain");
    let browser = stage.show(&["--split", "tid"], &labelled);
    assert_eq!(chip(browser), "150 roots taken away: r puts them back\u{2715}");
    let without_roots = || {
        let command = browser.text("document.querySelector('.command').textContent");
        by_shell(&command, labelled.as_bytes())
    };
    assert_eq!(weights_of(browser, "TopDown"), of_one(without_roots()));
    // One of them, then without its root.
    browser.value(
        "(() => { const list = document.querySelector('.profiles'); list.selectedIndex = 1;
            list.dispatchEvent(new Event('change', { bubbles: true })); })()",
    );
    assert_eq!(weights_of(browser, "TopDown"), of_one(without_roots()));
    assert_eq!(drawn(browser), ["all", "main", "wait", "work"]);
}

fn one_key_takes_the_roots_away_and_puts_them_back(stage: &Stage) {
    let browser = stage.show(&[], "a;main;x 3\nb;main;x 4\nb 2\nc;y;z 1\n");
    assert_eq!(chip(browser), "none");
    browser.click(&frame("main"));
    browser.type_keys("r");
    browser.type_keys("0");
    // Nothing is lost: a stack that has only its root keeps it.
    assert_eq!(drawn(browser), ["all", "b", "main", "x", "y", "z"]);
    for (name, part) in [("main", 0.7), ("b", 0.2), ("y", 0.1)] {
        assert!((share(browser, name) - part).abs() < 0.001, "{name}");
    }
    assert_eq!(chip(browser), "3 roots taken away: r puts them back\u{2715}");
    browser.type_keys("r");
    assert_eq!(drawn(browser), ["a", "all", "b", "c", "main", "main", "x", "x", "y", "z"]);
    browser.type_keys("?");
    assert!(text_of(browser, "keys").contains("r take the roots"));
    let diff = stage.show(&["--diff"], "a;main 3 0\nb;main 4 9\n");
    diff.type_keys("r");
    assert_eq!(drawn(diff), ["all", "main"]);
    let summary = diff.value(&format!("{}.ariaLabel", frame("main")));
    assert_eq!(summary, json!("main, 16 counts, 100.0%"));
}

fn few_roots_and_wide_ones_stay(stage: &Stage) {
    for folded in [
        threads(99),
        // Roots that are functions.
        (0..300).map(|n| format!("f{n} 1\n")).collect(),
        threads(300) + "big;main 100\n",
    ] {
        assert_eq!(chip(stage.show(&[], folded)), "none");
    }
}

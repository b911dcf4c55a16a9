use serde_json::{Value, json};

use super::driver::key;
use super::{Browser, Stage, cases, drawn, focused, found_is, frame, query, share, text_of};
use crate::util::{recording, weight};

cases![
    bottom_up_is_the_tree_merged_from_its_leaves,
    a_sandwich_counts_recursion_once,
    a_sandwich_of_the_zoomed_frame_has_its_callers,
    the_table_sorts_and_adds_up,
    the_table_holds_the_weight_of_a_real_profile,
    views_are_steps_of_the_browser,
];

/// The visible rows of the table, as texts.
fn rows(browser: &Browser) -> Value {
    browser.value(
        "[...document.querySelectorAll('.row')].map((row) =>
            [...row.querySelectorAll('.cell')].map((cell) => cell.textContent).join(' '))",
    )
}

fn bottom_up_is_the_tree_merged_from_its_leaves(stage: &Stage) {
    let browser = stage.show(&[], "main;f;malloc 30\nmain;g;malloc 40\nmain 10\nmain;f 20\n");
    browser.type_keys("2");
    assert_eq!(drawn(browser), ["all", "f", "f", "g", "main", "main", "main", "main", "malloc"]);
    assert!((share(browser, "malloc") - 0.7).abs() < 0.001);
    browser.click(&frame("malloc"));
    assert!((share(browser, "g") - 40.0 / 70.0).abs() < 0.001);
    // With --reverse, the static layer and the first view show the same tree.
    let browser =
        stage.show(&["--reverse"], "main;f;malloc 30\nmain;g;malloc 40\nmain 10\nmain;f 20\n");
    assert!((share(browser, "malloc") - 0.7).abs() < 0.001);
    browser.type_keys("1");
    assert!((share(browser, "main") - 1.0).abs() < 0.001);
}

fn a_sandwich_counts_recursion_once(stage: &Stage) {
    let folded = "main;f;f;g 30\nmain;f;h;f 20\nx;f 10\ny 40\n";
    let browser = stage.show(&[], folded);
    browser.click(&frame("x"));
    browser.type_keys(key::UP);
    browser.type_keys("3");
    assert_eq!(text_of(browser, "crumbs"), "all x f");
    browser.type_keys("0");
    assert_eq!(text_of(browser, "crumbs"), "f");
    assert!(text_of(browser, "status").starts_with("f 60 counts 60.0% of all"));
    let of = |name: &str| share(browser, name) * 60.0;
    assert!((of("main") - 50.0).abs() < 0.1 && (of("x") - 10.0).abs() < 0.1);
    assert!((of("g") - 30.0).abs() < 0.1 && (of("h") - 20.0).abs() < 0.1);
    query(browser, "main");
    assert_eq!(text_of(browser, "matched"), "83.3% found");
    query(browser, "g");
    assert_eq!(text_of(browser, "matched"), "50.0% found");
    browser.type_keys(key::ESCAPE);
    browser.type_keys(key::UP);
    assert_eq!(focused(browser), json!("main"));
    browser.type_keys(key::ENTER);
    assert_eq!(text_of(browser, "crumbs"), "main");
    browser.back();
    browser.await_value("document.querySelector('.crumbs').textContent", &json!("f"));
}

fn a_sandwich_of_the_zoomed_frame_has_its_callers(stage: &Stage) {
    let browser = stage.show(&[], "main;f;g 30\nmain;f 10\nx;f 60\n");
    browser.click(&frame("main"));
    browser.click(&frame("f"));
    browser.type_keys("3");
    assert_eq!(text_of(browser, "crumbs"), "all main f f");
    assert_eq!(drawn(browser), ["f", "g", "main"]);
    assert!((share(browser, "main") - 1.0).abs() < 0.001);
    query(browser, "main");
    found_is(browser, "100.0% found");
    // Going on to a caller outside of the zoomed part zooms out to it.
    browser.click(&frame("main"));
    assert_eq!(text_of(browser, "crumbs"), "all main main");
    assert_eq!(drawn(browser), ["f", "g", "main"]);
    browser.back();
    browser.await_value("document.querySelector('.crumbs').textContent", &json!("allmainff"));
}

fn the_table_sorts_and_adds_up(stage: &Stage) {
    let browser = stage.show(&[], "main;f;f 30\nmain;g 50\nmain 20\n");
    browser.type_keys("4");
    let by_self = ["50 50.0% 50 50.0% g", "30 30.0% 30 30.0% f", "20 20.0% 100 100.0% main"];
    assert_eq!(rows(browser), json!(by_self));
    assert_eq!(text_of(browser, "table-sum"), "100 100.0% all 3 functions");
    browser.click("document.querySelector('[data-column=total]')");
    assert_eq!(rows(browser)[0], by_self[2]);
    browser.click("document.querySelector('[data-column=total]')");
    assert_eq!(rows(browser)[0], by_self[1]);
    browser.click("document.querySelector('[data-column=name]')");
    assert_eq!(rows(browser)[0], by_self[1]);
    browser.reload();
    assert_eq!(rows(browser)[0], by_self[1]);
    query(browser, "/[fg]/");
    found_is(browser, "80.0% found");
    assert_eq!(text_of(browser, "table-sum"), "80 80.0% 2 functions found");
    browser.type_keys(&[key::ENTER, key::UP, key::UP, key::DOWN, key::ENTER].concat());
    assert_eq!(text_of(browser, "crumbs"), "g");
}

fn the_table_holds_the_weight_of_a_real_profile(stage: &Stage) {
    let folded = recording("folded/lwtsim-4.13.1-dwarf.folded.gz");
    let total = weight(&folded);
    for args in [&[][..], &["--max-frames", "50"], &["--flamechart"]] {
        let browser = stage.show(args, &folded);
        browser.type_keys("4");
        let sum = text_of(browser, "table-sum").replace(',', "");
        assert!(sum.starts_with(&format!("{total} 100.0% all")), "{sum}, not {total}");
    }
}

fn views_are_steps_of_the_browser(stage: &Stage) {
    let browser = stage.show(&[], "main;f 3\nmain;g 5\n");
    let view = "document.querySelector('.app').dataset.view";
    for id in ["bottom-up", "sandwich", "table"] {
        browser.click(&format!("document.querySelector('[data-view={id}]')"));
        browser.await_value(view, &json!(id));
        let is_selected = format!("document.querySelector('.tab[data-view={id}]').ariaSelected");
        assert_eq!(browser.text(&is_selected), "true");
    }
    browser.back();
    browser.await_value(view, &json!("sandwich"));
    browser.reload();
    assert_eq!(browser.text(view), "sandwich");
    assert_eq!(text_of(browser, "crumbs"), "g");
    browser.back();
    browser.await_value(view, &json!("bottom-up"));
    browser.back();
    browser.await_value(view, &json!("flame"));
}

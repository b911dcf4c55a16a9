use serde_json::json;

use super::driver::key;
use super::{Browser, Stage, cases, drawn, focused, frame, query, share, text_of};

cases![
    all_views_are_of_the_zoomed_part,
    the_zoom_the_search_and_the_selection_stay_when_the_view_changes,
    an_old_address_of_a_view_still_works,
    the_order_is_by_weight_or_by_name,
    a_sandwich_is_turned_upside_down,
];

const FOLDED: &str = "main;f;malloc 30\nmain;g;malloc 40\nmain 10\nmain;f 20\nx;f 5\nx;malloc 7\n";

fn all_views_are_of_the_zoomed_part(stage: &Stage) {
    let browser = stage.show(&[], FOLDED);
    browser.click(&frame("main"));
    browser.type_keys("2");
    assert_eq!(text_of(browser, "crumbs"), "all main all of main");
    assert!(text_of(browser, "status").starts_with("main 10 counts 8.9% of all 10.0% of zoom"));
    assert!((share(browser, "malloc") - 0.7).abs() < 0.001);
    browser.type_keys("4");
    assert_eq!(text_of(browser, "table-sum"), "100 100.0% all 4 functions");
    browser.click(
        "[...document.querySelectorAll('.row')].find((row) => row.innerText.endsWith('malloc'))",
    );
    assert_eq!(text_of(browser, "crumbs"), "all main malloc");
    assert!(text_of(browser, "status").starts_with("malloc 70 counts"));
    assert_eq!(drawn(browser), ["f", "g", "main", "main", "malloc"]);
    browser.reload();
    assert_eq!(drawn(browser), ["f", "g", "main", "main", "malloc"]);
    // A click on a name in the line above zooms to that part; Escape zooms out.
    browser.click("document.querySelector('.crumb')");
    assert_eq!(drawn(browser), ["f", "g", "main", "main", "malloc", "x"]);
    browser.type_keys("1");
    browser.click(&frame("main"));
    browser.type_keys("4");
    browser.type_keys(key::ESCAPE);
    assert_eq!(text_of(browser, "table-sum"), "112 100.0% all 5 functions");
}

fn the_zoom_the_search_and_the_selection_stay_when_the_view_changes(stage: &Stage) {
    let browser = stage.show(&[], FOLDED);
    browser.click(&frame("main"));
    query(browser, "malloc");
    browser.type_keys(&[key::ESCAPE, key::UP, key::UP].concat());
    query(browser, "malloc");
    browser.value("void document.querySelector('.query').blur()");
    let selected = |name: &str| {
        let current = ".frame.current, .row.current .name";
        let text = format!("document.querySelector('{current}')?.innerText ?? ''");
        assert_eq!(browser.text(&text), name);
        assert_eq!(browser.text("document.querySelector('.query').value"), "malloc");
    };
    selected("malloc");
    for (view, found) in [
        ("4", "70.0%"),
        ("2", "70.0%"),
        ("1", "70.0%"),
        ("3", "100.0%"),
        ("2", "70.0%"),
        ("1", "70.0%"),
    ] {
        browser.type_keys(view);
        selected("malloc");
        assert!(text_of(browser, "matched").starts_with(found), "{view}");
    }
    // Each view has its own zoom within the part.
    browser.type_keys("2");
    browser.click(&frame("malloc"));
    browser.type_keys("1");
    assert_eq!(text_of(browser, "crumbs"), "all main");
    browser.type_keys("2");
    assert_eq!(text_of(browser, "crumbs"), "all main all of main malloc");
    browser.reload();
    assert_eq!(text_of(browser, "crumbs"), "all main all of main malloc");
    for crumbs in ["all main", "all main all of main malloc", "all main all of main"] {
        browser.back();
        browser.await_value(
            "[...document.querySelectorAll('.crumb')].map((e) => e.textContent).join(' ')",
            &json!(crumbs),
        );
    }
}

/// Once a view had a zoom of its own: such an address still works.
fn an_old_address_of_a_view_still_works(stage: &Stage) {
    let browser = stage.show_at("#view=bottom-up&zoom=z2so", &[], FOLDED);
    assert_eq!(text_of(browser, "crumbs"), "all malloc");
    assert!((share(browser, "x") - 7.0 / 77.0).abs() < 0.001);
}

/// The names in a row of frames, from left to right.
fn row(browser: &Browser, level: usize) -> Vec<String> {
    let names = browser.value(&format!(
        "[...document.querySelectorAll('.frame[aria-level=\"{level}\"]')]
            .sort((one, two) => one.box.x - two.box.x).map((e) => e.textContent)"
    ));
    serde_json::from_value(names).expect("names")
}

fn the_order_is_by_weight_or_by_name(stage: &Stage) {
    // In the order of bytes, Z comes before a, and U+FF41 before U+10000.
    let folded = "Z 10\na 30\n\u{ff41} 25\n\u{10000} 35\na;q 9\na;r 8\na;p 7\nb;q 40\n";
    let browser = stage.show(&[], folded);
    let (by_name, by_weight) =
        (["Z", "a", "b", "\u{ff41}", "\u{10000}"], ["a", "b", "\u{10000}", "\u{ff41}", "Z"]);
    assert_eq!(row(browser, 2), by_name);
    browser.type_keys("o");
    assert_eq!(
        (row(browser, 2), row(browser, 3)),
        (by_weight.map(str::to_owned).to_vec(), ["q", "r", "p", "q"].map(str::to_owned).to_vec())
    );
    // After the self weight of its caller.
    assert_eq!(browser.number(&format!("{}.box.branch.start", frame("r"))), 39.0);
    browser.click(&frame("b"));
    browser.reload();
    assert_eq!(text_of(browser, "crumbs"), "all b");
    browser.click("document.querySelector('.order')");
    assert_eq!(text_of(browser, "crumbs"), "all b");
    browser.type_keys("02");
    assert_eq!(row(browser, 2), ["q", "\u{10000}", "a", "\u{ff41}", "Z", "r", "p"]);
    browser.type_keys("o");
    assert_eq!(row(browser, 2), ["Z", "a", "p", "q", "r", "\u{ff41}", "\u{10000}"]);
    browser.type_keys("1");
    assert_eq!(row(browser, 2), by_name);
    let browser = stage.show(&["--flamechart"], "b 1\na 2\n");
    browser.type_keys("o");
    assert_eq!(row(browser, 2), ["b", "a"]);
    assert_eq!(browser.value("document.querySelector('.order').disabled"), json!(true));
}

fn a_sandwich_is_turned_upside_down(stage: &Stage) {
    let browser = stage.show(&[], FOLDED);
    browser.click(&frame("malloc"));
    browser.type_keys("03");
    let browser = stage.show_at("#view=sandwich&function=32tW", &[], FOLDED);
    let top = |name: &str| browser.number(&format!("{}.getBoundingClientRect().top", frame(name)));
    assert!(top("main") < top("f") && top("f") < top("malloc"));
    browser.type_keys("i");
    assert!(top("main") > top("f") && top("f") > top("malloc"));
    browser.type_keys(key::UP);
    assert_eq!(focused(browser), json!("malloc"));
    browser.type_keys(&[key::DOWN, key::DOWN].concat());
    assert_eq!(focused(browser), json!("main"));
    browser.reload();
    assert!(top("main") > top("f") && top("f") > top("malloc"));
}

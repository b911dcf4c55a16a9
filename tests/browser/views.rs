use std::collections::BTreeMap;

use common::names::FrameParts;
use serde_json::{Value, json};

use super::driver::key;
use super::{Browser, Stage, cases, drawn, focused, found_is, frame, query, share, text_of};
use crate::util::{filter, recording, weight};

cases![
    bottom_up_is_the_tree_merged_from_its_leaves,
    a_sandwich_counts_recursion_once,
    a_sandwich_of_the_zoomed_frame_has_its_callers,
    the_table_sorts_and_adds_up,
    the_table_charges_own_code,
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

/// What is charged to each function, by the rows of the table, which have a row for each place.
fn charged(browser: &Browser) -> BTreeMap<String, u64> {
    let rows = browser.value(
        "(async () => {
            const stage = document.querySelector('.stage');
            const rows = {};
            for (let top = 0; top < stage.scrollHeight; top += stage.clientHeight / 2) {
                stage.scrollTop = top;
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                for (const row of document.querySelectorAll('.row')) {
                    rows[row.at] = [row.querySelector('.name').title, row.querySelector('.charged').textContent];
                }
            }
            return Object.values(rows);
        })()",
    );
    let rows: Vec<(String, String)> = serde_json::from_value(rows).expect("rows");
    let mut sums = BTreeMap::new();
    for (name, weight) in rows {
        let name = FrameParts::of(name.as_bytes()).name.to_vec();
        let weight: u64 = weight.replace(',', "").parse().expect("a number");
        *sums.entry(String::from_utf8(name).expect("UTF-8")).or_default() += weight;
    }
    sums.retain(|_, weight| *weight > 0);
    sums
}

/// As stack-top charges, also where own code is not marked, where a root is a thread, and below the
/// stack of who woke it.
fn the_table_charges_own_code(stage: &Stage) {
    let marked = "t;main_[o];f (a.c:1)_[o];read_[l];g_[o]_[i];read_[l] 5\nt;main_[o];f (a.c:2)_[o] 3\n\
                  t;main_[o];[waiting];--;main_[o]_[w];wake_[o]_[w] 7\nt;read_[l] 2\n";
    let by_place =
        "main (/app/a.py:1);f (/app/a.py:2) 3\nmain (/app/a.py:1) 2\nother;list.sort 4\n";
    let recorded = ["c", "cpp", "rust", "python", "ocaml", "java", "node", "go"]
        .map(|language| recording(&format!("kinds/{language}.folded.gz")));
    for folded in
        [marked, by_place].map(|text| text.as_bytes().to_vec()).into_iter().chain(recorded)
    {
        let table = filter("stack-top", &["--sort", "own", "--tsv", "-n", "100000"], &folded);
        let rows = table.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
        let rows = rows.map(|row| (row[0].to_owned(), row[1].parse::<u64>().expect("a number")));
        let expected: BTreeMap<_, _> =
            rows.filter(|(name, own)| name != "[not own]" && *own > 0).collect();
        let browser = stage.show(&[], &folded);
        browser.type_keys("4");
        assert_eq!(charged(browser), expected);
    }
    // A zoomed part is charged to its own code, and the sum is of the rows.
    let browser = stage.show(&[], marked);
    browser.click(&frame("f (a.c:1)"));
    browser.type_keys("4");
    assert_eq!(charged(browser), BTreeMap::from([("g".to_owned(), 5)]));
    assert!(text_of(browser, "table-sum").starts_with("5 100.0% 5 "));
    browser.type_keys("0");
    assert!(text_of(browser, "table-sum").starts_with("17 100.0% 15 "));
    browser.click("document.querySelector('[data-column=charged]')");
    assert!(rows(browser)[0].as_str().expect("a row").ends_with(" main"));
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

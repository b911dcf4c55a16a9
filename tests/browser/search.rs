use serde_json::json;

use super::driver::key;
use super::{Browser, Stage, cases, focused, found_is, frame, query, share, text_of};
use crate::util::{filter, filter_bytes};

cases![
    a_block_shows_how_much_of_it_was_found,
    what_was_found_has_its_colour_and_no_outline,
    functions_and_weight_stand_beside_the_share,
    enter_zooms_to_the_next_hit_in_each_view,
    no_pattern_hangs_the_page,
    without_workers_slow_patterns_are_refused,
];

/// Blocks of narrow frames: where they start and end, and the part that is coloured as found.
const BLOCKS: &str = "[...document.querySelectorAll('.group')].map(({ box, classList, style }) => {
    const [, , , alpha = '1)'] = style.backgroundColor.split(',');
    return [box.start, box.end, classList.contains('found') ? parseFloat(alpha) : 0];
})";

fn a_block_shows_how_much_of_it_was_found(stage: &Stage) {
    // Every second one of the first half is found; of some only a callee.
    let is_hit = |n: usize| n < 5_000 && n.is_multiple_of(2);
    let folded: String = (0..10_000)
        .map(|n| match (is_hit(n), n % 3) {
            (true, 0) => format!("f{n:05};x;hit 1\n"),
            (true, _) => format!("f{n:05}hit 1\n"),
            _ => format!("f{n:05};miss 1\n"),
        })
        .collect();
    let browser = stage.show(&[], folded);
    query(browser, "hit");
    let blocks = browser.value(BLOCKS);
    let blocks: Vec<(usize, usize, f64)> = serde_json::from_value(blocks).expect("blocks");
    assert!(blocks.len() > 20, "{blocks:?}");
    for &(start, end, shown) in &blocks {
        let found = (start..end).filter(|&n| is_hit(n)).count() as f64 / (end - start) as f64;
        let expected = if found > 0.0 { 0.15 + 0.85 * found } else { 0.0 };
        assert!((shown - expected).abs() < 0.01, "{start} to {end}: {shown}, not {expected}");
    }
    browser.point_at("document.querySelector('.group')");
    let (start, end, _) = blocks[0];
    let found = (start..end).filter(|&n| is_hit(n)).count() as f64 / (end - start) as f64;
    let said = format!("{:.1}% found", 100.0 * found);
    assert!(text_of(browser, "tip").contains(&said), "{}", text_of(browser, "tip"));
}

fn what_was_found_has_its_colour_and_no_outline(stage: &Stage) {
    let browser = stage.show(&[], "main;a;hit 10\nmain;b 20\nmain;c;hit 30\n");
    let look =
        |name: &str, what: &str| browser.text(&format!("getComputedStyle({}).{what}", frame(name)));
    let before = ["hit", "b"].map(|name| look(name, "backgroundColor"));
    query(browser, "hit");
    assert_eq!(look("hit", "backgroundColor"), before[0]);
    // The part without matches has the same colour, nearly transparent.
    let faded = before[1].replace("rgb(", "rgba(").replace(')', ", 0.314)");
    assert_eq!(look("b", "backgroundColor"), faded);
    assert_eq!(look("hit", "boxShadow"), "none");
    browser.type_keys(key::ENTER);
    let outlined = "[...document.querySelectorAll('.frame')].filter((e) => getComputedStyle(e).boxShadow !== 'none').length";
    assert_eq!(browser.number(outlined), 1.0);
    assert_eq!(focused(browser), json!("hit"));
}

fn functions_and_weight_stand_beside_the_share(stage: &Stage) {
    let browser = stage.show(
        &["--unit", "ops"],
        "main;alloc;alloc_slow 10\nmain;b;alloc 20\nother;realloc 30\nz 40\n",
    );
    query(browser, "alloc");
    assert_eq!(text_of(browser, "matched"), "60.0% found");
    assert_eq!(text_of(browser, "functions"), "3 functions, 60 ops");
    browser.click(&frame("main"));
    assert_eq!(text_of(browser, "functions"), "2 functions, 30 ops");
    browser.click(&frame("b"));
    assert_eq!(text_of(browser, "functions"), "1 function, 20 ops");
    // The other views are of the zoomed part, too.
    browser.type_keys("2");
    assert_eq!(text_of(browser, "functions"), "1 function, 20 ops");
    browser.type_keys("0");
    assert_eq!(text_of(browser, "functions"), "3 functions, 60 ops");
    browser.click(&frame("alloc_slow"));
    assert_eq!(text_of(browser, "functions"), "2 functions, 10 ops");
    browser.type_keys("4");
    assert_eq!(text_of(browser, "functions"), "3 functions, 60 ops");
    // Stacks that a filter removed are not counted.
    browser.type_keys("1");
    query(browser, "alloc");
    browser.type_keys(&[key::ENTER, "f"].concat());
    browser.click("document.querySelectorAll('.item')[1]");
    assert_eq!(text_of(browser, "functions"), "1 function, 30 ops");
    assert_eq!(text_of(browser, "matched"), "42.9% found");
    browser.type_keys("u4");
    assert_eq!(text_of(browser, "functions"), "3 functions, 60 ops");
    query(browser, "main");
    browser.type_keys(&[key::ENTER, "3"].concat());
    query(browser, "alloc");
    assert_eq!(text_of(browser, "crumbs"), "main");
    assert_eq!(text_of(browser, "functions"), "2 functions, 30 ops");
}

fn enter_zooms_to_the_next_hit_in_each_view(stage: &Stage) {
    let folded = "main;big 100000\nmain;p;rare 1\nmain;q;rare;deep 2\nx;rare;rare 1\n";
    let browser = stage.show(&[], folded);
    query(browser, "rare");
    browser.type_keys(key::ENTER);
    assert_eq!(focused(browser), json!("rare"));
    assert!(share(browser, "rare") > 0.2);
    // The share is still one of the whole profile, and the zoom stays.
    assert_eq!(text_of(browser, "matched"), "<0.1% found");
    let mut weights = Vec::new();
    for _ in 0..5 {
        weights.push(browser.text("document.activeElement.ariaLabel.split(', ')[1]"));
        browser.type_keys("n");
    }
    assert_eq!(weights, ["1 count", "2 counts", "1 count", "1 count", "1 count"]);
    // In the other views, too, in both directions.
    for (view, hits) in [("02", 3), ("3", 2)] {
        browser.type_keys(view);
        let mut seen = Vec::new();
        for key in ["n", "N"] {
            for _ in 0..hits {
                browser.type_keys(key);
                assert_eq!(focused(browser), json!("rare"));
                seen.push(
                    browser.text(
                        "String(document.activeElement.box.branch.path().map((b) => b.name))",
                    ),
                );
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), hits, "{view}: {seen:?}");
    }
}

/// A pattern that takes for ever on a name with many letters `a`.
const ENDLESS: &str = "/^(a|aa)+$/";

fn many_letters() -> String {
    format!("{}b 1\nmain 3\n", "a".repeat(200))
}

fn no_pattern_hangs_the_page(stage: &Stage) {
    let browser = stage.show(&[], many_letters());
    let is_ended = |browser: &Browser| found_is(browser, "ended: the pattern took over 1 s");
    query(browser, ENDLESS);
    is_ended(browser);
    query(browser, "/^main$/");
    found_is(browser, "75.0% found");
    // The result of the old pattern is not waited for.
    query(browser, ENDLESS);
    query(browser, "/a/");
    found_is(browser, "100.0% found");
    for pattern in ["%5E%28a%7Caa%29%2B%24", "%5E%28%28a%2B%29%3F%29%2Ac", "%28.%2A%29%2A%5C1z"] {
        let browser = stage.show_at(&format!("#search=/{pattern}/"), &[], many_letters());
        assert_eq!(text_of(browser, "crumbs"), "all");
        is_ended(browser);
    }
}

fn without_workers_slow_patterns_are_refused(stage: &Stage) {
    let policy =
        format!("default-src 'none'; {}", filter("stack-svg", &["--csp-hash"], "").trim_end());
    let browser = &stage.browser;
    browser.open(&stage.server.add(
        "no-workers",
        filter_bytes("stack-svg", &[], many_letters()),
        &policy,
    ));
    browser.await_keyboard();
    let refused = "too slow a pattern for a page without workers";
    for (pattern, found) in [
        ("/^main$/", "75.0% found"),
        ("/^(a|m)/", "100.0% found"),
        ("/^(ma|x).*[(]?/", "75.0% found"),
        ("/\\x62$|\\(/", "25.0% found"),
        (ENDLESS, refused),
        ("/(a+)+c/", refused),
        ("/(a)(?=\\1)/", refused),
        ("/(?<x>a)\\k<x>/", refused),
        ("/(a{2}){2}/", refused),
        ("/(?:a?){3}/", refused),
        ("/a*a*a*a*a*c/", refused),
        (&format!("/{}c/", "a?".repeat(40)), refused),
        (&format!("/{}c/", "(a|a)".repeat(40)), refused),
        ("/[(*+]|main/", "75.0% found"),
    ] {
        query(browser, pattern);
        found_is(browser, found);
        query(browser, "");
    }
    // The browser logs that it made no worker.
    let messages = browser.messages();
    assert!(messages.iter().all(|message| message.contains("worker")), "{messages:?}");
}

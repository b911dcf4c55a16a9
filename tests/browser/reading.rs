use serde_json::json;

use super::driver::key;
use super::{Stage, cases, drawn, focused, found_is, frame, query, share, text_of};

cases![
    a_click_zooms_and_the_way_back_is_short,
    narrow_frames_appear_when_zoomed,
    search_is_literal_with_smart_case_and_knows_patterns,
    found_weight_is_counted_once_and_within_the_zoom,
    the_next_match_may_be_too_narrow_to_be_drawn,
    numbers_are_on_hover_and_focus,
    a_box_has_the_file_and_the_numbers_the_path,
    arrows_walk_the_tree,
    keys_work_and_are_explained,
    names_and_stacks_are_copied,
    the_address_holds_the_state,
    a_deep_stack_is_no_trouble,
];

const SMALL: &str = "main;a;b 10\nmain;a;c 30\nmain;d 60\n";

fn a_click_zooms_and_the_way_back_is_short(stage: &Stage) {
    let browser = stage.show(&[], SMALL);
    assert_eq!(drawn(browser), ["a", "all", "b", "c", "d", "main"]);
    assert!((share(browser, "a") - 0.4).abs() < 0.001);
    browser.click(&frame("a"));
    assert!((share(browser, "a") - 1.0).abs() < 0.001);
    assert!((share(browser, "c") - 0.75).abs() < 0.001);
    assert_eq!(drawn(browser), ["a", "all", "b", "c", "main"]);
    assert_eq!(text_of(browser, "crumbs"), "all main a");
    browser.click(&frame("c"));
    assert_eq!(text_of(browser, "crumbs"), "all main a c");
    browser.back();
    browser.await_value(
        "document.querySelector('.crumbs').innerText.split('\\n').at(-1)",
        &json!("a"),
    );
    browser.click("document.querySelectorAll('.crumb')[1]");
    assert_eq!(text_of(browser, "crumbs"), "all main");
    browser.click(&frame("a"));
    browser.type_keys(key::ESCAPE);
    assert_eq!(text_of(browser, "crumbs"), "all main");
    browser.type_keys("0");
    assert_eq!(drawn(browser).len(), 6);
    assert_eq!(browser.text("location.hash"), "");
    browser.type_keys("2");
    browser.click(&frame("d"));
    assert_eq!(text_of(browser, "crumbs"), "all d");
    browser.type_keys("0");
    assert_eq!(text_of(browser, "crumbs"), "all");
}

fn narrow_frames_appear_when_zoomed(stage: &Stage) {
    let lines: String = (0..400).map(|n| format!("main;rare;r{n} 1\n")).collect();
    let browser = stage.show(&[], format!("main;big 1000000\n{lines}"));
    assert_eq!(drawn(browser), ["all", "big", "main"]);
    query(browser, "rare");
    browser.type_keys(key::ENTER);
    assert!(drawn(browser).contains(&"rare".to_owned()));
    browser.type_keys(key::ENTER);
    assert_eq!(drawn(browser).len(), 403);
    assert!(share(browser, "r17") > 0.002);
}

fn search_is_literal_with_smart_case_and_knows_patterns(stage: &Stage) {
    let browser = stage.show(&[], "a(b) 1\nA(B) 2\nab 4\nList.map 8\n");
    let table = [
        ("a(b)", "20.0% found"),
        ("A(b)", "0% found"),
        ("A(", "13.3% found"),
        ("l", "53.3% found"),
        ("/^a.*b$/", "26.7% found"),
        ("/^A/", "13.3% found"),
        ("/^A/i", "46.7% found"),
        ("/\\S/", "100.0% found"),
        ("/(/", "no regular expression"),
        ("nothing", "0% found"),
    ];
    for (text, found) in table {
        query(browser, text);
        found_is(browser, found);
    }
    browser.type_keys(key::ESCAPE);
    assert_eq!(text_of(browser, "matched"), "");
    assert_eq!(browser.text("document.querySelector('.query').value"), "");
    browser.type_control("f");
    assert_eq!(focused(browser), json!("Search"));
}

/// Recursion and nested matches count once; frames hidden by a zoom do not count.
fn found_weight_is_counted_once_and_within_the_zoom(stage: &Stage) {
    let browser = stage.show(&[], "main;f;g;f 10\nmain;f 10\nmain;g 20\nf 20\nx 40\n");
    query(browser, "f");
    assert_eq!(text_of(browser, "matched"), "40.0% found");
    query(browser, "/f|g/");
    found_is(browser, "60.0% found");
    query(browser, "f");
    browser.click(&frame("main"));
    assert_eq!(text_of(browser, "matched"), "50.0% found");
    browser.type_keys("2");
    assert_eq!(text_of(browser, "matched"), "50.0% found");
    browser.click(&frame("g"));
    assert_eq!(text_of(browser, "matched"), "0% found");
}

fn the_next_match_may_be_too_narrow_to_be_drawn(stage: &Stage) {
    let browser = stage.show(&[], "a;find1 1\na;other 1000000\nb;find2 1\nc;x;find3 7\n");
    query(browser, "find");
    for (keys, name) in [
        (key::ENTER, "find1"),
        ("n", "find2"),
        ("n", "find3"),
        ("n", "find1"),
        ("N", "find3"),
        ("N", "find2"),
    ] {
        browser.type_keys(keys);
        assert_eq!(focused(browser), json!(name));
        assert!(browser.number(&format!("{}.clientWidth", frame(name))) >= 3.0);
    }
}

fn numbers_are_on_hover_and_focus(stage: &Stage) {
    let browser = stage.show(&["--unit", "ms"], "main;a;b 1000\nmain;a 500\nmain;d 6500\n");
    browser.point_at(&frame("a"));
    let of_a = "1.50 s 18.8% of all self 500 ms (6.3%)";
    assert_eq!(text_of(browser, "tip"), format!("{of_a} a"));
    assert_eq!(text_of(browser, "status"), format!("a {of_a}"));
    browser.click(&frame("a"));
    browser.type_keys(key::UP);
    assert_eq!(
        text_of(browser, "status"),
        "b 1.00 s 12.5% of all 66.7% of zoom self 1.00 s (12.5%)"
    );
    browser.type_keys("0");
    browser.click(&frame("main"));
    browser.point_at(&frame("b"));
    assert_eq!(
        text_of(browser, "status"),
        "b 1.00 s 12.5% of all 66.7% of parent self 1.00 s (12.5%)"
    );
    assert!(text_of(browser, "notes").contains("total 8.00 s 4 frames stack-svg --unit ms"));
}

/// Two frames with equal labels are still two.
fn a_box_has_the_file_and_the_numbers_the_path(stage: &Stage) {
    let folded = "main;f (/src/a/util.c:14) 30\nmain;f (/src/b/util.c:14)_[i] 20\n\
                  main;g (C:\\src\\x y.c:7) 25\nmain;h (/src/od\\d.c:7) 25\n";
    let browser = stage.show(&[], folded);
    let [a, b] = ["f (/src/a/util.c:14)", "f (/src/b/util.c:14)"].map(frame);
    for (frame, label) in [
        (&a, "f (util.c:14)"),
        (&b, "f (util.c:14)"),
        (&frame(r"g (C:\\src\\x y.c:7)"), "g (x y.c:7)"),
        (&frame(r"h (/src/od\\d.c:7)"), r"h (od\d.c:7)"),
    ] {
        assert_eq!(browser.text(&format!("{frame}.textContent")), label);
    }
    browser.point_at(&b);
    let of_b = "20 counts 20.0% of all self 20 (20.0%)";
    assert_eq!(text_of(browser, "status"), format!("f (/src/b/util.c:14) {of_b}"));
    assert_eq!(text_of(browser, "tip"), format!("{of_b} inlined f (/src/b/util.c:14)"));
    browser.click(&a);
    assert_eq!(text_of(browser, "crumbs"), "all main f (/src/a/util.c:14)");
    browser.type_keys("4");
    assert!(text_of(browser, "frames").contains("f (/src/a/util.c:14)"));
}

fn arrows_walk_the_tree(stage: &Stage) {
    let browser = stage.show(&[], SMALL);
    for (keys, name) in [
        (key::UP, "main"),
        (key::UP, "d"),
        (key::LEFT, "a"),
        (key::UP, "c"),
        (key::LEFT, "b"),
        (key::LEFT, "b"),
        (key::RIGHT, "c"),
        (key::DOWN, "a"),
        (key::ENTER, "a"),
        (key::DOWN, "main"),
    ] {
        browser.type_keys(keys);
        assert_eq!(focused(browser), json!(name));
    }
    // Zoomed out, and the frame with the focus is marked.
    assert!((share(browser, "a") - 0.4).abs() < 0.001);
    let outline = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(browser.text(outline), "solid");
    assert_eq!(browser.number("document.querySelectorAll('.frame[tabindex=\"0\"]').length"), 1.0);
    browser.type_keys("i");
    browser.type_keys(key::DOWN);
    assert_eq!(focused(browser), json!("d"));
    let top = |name: &str| browser.number(&format!("{}.getBoundingClientRect().top", frame(name)));
    assert!(top("all") < top("main") && top("main") < top("d"));
}

fn keys_work_and_are_explained(stage: &Stage) {
    let browser = stage.show(&[], SMALL);
    let is_hidden = "document.querySelector('.keys').hidden";
    assert_eq!(browser.value(is_hidden), json!(true));
    browser.type_keys("?");
    assert_eq!(browser.value(is_hidden), json!(false));
    assert!(text_of(browser, "keys").contains("next and previous match"));
    browser.type_keys(key::ESCAPE);
    assert_eq!(browser.value(is_hidden), json!(true));
    browser.click("document.querySelector('.help')");
    assert_eq!(browser.value(is_hidden), json!(false));
    let roles = "[...document.querySelectorAll('.app [role]')].map((e) => e.getAttribute('role'))";
    let roles = browser.value(roles).to_string();
    for role in ["tablist", "tab", "tree", "treeitem", "status", "dialog"] {
        assert!(roles.contains(&format!("\"{role}\"")), "{role}: {roles}");
    }
    assert_eq!(
        browser.text(&format!("{}.getAttribute('aria-label')", frame("c"))),
        "c, 30 counts, 30.0%"
    );
    assert_eq!(browser.text(&format!("{}.getAttribute('aria-level')", frame("c"))), "4");
}

fn names_and_stacks_are_copied(stage: &Stage) {
    let browser = stage.show(&[], "main;do it_[k];b 10\nmain 1\n");
    let rights = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    browser.chromium("Browser.grantPermissions", &rights);
    let copied = |keys: &str, expected: &str| {
        browser.type_keys(keys);
        browser.await_value("navigator.clipboard.readText()", &json!(expected));
    };
    browser.type_keys(key::UP);
    browser.type_keys(key::UP);
    copied("c", "do it");
    browser.type_keys(key::UP);
    copied("C", "main;do it_[k];b 10");
    // The selected function stays selected.
    browser.type_keys("2");
    browser.type_keys(key::UP);
    copied("C", "do it_[k];b 10");
}

fn the_address_holds_the_state(stage: &Stage) {
    let browser = stage.show(&[], SMALL);
    browser.click(&frame("a"));
    query(browser, "c");
    let address = browser.text("location.hash");
    browser.reload();
    assert_eq!(text_of(browser, "crumbs"), "all main a");
    assert_eq!(text_of(browser, "matched"), "75.0% found");
    // The same profile, drawn again.
    let browser = stage.show_at(
        &address,
        &["--title", "Again"],
        "new 9\nmain;d 61\nmain;a;c 30\nmain;a;b 10\n",
    );
    assert_eq!(text_of(browser, "crumbs"), "all main a");
    assert_eq!(text_of(browser, "matched"), "75.0% found");
    // Zooming out with an arrow key is a step of the history, too.
    browser.type_keys("/");
    browser.type_keys(key::ESCAPE);
    browser.click(&frame("a"));
    browser.type_keys(key::DOWN);
    browser.reload();
    assert_eq!(text_of(browser, "crumbs"), "all main");
    // Names that differ only in their marks.
    let marked = "main;foo_[k] 5\nmain;foo 4\nmain;foo_[i];z 3\nmain;bar 9\n";
    for words in ["kernel, 5", "4", "inlined, 3"] {
        let browser = stage.show(&[], marked);
        browser.click(&format!(
            "[...document.querySelectorAll('.frame')].filter((e) => e.getAttribute('aria-label')?.startsWith('foo, {words} '))[0]"
        ));
        browser.reload();
        let shown = browser.text(
            "document.querySelector('.frame[aria-label^=\"foo, \"]').getAttribute('aria-label')",
        );
        assert!(shown.starts_with(&format!("foo, {words} ")), "{shown}");
    }
    // The path is followed as far as it exists in this profile.
    let browser = stage.show_at(&address, &[], "main;z 1\n");
    assert_eq!(text_of(browser, "crumbs"), "all main");
    let browser = stage.show_at("#view=table&sort=%2Bname&search=/%5B/", &[], SMALL);
    assert_eq!(text_of(browser, "matched"), "no regular expression");
    stage.show_at("#view=nonsense&zoom=..~x.%00&sort=&flip", &[], SMALL);
    assert_eq!(drawn(browser).len(), 6);
}

fn a_deep_stack_is_no_trouble(stage: &Stage) {
    let deep = (0..10_000).map(|depth| format!("f{depth}")).collect::<Vec<_>>().join(";");
    let browser = stage.show(&["--min-width", "50%"], format!("{deep} 3\nf0 1\n"));
    assert!(browser.number("document.querySelectorAll('.frame').length") < 200.0);
    query(browser, "f9999");
    browser.type_keys(key::ENTER);
    assert_eq!(focused(browser), json!("f9999"));
    browser.type_keys(key::ENTER);
    let address = browser.text("location.hash");
    browser.reload();
    assert_eq!(browser.text("location.hash"), address);
    assert_eq!(browser.text("document.querySelector('.crumb.last').textContent"), "f9999");
    browser.type_keys("02");
    assert!((share(browser, "f9999") - 0.75).abs() < 0.001);
}

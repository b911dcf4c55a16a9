use serde_json::{Value, json};

use super::driver::key;
use super::{Browser, Stage, cases, drawn, focused, frame, query, share, text_of};
use crate::util::{filter_bytes, recording};

cases![
    on_a_phone_it_is_as_wide_as_the_screen,
    the_first_tap_shows_and_the_second_zooms,
    print_is_one_page_as_zoomed,
    a_narrow_tower_is_not_printed_to_its_end,
    a_deep_picture_is_printed_from_its_roots,
    a_page_keeps_the_keys_and_the_wheel_for_itself,
    two_pictures_on_a_page_share_no_state,
    a_page_keeps_its_own_address,
    tabs_are_walked_by_arrows_and_focus_is_kept,
    one_region_says_what_happened,
    kernel_and_inlined_are_words,
    the_tip_has_at_most_six_lines,
    the_tip_leaves_the_numbers_in_sight,
    a_small_profile_hangs_under_the_header,
    what_is_hardly_drawn_takes_no_height_from_the_rows,
];

const SMALL: &str = "main;a_[k];b 10\nmain;a_[i];c 30\nmain;d 60\n";

/// Gives the window the size of a phone, with touch instead of a mouse, or that of a desktop again.
fn be_phone(browser: &Browser, is_phone: bool) {
    let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    if is_phone {
        browser.chromium("Emulation.setDeviceMetricsOverride", &size);
    } else {
        browser.chromium("Emulation.clearDeviceMetricsOverride", &json!({}));
    }
    browser.chromium("Emulation.setTouchEmulationEnabled", &json!({ "enabled": is_phone }));
}

fn tap(browser: &Browser, element: &str) {
    let place = browser.value(&format!(
        "(() => {{ const r = ({element}).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
    ));
    let points = json!([{ "x": place[0], "y": place[1] }]);
    for (what, points) in [("touchStart", points), ("touchEnd", json!([]))] {
        let event = json!({ "type": what, "touchPoints": points });
        browser.chromium("Input.dispatchTouchEvent", &event);
    }
}

fn on_a_phone_it_is_as_wide_as_the_screen(stage: &Stage) {
    be_phone(&stage.browser, true);
    let browser = stage.show(&[], recording("folded/python-3.11-dwarf.folded.gz"));
    assert_eq!(browser.number("innerWidth"), 390.0);
    assert_eq!(browser.number("document.querySelector('.app').clientWidth"), 390.0);
    // Nothing exceeds the window.
    let outside = "[...document.querySelectorAll('.bar *, .way *, .status *, .notes *')]
        .filter((e) => !e.closest('.crumbs') && e.getBoundingClientRect().right > innerWidth + 1).length";
    assert_eq!(browser.number(outside), 0.0);
    be_phone(browser, false);
}

fn the_first_tap_shows_and_the_second_zooms(stage: &Stage) {
    be_phone(&stage.browser, true);
    let browser = stage.show(&[], SMALL);
    let is_shown = "document.querySelector('.tip').classList.contains('on')";
    tap(browser, &frame("d"));
    browser.await_value(is_shown, &json!(true));
    assert!(text_of(browser, "tip").starts_with("60 counts 60.0% of all"));
    assert_eq!(text_of(browser, "crumbs"), "all");
    tap(browser, &frame("c"));
    browser.await_value(
        "document.querySelector('.tip').innerText.startsWith('30 counts')",
        &json!(true),
    );
    assert_eq!(text_of(browser, "crumbs"), "all");
    tap(browser, &frame("c"));
    browser.await_value("document.querySelector('.crumb.last').textContent", &json!("c"));
    be_phone(browser, false);
}

/// The number of pages of the print.
fn pages(browser: &Browser) -> f64 {
    let pdf = browser.print();
    browser.number(&format!("atob('{pdf}').split(/\\/Type \\/Page\\b(?!s)/).length - 1"))
}

fn print_is_one_page_as_zoomed(stage: &Stage) {
    let high = vec!["f"; 300].join(";");
    let folded = format!("{high};top 9\nlow;x 1\nlow;y 2\nlow;z_[k] 3\n");
    let browser = stage.show(&["--theme", "dark"], folded);
    let media = |name: &str| {
        browser.chromium("Emulation.setEmulatedMedia", &json!({ "media": name }));
        let is_paper = "document.querySelector('.app').classList.contains('on-paper')";
        browser.await_value(is_paper, &json!(name == "print"));
    };
    // All rows with the legend, on white paper.
    assert_eq!(pages(browser), 1.0);
    media("print");
    assert_eq!(drawn(browser).iter().filter(|name| *name == "f").count(), 300);
    let room = "document.documentElement.getBoundingClientRect().bottom";
    assert!(browser.number(room) <= browser.number("innerHeight"));
    let legend = "document.querySelector('.notes').getBoundingClientRect().bottom";
    assert!(browser.number(legend) <= browser.number("innerHeight") + 1.0);
    let paper = "getComputedStyle(document.querySelector('.app')).backgroundColor";
    assert_eq!(browser.text(paper), "rgb(255, 255, 255)");
    // A page is narrower than the window.
    let page = json!({ "width": 700, "height": 990, "deviceScaleFactor": 1, "mobile": false });
    browser.chromium("Emulation.setDeviceMetricsOverride", &page);
    assert!(browser.number(legend) <= browser.number(room) + 1.0);
    browser.chromium("Emulation.clearDeviceMetricsOverride", &json!({}));
    media("");
    assert_eq!(browser.number("document.querySelector('.app').clientWidth"), 1200.0);
    // The zoomed part, in any view.
    browser.click(&frame("low"));
    media("print");
    assert_eq!(drawn(browser), ["all", "low", "x", "y", "z"]);
    assert!((share(browser, "z") - 0.5).abs() < 0.01);
    assert_eq!(text_of(browser, "crumbs"), "all low");
    media("");
    for view in ["2", "3", "4"] {
        browser.type_keys(view);
        assert_eq!(pages(browser), 1.0, "{view}");
    }
}

fn a_deep_picture_is_printed_from_its_roots(stage: &Stage) {
    let deep = (0..2000).map(|depth| format!("f{depth}")).collect::<Vec<_>>().join(";");
    let browser = stage.show(&[], format!("{deep} 3\nf0 1\n"));
    assert_eq!(pages(browser), 1.0);
    browser.chromium("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    let notes = "getComputedStyle(document.querySelector('.notes'), '::after').content";
    browser.await_value(notes, &json!("\"1694 rows are not printed\""));
    let names = drawn(browser);
    assert!(names.contains(&"f0".to_owned()) && names.contains(&"f305".to_owned()));
    assert!(!names.contains(&"f306".to_owned()));
    browser.chromium("Emulation.setEmulatedMedia", &json!({ "media": "" }));
    browser.await_value("document.querySelector('.on-paper')", &json!(null));
}

fn a_narrow_tower_is_not_printed_to_its_end(stage: &Stage) {
    let tower = vec!["tower"; 400].join(";");
    let browser = stage.show(&[], format!("{tower} 1\nlow;x 300\n"));
    let drawn_names = drawn(browser);
    assert_eq!(pages(browser), 1.0);
    browser.chromium("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    let notes = "getComputedStyle(document.querySelector('.notes'), '::after').content";
    // A page has room for the root and 95 rows.
    browser.await_value(notes, &json!("\"305 narrow rows are not printed\""));
    assert_eq!(drawn(browser).iter().filter(|name| *name == "tower").count(), 95);
    // So that wide frames can be read: the page is hardly wider than a screen.
    let width = browser.number("document.documentElement.viewBox.baseVal.width");
    assert!(width < 1400.0, "{width}");
    browser.chromium("Emulation.setEmulatedMedia", &json!({ "media": "" }));
    browser.await_value("document.querySelector('.on-paper')", &json!(null));
    assert_eq!(drawn(browser), drawn_names);
}

/// Opens a page with a field, two pictures and an anchor.
fn open_page<'a>(stage: &'a Stage, fragment: &str) -> &'a Browser {
    let [one, two] = ["main;a 10\nmain;b 30\n", "main;c 10\nmain;d 30\n"]
        .map(|folded| String::from_utf8(filter_bytes("stack-svg", &[], folded)).expect("UTF-8"))
        .map(|svg| svg[svg.find("<svg").expect("a picture")..].to_owned());
    let page = format!(
        "<!doctype html><meta charset=utf-8><title>Two</title><input id=field>{one}\
         <p id=anchor>between</p>{two}<p style='height: 3000px'>"
    );
    let headers = "Content-Type: text/html\r\n";
    let url = stage.server.put("two.html", headers, page.into_bytes());
    stage.browser.open("about:blank");
    stage.browser.open(&format!("{url}{fragment}"));
    // An address with the name of an element scrolls to it once the page is drawn.
    stage.browser.await_keyboard();
    stage.browser.await_repaint();
    &stage.browser
}

const VIEWS: &str = "[...document.querySelectorAll('.app')].map((app) => app.dataset.view).join()";
const CRUMBS: &str =
    "[...document.querySelectorAll('.crumbs')].map((e) => e.innerText.split('\\n').at(-1)).join()";

fn tab_of(picture: usize, view: &str) -> String {
    format!("document.querySelectorAll('.app')[{picture}].querySelector('.tab[data-view={view}]')")
}

fn a_page_keeps_the_keys_and_the_wheel_for_itself(stage: &Stage) {
    let browser = open_page(stage, "");
    browser.value("void document.querySelector('#field').focus()");
    browser.type_keys("12340/nis?+-");
    assert_eq!(browser.text("document.querySelector('#field').value"), "12340/nis?+-");
    assert_eq!(browser.text(VIEWS), "flame,flame");
    browser.value("void document.activeElement.blur()");
    browser.type_keys("4?");
    assert_eq!(browser.text(VIEWS), "flame,flame");
    // The picture with the focus gets the keys.
    browser.click(&frame("a"));
    browser.type_keys("2");
    assert_eq!(browser.text(VIEWS), "bottom-up,flame");
    browser.wheel("document.querySelector('.stage')", [0.5, 0.5], 200);
    browser.await_value("scrollY > 0", &json!(true));
    assert_eq!(browser.value("document.querySelector('.range')"), Value::Null);
}

fn two_pictures_on_a_page_share_no_state(stage: &Stage) {
    let browser = open_page(stage, "");
    browser.click(&frame("b"));
    browser.click(&tab_of(1, "table"));
    assert_eq!(browser.text(VIEWS), "flame,table");
    browser.click(&tab_of(1, "flame"));
    browser.click(&frame("c"));
    assert_eq!(browser.text(CRUMBS), "b,c");
    browser.reload();
    assert_eq!(browser.text(CRUMBS), "b,c");
    browser.back();
    browser.await_value(CRUMBS, &json!("b,all"));
    let ids = "[...document.querySelectorAll('[id]')].map((e) => e.id)";
    assert_eq!(
        browser.number(&format!("new Set({ids}).size")),
        browser.number(&format!("{ids}.length"))
    );
    // An address of a single picture applies to the first one.
    let browser = open_page(stage, "#view=table");
    assert_eq!(browser.text(VIEWS), "table,flame");
}

fn a_page_keeps_its_own_address(stage: &Stage) {
    let browser = open_page(stage, "#anchor");
    browser.click(&tab_of(1, "table"));
    assert_eq!(browser.text("location.hash"), "#anchor");
    assert_eq!(browser.text(VIEWS), "flame,table");
    browser.go_to("#field");
    assert_eq!(browser.text(VIEWS), "flame,table");
}

fn tabs_are_walked_by_arrows_and_focus_is_kept(stage: &Stage) {
    let browser = stage.show(&[], SMALL);
    browser.click("document.querySelector('.tab[data-view=flame]')");
    let tab = "document.activeElement.dataset.view";
    for (key, view) in [
        (key::RIGHT, "bottom-up"),
        (key::RIGHT, "sandwich"),
        (key::RIGHT, "table"),
        (key::RIGHT, "flame"),
        (key::LEFT, "table"),
    ] {
        browser.type_keys(key);
        assert_eq!(browser.text(tab), view);
        assert_eq!(browser.text("document.querySelector('.app').dataset.view"), view);
        assert_eq!(browser.number("document.querySelectorAll('.tab[tabindex=\"0\"]').length"), 1.0);
    }
    browser.click("document.querySelector('[data-column=total]')");
    assert_eq!(browser.text("document.activeElement.dataset.column"), "total");
    browser.type_keys("1");
    browser.click(&frame("c"));
    assert_eq!(focused(browser), json!("c"));
    browser.type_keys("0");
    query(browser, "b");
    browser.type_keys(key::ENTER);
    browser.type_keys("+-i");
    assert_eq!(focused(browser), json!("b"));
    browser.type_keys("0");
    browser.click(&frame("d"));
    browser.click("document.querySelectorAll('.crumb')[1]");
    assert_eq!(browser.text("document.activeElement.textContent"), "main");
}

fn one_region_says_what_happened(stage: &Stage) {
    let browser = stage.show(&[], SMALL);
    assert_eq!(
        browser.number("document.querySelectorAll('[aria-live], [role=status]').length"),
        1.0
    );
    query(browser, "d");
    let said = "document.querySelector('[aria-live=polite]').textContent";
    browser.await_value(said, &json!("60.0% found, 1 function, 60 counts"));
    query(browser, "nothing");
    browser.type_keys(key::ENTER);
    browser.await_value(said, &json!("no match here"));
}

fn kernel_and_inlined_are_words(stage: &Stage) {
    let browser = stage
        .show(&[], "main;a_[k];b 10\nmain;c_[i] 30\nmain;d_[j] 5\nmain;--;e_[w] 5\nmain;f 9\n");
    for (name, spoken, word) in [
        ("a", "a, kernel, 10 counts, 16.9%", "kernel a"),
        ("c", "c, inlined, 30 counts, 50.8%", "inlined c"),
        ("d", "d, JIT, 5 counts, 8.5%", "JIT d"),
        ("--", "--, what follows ended the wait, 5 counts, 8.5%", "what follows ended the wait --"),
        ("e", "e, waker, 5 counts, 8.5%", "waker e"),
        ("f", "f, 9 counts, 15.3%", "(15.3%) f"),
    ] {
        assert_eq!(browser.text(&format!("{}.ariaLabel", frame(name))), spoken);
        browser.point_at(&frame(name));
        assert!(text_of(browser, "tip").ends_with(word), "{}", text_of(browser, "tip"));
    }
}

fn the_tip_has_at_most_six_lines(stage: &Stage) {
    let long = format!("main::{}", "std::collections::very_long_name<int, 7>::".repeat(60));
    let folded = format!("a;b;{long}_[k] 11111111 22222222\na;b 3 4\na 1000000 5\nx 7 7\n");
    for is_phone in [false, true] {
        be_phone(&stage.browser, is_phone);
        let browser = stage.show(&["--diff"], &folded);
        browser.type_keys(&[key::UP, key::UP, key::ENTER].concat());
        let element = "document.querySelector('.frame[aria-label^=main]')";
        browser.value(&format!(
            "void {element}.dispatchEvent(new PointerEvent('pointermove', {{ bubbles: true, clientX: 200, clientY: 300 }}))"
        ));
        let lines = browser.number(
            "(() => { const tip = document.querySelector('.tip'); const style = getComputedStyle(tip);
                return (tip.clientHeight - parseFloat(style.paddingTop) * 2) / parseFloat(style.lineHeight); })()",
        );
        assert!(lines > 3.0 && lines < 6.1, "{lines} lines");
        assert!(text_of(browser, "tip").starts_with("33,333,333 counts before"));
    }
    be_phone(&stage.browser, false);
}

fn the_tip_leaves_the_numbers_in_sight(stage: &Stage) {
    for is_phone in [true, false] {
        be_phone(&stage.browser, is_phone);
        let high = format!("{} 50\nmain;d 60\n", vec!["f"; 60].join(";"));
        for folded in [SMALL, &high] {
            let browser = stage.show(&[], folded);
            for name in ["all", "main", "d"] {
                tap(browser, &frame(name));
                let is_on = "document.querySelector('.tip').classList.contains('on')";
                browser.await_value(is_on, &json!(true));
                let covered = "(() => {
                    const [tip, status] = ['.tip', '.status'].map((it) => document.querySelector(it).getBoundingClientRect());
                    return Math.min(tip.bottom, status.bottom) - Math.max(tip.top, status.top); })()";
                assert!(browser.number(covered) <= 0.0, "{name}, phone: {is_phone}");
            }
        }
    }
    be_phone(&stage.browser, false);
}

fn a_small_profile_hangs_under_the_header(stage: &Stage) {
    let edge = |browser: &Browser, which: &str, side: &str| {
        browser.number(&format!("document.querySelector('{which}').getBoundingClientRect().{side}"))
    };
    for args in [&[][..], &["--inverted"]] {
        let browser = stage.show(args, SMALL);
        for view in ["1", "2"] {
            browser.type_keys(view);
            let tops = "[...document.querySelectorAll('.frame')].map((e) => e.getBoundingClientRect().top)";
            let gap =
                browser.number(&format!("Math.min(...{tops})")) - edge(browser, ".way", "bottom");
            assert!((0.0..40.0).contains(&gap), "{gap}");
            let stage_bottom = edge(browser, ".stage", "bottom");
            assert!((edge(browser, ".status", "top") - stage_bottom).abs() < 2.0);
        }
        // Rows are higher, but not so high that they look empty.
        let row = edge(browser, ".frame", "height");
        assert!(row > 20.0 && row < 32.0, "{row}");
    }
    // The rows do not move when it is zoomed.
    let browser = stage.show(&[], SMALL);
    let top = edge(browser, ".status", "top");
    browser.click(&frame("d"));
    assert_eq!(edge(browser, ".status", "top"), top);
    // The height that the user asked for is kept.
    let browser = stage.show(&["--height", "30"], SMALL);
    assert_eq!(edge(browser, ".frame", "height"), 29.0);
}

fn what_is_hardly_drawn_takes_no_height_from_the_rows(stage: &Stage) {
    let tower = vec!["t"; 60].join(";");
    let wide = "a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r";
    let browser = stage.show(&[], format!("{wide} 9999\nnarrow;{tower} 1\n"));
    let row =
        |name: &str| browser.number(&format!("{}.getBoundingClientRect().height", frame(name)));
    let high = row("r");
    assert!(high > 20.0 && high < 32.0, "{high}");
    // The zoomed tower is scrolled to, and rows keep their height.
    browser.click("document.querySelector('.group')");
    assert_eq!(row("t"), high);
    let stage = "document.querySelector('.stage')";
    assert!(browser.number(&format!("{stage}.scrollHeight - {stage}.clientHeight")) > 500.0);
}

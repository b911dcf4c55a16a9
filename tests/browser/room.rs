//! Where there is little room: long names, low windows, pages that are wider than high; many lanes,
//! and lanes of few samples, which must not look as if there were many.

use std::fmt::Write as _;

use serde_json::json;

use super::driver::key::ENTER;
use super::{Browser, Stage, cases, drawn, frame, query, text_of};

cases![
    a_long_name_has_three_lines_at_most,
    the_root_is_in_sight_below_a_long_legend,
    a_high_picture_is_printed_on_an_upright_page,
    many_idle_lanes_are_not_drawn_as_busy,
    lanes_that_are_scrolled_to_have_their_curves,
    one_frame_is_in_the_tab_order_wherever_it_is_scrolled,
    enter_after_a_search_goes_to_the_first_row,
    only_frames_within_the_zoom_have_a_share_of_it,
    // The last, as it changes the window.
    a_low_window_shows_rows_when_it_is_scrolled,
];

fn resize(browser: &Browser, width: u32, height: u32) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    browser.chromium("Emulation.setDeviceMetricsOverride", &size);
}

fn size_as_before(browser: &Browser) {
    browser.chromium("Emulation.clearDeviceMetricsOverride", &json!({}));
}

fn a_long_name_has_three_lines_at_most(stage: &Stage) {
    let argument = "std::vector<foo::bar<int, std::less<int> > >, ".repeat(50);
    // The last one has no parts to leave out, and in its module no function.
    let long = [format!("std::map<{argument}x>::insert"), format!("f{}", "x".repeat(2_000))];
    for name in &long {
        let line = format!("profile=a{name}\ttid={name}\tsince=1\tmain;{name} 5\n");
        let other = "profile=b\ttid=1\tsince=2\tmain;short 9\n";
        let browser = stage.show(&["--split", "label:profile"], line + other);
        let (start, end) = (&name[..2], &name[name.len() - 3..]);
        browser.click(&format!(
            "[...document.querySelectorAll('.frame')].find((e) => e.ariaLabel.startsWith('{start}'))"
        ));
        let lines = |class: &str| {
            browser.number(&format!(
                "(() => {{ const [e, s] = [document.querySelector('.{class}'), getComputedStyle(document.querySelector('.{class}'))];
                    return (e.clientHeight - parseFloat(s.paddingTop) - parseFloat(s.paddingBottom)) / parseFloat(s.lineHeight); }})()"
            ))
        };
        browser.type_keys("f");
        assert!(lines("menu h2") <= 3.01, "{}", lines("menu h2"));
        let menu = browser.number("document.querySelector('.menu').clientHeight");
        assert!(menu < 350.0, "{menu}");
        browser.click("document.querySelector('.item')");
        for what in ["crumb.last", "step span", "status b"] {
            assert!(lines(what) <= 1.01, "{what}: {}", lines(what));
            let text = text_of(browser, what);
            assert!(text.contains('…') && text.len() < 200, "{what}: {text}");
        }
        // What tells the function from others is seen.
        assert!(text_of(browser, "crumb.last").ends_with(end));
        let is_inside =
            "[...document.querySelectorAll('.step')].every((e) => e.scrollWidth <= e.clientWidth)";
        assert_eq!(browser.value(is_inside), json!(true));
        let entry = browser.text("document.querySelector('.profiles').options[2].text");
        assert!(entry.chars().count() < 80, "{entry}");
    }
}

fn a_low_window_shows_rows_when_it_is_scrolled(stage: &Stage) {
    let folded: String =
        (0..9).map(|at| format!("since={at}\ttid={at}\ta;b;c;d;e;f;g;h 1\n")).collect();
    resize(&stage.browser, 600, 300);
    let browser = stage.show(&[], folded);
    let height = browser.number("document.querySelector('.stage').clientHeight");
    let row = browser.number(&format!("{}.getBoundingClientRect().height", frame("a")));
    assert!(height >= 5.0 * row, "{height}");
    let app = "document.querySelector('.app')";
    browser.value(&format!("void ({app}.scrollTop = 1000)"));
    let notes = "document.querySelector('.notes').getBoundingClientRect().bottom";
    assert!(browser.number(notes) < 301.0);
    // The tip is where the pointer is.
    browser.point_at(&frame("a"));
    let tip = browser.number("document.querySelector('.tip').getBoundingClientRect().top");
    assert!(tip > 0.0 && tip < 300.0, "{tip}");
    // A large window is not scrolled.
    size_as_before(browser);
    browser.await_repaint();
    assert_eq!(browser.number(&format!("{app}.scrollHeight - {app}.clientHeight")), 0.0);
}

/// The legend has two lines on a phone once it has its shares.
fn the_root_is_in_sight_below_a_long_legend(stage: &Stage) {
    let stacks =
        ["main_[o];a_[l];b_[k];c_[o]_[i];caml_alloc", "main_[o];d;[lib.so]", "main_[o];[waiting]"];
    let tower = (0..60).map(|at| format!(";f{at}_[o]")).collect::<String>();
    let folded = stacks.map(|stack| format!("app;{stack} 123\n")).concat()
        + &format!("app;main_[o]{tower} 9\n");
    resize(&stage.browser, 390, 500);
    let browser = stage.show(&[], folded);
    browser.await_repaint();
    let below = "document.querySelector('.stage').getBoundingClientRect().bottom -
        [...document.querySelectorAll('.frame')].find((e) => e.ariaLabel?.startsWith('all')).getBoundingClientRect().bottom";
    assert!((0.0..4.0).contains(&browser.number(below)), "{}", browser.number(below));
    size_as_before(browser);
}

fn a_high_picture_is_printed_on_an_upright_page(stage: &Stage) {
    let is_upright = |browser: &Browser| {
        let page = json!({ "landscape": true, "preferCSSPageSize": true });
        let pdf = browser.chromium("Page.printToPDF", &page);
        let pdf = pdf["data"].as_str().expect("a PDF");
        browser.value(&format!(
            "(() => {{ const [, width, height] = /MediaBox ?\\[0 0 ([\\d.]+) ([\\d.]+)/.exec(atob('{pdf}'));
                return Number(width) < Number(height); }})()"
        ))
    };
    let high = vec!["f"; 60].join(";");
    let browser = stage.show(&[], format!("{high} 9\nlow 9\n"));
    assert_eq!(is_upright(browser), json!(true));
    browser.click(&frame("low"));
    assert_eq!(is_upright(browser), json!(false));
}

fn many_idle_lanes_are_not_drawn_as_busy(stage: &Stage) {
    let mut lines = String::new();
    for at in 0..300 {
        writeln!(lines, "since={}\ttid=1\tbusy 1", f64::from(at) / 100.0).expect("a text");
    }
    // Together, the idle threads have more samples than the busy one.
    for tid in 2..30 {
        for at in 0..15 {
            writeln!(lines, "since={}\ttid={tid}\tidle 1", f64::from(at) / 5.0).expect("a text");
        }
    }
    let browser = stage.show(&["--flamechart"], lines);
    let busy =
        "(() => { const { lane } = document.querySelector('.frame[aria-label^=busy]').box.branch;
        return lane.tree.lanes.map(({ samples: { starts, ends } }) =>
            starts.reduce((sum, start, at) => sum + ends[at] - start, 0) / 1e9); })()";
    let busy: Vec<f64> = serde_json::from_value(browser.value(busy)).expect("numbers");
    assert_eq!(busy.len(), 29);
    assert!(busy[0] > 2.9, "{busy:?}");
    assert!(busy[1..].iter().all(|seconds| *seconds < 0.2), "{busy:?}");
}

fn lanes_that_are_scrolled_to_have_their_curves(stage: &Stage) {
    let lines = (0..300).map(|tid| format!("since={tid}\ttid={tid}\tmain 1\n"));
    let browser = stage.show(&[], lines.collect::<String>());
    browser.click("[...document.querySelectorAll('.lane')].at(-1)");
    browser.value("void (document.querySelector('.lanes').scrollTop = 1e6)");
    let is_seen = "(() => { const { top } = [...document.querySelectorAll('.lane')].at(-1).getBoundingClientRect();
        const { left } = document.querySelector('.times').getBoundingClientRect();
        return document.elementFromPoint(left + 50, top + 5).closest('.times') !== null; })()";
    assert_eq!(browser.number("document.querySelectorAll('.lane').length"), 300.0);
    assert_eq!(browser.value(is_seen), json!(true));
}

fn one_frame_is_in_the_tab_order_wherever_it_is_scrolled(stage: &Stage) {
    let stack = vec!["f"; 20].join(";");
    let line = |at, tid, weight| format!("since={at}\ttid={tid}\t{stack} {weight}\n");
    let lines = (0..80).flat_map(|at| [line(at, 0, 99), line(at, at, 99 - at)]);
    let browser = stage.show(&["--flamechart"], lines.collect::<String>());
    let count = "document.querySelectorAll('.frames [tabindex=\"0\"]').length";
    assert_eq!(browser.number(count), 1.0);
    browser.click(&frame("f"));
    for keys in ["", "--", "0", "+", "1", "5"] {
        browser.type_keys(keys);
        browser.await_repaint();
        assert_eq!(browser.number(count), 1.0, "{keys}");
    }
    browser.value("void (document.querySelector('.stage').scrollTop = 1e6)");
    browser.await_value(
        "document.querySelector('.frames').textContent.includes('79 (')",
        &json!(true),
    );
    assert_eq!(browser.number(count), 1.0);
}

fn enter_after_a_search_goes_to_the_first_row(stage: &Stage) {
    let browser = stage.show(&[], "a;find1 3\na;find2 2\na;find3 1\na;other 9\n");
    browser.type_keys("4");
    let row = || browser.text("document.querySelector('.row.current .name').textContent");
    query(browser, "find");
    for (keys, name) in [(ENTER, "find1"), ("n", "find2"), ("n", "find3"), ("N", "find2")] {
        browser.type_keys(keys);
        assert_eq!(row(), name);
    }
    // The row that was gone to is no match of the next search.
    query(browser, "a");
    browser.type_keys(ENTER);
    assert_eq!(row(), "a");
    query(browser, "find");
    browser.type_shift(ENTER);
    assert_eq!(row(), "find3");
}

fn only_frames_within_the_zoom_have_a_share_of_it(stage: &Stage) {
    let browser = stage.show(&[], "main;a;b 10\nmain;a;c 5\nmain;d 85\n");
    browser.click(&frame("a"));
    assert_eq!(drawn(browser), ["a", "all", "b", "c", "main"]);
    for (name, numbers) in [
        ("b", "10 counts 10.0% of all 66.7% of zoom self 10 (10.0%)"),
        ("main", "100 counts 100.0% of all 100.0% of parent self 0 (0%)"),
        ("all", "100 counts 100.0% of all self 0 (0%)"),
    ] {
        browser.point_at(&frame(name));
        assert_eq!(text_of(browser, "tip"), format!("{numbers} {name}"));
        assert_eq!(text_of(browser, "status"), format!("{name} {numbers}"));
    }
    // In the sandwich, callers are shares of the function.
    browser.type_keys("3");
    browser.point_at(&frame("main"));
    assert!(text_of(browser, "tip").contains("100.0% of zoom"));
}

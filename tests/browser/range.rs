use serde_json::json;

use super::driver::key;
use super::{Browser, Stage, cases, frame, share, text_of};
use crate::util::recording;

cases![
    each_of_a_hundred_thousand_children_is_reached_with_the_mouse,
    narrow_frames_of_a_real_profile_are_reached_with_the_mouse,
    the_wheel_zooms_with_control_around_the_pointer,
    the_wheel_alone_scrolls,
    a_drag_moves_the_picture_and_is_no_click,
    keys_zoom_and_move,
    the_range_is_in_the_address_and_a_step_of_the_browser,
    no_address_of_a_range_breaks_the_page,
    the_map_shows_where_the_range_is,
    rows_stay_where_they_are_while_the_range_moves,
    narrow_frames_get_wider_where_there_are_too_many,
];

const STAGE: &str = "document.querySelector('.stage')";

/// `main;big 50000`, and beside it a hundred thousand functions of 1, 2 and 3 counts.
fn hundred_thousand_children() -> String {
    let kids: String = (0..100_000).map(|n| format!("main;p;kid{n:06} {}\n", 1 + n % 3)).collect();
    format!("main;big 50000\n{kids}")
}

/// The weight at a position on the stage, as a fraction of the whole.
fn weight_at(browser: &Browser, part: f64) -> f64 {
    // In the root, which has the whole width unless there is a range.
    let of_big =
        format!("(() => {{ const {{ x, width }} = {}.box; return [x, width]; }})()", frame("b"));
    let place = browser.value(&of_big);
    let [x, width] = [0, 1].map(|at| place[at].as_f64().expect("a number"));
    let stage = browser.number(&format!("{STAGE}.clientWidth"));
    (part * stage - x) / width
}

/// Clicks on blocks of narrow frames until the one of this name is drawn, wide enough for
/// a mouse; returns the number of clicks.
fn reach(browser: &Browser, name: &str) -> usize {
    for clicks in 0..10 {
        let is_wide = format!("({}?.box.width ?? 0) >= 4", frame(name));
        if browser.value(&is_wide) == json!(true) {
            return clicks;
        }
        // The frames of the block are those that the page itself lists.
        let block = format!(
            "[...document.querySelectorAll('.group')].find((e) => {{
                const name = document.querySelector('metadata[id=names]').textContent.split('\\n').indexOf('{name}');
                const below = (branch) => branch.name === name || branch.kids.some(below);
                return e.box.branches.some(below);
            }})"
        );
        let is_frame = format!("{} !== undefined", frame(name));
        let place = if browser.value(&is_frame) == json!(true) { frame(name) } else { block };
        scroll_to(browser, &place);
        browser.click(&place);
    }
    panic!("{name} is out of reach");
}

/// Scrolls until an element is drawn and in sight.
fn scroll_to(browser: &Browser, element: &str) {
    let found = browser.value(&format!(
        "(async () => {{
            const stage = {STAGE};
            const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            for (let top = stage.scrollTop; !({element}) && stage.scrollHeight > 0; ) {{
                top = top <= 0 ? stage.scrollHeight : top - 300;
                stage.scrollTop = top;
                await rest();
            }}
            ({element}).scrollIntoView({{ block: 'center' }});
            await rest();
            return true;
        }})()"
    ));
    assert_eq!(found, json!(true));
}

fn each_of_a_hundred_thousand_children_is_reached_with_the_mouse(stage: &Stage) {
    let folded = hundred_thousand_children();
    for child in [0, 1, 49_999, 77_777, 99_999] {
        let browser = stage.show(&[], &folded);
        let name = format!("kid{child:06}");
        let clicks = reach(browser, &name);
        assert!(clicks <= 3, "{name}: {clicks} clicks");
        // The range is named in the crumbs.
        assert!(text_of(browser, "crumbs").starts_with("all main p "));
        browser.click(&frame(&name));
        let weight = 1 + child % 3;
        let plural = if weight == 1 { "count" } else { "counts" };
        let numbers = text_of(browser, "status");
        assert!(
            numbers.starts_with(&format!("{name} {weight} {plural} <0.1% of all")),
            "{numbers}"
        );
        assert!((share(browser, &name) - 1.0).abs() < 0.001);
    }
}

fn narrow_frames_of_a_real_profile_are_reached_with_the_mouse(stage: &Stage) {
    let folded = recording("folded/node-20-fp.folded.gz");
    let browser = stage.show(&["--colors", "module"], &folded);
    // Functions that occur in a single stack, spread over the profile.
    let rare = browser.value(
        "(() => {
            const [names, stage] = [document.querySelector('metadata[id=names]').textContent.split('\\n'),
                document.querySelector('.frame[role]').box.branch.tree.root];
            const count = new Map();
            const pending = [stage];
            while (pending.length > 0) {
                const branch = pending.pop();
                count.set(branch.name, (count.get(branch.name) ?? 0) + 1);
                pending.push(...branch.kids);
            }
            const rare = [...count].filter(([name, times]) => times === 1 && name >= 0 && /^[\\w.]+$/.test(names[name]));
            return rare.filter((_, at) => at % Math.ceil(rare.length / 12) === 0).map(([name]) => names[name]);
        })()",
    );
    let rare: Vec<String> = serde_json::from_value(rare).expect("names");
    assert!(rare.len() >= 5, "{rare:?}");
    for name in rare {
        browser.type_keys("0");
        reach(browser, &name);
    }
}

fn the_wheel_zooms_with_control_around_the_pointer(stage: &Stage) {
    let browser = stage.show(&[], "a 400\nb 200\nc 400\n");
    for (at, turns) in [(0.45, &[-200, -200][..]), (0.55, &[-60, 100])] {
        for &pixels in turns {
            let before = weight_at(browser, at);
            browser.wheel_with_control(STAGE, [at, 0.99], pixels);
            let after = weight_at(browser, at);
            assert!((before - after).abs() < 0.03, "{before} {after}");
        }
    }
    assert!(share(browser, "b") > 0.5);
    assert!(text_of(browser, "crumbs").starts_with("all 2"), "{}", text_of(browser, "crumbs"));
    for _ in 0..6 {
        browser.wheel_with_control(STAGE, [0.1, 0.99], 200);
    }
    browser.await_value("document.querySelector('.crumbs').innerText.trim()", &json!("all"));
    assert!((share(browser, "b") - 0.2).abs() < 0.001);
    // Where the wheel leaves the zoomed frame, its caller gets zoomed.
    let browser = stage.show(&[], "a;x;y 30\na;z 30\nb 40\n");
    browser.click(&frame("x"));
    browser.wheel_with_control(STAGE, [0.5, 0.99], 100);
    browser.await_value(
        "document.querySelector('.crumbs').innerText.split('\\n').slice(0, 2).join(' ')",
        &json!("all a"),
    );
}

fn the_wheel_alone_scrolls(stage: &Stage) {
    let high = vec!["f"; 300].join(";");
    let browser = stage.show(&[], format!("{high} 5\na 5\n"));
    let scrolled = format!("{STAGE}.scrollTop");
    let before = browser.number(&scrolled);
    browser.wheel(STAGE, [0.3, 0.5], -200);
    browser.await_value(&format!("{scrolled} <= {before} - 150"), &json!(true));
    assert_eq!(browser.text("location.hash"), "");
    assert!((share(browser, "a") - 0.5).abs() < 0.001);
    // Where nothing can be scrolled, the page explains how to zoom.
    let browser = stage.show(&[], "a;b 5\n");
    browser.wheel(STAGE, [0.3, 0.5], -200);
    let status = "document.querySelector('.status').textContent";
    browser.await_value(status, &json!("Ctrl and the wheel zoom in and out"));
    assert_eq!(text_of(browser, "crumbs"), "all");
}

fn a_drag_moves_the_picture_and_is_no_click(stage: &Stage) {
    let browser = stage.show(&[], "a 400\nb 200\nc 400\n");
    browser.type_keys("++");
    browser.await_value(&format!("{}.box.width > 700", frame("b")), &json!(true));
    let before = weight_at(browser, 0.5);
    browser.drag(STAGE, [0.5, 0.97], [0.55, 0.97]);
    let moved = format!("{}.box.x > 150", frame("b"));
    browser.await_value(&moved, &json!(true));
    // The stage shows `b`, which has 200 of 250.
    assert!((before - weight_at(browser, 0.55)).abs() < 0.01);
    assert!(text_of(browser, "crumbs").starts_with("all 36"), "{}", text_of(browser, "crumbs"));
    // A small movement of the mouse is still a click.
    browser.drag(&frame("b"), [0.5, 0.5], [0.502, 0.5]);
    assert_eq!(text_of(browser, "crumbs"), "all b");
    // There is nothing beyond the end of the profile.
    browser.type_keys("0+");
    browser.drag(STAGE, [0.1, 0.97], [0.9, 0.97]);
    browser.await_value("document.querySelector('.range').textContent", &json!("0.0–50.0%"));
}

fn keys_zoom_and_move(stage: &Stage) {
    let browser = stage.show(&[], "a 400\nb 200\nc 400\n");
    let range = "document.querySelector('.range')?.textContent ?? 'all'";
    let is = |expected: &str| browser.await_value(range, &json!(expected));
    browser.type_keys("+");
    is("25.0–75.0%");
    browser.type_shift(key::RIGHT);
    is("37.5–87.5%");
    browser.type_shift(key::LEFT);
    browser.type_shift(key::LEFT);
    is("12.5–62.5%");
    browser.type_keys("-");
    is("all");
    browser.type_keys("+");
    is("25.0–75.0%");
    browser.type_keys(key::ESCAPE);
    is("all");
    // An arrow key moves to a frame that is out of sight.
    browser.type_keys(&[key::UP, key::LEFT, key::LEFT].concat());
    browser.type_keys("++++");
    is("46.88–53.13%");
    browser.type_keys(&[key::RIGHT, key::RIGHT].concat());
    assert!(share(browser, "c") > 0.2);
}

fn the_range_is_in_the_address_and_a_step_of_the_browser(stage: &Stage) {
    let folded = hundred_thousand_children();
    let browser = stage.show(&[], &folded);
    reach(browser, "kid050000");
    let crumbs = text_of(browser, "crumbs");
    let address = browser.text("location.hash");
    let names =
        "[...document.querySelectorAll('.frame[role]')].map((e) => e.ariaLabel).sort().join()";
    let drawn = browser.text(names);
    browser.reload();
    assert_eq!(text_of(browser, "crumbs"), crumbs);
    assert_eq!(browser.text(names), drawn);
    browser.back();
    browser.await_value(
        &format!("document.querySelector('.crumbs').innerText.replace(/\\s+/g, ' ').trim() === '{crumbs}'"),
        &json!(false),
    );
    // In another profile the path is followed as far as it exists.
    let browser = stage.show_at(&address, &[], "main;p 9\n");
    assert_eq!(text_of(browser, "crumbs"), "all main p");
    // Turning the wheel is one step, if no turn comes long after the one before.
    let browser = stage.show(&[], "a;b 400\nc 200\n");
    browser.value(&format!(
        "void [1, 2, 3].forEach(() => {STAGE}.dispatchEvent(new WheelEvent('wheel',
            {{ deltaY: -50, ctrlKey: true, clientX: 600, bubbles: true, cancelable: true }})))"
    ));
    browser.await_value("location.hash.startsWith('#range=')", &json!(true));
    browser.back();
    browser.await_value("document.querySelector('.range')", &json!(null));
}

fn no_address_of_a_range_breaks_the_page(stage: &Stage) {
    for range in [
        "",
        "+",
        "1",
        "1+",
        "+1",
        "-1+3",
        "0+0",
        "0+-5",
        "NaN+NaN",
        "Infinity+1",
        "0+Infinity",
        "1e999+1",
        "5+1e-300",
        "1e15+1",
        "0x1+2",
        "9+9",
        "1+2+3",
        "%00+%00",
        "<b>+1",
        "constructor+1",
    ] {
        let fragment = format!("#range={}", range.replace('+', "%2B"));
        let browser = stage.show_at(&fragment, &[], "a;b 5\nc 5\n");
        let width = browser.number(&format!("{}.box.width", frame("all")));
        assert!(width > 1000.0, "{range}: {width}");
        browser.type_keys("-0");
        assert_eq!(text_of(browser, "crumbs"), "all");
    }
}

fn the_map_shows_where_the_range_is(stage: &Stage) {
    let browser = stage.show(&[], "a 400\nb 200\nc 400\n");
    let is_shown = "document.querySelector('.map').checkVisibility({ visibilityProperty: true })";
    assert_eq!(browser.value(is_shown), json!(false));
    browser.click(&frame("b"));
    assert_eq!(browser.value(is_shown), json!(true));
    let mark = "(() => { const [map, mark] = ['.map', '.window'].map((it) => document.querySelector(it).getBoundingClientRect());
        return [mark.left - map.left, mark.width].map((it) => Math.round(100 * it / map.width)); })()";
    assert_eq!(browser.value(mark), json!([40, 20]));
    // A click shows that part, as wide as before.
    browser.click("document.querySelector('.map')");
    browser.await_value(mark, &json!([40, 20]));
    browser.drag("document.querySelector('.map')", [0.5, 0.5], [0.8, 0.5]);
    browser.await_value(mark, &json!([70, 20]));
    browser.type_keys("4");
    assert_eq!(browser.value(is_shown), json!(false));
    browser.type_keys("10");
    assert_eq!(browser.value(is_shown), json!(false));
}

fn rows_stay_where_they_are_while_the_range_moves(stage: &Stage) {
    let high = vec!["f"; 300].join(";");
    let browser = stage.show(&[], format!("{high} 5\na 5\n"));
    browser.value(&format!("{STAGE}.scrollTop = 2000"));
    let top = || {
        browser.value(
            "[...document.querySelectorAll('.frame')].find((e) => e.ariaLevel === '150').getBoundingClientRect().top",
        )
    };
    // Rows are drawn when the page has scrolled.
    let is_drawn = "[...document.querySelectorAll('.frame')].some((e) => e.ariaLevel === '150')";
    browser.await_value(is_drawn, &json!(true));
    let before = top();
    for pixels in [-100, -100, 60] {
        browser.wheel_with_control(STAGE, [0.7, 0.5], pixels);
        assert_eq!(top(), before);
    }
}

/// Each of 400 frames of a row has nearly three pixels.
fn narrow_frames_get_wider_where_there_are_too_many(stage: &Stage) {
    let rows_of = |rows: usize| {
        let line = |frame: usize| {
            let names: Vec<String> = (0..rows).map(|row| format!("f{frame}_{row}")).collect();
            format!("main;{} 1\n", names.join(";"))
        };
        (0..400).map(line).collect::<String>()
    };
    let frames = "document.querySelectorAll('.frame[role]').length";
    assert_eq!(stage.show(&[], rows_of(7)).number(frames), 2_802.0);
    let browser = stage.show(&[], rows_of(8));
    assert_eq!(browser.number(frames), 2.0);
    let in_blocks =
        "[...document.querySelectorAll('.group')].reduce((sum, e) => sum + e.box.frames, 0)";
    assert_eq!(browser.number(in_blocks), 400.0);
    // A click on a block shows all of its frames.
    browser.click("document.querySelector('.group')");
    assert!(browser.number(frames) > 100.0);
}

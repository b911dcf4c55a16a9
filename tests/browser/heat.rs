use serde_json::json;

use super::driver::{Browser, key};
use super::{Stage, cases, text_of};
use crate::stack_heat::Map;
use crate::util::{TempFile, filter, filter_bytes, output, recording, weight};

cases![
    a_drag_selects_what_from_and_to_take,
    two_clicks_and_keys_select_too,
    a_selection_of_threads_is_a_time,
    a_heat_map_has_tips_and_is_copied,
    a_heat_map_runs_under_a_strict_policy,
    a_heat_map_fits_into_every_window,
    a_heat_map_is_as_wide_as_a_phone,
    one_sample_is_not_several,
];

const STAGE: &str = "document.querySelector('.stage')";

/// Ten columns of a second, and five rows in each, which weigh 1, 2, 3 and so on.
fn table() -> String {
    let row = |step: u64| {
        format!(
            "{}.{}\t{}\t{}\n",
            step / 5,
            step % 5 * 2,
            step + 1,
            ["7", "<b>"][step as usize % 2]
        )
    };
    ["since\tweight\ttid\n".to_owned()].into_iter().chain((0..50).map(row)).collect()
}

fn show<'a>(stage: &'a Stage, args: &[&str]) -> &'a Browser {
    let args = [&["--column", "1", "--rows", "5"], args].concat();
    show_map(stage, filter_bytes("stack-heat", &args, table()))
}

fn show_map(stage: &Stage, svg: Vec<u8>) -> &Browser {
    let browser = stage.show_svg("", svg);
    // Rows get their height when the browser first draws the page, after loading it.
    browser.await_value("document.querySelector('.rows').style.height !== ''", &json!(true));
    browser
}

fn command(browser: &Browser) -> String {
    browser.text("document.querySelector('code')?.textContent ?? ''")
}

/// The middle of a cell of ten columns and five rows, the first row at the bottom.
fn cell(column: u32, row: u32) -> [f64; 2] {
    [(f64::from(column) + 0.5) / 10.0, 1.0 - (f64::from(row) + 0.5) / 5.0]
}

/// On a real recording: stack-parse then sums the same weights.
fn a_drag_selects_what_from_and_to_take(stage: &Stage) {
    let browser = show(stage, &[]);
    assert_eq!(command(browser), "");
    browser.drag(STAGE, cell(2, 3), cell(4, 1));
    assert_eq!(command(browser), "stack-parse --from 2.6 --to 4.4");
    // Steps 13 to 21 weigh 14 to 22.
    assert!(text_of(browser, "status").starts_with("2.6 \u{2013} 4.4 s 162 12.71% of all"));
    // Dragging backwards selects the same.
    browser.drag(STAGE, cell(4, 1), cell(2, 3));
    assert_eq!(command(browser), "stack-parse --from 2.6 --to 4.4");

    let script = TempFile::new(recording("formats/perf-script/packbench-4.13.1-fp.gz"));
    let table =
        output("stack-parse", &["--table", "--weight", "samples", script.path()], "").stdout;
    let svg = filter_bytes("stack-heat", &[], table);
    let all = Map::of(&svg).sum();
    let browser = show_map(stage, svg);
    for [from, to] in
        [[[0.1, 0.2], [0.3, 0.9]], [[0.5, 0.5], [0.5, 0.5]], [[0.0, 0.99], [0.6, 0.01]]]
    {
        browser.type_keys(key::ESCAPE);
        browser.drag(STAGE, from, to);
        let command = command(browser);
        let mut words: Vec<&str> = command.split(' ').skip(1).collect();
        words.extend(["--weight", "samples", script.path()]);
        let taken = weight(&output("stack-parse", &words, "").stdout);
        assert!(taken < all);
        let shown = format!(" s {taken} samples ");
        let status = text_of(browser, "status").replace(',', "");
        assert!(status.contains(&shown), "{command}: {status}, not {shown}");
    }
}

fn two_clicks_and_keys_select_too(stage: &Stage) {
    let browser = show(stage, &[]);
    browser.drag(STAGE, cell(1, 0), cell(1, 0));
    assert_eq!(command(browser), "stack-parse --from 1 --to 1.2");
    assert!(text_of(browser, "status").ends_with("now click on its end"));
    browser.drag(STAGE, cell(9, 4), cell(9, 4));
    assert_eq!(command(browser), "stack-parse --from 1 --to 10");
    // The third click begins anew.
    browser.drag(STAGE, cell(0, 0), cell(0, 0));
    assert_eq!(command(browser), "stack-parse --from 0 --to 0.2");
    browser.type_keys(key::ESCAPE);
    assert_eq!(command(browser), "");

    let browser = show(stage, &[]);
    browser.value(&format!("void {STAGE}.focus()"));
    // The first arrow goes to the first cell.
    browser
        .type_keys(&[key::RIGHT, key::RIGHT, key::UP, key::ENTER, key::RIGHT, key::ENTER].concat());
    assert_eq!(command(browser), "stack-parse --from 1.2 --to 2.4");
    assert!(!text_of(browser, "status").contains("now click"));
}

fn a_selection_of_threads_is_a_time(stage: &Stage) {
    let browser = show(stage, &["--by", "tid"]);
    browser.drag(STAGE, [0.25, 0.9], [0.45, 0.1]);
    assert_eq!(command(browser), "stack-parse --from 2 --to 5");
    assert!(text_of(browser, "status").contains("270 21.18% of all"));
    assert_eq!(text_of(browser, "names"), "<b> 7");
}

fn a_heat_map_has_tips_and_is_copied(stage: &Stage) {
    let browser = show(stage, &["--unit", "ns"]);
    browser.drag(STAGE, cell(3, 2), cell(3, 2));
    assert_eq!(text_of(browser, "tip"), "3.4 \u{2013} 3.6 s 18 ns, 1.41% of all");
    let rights = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    browser.chromium("Browser.grantPermissions", &rights);
    browser.click("document.querySelector('.copy')");
    browser.await_value("document.querySelector('.copy').textContent", &json!("Copied"));
    assert_eq!(browser.text("navigator.clipboard.readText()"), "stack-parse --from 3.4 --to 3.6");
}

fn a_heat_map_runs_under_a_strict_policy(stage: &Stage) {
    let policy = filter("stack-heat", &["--csp-hash"], "");
    let policy = format!("default-src 'none'; {}", policy.trim_end());
    let svg = filter_bytes("stack-heat", &["--by", "tid", "--title", "<b>\"&"], table());
    let browser = &stage.browser;
    browser.open(&stage.server.add("strict-heat", svg.clone(), &policy));
    assert_eq!(browser.text("document.querySelector('h1').textContent"), "<b>\"&");
    assert_eq!(browser.text(&format!("getComputedStyle({STAGE}).cursor")), "crosshair");
    browser.open(&stage.server.add("static-heat", svg, "script-src 'none'"));
    assert_eq!(browser.value("document.querySelector('.app')"), json!(null));
    assert!(browser.number("document.querySelector('.map').getBoundingClientRect().width") > 900.0);
    // The browser logs that it did not run the script.
    assert_eq!(browser.await_messages().len(), 1);
}

fn a_heat_map_fits_into_every_window(stage: &Stage) {
    let browser = &stage.browser;
    for [width, height] in [[1200, 800], [360, 500]] {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.chromium("Emulation.setDeviceMetricsOverride", &size);
        for args in [&[][..], &["--by", "tid"]] {
            show(stage, args);
            let over = browser.value(&format!(
                "[...document.querySelectorAll('.app *')].filter((e) => e.getBoundingClientRect().right > {width} + 1
                    || e.getBoundingClientRect().bottom > {height} + 1).map((e) => e.className)"
            ));
            assert_eq!(over, json!([]), "{width} {args:?}");
        }
    }
    browser.chromium("Emulation.clearDeviceMetricsOverride", &json!({}));
}

fn a_heat_map_is_as_wide_as_a_phone(stage: &Stage) {
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    stage.browser.chromium("Emulation.setDeviceMetricsOverride", &phone);
    let browser = show(stage, &[]);
    assert_eq!(browser.number("innerWidth"), 390.0);
    assert_eq!(browser.number("document.querySelector('.app').clientWidth"), 390.0);
    browser.chromium("Emulation.clearDeviceMetricsOverride", &json!({}));
}

fn one_sample_is_not_several(stage: &Stage) {
    let browser = show(stage, &["--unit", "samples"]);
    for (column, words) in [(0, " 1 sample,"), (1, " 6 samples,")] {
        browser.drag(STAGE, cell(column, 0), cell(column, 0));
        let tip = text_of(browser, "tip");
        assert!(tip.contains(words), "{tip}");
        browser.type_keys(key::ESCAPE);
    }
}

use serde_json::json;

use super::{Stage, cases, drawn, found_is, query, text_of};
use crate::util::{filter, filter_bytes};

cases![
    hostile_names_are_only_text,
    a_strict_policy_lets_the_script_run,
    without_scripts_the_static_picture_is_seen,
    any_bytes_can_be_shown,
];

const IS_STATIC: &str = "document.querySelector('#frames') !== null
    && document.querySelector('#frames').getBoundingClientRect().width > 0";

fn hostile_names_are_only_text(stage: &Stage) {
    let names = [
        "</script><script>window.hit=1</script>",
        "\"onload=\"window.hit=1",
        "]]></script><script>window.hit=1</script>",
        "<img src=x onerror=window.hit=1>",
        "javascript:window.hit=1",
        "&lt <b> &#38",
    ];
    let folded: String = names.iter().map(|name| format!("{name} 9\n")).collect();
    let args = [
        "--title",
        "</text><script>window.hit=1</script>",
        "--unit",
        "\"><script>window.hit=1</script>",
    ];
    let browser = stage.show(&args, folded);
    let mut expected: Vec<String> =
        names.map(|name| name.split(", ").next().unwrap_or(name).to_owned()).to_vec();
    expected.push("all".to_owned());
    expected.sort();
    assert_eq!(drawn(browser), expected);
    for keys in ["2", "3", "4", "1"] {
        browser.type_keys(keys);
    }
    query(browser, "/<script>/");
    found_is(browser, "33.3% found");
    assert_eq!(browser.value("window.hit ?? null"), json!(null));
    assert_eq!(browser.number("document.querySelectorAll('script, img').length"), 1.0);
    assert_eq!(browser.text("document.querySelector('h1').textContent"), args[1]);
}

fn a_strict_policy_lets_the_script_run(stage: &Stage) {
    let policy =
        format!("default-src 'none'; {}", filter("stack-svg", &["--csp-hash"], "").trim_end());
    let svg = filter_bytes("stack-svg", &["--title", "One", "--unit", "ms"], "a;b 1\na;c 2\n");
    stage.browser.open(&stage.server.add("strict", svg, &policy));
    stage.browser.await_keyboard();
    assert_eq!(drawn(&stage.browser), ["a", "all", "b", "c"]);
    stage.browser.type_keys("4");
    assert_eq!(text_of(&stage.browser, "table-sum"), "3.00 ms 100.0% all 3 functions");
    // Without its style, the boxes would have no positions.
    assert_eq!(
        stage.browser.text("getComputedStyle(document.querySelector('.row')).position"),
        "absolute"
    );
}

fn without_scripts_the_static_picture_is_seen(stage: &Stage) {
    let browser = &stage.browser;
    let svg = filter_bytes("stack-svg", &[], "a;b 1\n");
    browser.open(&stage.server.add("none", svg, "script-src 'none'"));
    assert_eq!(browser.value(IS_STATIC), json!(true));
    assert_eq!(browser.value("document.querySelector('.app')"), json!(null));
    // The browser logs that it did not run the script.
    assert_eq!(browser.await_messages().len(), 1);

    let off = |off: bool| {
        browser.chromium("Emulation.setScriptExecutionDisabled", &json!({ "value": off }))
    };
    let has_run = || {
        off(true);
        browser.open(&stage.server.add("off", filter_bytes("stack-svg", &[], "a;b 1\n"), ""));
        off(false);
        browser.value("document.querySelector('.app')") != json!(null)
    };
    // On a busy machine the browser may switch scripts off after it has run the page's.
    assert!((0..20).any(|_| !has_run()), "scripts run though they are off");
    assert_eq!(browser.value(IS_STATIC), json!(true));

    stage.show(&["--no-script"], "a;b 1\n");
    assert_eq!(browser.number("document.querySelectorAll('script, metadata').length"), 0.0);
    assert_eq!(browser.value(IS_STATIC), json!(true));
    stage.show(&[], "a;b 1\n");
    assert_eq!(browser.value(IS_STATIC), json!(false));
}

fn any_bytes_can_be_shown(stage: &Stage) {
    let browser = stage.show(&[], b"caml\xadd;a\tb\x00;\xef\xbf\xbe 1\n;; 2\n");
    let names = [
        "[empty name]",
        "[empty name]",
        "[empty name]",
        r"\xEF\xBF\xBE",
        // Spaces took the place of control bytes when the line was read.
        "a b ",
        "all",
        r"caml\xADd",
    ];
    assert_eq!(drawn(browser), names);
}

use std::iter;

use serde_json::json;

use super::{Browser, Stage, cases};
use crate::util::filter_bytes;

cases![
    a_hundred_thousand_frames_answer_at_once,
    a_million_stacks_open_at_once,
    a_selection_of_time_is_drawn_at_once,
    a_flame_chart_answers_at_once,
];

/// Limits in milliseconds: until all is drawn, and for one action. On a slow machine the limits
/// grow by the same factor as the time for [`REFERENCE`].
const TO_OPEN: f64 = 1000.0;
const TO_ACT: f64 = 100.0;
const TO_FILTER: f64 = 250.0;

/// Work of a known size for the browser: boxes with text that it makes, lays out and drops.
const REFERENCE: &str = "
    const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    for (let i = 0; i < 5000; i++) {
        for (const name of ['rect', 'text']) {
            const shape = document.createElementNS('http://www.w3.org/2000/svg', name);
            for (const key of ['x', 'y', 'width', 'height']) shape.setAttribute(key, i % 977);
            if (name === 'text') shape.textContent = `function_${i}`;
            group.append(shape);
        }
    }
    document.documentElement.append(group);
    group.getBBox();
    group.remove()";

/// The time for [`REFERENCE`] on the machine that the limits are for, in milliseconds.
const REFERENCE_TIME: f64 = 200.0;

/// Whether the limits are checked, as scripts/bench does. Beside other tests each action is only
/// tried once: how long it takes there is chance.
fn checks_limits() -> bool {
    std::env::var_os("STACK_TOOLS_LIMITS").is_some()
}

/// How often an action is tried at most. The best time counts, since other programs may keep the
/// machine busy.
fn tries() -> usize {
    if checks_limits() { 15 } else { 1 }
}

/// Stacks of a hundred thousand frames, all different, 30 deep.
fn hundred_thousand_frames() -> String {
    let mut random = 1_u64;
    let mut next = |below: u64| {
        // Numerical Recipes' generator: the same numbers on every machine.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xffff_ffff;
        (random >> 8) % below
    };
    let mut folded = String::new();
    for stack in 0..5_000 {
        folded.push_str("main");
        for depth in 0..10 {
            folded.push_str(&format!(
                ";library::module_{}::level_{depth}",
                (stack >> depth.min(11)) % 512
            ));
        }
        for depth in 0..20 {
            folded.push_str(&format!(";crate::part_{stack}::function_{depth}"));
        }
        folded.push_str(&format!(" {}\n", 1 + next(1000)));
    }
    folded
}

/// A million different stacks, seven deep.
fn million_stacks() -> String {
    let mut folded = String::new();
    for stack in 0..1_000_000_u32 {
        folded.push_str("main");
        for level in 0..6 {
            let call = stack / 10_u32.pow(level) % 10;
            folded.push_str(&format!(";Level{level}.call_{call}"));
        }
        folded.push_str(&format!(" {}\n", 1 + stack % 97));
    }
    folded
}

/// Opens a picture and waits until it is drawn; returns how long that took.
fn open(browser: &Browser, url: &str) -> f64 {
    browser.open("about:blank");
    browser.open(url);
    browser.await_value("document.querySelectorAll('.frame').length > 100", &json!(true));
    browser.number("performance.getEntriesByType('navigation')[0].loadEventEnd")
}

/// How many times longer than the limits an action may take on this machine.
fn slowness(reference: f64) -> f64 {
    println!("browser, reference: {reference:.0} ms");
    if checks_limits() { (reference / REFERENCE_TIME).max(1.0) } else { f64::INFINITY }
}

/// Zooms to the widest frame of a level.
const ZOOM: &str = "[...document.querySelectorAll('.frame[aria-level=\"4\"]')].sort((a, b) => b.box.width - a.box.width)[0].click()";

/// Waits for the worker that tries a pattern.
const FOUND: &str =
    "while (document.querySelector('.matched').textContent.startsWith('searching')) {
        await new Promise((done) => setTimeout(done));
    }";

/// The number of frames that the picture shows in its notes.
const FRAMES: &str = "[...document.querySelectorAll('.note')].map((e) => e.textContent).find((t) => t.endsWith('frames'))";

/// Runs an action and waits until the result is on the screen.
fn time(browser: &Browser, act: &str) -> f64 {
    browser
        .value(&format!(
            "(async () => {{
            const start = performance.now();
            {act};
            document.documentElement.getBoundingClientRect();
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - start;
        }})()"
        ))
        .as_f64()
        .expect("milliseconds")
}

fn a_hundred_thousand_frames_answer_at_once(stage: &Stage) {
    let svg = filter_bytes("stack-svg", &[], hundred_thousand_frames());
    let url = stage.server.add("speed", svg, "");
    let browser = &stage.browser;
    let search = |text: &str| {
        format!(
            "const query = document.querySelector('.query');
             query.value = '{text}';
             query.dispatchEvent(new Event('input', {{ bubbles: true }}))"
        )
    };
    let turn = |how: &str| {
        format!(
            "document.querySelector('.stage').dispatchEvent(new WheelEvent('wheel',
                {{ {how}, clientX: 600, clientY: 500, bubbles: true, cancelable: true }}))"
        )
    };
    let press = |key: &str| {
        format!("document.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))")
    };
    let ask =
        |item: usize| format!("{}; document.querySelectorAll('.item')[{item}].click()", press("f"));
    let acts = [
        ("zoom", ZOOM.to_owned(), TO_ACT),
        ("zoom out", press("0"), TO_ACT),
        ("wheel", turn("deltaY: -120, ctrlKey: true"), TO_ACT),
        ("pan", turn("deltaY: 60, shiftKey: true"), TO_ACT),
        ("search", search("function_1"), TO_ACT),
        // The first letter of a pattern starts the worker that tries it.
        ("search /", search("/"), TO_ACT),
        ("search /re/", format!("{}; {FOUND}", search("/part_.*7$|level_[3-5]/")), TO_ACT),
        ("next /re/", format!("{}; {FOUND}", search("/part_.*6$|level_[3-5]/")), TO_ACT),
        ("search end", search(""), TO_ACT),
        ("bottom up", press("2"), TO_ACT),
        ("sandwich", press("3"), TO_ACT),
        ("table", press("4"), f64::INFINITY),
        ("flame", press("1"), TO_ACT),
        ("hide", ask(2), TO_FILTER),
        ("take back", press("u"), TO_ACT),
        ("only", ask(0), TO_FILTER),
    ];
    let mut best = vec![f64::INFINITY; acts.len() + 1];
    let limits: Vec<f64> = iter::once(TO_OPEN).chain(acts.iter().map(|(.., most)| *most)).collect();
    let mut reference = f64::INFINITY;
    for _ in 0..tries() {
        best[0] = best[0].min(open(browser, &url));
        for (best, (_, act, _)) in best[1..].iter_mut().zip(&acts) {
            *best = best.min(time(browser, act));
        }
        reference = reference.min(time(browser, REFERENCE));
        if best.iter().zip(&limits).all(|(best, most)| best < most) {
            break;
        }
    }
    let frames = browser.text(FRAMES);
    let names = iter::once("open").chain(acts.iter().map(|(name, ..)| *name));
    let slowness = slowness(reference);
    let mut slow = Vec::new();
    for ((name, most), best) in names.zip(limits).zip(best) {
        println!("browser, {frames}: {name} {best:.0} ms");
        if best > most * slowness {
            slow.push(format!("{name} {best:.0} ms"));
        }
    }
    assert!(slow.is_empty(), "too slow: {slow:?}");
}

fn a_million_stacks_open_at_once(stage: &Stage) {
    let svg = filter_bytes("stack-svg", &[], million_stacks());
    let url = stage.server.add("million", svg, "");
    let browser = &stage.browser;
    let (mut best, mut reference) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..tries() {
        best = best.min(open(browser, &url));
        reference = reference.min(time(browser, REFERENCE));
        if best < TO_OPEN {
            break;
        }
    }
    println!("browser, {}: open {best:.0} ms", browser.text(FRAMES));
    assert!(best < TO_OPEN * slowness(reference), "too slow: {best:.0} ms");
}

/// Ranges and lanes of the strip of time are drawn within three times the limit of a zoom, as
/// documented. A lane has few stacks here, so many of its frames are wide enough to be drawn.
fn a_selection_of_time_is_drawn_at_once(stage: &Stage) {
    let lines = hundred_thousand_frames();
    let timed = lines.lines().zip(0..).map(|(line, at)| {
        format!("since={}.{:03}\ttid={}\t{line}\n", at * 7 % 60, at % 1000, at % 12)
    });
    let svg = filter_bytes("stack-svg", &[], timed.collect::<String>());
    let url = stage.server.add("timed", svg, "");
    let browser = &stage.browser;
    let press = "document.querySelector('.edge').dispatchEvent(
        new KeyboardEvent('keydown', { key: 'PageUp', bubbles: true }))";
    let lane = "document.querySelectorAll('.lane')[1].click()";
    let acts = [("zoom", ZOOM, TO_ACT), ("range", press, TO_ACT), ("lane", lane, TO_ACT)];
    let mut best = [f64::INFINITY; 3];
    let (mut opened, mut reference) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..tries() {
        opened = opened.min(open(browser, &url));
        for (best, (_, act, _)) in best.iter_mut().zip(acts) {
            *best = best.min(time(browser, act));
        }
        reference = reference.min(time(browser, REFERENCE));
        if opened < TO_OPEN && best.iter().zip(acts).all(|(best, (.., most))| *best < most) {
            break;
        }
    }
    println!("browser, {} and times: open {opened:.0} ms", browser.text(FRAMES));
    let slowness = slowness(reference);
    assert!(opened < TO_OPEN * slowness, "too slow: {opened:.0} ms");
    for (best, (name, _, most)) in best.into_iter().zip(acts) {
        println!("browser, {} and times: {name} {best:.0} ms", browser.text(FRAMES));
        assert!(best < most * slowness, "too slow: {name} {best:.0} ms");
    }
}

/// Of 60,000 samples; most have another stack than the sample before.
fn a_flame_chart_answers_at_once(stage: &Stage) {
    let lines = hundred_thousand_frames();
    let stacks: Vec<&str> =
        lines.lines().map(|line| line.rsplit_once(' ').expect("a count").0).collect();
    let samples = (0..60_000).map(|at| {
        let stack = stacks[at * 7919 % stacks.len()];
        format!("since={}.{:03}\ttid={}\t{stack} 1\n", at / 1000, at % 1000, at % 12)
    });
    let svg = filter_bytes("stack-svg", &["--flamechart"], samples.collect::<String>());
    let url = stage.server.add("chart", svg, "");
    let browser = &stage.browser;
    let turn = "document.querySelector('.stage').dispatchEvent(new WheelEvent('wheel',
        { deltaY: -120, ctrlKey: true, clientX: 600, clientY: 500, bubbles: true, cancelable: true }))";
    let scroll = "document.querySelector('.stage').scrollTop += 500";
    let acts = [("zoom", turn), ("scroll", scroll)];
    let mut best = [f64::INFINITY; 3];
    let mut reference = f64::INFINITY;
    for _ in 0..tries() {
        best[0] = best[0].min(open(browser, &url));
        for (best, (_, act)) in best[1..].iter_mut().zip(acts) {
            *best = best.min(time(browser, act));
        }
        reference = reference.min(time(browser, REFERENCE));
        if best[0] < TO_OPEN && best[1..].iter().all(|best| *best < TO_ACT) {
            break;
        }
    }
    let slowness = slowness(reference);
    let limits = [("open", TO_OPEN), ("zoom", TO_ACT), ("scroll", TO_ACT)];
    for (best, (name, most)) in best.into_iter().zip(limits) {
        println!("browser, chart of 60,000 samples: {name} {best:.0} ms");
        assert!(best < most * slowness, "too slow: {name} {best:.0} ms");
    }
}

//! Whether all texts can be read, in the light and in the dark, by the ratio of WCAG 2.

use serde_json::{Value, json};

use super::{Browser, Stage, cases, frame, query};

cases![
    every_text_can_be_read,
    labels_are_as_many_in_the_dark,
    boxes_have_edges_in_forced_colours,
    neighbours_of_one_kind_differ_for_everybody,
];

/// Own code, libraries, kernel, runtime, plumbing, inlined and nameless frames of many shades.
fn folded() -> String {
    let marks = ["_[o]", "_[l]", "_[k]", "_[o]_[i]", "_[l]_[i]", "_[j]", ""];
    let stack = |at: usize| {
        let mark = marks[at % marks.len()];
        format!(
            "since={}.{at:03}\ttid={}\tapp;_start_[l];main_[o];work{at}{mark};read{at}{mark};[lib{at}.so] {}\n",
            at / 8,
            at % 3,
            10 + at
        )
    };
    let caml = "since=1\ttid=1\tapp;main_[o];caml_alloc_shr;[GC] 400\n".to_owned();
    (0..40).map(stack).chain([caml]).collect()
}

fn folded_pairs() -> String {
    let pair = |at: u32| format!("app;main;f{at} {} {}\n", 4000 + 900 * at, 4000 + 37 * at * at);
    (0..24).map(pair).collect()
}

/// The texts with the least contrast: each ratio, and what it is.
const RATIOS: &str = r"(() => {
    const rgba = (text) => {
        const parts = text.match(/[\d.]+/g).map(Number);
        return parts.length < 4 ? [...parts, 1] : parts;
    };
    const light = (color) => {
        const [r, g, b] = color.map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const over = ([r, g, b, a], below) => [r, g, b].map((part, at) => a * part + (1 - a) * below[at]);
    const ground = (element) => {
        const layers = [];
        for (let one = element; one !== null; one = one.parentElement) {
            const color = rgba(getComputedStyle(one).backgroundColor);
            if (color[3] > 0) layers.push(color);
            if (color[3] === 1) break;
        }
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
    };
    const found = [];
    for (const element of document.querySelectorAll('.app *')) {
        const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        if (!isText || style.visibility === 'hidden' || element.closest('[hidden], .live, .copied')) continue;
        if (box.width < 3 || box.height < 3 || element.matches(':disabled')) continue;
        const below = ground(element);
        const letters = over(rgba(style.color), below);
        const [more, less] = [light(letters), light(below)].sort((one, other) => other - one);
        found.push([(more + 0.05) / (less + 0.05), `${element.className}: ${element.textContent.slice(0, 40)}`]);
    }
    found.sort((one, other) => one[0] - other[0]);
    return [found.length, ...found.slice(0, 3)];
})()";

/// Checks the texts that are shown now.
fn check(browser: &Browser, what: &str) {
    let found: Vec<Value> = serde_json::from_value(browser.value(RATIOS)).expect("ratios");
    assert!(found[0].as_u64() > Some(20), "{what}: {found:?}");
    assert!(found[1][0].as_f64() >= Some(4.5), "{what}: {found:?}");
}

fn in_theme(stage: &Stage, theme: &str, look: impl Fn(&Browser)) {
    let scheme = json!([{ "name": "prefers-color-scheme", "value": theme }]);
    stage.browser.chromium("Emulation.setEmulatedMedia", &json!({ "features": scheme }));
    look(&stage.browser);
    stage.browser.chromium("Emulation.setEmulatedMedia", &json!({ "features": [] }));
}

fn every_text_can_be_read(stage: &Stage) {
    for theme in ["light", "dark"] {
        in_theme(stage, theme, |browser| {
            for colors in ["kind", "module"] {
                stage.show(&["--colors", colors], folded());
                check(browser, &format!("{theme} {colors}"));
            }
            stage.show(&[], folded());
            query(browser, "work");
            browser.await_repaint();
            check(browser, &format!("{theme} search"));
            browser.click(&frame("main"));
            browser.await_repaint();
            check(browser, &format!("{theme} search and zoom"));
            for view in ["bottom-up", "sandwich", "table"] {
                stage.show_at(&format!("#view={view}"), &[], folded());
                check(browser, &format!("{theme} {view}"));
            }
            stage.show_at("#since=1-3", &[], folded());
            check(browser, &format!("{theme} selected time"));
            stage.show(&["--diff"], folded_pairs());
            check(browser, &format!("{theme} diff"));
            query(browser, "f1");
            browser.await_repaint();
            check(browser, &format!("{theme} diff and search"));
        });
    }
}

fn labels_are_as_many_in_the_dark(stage: &Stage) {
    let count =
        "[...document.querySelectorAll('.frame')].filter((e) => e.textContent !== '').length";
    let mut counts = Vec::new();
    for theme in ["light", "dark"] {
        in_theme(stage, theme, |browser| {
            stage.show(&[], folded());
            let fills = "new Set([...document.querySelectorAll('.frame')]
                .map((e) => e.style.backgroundColor)).size";
            // Deep fills are told apart as pale ones are.
            assert!(browser.number(fills) > 20.0, "{theme}");
        });
        counts.push(stage.browser.number(count));
    }
    assert!(counts[0] > 5.0 && counts[0] == counts[1], "{counts:?}");
}

fn boxes_have_edges_in_forced_colours(stage: &Stage) {
    let forced = json!([{ "name": "forced-colors", "value": "active" }]);
    stage.browser.chromium("Emulation.setEmulatedMedia", &json!({ "features": forced }));
    let browser = stage.show(&[], folded());
    let style = |of: &str, what: &str| browser.text(&format!("getComputedStyle({of}).{what}"));
    assert_eq!(style(&frame("main"), "outlineStyle"), "solid");
    let tab = |state: &str| format!("document.querySelector('.tab[aria-selected={state}]')");
    let ground = |state: &str| style(&tab(state), "backgroundColor");
    assert_ne!(ground("true"), ground("false"));
    let square = style("document.querySelector('.square')", "backgroundColor");
    assert_ne!(square, style("document.querySelector('.notes')", "backgroundColor"));
    stage.browser.chromium("Emulation.setEmulatedMedia", &json!({ "features": [] }));
}

/// What somebody sees of light, as red, green and blue from 0 to 1: everybody, and those without
/// cones for long, medium or short waves, by Machado, Oliveira and Fernandes (2009).
const EYES: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
];

fn times(matrix: &[[f64; 3]; 3], light: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(light).map(|(one, other)| one * other).sum())
}

/// A colour of a page, `rgb(1, 2, 3)`, as somebody sees it, in CIELAB.
fn seen(color: &str, eyes: &[[f64; 3]; 3]) -> [f64; 3] {
    let digits = color.split(|letter: char| !letter.is_ascii_digit());
    let parts: Vec<f64> = digits.filter_map(|part| part.parse().ok()).collect();
    let linear = [parts[0], parts[1], parts[2]].map(|part| part / 255.0).map(|part| {
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    let light = times(eyes, linear).map(|part| part.clamp(0.0, 1.0));
    let to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
    let [x, y, z] = times(&to_xyz, light);
    let root = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let [x, y, z] = [x / 0.9505, y, z / 1.089].map(root);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
}

/// Two colours that are as far apart are just told apart, in CIELAB.
const JUST_SEEN: f64 = 2.3;

/// The shade of a box is that of its name, so that neighbours have the same by chance: of 100 pairs
/// at least 68 are told apart.
fn neighbours_of_one_kind_differ_for_everybody(stage: &Stage) {
    let kinds = [
        ("own", "f", "_[o]"),
        ("library", "f", "_[l]"),
        ("runtime", "caml_f", ""),
        ("kernel", "f", "_[k]"),
    ];
    let line = |(at, (_, start, mark)): (usize, (&str, &str, &str))| {
        (0..48).map(|name| format!("main_[o];{start}{at}{name}{mark} 10\n")).collect::<String>()
    };
    let folded: String = kinds.into_iter().enumerate().map(line).collect();
    for theme in ["light", "dark"] {
        let browser = stage.show(&["--theme", theme], &folded);
        for (at, (kind, start, _)) in kinds.into_iter().enumerate() {
            let colors = browser.value(&format!(
                "[...document.querySelectorAll('.frame[role]')]
                    .filter((e) => /^{start}{at}\\d+$/.test(e.box.branch.word))
                    .map((e) => getComputedStyle(e).backgroundColor)"
            ));
            let colors: Vec<String> = serde_json::from_value(colors).expect("colours");
            assert_eq!(colors.len(), 48, "{kind}");
            for (number, eyes) in EYES.iter().enumerate() {
                let seen: Vec<_> = colors.iter().map(|color| seen(color, eyes)).collect();
                let pairs = || {
                    seen.iter()
                        .enumerate()
                        .flat_map(|(at, one)| seen[..at].iter().map(move |other| (one, other)))
                };
                let told =
                    pairs().filter(|(one, other)| distance(**one, **other) >= JUST_SEEN).count();
                let share = told as f64 / pairs().count() as f64;
                assert!(share >= 0.68, "{theme} {kind}, eyes {number}: {share}");
            }
        }
    }
}

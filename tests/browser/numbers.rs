use std::collections::BTreeMap;

use serde_json::json;

use super::oracle::{Stacks, Sums, Weights, percent};
use super::{Browser, Stage, cases, frame, share, text_of};
use crate::util::recording;

cases![
    every_number_of_a_real_profile_is_that_of_its_stacks,
    every_number_of_two_profiles_is_that_of_their_stacks,
    every_number_of_a_chart_is_that_of_its_lines,
    shares_are_those_of_the_zoom,
];

/// All frames of the trees that a view shows, drawn or not, as their path with `;` between the
/// names, their weight and their weight before. A tree is named by its kind.
const TREES: &str = r"(() => {
    const names = document.querySelector('metadata[id=names]').textContent.split('\n');
    const roots = new Map();
    for (const { box } of document.querySelectorAll('.frame[role]')) {
        roots.set(box.branch.tree.constructor.name, box.branch.tree.root);
    }
    const frames = {};
    for (const [kind, root] of roots) {
        const list = frames[kind] = [];
        const pending = [[root, '']];
        while (pending.length > 0) {
            const [branch, path] = pending.pop();
            list.push([path, branch.weight, branch.before]);
            for (const kid of branch.kids) {
                const name = names[kid.name] ?? '[hidden]';
                pending.push([kid, branch === root ? name : `${path};${name}`]);
            }
        }
    }
    return frames;
})()";

/// The weights in one of the trees; equal paths, which a chart has, are added up.
pub(super) fn weights_of(browser: &Browser, kind: &str) -> Weights {
    let mut weights = Weights::new();
    for frame in browser.value(TREES)[kind].as_array().expect("a list of frames") {
        let number = |at: usize| frame[at].as_u64().expect("a weight");
        let path = frame[0].as_str().expect("a path").to_owned();
        let sum = weights.entry(path).or_default();
        sum[0] += number(2);
        sum[1] += number(1) - number(2);
    }
    weights
}

/// Weights of one profile are not before anything.
pub(super) fn of_one(weights: Weights) -> Weights {
    weights.into_iter().map(|(path, [weight, _])| (path, [0, weight])).collect()
}

/// All rows of the table, the self weight first, by scrolling through it.
fn table_of(browser: &Browser) -> BTreeMap<String, Vec<String>> {
    let rows = browser.value(
        "(() => {
            const stage = document.querySelector('.stage');
            const rows = {};
            const read = () => document.querySelectorAll('.row').forEach((row) => {
                const cells = [...row.querySelectorAll('.cell')].map((cell) => cell.textContent);
                rows[cells.pop()] = cells;
            });
            stage.scrollTop = 0;
            return (async () => {
                for (let top = 0; top < stage.scrollHeight; top += stage.clientHeight / 2) {
                    stage.scrollTop = top;
                    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                    read();
                }
                return rows;
            })();
        })()",
    );
    serde_json::from_value(rows).expect("rows of texts")
}

/// The cells of the table's rows; names are shown without their marks, and these have none.
fn cells(sums: &Sums, whole: u64) -> BTreeMap<String, Vec<String>> {
    let cells = sums.iter().map(|(name, [[own, _], [total, _]])| {
        let (own, total) = (*own, *total);
        let cells = [grouped(own), percent(own, whole), grouped(total), percent(total, whole)];
        (name.clone(), cells.to_vec())
    });
    cells.collect()
}

/// With a comma between every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|g| std::str::from_utf8(g).expect("digits"))
        .collect();
    groups.join(",")
}

/// Searches without taking the focus.
fn search(browser: &Browser, text: &str) {
    browser.value(&format!(
        "(() => {{
            const query = document.querySelector('.query');
            query.value = {};
            query.dispatchEvent(new Event('input', {{ bubbles: true }}));
        }})()",
        json!(text)
    ));
}

/// Opens the view at the part of the flame graph below a path.
fn zoom_to(browser: &Browser, path: &[&str]) {
    browser.type_keys("10");
    for (depth, name) in path.iter().enumerate() {
        // A click on the frame of this path, which is drawn because its caller is zoomed.
        browser.value(&format!(
            "void [...document.querySelectorAll('.frame[aria-level=\"{}\"]')].find((e) =>
                e.ariaLabel.startsWith({}) && e.box.isBelow === undefined).click()",
            depth + 2,
            json!(format!("{name}, ")),
        ));
    }
}

fn deepest_heavy_path(stacks: &Stacks, depth: usize) -> Vec<String> {
    let tree = stacks.top_down();
    let at_depth =
        tree.iter().filter(|(path, _)| path.matches(';').count() + 1 == depth && !path.is_empty());
    let (path, _) = at_depth.max_by_key(|(_, weights)| weights[0] + weights[1]).expect("a frame");
    path.split(';').map(str::to_owned).collect()
}

fn every_number_of_a_real_profile_is_that_of_its_stacks(stage: &Stage) {
    let folded = recording("folded/lwtsim-4.13.1-dwarf.folded.gz");
    let stacks = Stacks::of(&folded, 1);
    let browser = stage.show(&[], &folded);
    assert_eq!(weights_of(browser, "TopDown"), of_one(stacks.top_down()));
    let path = deepest_heavy_path(&stacks, 6);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    for path in [&path[..0], &path[..2], &path] {
        let part = stacks.from(path);
        let [whole, _] = part.total();
        zoom_to(browser, path);
        search(browser, "caml");
        let is_found = |text: &str| {
            let found = percent(part.found("caml").total()[0], whole);
            assert!(text.starts_with(&found), "{text}, not {found}");
        };
        is_found(&text_of(browser, "matched"));
        browser.type_keys("2");
        is_found(&text_of(browser, "matched"));
        assert_eq!(weights_of(browser, "BottomUp"), of_one(part.bottom_up()), "{path:?}");
        browser.type_keys("4");
        is_found(&text_of(browser, "matched"));
        search(browser, "");
        assert_eq!(table_of(browser), cells(&part.table(), whole), "{path:?}");
        // The function with the most weight that is called by another one.
        let is_called = |name: &str| !part.0.iter().any(|stack| stack.frames[0] == name);
        let called = part.table().into_iter().filter(|(name, _)| is_called(name));
        let (name, _) = called.max_by_key(|(_, [_, [total, _]])| *total).expect("a function");
        browser.type_keys("1");
        browser.value(&format!(
            "void (location.hash = '#view=sandwich&function={}&'
                + location.hash.slice(1).replace('zoom=', 'in='))",
            word_of(browser, &name)
        ));
        browser.await_value("document.querySelector('.app').dataset.view", &json!("sandwich"));
        assert_eq!(weights_of(browser, "BottomUp"), of_one(part.callers(&name)), "{path:?} {name}");
        assert_eq!(weights_of(browser, "Callees"), of_one(part.callees(&name)), "{path:?} {name}");
        search(browser, "caml");
        let through = part.with(&name, true);
        let found = percent(through.found("caml").total()[0], through.total()[0]);
        assert!(text_of(browser, "matched").starts_with(&found), "{path:?} {name}, not {found}");
        search(browser, "");
    }
}

/// The hash of a name as the address has it: 24 bits of FNV-1a in four digits.
pub(super) fn word_of(browser: &Browser, name: &str) -> String {
    browser.text(&format!(
        "(() => {{
            let hash = 0x811c9dc5;
            for (const letter of {}) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193);
            hash = (hash ^ (hash >>> 24)) >>> 0;
            const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_';
            return [18, 12, 6, 0].map((shift) => digits[(hash >>> shift) & 63]).join('');
        }})()",
        json!(name)
    ))
}

fn every_number_of_two_profiles_is_that_of_their_stacks(stage: &Stage) {
    let folded = "main;old 40 0\nmain;new 0 20\nmain;same;f;f 30 31\nf;main;f 7 3\nmain;same 1 2\n";
    let stacks = Stacks::of(folded.as_bytes(), 2);
    let browser = stage.show(&["--diff"], folded);
    assert_eq!(weights_of(browser, "TopDown"), stacks.top_down());
    for path in [&[][..], &["main"]] {
        let part = stacks.from(path);
        zoom_to(browser, path);
        browser.type_keys("2");
        assert_eq!(weights_of(browser, "BottomUp"), part.bottom_up(), "{path:?}");
    }
    let sums = stacks.table();
    browser.type_keys("0");
    browser.type_keys("4");
    for (name, cells) in table_of(browser) {
        let [[own_before, own_after], [before, after]] =
            sums[&name].map(|pair| pair.map(|n| n as i64));
        let signed = |change: i64| match change {
            1.. => format!("+{change}"),
            _ => change.to_string().replace('-', "\u{2212}"),
        };
        let expected = [
            signed(own_after - own_before),
            (own_before + own_after).to_string(),
            signed(after - before),
            (before + after).to_string(),
        ];
        assert_eq!(cells, expected, "{name}");
    }
}

fn every_number_of_a_chart_is_that_of_its_lines(stage: &Stage) {
    let folded = recording("folded/lwtsim-4.13.1-dwarf.folded.gz");
    let stacks = Stacks::of(&folded, 1);
    let browser = stage.show(&["--flamechart"], &folded);
    assert_eq!(weights_of(browser, "TopDown"), of_one(stacks.top_down()));
    browser.type_keys("2");
    assert_eq!(weights_of(browser, "BottomUp"), of_one(stacks.bottom_up()));
}

fn shares_are_those_of_the_zoom(stage: &Stage) {
    let browser = stage.show(&[], "main;f;g 30\nmain;f 20\nmain;h 25\nx 25\n");
    zoom_to(browser, &["main", "f"]);
    let said = |text: &str| assert_eq!(text_of(browser, "status"), text);
    said("f 50 counts 50.0% of all 100.0% of zoom 66.7% of parent self 20 (20.0%)");
    browser.type_keys("4");
    said("f self 20 counts (40.0% of zoom) total 50 counts (100.0% of zoom)");
    browser.type_keys("2");
    browser.point_at(&frame("g"));
    said("g 30 counts 30.0% of all 60.0% of zoom");
    assert!((share(browser, "g") - 0.6).abs() < 0.001);
}

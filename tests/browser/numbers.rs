use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::json;

use super::asking::saved;
use super::oracle::{Stacks, Sums, Weights, percent};
use super::{Browser, Stage, cases, drawn, frame, share, text_of};
use crate::util::recording;

cases![
    every_number_of_a_real_profile_is_that_of_its_stacks,
    every_number_of_two_profiles_is_that_of_their_stacks,
    boxes_are_as_wide_as_before_after_or_both,
    what_is_gone_is_shown_in_both_profiles,
    weights_of_more_than_53_bits_are_exact,
    every_number_of_a_chart_is_that_of_its_lines,
    shares_are_those_of_the_zoom,
];

/// All frames in the trees of a view, drawn or not, each after its caller: its depth, its name, the
/// weights before and after (before is 0 for a single profile), and the weight that the width shows.
/// A tree is named after its kind. As one text, since a driver takes long to pass on a list.
pub(super) const TREES: &str = r"(() => {
    const names = document.querySelector('metadata[id=names]').textContent.split('\n');
    const isDiff = document.querySelector('.app.diff') !== null;
    const roots = new Map();
    for (const { box } of document.querySelectorAll('.frame[role]')) {
        roots.set(box.branch.tree.constructor.name, box.branch.tree.root);
    }
    const frames = {};
    for (const [kind, root] of roots) {
        const list = frames[kind] = [];
        const pending = [[root, 0]];
        while (pending.length > 0) {
            const [branch, depth] = pending.pop();
            const { before, after, weight } = branch;
            const name = branch === root ? '' : names[branch.name] ?? '[hidden]';
            list.push([depth, name, ...(isDiff ? [before, after] : [0, weight]), weight].map(String));
            for (const kid of branch.kids) pending.push([kid, depth + 1]);
        }
    }
    return JSON.stringify(frames);
})()";

/// The weights in one of the trees; equal paths, which a chart may have, are summed.
pub(super) fn weights_of(browser: &Browser, kind: &str) -> Weights {
    let mut weights = Weights::new();
    for (path, [before, after, _]) in frames_of(browser, kind) {
        let sum = weights.entry(path).or_default();
        sum[0] += before;
        sum[1] += after;
    }
    weights
}

/// The weights that the widths of frames show.
fn widths_of(browser: &Browser, kind: &str) -> BTreeMap<String, u64> {
    frames_of(browser, kind).into_iter().map(|(path, [.., width])| (path, width)).collect()
}

fn frames_of(browser: &Browser, kind: &str) -> Vec<(String, [u64; 3])> {
    paths(&browser.text(TREES), kind)
}

/// The frames of a tree of [`TREES`], each by its path with `;` between the names.
pub(super) fn paths(trees: &str, kind: &str) -> Vec<(String, [u64; 3])> {
    let mut trees: BTreeMap<String, Vec<[String; 5]>> =
        serde_json::from_str(trees).expect("lists of frames");
    let frames = trees.remove(kind).expect("a tree").into_iter();
    // The path to each caller of the next frame; that of the root is empty.
    let mut callers: Vec<String> = Vec::new();
    let path = |[depth, name, weights @ ..]: [String; 5]| {
        callers.truncate(depth.parse().expect("a depth"));
        let path = match &callers[..] {
            [_root, .., caller] => format!("{caller};{name}"),
            _ => name,
        };
        callers.push(path.clone());
        (path, weights.map(|weight| weight.parse().expect("a whole number")))
    };
    frames.map(path).collect()
}

/// The weights of a single profile have no "before".
pub(super) fn of_one(weights: Weights) -> Weights {
    weights.into_iter().map(|(path, [weight, _])| (path, [0, weight])).collect()
}

/// All rows of the table, sorted by self weight, collected by scrolling.
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

/// The cells of the table's rows. The table shows names without marks; these names have none.
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
        let outside = &path[..path.len().saturating_sub(1)];
        let callers = part.callers(&name, outside);
        assert_eq!(weights_of(browser, "BottomUp"), of_one(callers), "{path:?} {name}");
        assert_eq!(weights_of(browser, "Callees"), of_one(part.callees(&name)), "{path:?} {name}");
        search(browser, "caml");
        let through = part.with(&name, true);
        let found = through.under(outside).found("caml").total()[0];
        let found = percent(found, through.total()[0]);
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
    browser.type_keys("0");
    browser.type_keys("4");
    assert_eq!(table_of(browser), cells_of_two(&stacks.table(), Some(stacks.total())));
}

/// The cells of the table's rows: before, after and the change, for self and total; as shares of
/// `all`, or as weights.
fn cells_of_two(sums: &Sums, all: Option<[u64; 2]>) -> BTreeMap<String, Vec<String>> {
    let sign = |order: Ordering| match order {
        Ordering::Greater => "+",
        Ordering::Equal => "",
        Ordering::Less => "\u{2212}",
    };
    let three = |[before, after]: [u64; 2]| {
        let change = match all {
            None => format!("{}{}", sign(after.cmp(&before)), grouped(after.abs_diff(before))),
            Some(all) => {
                let change = 100.0 * (after as f64 / all[1] as f64 - before as f64 / all[0] as f64);
                format!("{}{:.2}", sign(change.total_cmp(&0.0)), change.abs())
            }
        };
        [grouped(before), grouped(after), change]
    };
    sums.iter().map(|(name, sums)| (name.clone(), sums.map(three).concat())).collect()
}

/// The weight that a frame's width shows, if the picture's width is before, after or both.
fn width_of(width: &str, [before, after]: [u64; 2]) -> u64 {
    match width {
        "before" => before,
        "after" => after,
        _ => before + after,
    }
}

fn boxes_are_as_wide_as_before_after_or_both(stage: &Stage) {
    let folded = "main;old 40 0\nmain;new 0 20\nmain;same;f;f 30 31\nf;main;f 7 3\nmain;same 1 2\n";
    let stacks = Stacks::of(folded.as_bytes(), 2);
    let browser = stage.show(&["--diff", "--no-normalize"], folded);
    for width in ["both", "before", "after", "both"] {
        let same = |kind: &str, mut weights: Weights| {
            weights.retain(|_, pair| width_of(width, *pair) > 0);
            let widths = weights.iter().map(|(path, pair)| (path.clone(), width_of(width, *pair)));
            assert_eq!(widths_of(browser, kind), widths.collect(), "{width}");
            assert_eq!(weights_of(browser, kind), weights, "{width}");
        };
        assert_eq!(browser.text("document.querySelector('.width').value"), width);
        same("TopDown", stacks.top_down());
        let total = width_of(width, stacks.total()) as f64;
        for (name, pair) in [("old", [40, 0]), ("new", [0, 20]), ("same", [31, 33])] {
            let weight = width_of(width, pair);
            assert_eq!(drawn(browser).contains(&name.to_owned()), weight > 0, "{width} {name}");
            if weight > 0 {
                assert!((share(browser, name) - weight as f64 / total).abs() < 0.001);
                browser.point_at(&frame(name));
                let status = text_of(browser, "status");
                let of_all = percent(weight, total as u64);
                assert!(status.contains(&format!(" {of_all} of all")), "{width}: {status}");
            }
        }
        search(browser, "old");
        let found = percent(width_of(width, [40, 0]), total as u64);
        assert!(text_of(browser, "matched").starts_with(&found), "{width}");
        search(browser, "");
        zoom_to(browser, &["main"]);
        browser.type_keys("2");
        same("BottomUp", stacks.from(&["main"]).bottom_up());
        browser.type_keys("4");
        assert_eq!(
            table_of(browser),
            cells_of_two(&stacks.from(&["main"]).table(), None),
            "{width}"
        );
        browser.type_keys("10");
        // The address has the width, too.
        browser.reload();
        browser.await_value("document.querySelector('.width')?.value", &json!(width));
        browser.type_keys("d");
    }
}

fn what_is_gone_is_shown_in_both_profiles(stage: &Stage) {
    let browser = stage.show_at("#width=after&view=table", &["--diff"], "a;old 4 0\na 0 4\n");
    assert_eq!(browser.text("document.querySelector('.width').value"), "after");
    browser.click(
        "[...document.querySelectorAll('.row')].find((row) => row.innerText.endsWith('old'))",
    );
    assert_eq!(browser.text("document.querySelector('.width').value"), "both");
    assert_eq!(text_of(browser, "crumbs"), "old");
    // Without anything before, no box could be as wide as before.
    for width in ["before", "total", "constructor"] {
        let browser = stage.show_at(&format!("#width={width}"), &["--diff"], "a 0 4\n");
        assert_eq!(drawn(browser), ["a", "all"]);
        assert_eq!(browser.text("document.querySelector('.width').value"), "both");
    }
}

fn weights_of_more_than_53_bits_are_exact(stage: &Stage) {
    // Together these are the largest weights that a folded file may have.
    let folded = "a;b 9223372036854775809\na;c 1\na;b;c 3\nd 9223372036854775802\n";
    let stacks = Stacks::of(folded.as_bytes(), 1);
    assert_eq!(stacks.total(), [u64::MAX, 0]);
    let browser = stage.show(&[], folded);
    assert_eq!(weights_of(browser, "TopDown"), of_one(stacks.top_down()));
    browser.point_at(&frame("d"));
    assert!(
        text_of(browser, "status").starts_with("d 9,223,372,036,854,775,802 counts 50.0% of all")
    );
    browser.type_keys("2");
    assert_eq!(weights_of(browser, "BottomUp"), of_one(stacks.bottom_up()));
    browser.type_keys("4");
    assert_eq!(table_of(browser), cells(&stacks.table(), u64::MAX));
    assert_eq!(text_of(browser, "table-sum"), "18,446,744,073,709,551,615 100.0% all 4 functions");
    search(browser, "c");
    assert_eq!(text_of(browser, "functions"), "1 function, 4 counts");
    search(browser, "");
    browser.type_keys("1");
    browser.value(&format!("void {}.click()", frame("a")));
    assert_eq!(text_of(browser, "crumbs"), "all a");
    assert!(text_of(browser, "status").starts_with("a 9,223,372,036,854,775,813 counts"));
    search(browser, "b");
    assert_eq!(text_of(browser, "functions"), "1 function, 9,223,372,036,854,775,812 counts");
    let lines = "a;b;c 3\na;b 9223372036854775809\na;c 1\nd 9223372036854775802\n";
    assert_eq!(saved(browser), lines.as_bytes());
    let folded = "a;b 9007199254740993 9007199254740995\nc 1 9007199254740994\n";
    let stacks = Stacks::of(folded.as_bytes(), 2);
    let browser = stage.show(&["--diff"], folded);
    assert_eq!(weights_of(browser, "TopDown"), stacks.top_down());
    browser.type_keys("4");
    assert_eq!(table_of(browser), cells_of_two(&stacks.table(), Some(stacks.total())));
    assert_eq!(saved(browser), folded.as_bytes());
    // In a flame chart the gaps are exact, too.
    let folded = "a;b 9007199254740993\na 9007199254740995\na;b 1\na 3\n";
    assert_eq!(saved(stage.show(&["--flamechart"], folded)), folded.as_bytes());
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

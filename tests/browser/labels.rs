use common::names::fitted;
use serde_json::json;

use super::{Stage, cases};

cases![
    boxes_keep_the_names_of_functions,
    a_narrow_box_of_wide_letters_is_not_blank,
    long_names_of_callers_do_not_cover_what_follows,
    the_table_has_bars_of_shares_and_names_of_functions,
];

/// The labels of all boxes, each with the width of its box in letters and its whole name.
const LABELS: &str = "(() => {
    const context = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas').getContext('2d');
    const { fontSize, fontFamily } = getComputedStyle(document.querySelector('.boxes'));
    context.font = `${fontSize} ${fontFamily}`;
    const letter = context.measureText('0123456789').width / 10;
    return [...document.querySelectorAll('.frame[role]')].map((e) => (
        [e.ariaLabel.slice(0, e.ariaLabel.lastIndexOf(', ', e.ariaLabel.lastIndexOf(', ') - 1)),
            Math.floor((e.box.width - 8) / letter), e.textContent]));
})()";

fn labels(stage: &Stage, folded: &str) -> Vec<(String, usize, String)> {
    let labels = stage.show(&[], folded).value(LABELS);
    serde_json::from_value(labels).expect("a name, a width and a label each")
}

/// The page shortens a name as the static picture and the drawing in a terminal do.
fn boxes_keep_the_names_of_functions(stage: &Stage) {
    const NAMES: [&str; 20] = [
        "std::vector<int>::push_back(int const&)",
        "std::string::compare(char const*) const",
        "a::b::Map<I,F>::next",
        "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
        "main.(*Map[go.shape.int]).Get",
        "void (anonymous namespace)::run<a::B, c::D>(a::B const&) const",
        "std::operator<< <char>(std::ostream&, char const*)",
        "decltype(x->y) ns::get(std::pair<int, char>)",
        "Server::run(int)::{lambda(int)#1}::operator()(int) const",
        "<core::iter::Map<I,F> as core::Iterator>::fold",
        "core::ptr::drop_in_place::h0123456789abcdef",
        "tokio::runtime::run::{{closure}}",
        "java.util.concurrent.HashMap.putVal(int, Object)",
        "java/util/HashMap.<init>",
        "net/http.(*conn).serve",
        "main.main.func1.2",
        "Stdlib.List.fold_left",
        "asyncio.base.Loop.run.<locals>.<lambda>",
        "mark_slice.constprop.0",
        "関数::実行する時間",
    ];
    let mut shortened = 0;
    for boxes in [4, 6, 8, 10, 12, 16, 20, 26, 32, 40] {
        // A name twice below one root would be one box.
        let lines = NAMES.iter().cycle().zip(0..boxes);
        let folded: String = lines
            .map(|(name, at)| format!("{};{name} {}\n", at / NAMES.len(), 100 + at % 5))
            .collect();
        for (name, room, label) in labels(stage, &folded) {
            assert_eq!(label, fitted(&name, room), "{name} in {room}");
            shortened += usize::from(label.contains('\u{2026}'));
        }
    }
    assert!(shortened > 50, "{shortened} labels were shortened");
}

fn a_narrow_box_of_wide_letters_is_not_blank(stage: &Stage) {
    let folded: String = (10..38).map(|number| format!("関数{number}を実行 1\n")).collect();
    let found = labels(stage, &folded);
    let narrow: Vec<_> = found.iter().filter(|(name, ..)| name != "all").collect();
    assert_eq!(narrow.len(), 28);
    for (name, room, label) in narrow {
        assert!((3..=4).contains(room), "{room}");
        assert_eq!(label, "\u{2026}行", "{name}");
    }
}

/// A whole name may be copied, though less of it is shown.
fn the_table_has_bars_of_shares_and_names_of_functions(stage: &Stage) {
    let long = format!("std::map<{}>::insert(int)", "std::string, ".repeat(20));
    let browser = stage.show(&[], format!("main;{long} 30\nmain;b 20\nx 50\n"));
    browser.type_keys("4");
    let bars = "[...document.querySelectorAll('.row .totalShare')].map((cell) => (
        Math.round(100 * cell.querySelector('.gauge').getBoundingClientRect().width / (cell.clientWidth - 20))))";
    // The largest has the whole width.
    assert_eq!(browser.value(bars), json!([100, 60, 40, 100]));
    let cell = "document.querySelector('.row [data-label]')";
    assert_eq!(browser.text(&format!("{cell}.textContent")), long);
    let label = browser.text(&format!("{cell}.dataset.label"));
    assert_eq!(label, "\u{2026}map::insert");
    assert_eq!(browser.value(&format!("{cell}.scrollWidth > {cell}.clientWidth")), json!(false));
}

fn long_names_of_callers_do_not_cover_what_follows(stage: &Stage) {
    let [caller, callee] = [1, 2].map(|number| format!("{}{number}", "long::".repeat(30)));
    let browser = stage.show(&[], format!("{caller};{callee} 3\n"));
    browser.click(&super::frame(&callee));
    // Text that is wider than its element is cut.
    let covers = "[...document.querySelectorAll('.crumb')].filter((e) =>
        e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX === 'visible').length";
    assert_eq!(browser.value("document.querySelectorAll('.crumb').length"), json!(3));
    assert_eq!(browser.value(covers), json!(0));
}

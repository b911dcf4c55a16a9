//! The pictures of stack-svg and stack-heat in a real browser.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::needs::{BROWSER, goes_without};
use crate::util::picture;
pub(crate) use driver::Browser;
pub(crate) use server::Server;

mod driver;
mod server;

// The core of it all in another browser.
mod firefox;

// Zoom, search, numbers and the keyboard.
mod reading;

// What the search found: marks, numbers, the next one; patterns that take for ever.
mod search;

// Ranges: what is narrow or out of sight is reached with the mouse and the keyboard.
mod range;

// What a screen reader is told of the tree.
mod aloud;

// Profiles of many roots.
mod roots;

// What boxes say where there is little room.
mod labels;

// The four views.
mod views;

// What the views keep of each other: the zoom, the selected frame, the order.
mod keeping;

// What a picture must say, computed from its folded lines.
mod oracle;

// Every number of a page against the oracle.
mod numbers;

// Filters, the commands that do the same, and the stacks that a page saves.
mod asking;

// Kinds of pictures: two profiles, time, themes.
mod kinds;

// A phone, paper, a page around it, a screen reader.
mod everywhere;

// Safety: names must not be run, and no script where none is allowed.
mod safety;

// How fast it is, with many frames.
mod speed;

// The heat map: what is selected, and what is shown to paste.
mod heat;

// The strip of time above a flame graph.
mod strip;

// Flame charts of lines that have a time.
mod chart;

/// All cases are one test, which needs one browser only; it names those that fail.
#[test]
fn pictures_work_in_a_browser() {
    if goes_without(&[BROWSER]) {
        return;
    }
    let stage = Stage { browser: Browser::start(), server: Server::start() };
    let cases = [
        reading::CASES,
        range::CASES,
        search::CASES,
        aloud::CASES,
        roots::CASES,
        labels::CASES,
        views::CASES,
        keeping::CASES,
        numbers::CASES,
        asking::CASES,
        kinds::CASES,
        everywhere::CASES,
        safety::CASES,
        speed::CASES,
        heat::CASES,
        strip::CASES,
        chart::CASES,
    ]
    .concat();
    let failed: Vec<&str> = cases
        .iter()
        .filter(|(_, case)| catch_unwind(AssertUnwindSafe(|| stage.play(*case))).is_err())
        .map(|(name, _)| *name)
        .collect();
    assert!(failed.is_empty(), "{} of {} cases failed: {failed:?}", failed.len(), cases.len());
}

/// A case, and what must hold in it.
type Case = (&'static str, fn(&Stage));

/// `cases![a, b]` is a list of cases by their names.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        pub(super) const CASES: &[super::Case] = &[$((stringify!($case), $case)),*];
    };
}
use cases;

/// Shows pictures in the browser.
struct Stage {
    browser: Browser,
    server: Server,
}

impl Stage {
    fn play(&self, case: fn(&Stage)) {
        case(self);
        assert_eq!(self.browser.messages(), [""; 0]);
    }

    /// Draws folded stacks and opens the picture.
    fn show(&self, args: &[&str], folded: impl AsRef<[u8]>) -> &Browser {
        self.show_at("", args, folded)
    }

    /// The same, at an address that ends in `fragment`.
    fn show_at(&self, fragment: &str, args: &[&str], folded: impl AsRef<[u8]>) -> &Browser {
        self.show_svg(fragment, picture(args, folded))
    }

    /// Opens a picture at an address that ends in `fragment`.
    fn show_svg(&self, fragment: &str, svg: Vec<u8>) -> &Browser {
        let url = self.server.add("picture", svg, "");
        // An address that differs in its fragment only would not be loaded again.
        self.browser.open("about:blank");
        self.browser.open(&format!("{url}{fragment}"));
        &self.browser
    }
}

/// The frame of this name that is nearest to the root, and of several the first.
fn frame(name: &str) -> String {
    format!(
        "[...document.querySelectorAll('.frame')].sort((a, b) => a.ariaLevel - b.ariaLevel)
            .find((e) => e.getAttribute('aria-label')?.startsWith('{name}, '))"
    )
}

/// The names of all frames that are drawn, without groups of narrow ones.
fn drawn(browser: &Browser) -> Vec<String> {
    let names = browser.value(
        "[...document.querySelectorAll('.frame[role]')].map((e) => e.getAttribute('aria-label').split(', ')[0])",
    );
    let mut names: Vec<String> = serde_json::from_value(names).expect("names");
    names.sort();
    names
}

/// The width of a frame as a part of the whole width.
fn share(browser: &Browser, name: &str) -> f64 {
    browser.number(&format!(
        "{}.box.width / document.querySelector('.stage').clientWidth",
        frame(name)
    ))
}

/// The text of the only element of a class.
fn text_of(browser: &Browser, class: &str) -> String {
    browser
        .text(&format!("document.querySelector('.{class}').innerText.replace(/\\s+/g, ' ').trim()"))
}

/// The name that has the focus.
fn focused(browser: &Browser) -> Value {
    browser.value("document.activeElement.getAttribute('aria-label')?.split(', ')[0] ?? null")
}

/// Waits until the search says this.
fn found_is(browser: &Browser, expected: &str) {
    browser.await_value("document.querySelector('.matched').textContent", &expected.into());
}

fn query(browser: &Browser, text: &str) {
    browser.value("void document.querySelector('.query').select()");
    browser.type_keys(if text.is_empty() { "\u{e017}" } else { text });
}

//! The pictures of stack-svg and stack-heat in a real browser.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::needs::{BROWSER, goes_without};
use crate::util::picture;
pub(crate) use driver::Browser;
pub(crate) use server::Server;

mod driver;
mod server;

// The most important cases in another browser.
mod firefox;

// Zoom, search, numbers and the keyboard.
mod reading;

// Search: marks, numbers, the next match; patterns that take for ever.
mod search;

// Ranges: the mouse and the keyboard reach frames that are narrow or out of sight.
mod range;

// What a screen reader gets of the tree.
mod aloud;

// Profiles of many roots.
mod roots;

// The labels of boxes with little room.
mod labels;

// The four views.
mod views;

// What the views share: the zoom, the selected frame, the order.
mod keeping;

// The expected numbers of a picture, computed from its folded lines.
mod oracle;

// Every number of a page against the oracle.
mod numbers;

// Filters, the commands that do the same, and the stacks that a page saves.
mod asking;

// Kinds of pictures: two profiles, time, themes.
mod kinds;

// Whether texts can be read, in the light, in the dark and in forced colours.
mod contrast;

// The legend and the heading.
mod legend;

// A phone, paper, a page around it, a screen reader.
mod everywhere;

// Long names, low windows, lanes of few samples.
mod room;

// Safety: names must not be executed, and no script may run where none is allowed.
mod safety;

// How fast it is, with many frames.
mod speed;

// The heat map: selections, and the command to paste.
mod heat;

// The strip of time above a flame graph.
mod strip;

// Flame charts of lines that have a time.
mod chart;

/// A case: its name, and its checks.
type Case = (&'static str, fn(&Stage));

/// `cases![a, b]` is the test of a module: all its cases, in one browser.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        #[test]
        fn pictures_work_in_a_browser() {
            super::play(&[$((stringify!($case), $case)),*]);
        }
    };
}
use cases;

/// Plays all cases, also after one that fails, and says which failed.
fn play(cases: &[Case]) {
    if goes_without(&[BROWSER]) {
        return;
    }
    let stage = Stage { browser: Browser::start(), server: Server::start() };
    let failed: Vec<&str> = cases
        .iter()
        .filter(|(_, case)| catch_unwind(AssertUnwindSafe(|| stage.play(*case))).is_err())
        .map(|(name, _)| *name)
        .collect();
    // During a panic the browser would not be asked to end.
    drop(stage);
    assert!(failed.is_empty(), "{} of {} cases failed: {failed:?}", failed.len(), cases.len());
}

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

    /// Like [`show`](Stage::show), at an address that ends in `fragment`.
    fn show_at(&self, fragment: &str, args: &[&str], folded: impl AsRef<[u8]>) -> &Browser {
        self.show_svg(fragment, picture(args, folded))
    }

    /// Opens a picture at an address that ends in `fragment`.
    fn show_svg(&self, fragment: &str, svg: Vec<u8>) -> &Browser {
        let url = self.server.add("picture", svg, "");
        self.browser.open(&format!("{url}{fragment}"));
        self.browser.await_keyboard();
        &self.browser
    }
}

/// An expression for the frame of this name that is nearest to the root; of several the first.
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

/// Waits until the search shows this text.
fn found_is(browser: &Browser, expected: &str) {
    browser.await_value("document.querySelector('.matched').textContent", &expected.into());
}

fn query(browser: &Browser, text: &str) {
    browser.value("void document.querySelector('.query').select()");
    browser.type_keys(if text.is_empty() { "\u{e017}" } else { text });
}

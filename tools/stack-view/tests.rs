//! Keys at random, on stacks at random: what is shown is what the stacks say.

use std::collections::{BTreeMap, BTreeSet};

use common::{numbers::Unit, stacks::StackCounts};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use crate::app::App;
use crate::colors::Palette;
use crate::draw::draw;
use crate::profile::Profile;
use crate::steps::Step;
use crate::view::Kind;

type Stacks = Vec<(Vec<String>, u64)>;

fn app(stacks: &Stacks, size: [usize; 2]) -> App {
    let mut counts = StackCounts::default();
    for (frames, weight) in stacks {
        counts.add(frames.join(";").as_bytes(), *weight);
    }
    let profile = Profile::new(counts, Unit::named("samples")).expect("small weights");
    let mut app = App::new(profile, Palette::True, false);
    app.size = size;
    app.place();
    app
}

fn key(code: KeyCode) -> Event {
    Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// What the screen shows.
fn screen(app: &App) -> String {
    let [width, height] = app.size.map(|it| it as u16);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("in memory");
    terminal.draw(|frame| draw(app, frame)).expect("in memory");
    terminal.backend().to_string()
}

/// The stacks that are shown, as text, equal ones summed.
fn shown(app: &App) -> BTreeMap<String, u64> {
    let name = |frame: &u32| String::from_utf8_lossy(app.view.profile.name(*frame)).into_owned();
    let mut shown = BTreeMap::new();
    for (frames, weight) in app.view.stacks() {
        let text = frames.iter().map(name).collect::<Vec<_>>().join(";");
        assert!(shown.insert(text, weight).is_none(), "each stack comes once");
    }
    shown
}

/// What steps leave of stacks, in the plainest way.
fn after(steps: &[Step], stacks: &Stacks) -> BTreeMap<String, u64> {
    let mut left: BTreeMap<String, u64> = BTreeMap::new();
    for (frames, weight) in stacks.iter().filter(|(_, weight)| *weight > 0) {
        let mut frames = frames.clone();
        let is_left = steps.iter().all(|step| match step {
            Step::Only(name) => frames.iter().any(|it| it.as_bytes() == name),
            Step::Without(name) => !frames.iter().any(|it| it.as_bytes() == name),
            Step::Hide(name) => {
                frames.retain(|it| it.as_bytes() != name);
                true
            }
            Step::HideModule(its) => {
                frames.retain(|it| common::names::module(it.as_bytes()) != its);
                true
            }
            Step::FoldRecursion => {
                frames.dedup();
                true
            }
            Step::NoRoots => {
                if frames.len() > 1 {
                    frames.remove(0);
                }
                true
            }
        } && {
            if frames.is_empty() {
                frames.push("[hidden]".to_owned());
            }
            true
        });
        if is_left {
            *left.entry(frames.join(";")).or_default() += weight;
        }
    }
    left
}

/// The self and total weights of every function in these stacks.
fn weights(stacks: &BTreeMap<String, u64>) -> BTreeMap<String, [u64; 2]> {
    let mut weights: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (stack, weight) in stacks {
        let frames: BTreeSet<&str> = stack.split(';').collect();
        for frame in frames {
            weights.entry(frame.to_owned()).or_default()[1] += weight;
        }
        let leaf = stack.rsplit(';').next().expect("one at least");
        weights.entry(leaf.to_owned()).or_default()[0] += weight;
    }
    weights
}

fn events() -> impl Strategy<Value = Event> {
    let keys = "1234sfrunNioi+-0cCx/?lwq ab";
    let letters: Vec<Event> =
        keys.chars().filter(|it| !"wq".contains(*it)).map(|it| key(KeyCode::Char(it))).collect();
    let codes = [
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
    ];
    let shifted = [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right]
        .map(|code| Event::Key(KeyEvent::new(code, KeyModifiers::SHIFT)));
    let mouse = (0..90u16, 0..30u16, 0..3u8).prop_map(|(column, row, kind)| {
        let kind = match kind {
            0 => MouseEventKind::Down(MouseButton::Left),
            1 => MouseEventKind::ScrollUp,
            _ => MouseEventKind::ScrollDown,
        };
        Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
    });
    prop_oneof![
        8 => prop::sample::select(letters),
        8 => prop::sample::select(codes.map(key).to_vec()),
        2 => prop::sample::select(shifted.to_vec()),
        2 => mouse,
        1 => (0..90u16, 0..30u16).prop_map(|(columns, rows)| Event::Resize(columns, rows)),
    ]
}

fn stacks() -> impl Strategy<Value = Stacks> {
    let frame = prop::sample::select(vec!["a", "b", "M.c", "M.d", "M.N.e", "[x]", "名前", "A b"]);
    let frames = prop::collection::vec(frame.prop_map(str::to_owned), 1..7);
    prop::collection::vec((frames, 0..50u64), 1..30)
        .prop_filter("something to show", |all| all.iter().any(|(_, weight)| *weight > 0))
}

/// The boxes, the table and the way to the zoomed frame show the same names.
#[test]
fn a_frame_has_one_name_in_all_views() {
    let names = ["", "f (a.c:3)_[l]_[i]", "g"].map(str::to_owned);
    let mut app = app(&vec![(names.to_vec(), 3)], [80, 16]);
    for code in [KeyCode::Up, KeyCode::Up, KeyCode::Enter] {
        app.on(&key(code)).expect("in memory");
    }
    let flame = screen(&app);
    assert!(flame.contains("all \u{203a} [empty name] \u{203a} f "), "{flame}");
    assert!(!flame.contains("_["), "{flame}");
    app.on(&key(KeyCode::Char('4'))).expect("in memory");
    let table = screen(&app);
    assert!(table.contains(" [empty name] ") && table.contains(" f "), "{table}");
    assert!(!table.contains("_["), "{table}");
}

#[test]
fn what_is_beside_the_tabs_is_shortened_where_it_does_not_fit() {
    let mut app = app(&vec![(vec!["main".to_owned()], 3)], [200, 24]);
    app.view.search("main").expect("a text");
    let mut first_line = |width| {
        app.size[0] = width;
        app.place();
        let screen = screen(&app);
        screen.lines().next().expect("the tabs").trim_matches('"').to_owned()
    };
    let tabs = first_line(200).find("main:").map(|at| first_line(200)[..at].trim_end().len() + 1);
    let tabs = tabs.expect("the tabs end in a space");
    let beside = first_line(200)[tabs..].trim_start().to_owned();
    let exact = tabs + 1 + beside.len();
    assert_eq!(first_line(exact + 1)[tabs..], format!("  {beside}"));
    assert_eq!(first_line(exact)[tabs..], format!(" {beside}"));
    let shorter = first_line(exact - 1)[tabs..].to_owned();
    assert!(shorter.starts_with(" main:") && shorter.contains('\u{2026}'), "{shorter}");
    // Eight columns are the fewest that say anything.
    assert_eq!(first_line(tabs + 8)[tabs..].trim(), "");
    assert_ne!(first_line(tabs + 9)[tabs..].trim(), "");
}

proptest! {
    // A file of failing cases would be written among the tools.
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_keys_on_any_stacks_show_what_the_stacks_say(
        stacks in stacks(),
        events in prop::collection::vec(events(), 1..60),
        size in (1..100usize, 1..40usize),
    ) {
        let mut app = app(&stacks, [size.0, size.1]);
        for event in &events {
            let _ = app.on(event);
            if app.size.iter().all(|it| *it > 0) {
                screen(&app);
            }
            let left = after(&app.view.steps, &stacks);
            let shown = shown(&app);
            for (stack, weight) in &shown {
                prop_assert_eq!(left.get(stack), Some(weight), "{} after {:?}", stack, event);
            }
            let all: u64 = left.values().sum();
            let numbers = app.view.numbers();
            prop_assert!(numbers.is_none_or(|it| it.of_all == all && it.own <= it.total && it.total <= all));
            let sum: u64 = shown.values().sum();
            let expected = match app.view.kind {
                Kind::Sandwich => app.view.tree(crate::view::Side::Main).branch(0).weight,
                Kind::Table => app.view.calls.call(app.view.scope_call()).total,
                _ => { let [start, end] = app.view.zoomed(); end - start }
            };
            prop_assert_eq!(sum, expected);
            if app.view.kind == Kind::Table && app.view.hits.is_none() {
                let rows = app.view.rows.iter().map(|row| {
                    let name = String::from_utf8_lossy(app.view.profile.name(row.frame)).into_owned();
                    (name, [row.weights.self_weight, row.weights.total])
                });
                let mut expected = weights(&shown);
                if app.view.scope_call() == 0 {
                    prop_assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected);
                } else {
                    // Callers of the zoomed frame are not among its rows.
                    for (name, weights) in rows {
                        prop_assert!(expected.remove(&name).is_some_and(|it| it[1] >= weights[1]));
                    }
                }
            }
        }
    }

    #[test]
    fn what_a_search_finds_is_counted_once(stacks in stacks(), query in "[abcM名x]") {
        let mut app = app(&stacks, [80, 24]);
        for kind in [Kind::Flame, Kind::BottomUp, Kind::Table] {
            app.view.show(kind);
            app.view.search(&query).expect("a text");
            let holds = |frames: &[String]| {
                frames.iter().any(|it| it.to_lowercase().contains(&query.to_lowercase()))
            };
            let exact = query.chars().any(char::is_uppercase);
            let holds_exact = |frames: &[String]| frames.iter().any(|it| it.contains(&query));
            let found: u64 = stacks
                .iter()
                .filter(|(frames, _)| if exact { holds_exact(frames) } else { holds(frames) })
                .map(|(_, weight)| weight)
                .sum();
            let all: u64 = stacks.iter().map(|(_, weight)| weight).sum();
            prop_assert_eq!(app.view.found(), Some([found, all]), "{:?}", kind);
        }
    }
}

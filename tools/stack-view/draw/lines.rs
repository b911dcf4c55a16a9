//! The lines above and below the boxes.

use common::names::{FrameParts, fitted, printable, printable_name, shortened};
use common::numbers::rounded_share;
use ratatui::style::{Modifier, Style};

use super::{Canvas, width_of};
use crate::app::{App, Mode};
use crate::steps::Step;
use crate::view::{Kind, Numbers};

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// The views, and what the search found.
pub(crate) fn tabs(app: &App, canvas: &mut Canvas<'_>) {
    let mut column = 0;
    for (kind, number) in Kind::ALL.into_iter().zip(1..) {
        let is_shown = kind == app.view.kind;
        let style = if is_shown { BOLD.add_modifier(Modifier::REVERSED) } else { Style::new() };
        column = canvas.text(column, 0, &format!(" {number} {} ", kind.word()), style);
    }
    let right = right_of_tabs(app);
    let width = width_of(&right);
    if column + 1 + width <= canvas.width {
        canvas.text(canvas.width - width, 0, &right, Style::new());
    } else if canvas.width > column + 8 {
        let room = canvas.width - column - 1;
        canvas.text(column + 1, 0, &shortened(&right, room), Style::new());
    }
}

fn right_of_tabs(app: &App) -> String {
    let mut said = Vec::new();
    if let (Some(hits), Some([found, whole])) = (&app.view.hits, app.view.found()) {
        let unit = &app.view.profile.unit;
        said.push(format!(
            "{}: {} found, {}",
            hits.query,
            percent(found, whole),
            unit.words(found)
        ));
    }
    if let Some(live) = &app.live {
        let what = if live.is_last { "last interval" } else { "all" };
        let state = match (live.is_over, live.is_paused) {
            (true, _) => "over",
            (false, true) => "paused",
            (false, false) => "live",
        };
        said.push(format!("{state}, {what}"));
    }
    said.join(" \u{b7} ")
}

/// From the whole to the zoomed frame, and the part of it that is in sight.
pub(crate) fn way(app: &App, canvas: &mut Canvas<'_>) {
    let names = app.view.way().into_iter().map(|frame| printable_name(FrameParts::of(frame).name));
    let mut way = names.collect::<Vec<_>>().join(" \u{203a} ");
    if let Some([from, to]) = app.view.range {
        let [start, end] = app.view.zoomed();
        let part = |at: u64| 100.0 * (at - start) as f64 / (end - start).max(1) as f64;
        way += &format!("  {:.1}\u{2013}{:.1}%", part(from), part(to));
    }
    // The end says more than the start.
    canvas.text(0, 1, &end_of(&way, canvas.width), app.palette.dim());
}

/// As much of the end as there is room for.
fn end_of(text: &str, columns: usize) -> String {
    if width_of(text) <= columns {
        return text.to_owned();
    }
    let mut start = text.len();
    for (at, _) in text.char_indices().rev() {
        if width_of(&text[at..]) + 1 > columns {
            break;
        }
        start = at;
    }
    format!("\u{2026}{}", &text[start..])
}

/// What the reader asked for so far.
pub(crate) fn steps(app: &App, canvas: &mut Canvas<'_>) {
    let words: Vec<String> = app.view.steps.iter().map(Step::words).collect();
    let text = format!("{}  (u: take back)", words.join(" | "));
    canvas.text(0, 2, &shortened(&text, canvas.width), Style::new());
}

/// The lines below the boxes, as many as there is room for.
pub(crate) fn below(app: &App, lines: usize, canvas: &mut Canvas<'_>) {
    let last = canvas.height - 1;
    if lines > 2 {
        name(app, last - 2, canvas);
    }
    if lines > 1 {
        let text = app.view.numbers().map(|numbers| numbers_of(app, &numbers)).unwrap_or_default();
        canvas.text(0, last - 1, &text, Style::new());
    }
    if lines > 0 {
        prompt(app, last, canvas);
    }
}

/// The frame under the cursor: its name, where it is, what code it is.
fn name(app: &App, line: usize, canvas: &mut Canvas<'_>) {
    let Some(Numbers { frame, .. }) = app.view.numbers() else { return };
    let parts = FrameParts::of(app.view.profile.name(frame));
    let mut said = String::new();
    if !parts.place.is_empty() {
        said = format!("  {}", printable(parts.place));
    }
    if let Some(color) = app.view.profile.colors.get(frame as usize) {
        said += &format!("  {}", color.kind.word());
    }
    let said = if width_of(&said) + 20 > canvas.width { String::new() } else { said };
    let room = canvas.width.saturating_sub(width_of(&said));
    let column = canvas.text_in(0, line, &fitted(&printable_name(parts.name), room), room, BOLD);
    canvas.text(column, line, &said, app.palette.dim());
}

fn numbers_of(app: &App, numbers: &Numbers) -> String {
    let unit = &app.view.profile.unit;
    let Numbers { own, total, of_all, of_zoom, of_parent, .. } = *numbers;
    let mut text = format!(
        "self {} ({})  total {} ({} of all",
        unit.number(own),
        percent(own, of_all),
        unit.words(total),
        percent(total, of_all)
    );
    if of_zoom != of_all {
        text += &format!(", {} of zoom", percent(total, of_zoom));
    }
    if let Some(of_parent) = of_parent {
        text += &format!(", {} of parent", percent(total, of_parent));
    }
    text + ")"
}

/// A share in percent. A small one never reads as 0 %, and a part never as 100 %.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    rounded_share(part, whole, ["<0.1%", ">99.9%"])
}

/// What is typed, a message, the command that does the same, or what can be done.
fn prompt(app: &App, line: usize, canvas: &mut Canvas<'_>) {
    let (text, style) = match &app.mode {
        Mode::Search(text) => (format!("/{text}\u{2588}"), BOLD),
        Mode::File(text) if app.message.is_empty() => {
            (format!("write to file: {text}\u{2588}"), BOLD)
        }
        _ if !app.message.is_empty() => (app.message.clone(), BOLD),
        _ => (app.view.command(), app.palette.dim()),
    };
    let hint = "? keys  / search  f filter  w write  q quit";
    let text = if text.is_empty() { hint.to_owned() } else { text };
    canvas.text(0, line, &shortened(&text, canvas.width), style);
}

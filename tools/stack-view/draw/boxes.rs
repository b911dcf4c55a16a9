//! The boxes of a flame graph, in letters.

use common::names::{FrameParts, fitted, printable_name};
use ratatui::style::{Modifier, Style};

use super::{Canvas, width_of};
use crate::app::App;
use crate::call_tree::CallTree;
use crate::layout::{Cells, What};
use crate::view::Place;

/// Draws the rows of boxes that are in sight, from the line `top` on.
pub(crate) fn boxes(app: &App, top: usize, canvas: &mut Canvas<'_>) {
    let layout = &app.layout;
    let callers = layout.callers.iter().zip(1..).map(|(row, number)| (row, -number));
    let rows = layout.main.iter().zip(0..).chain(callers);
    for (row, number) in rows {
        let Some(line) = app.line_of(number) else { continue };
        for cells in row {
            match &cells.what {
                What::Frame(place) => frame(app, *place, cells, top + line, canvas),
                What::Narrow(places) => narrow(app, places, cells, top + line, canvas),
            }
        }
    }
}

/// A box with its name. In colours it begins with a thin line, so that neighbours of one colour
/// are told apart; without, `|main_____` shows where it ends, too.
fn frame(app: &App, place: Place, cells: &Cells, line: usize, canvas: &mut Canvas<'_>) {
    let view = &app.view;
    let frame = view.tree(place.0).branch(place.1).frame;
    let is_current = view.current == Some(place);
    let is_hit = view.hits.as_ref().is_some_and(|hits| hits.has(frame));
    let color = view.profile.colors.get(frame as usize).copied();
    let mut style = app.palette.of_frame(color);
    if view.hits.is_some() {
        style = if is_hit { app.palette.of_hit() } else { style.add_modifier(Modifier::DIM) };
    }
    if is_current {
        style = app.palette.of_current();
    }
    let has_fill = app.palette.has_fill();
    let (edge, fill) = if has_fill { ("\u{258f}", " ") } else { ("|", "_") };
    let room = cells.to.saturating_sub(cells.from + 1);
    let name = printable_name(FrameParts::of(view.profile.name(frame)).name);
    let name = if frame == CallTree::NO_FRAME { whole(app) } else { name };
    let name = fitted(&name, room);
    canvas.fill(cells.from, cells.to, line, fill, style);
    canvas.text_in(cells.from, line, edge, 1, style);
    if width_of(&name) <= room {
        canvas.text_in(cells.from + 1, line, &name, room, style);
    }
}

fn whole(app: &App) -> String {
    let total = app.view.calls.call(CallTree::WHOLE).total;
    format!("all: {}", app.view.profile.unit.words(total))
}

/// Frames that are too narrow for a cell each.
fn narrow(app: &App, places: &[Place], cells: &Cells, line: usize, canvas: &mut Canvas<'_>) {
    let is_hit = app.view.hits.as_ref().is_some_and(|hits| {
        places
            .iter()
            .any(|(side, id)| hits.weight_of(app.view.tree(*side), *id, &app.view.calls) > 0)
    });
    let style = if is_hit { app.palette.of_hit() } else { Style::new() };
    canvas.fill(cells.from, cells.to, line, "\u{2591}", style);
}

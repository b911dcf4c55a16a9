//! The table of functions.

use common::names::{FrameParts, fitted, printable_name};
use ratatui::style::{Modifier, Style};

use super::Canvas;
use super::lines::percent;
use crate::app::App;
use crate::functions::{Row, Sort};

/// The columns of numbers: self and total, each with its share.
const COLUMNS: usize = 4;

/// Draws the head of the table and the rows that are in sight, from the line `top` on.
pub(crate) fn table(app: &App, top: usize, canvas: &mut Canvas<'_>) {
    let view = &app.view;
    let of_all = view.calls.call(view.scope_call()).total;
    let first = app.first_row.unwrap_or(0).max(0) as usize;
    let room = app.room().saturating_sub(1);
    let rows: Vec<&Row> = view.rows.iter().skip(first).take(room).collect();
    let cells: Vec<[String; COLUMNS]> = rows.iter().map(|row| cells(app, row, of_all)).collect();
    let mark =
        |sort, word: &str| format!("{word}{}", if view.sort == sort { "\u{2193}" } else { "" });
    let heads = [
        mark(Sort::OwnWeight, "SELF"),
        "SELF%".to_owned(),
        mark(Sort::Total, "TOTAL"),
        "TOTAL%".to_owned(),
    ];
    let width = |column: usize| {
        let texts = cells.iter().chain([&heads]);
        texts.map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    line(&heads, &widths, &mark(Sort::Name, "FUNCTION"), top, bold, canvas);
    for ((row, cells), at) in rows.iter().zip(&cells).zip(first..) {
        let is_current = at == view.row;
        let style = if is_current { app.palette.of_current() } else { Style::new() };
        let at = top + 1 + at - first;
        if is_current {
            canvas.fill(0, canvas.width, at, " ", style);
        }
        let before: usize = widths.iter().map(|width| width + 2).sum();
        let name = printable_name(FrameParts::of(view.profile.name(row.frame)).name);
        let name = fitted(&name, canvas.width.saturating_sub(before + 2));
        let column = line(cells, &widths, "", at, style, canvas);
        let color = view.profile.colors.get(row.frame as usize).copied();
        let column = canvas.text(column, at, " ", app.palette.of_frame(color));
        canvas.text(column + 1, at, &name, style);
    }
}

fn cells(app: &App, row: &Row, of_all: u64) -> [String; COLUMNS] {
    let (own, total) = (row.weights.self_weight, row.weights.total);
    let unit = &app.view.profile.unit;
    [unit.number(own), percent(own, of_all), unit.number(total), percent(total, of_all)]
}

/// Writes numbers below their heads; returns the column after them.
fn line(
    cells: &[String; COLUMNS],
    widths: &[usize; COLUMNS],
    name: &str,
    at: usize,
    style: Style,
    canvas: &mut Canvas<'_>,
) -> usize {
    let mut column = 0;
    for (cell, width) in cells.iter().zip(widths) {
        let before = width.saturating_sub(cell.chars().count());
        canvas.text(column + before, at, cell, style);
        column += width + 2;
    }
    canvas.text(column, at, name, style);
    column
}

//! The screen: tabs, the way to the zoomed frame, steps, boxes or the table, numbers, and what
//! can be done.

mod boxes;
mod lines;
mod table;
mod windows;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::app::{App, Mode};
use crate::view::Kind;

/// Draws everything.
pub(crate) fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    if width == 0 || height == 0 {
        return;
    }
    let mut canvas = Canvas { buffer, width, height };
    let above = app.lines_above();
    if above > 0 {
        lines::tabs(app, &mut canvas);
    }
    if above > 1 {
        lines::way(app, &mut canvas);
    }
    if above > 2 {
        lines::steps(app, &mut canvas);
    }
    match app.view.kind {
        Kind::Table => table::table(app, above, &mut canvas),
        _ => boxes::boxes(app, above, &mut canvas),
    }
    let below = height.saturating_sub(above + app.room());
    lines::below(app, below, &mut canvas);
    match app.mode {
        Mode::Keys => windows::keys(&mut canvas),
        Mode::Menu(chosen) => windows::menu(app, chosen, &mut canvas),
        _ => {}
    }
}

/// The cells of the screen.
pub(crate) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Canvas<'_> {
    /// Writes a text, as far as there is room; returns the column after it.
    pub(crate) fn text(&mut self, column: usize, line: usize, text: &str, style: Style) -> usize {
        self.text_in(column, line, text, self.width.saturating_sub(column), style)
    }

    /// Writes a text in at most `columns` columns; returns the column after it.
    pub(crate) fn text_in(
        &mut self,
        column: usize,
        line: usize,
        text: &str,
        columns: usize,
        style: Style,
    ) -> usize {
        if line >= self.height || column >= self.width {
            return column;
        }
        let room = columns.min(self.width - column);
        let (after, _) = self.buffer.set_stringn(column as u16, line as u16, text, room, style);
        after.into()
    }

    /// Fills cells of a line.
    pub(crate) fn fill(&mut self, from: usize, to: usize, line: usize, letter: &str, style: Style) {
        if line >= self.height {
            return;
        }
        for column in from..to.min(self.width) {
            let cell = &mut self.buffer[(column as u16, line as u16)];
            cell.reset();
            cell.set_symbol(letter).set_style(style);
        }
    }
}

/// How many columns a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    ratatui::text::Span::raw(text).width()
}

//! What the mouse does.

use ratatui::crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use crate::app::App;
use crate::layout::What;
use crate::view::Kind;

impl App {
    pub(super) fn on_mouse(&mut self, mouse: MouseEvent) {
        let line = usize::from(mouse.row).checked_sub(self.lines_above());
        match (mouse.kind, line) {
            (MouseEventKind::ScrollUp, _) => self.wheel(-1),
            (MouseEventKind::ScrollDown, _) => self.wheel(1),
            (MouseEventKind::Down(MouseButton::Left), Some(line)) if line < self.room() => {
                self.message.clear();
                self.click(line, mouse.column.into());
            }
            _ => {}
        }
    }

    fn wheel(&mut self, by: isize) {
        if self.view.kind == Kind::Table {
            return self.walk(if by < 0 { KeyCode::Up } else { KeyCode::Down });
        }
        self.scroll(if self.goes_up() { -by } else { by });
    }

    /// A click makes a frame the current one, and one on the current frame zooms to it: so does a
    /// double click.
    fn click(&mut self, line: usize, column: usize) {
        if self.view.kind == Kind::Table {
            let row = (line + self.first_row.unwrap_or(0).max(0) as usize).checked_sub(1);
            let Some(row) = row.filter(|row| *row < self.view.rows.len()) else { return };
            if row == self.view.row {
                return self.enter();
            }
            return self.view.row = row;
        }
        let found = self.layout.at(self.row_at(line), column).map(|cells| cells.what.clone());
        match found {
            Some(What::Frame(place)) if self.view.current == Some(place) => self.enter(),
            Some(What::Frame(place)) => self.view.current = Some(place),
            Some(What::Narrow(places)) => self.view.show_range_of(&places),
            None => {}
        }
    }
}

//! What is typed: the query of a search, the name of a file.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::app::{App, Ended, Mode};
use crate::write;

impl App {
    pub(super) fn on_key_in_search(&mut self, key: KeyEvent, mut text: String) {
        match typed(key, &mut text) {
            Typed::More => self.mode = Mode::Search(text),
            Typed::Done => {
                self.mode = Mode::Walk;
                match self.view.search(&text) {
                    Err(error) => self.message = error.to_string(),
                    Ok(()) => {
                        self.scroll_to_current();
                        self.next_hit(true);
                    }
                }
            }
            Typed::Left => self.mode = Mode::Walk,
        }
    }

    pub(super) fn on_key_in_file(&mut self, key: KeyEvent, mut text: String) {
        match typed(key, &mut text) {
            Typed::Done if !text.is_empty() => match write::to_new_file(&self.view, &text) {
                Ok(()) => self.ended = Some(Ended::Written),
                Err(error) => {
                    self.message = error.to_string();
                    self.mode = Mode::File(text);
                }
            },
            Typed::More => self.mode = Mode::File(text),
            Typed::Done | Typed::Left => self.mode = Mode::Walk,
        }
    }
}

/// What a key did to a text that is typed.
enum Typed {
    More,
    Done,
    Left,
}

/// The longest text that is typed, in bytes.
const LONGEST: usize = 500;

fn typed(key: KeyEvent, text: &mut String) -> Typed {
    match key.code {
        KeyCode::Enter => return Typed::Done,
        KeyCode::Esc => return Typed::Left,
        KeyCode::Backspace if text.pop().is_none() => return Typed::Left,
        KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => text.clear(),
        KeyCode::Char(letter) if text.len() < LONGEST && !letter.is_control() => text.push(letter),
        _ => {}
    }
    Typed::More
}

//! What keys and the mouse do.

mod mouse;
mod typing;

use common::Result;
use common::names::{FrameParts, printable_name};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::app::{App, Ended, Mode};
use crate::steps::Step;
use crate::view::{Kind, Place, Side, View};

/// Each key, and what it does, as `?` shows them.
pub(crate) const KEYS: [(&str, &str); 20] = [
    ("1 2 3 4", "flame, bottom up, sandwich, table"),
    ("arrows", "walk from frame to frame"),
    ("Enter, click", "zoom in; in the sandwich, go to the function"),
    ("+ -", "zoom in and out, around the frame"),
    ("Shift-arrows, wheel", "move the picture"),
    ("Escape", "zoom out by one; end a search"),
    ("0", "zoom out to the whole"),
    ("/", "search; /re/ is a pattern; a capital tells cases apart"),
    ("n N", "next and previous match"),
    ("i", "turn it upside down"),
    ("o", "heaviest first, or by name; the order of the table"),
    ("f", "filter: keep, drop, hide it or its module, fold recursion"),
    ("r", "take the roots, such as threads, away, or put them back"),
    ("u", "take the last filter back"),
    ("s", "sandwich of the frame"),
    ("c C x", "copy the name, the stack, the command that does the same"),
    ("Space l", "live: pause; the last interval, or all"),
    ("w", "write the stacks that are shown, and end"),
    ("q", "end, and write nothing"),
    ("?", "show and hide these keys"),
];

/// The part of the width that a step moves the picture by.
const STEP: f64 = 0.25;

impl App {
    /// Does what an event asks for.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`], or an error in the pattern of a search.
    pub(crate) fn on(&mut self, event: &Event) -> Result<()> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.message.clear();
                self.on_key(*key)?;
            }
            Event::Mouse(mouse) => self.on_mouse(*mouse),
            Event::Resize(columns, rows) => self.size = [(*columns).into(), (*rows).into()],
            _ => {}
        }
        self.place();
        Ok(())
    }

    fn on_key(&mut self, key: KeyEvent) -> Result<()> {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            self.ended = Some(Ended::Interrupted);
            return Ok(());
        }
        match self.mode.clone() {
            Mode::Walk => return self.on_key_in_view(key),
            Mode::Menu(chosen) => return self.on_key_in_menu(key, chosen),
            Mode::Keys => self.mode = Mode::Walk,
            Mode::Search(text) => self.on_key_in_search(key, text),
            Mode::File(text) => self.on_key_in_file(key, text),
        }
        Ok(())
    }

    fn on_key_in_view(&mut self, key: KeyEvent) -> Result<()> {
        let is_shifted = key.modifiers.contains(KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Up | KeyCode::Down | KeyCode::Left | KeyCode::Right if is_shifted => {
                self.pan(key.code);
            }
            KeyCode::Up | KeyCode::Down | KeyCode::Left | KeyCode::Right => self.walk(key.code),
            KeyCode::PageUp | KeyCode::PageDown | KeyCode::Home | KeyCode::End => {
                self.leap(key.code);
            }
            KeyCode::Enter => self.enter(),
            KeyCode::Esc => self.go_out(),
            KeyCode::Char(letter) => self.on_letter(letter)?,
            _ => {}
        }
        Ok(())
    }

    fn on_letter(&mut self, letter: char) -> Result<()> {
        match letter {
            '1'..='4' => self.show(Kind::ALL[letter as usize - '1' as usize]),
            's' => self.show(Kind::Sandwich),
            '0' => self.change(View::zoom_to_whole),
            '/' => self.mode = Mode::Search(String::new()),
            '+' | '=' => self.scale(0.5),
            '-' => self.scale(2.0),
            'n' => self.next_hit(true),
            'N' => self.next_hit(false),
            'i' => {
                self.view.is_flipped ^= true;
                self.first_row = None;
            }
            'o' => self.change(View::toggle_order),
            'f' => self.mode = Mode::Menu(0),
            'r' => self.toggle_roots()?,
            'u' => self.take_back()?,
            'c' | 'C' | 'x' => self.copy(letter),
            ' ' | 'l' => self.on_live(letter)?,
            'w' if self.asks_for_file => self.mode = Mode::File(String::new()),
            'w' => self.ended = Some(Ended::Write),
            'q' => self.ended = Some(Ended::Quit),
            '?' => self.mode = Mode::Keys,
            _ => {}
        }
        Ok(())
    }

    /// Changes the view, and scrolls to the current frame.
    fn change<T>(&mut self, change: impl FnOnce(&mut View) -> T) -> T {
        let result = change(&mut self.view);
        self.scroll_to_current();
        result
    }

    fn scroll_to_current(&mut self) {
        self.first_row = None;
        self.place();
        self.reveal();
    }

    fn show(&mut self, kind: Kind) {
        self.change(|view| view.show(kind));
    }

    fn enter(&mut self) {
        match (self.view.kind, self.view.current) {
            (Kind::Table, _) => self.show(Kind::Sandwich),
            (_, Some(place)) => self.change(|view| view.zoom_to(place)),
            (_, None) => {}
        }
    }

    fn go_out(&mut self) {
        if !self.change(View::go_out) {
            self.change(View::end_search);
        }
    }

    fn walk(&mut self, key: KeyCode) {
        if self.view.kind == Kind::Table {
            match key {
                KeyCode::Up => self.view.row = self.view.row.saturating_sub(1),
                KeyCode::Down => {
                    self.view.row = (self.view.row + 1).min(self.view.rows.len().saturating_sub(1));
                }
                _ => {}
            }
            return self.reveal();
        }
        let from = self.view.current.unwrap_or((Side::Main, self.view.zoom()));
        let to = match key {
            KeyCode::Left => self.view.sibling(from, false),
            KeyCode::Right => self.view.sibling(from, true),
            _ => self.view.up_or_down(from, (key == KeyCode::Up) == self.goes_up()),
        };
        self.go_to(to.unwrap_or(from));
    }

    /// Makes a frame the current one, and zooms out as far as needed to show it.
    fn go_to(&mut self, place: Place) {
        self.view.go_to(place);
        self.place();
        self.reveal();
    }

    fn leap(&mut self, key: KeyCode) {
        let page = self.room().saturating_sub(2).max(1);
        if self.view.kind == Kind::Table {
            let last = self.view.rows.len().saturating_sub(1);
            self.view.row = match key {
                KeyCode::PageUp => self.view.row.saturating_sub(page),
                KeyCode::PageDown => (self.view.row + page).min(last),
                KeyCode::Home => 0,
                _ => last,
            };
            return self.reveal();
        }
        let page = page as isize;
        let by = match key {
            KeyCode::PageUp => page,
            KeyCode::PageDown => -page,
            _ => return self.first_row = None,
        };
        self.scroll(if self.goes_up() { by } else { -by });
    }

    /// Scrolls by rows.
    fn scroll(&mut self, by: isize) {
        self.first_row = Some(self.first_row.unwrap_or(0) + by);
    }

    fn pan(&mut self, key: KeyCode) {
        if self.view.kind == Kind::Table {
            return;
        }
        let rows = (self.room() / 4).max(1) as isize;
        let up = if self.goes_up() { rows } else { -rows };
        match key {
            KeyCode::Left => self.view.move_range(-STEP),
            KeyCode::Right => self.view.move_range(STEP),
            KeyCode::Up => self.scroll(up),
            _ => self.scroll(-up),
        }
    }

    fn scale(&mut self, times: f64) {
        if self.view.kind != Kind::Table {
            self.view.scale_range(times);
        }
    }

    fn next_hit(&mut self, is_forward: bool) {
        if self.view.hits.is_none() {
            return;
        }
        if self.view.kind == Kind::Table {
            return self.walk(if is_forward { KeyCode::Down } else { KeyCode::Up });
        }
        match self.view.next_hit(is_forward) {
            Some(place) => {
                self.view.bring_into_range(place);
                self.go_to(place);
            }
            None => self.message = "no match here".to_owned(),
        }
    }

    fn toggle_roots(&mut self) -> Result<()> {
        let mut steps = self.view.steps.clone();
        steps.retain(|step| *step != Step::NoRoots);
        if steps.len() == self.view.steps.len() {
            steps.push(Step::NoRoots);
        }
        self.take_steps(steps)
    }

    fn take_back(&mut self) -> Result<()> {
        let mut steps = self.view.steps.clone();
        if steps.pop().is_some() { self.take_steps(steps) } else { Ok(()) }
    }

    fn take_steps(&mut self, steps: Vec<Step>) -> Result<()> {
        if !self.change(|view| view.take_steps(steps))? {
            self.message = "no stack would be left".to_owned();
        }
        Ok(())
    }

    fn copy(&mut self, letter: char) {
        let name = self.view.current_frame().map(|it| self.view.profile.name(it));
        let text = match letter {
            'c' => printable_name(name.map_or(&b"all"[..], |name| FrameParts::of(name).name)),
            'C' => self.view.folded(),
            _ => self.view.command(),
        };
        if text.is_empty() {
            self.message = "all stacks are shown: there is no command to copy".to_owned();
            return;
        }
        self.message = format!("copied: {text}");
        self.copied = Some(text);
    }

    fn on_live(&mut self, letter: char) -> Result<()> {
        let Some(live) = &mut self.live else { return Ok(()) };
        match letter {
            'l' => live.is_last ^= true,
            _ => live.is_paused ^= true,
        }
        if live.is_paused && letter == ' ' { Ok(()) } else { self.show_newest() }
    }

    fn on_key_in_menu(&mut self, key: KeyEvent, chosen: usize) -> Result<()> {
        let menu = self.menu();
        match key.code {
            KeyCode::Up => self.mode = Mode::Menu((chosen + menu.len() - 1) % menu.len()),
            KeyCode::Down => self.mode = Mode::Menu((chosen + 1) % menu.len()),
            KeyCode::Enter => {
                self.mode = Mode::Walk;
                let (_, step) = menu[chosen.min(menu.len() - 1)].clone();
                return self.take_steps([&self.view.steps[..], &[step]].concat());
            }
            _ => self.mode = Mode::Walk,
        }
        Ok(())
    }
}

//! What an answer is shown on: a terminal with a size, or a pipe.

use std::env;
use std::io::IsTerminal;

use console::Term;

use crate::names::{fitted, printable_name};

/// The least width of a name: on narrower terminals lines are wrapped.
const LEAST_NAME: usize = 16;

/// How wide a drawing is if nothing says how wide it should be.
const USUAL_COLUMNS: usize = 80;

/// What an answer is shown on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Screen {
    /// The width of the terminal in cells, if it is one.
    pub columns: Option<usize>,
    /// The height of the terminal in cells, if it is one.
    pub rows: Option<usize>,
    /// The width of a drawing for a pipe in cells, from the variable COLUMNS.
    pub columns_wanted: Option<usize>,
    /// Whether the terminal shows colours, and they are wanted.
    pub has_colors: bool,
}

impl Screen {
    /// Standard output: no colours where NO_COLOR is set, and neither size nor
    /// colours where it is a pipe, a file or a terminal that can show text only.
    #[must_use]
    pub fn of_stdout() -> Screen {
        let wanted = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        // It can neither move the cursor nor draw boxes.
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        if is_dumb || !std::io::stdout().is_terminal() {
            return Screen { columns_wanted: wanted, ..Screen::default() };
        }
        let (rows, columns) = Term::stdout().size();
        Screen {
            columns: Some(columns.into()),
            rows: Some(rows.into()),
            columns_wanted: wanted,
            has_colors: !is_plain,
        }
    }

    /// A name as it is shown after `before` columns: [`printable_name`], on a terminal
    /// shortened so that it fits.
    #[must_use]
    pub fn name(&self, name: &[u8], before: usize) -> String {
        let name = printable_name(name);
        match self.width_of_name(before) {
            Some(width) => fitted(&name, width),
            None => name,
        }
    }

    /// How many cells of a terminal a name may take after `before` columns.
    #[must_use]
    pub fn width_of_name(&self, before: usize) -> Option<usize> {
        self.columns.map(|columns| columns.saturating_sub(before).max(LEAST_NAME))
    }

    /// How many cells a drawing is wide.
    #[must_use]
    pub fn width_of_drawing(&self) -> usize {
        self.columns.or(self.columns_wanted).unwrap_or(USUAL_COLUMNS).max(1)
    }
}

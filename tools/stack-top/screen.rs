//! What the answer is shown on: a terminal of some size, or a pipe.

use std::borrow::Cow;
use std::io::IsTerminal;

use common::{escaped, fitted, is_unseen};
use console::Term;

/// The least width of a name: on narrower terminals lines are wrapped.
const LEAST_NAME: usize = 16;

/// What the answer is shown on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// The columns of the terminal, if it is one.
    pub(crate) columns: Option<usize>,
}

impl Screen {
    pub(crate) fn of_stdout() -> Screen {
        let size = std::io::stdout().is_terminal().then(|| Term::stdout().size());
        Screen { columns: size.map(|(_, columns)| usize::from(columns)) }
    }

    /// A name as it is shown behind `before` columns: on a terminal shortened so that
    /// it fits, and without characters that would change the screen.
    pub(crate) fn name<'a>(&self, name: &'a [u8], before: usize) -> Cow<'a, [u8]> {
        let name = if name.is_empty() { b"[empty name]" } else { name };
        let Some(columns) = self.columns else { return Cow::Borrowed(name) };
        let width = columns.saturating_sub(before).max(LEAST_NAME);
        Cow::Owned(fitted(&escaped(name, is_unseen), width).into_bytes())
    }
}

//! What the answer is shown on: a terminal of some size, or a pipe.

use std::borrow::Cow;
use std::env;
use std::io::IsTerminal;

use common::{escaped, fitted, is_unseen};
use console::{Term, measure_text_width};

/// The least width of a name: on narrower terminals lines are wrapped.
const LEAST_NAME: usize = 16;

/// What the answer is shown on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Screen {
    /// The size of the terminal, if it is one.
    pub(crate) columns: Option<usize>,
    pub(crate) rows: Option<usize>,
    /// How wide a picture for a pipe is to be, by the variable COLUMNS.
    pub(crate) columns_wanted: Option<usize>,
    pub(crate) has_colors: bool,
}

impl Screen {
    pub(crate) fn of_stdout() -> Screen {
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

    /// A name as it is shown behind `before` columns: on a terminal shortened so that
    /// it fits, and without characters that would change the screen.
    pub(crate) fn name<'a>(&self, name: &'a [u8], before: usize) -> Cow<'a, [u8]> {
        let name = if name.is_empty() { b"[empty name]" } else { name };
        let Some(columns) = self.columns else { return Cow::Borrowed(name) };
        let width = columns.saturating_sub(before).max(LEAST_NAME);
        Cow::Owned(fitted(&escaped(name, is_unseen), width).into_bytes())
    }

    /// Names of frames that call one another, with `;` between them. What does not
    /// fit on a terminal is left out behind the first: `main;...;Db.query`.
    pub(crate) fn run(&self, names: &[&[u8]], before: usize) -> Vec<u8> {
        let whole = names.join(&b';');
        let (Some(columns), [first, rest @ .., last]) = (self.columns, names) else {
            return self.name(&whole, before).into_owned();
        };
        let width = columns.saturating_sub(before).max(LEAST_NAME);
        let text = |name: &&[u8]| escaped(name, is_unseen);
        let (ends, texts) = ([text(first), text(last)], rest.iter().map(text).collect::<Vec<_>>());
        let width_of = |text: &String| measure_text_width(text) + 1;
        let mut needed: usize = ends.iter().chain(&texts).map(width_of).sum::<usize>() - 1;
        let mut kept = texts.iter();
        // As wide as a dot and a `;`, once something is left out.
        let mut dots = 0;
        while needed + dots > width
            && let Some(left_out) = kept.next()
        {
            needed -= width_of(left_out);
            dots = 2;
        }
        if needed + dots <= width {
            let dots = (dots > 0).then_some("\u{2026}");
            let inner = dots.into_iter().chain(kept.map(String::as_str));
            let all = [&ends[0][..]].into_iter().chain(inner).chain([&ends[1][..]]);
            return all.collect::<Vec<_>>().join(";").into_bytes();
        }
        let dots = "\u{2026};";
        [dots, &fitted(&ends[1], width - dots.chars().count())].concat().into_bytes()
    }
}

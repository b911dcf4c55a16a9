//! The page: its parts as lines of Markdown, and how many of them fit.

use common::numbers::grouped;
use common::trust::percent;

use crate::width::{WIDTH, wrapped};

/// The parts of a page, each as lines.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// The lines below it.
    pub(crate) notes: Vec<String>,
    /// The rows, the heaviest first.
    pub(crate) rows: Vec<PageRow>,
    /// The weight of all rows, shown or not, as a share of the whole, and how many they are.
    pub(crate) others: Others,
    pub(crate) trust: String,
    /// The commands.
    pub(crate) next: Vec<String>,
}

/// A row as a part of its own, and in one line among others.
#[derive(Debug)]
pub(crate) struct PageRow {
    /// `None` if it is too light for a part of its own.
    pub(crate) whole: Option<Vec<String>>,
    /// Begins with `- `; may have a second line.
    pub(crate) line: String,
    /// The share of the whole.
    pub(crate) share: f64,
}

/// All functions that could be rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Others {
    pub(crate) count: usize,
    /// The share of the whole that they have together, if that means anything.
    pub(crate) share: Option<f64>,
}

/// How much of a page is shown.
#[derive(Clone, Copy, Debug)]
struct Shown {
    /// How many rows are parts of their own, and how many have a line.
    whole: usize,
    lines: usize,
    notes: usize,
    commands: usize,
}

impl Page {
    /// The page in at most `chars` characters.
    pub(crate) fn text(&self, chars: usize) -> String {
        let mut shown = Shown {
            whole: self.rows.iter().take_while(|row| row.whole.is_some()).count(),
            lines: self.rows.len(),
            notes: self.notes.len(),
            commands: self.next.len(),
        };
        loop {
            let text = self.with(shown);
            if text.chars().count() <= chars || !shown.shrink() {
                return text;
            }
        }
    }

    /// How many rows there are in a page of this size.
    fn with(&self, shown: Shown) -> String {
        let mut parts = vec![vec![self.title.clone()]];
        if shown.notes > 0 {
            parts.push(self.notes[..shown.notes].iter().map(|note| format!("- {note}")).collect());
        }
        let rows = self.rows.iter().take(shown.whole);
        parts.extend(rows.filter_map(|row| row.whole.clone()));
        let rest = &self.rows[shown.whole..shown.lines.max(shown.whole)];
        let mut then: Vec<String> = rest.iter().map(|row| row.line.clone()).collect();
        then.extend(self.rest(shown));
        if !then.is_empty() {
            parts.push([vec!["## then".to_owned(), String::new()], then].concat());
        }
        let trust = wrapped(&self.trust, WIDTH);
        parts.push([vec!["## trust".to_owned(), String::new()], trust].concat());
        if shown.commands > 0 {
            let commands = self.next[..shown.commands].iter().map(|it| format!("    {it}"));
            let heading = vec!["## next".to_owned(), String::new()];
            parts.push(heading.into_iter().chain(commands).collect());
        }
        let parts: Vec<String> = parts.into_iter().map(|lines| lines.join("\n")).collect();
        parts.join("\n\n") + "\n"
    }

    /// How many functions are not shown, and what they have together.
    fn rest(&self, shown: Shown) -> Option<String> {
        let rows = shown.lines.max(shown.whole);
        let count = self.others.count - rows;
        let seen: f64 = self.rows[..rows].iter().map(|row| row.share).sum();
        let share = self.others.share.map(|all| format!("{}  ", percent((all - seen).max(0.0))));
        let plural = if count == 1 { "function" } else { "functions" };
        let count = grouped(count as u64);
        (count != "0").then(|| format!("- {}{count} more {plural}", share.unwrap_or_default()))
    }
}

impl Shown {
    /// Shows less, the least important first; false if there is nothing to leave out.
    fn shrink(&mut self) -> bool {
        let number = match self {
            Shown { lines, whole, .. } if *lines > *whole + 2 => lines,
            Shown { whole, .. } if *whole > 1 => whole,
            Shown { lines, whole, .. } if *lines > *whole => lines,
            Shown { notes, .. } if *notes > 0 => notes,
            Shown { commands, .. } if *commands > 1 => commands,
            Shown { whole, .. } if *whole > 0 => whole,
            Shown { commands, .. } if *commands > 0 => commands,
            _ => return false,
        };
        *number -= 1;
        true
    }
}

//! The map: rows and columns of weights.

use common::heat::{Shades, least_round, start_of_cell};
use common::names::shortened;
use common::numbers::{Unit, seconds};

use crate::by::By;
use crate::lines::{self, Line};
use crate::rows::Rows;

/// What is drawn.
pub(crate) struct Heat {
    pub(crate) by: Option<By>,
    /// How many nanoseconds a column stands for.
    pub(crate) width: u64,
    /// How many cells are in a column, one above the other: 1 if the rows are not fractions.
    pub(crate) per_column: u64,
    pub(crate) columns: usize,
    pub(crate) lines: Vec<Line>,
    pub(crate) total: u64,
    pub(crate) shades: Shades,
}

impl Heat {
    /// The map of what was read; `None` if it weighs nothing. It has at most `most_rows` rows;
    /// fewer fractions of time if `may_lower_rows` and there are few samples.
    pub(crate) fn new(mut rows: Rows, most_rows: u32, may_lower_rows: bool) -> Option<Heat> {
        if rows.cells.total() == 0 {
            return None;
        }
        rows.cells.settle(may_lower_rows && rows.by.is_none());
        let lines = match &rows.by {
            Some(by) => lines::by_key(&rows, by, most_rows as usize),
            None => lines::by_fraction(&rows),
        };
        // The row for the sum of the others is left out: it could be so dark that all named rows
        // are pale.
        let named = lines.iter().filter(|line| !line.is_others);
        let weights = named.flat_map(|line| &line.cells).map(|(_, weight)| *weight).collect();
        Some(Heat {
            by: rows.by,
            width: rows.cells.width(),
            per_column: rows.cells.rows(),
            columns: rows.cells.columns() as usize,
            lines,
            total: rows.cells.total(),
            shades: Shades::of(weights),
        })
    }

    /// The first nanosecond of a cell.
    pub(crate) fn start(&self, column: usize, row: usize) -> u64 {
        let row = if self.by.is_some() { 0 } else { row as u64 };
        start_of_cell(column as u64 * self.per_column + row, self.width, self.per_column)
    }

    /// When a cell ends, in nanoseconds: where the next one begins.
    pub(crate) fn end_of(&self, column: usize, row: usize) -> u64 {
        if self.by.is_some() { self.start(column + 1, 0) } else { self.start(column, row + 1) }
    }

    /// The text before a row, in at most `letters` letters; `None` if the row has no text.
    pub(crate) fn name(&self, row: usize, letters: usize) -> Option<String> {
        if self.by.is_some() {
            return Some(shortened(&self.lines[row].name, letters));
        }
        let is_named = row.is_multiple_of(self.lines.len().div_ceil(5));
        is_named.then(|| format!("+{} s", seconds(self.start(0, row))))
    }

    /// How many cells weigh something.
    pub(crate) fn cells(&self) -> u64 {
        self.lines.iter().map(|line| line.cells.len() as u64).sum()
    }

    /// A note if the weights are times: their sum is not the length of the axis. On several
    /// processors it is longer, and for a program that waits it is shorter.
    pub(crate) fn both_times(&self, unit: &Unit) -> Option<String> {
        let Unit::Time(_) = unit else { return None };
        let (total, end) = (unit.words(self.total), seconds(self.end()));
        Some(format!("samples of {total} within {end} s of recording"))
    }

    /// Where the last column ends, in nanoseconds.
    pub(crate) fn end(&self) -> u64 {
        self.width.saturating_mul(self.columns as u64)
    }

    /// The columns at which a time is written: at most `most`, or one.
    pub(crate) fn marks(&self, most: usize) -> impl Iterator<Item = (f64, u64)> {
        let end = self.end();
        let step = least_round(|step| end / step < most.max(1) as u64);
        let marks = (0..end).step_by(step as usize);
        marks.map(|time| (time as f64 / self.width as f64, time))
    }
}

//! The rows of a map that has one for each thread, or each value of another column.

use std::cmp::Reverse;

use common::{names::utf8, numbers::grouped, stacks::FrameId};

use crate::by::By;
use crate::rows::Rows;

/// A row of the map.
#[derive(Debug)]
pub(crate) struct Line {
    /// Empty if the rows are fractions of time.
    pub(crate) name: String,
    /// What it is the row of, for programs: of a thread its number, without its name.
    pub(crate) value: String,
    /// Whether it is the sum of all that have no row.
    pub(crate) is_others: bool,
    /// The columns in which it weighs something, in their order, and what it weighs there: most
    /// threads have samples in few columns.
    pub(crate) cells: Vec<(usize, u64)>,
}

impl Line {
    fn new(name: String, value: String) -> Line {
        Line { name, value, is_others: false, cells: Vec::new() }
    }

    /// The weights of all columns, of which there are so many.
    pub(crate) fn weights(&self, columns: usize) -> Vec<u64> {
        let mut weights = vec![0; columns];
        self.cells.iter().for_each(|&(column, weight)| weights[column] = weight);
        weights
    }

    /// Sorts the cells, and makes one of those of the same column.
    fn settle(&mut self) {
        self.cells.sort_unstable();
        self.cells.dedup_by(|cell, kept| {
            let is_same = cell.0 == kept.0;
            kept.1 += if is_same { cell.1 } else { 0 };
            is_same
        });
        self.cells.retain(|(_, weight)| *weight > 0);
    }
}

/// A line for each key, the heaviest first, processors by their numbers. If there are
/// more than `most`, the last line is the sum of the others.
pub(crate) fn by_key(rows: &Rows, by: &By, most: usize) -> Vec<Line> {
    let keys = rows.values.len();
    let mut totals = vec![0; keys];
    for (key, _, weight) in rows.cells.iter() {
        totals[key as usize] += weight;
    }
    let mut order: Vec<FrameId> = (0..keys as FrameId).collect();
    order.sort_by(|&one, &other| {
        let heavier = Reverse(totals[one as usize]).cmp(&Reverse(totals[other as usize]));
        heavier.then_with(|| rows.values.name(one).cmp(rows.values.name(other)))
    });
    let shown = if keys > most { most - 1 } else { keys };
    if by.is_in_order() {
        order[..shown].sort_by_key(|&key| number(rows.values.name(key)));
    }
    // The line of each key.
    let mut line_of = vec![shown; keys];
    for (line, &key) in order[..shown].iter().enumerate() {
        line_of[key as usize] = line;
    }
    let value = |key| utf8(rows.values.name(key)).into_owned();
    let line = |&key: &FrameId| Line::new(rows.name(key), value(key));
    let mut lines: Vec<Line> = order[..shown].iter().map(line).collect();
    if keys > shown {
        let number = grouped((keys - shown) as u64);
        let others = if keys - shown == 1 { "other" } else { "others" };
        let name = format!("{number} {others}");
        lines.push(Line { is_others: true, ..Line::new(name, "[others]".to_owned()) });
    }
    for (key, column, weight) in rows.cells.iter() {
        lines[line_of[key as usize]].cells.push((column as usize, weight));
    }
    lines.iter_mut().for_each(Line::settle);
    lines
}

/// A line for each fraction of a column, the earliest first.
pub(crate) fn by_fraction(rows: &Rows) -> Vec<Line> {
    let per_column = rows.cells.rows();
    let line = |_| Line::new(String::new(), String::new());
    let mut lines: Vec<Line> = (0..per_column).map(line).collect();
    for (_, cell, weight) in rows.cells.iter() {
        let line = &mut lines[(cell % per_column) as usize];
        line.cells.push(((cell / per_column) as usize, weight));
    }
    lines.iter_mut().for_each(Line::settle);
    lines
}

/// `002` as 2; what is not a number comes last.
fn number(name: &[u8]) -> u64 {
    str::from_utf8(name).ok().and_then(|name| name.parse().ok()).unwrap_or(u64::MAX)
}

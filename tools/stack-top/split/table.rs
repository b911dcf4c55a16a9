//! The table with a column for each value, for people.

use common::{FrameId, FrameWeights, Screen, Unit, fitted, grouped, printable, share};
use console::measure_text_width;
use hashbrown::HashSet;

use super::trend::departures;
use super::{SplitProfile, Value};
use crate::Answer;
use crate::by::By;
use crate::profile::{Rows, Sort};
use crate::table::{Columns, foot};

/// How many columns there are in a pipe, unless the user says how many.
const COLUMNS: usize = 8;

/// How wide the head of a column may be on a terminal.
const HEAD: usize = 16;

/// The room for names that columns leave on a terminal.
const NAME: usize = 30;

/// As wide as `100.00%`.
const SHARE: usize = 7;

/// How many columns are before those of the values.
const FIRST: usize = 2;

/// What a mark means.
const MARK: &str = "* noise does not explain the change from the files before it\n";

/// The space after each column.
const GAP: usize = 2;

/// How many columns fit beside names; at least one value and the sum of the others.
pub(crate) fn most_that_fit(values: &[Value], unit: &Unit, screen: &Screen) -> usize {
    let Some(columns) = screen.columns else { return COLUMNS };
    let total = values.iter().map(|value| value.total).sum();
    let width = |head: &str, weight| {
        measure_text_width(head).max(measure_text_width(&unit.number(weight))) + GAP
    };
    let widths = values.iter().map(|value| width(&head(value, screen), value.total));
    let mut room = columns.saturating_sub(NAME + SHARE + GAP + width("TOTAL", total));
    if widths.clone().sum::<usize>() <= room {
        return values.len();
    }
    room = room.saturating_sub(width(&others_head(values.len()), total));
    let fit = widths.scan(0, |sum, width| {
        *sum += width;
        Some(*sum)
    });
    fit.take_while(|&sum| sum <= room).count().max(1) + 1
}

/// A line for each row, one for the whole, and one that says how much the rows are of it.
pub(crate) fn table(
    profile: &SplitProfile,
    rows: &Rows,
    by: By,
    sort: Sort,
    screen: &Screen,
) -> Answer {
    let (head, plural) = by.words();
    let SplitProfile { unit, total, .. } = profile;
    let first = if sort == Sort::Total { ["TOTAL", "TOTAL%"] } else { ["SELF", "SELF%"] };
    let values = profile.values.iter().map(|value| self::head(value, screen));
    let others = profile.others.iter().map(|(number, _)| others_head(*number));
    let heads: Vec<String> =
        first.map(str::to_owned).into_iter().chain(values).chain(others).collect();
    let cells = |whole: u64, weights: &mut dyn Iterator<Item = u64>| -> Vec<String> {
        let first = [unit.number(whole), share(whole, *total)];
        first.into_iter().chain(weights.map(|weight| unit.number(weight))).collect()
    };
    let marked = if profile.are_versions { departures(profile, sort) } else { HashSet::new() };
    // Of a column with a mark all numbers end in one column.
    let with_mark = |line: &mut Vec<String>, row: Option<FrameId>| {
        for (column, cell) in line.iter_mut().skip(FIRST).enumerate() {
            let is_marked = row.is_some_and(|row| marked.contains(&(row, column)));
            let is_wide = || marked.iter().any(|(_, it)| *it == column);
            cell.push_str(if is_marked {
                "*"
            } else if is_wide() {
                " "
            } else {
                ""
            });
        }
    };
    let mut lines: Vec<Vec<String>> = Vec::new();
    for row in &rows.rows {
        let columns = 0..profile.columns();
        let mut weights = columns.map(|column| shown(profile.cell(row.frame, column), sort));
        let mut line = cells(shown(row.weights, sort), &mut weights);
        with_mark(&mut line, Some(row.frame));
        lines.push(line);
    }
    let totals = profile.values.iter().map(|value| value.total);
    let mut all = cells(*total, &mut totals.chain(profile.others.map(|(_, total)| total)));
    with_mark(&mut all, None);
    let columns = Columns::of(lines.iter().chain([&heads, &all]));
    let mut text = Vec::new();
    columns.line(&heads, head.as_bytes(), &mut text);
    for (row, line) in rows.rows.iter().zip(&lines) {
        let name = by.shown(profile.name(row.frame), screen, columns.width());
        columns.line(line, name.as_bytes(), &mut text);
    }
    columns.line(&all, b"[all]", &mut text);
    text.extend_from_slice(foot(rows, plural, unit, *total).as_bytes());
    if !marked.is_empty() {
        text.extend_from_slice(MARK.as_bytes());
    }
    Answer::new(text, rows.shown())
}

/// The weight that is shown: the self weight, unless the rows are sorted by the total.
pub(super) fn shown(weights: FrameWeights, sort: Sort) -> u64 {
    if sort == Sort::Total { weights.total } else { weights.self_weight }
}

fn head(value: &Value, screen: &Screen) -> String {
    if value.name.is_empty() {
        return "[empty]".to_owned();
    }
    let name = printable(&value.name);
    if screen.columns.is_some() { fitted(&name, HEAD) } else { name }
}

fn others_head(number: usize) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} other{plural}", grouped(number as u64))
}

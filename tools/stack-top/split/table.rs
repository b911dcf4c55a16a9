//! The table with a column for each value, for people.

use common::io::Screen;
use common::names::{printable, shortened};
use common::numbers::{Unit, grouped, share};
use common::stacks::{FrameId, FrameWeights};
use console::measure_text_width;
use hashbrown::HashSet;

use super::trend::departures;
use super::{SplitProfile, Value};
use crate::Answer;
use crate::by::By;
use crate::profile::{Row, Rows, Sort};
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
    let marks = Marks::of(profile, sort);
    let row_cells = |row: &Row| {
        let weights = (0..profile.columns()).map(|it| shown(profile.cell(row.frame, it), sort));
        let line = cells(profile, shown(row.weights, sort), weights);
        marks.added_to(line, Some(row.frame))
    };
    let lines: Vec<Vec<String>> = rows.rows.iter().map(row_cells).collect();
    let totals = profile.values.iter().map(|value| value.total);
    let totals = totals.chain(profile.others.map(|(_, total)| total));
    let all = marks.added_to(cells(profile, *total, totals), None);
    let columns = Columns::of(lines.iter().chain([&heads, &all]));
    let mut text = Vec::new();
    columns.line(&heads, head.as_bytes(), &mut text);
    for (row, line) in rows.rows.iter().zip(&lines) {
        let name = by.shown(profile.name(row.frame), screen, columns.width());
        columns.line(line, name.as_bytes(), &mut text);
    }
    columns.line(&all, b"[all]", &mut text);
    text.extend_from_slice(foot(rows, plural, unit, *total).as_bytes());
    text.extend_from_slice(marks.foot().as_bytes());
    Answer::new(text, rows.shown())
}

/// The numbers of a row: what it weighs, its share, and what it weighs in each column.
fn cells(profile: &SplitProfile, whole: u64, weights: impl Iterator<Item = u64>) -> Vec<String> {
    let first = [profile.unit.number(whole), share(whole, profile.total)];
    first.into_iter().chain(weights.map(|weight| profile.unit.number(weight))).collect()
}

/// What is marked: the row and the column.
struct Marks(HashSet<(FrameId, usize)>);

impl Marks {
    /// The marks of files that are versions of a program; none of other columns.
    fn of(profile: &SplitProfile, sort: Sort) -> Marks {
        Marks(if profile.are_versions { departures(profile, sort) } else { HashSet::new() })
    }

    /// The cells of a row with their marks; in a column with a mark, all numbers stay aligned.
    fn added_to(&self, mut line: Vec<String>, row: Option<FrameId>) -> Vec<String> {
        for (column, cell) in line.iter_mut().skip(FIRST).enumerate() {
            let is_marked = row.is_some_and(|row| self.0.contains(&(row, column)));
            let has_marks = || self.0.iter().any(|(_, marked)| *marked == column);
            cell.push_str(match is_marked {
                true => "*",
                false if has_marks() => " ",
                false => "",
            });
        }
        line
    }

    /// What the marks mean, if there are any.
    fn foot(&self) -> &str {
        if self.0.is_empty() { "" } else { MARK }
    }
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
    if screen.columns.is_some() { shortened(&name, HEAD) } else { name }
}

fn others_head(number: usize) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} other{plural}", grouped(number as u64))
}

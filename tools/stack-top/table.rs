//! The table of functions, for people.

use common::{FrameWeights, Screen, grouped, share};

use crate::Answer;
use crate::by::By;
use crate::profile::{Profile, Rows};

/// The columns of a table that hold numbers: right-aligned, two spaces between them.
pub(crate) struct Columns<const N: usize> {
    widths: [usize; N],
}

impl<const N: usize> Columns<N> {
    /// As wide as the widest cell.
    pub(crate) fn of<'a>(rows: impl Iterator<Item = &'a [String; N]>) -> Columns<N> {
        let mut widths = [0; N];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.len());
            }
        }
        Columns { widths }
    }

    /// The width of all columns and of the space behind each.
    pub(crate) fn width(&self) -> usize {
        self.widths.iter().map(|width| width + 2).sum()
    }

    pub(crate) fn line(&self, cells: &[String; N], name: &[u8], out: &mut Vec<u8>) {
        for (cell, width) in cells.iter().zip(self.widths) {
            out.extend_from_slice(format!("{cell:>width$}  ").as_bytes());
        }
        out.extend_from_slice(name);
        out.push(b'\n');
    }
}

/// A line for each row, and one that says how much they are of the whole.
pub(crate) fn table(profile: &Profile, rows: &Rows, by: By, screen: &Screen) -> Answer {
    let (head, plural) = by.words();
    let Profile { unit, total, .. } = profile;
    let cells = |FrameWeights { self_weight, total: of_row }: FrameWeights| {
        let columns = [self_weight, of_row].map(|it| (unit.number(it), share(it, *total)));
        let [(own, own_share), (all, all_share)] = columns;
        [own, own_share, all, all_share]
    };
    let heads = ["SELF", "SELF%", "TOTAL", "TOTAL%"].map(str::to_owned);
    let lines: Vec<[String; 4]> = rows.rows.iter().map(|row| cells(row.weights)).collect();
    let columns = Columns::of(lines.iter().chain([&heads]));
    let mut text = Vec::new();
    columns.line(&heads, head.as_bytes(), &mut text);
    for (row, line) in rows.rows.iter().zip(&lines) {
        let name = screen.name(profile.name(row.frame), columns.width());
        columns.line(line, name.as_bytes(), &mut text);
    }
    let shown = rows.shown();
    let own = shown.weight as u64;
    text.extend_from_slice(
        format!(
            "{} of {} {plural}, self {} of {} ({})\n",
            grouped(rows.rows.len() as u64),
            grouped(rows.functions as u64),
            unit.number(own),
            unit.words(*total),
            share(own, *total),
        )
        .as_bytes(),
    );
    Answer::new(text, shown)
}

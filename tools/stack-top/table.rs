//! The table of functions, for people.

use common::{FrameWeights, Screen, Unit, grouped, share};
use console::measure_text_width;

use crate::Answer;
use crate::by::By;
use crate::profile::{Profile, Rows};

/// The columns of a table that hold numbers: right-aligned, two spaces between them.
pub(crate) struct Columns {
    widths: Vec<usize>,
}

impl Columns {
    /// As wide as the widest cell.
    pub(crate) fn of<'a, R: AsRef<[String]> + 'a>(rows: impl Iterator<Item = &'a R>) -> Columns {
        let mut widths = Vec::new();
        for cells in rows.map(AsRef::as_ref) {
            widths.resize(cells.len(), 0);
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = measure_text_width(cell).max(*width);
            }
        }
        Columns { widths }
    }

    /// The width of all columns and of the space behind each.
    pub(crate) fn width(&self) -> usize {
        self.widths.iter().map(|width| width + 2).sum()
    }

    pub(crate) fn line(&self, cells: &[String], name: &[u8], out: &mut Vec<u8>) {
        for (cell, width) in cells.iter().zip(&self.widths) {
            let fill = width - measure_text_width(cell);
            out.extend_from_slice(format!("{:fill$}{cell}  ", "").as_bytes());
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
    text.extend_from_slice(foot(rows, plural, unit, *total).as_bytes());
    Answer::new(text, rows.shown())
}

/// How many of all rows are shown, and how much self weight of the whole they have.
pub(crate) fn foot(rows: &Rows, plural: &str, unit: &Unit, total: u64) -> String {
    let own = rows.shown().weight as u64;
    format!(
        "{} of {} {plural}, self {} of {} ({})\n",
        grouped(rows.rows.len() as u64),
        grouped(rows.functions as u64),
        unit.number(own),
        unit.words(total),
        share(own, total),
    )
}

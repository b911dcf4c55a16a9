//! The table of functions, for people.

use common::numbers::{Unit, grouped, share};
use common::{io::Screen, names::fitted_path, stacks::FrameWeights};
use console::measure_text_width;

use crate::Answer;
use crate::by::By;
use crate::functions::Functions;
use crate::path::width_before_names;
use crate::profile::{Profile, Row, Rows};

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

    /// The width of all columns and of the space after each.
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
    let names = match &profile.functions {
        Some(functions) => lines_and_functions(profile, rows, functions, screen, columns.width()),
        None => {
            let mut names = vec![head.to_owned()];
            let name = |row: &Row| by.shown(profile.name(row.frame), screen, columns.width());
            names.extend(rows.rows.iter().map(name));
            names
        }
    };
    let mut text = Vec::new();
    for (line, name) in [&heads].into_iter().chain(&lines).zip(&names) {
        columns.line(line, name.as_bytes(), &mut text);
    }
    text.extend_from_slice(foot(rows, plural, unit, *total).as_bytes());
    Answer::new(text, rows.shown())
}

/// The lines and the functions that they are in, below their heads. The lines are as wide as the
/// widest one, so that the functions are a column.
fn lines_and_functions(
    profile: &Profile,
    rows: &Rows,
    functions: &Functions,
    screen: &Screen,
    before: usize,
) -> Vec<String> {
    let lines = rows.rows.iter().map(|row| profile.name(row.frame));
    let mut names = vec!["FUNCTION".to_owned()];
    names.extend(lines.clone().map(|line| functions.summary(line)));
    let most = width_before_names(screen, before, widest(&names));
    let mut shown = vec!["LINE".to_owned()];
    shown.extend(lines.map(|line| fitted_path(line, most)));
    let width = widest(&shown);
    let row = |(line, name): (&String, &String)| {
        let fill = width - measure_text_width(line);
        let name = screen.name(name.as_bytes(), before + width + 2);
        format!("{line}{:fill$}  {name}", "")
    };
    shown.iter().zip(&names).map(row).collect()
}

fn widest(texts: &[String]) -> usize {
    texts.iter().map(|text| measure_text_width(text)).max().unwrap_or_default()
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

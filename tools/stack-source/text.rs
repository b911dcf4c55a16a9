//! The listing for people: on a terminal, in a pipe, and in a pull request.

use common::markdown::{code, longest_run};
use common::names::{fitted_path, printable};
use common::numbers::{Unit, grouped, share};
use common::sources::{Source, readable};
use common::{io::Screen, stacks::FrameWeights};
use console::{measure_text_width, truncate_str};

use crate::count::Part;
use crate::heat::{Heat, painted};
use crate::listing::Row;

/// What is before each line of a table.
pub(crate) const INDENT: &str = "  ";

/// The name of the line with the number 0.
const NO_LINE: &str = "[no line]";

/// How a listing is shown.
pub(crate) struct Style<'a> {
    pub(crate) unit: &'a Unit,
    /// What the weights beside the totals are: `self` or `own`.
    pub(crate) word: &'static str,
    /// What all stacks weigh.
    pub(crate) whole: u64,
    pub(crate) screen: &'a Screen,
    pub(crate) heat: Option<Heat>,
}

impl Style<'_> {
    /// `Tree.find  src/tree.ml  self 1,204 (31.20%)  total 2,010 (52.00%)`, over two lines where
    /// that does not fit on a terminal. A whole file has no function.
    pub(crate) fn heading(&self, function: &[u8], path: &[u8], weights: &str) -> String {
        let parts = [printable(function), printable(path), weights.to_owned()];
        let first = usize::from(function.is_empty());
        let whole = parts[first..].join("  ");
        if self.screen.columns.is_none_or(|columns| measure_text_width(&whole) <= columns) {
            return whole.replacen(&parts[first], &self.bold(&parts[first]), 1);
        }
        let room = self.screen.width_of_name(measure_text_width(weights) + 2);
        let path = fitted_path(path, room);
        if function.is_empty() {
            return format!("{}  {weights}", self.bold(&path));
        }
        format!("{}\n{path}  {weights}", self.bold(&self.screen.name(function, 0)))
    }

    /// `self 1,204 (31.20%)  total 2,010 (52.00%)`
    pub(crate) fn weights(&self, FrameWeights { self_weight, total }: FrameWeights) -> String {
        let [own, all] =
            [self_weight, total].map(|it| (self.unit.number(it), share(it, self.whole)));
        format!("{} {} ({})  total {} ({})", self.word, own.0, own.1, all.0, all.1)
    }

    /// `  calls fdatasync (47.00%)`, as a line, if there is such a text.
    pub(crate) fn line_of_calls(&self, calls: String) -> String {
        if calls.is_empty() {
            calls
        } else {
            format!("{INDENT}{}\n", self.cut(calls, INDENT.len()))
        }
    }

    /// The self weight of a row in the colour of its heat.
    pub(crate) fn painted(&self, row: &Row, number: &str) -> String {
        match (&self.heat, row) {
            (Some(heat), Row::Line(line)) => painted(&heat.own, line.weights.self_weight, number),
            _ => number.to_owned(),
        }
    }

    /// `3 of 20 functions, self 484 of 672 samples (72.02%)`
    pub(crate) fn foot(&self, [listed, all]: [usize; 2], plural: &str, own: u64) -> String {
        let [listed, all] = [listed, all].map(|count| grouped(count as u64));
        let [number, whole] = [self.unit.number(own), self.unit.words(self.whole)];
        format!(
            "{listed} of {all} {plural}, {} {number} of {whole} ({})\n",
            self.word,
            share(own, self.whole)
        )
    }

    fn bold(&self, text: &str) -> String {
        if self.heat.is_some() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A line for each row, below the heads of the columns.
    pub(crate) fn table(&self, rows: &[Row], source: Option<&Source>) -> String {
        let cells = |row: &Row| match row {
            Row::Gap => [String::new(), String::new(), "\u{2026}".to_owned()],
            Row::Line(line) => {
                let FrameWeights { self_weight, total } = line.weights;
                [self.cell(self_weight), self.cell(total), line.number.to_string()]
            }
        };
        let heads = [self.word, "total", ""].map(str::to_owned);
        let cells: Vec<[String; 3]> = [heads].into_iter().chain(rows.iter().map(cells)).collect();
        let widths = widths(&cells);
        let mut text = String::new();
        for (index, row) in cells.iter().enumerate() {
            let of = index.checked_sub(1).map(|index| rows[index]);
            let line = format!("{INDENT}{}", self.line(row, widths, of, source));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// A weight in a column; 0 is a dot, which is easy to pass over.
    pub(crate) fn cell(&self, weight: u64) -> String {
        if weight == 0 { ".".to_owned() } else { self.unit.number(weight) }
    }

    fn line(
        &self,
        cells: &[String; 3],
        widths: [usize; 3],
        row: Option<Row>,
        source: Option<&Source>,
    ) -> String {
        let mut cells = [0, 1, 2].map(|at| right(&cells[at], widths[at]));
        let Some(Row::Line(line)) = row else { return cells.join("  ") };
        let text = match source.and_then(|source| source.line(line.number)) {
            None if line.number == 0 => NO_LINE.to_owned(),
            text => readable(text.unwrap_or_default()),
        };
        let before = INDENT.len() + widths.iter().sum::<usize>() + 2 * widths.len();
        if let Some(heat) = &self.heat {
            cells[0] = painted(&heat.own, line.weights.self_weight, &cells[0]);
            cells[1] = painted(&heat.total, line.weights.total, &cells[1]);
        }
        format!("{}  {}", cells.join("  "), self.cut(text, before))
    }

    /// The beginning of a text after `before` columns, as much as fits on a terminal.
    pub(crate) fn cut(&self, text: String, before: usize) -> String {
        match self.screen.width_of_name(before) {
            Some(width) => truncated(&text, width),
            None => text,
        }
    }
}

/// The text, cut to `width` columns.
pub(crate) fn truncated(text: &str, width: usize) -> String {
    truncate_str(text, width, "\u{2026}").into_owned()
}

/// The width of each column.
pub(crate) fn widths<const N: usize>(rows: &[[String; N]]) -> [usize; N] {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = measure_text_width(cell).max(*width);
        }
    }
    widths
}

/// The text at the right side of a column.
pub(crate) fn right(text: &str, width: usize) -> String {
    format!("{:fill$}{text}", "", fill = width - measure_text_width(text))
}

/// `**`Tree.find`** in `src/tree.ml`: self 1,204 (31.20%), total 2,010 (52.00%)` and the table as a
/// block of code; `calls` says what it calls, if anything.
pub(crate) fn markdown(style: &Style<'_>, part: &Part, calls: &str, table: &str) -> String {
    let [function, path] = [&part.function, &part.path].map(|it| code(&printable(it)));
    let weights = style.weights(part.weights).replace(")  total", "), total");
    let calls = if calls.is_empty() { String::new() } else { format!("\n{}", code(calls)) };
    let heading = match part.function.is_empty() {
        true => format!("**{path}**: {weights}"),
        false => format!("**{function}** in {path}: {weights}"),
    };
    let fence = "`".repeat(longest_run(table).max(2) + 1);
    format!("{heading}{calls}\n\n{fence}text\n{table}{fence}\n")
}

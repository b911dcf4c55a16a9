//! The listing for people: on a terminal, in a pipe, and in a pull request.

use bstr::ByteSlice;
use common::{FrameWeights, Screen, Unit, fitted_path, printable, share};
use console::{measure_text_width, truncate_str};

use crate::count::Part;
use crate::heat::Heat;
use crate::listing::Row;

/// How wide a tab is, as on terminals.
const TAB: usize = 8;

/// What is before each line of a table.
const INDENT: &str = "  ";

/// What the lines are called whose number is 0.
const NO_LINE: &str = "[no line]";

/// How a listing is shown.
pub(crate) struct Style<'a> {
    pub(crate) unit: &'a Unit,
    /// What all stacks weigh.
    pub(crate) whole: u64,
    pub(crate) screen: &'a Screen,
    pub(crate) heat: Option<Heat>,
}

impl Style<'_> {
    /// `Tree.find  src/tree.ml  self 1,204 (31.20%)  total 2,010 (52.00%)`, over two lines where
    /// that does not fit on a terminal.
    pub(crate) fn heading(&self, part: &Part) -> String {
        let weights = self.weights(part.weights);
        let path = printable(&part.path);
        let name = if part.function.is_empty() { &path } else { &printable(&part.function) };
        let fits = |line: &String| {
            self.screen.columns.is_none_or(|columns| measure_text_width(line) <= columns)
        };
        let is_file = part.function.is_empty();
        let line = match is_file {
            true => format!("{}  {weights}", self.bold(name)),
            false => format!("{}  {path}  {weights}", self.bold(name)),
        };
        if fits(&line) {
            return line;
        }
        let room = self.screen.width_of_name(measure_text_width(&weights) + 2);
        if is_file {
            return format!("{}  {weights}", self.bold(&fitted_path(&part.path, room)));
        }
        let name = self.bold(&self.screen.name(&part.function, 0));
        format!("{name}\n{}  {weights}", fitted_path(&part.path, room))
    }

    fn weights(&self, FrameWeights { self_weight, total }: FrameWeights) -> String {
        let [own, all] =
            [self_weight, total].map(|it| (self.unit.number(it), share(it, self.whole)));
        format!("self {} ({})  total {} ({})", own.0, own.1, all.0, all.1)
    }

    fn bold(&self, text: &str) -> String {
        if self.heat.is_some() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A line for each row, below the heads of the columns.
    pub(crate) fn table(&self, rows: &[Row<'_>]) -> String {
        let number = |weight| if weight == 0 { ".".to_owned() } else { self.unit.number(weight) };
        let cells = |row: &Row<'_>| match row {
            Row::Gap => [String::new(), String::new(), "\u{2026}".to_owned()],
            Row::Line { line, .. } => {
                let FrameWeights { self_weight, total } = line.weights;
                [number(self_weight), number(total), line.number.to_string()]
            }
        };
        let heads = ["self", "total", ""].map(str::to_owned);
        let cells: Vec<[String; 3]> = [heads].into_iter().chain(rows.iter().map(cells)).collect();
        let width = |column: usize| cells.iter().map(|row| measure_text_width(&row[column])).max();
        let widths = [0, 1, 2].map(|column| width(column).unwrap_or_default());
        let mut text = String::new();
        for (index, row) in cells.iter().enumerate() {
            let of = index.checked_sub(1).map(|index| rows[index]);
            text.push_str(format!("{INDENT}{}", self.line(row, widths, of)).trim_end());
            text.push('\n');
        }
        text
    }

    fn line(&self, cells: &[String; 3], widths: [usize; 3], row: Option<Row<'_>>) -> String {
        let mut cells = [0, 1, 2].map(|at| {
            let fill = widths[at] - measure_text_width(&cells[at]);
            format!("{:fill$}{}", "", cells[at])
        });
        let Some(Row::Line { line, text }) = row else { return cells.join("  ") };
        let before = INDENT.len() + widths.iter().sum::<usize>() + 2 * widths.len();
        let source = match text {
            None if line.number == 0 => NO_LINE.to_owned(),
            text => readable(text.unwrap_or_default()),
        };
        let source = match self.screen.width_of_name(before) {
            Some(width) => truncate_str(&source, width, "\u{2026}").into_owned(),
            None => source,
        };
        if let Some(heat) = &self.heat {
            cells[0] = heat.own(line.weights.self_weight, &cells[0]);
            cells[1] = heat.total(line.weights.total, &cells[1]);
        }
        format!("{}  {source}", cells.join("  "))
    }
}

/// A line of source as it is shown: tabs as spaces, and no escapes of a terminal.
fn readable(text: &[u8]) -> String {
    let mut shown = String::new();
    for (index, part) in text.split_str("\t").enumerate() {
        if index > 0 {
            let fill = TAB - measure_text_width(&shown) % TAB;
            shown.push_str(&" ".repeat(fill));
        }
        shown.push_str(&printable(part));
    }
    shown
}

/// `**`Tree.find`** in `src/tree.ml`: self 1,204 (31.20%), total 2,010 (52.00%)` and the table as a
/// block of code.
pub(crate) fn markdown(style: &Style<'_>, part: &Part, rows: &[Row<'_>]) -> String {
    let [function, path] = [&part.function, &part.path].map(|it| code(&printable(it)));
    let weights = style.weights(part.weights).replace(")  total", "), total");
    let heading = match part.function.is_empty() {
        true => format!("**{path}**: {weights}"),
        false => format!("**{function}** in {path}: {weights}"),
    };
    let table = style.table(rows);
    let fence = "`".repeat(longest_run(&table).max(2) + 1);
    format!("{heading}\n\n{fence}text\n{table}{fence}\n")
}

/// A text as Markdown shows it letter by letter.
fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    [&ticks, space, text, space, &ticks].concat()
}

/// How many backticks there are in a row.
fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_spaces_and_controls_are_escaped() {
        for (text, expected) in [
            ("\tif\ta", "        if      a"),
            ("ab\t\tc", "ab              c"),
            ("a \x1b[31m\r", r"a \x1B[31m\x0D"),
        ] {
            assert_eq!(readable(text.as_bytes()), expected);
        }
        assert_eq!(readable(b"caf\xe9"), r"caf\xE9");
    }

    #[test]
    fn code_in_markdown_may_hold_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`a"), "`` `a ``");
    }
}

//! A table for people.

use common::io::Screen;

use super::{Change, Report};

/// How many columns come before the function.
const NUMBERS: usize = 8;

/// Where the totals differ by a larger part than this, a function that weighs less may have a larger
/// share.
const LEAST_CHANGE: f64 = 0.1;

/// The titles of the columns of self and of total.
const TITLES: [&str; NUMBERS] = ["before", "after", "diff", "", "before", "after", "diff", ""];

/// The lines of the table. On a terminal, names are shortened so that each row is one line.
pub(super) fn lines(report: &Report<'_>, screen: &Screen) -> Vec<Vec<u8>> {
    let mut lines = vec![report.summary("->").into_bytes()];
    if report.functions.is_empty() {
        return lines;
    }
    let cells: Vec<[String; NUMBERS]> = report
        .functions
        .iter()
        .map(|function| {
            let [own, total] = [function.own, function.total].map(|it| cells(report, &it));
            let mut both = own.into_iter().chain(total);
            std::array::from_fn(|_| both.next().unwrap_or_default())
        })
        .collect();
    let titles = TITLES.map(str::to_owned);
    let widths: [usize; NUMBERS] = std::array::from_fn(|column| {
        let cells = cells.iter().chain([&titles]).map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    });
    lines.push(Vec::new());
    lines.push(groups(report, &widths).into_bytes());
    let head = row(&titles, &widths);
    let before = head.chars().count();
    lines.push((head + "FUNCTION").into_bytes());
    for (cells, function) in cells.iter().zip(&report.functions) {
        let name = screen.name(report.name(function), before);
        lines.push((row(cells, &widths) + &name).into_bytes());
    }
    lines.push(Vec::new());
    lines.extend(foot(report).into_iter().map(String::into_bytes));
    lines
}

/// A change: before, after, difference, and how exact that is. Empty where nothing weighs, such as
/// the self weight of a function that only calls others.
fn cells(report: &Report<'_>, change: &Change) -> [String; 4] {
    if change.is_of_nothing() {
        return Default::default();
    }
    let unit = &report.unit;
    let mark = if change.is_real { "*" } else { " " };
    [
        unit.number(change.before),
        unit.number(change.after),
        unit.signed(change.difference()),
        format!("\u{b1}{}{mark}", unit.number(2.0 * change.error)),
    ]
}

/// The line over the titles: which columns are of self, which of total.
fn groups(report: &Report<'_>, widths: &[usize; NUMBERS]) -> String {
    let own = widths[..NUMBERS / 2].iter().map(|width| width + 1).sum::<usize>() + 1;
    let unit = report.unit.title();
    format!("{:own$}TOTAL{unit}", format!("SELF{unit}"))
}

/// A row without its name.
fn row(cells: &[String; NUMBERS], widths: &[usize; NUMBERS]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // Between self and total, and before the function.
        let gap = if column == NUMBERS / 2 {
            "  "
        } else if column > 0 {
            " "
        } else {
            ""
        };
        line.push_str(gap);
        line.push_str(&format!("{cell:>width$}"));
    }
    line + "  "
}

/// What the table does not say by itself.
fn foot(report: &Report<'_>) -> Vec<String> {
    let [before, after] = [&report.runs.before, &report.runs.after].map(Vec::len);
    let noise = 100.0 * report.comparison.variation;
    let runs = if report.has_runs() {
        format!("Means of {before} and {after} runs, between which functions vary by {noise:.1}%.")
    } else {
        format!("One run each does not show how much functions vary: {noise:.1}% is assumed.")
    };
    let mut lines =
        vec!["* noise does not explain it; \u{b1} two standard errors".to_owned(), runs];
    let whole = &report.comparison.whole;
    let change = whole.difference().abs();
    let differ = change > 2.0 * whole.error && change > LEAST_CHANGE * whole.before;
    if differ && !report.comparison.absolute {
        lines.push(
            "Shares of unlike totals are compared; --absolute compares the weights.".to_owned(),
        );
    }
    if !report.comparison.are_counts {
        lines.push(
            "The weights are not counts of samples: each stack is taken for one sample.".to_owned(),
        );
    }
    lines
}

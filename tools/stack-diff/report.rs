//! What is printed: which functions, in which order and in which unit.

mod json;
mod markdown;
mod text;
mod tsv;
mod unit;

use common::compare::{Change, Comparison, Function, Runs};
use common::{Result, io::Screen, names::printable, numbers::grouped, pipe::Pipe};

use unit::{Unit, with_sign};

/// The form of the answer; a table for people by default.
#[derive(Clone, Copy, clap::Args)]
#[group(id = "format", multiple = false)]
pub(crate) struct Format {
    /// Print tab-separated values with a header line
    #[arg(long)]
    pub(crate) tsv: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Print a table in Markdown, for a pull request
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// What a report is made of.
struct Report<'a> {
    comparison: &'a Comparison,
    runs: &'a Runs,
    /// What is shown, the largest change first.
    functions: Vec<&'a Function>,
    /// How many functions changed.
    changed: usize,
    /// The unit of the changes of functions.
    unit: Unit,
}

/// Prints what changed, or all functions.
pub(crate) fn write(
    comparison: &Comparison,
    runs: &Runs,
    all: bool,
    format: Format,
    pipe: &mut Pipe,
) -> Result<()> {
    let is_shown = |function: &&Function| all || function.is_real();
    let mut functions: Vec<&Function> = comparison.functions.iter().filter(is_shown).collect();
    comparison.sort(&mut functions, all);
    let report = Report {
        changed: comparison.functions.iter().filter(|function| function.is_real()).count(),
        unit: match comparison.absolute {
            true => Unit::Weights(runs.unit.clone()),
            false => Unit::Percent,
        },
        functions,
        comparison,
        runs,
    };
    let lines = match format {
        Format { tsv: true, .. } => tsv::lines(&report),
        Format { json: true, .. } => json::lines(&report),
        Format { markdown: true, .. } => markdown::lines(&report),
        _ => text::lines(&report, &Screen::of_stdout()),
    };
    lines.iter().try_for_each(|line| pipe.out().line(line))
}

impl Report<'_> {
    /// The first line: both totals, their change, and how much else changed.
    fn summary(&self, arrow: &str) -> String {
        let Comparison { whole, functions, .. } = self.comparison;
        let unit = &self.runs.unit;
        let [before, after] = [whole.before, whole.after].map(|total| total.round() as u64);
        let [before, after] = [unit.number(before), unit.words(after)];
        let [change, error] =
            [whole.difference(), 2.0 * whole.error].map(|it| 100.0 * it / whole.before);
        let change = with_sign(change, &format!("{:.1}", change.abs()));
        let runs = if self.has_runs() { " a run" } else { "" };
        let is_real = if whole.is_real { ", more than noise" } else { "" };
        let [changed, all] = [self.changed, functions.len()].map(|count| grouped(count as u64));
        let functions = if functions.len() == 1 { "function" } else { "functions" };
        format!(
            "total {before} {arrow} {after}{runs} ({change}% \u{b1}{error:.1}{is_real}); \
             {changed} of {all} {functions} changed"
        )
    }

    /// Whether there are several runs on a side.
    fn has_runs(&self) -> bool {
        self.runs.before.len() + self.runs.after.len() > 2
    }

    fn name(&self, function: &Function) -> &[u8] {
        self.runs.functions.name(function.frame)
    }

    /// The name as text, in which what cannot be seen is written as `\xAD`.
    fn name_as_text(&self, function: &Function) -> String {
        printable(self.name(function))
    }
}

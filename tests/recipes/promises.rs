//! What the sentences of the recipes promise: an order, a unit, whose rows there are, that nothing is
//! lost. The figures with which the results are compared are counted here, or are perf's own.

mod cook_book;
mod ocaml;
mod readme;
mod shared;
mod speedscope;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use common::names::FrameParts;

pub(super) use cook_book::of_cook_book;
pub(super) use ocaml::of_ocaml;
pub(super) use readme::of_readme;

use super::Place;

/// A recipe that was cooked.
pub(super) struct Cooked<'a> {
    pub(super) place: &'a Place,
    pub(super) commands: &'a str,
    /// What its commands printed, and the files that they wrote.
    pub(super) result: &'a str,
}

/// A line of folded stacks.
#[derive(Debug)]
struct Line {
    labels: BTreeMap<String, String>,
    frames: Vec<String>,
    weight: u64,
}

impl Line {
    fn new(line: &str) -> Line {
        let mut fields: Vec<&str> = line.split('\t').collect();
        let (stack, weight) =
            fields.pop().and_then(|last| last.rsplit_once(' ')).expect("a stack and its weight");
        let label = |field: &str| {
            let (key, value) = field.split_once('=').expect("a label");
            (key.to_owned(), value.to_owned())
        };
        Line {
            labels: fields.into_iter().map(label).collect(),
            frames: stack.split(';').map(str::to_owned).collect(),
            weight: weight.parse().expect("a number"),
        }
    }

    fn has(&self, name: &str) -> bool {
        let is_it = |frame: &String| FrameParts::of(frame.as_bytes()).name == name.as_bytes();
        self.frames.iter().any(|frame| frame == name || is_it(frame))
    }

    fn leaf(&self) -> &str {
        self.frames.last().expect("a frame")
    }

    fn label(&self, key: &str) -> &str {
        self.labels.get(key).unwrap_or_else(|| panic!("no {key}: {self:?}"))
    }

    /// The number of a label.
    fn number(&self, key: &str) -> f64 {
        self.label(key).parse().expect("a number")
    }

    /// Whether a function is called by itself.
    fn recurs(&self) -> bool {
        self.frames.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// The lines of a text of folded stacks.
fn lines(text: &str) -> Vec<Line> {
    text.lines().filter(|line| !line.starts_with('#')).map(Line::new).collect()
}

/// The weight of the lines for which this is true.
fn weight(lines: &[Line], is_meant: impl Fn(&Line) -> bool) -> u64 {
    lines.iter().filter(|line| is_meant(line)).map(|line| line.weight).sum()
}

fn sum(lines: &[Line]) -> u64 {
    weight(lines, |_| true)
}

impl Cooked<'_> {
    /// The content of a file that the recipe wrote.
    fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.place.path(name)).unwrap_or_else(|_| panic!("no {name}"));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The stacks in a file.
    fn stacks(&self, name: &str) -> Vec<Line> {
        lines(&self.text(name))
    }

    /// The stacks that a picture shows.
    fn drawn(&self, name: &str) -> Vec<Line> {
        lines(&self.run(&format!("stack-parse {name}")))
    }

    /// What other commands print in the same place.
    fn run(&self, commands: &str) -> String {
        let (done, printed) = self.place.run(commands);
        let said = fs::read_to_string(self.place.path("said")).unwrap_or_default();
        assert!(done, "{commands}: {said}");
        printed
    }

    /// The numbers at the start of the first printed row whose last column this is:
    /// `1,172  97.59%  Db.query`.
    fn row(&self, name: &str) -> Vec<f64> {
        let rows = self.result.lines().filter(|line| line.ends_with(name));
        let numbers = |row: &str| {
            let columns = row.split_whitespace();
            let plain = columns.map(|it| it.replace([',', '%', '*'], "").parse().ok());
            plain.map_while(|number| number).collect::<Vec<f64>>()
        };
        rows.map(numbers).find(|it| !it.is_empty()).unwrap_or_else(|| panic!("no row {name}"))
    }

    /// How many samples perf counts in a recording.
    fn samples_of(&self, recording: &str) -> u64 {
        // Of several perf programs in PATH only the real one reads recordings.
        let mut perf = Command::new("perf");
        perf.args(["script", "-F", "period", "-i", recording]).current_dir(&self.place.folder);
        let printed = perf.output().expect("perf").stdout;
        let samples = printed.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
        assert!(samples > 0, "{recording}");
        samples as u64
    }
}

/// The values of a label.
fn values(lines: &[Line], key: &str) -> BTreeSet<String> {
    lines.iter().map(|line| line.label(key).to_owned()).collect()
}

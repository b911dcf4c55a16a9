//! Functions in the order of what is charged to them: each stack to its deepest frame of own code.

use std::cmp::Reverse;

use common::io::{Screen, Total, push_field};
use common::names::utf8;
use common::numbers::{counted, share};
use common::own_code::{Charged, NOT_OWN, OwnCode, Room};
use common::stacks::{FrameId, FrameWeights};
use common::trust::TrustData;
use console::truncate_str;
use serde::Serialize;

use crate::Answer;
use crate::by::By;
use crate::profile::Profile;
use crate::table::Columns;

/// What is charged to one function.
struct Row<'a> {
    name: &'a [u8],
    weights: FrameWeights,
    charged: &'a Charged,
}

/// Some of the functions, the heaviest first, and at the end the stacks that are charged to none.
pub(crate) struct Rows<'a> {
    rows: Vec<Row<'a>>,
    not_own: Option<Row<'a>>,
    /// How many functions there are.
    functions: usize,
    own: &'a OwnCode,
}

impl<'a> Rows<'a> {
    /// Of a profile whose functions were charged.
    pub(crate) fn of(profile: &Profile, own: &'a OwnCode, at_most: usize) -> Rows<'a> {
        let row = |(name, charged): (&'a Vec<u8>, &'a Charged)| {
            let frame = profile.stacks.frames().find(name);
            let of_frame = |frame: FrameId| profile.weights[frame as usize];
            let otherwise = FrameWeights { total: charged.weight, ..FrameWeights::default() };
            Row { name, weights: frame.map_or(otherwise, of_frame), charged }
        };
        let (mut not_own, mut rows): (Vec<_>, Vec<_>) =
            own.rows.iter().map(row).partition(|row| row.name == NOT_OWN);
        rows.sort_unstable_by_key(|row| {
            (Reverse(row.charged.weight), row.weights.by_total(), row.name)
        });
        let functions = rows.len();
        rows.truncate(at_most);
        Rows { rows, not_own: not_own.pop(), functions, own }
    }

    fn all(&self) -> impl Iterator<Item = &Row<'a>> {
        self.rows.iter().chain(&self.not_own)
    }

    fn answer(&self, text: Vec<u8>) -> Answer {
        let weight = self.all().map(|row| u128::from(row.charged.weight)).sum();
        let shown = Total { lines: self.all().count() as u64, weight };
        let hints = self.own.hint().map(str::to_owned).into_iter().collect();
        Answer { hints, ..Answer::new(text, shown) }
    }

    /// A row for each function, and below it its lines and what it calls.
    pub(crate) fn table(&self, profile: &Profile, by: By, screen: &Screen) -> Answer {
        let whole = profile.total;
        let (head, plural) = by.words();
        let cells = |row: &Row<'_>| {
            let (own, total) = (row.charged.weight, row.weights.total);
            let [own, total] = [own, total].map(|it| [profile.unit.number(it), share(it, whole)]);
            [own, total].concat()
        };
        let heads = ["OWN", "OWN%", "TOTAL", "TOTAL%"].map(str::to_owned).to_vec();
        let lines: Vec<Vec<String>> = [heads].into_iter().chain(self.all().map(cells)).collect();
        let columns = Columns::of(lines.iter());
        let before = columns.width();
        let names = self.all().map(|row| by.shown(row.name, screen, before));
        let details = self.all().map(|row| row.charged.lines_and_calls(whole, Room::default()));
        let mut text = Vec::new();
        columns.line(&lines[0], head.as_bytes(), &mut text);
        for ((line, name), details) in lines[1..].iter().zip(names).zip(details) {
            columns.line(line, name.as_bytes(), &mut text);
            if !details.is_empty() {
                let width = screen.width_of_name(before + INDENT.len()).unwrap_or(usize::MAX);
                let details = truncate_str(&details, width, "\u{2026}");
                text.extend_from_slice(format!("{:before$}{INDENT}{details}\n", "").as_bytes());
            }
        }
        let own = self.rows.iter().map(|row| row.charged.weight).sum::<u64>();
        let foot = format!(
            "{} of {} of {}, {} of {} ({})\n",
            self.rows.len(),
            counted(self.functions as u64, plural),
            self.own.words(),
            profile.unit.number(own),
            profile.unit.words(whole),
            share(own, whole),
        );
        text.extend_from_slice(foot.as_bytes());
        self.answer(text)
    }

    /// A row for each function, with its heaviest line and the function that it calls most.
    pub(crate) fn tsv(&self) -> Answer {
        let mut text = b"function\town\tself\ttotal\tline\tcalls\n".to_vec();
        for Row { name, weights, charged } in self.all() {
            push_field(&utf8(name), &mut text);
            let FrameWeights { self_weight, total } = weights;
            let numbers = format!("\t{}\t{self_weight}\t{total}", charged.weight);
            text.extend_from_slice(numbers.as_bytes());
            for list in [&charged.lines, &charged.calls] {
                text.push(b'\t');
                let first = list.first().map_or(&[][..], |(first, _)| first);
                push_field(&utf8(first), &mut text);
            }
            text.push(b'\n');
        }
        self.answer(text)
    }

    /// A JSON object with a row for each function.
    pub(crate) fn json(&self, profile: &Profile) -> Answer {
        let unit = profile.unit_name.as_deref();
        let rows = self.all().map(JsonRow::of).collect();
        let document = Document {
            unit,
            total: profile.total,
            trust: profile.trust.data(),
            ranked: self.own.words(),
            all_rows: self.functions + usize::from(self.not_own.is_some()),
            rows,
        };
        let mut text = serde_json::to_vec(&document).expect("texts and numbers");
        text.push(b'\n');
        self.answer(text)
    }
}

/// What is before the line below a function.
const INDENT: &str = "  ";

/// `{"unit":"samples","total":12,"trust":{…},"ranked":"own code","all_rows":2,"rows":[…]}`
#[derive(Serialize)]
struct Document<'a> {
    unit: Option<&'a str>,
    total: u64,
    /// `None` if no header line says anything of it.
    trust: Option<TrustData>,
    ranked: &'static str,
    /// How many rows there are, with those that are not shown.
    all_rows: usize,
    rows: Vec<JsonRow>,
}

#[derive(Serialize)]
struct JsonRow {
    function: String,
    own: u64,
    #[serde(rename = "self")]
    self_weight: u64,
    total: u64,
    lines: Vec<JsonLine>,
    calls: Vec<JsonCall>,
    callers: Vec<JsonCall>,
}

#[derive(Serialize)]
struct JsonLine {
    line: String,
    own: u64,
}

#[derive(Serialize)]
struct JsonCall {
    function: String,
    own: u64,
}

impl JsonRow {
    fn of(row: &Row<'_>) -> JsonRow {
        let text = |it: &[u8]| utf8(it).into_owned();
        let lines = row.charged.lines.iter();
        let call = |(it, own): &(Vec<u8>, u64)| JsonCall { function: text(it), own: *own };
        JsonRow {
            function: text(row.name),
            own: row.charged.weight,
            self_weight: row.weights.self_weight,
            total: row.weights.total,
            lines: lines.map(|(line, own)| JsonLine { line: text(line), own: *own }).collect(),
            calls: row.charged.calls.iter().map(call).collect(),
            callers: row.charged.callers.iter().map(call).collect(),
        }
    }
}

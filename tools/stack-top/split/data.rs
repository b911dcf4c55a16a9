//! The columns of values for programs: a table with tabs, or JSON.

use common::trust::{Trust, TrustData};
use common::{io::push_field, names::utf8, pipe::Split, stacks::FrameWeights};
use serde::Serialize;

use super::SplitProfile;
use super::table::shown;
use crate::Answer;
use crate::profile::{Row, Rows, Sort};

/// `{"unit":"ns","total":12,"trust":{…},"split":"tid","values":[…],"all_rows":2,"rows":[…]}`
#[derive(Serialize)]
struct Document<'a> {
    unit: Option<&'a str>,
    total: u64,
    /// `None` if no header line says anything of it.
    trust: Option<TrustData>,
    split: &'a str,
    values: Vec<JsonValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<Others>,
    /// How many rows there are, with those that are not shown.
    all_rows: usize,
    rows: Vec<JsonRow>,
}

#[derive(Serialize)]
struct JsonValue {
    value: String,
    total: u64,
}

/// The values that have no column.
#[derive(Serialize)]
struct Others {
    values: usize,
    total: u64,
}

#[derive(Serialize)]
struct JsonRow {
    function: String,
    #[serde(flatten)]
    weights: Weights,
    /// Those with a weight.
    values: Vec<Cell>,
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<Weights>,
}

#[derive(Serialize)]
struct Cell {
    value: String,
    #[serde(flatten)]
    weights: Weights,
}

#[derive(Serialize)]
struct Weights {
    #[serde(rename = "self")]
    self_weight: u64,
    total: u64,
}

impl Weights {
    fn of(FrameWeights { self_weight, total }: FrameWeights) -> Weights {
        Weights { self_weight, total }
    }
}

/// A row for each function, a column for each value, such as `tid=4711`.
pub(crate) fn tsv(profile: &SplitProfile, rows: &Rows, split: &Split, sort: Sort) -> Answer {
    let mut text = b"function\tself\ttotal".to_vec();
    for value in &profile.values {
        text.push(b'\t');
        push_field(&[split.key(), "=", &utf8(&value.name)].concat(), &mut text);
    }
    text.extend_from_slice(profile.others.map_or(&b""[..], |_| b"\tothers"));
    text.push(b'\n');
    for row in &rows.rows {
        push_field(&utf8(profile.name(row.frame)), &mut text);
        let of_row = [row.weights.self_weight, row.weights.total];
        of_row.into_iter().for_each(|number| push_number(number, &mut text));
        let mut next = 0;
        for cell in profile.cells(row.frame) {
            push_zeros(cell.column - next, &mut text);
            push_number(shown(cell.weights, sort), &mut text);
            next = cell.column + 1;
        }
        push_zeros(profile.columns() - next, &mut text);
        text.push(b'\n');
    }
    Answer::new(text, rows.shown())
}

fn push_number(number: u64, text: &mut Vec<u8>) {
    text.extend_from_slice(format!("\t{number}").as_bytes());
}

/// Many at once, as most functions are in few columns.
fn push_zeros(count: usize, text: &mut Vec<u8>) {
    text.extend_from_slice(&b"\t0".repeat(count));
}

/// An object of a row for each function, with what it weighs for each value.
pub(crate) fn json(profile: &SplitProfile, rows: &Rows, split: &Split, trust: Trust) -> Answer {
    let value = |value: &super::Value| JsonValue {
        value: utf8(&value.name).into_owned(),
        total: value.total,
    };
    let document = Document {
        unit: profile.unit_name.as_deref(),
        total: profile.total,
        trust: trust.data(),
        split: split.key(),
        values: profile.values.iter().map(value).collect(),
        others: profile.others.map(|(values, total)| Others { values, total }),
        all_rows: rows.functions,
        rows: rows.rows.iter().map(|row| JsonRow::of(profile, row)).collect(),
    };
    let mut text = serde_json::to_vec(&document).expect("texts and numbers");
    text.push(b'\n');
    Answer::new(text, rows.shown())
}

impl JsonRow {
    fn of(profile: &SplitProfile, row: &Row) -> JsonRow {
        // The cell of others is none of a value.
        let cells = profile.cells(row.frame).iter().filter_map(|cell| {
            let value = profile.values.get(cell.column)?;
            let shown = || Cell {
                value: utf8(&value.name).into_owned(),
                weights: Weights::of(cell.weights),
            };
            (cell.weights.total > 0).then(shown)
        });
        let of_others = |_| Weights::of(profile.cell(row.frame, profile.values.len()));
        JsonRow {
            function: utf8(profile.name(row.frame)).into_owned(),
            weights: Weights::of(row.weights),
            values: cells.collect(),
            others: profile.others.map(of_others),
        }
    }
}

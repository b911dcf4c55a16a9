//! The answer for programs: a table with tabs, or JSON.

use common::{io::push_field, names::utf8, stacks::FrameId, trust::TrustData};
use serde::Serialize;

use crate::Answer;
use crate::functions::Functions;
use crate::profile::{Profile, Rows};
use crate::relatives::{Families, Relation};

/// `{"unit":"ns","total":12,"trust":{…},"all_rows":2,"rows":[…]}`
#[derive(Serialize)]
struct Document<'a> {
    unit: Option<&'a str>,
    total: u64,
    /// `None` if no header line says anything of it.
    trust: Option<TrustData>,
    /// How many rows there are, with those that are not shown.
    all_rows: usize,
    rows: Vec<JsonRow>,
}

#[derive(Serialize)]
struct JsonRow {
    function: String,
    #[serde(rename = "self")]
    self_weight: u64,
    total: u64,
    /// For a line, the functions that it is in, the heaviest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    functions: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callers: Option<Vec<Relative>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callees: Option<Vec<Relative>>,
}

#[derive(Serialize)]
struct Relative {
    function: String,
    weight: u64,
}

/// A row for each function.
pub(crate) fn tsv(profile: &Profile, rows: &Rows) -> Answer {
    let mut text = b"function\tself\ttotal".to_vec();
    text.extend_from_slice(if profile.functions.is_some() { b"\tfunctions\n" } else { b"\n" });
    for row in &rows.rows {
        push_field(&utf8(profile.name(row.frame)), &mut text);
        let weights = row.weights;
        let numbers = format!("\t{}\t{}", weights.self_weight, weights.total);
        text.extend_from_slice(numbers.as_bytes());
        if let Some(functions) = &profile.functions {
            text.push(b'\t');
            push_field(&utf8(&functions.on(profile.name(row.frame)).join(&b';')), &mut text);
        }
        text.push(b'\n');
    }
    Answer::new(text, rows.shown())
}

/// A row for each caller and callee.
pub(crate) fn families_as_tsv(profile: &Profile, families: &Families, rows: usize) -> Answer {
    let mut text = b"function\trelation\tother\tweight\n".to_vec();
    for family in &families.families {
        for &(other, weight) in family.relatives.iter().take(rows) {
            push_field(&utf8(profile.name(family.function)), &mut text);
            text.extend_from_slice(format!("\t{}\t", family.relation.word()).as_bytes());
            push_field(&utf8(family.name(profile, other)), &mut text);
            text.extend_from_slice(format!("\t{weight}\n").as_bytes());
        }
    }
    Answer::new(text, families.shown())
}

/// A JSON object with a row for each function.
pub(crate) fn json(profile: &Profile, rows: &Rows) -> Answer {
    let json_rows = rows.rows.iter().map(|row| JsonRow::of(profile, row.frame)).collect();
    Answer::new(document(profile, rows.functions, json_rows), rows.shown())
}

/// A JSON object with a row for each function that was asked for, with its callers and callees.
pub(crate) fn families_as_json(profile: &Profile, families: &Families, rows: usize) -> Answer {
    let mut json_rows: Vec<JsonRow> = Vec::new();
    let mut last = None;
    for family in &families.families {
        if last.replace(family.function) != Some(family.function) {
            json_rows.push(JsonRow::of(profile, family.function));
        }
        let relatives = family.relatives.iter().take(rows).map(|&(other, weight)| Relative {
            function: utf8(family.name(profile, other)).into_owned(),
            weight,
        });
        let Some(row) = json_rows.last_mut() else { continue };
        let list = match family.relation {
            Relation::Caller => &mut row.callers,
            Relation::Callee => &mut row.callees,
        };
        *list = Some(relatives.collect());
    }
    Answer::new(document(profile, json_rows.len(), json_rows), families.shown())
}

impl JsonRow {
    fn of(profile: &Profile, frame: FrameId) -> JsonRow {
        let weights = profile.weights[frame as usize];
        let on_line = |functions: &Functions| {
            functions.on(profile.name(frame)).iter().map(|it| utf8(it).into_owned()).collect()
        };
        JsonRow {
            function: utf8(profile.name(frame)).into_owned(),
            self_weight: weights.self_weight,
            total: weights.total,
            functions: profile.functions.as_ref().map(on_line),
            callers: None,
            callees: None,
        }
    }
}

fn document(profile: &Profile, all_rows: usize, rows: Vec<JsonRow>) -> Vec<u8> {
    let unit = profile.unit_name.as_deref();
    let document =
        Document { unit, total: profile.total, trust: profile.trust.data(), all_rows, rows };
    let mut text = serde_json::to_vec(&document).expect("texts and numbers");
    text.push(b'\n');
    text
}

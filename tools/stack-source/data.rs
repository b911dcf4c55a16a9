//! The lines for programs: a table with tabs, or JSON.

use common::{io::push_field, names::utf8};
use serde::Serialize;

use crate::Profile;
use crate::count::{Line, Part};

/// `{"unit":"samples","total":12,"listings":[…]}`
#[derive(Serialize)]
struct Document<'a> {
    unit: Option<&'a str>,
    total: u64,
    listings: Vec<JsonListing>,
}

#[derive(Serialize)]
struct JsonListing {
    /// `None` for a whole file.
    function: Option<String>,
    path: String,
    /// Where the source was found.
    source: Option<String>,
    #[serde(rename = "self")]
    self_weight: u64,
    total: u64,
    lines: Vec<JsonLine>,
}

#[derive(Serialize)]
struct JsonLine {
    line: u32,
    #[serde(rename = "self")]
    self_weight: u64,
    total: u64,
    text: Option<String>,
}

/// A row for each line that weighs something.
pub(crate) fn tsv(profile: &Profile) -> Vec<u8> {
    let mut text = b"function\tpath\tline\tself\ttotal\ttext\n".to_vec();
    for part in &profile.parts {
        let source = profile.sources.get(&part.path);
        for Line { number, weights } in &part.lines {
            push_field(&utf8(&part.function), &mut text);
            text.push(b'\t');
            push_field(&utf8(&part.path), &mut text);
            let numbers = format!("\t{number}\t{}\t{}\t", weights.self_weight, weights.total);
            text.extend_from_slice(numbers.as_bytes());
            let line = source.and_then(|source| source.line(*number)).unwrap_or_default();
            push_field(&utf8(line), &mut text);
            text.push(b'\n');
        }
    }
    text
}

/// An object with a list of lines for each function, or for each file.
pub(crate) fn json(profile: &Profile) -> Vec<u8> {
    let document = Document {
        unit: profile.unit_name.as_deref(),
        total: profile.total,
        listings: profile.parts.iter().map(|part| JsonListing::of(part, profile)).collect(),
    };
    let mut text = serde_json::to_vec(&document).expect("texts and numbers");
    text.push(b'\n');
    text
}

impl JsonListing {
    fn of(part: &Part, profile: &Profile) -> JsonListing {
        let source = profile.sources.get(&part.path);
        let line = |line: &Line| JsonLine {
            line: line.number,
            self_weight: line.weights.self_weight,
            total: line.weights.total,
            text: source
                .and_then(|source| source.line(line.number))
                .map(|line| utf8(line).into_owned()),
        };
        JsonListing {
            function: (!part.function.is_empty()).then(|| utf8(&part.function).into_owned()),
            path: utf8(&part.path).into_owned(),
            source: source
                .map(|source| utf8(source.file.as_os_str().as_encoded_bytes()).into_owned()),
            self_weight: part.weights.self_weight,
            total: part.weights.total,
            lines: part.lines.iter().map(line).collect(),
        }
    }
}

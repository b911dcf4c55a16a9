//! The lines for programs: a table with tabs, or JSON.

use common::{io::push_field, names::utf8, stacks::FrameWeights, trust::TrustData};
use serde::Serialize;

use crate::Profile;
use crate::count::{Line, Part};

/// `{"unit":"samples","total":12,"trust":{…},"all_listings":2,"listings":[…]}`
#[derive(Serialize)]
struct Document<'a> {
    unit: Option<&'a str>,
    total: u64,
    /// `None` if no header line says anything of it.
    trust: Option<TrustData>,
    /// How many there are, with those that are not listed.
    all_listings: usize,
    listings: Vec<JsonListing>,
}

#[derive(Serialize)]
struct JsonListing {
    /// `None` for a whole file.
    function: Option<String>,
    path: String,
    /// Where the source was found.
    source: Option<String>,
    #[serde(flatten)]
    weights: JsonWeights,
    lines: Vec<JsonLine>,
}

/// `"self":7,"total":9`, or `"own":7,"total":9` where own code is charged.
#[derive(Serialize)]
struct JsonWeights {
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    self_weight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<u64>,
    total: u64,
}

impl JsonWeights {
    fn of(FrameWeights { self_weight, total }: FrameWeights, profile: &Profile) -> JsonWeights {
        let is_own = profile.own.is_some();
        let (own, itself) = (is_own.then_some(self_weight), (!is_own).then_some(self_weight));
        JsonWeights { self_weight: itself, own, total }
    }
}

#[derive(Serialize)]
struct JsonLine {
    line: u32,
    #[serde(flatten)]
    weights: JsonWeights,
    text: Option<String>,
}

/// A row for each line that weighs something.
pub(crate) fn tsv(profile: &Profile) -> Vec<u8> {
    let mut text = format!("function\tpath\tline\t{}\ttotal\ttext\n", profile.word()).into_bytes();
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
        trust: profile.trust.data(),
        all_listings: profile.candidates,
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
            weights: JsonWeights::of(line.weights, profile),
            text: source
                .and_then(|source| source.line(line.number))
                .map(|line| utf8(line).into_owned()),
        };
        JsonListing {
            function: (!part.function.is_empty()).then(|| utf8(&part.function).into_owned()),
            path: utf8(&part.path).into_owned(),
            source: source
                .map(|source| utf8(source.file.as_os_str().as_encoded_bytes()).into_owned()),
            weights: JsonWeights::of(part.weights, profile),
            lines: part.lines.iter().map(line).collect(),
        }
    }
}

//! The same for programs.

use common::names::utf8;
use common::trust::TrustData;
use serde::Serialize;

use crate::brief::Brief;
use crate::chains::Caller;
use crate::excerpt;
use crate::functions::Place;
use crate::profile::Column;
use crate::rows::Row;
use crate::text::shown_columns;

#[derive(Serialize)]
struct Document {
    title: String,
    columns: Vec<JsonColumn>,
    /// What the shares of rows are of.
    total: u64,
    kinds: Vec<JsonKind>,
    signals: Vec<String>,
    all_rows: usize,
    rows: Vec<JsonRow>,
    /// Of stacks without own code.
    not_own: u64,
    /// `None` if no header line says anything of it.
    trust: Option<TrustData>,
    next: Vec<String>,
}

#[derive(Serialize)]
struct JsonColumn {
    column: String,
    unit: String,
    total: u64,
}

#[derive(Serialize)]
struct JsonKind {
    kind: &'static str,
    weight: u64,
    of: u64,
}

#[derive(Serialize)]
struct JsonRow {
    function: String,
    path: String,
    /// `None` unless it is about what changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    own: u64,
    /// In the order of the columns.
    weights: Vec<u64>,
    lines: Vec<JsonLine>,
    callers: Vec<JsonCaller>,
    /// Where callers differ.
    split: Vec<JsonCaller>,
    calls: Vec<JsonCall>,
}

#[derive(Serialize)]
struct JsonLine {
    path: String,
    line: u32,
    own: u64,
    weights: Vec<u64>,
    text: Option<String>,
}

#[derive(Serialize)]
struct JsonCaller {
    function: String,
    path: String,
    line: u32,
    own: u64,
}

#[derive(Serialize)]
struct JsonCall {
    functions: Vec<String>,
    own: u64,
}

/// One object, on a line.
pub(crate) fn object(brief: &Brief<'_>) -> Vec<u8> {
    let Brief { profile, .. } = brief;
    let columns = shown_columns(profile);
    let column = |at: &usize| {
        let column: &Column = &profile.columns[*at];
        JsonColumn { column: column.word(), unit: column.unit_word(), total: column.total }
    };
    let kinds = brief.kinds.iter();
    let document = Document {
        title: brief.title.clone(),
        columns: columns.iter().map(column).collect(),
        total: profile.ranked_total(),
        kinds: kinds
            .map(|it| JsonKind { kind: it.name, weight: it.weight, of: it.whole })
            .collect(),
        signals: brief.signals.clone(),
        all_rows: brief.others.count,
        rows: brief.rows.iter().map(|row| JsonRow::of(brief, row, &columns)).collect(),
        not_own: brief.not_own,
        trust: brief.trust.data(),
        next: brief.next.iter().map(|it| it.text.clone()).collect(),
    };
    let mut text = serde_json::to_vec(&document).expect("texts and numbers");
    text.push(b'\n');
    text
}

impl JsonRow {
    fn of(brief: &Brief<'_>, row: &Row<'_>, columns: &[usize]) -> JsonRow {
        let text = |it: &[u8]| utf8(it).into_owned();
        let weights = |all: &[u64]| columns.iter().map(|&at| all[at]).collect();
        let lines = excerpt::lines(row, &brief.sources);
        let texts = excerpt::texts(&lines, brief.sources.get(row.file));
        let line = |(line, shown): (&crate::rows::Line<'_>, Option<String>)| JsonLine {
            path: text(line.path),
            line: line.number,
            own: line.rank,
            weights: weights(&line.weights),
            text: shown,
        };
        let caller = |caller: &Caller<'_>, own: u64| {
            let (path, line): Place<'_> = caller.place;
            JsonCaller { function: text(caller.name), path: text(path), line, own }
        };
        let name = |frame: &&[u8]| text(common::names::FrameParts::of(frame).name);
        let calls = row.calls.list.iter();
        let chain = row.callers.chain.iter().map(|it| caller(it, row.callers.weight));
        JsonRow {
            function: text(row.name),
            path: text(row.file),
            change: row.change.clone(),
            own: row.charged.rank,
            weights: weights(&row.charged.weights),
            lines: lines.iter().zip(texts).map(line).collect(),
            callers: chain.collect(),
            split: row.callers.split.iter().map(|(it, own)| caller(it, *own)).collect(),
            calls: calls
                .map(|call| JsonCall {
                    functions: call.chain.iter().map(name).collect(),
                    own: call.weight,
                })
                .collect(),
        }
    }
}

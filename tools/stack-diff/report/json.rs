//! JSON, for programs.

use common::compare::{Function, Run};
use serde::Serialize;

use super::{Change, Report};

#[derive(Serialize)]
struct Document {
    /// The unit of the numbers in the rows: `%`, or the unit of the weights.
    unit: String,
    before: Side,
    after: Side,
    total: Row,
    /// How much programs vary between runs, in percent of each count.
    noise: f64,
    functions: usize,
    changed: usize,
    rows: Vec<FunctionRow>,
}

/// The runs of a side.
#[derive(Serialize)]
struct Side {
    files: Vec<String>,
    samples: f64,
}

#[derive(Serialize)]
struct Row {
    before: f64,
    after: f64,
    diff: f64,
    error: f64,
    listed: bool,
}

#[derive(Serialize)]
struct FunctionRow {
    function: String,
    #[serde(rename = "self")]
    own: Row,
    total: Row,
}

pub(super) fn lines(report: &Report<'_>) -> Vec<Vec<u8>> {
    let side = |runs: &[Run], samples| Side {
        files: runs.iter().map(|run| run.name.clone()).collect(),
        samples,
    };
    let comparison = report.comparison;
    let [before, after] = comparison.samples;
    let document = Document {
        unit: if comparison.absolute { report.runs.unit_name.clone() } else { "%".to_owned() },
        before: side(&report.runs.before, before),
        after: side(&report.runs.after, after),
        total: row(&comparison.whole),
        noise: 100.0 * comparison.variation,
        functions: comparison.functions.len(),
        changed: report.changed,
        rows: report.functions.iter().map(|function| function_row(report, function)).collect(),
    };
    vec![serde_json::to_vec(&document).expect("numbers and text")]
}

fn function_row(report: &Report<'_>, function: &Function) -> FunctionRow {
    FunctionRow {
        function: report.name_as_text(function),
        own: row(&function.own),
        total: row(&function.total),
    }
}

fn row(change: &Change) -> Row {
    Row {
        before: change.before,
        after: change.after,
        diff: change.difference(),
        error: 2.0 * change.error,
        listed: change.is_real,
    }
}

//! What OCaml's landmarks prints when a program ends: the call tree of the
//! functions that were marked, as JSON or as text. Grammar of both from
//! landmarks' src/graph.ml (`output_json`, `output`).

mod json;
mod text;

use crate::format::Format;
use crate::read::costs::CALLS;
use crate::read::nodes::Call;
use crate::samples::events::Measure;

pub(super) const JSON: Format = Format::new(
    "landmarks",
    "The call tree of OCaml's landmarks, as JSON",
    json::detect,
    json::parse,
);

pub(super) const TEXT: Format = Format::new(
    "landmarks-text",
    "The call tree of OCaml's landmarks, as the text it prints",
    text::detect,
    text::parse,
);

/// The cost of each call, in cycles of the processor.
const CYCLES: Measure = Measure { name: b"cycles", unit: b"cycles" };

/// The bytes that each call allocated, if the program recorded them.
const BYTES: Measure = Measure { name: b"bytes", unit: b"bytes" };

/// Those of them in the major heap.
const MAJOR_BYTES: Measure = Measure { name: b"major-bytes", unit: b"bytes" };

/// The processor time of each call, if the program recorded it.
const CPU_TIME: Measure = Measure { name: b"cpu-time", unit: b"ns" };

/// Adds a number that is without the callees to those of all callers.
fn add_to_callers(place: usize, calls: &mut [Call]) {
    for number in (0..calls.len()).rev() {
        let total = calls[number].totals[place];
        if let Some(caller) = calls[number].caller {
            let above = &mut calls[caller as usize].totals[place];
            *above = above.saturating_add(total);
        }
    }
}

//! What OCaml's landmarks prints when a program ends: the call tree of the
//! functions that were marked, as JSON or as text. Grammar of both from
//! landmarks' src/graph.ml (`output_json`, `output`).

mod json;
mod text;

use crate::format::Format;
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

/// How many calls there were.
const CALLS: Measure = Measure { name: b"calls", unit: b"calls" };

//! What OCaml's landmarks prints when a program ends: the call tree of the
//! functions that were marked, as JSON or as text. Grammar of both from
//! landmarks' src/graph.ml (`output_json`, `output`).

mod json;
mod text;

use crate::format::Format;
use crate::samples::events::Measure;
use crate::samples::{Root, Weighs};

pub(super) const JSON: Format = Format {
    name: "landmarks",
    about: "The call tree of OCaml's landmarks, as JSON",
    detect: json::detect,
    parse: json::parse,
    root: Root::None,
    weighs: Weighs::Sum,
    extras: &[],
};

pub(super) const TEXT: Format = Format {
    name: "landmarks-text",
    about: "The call tree of OCaml's landmarks, as the text it prints",
    detect: text::detect,
    parse: text::parse,
    root: Root::None,
    weighs: Weighs::Sum,
    extras: &[],
};

/// The cost of each call, in cycles of the processor.
const CYCLES: Measure = Measure { name: b"cycles", unit: b"cycles" };

/// The bytes that each call allocated, if the program recorded them.
const BYTES: Measure = Measure { name: b"bytes", unit: b"bytes" };

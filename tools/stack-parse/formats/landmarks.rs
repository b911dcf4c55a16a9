//! What OCaml's landmarks prints when a program ends: the call tree of the
//! functions that were marked, as JSON or as text. Grammar of both from
//! landmarks' src/graph.ml (`output_json`, `output`).

mod json;
mod text;

pub(crate) use json::read as read_json;
pub(crate) use text::{is_call, read as read_text};

/// True if and only if a text that begins so is a call tree in JSON.
pub(crate) fn is_json(start: &[u8]) -> bool {
    let is_graph = || {
        let rest = start.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start();
        rest.strip_prefix(b"\"nodes\"")
    };
    is_graph().is_some_and(|nodes| memchr::memmem::find(nodes, b"\"landmark_id\"").is_some())
}

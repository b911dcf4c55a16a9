//! The call tree as JSON: `OCAML_LANDMARKS=format=json`.

use std::io::Read;

use common::{Error, Result, io::Input};
use memchr::memchr;
use serde::Deserialize;

use super::{BYTES, CALLS, CPU_TIME, CYCLES, MAJOR_BYTES, add_to_callers};
use crate::format::Head;
use crate::frame::Frame;
use crate::options::Options;
use crate::read::byte_string::ByteString;
use crate::read::nodes::{Call, add_calls};
use crate::samples::Samples;
use crate::samples::events::Measure;

#[derive(Deserialize)]
struct Graph {
    nodes: Vec<Node>,
    #[serde(default)]
    root: usize,
}

/// A node of the call tree; `children` are indices into `nodes`.
#[derive(Deserialize)]
struct Node {
    name: ByteString,
    #[serde(default)]
    location: ByteString,
    /// Cycles, those of the children included.
    time: f64,
    children: Vec<usize>,
    #[serde(default)]
    allocated_bytes: Option<f64>,
    #[serde(default)]
    allocated_bytes_major: f64,
    /// Seconds of processor time, those of the children included.
    #[serde(default)]
    sys_time: f64,
    /// How often it was called: not those of the children.
    #[serde(default)]
    calls: f64,
}

/// The numbers of a node.
const NUMBERS: [Number; 5] = [
    Number { measure: CYCLES, of: |node| Some(node.time) },
    Number { measure: BYTES, of: |node| node.allocated_bytes },
    // A program that did not ask for these has 0 everywhere.
    Number { measure: MAJOR_BYTES, of: |node| not_zero(node.allocated_bytes_major) },
    Number { measure: CPU_TIME, of: |node| not_zero(node.sys_time * 1e9) },
    Number { measure: CALLS, of: |node| not_zero(node.calls) },
];

/// A number of a node that is a measure.
struct Number {
    measure: Measure<'static>,
    of: fn(&Node) -> Option<f64>,
}

fn not_zero(number: f64) -> Option<f64> {
    (number != 0.0).then_some(number)
}

/// 2 to the power of 64.
const TOO_MUCH: f64 = 18_446_744_073_709_551_616.0;

/// Whether the input begins like a call tree in JSON.
pub(super) fn detect(head: &Head<'_>) -> bool {
    head.outline().is_some_and(|keys| keys.has("nodes") && keys.has_inside("landmark_id"))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] if it is not a call tree, or what adding samples returns.
pub(super) fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut text = Vec::new();
    input.read_to_end(&mut text).map_err(|source| Error::Input { name: name.clone(), source })?;
    let graph: Graph = serde_json::from_slice(&valid_json(&text)).map_err(|error| {
        Error::Unknown { name, what: format!("expected landmarks' JSON: {error}") }
    })?;
    let has = |number: &&Number| graph.nodes.iter().any(|node| (number.of)(node).is_some());
    let numbers: Vec<&Number> = NUMBERS.iter().filter(has).collect();
    let measures: Vec<Measure<'_>> = numbers.iter().map(|number| number.measure).collect();
    samples.events.set_measures(&measures);
    let totals = graph.nodes.iter().flat_map(|node| numbers.iter().map(|it| (it.of)(node)));
    // Converted to 64 bits, such a total becomes the nearest number that fits.
    let bad = totals.flatten().filter(|total| !(0.0..TOO_MUCH).contains(total)).count();
    let what = "totals do not fit: below zero they count as 0, over 64 bits as 2^64 - 1";
    samples.note_count(bad as u64, what);
    let mut calls = graph.calls(&numbers, samples);
    if let Some(place) = measures.iter().position(|measure| measure.name == CALLS.name) {
        add_to_callers(place, &mut calls);
    }
    add_calls(&calls, measures.len(), samples)
}

impl Graph {
    /// The calls, from the root on, a caller before its callees. If the graph is damaged and not a
    /// tree, a node counts for its first caller, and a note says so.
    fn calls(&self, numbers: &[&Number], samples: &mut Samples<'_>) -> Vec<Call> {
        let mut seen = vec![false; self.nodes.len()];
        let (mut calls, mut bad_callees) = (Vec::new(), 0);
        // The nodes to visit, and the numbers of their callers.
        let mut pending = Vec::new();
        let mut enter = |nodes: &[usize], caller: Option<u32>, pending: &mut Vec<_>| {
            for &node in nodes.iter().rev() {
                match seen.get_mut(node) {
                    Some(seen) if !*seen => {
                        *seen = true;
                        pending.push((node, caller));
                    }
                    _ => bad_callees += 1,
                }
            }
        };
        enter(&[self.root], None, &mut pending);
        while let Some((node, caller)) = pending.pop() {
            let node = &self.nodes[node];
            enter(&node.children, Some(calls.len() as u32), &mut pending);
            calls.push(node.call(numbers, caller, samples));
        }
        let unreached = self.nodes.len() - calls.len();
        if bad_callees > 0 || unreached > 0 {
            samples.note(format_args!(
                "expected a tree: {bad_callees} callees are missing or have other callers, too; \
                 {unreached} nodes have no caller: they are left out"
            ));
        }
        calls
    }
}

impl Node {
    fn call(&self, numbers: &[&Number], caller: Option<u32>, samples: &mut Samples<'_>) -> Call {
        let ByteString(name) = &self.name;
        let name = if name.is_empty() { b"[no name]" } else { &name[..] };
        let mut frames = Vec::new();
        samples.frames(&Frame { name, source: &self.location.0, ..Frame::default() }, &mut frames);
        // Totals are rounded, not own weights, so that the sum is right.
        let total = |it: &&Number| (it.of)(self).unwrap_or_default().round() as u64;
        let totals = numbers.iter().map(total).collect();
        Call { frames, totals, caller }
    }
}

/// Replaces escapes of OCaml's `String.escaped`, which writes the bytes of `é` in decimal,
/// `\195\169`: this is not JSON. The result is what [`ByteString`] reads.
fn valid_json(text: &[u8]) -> Vec<u8> {
    let mut json = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(escape) = memchr(b'\\', rest) {
        json.extend_from_slice(&rest[..escape]);
        rest = &rest[escape..];
        let decimal = rest.get(1..4).and_then(|digits| std::str::from_utf8(digits).ok());
        let taken = match decimal.and_then(|digits| digits.parse::<u8>().ok()) {
            Some(byte @ (b'"' | b'\\' | 0..b' ')) => {
                json.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                4
            }
            Some(byte) => {
                json.push(byte);
                4
            }
            None => {
                let taken = rest.len().min(2);
                json.extend_from_slice(&rest[..taken]);
                taken
            }
        };
        rest = &rest[taken..];
    }
    json.extend_from_slice(rest);
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(json: &str) -> Vec<u8> {
        let ByteString(name) = serde_json::from_slice(&valid_json(json.as_bytes())).expect(json);
        name
    }

    #[test]
    fn strings_are_escaped_as_ocaml_does() {
        for (json, name) in [
            (r#""fib""#, &b"fib"[..]),
            (r#""caf\195\169""#, "café".as_bytes()),
            (r#""\233\007\034\092n""#, b"\xe9\x07\"\\n"),
            (r#""a\"b\\n\\195\n""#, b"a\"b\\n\\195\n"),
        ] {
            assert_eq!(name_of(json), name, "{json}");
        }
        assert_eq!(valid_json(b"\\"), b"\\");
        assert_eq!(valid_json(b"\\999\\25"), b"\\999\\25");
    }
}

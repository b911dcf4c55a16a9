//! The call tree as text, which landmarks prints by default.
//!
//! ```text
//! [    2.80M cycles in 5 calls ]     - 51.23% : eval
//! [  771.42K cycles in 5 calls ]     |   - 27.50% : parse
//! ```

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::decimal};

use super::{CALLS, CYCLES, add_to_callers};
use crate::format::Head;
use crate::frame::Frame;
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::nodes::{Call, add_calls};
use crate::samples::Samples;

/// Whether a line can be one of a call tree.
pub(super) fn detect(head: &Head<'_>) -> bool {
    head.lines().any(is_call)
}

fn is_call(line: &[u8]) -> bool {
    line.starts_with(b"[") && line.contains_str(" cycles in ") && line.contains_str(" calls ]")
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
pub(super) fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.note(
        "landmarks' text has three digits of each figure and no small nodes: \
         OCAML_LANDMARKS=format=json keeps all",
    );
    samples.events.set_measures(&[CYCLES, CALLS]);
    let mut graph = Graph::new();
    for_each_line(input, |number, line| {
        if line.starts_with(b"Call graph") {
            // Another tree begins: each thread has its own.
            return std::mem::replace(&mut graph, Graph::new()).finish(samples);
        }
        if is_call(line) {
            if graph.add(line).is_none() {
                samples.skipped.add(number, "expected a call of landmarks below its caller");
            }
        } else if let Some(total) = root_total(line) {
            graph.calls[0].total = total;
        }
        Ok(())
    })?;
    graph.finish(samples)
}

/// A call tree whose lines are being read.
struct Graph {
    /// The root is the first; it has no line.
    calls: Vec<Node>,
    /// The numbers of the callers of the next line, root first.
    path: Vec<u32>,
}

impl Graph {
    fn new() -> Graph {
        Graph { calls: vec![Node { name: b"ROOT".to_vec(), ..Node::default() }], path: vec![0] }
    }

    /// Adds the call of a line, if it is one.
    fn add(&mut self, line: &[u8]) -> Option<()> {
        let (head, tail) = line.split_once_str(" calls ]")?;
        let (cycles, calls) = head.strip_prefix(b"[")?.split_once_str(" cycles in ")?;
        let (total, count) = (total(cycles)?, decimal(calls.trim_ascii())?);
        // A `-` after four columns for each caller, some of which have a `|`.
        let dash = tail.iter().position(|byte| !matches!(byte, b' ' | b'|'))?;
        let depth = dash.checked_sub(1)? / 4;
        let rest = tail[dash..].strip_prefix(b"-")?.trim_ascii_start();
        let name = match rest.strip_prefix(b"* ") {
            Some(name) => name,
            None => rest.split_once_str("% : ")?.1,
        };
        let &caller = self.path.get(depth.checked_sub(1)?)?;
        self.path.truncate(depth);
        self.path.push(self.calls.len() as u32);
        self.calls.push(Node { name: without_colors(name), total, count, caller: Some(caller) });
        Some(())
    }

    /// Adds what was read to `samples`.
    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        let callees = self.calls.iter().filter(|call| call.caller == Some(0));
        let below = callees.fold(0, |sum: u64, callee| sum.saturating_add(callee.total));
        // The root's total is only in the table below the tree, which may be missing.
        self.calls[0].total = self.calls[0].total.max(below);
        let calls = self.calls.into_iter().map(|node| node.into_call(samples));
        let mut calls: Vec<Call> = calls.collect();
        add_to_callers(1, &mut calls);
        add_calls(&calls, 2, samples)
    }
}

/// A line of the tree.
#[derive(Default)]
struct Node {
    name: Vec<u8>,
    /// Cycles, those of its callees included.
    total: u64,
    /// How often it was called.
    count: u64,
    /// The number of its caller; the root has none.
    caller: Option<u32>,
}

impl Node {
    fn into_call(self, samples: &mut Samples<'_>) -> Call {
        let mut frames = Vec::new();
        let name = if self.name.is_empty() { b"[no name]" } else { &self.name[..] };
        samples.frames(&Frame { name, ..Frame::default() }, &mut frames);
        Call { frames, totals: vec![self.total, self.count], caller: self.caller }
    }
}

/// The total of the program, from the table of sums:
/// ` ROOT; landmarks/landmark.ml;        0;    5.47M; 801704; 120`.
fn root_total(line: &[u8]) -> Option<u64> {
    let mut fields = line.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    let is_root = fields.next() == Some(b"ROOT") && fields.nth(1) == Some(b"0");
    if is_root { total(fields.next()?) } else { None }
}

/// `771.42K` as a number.
fn total(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let (digits, unit) = match text.split_last()? {
        (b'K', digits) => (digits, 1_000),
        (b'M', digits) => (digits, 1_000_000),
        (b'G', digits) => (digits, 1_000_000_000),
        _ => (text, 1),
    };
    let (whole, hundredths) = digits.split_once_str(".")?;
    let hundredths = if hundredths.len() == 2 { decimal(hundredths)? } else { return None };
    let hundredths = decimal(whole)?.checked_mul(100)?.checked_add(hundredths)?;
    Some(hundredths.checked_mul(unit)?.saturating_add(50) / 100)
}

/// `ESC[1;31meval ESC[0m` without the escape sequences for colors.
fn without_colors(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once_str("\x1b[") {
        plain.extend_from_slice(before);
        rest = after.find_byte(b'm').map_or(&b""[..], |end| &after[end + 1..]);
    }
    plain.extend_from_slice(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_exactly() {
        for (text, expected) in [
            ("   2.80M", Some(2_800_000)),
            (" 771.42K", Some(771_420)),
            ("   1.07G", Some(1_070_000_000)),
            ("  12.00 ", Some(12)),
            ("   0.50", Some(1)),
            ("   nan", None),
            ("   2.8M", None),
            ("999999999999.00G", None),
            ("", None),
        ] {
            assert_eq!(total(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn colors_are_no_part_of_a_name() {
        for (name, plain) in
            [("eval", "eval"), ("\x1b[1;31meval\x1b[0m", "eval"), ("a[0]\x1b[0;3", "a[0]")]
        {
            assert_eq!(without_colors(name.as_bytes()), plain.as_bytes(), "{name:?}");
        }
    }

    #[test]
    fn only_lines_below_their_callers_are_calls() {
        let mut graph = Graph::new();
        let mut add = |line: &str| graph.add(line.as_bytes()).is_some();
        assert!(add("[    2.80M cycles in 5 calls ]     - 51.23% : f"));
        assert!(add("[   12.00  cycles in 5 calls ]     |   - 27.50% : g"));
        assert!(add("[    0.00   cycles in       5 calls ]     |   |   - * h"));
        assert!(!add("[    2.80M cycles in 5 calls ]     |   |   |   |   - 51.23% : f"));
        assert!(!add("[    2.80M cycles in 5 calls ] - 51.23% : f"));
        assert!(!add("[    2.80M cycles in 5 calls ]     51.23% : f"));
        assert!(!add("[    many cycles in 5 calls ]     - 51.23% : f"));
        let callers: Vec<_> = graph.calls.iter().map(|call| call.caller).collect();
        assert_eq!(callers, [None, Some(0), Some(1), Some(2)]);
    }
}

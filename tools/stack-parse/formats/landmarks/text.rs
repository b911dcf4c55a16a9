//! The call tree as text, which landmarks prints unless told otherwise.
//!
//! ```text
//! [    2.80M cycles in 5 calls ]     - 51.23% : eval
//! [  771.42K cycles in 5 calls ]     |   - 27.50% : parse
//! ```

use bstr::ByteSlice;
use common::{Blocks, Error, Input, Pipe, Result};

use crate::read::call_tree::{self, Call};
use crate::samples::Samples;

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], or what writing returns.
pub(crate) fn read(input: &mut Input, samples: &mut Samples, pipe: &mut Pipe) -> Result<()> {
    let name = input.name().to_owned();
    pipe.note(format_args!(
        "{name}: landmarks' text has three digits of each figure and no small nodes: \
         OCAML_LANDMARKS=format=json keeps all"
    ));
    let mut graph = Graph::new();
    let mut number = 0;
    let mut blocks = Blocks::of_lines(input);
    loop {
        let block =
            blocks.next_block().map_err(|source| Error::Input { name: name.clone(), source })?;
        let Some(block) = block else { return graph.finish(&name, samples, pipe) };
        for line in block.lines() {
            number += 1;
            if line.starts_with(b"Call graph") {
                // Another one: threads have their own.
                std::mem::replace(&mut graph, Graph::new()).finish(&name, samples, pipe)?;
            } else if line.starts_with(b"[") && is_call(line) {
                if graph.add(line).is_none() {
                    samples.skipped.add(number, "expected a call of landmarks below its caller");
                }
            } else if let Some(total) = root_total(line) {
                graph.calls[0].total = total;
            }
        }
    }
}

/// True if and only if a line can be one of a call tree.
pub(crate) fn is_call(line: &[u8]) -> bool {
    line.starts_with(b"[") && line.contains_str(" cycles in ") && line.contains_str(" calls ]")
}

/// A call tree whose lines are being read.
struct Graph {
    /// The root is the first; it has no line.
    calls: Vec<Call>,
    /// The numbers of the callers of the next line, root first.
    path: Vec<usize>,
}

impl Graph {
    fn new() -> Graph {
        Graph { calls: vec![Call { name: b"ROOT".to_vec(), ..Call::default() }], path: vec![0] }
    }

    /// Adds the call of a line, if it is one.
    fn add(&mut self, line: &[u8]) -> Option<()> {
        let (head, tail) = line.split_once_str(" calls ]")?;
        let total = total(head.strip_prefix(b"[")?.split_once_str(" cycles in ")?.0)?;
        // A `-` behind four columns for each caller; in some a `|`.
        let dash = tail.iter().position(|byte| !matches!(byte, b' ' | b'|'))?;
        let depth = dash.checked_sub(1)? / 4;
        let rest = tail[dash..].strip_prefix(b"-")?.trim_ascii_start();
        let name = match rest.strip_prefix(b"* ") {
            Some(name) => name,
            None => rest.split_once_str("% : ")?.1,
        };
        let &caller = self.path.get(depth.checked_sub(1)?)?;
        let number = self.calls.len();
        self.calls.push(Call { name: without_colors(name), total, callees: Vec::new() });
        self.calls[caller].callees.push(number);
        self.path.truncate(depth);
        self.path.push(number);
        Some(())
    }

    /// Adds what was read to `samples`.
    fn finish(mut self, name: &str, samples: &mut Samples, pipe: &mut Pipe) -> Result<()> {
        let callees = self.calls[0].callees.iter();
        let below =
            callees.fold(0, |sum: u64, &callee| sum.saturating_add(self.calls[callee].total));
        // The root's own line is in the table below the tree, if that is there.
        self.calls[0].total = self.calls[0].total.max(below);
        call_tree::add(&self.calls, 0, name, samples, pipe)
    }
}

/// What the program took, from the table of sums:
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
    let number = |digits: &[u8]| {
        let all_digits = digits.iter().all(u8::is_ascii_digit);
        if all_digits { digits.to_str().ok()?.parse::<u64>().ok() } else { None }
    };
    let hundredths = if hundredths.len() == 2 { number(hundredths)? } else { return None };
    let hundredths = number(whole)?.checked_mul(100)?.checked_add(hundredths)?;
    Some(hundredths.checked_mul(unit)?.saturating_add(50) / 100)
}

/// `ESC[1;31meval ESC[0m` without what makes a terminal show colors.
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
        let callees: Vec<_> = graph.calls.iter().map(|call| &call.callees[..]).collect();
        assert_eq!(callees, [&[1][..], &[2], &[3], &[]]);
    }
}

//! Call chains, read whole and root first.
//!
//! Neighbouring samples mostly have the same lines next to the root. The text
//! that two chains have in common at their ends is found by comparing bytes, and
//! only the lines above it are parsed.

use common::{FrameId, NodeId, Result};

use super::frame_line::{FrameLine, split_padded_ip};
use super::line_cache::LineCache;
use super::line_hash::LineHash;
use super::newlines::Newlines;
use super::symbols::{Symbol, Symbols};
use crate::frame::{Frame, FrameArgs};
use crate::samples::Samples;
use crate::samples::sample::OpenSample;

/// How many bytes of two chains are compared at a time.
const STEP: usize = 32;

/// The frames of the last chain, kept for what the next one shares with it.
pub(super) struct Chain<'a> {
    names: &'a FrameArgs,
    /// Whether names depend on addresses.
    needs_address: bool,
    /// The text of the last chain of the last block.
    text: Vec<u8>,
    /// The frames, root first.
    steps: Vec<Step>,
    /// How many lines the chain has.
    lines: u32,
    /// The node above the first frame.
    base: NodeId,
    name: Vec<u8>,
    /// The frames of lines that were read lately, and of all symbols.
    cache: LineCache,
    symbols: Symbols,
}

/// The text of a chain in its block.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) text: &'a [u8],
    /// Where it starts in the block, behind an LF.
    pub(super) start: usize,
    /// Of the block.
    pub(super) newlines: &'a Newlines,
}

/// A frame, and the line that stands for it and perhaps for more.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Bytes from the start of the line to the end of the chain's text.
    from_end: usize,
    /// The number of the line, counted from 1 at the root.
    line: u32,
    frame: FrameId,
    node: NodeId,
}

impl<'a> Chain<'a> {
    pub(super) fn new(names: &'a FrameArgs) -> Chain<'a> {
        Chain {
            names,
            needs_address: names.need_address(),
            text: Vec::new(),
            steps: Vec::new(),
            lines: 0,
            base: 0,
            name: Vec::new(),
            cache: LineCache::new(),
            symbols: Symbols::default(),
        }
    }

    /// Another one, with the same choice of names.
    pub(super) fn fork(&self) -> Chain<'a> {
        Chain::new(self.names)
    }

    /// The text of the last chain of the block before.
    pub(super) fn take_text(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }

    /// Keeps the text of the last chain of a block.
    pub(super) fn keep_text(&mut self, text: &[u8]) {
        self.text = text.to_vec();
    }

    /// How many lines the chain has.
    pub(super) fn lines(&self) -> u64 {
        u64::from(self.lines)
    }

    /// Reads the lines of `body`, which belong to `sample`; `previous` is the
    /// text that was read last, empty if that was no chain. False if a line is
    /// no plain frame. Alone, the loop over all lines has the processor's registers.
    #[inline(never)]
    pub(super) fn read(
        &mut self,
        sample: OpenSample,
        body: Body<'_>,
        previous: &[u8],
        samples: &mut Samples<'_>,
    ) -> bool {
        let Body { text: body, start: body_start, newlines } = body;
        self.keep_common(sample.base, body, previous);
        let (mut end, mut line, mut node) = match self.steps.last() {
            Some(last) => (body.len() - last.from_end, last.line, last.node),
            None => (body.len(), 0, self.base),
        };
        let end_of_line = |end| end - usize::from(end < body.len());
        let mut starts = newlines.line_starts_before(body_start + end_of_line(end));
        while end > 0 {
            let line_end = end_of_line(end);
            line += 1;
            let start = starts.next_start() - body_start;
            let from_end = body.len() - start;
            let child = self.read_line(&body[start..line_end], (from_end, line), node, samples);
            let Some(child) = child else {
                self.steps.clear();
                return false;
            };
            (end, node) = (start, child);
        }
        self.lines = line;
        true
    }

    /// Adds the frames that a line stands for below `parent`; returns the last one's
    /// node, or `None` if it is no plain frame. The line has `number`, counted from 1
    /// at the root, and starts `from_end` bytes before the end of the chain's text.
    #[inline]
    fn read_line(
        &mut self,
        line: &[u8],
        (from_end, number): (usize, u32),
        parent: NodeId,
        samples: &mut Samples<'_>,
    ) -> Option<NodeId> {
        let above = |frame, node| Step { from_end, line: number, frame, node };
        // What follows the address says all, unless the address is asked for.
        let text = match split_padded_ip(line) {
            Some((_, text)) if !self.needs_address => text,
            _ => return self.parse_line(line, None, above(0, parent), samples),
        };
        let hash = LineHash::of(line);
        let frame = match self.cache.find(hash, text) {
            Some(frame) => frame,
            None => match self.known(hash, text) {
                Ok(frame) => frame,
                Err(symbol) => {
                    return self.parse_line(line, Some(symbol), above(0, parent), samples);
                }
            },
        };
        let child = samples.child(parent, frame);
        self.steps.push(above(frame, child));
        Some(child)
    }

    /// The same for a line whose symbol is not known, if it has one. `above` is the
    /// step of the line, with the node below which its frames belong.
    #[cold]
    fn parse_line(
        &mut self,
        line: &[u8],
        symbol: Option<Symbol<'_>>,
        above: Step,
        samples: &mut Samples<'_>,
    ) -> Option<NodeId> {
        let parsed = line.strip_prefix(b"\t").and_then(FrameLine::parse)?;
        let Chain { names, steps, name, symbols, .. } = self;
        let (first, mut node) = (steps.len(), above.node);
        names.for_each_name(&Frame::from(&parsed), name, |name| {
            let frame = samples.frame(name);
            node = samples.child(node, frame);
            steps.push(Step { frame, node, ..above });
        });
        if let (Some(symbol), [Step { frame, .. }]) = (symbol, &steps[first..]) {
            symbols.add(symbol, *frame);
        }
        Some(node)
    }

    /// The frame of a text that is not in the cache, where it is put.
    ///
    /// # Errors
    ///
    /// The symbol of the text, if it is not known yet.
    #[inline(never)]
    fn known<'b>(
        &mut self,
        hash: LineHash,
        text: &'b [u8],
    ) -> std::result::Result<FrameId, Symbol<'b>> {
        let symbol = self.symbols.parse(text);
        let frame = self.symbols.frame(symbol).ok_or(symbol)?;
        self.cache.put(hash, text, frame);
        Ok(frame)
    }

    /// Keeps the frames of the lines that both texts end in, except perhaps the
    /// first of them; none where they would stand below another root.
    fn keep_common(&mut self, base: NodeId, body: &[u8], previous: &[u8]) {
        let is_same_root = std::mem::replace(&mut self.base, base) == base;
        let common = if is_same_root { common_end(body, previous) } else { 0 };
        // Where the common text starts with a line, that line is whole in the
        // previous text, but may be the end of a longer one in this text.
        let kept = self.steps.partition_point(|step| step.from_end < common);
        self.steps.truncate(kept);
    }

    /// Adds the chain that was read to `samples`.
    pub(super) fn add(&self, sample: OpenSample, samples: &mut Samples<'_>) -> Result<()> {
        let leaf = self.steps.last().map_or(sample.base, |step| step.node);
        samples.close(sample, leaf, self.steps.iter().map(|step| step.frame))
    }
}

/// How many bytes `a` and `b` have in common at their ends, or up to [`STEP`]
/// less: to find the exact number takes longer than to read one more line.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    let most = a.len().min(b.len());
    let ((_, a), (_, b)) =
        (a[a.len() - most..].as_rchunks::<STEP>(), b[b.len() - most..].as_rchunks());
    let same = match a.iter().zip(b).rposition(|(a, b)| a != b) {
        Some(last) => a.len() - 1 - last,
        None => a.len(),
    };
    same * STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_end_is_never_too_long() {
        let long = "x".repeat(100);
        for (a, b, expected) in [
            ("", "", 0),
            ("abc", "", 0),
            ("abc", "abc", 3),
            ("abc", "xbc", 2),
            ("bc", "abc", 2),
            ("abc", "abd", 0),
            (&long, &long[1..], 99),
            (&format!("a{long}"), &format!("b{long}"), 100),
            (&format!("a{}", &long[4..]), &format!("b{}", &long[4..]), 96),
        ] {
            let common = common_end(a.as_bytes(), b.as_bytes());
            assert!(common <= expected && common + STEP > expected, "{a:?} {b:?}: {common}");
        }
    }
}

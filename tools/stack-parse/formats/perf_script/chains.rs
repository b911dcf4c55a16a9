//! Call chains without other lines, read at once, root first.

use common::Result;
use common::stacks::{FrameId, NodeId};

use super::frame_line::{FrameLine, split_padded_ip};
use super::line_cache::LineCache;
use super::line_hash::LineHash;
use super::newlines::Newlines;
use super::symbols::{Symbol, Symbols};
use crate::frame::Frame;
use crate::samples::sample::OpenSample;
use crate::samples::{CallChains, Samples};

/// The frames of a chain.
pub(super) struct Chain {
    /// Whether the names of frames depend on addresses.
    needs_address: bool,
    /// The frames, root first.
    frames: Vec<FrameId>,
    /// The node of the leaf; of the root frames if the chain is empty.
    leaf: NodeId,
    /// How many lines the chain has.
    lines: u64,
    /// The frames of recent lines, and of all symbols.
    cache: LineCache,
    symbols: Symbols,
}

/// The text of a chain in its block.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) text: &'a [u8],
    /// The offset of `text` in the block, just after an LF.
    pub(super) start: usize,
    /// The newlines of the block.
    pub(super) newlines: &'a Newlines,
}

impl Chain {
    /// `needs_address` is whether names depend on addresses.
    pub(super) fn new(needs_address: bool) -> Chain {
        Chain {
            needs_address,
            frames: Vec::new(),
            leaf: 0,
            lines: 0,
            cache: LineCache::new(),
            symbols: Symbols::default(),
        }
    }

    /// A new chain for another thread, with the same option for names.
    pub(super) fn fork(&self) -> Chain {
        Chain::new(self.needs_address)
    }

    /// How many lines the chain has.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Reads the lines of `body`, which belong to `sample`. False if a line is not a plain frame.
    /// Not inlined, since its loop then keeps its values in registers.
    #[inline(never)]
    pub(super) fn read(
        &mut self,
        sample: OpenSample,
        body: Body<'_>,
        samples: &mut Samples<'_>,
    ) -> bool {
        let Body { text: body, start: body_start, newlines } = body;
        self.frames.clear();
        let (mut end, mut lines, mut node) = (body.len(), 0, sample.base);
        let mut starts = newlines.line_starts_before(body_start + end);
        while end > 0 {
            let line_end = end - usize::from(end < body.len());
            let start = starts.next_start() - body_start;
            let Some(child) = self.read_line(&body[start..line_end], node, samples) else {
                return false;
            };
            (end, node) = (start, child);
            lines += 1;
        }
        (self.leaf, self.lines) = (node, lines);
        true
    }

    /// Adds the frames of a line below `parent`; returns the node of the last one, or `None` if the
    /// line is not a plain frame.
    #[inline]
    fn read_line(
        &mut self,
        line: &[u8],
        parent: NodeId,
        samples: &mut Samples<'_>,
    ) -> Option<NodeId> {
        // The text after the address is enough, unless the address is needed.
        let text = match split_padded_ip(line) {
            Some((_, text)) if !self.needs_address => text,
            _ => return self.parse_line(line, None, parent, samples),
        };
        let hash = LineHash::of(line);
        let frame = match self.cache.find(hash, text) {
            Some(frame) => frame,
            None => match self.known(hash, text) {
                Ok(frame) => frame,
                Err(symbol) => return self.parse_line(line, Some(symbol), parent, samples),
            },
        };
        self.frames.push(frame);
        Some(samples.child(parent, frame))
    }

    /// Like [`read_line`](Chain::read_line), for a line whose symbol is new, if it has one.
    #[cold]
    fn parse_line(
        &mut self,
        line: &[u8],
        symbol: Option<Symbol<'_>>,
        parent: NodeId,
        samples: &mut Samples<'_>,
    ) -> Option<NodeId> {
        let parsed = line.strip_prefix(b"\t").and_then(FrameLine::parse)?;
        let Chain { frames, symbols, .. } = self;
        let first = frames.len();
        samples.set_chains(CallChains::Printed);
        samples.frames(&Frame::from(&parsed), frames);
        let added = &frames[first..];
        if let (Some(symbol), [frame]) = (symbol, added) {
            symbols.add(symbol, *frame);
        }
        Some(added.iter().fold(parent, |node, &frame| samples.child(node, frame)))
    }

    /// The frame of a text that is not in the cache; puts it there.
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

    /// Adds the chain that was read to `samples`.
    pub(super) fn add(&self, sample: OpenSample, samples: &mut Samples<'_>) -> Result<()> {
        samples.close(sample, self.leaf, self.frames.iter().copied())
    }
}

//! Call chains, read whole and root first.
//!
//! Neighbouring samples share the frames next to the root, word for word. The
//! text that two chains have in common at their ends is found by comparing
//! memory, and only what lies before it is parsed.

use common::{FrameId, NodeId, Result};
use memchr::memrchr;

use super::frame_line::{FrameLine, PADDED_IP, split_padded_ip};
use super::names::NameArgs;
use super::recent::{Place, Recent};
use crate::profile::Profile;
use crate::sample::Sample;

/// The frames of the last chain, kept for what the next one shares with it.
pub(super) struct Chain<'a> {
    names: &'a NameArgs,
    /// The text of the last chain of the last block.
    text: Vec<u8>,
    /// The lines of the chain, root first.
    marks: Vec<Mark>,
    /// The frames, root first; a line stands for one or more.
    frames: Vec<FrameId>,
    /// The node of each frame.
    nodes: Vec<NodeId>,
    /// The node above `nodes[0]`.
    base: NodeId,
    name: Vec<u8>,
    recent: Recent,
    /// For each node, what followed it last.
    guesses: Vec<Guess>,
}

/// Where a frame line starts.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Bytes from here to the end of the chain's text.
    from_end: usize,
    /// How many frames there are down to this line.
    depth: usize,
}

/// The line that followed a node, and the node it led to.
#[derive(Clone, Copy, Debug, Default)]
struct Guess {
    text: Place,
    frame: FrameId,
    child: NodeId,
}

impl<'a> Chain<'a> {
    pub(super) fn new(names: &'a NameArgs) -> Chain<'a> {
        Chain {
            names,
            text: Vec::new(),
            marks: Vec::new(),
            frames: Vec::new(),
            nodes: Vec::new(),
            base: 0,
            name: Vec::new(),
            recent: Recent::new(),
            guesses: Vec::new(),
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
        self.marks.len() as u64
    }

    /// Reads the lines of `body`, which belong to `sample`; `previous` is the
    /// text that was read last, empty if that was no chain. False if a line is
    /// no plain frame.
    pub(super) fn read(
        &mut self,
        sample: Sample,
        body: &[u8],
        previous: &[u8],
        profile: &mut Profile,
    ) -> bool {
        self.keep_common(body, previous);
        self.rebase(sample.base, profile);
        let mut end = body.len() - self.marks.last().map_or(0, |mark| mark.from_end);
        while end > 0 {
            let line_end = if end < body.len() { end - 1 } else { end };
            let node = self.nodes.last().copied().unwrap_or(self.base);
            let start = match self.guess(&body[..line_end], node) {
                Some(start) => start,
                None => {
                    let newline = memrchr(b'\n', &body[..line_end]);
                    let start = newline.map_or(0, |newline| newline + 1);
                    if !self.read_line(&body[start..line_end], node, profile) {
                        self.marks.clear();
                        return false;
                    }
                    start
                }
            };
            self.marks.push(Mark { from_end: body.len() - start, depth: self.frames.len() });
            end = start;
        }
        true
    }

    /// Adds the frame of the line that ends `text`, if it is the one that
    /// followed `node` last; returns where the line starts.
    #[inline]
    fn guess(&mut self, text: &[u8], node: NodeId) -> Option<usize> {
        let guess = self.guesses.get(node as usize)?;
        let (expected, frame) = self.recent.at(guess.text);
        let start = text.len().checked_sub(PADDED_IP + expected.len())?;
        let is_line = start == 0 || text[start - 1] == b'\n';
        if frame != guess.frame
            || expected.is_empty()
            || !is_line
            || text[start + PADDED_IP..] != *expected
        {
            return None;
        }
        split_padded_ip(&text[start..])?;
        self.frames.push(frame);
        self.nodes.push(guess.child);
        Some(start)
    }

    /// Adds the frames that a line stands for below `node`; false if it is no
    /// plain frame.
    fn read_line(&mut self, line: &[u8], node: NodeId, profile: &mut Profile) -> bool {
        let Chain { names, frames, nodes, name, recent, .. } = self;
        // What follows the address says all, unless the address is asked for.
        let text = match split_padded_ip(line) {
            Some((_, text)) if !names.need_address() => text,
            _ => b"",
        };
        let place = recent.place(text);
        let start = frames.len();
        match recent.at(place) {
            (known, frame) if known == text && !text.is_empty() => frames.push(frame),
            _ => {
                let frame = line.strip_prefix(b"\t").and_then(FrameLine::parse);
                let Some(frame) = frame else { return false };
                names.for_each_name(&frame, name, |name| frames.push(profile.frame(name)));
                if let [frame] = frames[start..] {
                    recent.put(place, text, frame);
                }
            }
        }
        let mut child = node;
        for &frame in &frames[start..] {
            child = profile.child(child, frame);
            nodes.push(child);
        }
        if let [frame] = frames[start..] {
            self.expect(node, Guess { text: place, frame, child });
        }
        true
    }

    fn expect(&mut self, node: NodeId, guess: Guess) {
        let node = node as usize;
        if node >= self.guesses.len() {
            self.guesses.resize(node + 1, Guess::default());
        }
        self.guesses[node] = guess;
    }

    /// Keeps the lines that both texts end in.
    fn keep_common(&mut self, body: &[u8], previous: &[u8]) {
        let common = common_end(body, previous);
        let mut kept = self.marks.partition_point(|mark| mark.from_end <= common);
        if previous.is_empty() {
            kept = 0;
        }
        // Where the texts differ just before a line, it is whole in the
        // previous text, but may be the end of a longer one in this text.
        if kept > 0
            && self.marks[kept - 1].from_end == common
            && common < body.len()
            && body[body.len() - common - 1] != b'\n'
        {
            kept -= 1;
        }
        self.marks.truncate(kept);
        self.frames.truncate(self.marks.last().map_or(0, |mark| mark.depth));
        self.nodes.truncate(self.frames.len());
    }

    /// Puts the frames that were kept below `base`.
    fn rebase(&mut self, base: NodeId, profile: &mut Profile) {
        if self.base == base {
            return;
        }
        self.base = base;
        self.nodes.clear();
        let mut node = base;
        for &frame in &self.frames {
            node = profile.child(node, frame);
            self.nodes.push(node);
        }
    }

    /// Adds the chain that was read to `profile`.
    pub(super) fn add(&self, sample: Sample, profile: &mut Profile) -> Result<()> {
        let leaf = self.nodes.last().copied().unwrap_or(sample.base);
        profile.close(sample, leaf, self.frames.iter().copied())
    }
}

/// How many bytes `a` and `b` have in common at their ends.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 32;
    let (_, a_steps) = a.as_rchunks::<STEP>();
    let (_, b_steps) = b.as_rchunks::<STEP>();
    let steps = a_steps.iter().rev().zip(b_steps.iter().rev());
    let same = steps.take_while(|(a, b)| a == b).count() * STEP;
    let (a, b) = (&a[..a.len() - same], &b[..b.len() - same]);
    same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::common_end;

    #[test]
    fn the_common_end_is_exact() {
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
        ] {
            assert_eq!(common_end(a.as_bytes(), b.as_bytes()), expected, "{a:?} {b:?}");
        }
    }
}

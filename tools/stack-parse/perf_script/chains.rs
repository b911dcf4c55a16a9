//! Call chains, read whole and root first.
//!
//! Neighbouring samples share the frames next to the root, word for word. The
//! text that two chains have in common at their ends is found by comparing
//! memory, and only what lies before it is parsed.

use common::{FrameId, NodeId, Result};
use memchr::memrchr;

use super::frame_line::{FrameLine, split_padded_ip};
use super::names::NameArgs;
use super::recent::Recent;
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
    /// The node of each frame; those of frames not yet walked are missing.
    nodes: Vec<NodeId>,
    /// The node above `nodes[0]`.
    base: NodeId,
    name: Vec<u8>,
    recent: Recent,
}

/// Where a frame line starts.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Bytes from here to the end of the chain's text.
    from_end: usize,
    /// How many frames there are down to this line.
    depth: usize,
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

    /// Reads the lines of `body`, where `previous` is the text that was read
    /// last, empty if that was no chain; false if a line is no plain frame.
    pub(super) fn read(&mut self, body: &[u8], previous: &[u8], profile: &mut Profile) -> bool {
        self.keep_common(body, previous);
        let mut end = body.len() - self.marks.last().map_or(0, |mark| mark.from_end);
        while end > 0 {
            let line_end = if end < body.len() { end - 1 } else { end };
            let start = memrchr(b'\n', &body[..line_end]).map_or(0, |newline| newline + 1);
            let line = &body[start..line_end];
            if !self.push_line(line, profile) {
                self.marks.clear();
                return false;
            }
            self.marks.push(Mark { from_end: body.len() - start, depth: self.frames.len() });
            end = start;
        }
        true
    }

    /// Adds the frames that a line stands for; false if it is no plain frame.
    #[inline]
    fn push_line(&mut self, line: &[u8], profile: &mut Profile) -> bool {
        let Chain { names, frames, name, recent, .. } = self;
        // What follows the address says all, unless the address is asked for.
        let text = match split_padded_ip(line) {
            Some((_, text)) if !names.need_address() => text,
            _ => b"",
        };
        if let Some(frame) = recent.get(text) {
            frames.push(frame);
            return true;
        }
        let Some(frame) = line.strip_prefix(b"\t").and_then(FrameLine::parse) else {
            return false;
        };
        let start = frames.len();
        names.for_each_name(&frame, name, |name| frames.push(profile.frame(name)));
        if let [frame] = frames[start..] {
            recent.put(text, frame);
        }
        true
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

    /// Adds the chain that was read to `profile`.
    pub(super) fn add(&mut self, sample: Sample, profile: &mut Profile) -> Result<()> {
        if self.base != sample.base {
            self.nodes.clear();
            self.base = sample.base;
        }
        let mut node = self.nodes.last().copied().unwrap_or(sample.base);
        for &frame in &self.frames[self.nodes.len()..] {
            node = profile.child(node, frame);
            self.nodes.push(node);
        }
        profile.close(sample, node, self.frames.iter().copied())
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

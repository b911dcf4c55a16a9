//! Lines that wait until all of them are known.

use crate::folded::FoldedLine;
use crate::pipe::{KindsOfFrames, SeenFrames};

/// The folded lines of an input in their order, for a tool that must see all of them before it can
/// write the first. Memory grows with the input.
#[derive(Debug, Default)]
pub struct HeldLines {
    /// The labels and stacks, one after the other.
    text: Vec<u8>,
    /// For each line the end of its text, and its count.
    lines: Vec<(usize, u64)>,
}

impl HeldLines {
    /// Holds a line, after those that are held.
    pub fn push(&mut self, line: &FoldedLine<'_>) {
        self.text.extend_from_slice(line.labels.as_bytes());
        self.text.extend_from_slice(line.stack);
        self.lines.push((self.text.len(), line.count));
    }

    /// The kinds of code that their frames show together.
    #[must_use]
    pub fn kinds(&self) -> KindsOfFrames {
        let mut frames = SeenFrames::default();
        self.iter().for_each(|line| frames.add(&line));
        frames.into_kinds()
    }

    /// The lines, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = FoldedLine<'_>> {
        let mut start = 0;
        self.lines.iter().map(move |&(end, count)| {
            let text = &self.text[start..end];
            start = end;
            FoldedLine::of_labelled_stack(text, count)
        })
    }
}

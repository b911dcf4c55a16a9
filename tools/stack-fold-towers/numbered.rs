//! Stacks as numbers: frames of equal names have equal numbers.

use std::ops::Range;

use common::folded::Frames;
use common::stacks::{FrameId, FrameTable, shared_prefix};

use crate::label::Labelled;
use crate::stamps::without_stamp;

/// One stack at a time, as text and as numbers.
///
/// Looking up every frame by its name would take most of the time of folding. So the frames that
/// a stack shares with the one before it, from the root on, are not looked up again. For the
/// others a cache is tried first: the frame that last started with the same bytes above the same
/// frame.
pub(crate) struct NumberedStack {
    text: Vec<u8>,
    pub(crate) numbers: Vec<FrameId>,
    /// Where each frame ends in the text; one byte before the next starts.
    ends: Vec<usize>,
    table: FrameTable,
    /// For each frame of the table, the first frame that counts as the same.
    numbers_of: Vec<FrameId>,
    /// Frames by the hash of their first bytes and of the frame below.
    cache: Box<[FrameId; CACHE_SIZE]>,
    ignore_stamps: bool,
    /// The parts of the names that are compared, and the first frame that has each.
    bases: FrameTable,
    firsts: Vec<FrameId>,
}

/// How many frames are cached: few enough for the processor's own cache.
const CACHE_SIZE: usize = 1 << 14;

impl Default for NumberedStack {
    fn default() -> NumberedStack {
        NumberedStack {
            text: Vec::new(),
            numbers: Vec::new(),
            ends: Vec::new(),
            table: FrameTable::default(),
            numbers_of: Vec::new(),
            cache: Box::new([FrameId::MAX; CACHE_SIZE]),
            ignore_stamps: false,
            bases: FrameTable::default(),
            firsts: Vec::new(),
        }
    }
}

impl NumberedStack {
    /// Gives the same number to names that differ only in OCaml's stamps.
    pub(crate) fn ignoring_stamps(mut self) -> NumberedStack {
        self.ignore_stamps = true;
        self
    }

    /// Reads a folded stack in place of the current one.
    pub(crate) fn read(&mut self, stack: &[u8]) {
        let shared = self.keep_shared(stack);
        self.text.truncate(shared);
        self.text.extend_from_slice(&stack[shared..]);
        let mut rest = Some(&stack[shared..]);
        let mut end = shared;
        while let Some(text) = rest {
            let (id, length) = self.next_frame(text);
            self.numbers.push(self.numbers_of[id as usize]);
            end += length;
            self.ends.push(end);
            end += 1;
            rest = text.get(length + 1..);
        }
    }

    /// The text of a range of frames, as a folded stack holds them.
    pub(crate) fn text(&self, frames: Range<usize>) -> &[u8] {
        let start = frames.start.checked_sub(1).map_or(0, |below| self.ends[below] + 1);
        &self.text[start..self.ends[frames.end - 1]]
    }

    /// The first name that had this number.
    pub(crate) fn name(&self, number: FrameId) -> &[u8] {
        self.table.name(number)
    }

    /// Forgets the frames that `stack` does not share, and returns where in `stack` the first new
    /// frame starts.
    fn keep_shared(&mut self, stack: &[u8]) -> usize {
        let same = shared_prefix(&self.text, stack);
        // Only a separator shows that a frame is the same in both: `ma` is not `main`.
        let whole = self.ends.partition_point(|&end| end < same);
        self.ends.truncate(whole);
        self.numbers.truncate(whole);
        self.ends.last().map_or(0, |end| end + 1)
    }

    /// The frame that `text` starts with, and its length in bytes.
    fn next_frame(&mut self, text: &[u8]) -> (FrameId, usize) {
        let slot = cache_slot(text, self.numbers.last());
        let cached = self.cache[slot];
        if (cached as usize) < self.table.len() {
            let name = self.table.name(cached);
            if text.starts_with(name) && matches!(text.get(name.len()), None | Some(b';')) {
                return (cached, name.len());
            }
        }
        let name = Frames::new(text).next().unwrap_or_default();
        let id = self.table.intern(name);
        if id as usize == self.numbers_of.len() {
            let number = self.number_of(id, name);
            self.numbers_of.push(number);
        }
        self.cache[slot] = id;
        (id, name.len())
    }

    /// The number of a frame that is new in the table. Its place, its marks and a label such as `
    /// (x4+)` are not part of the name that is compared.
    fn number_of(&mut self, id: FrameId, frame: &[u8]) -> FrameId {
        let Labelled { name, .. } = Labelled::parse(frame);
        let name = if self.ignore_stamps { without_stamp(name) } else { name };
        let base = self.bases.intern(name) as usize;
        if base == self.firsts.len() {
            self.firsts.push(id);
        }
        self.firsts[base]
    }
}

/// The slot in the cache for the frame that `text` starts with, above the frame `below`.
fn cache_slot(text: &[u8], below: Option<&FrameId>) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let start = text.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 8];
        padded[..text.len()].copy_from_slice(text);
        padded
    });
    let below = below.map_or(0, |&number| u64::from(number) + 1);
    let start = up_to_separator(u64::from_le_bytes(start));
    let mixed = (start ^ below.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    mixed as usize >> (usize::BITS - CACHE_SIZE.ilog2())
}

/// Eight bytes of text, in which the first `;` and all bytes after it are replaced by 0.
fn up_to_separator(bytes: u64) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    let differs = bytes ^ (EACH * u64::from(b';'));
    // The lowest bit that is set is the highest bit of the first `;`.
    let separators = differs.wrapping_sub(EACH) & !differs & (EACH << 7);
    bytes & (separators ^ separators.wrapping_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a stack against its frames looked up one by one.
    fn assert_read(stacks: &mut NumberedStack, stack: &str) {
        stacks.read(stack.as_bytes());
        let frames: Vec<&[u8]> = Frames::new(stack.as_bytes()).collect();
        assert_eq!(stacks.numbers.len(), frames.len(), "{stack}");
        for (at, (&number, frame)) in stacks.numbers.iter().zip(&frames).enumerate() {
            assert_eq!(stacks.name(number), *frame, "{stack}");
            assert_eq!(stacks.text(at..at + 1), *frame, "{stack}");
        }
        assert_eq!(stacks.text(0..frames.len()), stack.as_bytes());
    }

    #[test]
    fn whatever_was_read_before_every_frame_is_right() {
        let texts = [
            "main",
            "main;parse",
            "main;parse;lex",
            "main;pars",
            "main;parser",
            "mai",
            "",
            ";",
            ";;",
            "main;",
            "main;;",
            "main;parse;lex;lex;lex",
            "parse;main",
            "parse;lexer",
            "m;parse;lex",
            "a-name-that-is-longer-than-a-step-of-comparison;f",
            "a-name-that-is-longer-than-a-step-of-comparison",
            "a-name-that-is-longer-than-a-step-of-comparisons;f",
            "main;parse;lex;parse;lex;read",
        ];
        let mut stacks = NumberedStack::default();
        for first in texts {
            for second in texts {
                assert_read(&mut stacks, first);
                assert_read(&mut stacks, second);
            }
        }
    }

    #[test]
    fn names_that_differ_in_their_stamps_have_one_number_and_their_own_text() {
        let mut stacks = NumberedStack::default().ignoring_stamps();
        stacks.read(b"T.map_1;T.map_2;T.fun_3;T.fun_4;T.map_2");
        assert_eq!(stacks.numbers, [0, 0, 2, 3, 0]);
        assert_eq!(stacks.text(1..2), b"T.map_2");
        assert_eq!(stacks.name(0), b"T.map_1");
    }
}

//! The ends of the lines of a block, found once for all readers.

use common::io::{SCAN_STEP, newline_bits};

/// The LFs of a block.
#[derive(Default)]
pub(super) struct Newlines {
    /// One bit for each byte, [`SCAN_STEP`] to a word.
    words: Vec<u64>,
    /// The offsets of LFs that follow another LF.
    doubled: Vec<usize>,
}

impl Newlines {
    /// Finds the LFs of another block, reusing the memory.
    pub(super) fn find(&mut self, block: &[u8]) {
        let Newlines { words, doubled } = self;
        let (steps, rest) = block.as_chunks();
        let mut last = [0; SCAN_STEP];
        last[..rest.len()].copy_from_slice(rest);
        doubled.clear();
        words.clear();
        let mut before = 0;
        words.extend(steps.iter().chain([&last]).enumerate().map(|(index, step)| {
            let word = newline_bits(step);
            let behind = word & (word << 1 | before >> (SCAN_STEP - 1));
            if behind != 0 {
                push_places(behind, index * SCAN_STEP, doubled);
            }
            before = word;
            word
        }));
    }

    /// The offsets of all LFs that follow another LF.
    pub(super) fn doubled(&self) -> &[usize] {
        &self.doubled
    }

    /// The starts of the lines that end at `end`, an offset in the block, or before it, from last
    /// to first.
    #[inline]
    pub(super) fn line_starts_before(&self, end: usize) -> LineStarts<'_> {
        let (before, rest) = self.words.split_at(end / SCAN_STEP);
        LineStarts { before, bits: rest[0] & ((1 << (end % SCAN_STEP)) - 1) }
    }
}

/// The starts of lines, from last to first.
pub(super) struct LineStarts<'a> {
    /// The words before the current one.
    before: &'a [u64],
    /// The bits of the current word that are left.
    bits: u64,
}

impl LineStarts<'_> {
    /// Where the previous line starts, 0 if that is the first.
    #[inline]
    pub(super) fn next_start(&mut self) -> usize {
        while self.bits == 0 {
            let Some((&last, before)) = self.before.split_last() else { return 0 };
            (self.bits, self.before) = (last, before);
        }
        let newline = self.bits.ilog2();
        self.bits ^= 1 << newline;
        self.before.len() * SCAN_STEP + newline as usize + 1
    }
}

/// Appends the offsets of the set bits of `word`; its lowest bit is the byte at `start`. It is
/// rarely needed, and the loop that calls it is faster without this code.
#[cold]
fn push_places(mut word: u64, start: usize, places: &mut Vec<usize>) {
    while word != 0 {
        places.push(start + word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_start_and_newlines_double_where_a_search_finds_it(
            block in prop::collection::vec(
                prop_oneof![4 => Just(b'x'), 1 => Just(b'\n'), 1 => any::<u8>()], 0..300),
        ) {
            let mut newlines = Newlines::default();
            newlines.find(b"\n\nanother block before");
            newlines.find(&block);
            for end in 0..=block.len() {
                let mut starts = newlines.line_starts_before(end);
                for newline in memchr::memrchr_iter(b'\n', &block[..end]) {
                    prop_assert_eq!(starts.next_start(), newline + 1);
                }
                prop_assert_eq!(starts.next_start(), 0);
            }
            let doubled: Vec<usize> =
                (1..block.len()).filter(|&at| block[at - 1..=at] == *b"\n\n").collect();
            prop_assert_eq!(newlines.doubled(), doubled);
        }
    }
}

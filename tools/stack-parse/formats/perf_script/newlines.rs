//! Where the lines of a block end, found once for all that asks.

use common::{SCAN_STEP, newline_bits};

/// The LFs of a block.
#[derive(Default)]
pub(super) struct Newlines {
    /// The bits of all bytes, [`SCAN_STEP`] to a word.
    words: Vec<u64>,
    /// The places of those that stand behind another one.
    doubled: Vec<usize>,
}

impl Newlines {
    /// Finds the LFs of another block; the memory is used again.
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

    /// The places of all LFs that stand behind another one.
    pub(super) fn doubled(&self) -> &[usize] {
        &self.doubled
    }

    /// Where the lines start that end at `end`, a place in the block, and before
    /// it, from the last to the first.
    #[inline]
    pub(super) fn line_starts_before(&self, end: usize) -> LineStarts<'_> {
        let (before, rest) = self.words.split_at(end / SCAN_STEP);
        LineStarts { before, bits: rest[0] & ((1 << (end % SCAN_STEP)) - 1) }
    }
}

/// The starts of lines, from the last to the first.
pub(super) struct LineStarts<'a> {
    /// The words before the one that is looked at.
    before: &'a [u64],
    /// What is left of that one.
    bits: u64,
}

impl LineStarts<'_> {
    /// Where the line before the last one starts, 0 if that is the first.
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

/// Appends the places of the bits of `word`, the lowest of which stands for the
/// byte at `start`. It is rarely needed, and the loop around it is faster alone.
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

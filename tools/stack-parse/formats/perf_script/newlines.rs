//! Where the lines of a block end, found once for all that asks.

use wide::u8x16;

/// How many bytes one word stands for.
const STEP: usize = u64::BITS as usize;

/// The LFs of a block.
#[derive(Default)]
pub(super) struct Newlines {
    /// A bit for each byte, the first is the lowest of a word.
    words: Vec<u64>,
    /// The places of those that stand behind another one.
    doubled: Vec<usize>,
}

impl Newlines {
    /// Finds the LFs of another block; the memory is used again.
    pub(super) fn find(&mut self, block: &[u8]) {
        let Newlines { words, doubled } = self;
        let (steps, rest) = block.as_chunks();
        let mut last = [0; STEP];
        last[..rest.len()].copy_from_slice(rest);
        doubled.clear();
        words.clear();
        let mut before = 0;
        words.extend(steps.iter().chain([&last]).enumerate().map(|(index, step)| {
            let word = newlines(step);
            let behind = word & (word << 1 | before >> (STEP - 1));
            if behind != 0 {
                push_places(behind, index * STEP, doubled);
            }
            before = word;
            word
        }));
    }

    /// The places of all LFs that stand behind another one.
    pub(super) fn doubled(&self) -> &[usize] {
        &self.doubled
    }

    /// Where the line starts that ends at `end`, a place in the block.
    #[inline]
    pub(super) fn start_of_line(&self, end: usize) -> usize {
        let mut word = end / STEP;
        let mut bits = self.words[word] & ((1 << (end % STEP)) - 1);
        while bits == 0 {
            if word == 0 {
                return 0;
            }
            word -= 1;
            bits = self.words[word];
        }
        (word + 1) * STEP - bits.leading_zeros() as usize
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

#[inline]
fn newlines(step: &[u8; STEP]) -> u64 {
    let (pieces, _) = step.as_chunks::<16>();
    let mask =
        |piece: &[u8; 16]| u64::from(u8x16::new(*piece).simd_eq(u8x16::splat(b'\n')).to_bitmask());
    mask(&pieces[0]) | mask(&pieces[1]) << 16 | mask(&pieces[2]) << 32 | mask(&pieces[3]) << 48
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
                let start = memchr::memrchr(b'\n', &block[..end]).map_or(0, |newline| newline + 1);
                prop_assert_eq!(newlines.start_of_line(end), start);
            }
            let doubled: Vec<usize> =
                (1..block.len()).filter(|&at| block[at - 1..=at] == *b"\n\n").collect();
            prop_assert_eq!(newlines.doubled(), doubled);
        }
    }
}

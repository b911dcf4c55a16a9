//! Text that is fetched into the cache before it is read.
//!
//! Reading a chain takes about as long as fetching the next one from memory.
//! To fetch it in one go would keep the processor waiting; so a little is asked
//! for with every line.

use common::{CACHE_LINE, prefetch};

/// How far ahead of what is read: a sample or a few.
const DISTANCE: usize = 4096;

/// Text that is to be fetched.
pub(super) struct Ahead<'a> {
    pieces: &'a [[u8; CACHE_LINE]],
}

impl<'a> Ahead<'a> {
    /// For `read` bytes that are read from the start of `text`, as many.
    #[inline]
    pub(super) fn new(text: &'a [u8], read: usize) -> Ahead<'a> {
        let text = text.get(DISTANCE..).unwrap_or_default();
        // A piece that is begun counts, so that no gap is left.
        let length = text.len().min(read + CACHE_LINE);
        Ahead { pieces: text[..length].as_chunks().0 }
    }

    /// Asks for as much as a line is long, or more.
    #[inline]
    pub(super) fn step(&mut self) {
        const LINE: usize = 2;
        for _ in 0..LINE {
            let Some((piece, rest)) = self.pieces.split_first() else { return };
            prefetch(piece);
            self.pieces = rest;
        }
    }

    /// Asks for the rest.
    #[inline]
    pub(super) fn finish(self) {
        self.pieces.iter().for_each(prefetch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_out_between_samples() {
        let text = [0; DISTANCE + 1000];
        for read in [0, 1, 63, 64, 65, 500] {
            let pieces = Ahead::new(&text, read).pieces.len();
            assert!((read..=read + CACHE_LINE).contains(&(pieces * CACHE_LINE)), "{read}");
        }
        assert_eq!(Ahead::new(&text, 5000).pieces.len(), 1000 / CACHE_LINE);
        assert!(Ahead::new(&text[..DISTANCE], 64).pieces.is_empty());
    }

    #[test]
    fn a_step_is_a_part() {
        let text = [0; DISTANCE + 1000];
        let mut ahead = Ahead::new(&text, 300);
        let before = ahead.pieces.len();
        ahead.step();
        assert!((1..before).contains(&ahead.pieces.len()));
        (0..before).for_each(|_| ahead.step());
        assert!(ahead.pieces.is_empty());
    }
}

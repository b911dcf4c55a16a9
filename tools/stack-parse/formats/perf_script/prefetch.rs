//! Text that is fetched into the cache before it is read.
//!
//! Reading samples takes about as long as fetching them from memory. To fetch
//! much in one go would keep the processor waiting, so a little is asked for
//! with every line.

use std::ops::Range;
use std::slice::Iter;

use common::{CACHE_LINE, prefetch};

/// How far ahead of the start of a sample text is fetched. The sample itself is
/// there already, and some are longer than others; what is fetched so far must
/// find room in the first-level cache beside all that is looked up.
const DISTANCE: Range<usize> = 3 * 1024..9 * 1024;

/// The text that follows what is read, in pieces of a cache line.
pub(super) struct Prefetch<'a> {
    block: &'a [[u8; CACHE_LINE]],
    /// What is to be asked for.
    pieces: Iter<'a, [u8; CACHE_LINE]>,
    /// Where in the block `pieces` ends.
    end: usize,
}

impl<'a> Prefetch<'a> {
    pub(super) fn new(block: &'a [u8]) -> Prefetch<'a> {
        let (block, _) = block.as_chunks();
        Prefetch { block, pieces: [].iter(), end: 0 }
    }

    /// Notes where in the block the sample starts that is read next.
    #[inline]
    pub(super) fn begin(&mut self, start: usize) {
        let asked = self.end - self.pieces.len();
        let piece = start / CACHE_LINE;
        self.end = self.block.len().min(piece + DISTANCE.end / CACHE_LINE);
        let next = self.end.min(asked.max(piece + DISTANCE.start / CACHE_LINE));
        self.pieces = self.block[next..self.end].iter();
    }

    /// Asks for as much as a line is long, or a bit more.
    #[inline]
    pub(super) fn fetch_line(&mut self) {
        self.fetch_piece();
        self.fetch_piece();
    }

    /// Asks for one cache line.
    #[inline]
    pub(super) fn fetch_piece(&mut self) {
        if let Some(piece) = self.pieces.next() {
            prefetch(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: usize = DISTANCE.start / CACHE_LINE;

    /// Where in the block it goes on, in pieces.
    fn next(prefetch: &Prefetch) -> usize {
        prefetch.end - prefetch.pieces.len()
    }

    #[test]
    fn what_is_ahead_is_asked_for_once() {
        let block = vec![0; 20_000];
        let mut prefetch = Prefetch::new(&block);
        prefetch.begin(100);
        assert_eq!(next(&prefetch), 1 + START);
        prefetch.fetch_line();
        assert_eq!(next(&prefetch), 1 + START + 2);
        prefetch.begin(164);
        assert_eq!(next(&prefetch), 1 + START + 2, "still ahead");
        prefetch.begin(5000);
        assert_eq!(next(&prefetch), 78 + START, "what is too late is left out");
    }

    #[test]
    fn it_ends_with_the_block_and_not_too_far_ahead() {
        let block = vec![0; 20_000];
        let mut prefetch = Prefetch::new(&block);
        prefetch.begin(0);
        (0..1000).for_each(|_| prefetch.fetch_piece());
        assert_eq!(next(&prefetch), DISTANCE.end / CACHE_LINE);
        for start in [block.len() - 5000, block.len()] {
            prefetch.begin(start);
            (0..1000).for_each(|_| prefetch.fetch_line());
            assert_eq!(next(&prefetch), block.len() / CACHE_LINE);
        }
    }
}

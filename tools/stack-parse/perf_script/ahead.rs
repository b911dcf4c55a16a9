//! Text that is fetched into the cache before it is read.
//!
//! Reading samples takes about as long as fetching them from memory. To fetch
//! much in one go would keep the processor waiting, so a little is asked for
//! with every line.

use std::ops::Range;

use common::{CACHE_LINE, prefetch};

/// How far ahead of the start of a sample text is fetched. The sample itself is
/// there already, and some are longer than others.
const DISTANCE: Range<usize> = 4096..3 * 4096;

/// The text that follows what is read.
pub(super) struct Ahead<'a> {
    block: &'a [u8],
    /// All before it was asked for.
    at: usize,
    /// Nothing from here on is asked for yet.
    end: usize,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(block: &'a [u8]) -> Ahead<'a> {
        Ahead { block, at: 0, end: 0 }
    }

    /// Notes where in the block the sample starts that is read next.
    #[inline]
    pub(super) fn begin(&mut self, start: usize) {
        self.at = self.at.max(start + DISTANCE.start);
        self.end = start + DISTANCE.end;
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
        if self.at < self.end
            && let Some(piece) = self.block.get(self.at..).and_then(<[u8]>::first_chunk)
        {
            prefetch(piece);
            self.at += CACHE_LINE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ahead_is_asked_for_once() {
        let block = vec![0; 20_000];
        let mut ahead = Ahead::new(&block);
        ahead.begin(100);
        assert_eq!(ahead.at, 100 + DISTANCE.start);
        ahead.fetch_line();
        assert_eq!(ahead.at, 100 + DISTANCE.start + 2 * CACHE_LINE);
        ahead.begin(164);
        assert_eq!(ahead.at, 100 + DISTANCE.start + 2 * CACHE_LINE, "still ahead");
        ahead.begin(5000);
        assert_eq!(ahead.at, 5000 + DISTANCE.start, "what is too late is left out");
    }

    #[test]
    fn it_ends_with_the_block_and_not_too_far_ahead() {
        let block = vec![0; 20_000];
        let mut ahead = Ahead::new(&block);
        ahead.begin(0);
        (0..1000).for_each(|_| ahead.fetch_piece());
        assert!((DISTANCE.end..DISTANCE.end + CACHE_LINE).contains(&ahead.at));
        ahead.begin(block.len());
        (0..1000).for_each(|_| ahead.fetch_line());
        assert_eq!(ahead.at, block.len() + DISTANCE.start);
    }
}

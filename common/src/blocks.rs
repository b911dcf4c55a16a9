//! Reading in large reused blocks that end where a line ends.

use std::io::{ErrorKind, Read, Result};

use memchr::memrchr;

/// As large as a second-level cache holds with room for other things.
const BLOCK_SIZE: usize = 256 * 1024;

/// Lends an input block by block; no byte is copied but the torn line at a
/// block's end, and memory is one block, or the longest line.
#[derive(Debug)]
pub struct Blocks<R> {
    reader: R,
    /// Finds the end of the last whole piece.
    cut: fn(&[u8]) -> Option<usize>,
    buffer: Vec<u8>,
    /// What was lent last is before this.
    lent: usize,
    /// What was read is before this.
    filled: usize,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    /// Blocks of whole lines; only the very last line may lack its LF.
    pub fn of_lines(reader: R) -> Blocks<R> {
        Blocks::cut_by(reader, |bytes| Some(memrchr(b'\n', bytes)? + 1))
    }

    /// Blocks that end where `cut` says: it is given what was read and not
    /// lent, and returns the end of the last whole piece in it, if any.
    pub fn cut_by(reader: R, cut: fn(&[u8]) -> Option<usize>) -> Blocks<R> {
        let buffer = vec![0; BLOCK_SIZE];
        Blocks { reader, cut, buffer, lent: 0, filled: 0, ended: false }
    }

    /// The next block, never empty; `None` at the end of input.
    ///
    /// # Errors
    ///
    /// What the reader says.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>> {
        self.buffer.copy_within(self.lent..self.filled, 0);
        self.filled -= self.lent;
        self.lent = 0;
        while !self.ended {
            if self.filled == self.buffer.len() {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if let Some(end) = (self.cut)(&self.buffer[..self.filled]) {
                self.lent = end;
                return Ok(Some(&self.buffer[..end]));
            }
        }
        self.lent = self.filled;
        Ok((self.filled > 0).then(|| &self.buffer[..self.filled]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out `bytes` in pieces of `step`.
    struct Dribble<'a> {
        bytes: &'a [u8],
        step: usize,
    }

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let count = self.step.min(buffer.len()).min(self.bytes.len());
            buffer[..count].copy_from_slice(&self.bytes[..count]);
            self.bytes = &self.bytes[count..];
            Ok(count)
        }
    }

    #[test]
    fn blocks_end_at_lines_and_hold_everything() {
        let text = b"one\ntwo\n\nthree";
        for step in 1..=text.len() {
            let mut blocks = Blocks::of_lines(Dribble { bytes: text, step });
            let mut seen = Vec::new();
            while let Some(block) = blocks.next_block().expect("memory does not fail") {
                assert!(!block.is_empty());
                seen.extend_from_slice(block);
                assert!(block.ends_with(b"\n") || seen.len() == text.len(), "step {step}");
            }
            assert_eq!(seen, text, "step {step}");
        }
    }

    #[test]
    fn a_line_longer_than_a_block_arrives_whole() {
        let text = [vec![b'x'; 3 * BLOCK_SIZE], b"\nshort\n".to_vec()].concat();
        let mut blocks = Blocks::of_lines(&text[..]);
        let first = blocks.next_block().expect("no error").expect("a block");
        assert!(first.len() > 3 * BLOCK_SIZE);
        let first = first.len();
        let rest = blocks.next_block().expect("no error").map_or(0, <[u8]>::len);
        assert_eq!(first + rest, text.len());
    }
}

//! Reading in large reused blocks that end where a line ends.

use std::io::{ErrorKind, Read, Result};
use std::ops::Deref;

use memchr::memrchr;

use crate::Input;
use crate::io::mapped::{Mapped, PIECE, WINDOW};

/// As large as a second-level cache holds with room for other things.
const BLOCK_SIZE: usize = 256 * 1024;

/// Lends an input block by block; no byte is copied but the torn line at a
/// block's end, and memory is one block, or the longest line.
pub struct Blocks<'a> {
    input: &'a mut Input,
    /// Finds the end of the last whole piece.
    cut: fn(&[u8]) -> Option<usize>,
    /// What was lent last, if it is mapped.
    mapped: Option<Mapped>,
    buffer: Vec<u8>,
    /// What was lent last is before this.
    lent: usize,
    /// What was read is before this.
    filled: usize,
    ended: bool,
}

/// A block to keep.
#[derive(Debug)]
pub enum Block {
    /// It was read.
    Read(Vec<u8>),
    /// It is a part of a file.
    Mapped(Mapped),
}

impl<'a> Blocks<'a> {
    /// Blocks of whole lines; only the very last line may lack its LF.
    pub fn of_lines(input: &'a mut Input) -> Blocks<'a> {
        Blocks::cut_by(input, |bytes| Some(memrchr(b'\n', bytes)? + 1))
    }

    /// Blocks that end where `cut` says: it is given what was read and not
    /// lent, and returns the end of the last whole piece in it, if any.
    pub fn cut_by(input: &'a mut Input, cut: fn(&[u8]) -> Option<usize>) -> Blocks<'a> {
        let (mapped, buffer) = (None, Vec::new());
        Blocks { input, cut, mapped, buffer, lent: 0, filled: 0, ended: false }
    }

    /// The next block, never empty; `None` at the end of input.
    ///
    /// # Errors
    ///
    /// What the input says.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>> {
        self.advance(WINDOW)?;
        Ok(match &self.mapped {
            Some(block) => Some(block),
            None => (self.lent > 0).then(|| &self.buffer[..self.lent]),
        })
    }

    /// The next block to keep, as [`next_block`](Blocks::next_block) lends it.
    /// The memory of `spare`, such as a block that is done with, takes its
    /// place.
    ///
    /// # Errors
    ///
    /// What the input says.
    pub fn take_block(&mut self, mut spare: Vec<u8>) -> Result<Option<Block>> {
        self.advance(PIECE)?;
        if let Some(block) = self.mapped.take() {
            return Ok(Some(Block::Mapped(block)));
        }
        if self.lent == 0 {
            return Ok(None);
        }
        let torn = self.lent..self.filled;
        spare.resize(BLOCK_SIZE.max(torn.len()), 0);
        spare[..torn.len()].copy_from_slice(&self.buffer[torn.clone()]);
        let mut block = std::mem::replace(&mut self.buffer, spare);
        block.truncate(self.lent);
        (self.lent, self.filled) = (0, torn.len());
        Ok(Some(Block::Read(block)))
    }

    /// Makes the next block the one that is lent; `window` is how much may be
    /// mapped.
    fn advance(&mut self, window: usize) -> Result<()> {
        // Two windows at once would be two in memory.
        self.mapped = None;
        self.mapped = self.input.next_mapped(self.cut, window)?;
        if self.mapped.is_none() {
            self.buffer.copy_within(self.lent..self.filled, 0);
            self.filled -= self.lent;
            self.lent = self.fill()?;
        }
        Ok(())
    }

    /// Reads until there is a whole piece and returns its end; all that is
    /// left at the end of input.
    fn fill(&mut self) -> Result<usize> {
        while !self.ended {
            if self.filled == self.buffer.len() {
                self.buffer.resize(BLOCK_SIZE.max(self.buffer.len() * 2), 0);
            }
            match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.lent = 0;
                    return Err(error);
                }
            }
            if let Some(end) = (self.cut)(&self.buffer[..self.filled]) {
                return Ok(end);
            }
        }
        Ok(self.filled)
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Block::Read(bytes) => bytes,
            Block::Mapped(bytes) => bytes,
        }
    }
}

impl Block {
    /// The memory of a block that is done with, if it can be used again.
    #[must_use]
    pub fn into_spare(self) -> Option<Vec<u8>> {
        match self {
            Block::Read(bytes) => Some(bytes),
            Block::Mapped(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out `bytes` in pieces of `step`.
    struct Dribble {
        bytes: &'static [u8],
        step: usize,
    }

    impl Read for Dribble {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let count = self.step.min(buffer.len()).min(self.bytes.len());
            buffer[..count].copy_from_slice(&self.bytes[..count]);
            self.bytes = &self.bytes[count..];
            Ok(count)
        }
    }

    fn input(bytes: Vec<u8>) -> Input {
        Input::from_reader("test", std::io::Cursor::new(bytes))
    }

    #[test]
    fn blocks_end_at_lines_and_hold_everything() {
        let text = b"one\ntwo\n\nthree";
        for step in 1..=text.len() {
            let mut input = Input::from_reader("test", Dribble { bytes: text, step });
            let mut blocks = Blocks::of_lines(&mut input);
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
    fn blocks_to_keep_are_the_same() {
        let text: Vec<u8> =
            (0..100_000).flat_map(|line| format!("line {line}\n").into_bytes()).collect();
        let (mut one, mut other) = (input(text.clone()), input(text));
        let (mut lent, mut taken) = (Blocks::of_lines(&mut one), Blocks::of_lines(&mut other));
        let mut spare = Vec::new();
        while let Some(block) = lent.next_block().expect("memory does not fail") {
            let kept = taken.take_block(spare).expect("memory does not fail");
            assert_eq!(kept.as_deref(), Some(block));
            spare = kept.and_then(Block::into_spare).unwrap_or_default();
        }
        assert!(taken.take_block(spare).expect("memory does not fail").is_none());
    }

    #[test]
    fn a_line_longer_than_a_block_arrives_whole() {
        let text = [vec![b'x'; 3 * BLOCK_SIZE], b"\nshort\n".to_vec()].concat();
        let length = text.len();
        let mut input = input(text);
        let mut blocks = Blocks::of_lines(&mut input);
        let first = blocks.next_block().expect("no error").expect("a block");
        assert!(first.len() > 3 * BLOCK_SIZE);
        let first = first.len();
        let rest = blocks.next_block().expect("no error").map_or(0, <[u8]>::len);
        assert_eq!(first + rest, length);
    }
}

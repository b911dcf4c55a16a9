//! Reading an input in large blocks, in one reused buffer, each of which ends
//! where a line ends.

use std::io::{Error, ErrorKind, Read, Result};
use std::ops::{Deref, Range};

use memchr::{memchr, memrchr};

use crate::io::{Input, out_of_memory::returned};

/// How large the buffer is unless a line needs more, in bytes: not larger than the second-level
/// cache of today's processors, so that the bytes are still in the cache when they are parsed.
const BUFFER_SIZE: usize = 1024 * 1024;

/// How large it is at first, in bytes: for a small input, getting the memory of a large buffer
/// takes longer than reading the input.
const FIRST_SIZE: usize = 2 * LEAST_READ;

/// The buffer grows where there is room for fewer bytes than this.
const LEAST_READ: usize = 64 * 1024;

/// Returns an input block by block. Only the bytes after the last whole piece of a block are
/// copied; the memory is one buffer, or the longest line.
pub struct Blocks<'a> {
    input: &'a mut Input,
    /// Finds the end of the last whole piece.
    cut: fn(&[u8]) -> Option<usize>,
    buffer: Vec<u8>,
    /// How large the buffer should be, in bytes.
    size: usize,
    /// The last block starts here.
    start: usize,
    /// The last block ends here.
    cut_at: usize,
    /// What was read ends here.
    filled: usize,
    ended: bool,
}

/// A block that owns its memory.
#[derive(Debug, Default)]
pub struct Block {
    buffer: Vec<u8>,
    /// The range of the block in the buffer.
    whole: Range<usize>,
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.whole.clone()]
    }
}

impl<'a> Blocks<'a> {
    /// Blocks of whole lines; only the very last line may lack its LF.
    pub fn of_lines(input: &'a mut Input) -> Blocks<'a> {
        Blocks::cut_by(input, |bytes| Some(memrchr(b'\n', bytes)? + 1))
    }

    /// Blocks that end where `cut` says. `cut` gets the bytes that were read and not yet returned,
    /// and returns the end of the last whole piece in them, which must be after an LF. At the end
    /// of the input, the last block is all that is left.
    pub fn cut_by(input: &'a mut Input, cut: fn(&[u8]) -> Option<usize>) -> Blocks<'a> {
        let (buffer, size) = (Vec::new(), FIRST_SIZE);
        Blocks { input, cut, buffer, size, start: 0, cut_at: 0, filled: 0, ended: false }
    }

    /// The next block, never empty; `None` at the end of input.
    ///
    /// # Errors
    ///
    /// What reading the input returns; [`ErrorKind::OutOfMemory`] where there is no memory for a
    /// whole piece.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>> {
        let is_more = self.advance_to(0)?;
        Ok(is_more.then(|| &self.buffer[self.start..self.cut_at]))
    }

    /// The next block to keep, the same as from [`next_block`](Blocks::next_block). The memory of
    /// `spare`, such as a block that is no longer needed, is used for the block after it.
    ///
    /// # Errors
    ///
    /// As [`next_block`](Blocks::next_block).
    pub fn take_block(&mut self, spare: Block) -> Result<Option<Block>> {
        if !self.advance_to(self.cut_at)? {
            return Ok(None);
        }
        let rest = &self.buffer[self.cut_at..self.filled];
        let mut next = spare.buffer;
        enlarge(&mut next, self.size.max(rest.len()))?;
        next[..rest.len()].copy_from_slice(rest);
        let whole = self.start..self.cut_at;
        self.filled = rest.len();
        (self.start, self.cut_at) = (0, 0);
        Ok(Some(Block { buffer: std::mem::replace(&mut self.buffer, next), whole }))
    }

    /// Moves the bytes that were read and not yet returned to `start` in the buffer, and reads on;
    /// returns false at the end of the input.
    fn advance_to(&mut self, start: usize) -> Result<bool> {
        self.buffer.copy_within(self.cut_at..self.filled, start);
        self.filled = self.filled - self.cut_at + start;
        (self.start, self.cut_at) = (start, start);
        self.fill()?;
        Ok(self.cut_at > self.start)
    }

    /// Reads until there is a whole piece, or to the end of input.
    fn fill(&mut self) -> Result<()> {
        while !self.ended {
            if self.buffer.len() < self.size.max(self.filled + LEAST_READ) {
                // To double the buffer for a line of gigabytes would take too much memory.
                let larger = self.filled + (self.filled / 2).max(LEAST_READ);
                enlarge(&mut self.buffer, self.size.max(larger))?;
            }
            let room = &mut self.buffer[self.filled..];
            let most = room.len();
            let count = match self.input.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read?,
            };
            self.ended = count == 0;
            if count == most {
                self.size = BUFFER_SIZE;
            }
            let new = self.filled..self.filled + count;
            self.filled = new.end;
            // Without this, a line of gigabytes would be searched again after every read.
            let may_end = memchr(b'\n', &self.buffer[new]).is_some();
            if may_end && let Some(end) = (self.cut)(&self.buffer[self.start..self.filled]) {
                self.cut_at = self.start + end;
                return Ok(());
            }
        }
        self.cut_at = self.filled;
        Ok(())
    }
}

/// Makes a buffer this long, unless it is already longer.
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`], which names the input; elsewhere, missing memory ends the program.
fn enlarge(buffer: &mut Vec<u8>, length: usize) -> Result<()> {
    if buffer.len() < length && length <= BUFFER_SIZE {
        // The system returns memory that is zero already.
        let mut larger = vec![0; length];
        larger[..buffer.len()].copy_from_slice(buffer);
        *buffer = larger;
        return Ok(());
    }
    let more = length.saturating_sub(buffer.len());
    if returned(|| buffer.try_reserve_exact(more)).is_err() {
        let text =
            format!("out of memory for more than {} bytes of one line or sample", buffer.len());
        return Err(Error::new(ErrorKind::OutOfMemory, text));
    }
    buffer.resize(buffer.len() + more, 0);
    Ok(())
}
#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `bytes` in pieces of `step`.
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
        let (mut borrowed, mut taken) = (Blocks::of_lines(&mut one), Blocks::of_lines(&mut other));
        let mut spare = Block::default();
        while let Some(block) = borrowed.next_block().expect("memory does not fail") {
            let kept = taken.take_block(spare).expect("memory does not fail");
            assert_eq!(kept.as_deref(), Some(block));
            spare = kept.unwrap_or_default();
        }
        assert!(taken.take_block(spare).expect("memory does not fail").is_none());
    }

    #[test]
    fn a_line_longer_than_a_block_arrives_whole() {
        let text = [vec![b'x'; 3 * BUFFER_SIZE], b"\nshort\n".to_vec()].concat();
        let length = text.len();
        let mut input = input(text);
        let mut blocks = Blocks::of_lines(&mut input);
        let first = blocks.next_block().expect("no error").expect("a block");
        assert!(first.len() > 3 * BUFFER_SIZE);
        let first = first.len();
        let rest = blocks.next_block().expect("no error").map_or(0, <[u8]>::len);
        assert_eq!(first + rest, length);
    }
}

//! The bytes of an input that were read, but not used yet: as many as a reader needs at once.

use std::io::{self, ErrorKind, Read};

/// The size of one read, in bytes.
const BLOCK: usize = 256 * 1024;

/// An input, and its next bytes.
pub(crate) struct Ahead<R> {
    reader: R,
    /// The bytes that were not used yet are `bytes[at..filled]`.
    pub(crate) bytes: Vec<u8>,
    pub(crate) at: usize,
    pub(crate) filled: usize,
    /// How many bytes came before these.
    before: u64,
}

impl<R: Read> Ahead<R> {
    pub(crate) fn new(reader: R) -> Ahead<R> {
        Ahead { reader, bytes: Vec::new(), at: 0, filled: 0, before: 0 }
    }

    /// Where the next byte is in the input.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    /// The bytes that were not used yet.
    #[inline]
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..self.filled]
    }

    /// Uses the next bytes; as many must be there.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> &[u8] {
        self.at += length;
        &self.bytes[self.at - length..self.at]
    }

    /// Reads more bytes, after those that were not used yet; false at the end of the input. What an
    /// input says of its length may be wrong, so memory grows only with the bytes that are there.
    #[cold]
    pub(crate) fn fill(&mut self) -> io::Result<bool> {
        self.bytes.copy_within(self.at..self.filled, 0);
        self.before += self.at as u64;
        (self.at, self.filled) = (0, self.filled - self.at);
        if self.bytes.len() < self.filled + BLOCK / 4 {
            self.bytes.resize(BLOCK.max(2 * self.filled), 0);
        }
        loop {
            match self.reader.read(&mut self.bytes[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

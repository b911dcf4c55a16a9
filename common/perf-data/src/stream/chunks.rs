//! Where the bytes of records are kept until they are passed on.
//!
//! Input is read into chunks of a fixed size, and stays where it is: only a record that the end of
//! a chunk cuts is moved. A chunk is used again when none of its records is needed any more.

use std::io;

/// The size of a chunk in bytes. It is many times that of the longest record.
pub(crate) const CHUNK_SIZE: usize = 1 << 20;

/// The kind, the flags and the size of a record: 4, 2 and 2 bytes.
pub(crate) const HEADER_SIZE: usize = 8;

/// Chunks, in use or not.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    chunks: Vec<Chunk>,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Chunk {
    bytes: Vec<u8>,
    /// How many records in it are held, plus one if a [`Feed`] reads into it.
    users: usize,
}

/// Where in the chunks a record is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordAt {
    chunk: u32,
    start: u32,
    size: u32,
}

impl RecordAt {
    /// In place of the chunk of a record that is in none any more.
    const NO_CHUNK: u32 = u32::MAX;

    /// The place of a record that is in no chunk any more, and must be read again.
    pub(crate) fn put_away(self) -> RecordAt {
        RecordAt { chunk: RecordAt::NO_CHUNK, ..self }
    }

    pub(crate) fn is_put_away(self) -> bool {
        self.chunk == RecordAt::NO_CHUNK
    }

    /// The size of the record in bytes, with its header.
    pub(crate) fn size(self) -> usize {
        self.size as usize
    }
}

impl Chunks {
    /// The bytes of a record, with its header. It must not have been put away.
    #[inline]
    pub(crate) fn record(&self, at: RecordAt) -> &[u8] {
        &self.chunks[at.chunk as usize].bytes[at.start as usize..][..at.size as usize]
    }

    /// Keeps the bytes of a record until [`release`](Chunks::release).
    #[inline]
    pub(crate) fn hold(&mut self, at: RecordAt) {
        self.chunks[at.chunk as usize].users += 1;
    }

    #[inline]
    pub(crate) fn release(&mut self, at: RecordAt) {
        self.release_chunk(at.chunk as usize);
    }

    /// How many bytes the chunks in use have.
    pub(crate) fn bytes_in_use(&self) -> usize {
        (self.chunks.len() - self.free.len()) * CHUNK_SIZE
    }

    #[inline]
    fn release_chunk(&mut self, chunk: usize) {
        self.chunks[chunk].users -= 1;
        if self.chunks[chunk].users == 0 {
            self.free.push(chunk);
        }
    }

    /// A chunk with one user.
    fn take(&mut self) -> usize {
        let chunk = self.free.pop().unwrap_or_else(|| {
            self.chunks.push(Chunk { bytes: vec![0; CHUNK_SIZE], users: 0 });
            self.chunks.len() - 1
        });
        self.chunks[chunk].users = 1;
        chunk
    }
}

/// What comes next in a stream of records.
#[derive(Debug)]
pub(crate) enum Next {
    Record(RecordAt),
    /// The record is not whole yet, or there is none.
    NeedsMore,
    /// A record says that it is shorter than its header.
    BadSize(u16),
}

/// A stream of records, one after another, as far as it was read.
#[derive(Debug)]
pub(crate) struct Feed {
    chunk: usize,
    /// The bytes that were read and not yet passed on.
    start: usize,
    end: usize,
    /// The position of `start` in the stream.
    position: u64,
}

impl Feed {
    /// A stream that begins at `position`.
    pub(crate) fn new(chunks: &mut Chunks, position: u64) -> Feed {
        Feed { chunk: chunks.take(), start: 0, end: 0, position }
    }

    /// The position in the stream where the next record begins.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// How many bytes there are of a record that is not whole yet.
    pub(crate) fn rest(&self) -> usize {
        self.end - self.start
    }

    /// The next record if it is whole.
    #[inline]
    pub(crate) fn next(&mut self, chunks: &Chunks) -> Next {
        let bytes = &chunks.chunks[self.chunk].bytes[self.start..self.end];
        let [_, _, _, _, _, _, low, high, ..] = *bytes else { return Next::NeedsMore };
        let size = u16::from_le_bytes([low, high]);
        if usize::from(size) < HEADER_SIZE {
            return Next::BadSize(size);
        }
        if bytes.len() < usize::from(size) {
            return Next::NeedsMore;
        }
        let at = RecordAt { chunk: self.chunk as u32, start: self.start as u32, size: size.into() };
        self.advance(size.into());
        Next::Record(at)
    }

    fn advance(&mut self, bytes: usize) {
        self.start += bytes;
        self.position += bytes as u64;
    }

    /// Skips at most `at_most` bytes of what was read; returns how many.
    pub(crate) fn skip(&mut self, at_most: u64) -> u64 {
        let count = self.rest().min(usize::try_from(at_most).unwrap_or(usize::MAX));
        self.advance(count);
        count as u64
    }

    /// The bytes that were read and not yet passed on.
    pub(crate) fn bytes<'c>(&self, chunks: &'c Chunks) -> &'c [u8] {
        &chunks.chunks[self.chunk].bytes[self.start..self.end]
    }

    /// Calls `read` with a buffer that has room for the longest record, and appends what it puts
    /// there; returns how many bytes `read` says that it wrote.
    pub(crate) fn fill(
        &mut self,
        chunks: &mut Chunks,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if CHUNK_SIZE - self.end <= usize::from(u16::MAX) {
            self.move_on(chunks);
        }
        let count = read(&mut chunks.chunks[self.chunk].bytes[self.end..])?;
        self.end += count;
        Ok(count)
    }

    /// Goes on in another chunk, or in this one if no record in it is held.
    fn move_on(&mut self, chunks: &mut Chunks) {
        let rest = self.start..self.end;
        let old = self.chunk;
        if chunks.chunks[old].users == 1 {
            chunks.chunks[old].bytes.copy_within(rest.clone(), 0);
        } else {
            self.chunk = chunks.take();
            let [from, to] =
                chunks.chunks.get_disjoint_mut([old, self.chunk]).expect("two chunks in use");
            to.bytes[..rest.len()].copy_from_slice(&from.bytes[rest.clone()]);
            chunks.release_chunk(old);
        }
        (self.start, self.end) = (0, rest.len());
    }
}

//! Reads records, one after the other.

use std::io::{self, BufReader, Read};

use common::Error;

use crate::read::bytes::{Bytes, Ended};

/// How much is read at a time, in bytes.
const BLOCK: usize = 256 * 1024;

/// The type of large records, which have a longer size.
const LARGE: u64 = 15;

/// The bytes of a word.
const WORD: u64 = 8;

/// The first word of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header(pub(super) u64);

impl Header {
    /// The number in the `count` bits from bit `from` on.
    pub(super) fn bits(self, from: u32, count: u32) -> u64 {
        self.0 >> from & ((1 << count) - 1)
    }

    pub(super) fn kind(self) -> u64 {
        self.bits(0, 4)
    }

    /// The size of the record in words, this one included.
    fn size(self) -> u64 {
        self.bits(4, if self.kind() == LARGE { 32 } else { 12 })
    }
}

/// A record: its first word, and what follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) header: Header,
    pub(super) body: Bytes<'a>,
}

/// Reads records, one at a time.
pub(super) struct Records<R> {
    reader: BufReader<R>,
    body: Vec<u8>,
    /// Where the next record begins in the input.
    at: u64,
}

/// Why no further record can be read.
pub(super) enum End {
    Input(io::Error),
    /// The input ends within the record that begins at this byte.
    Cut(u64),
    /// The record that begins at this byte has the size 0.
    Sizeless(u64),
}

impl End {
    pub(super) fn error(self, name: String) -> Error {
        let what = match self {
            End::Input(source) => return Error::Input { name, source },
            End::Cut(at) => format!("it ends within the record at byte {at}"),
            End::Sizeless(at) => format!("the record at byte {at} has no size"),
        };
        Error::Unknown { name, what }
    }
}

impl<R: Read> Records<R> {
    pub(super) fn new(reader: R) -> Records<R> {
        Records { reader: BufReader::with_capacity(BLOCK, reader), body: Vec::new(), at: 0 }
    }

    /// The next record; `None` at the end. The body of a large record, which is a block of bytes,
    /// is skipped and left empty.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>, End> {
        if self.fill(WORD)? == 0 {
            return Ok(None);
        }
        let header = Header(Bytes(&self.body).u64().map_err(|Ended| End::Cut(self.at))?);
        let length = header.size().checked_sub(1).ok_or(End::Sizeless(self.at))? * WORD;
        let is_whole = match header.kind() {
            LARGE => self.skip(length)? == length,
            _ => self.fill(length)? as u64 == length,
        };
        if !is_whole {
            return Err(End::Cut(self.at));
        }
        self.at += WORD + length;
        Ok(Some(Record { header, body: Bytes(&self.body) }))
    }

    /// Reads `length` bytes, or fewer at the end of the input; returns how many.
    fn fill(&mut self, length: u64) -> Result<usize, End> {
        self.body.clear();
        self.reader.by_ref().take(length).read_to_end(&mut self.body).map_err(End::Input)
    }

    /// Skips `length` bytes, or fewer at the end of the input; returns how many.
    fn skip(&mut self, length: u64) -> Result<u64, End> {
        self.body.clear();
        io::copy(&mut self.reader.by_ref().take(length), &mut io::sink()).map_err(End::Input)
    }
}

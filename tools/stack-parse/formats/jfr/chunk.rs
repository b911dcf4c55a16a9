//! The chunks of a recording, each complete in itself, and the events in them.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use common::{Error, Result, io::Seekable};

/// The size of one read, in bytes.
const READ_AT_ONCE: usize = 256 * 1024;

/// The size of a chunk's header, in bytes.
pub(super) const HEADER_SIZE: u64 = 68;

const MAGIC: [u8; 4] = *b"FLR\0";

/// The header of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The first byte of the chunk in the file, and the byte after it.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Nanoseconds since 1970, and the clock's ticks at that time.
    pub(super) nanoseconds: u64,
    pub(super) ticks: u64,
    pub(super) ticks_per_second: u64,
    pub(super) is_compressed: bool,
}

impl Header {
    /// The header at the start of `bytes`; `None` if there is none.
    pub(super) fn of(bytes: &[u8; HEADER_SIZE as usize], start: u64) -> Option<Header> {
        let long = |at: usize| {
            bytes[at..at + 8].iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
        };
        // Versions 0 and 1, of Java 7 and 8, have another layout.
        if bytes[..4] != MAGIC || bytes[4..6] != [0, 2] {
            return None;
        }
        // A chunk that is still being written has no size yet.
        let size = long(8);
        let end = if size < HEADER_SIZE { u64::MAX } else { start.saturating_add(size) };
        Some(Header {
            start,
            end,
            nanoseconds: long(32),
            ticks: long(48),
            ticks_per_second: long(56).max(1),
            is_compressed: bytes[67] & 1 != 0,
        })
    }

    /// Ticks as nanoseconds; `None` if they do not fit into 64 bits.
    pub(super) fn nanoseconds_of(&self, ticks: u64) -> Option<u64> {
        let nanoseconds = u128::from(ticks) * 1_000_000_000 / u128::from(self.ticks_per_second);
        u64::try_from(nanoseconds).ok()
    }

    /// The time of an event in nanoseconds since 1970.
    pub(super) fn time(&self, ticks: u64) -> u64 {
        let passed = self.nanoseconds_of(ticks.saturating_sub(self.ticks));
        self.nanoseconds.saturating_add(passed.unwrap_or(u64::MAX))
    }
}

/// An event whose body was not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct JfrEvent {
    pub(super) at: u64,
    /// The number of its type.
    pub(super) class: u64,
    /// How many bytes of its body follow.
    left: u64,
}

/// A file that is read event by event.
pub(super) struct File {
    /// Its name in messages.
    name: String,
    reader: BufReader<Seekable>,
    at: u64,
}

impl File {
    pub(super) fn new(name: String, file: Seekable) -> File {
        File { name, reader: BufReader::with_capacity(READ_AT_ONCE, file), at: 0 }
    }

    /// Goes to this byte of the file.
    pub(super) fn seek(&mut self, at: u64) -> Result<()> {
        let step = i128::from(at) - i128::from(self.at);
        let sought = match i64::try_from(step) {
            Ok(step) => self.reader.seek_relative(step),
            Err(_) => self.reader.seek(SeekFrom::Start(at)).map(drop),
        };
        self.at = at;
        sought.map_err(|source| self.failed(source))
    }

    /// The number of bytes that could be read for a header, and the header of the chunk here if
    /// there is one.
    pub(super) fn header(&mut self) -> Result<(usize, Option<Header>)> {
        let (start, mut bytes) = (self.at, Vec::new());
        self.body(HEADER_SIZE, &mut bytes)?;
        let header = <[u8; HEADER_SIZE as usize]>::try_from(&bytes[..]).ok();
        Ok((bytes.len(), header.and_then(|header| Header::of(&header, start))))
    }

    /// The next event of a chunk. Its body must then be read, or skipped by [`skip`](File::skip).
    /// `None` at the end of the chunk; `Some(None)` where there is no event, or only a part of one.
    pub(super) fn event(&mut self, chunk: &Header) -> Result<Option<Option<JfrEvent>>> {
        let at = self.at;
        if at >= chunk.end {
            return Ok(None);
        }
        let (Some(size), Some(class)) = (self.varint(chunk, 4)?, self.varint(chunk, 8)?) else {
            return Ok(Some(None));
        };
        let end = at.saturating_add(size);
        if end < self.at || end > chunk.end {
            return Ok(Some(None));
        }
        Ok(Some(Some(JfrEvent { at, class, left: end - self.at })))
    }

    /// Reads the body of an event; false if the file ends within it.
    pub(super) fn read(&mut self, event: &JfrEvent, body: &mut Vec<u8>) -> Result<bool> {
        self.body(event.left, body)?;
        Ok(body.len() as u64 == event.left)
    }

    /// Skips the body of an event.
    pub(super) fn skip(&mut self, event: &JfrEvent) -> Result<()> {
        self.seek(self.at.saturating_add(event.left))
    }

    fn body(&mut self, length: u64, body: &mut Vec<u8>) -> Result<()> {
        body.clear();
        let read = self.reader.by_ref().take(length).read_to_end(body);
        self.at += read.map_err(|source| self.failed(source))? as u64;
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Input { name: self.name.clone(), source }
    }

    /// A number; `None` at the end of the file.
    fn varint(&mut self, chunk: &Header, size: usize) -> Result<Option<u64>> {
        let mut value = 0;
        let most = if chunk.is_compressed { 9 } else { size };
        for index in 0..most {
            let mut byte = [0];
            let read = self.reader.read(&mut byte);
            if read.map_err(|source| self.failed(source))? == 0 {
                return Ok(None);
            }
            self.at += 1;
            let byte = u64::from(byte[0]);
            if !chunk.is_compressed {
                value = value << 8 | byte;
            } else if index == 8 {
                value |= byte << 56;
            } else {
                value |= (byte & 0x7f) << (7 * index);
                if byte < 0x80 {
                    break;
                }
            }
        }
        Ok(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_that_are_too_many_are_no_time() {
        let mut bytes = [0; HEADER_SIZE as usize];
        bytes[..6].copy_from_slice(b"FLR\0\0\x02");
        bytes[56..64].copy_from_slice(&1000u64.to_be_bytes());
        let header = Header::of(&bytes, 0).expect("a header");
        assert_eq!(header.nanoseconds_of(7), Some(7_000_000));
        assert_eq!(header.nanoseconds_of(u64::MAX / 1_000_000), Some(18_446_744_073_709_000_000));
        assert_eq!(header.nanoseconds_of(u64::MAX / 1_000_000 + 1), None);
    }
}

//! Messages of protocol buffers that are too large to be held: their fields as they come.

use std::io::{self, Read};

use super::varint;
use crate::read::bytes::Bytes;

/// How much is read at a time, in bytes.
const BLOCK: usize = 256 * 1024;

/// The longest number of variable length, in bytes.
const LONGEST_NUMBER: usize = 10;

/// A message that is being read.
pub(crate) struct Stream<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Where in the buffer what was not read yet begins, and ends.
    at: usize,
    filled: usize,
    /// How many bytes came before the buffer.
    before: u64,
}

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Number(u64),
    /// A string, a message or several numbers, up to this byte: they come next.
    Bytes {
        end: u64,
    },
}

/// Why nothing more can be read.
#[derive(Debug)]
pub(crate) enum Broken {
    Input(io::Error),
    /// There is no field at this byte, or the input ends within it.
    At(u64),
}

impl<R: Read> Stream<R> {
    pub(crate) fn new(reader: R) -> Stream<R> {
        Stream { reader, buffer: vec![0; BLOCK], at: 0, filled: 0, before: 0 }
    }

    /// Where the next byte is in the input.
    pub(crate) fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    /// The next bytes, at least so many if there are that many.
    fn look(&mut self, count: usize) -> Result<&[u8], Broken> {
        if self.filled - self.at < count {
            self.fill(count).map_err(Broken::Input)?;
        }
        Ok(&self.buffer[self.at..self.filled])
    }

    fn fill(&mut self, count: usize) -> io::Result<()> {
        self.buffer.copy_within(self.at..self.filled, 0);
        self.before += self.at as u64;
        (self.at, self.filled) = (0, self.filled - self.at);
        while self.filled < count {
            // A length may be a lie: room is made for what comes.
            if self.filled == self.buffer.len() {
                self.buffer.resize(2 * self.filled, 0);
            }
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => break,
                Ok(more) => self.filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The next byte; `None` at the end of the input.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, Broken> {
        Ok(self.look(1)?.first().copied())
    }

    /// The number of the next field of a message that goes up to `end`, and the field; `None` at
    /// its end. A message whose length is not known ends with the input: its `end` is `u64::MAX`.
    pub(crate) fn field(&mut self, end: u64) -> Result<Option<(u64, Field)>, Broken> {
        let start = self.position();
        if start >= end || end == u64::MAX && self.peek()?.is_none() {
            return Ok(None);
        }
        let damaged = || Broken::At(start);
        let mut bytes = Bytes(self.look(2 * LONGEST_NUMBER)?);
        let all = bytes.len();
        let tag = varint(&mut bytes).map_err(|_| damaged())?;
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut bytes).map_err(|_| damaged())?),
            1 => Field::Number(bytes.u64().map_err(|_| damaged())?),
            2 => {
                let length = varint(&mut bytes).map_err(|_| damaged())?;
                let begin = start + (all - bytes.len()) as u64;
                let field_end = begin.checked_add(length).filter(|it| *it <= end);
                Field::Bytes { end: field_end.ok_or_else(damaged)? }
            }
            5 => Field::Number(bytes.u32().map_err(|_| damaged())?.into()),
            _ => return Err(damaged()),
        };
        let read = all - bytes.len();
        self.at += read;
        if tag >> 3 == 0 || self.position() > end {
            return Err(damaged());
        }
        Ok(Some((tag >> 3, field)))
    }

    /// The bytes up to `end`.
    pub(crate) fn take(&mut self, end: u64) -> Result<&[u8], Broken> {
        let start = self.position();
        let length = usize::try_from(end - start).map_err(|_| Broken::At(start))?;
        if self.look(length)?.len() < length {
            return Err(Broken::At(start));
        }
        self.at += length;
        Ok(&self.buffer[self.at - length..self.at])
    }

    /// Passes over the bytes up to `end`.
    pub(crate) fn skip(&mut self, end: u64) -> Result<(), Broken> {
        while self.position() < end {
            let left = end - self.position();
            let some = self.look(1)?.len();
            if some == 0 {
                return Err(Broken::At(self.position()));
            }
            self.at += usize::try_from(left).unwrap_or(usize::MAX).min(some);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_within_messages() {
        // 1: {2: "hi", 3: 300}, 4: 5
        let message = b"\x0a\x07\x12\x02hi\x18\xac\x02\x20\x05";
        let mut stream = Stream::new(&message[..]);
        let end = match stream.field(u64::MAX) {
            Ok(Some((1, Field::Bytes { end }))) => end,
            other => panic!("{other:?}"),
        };
        assert_eq!(end, 9);
        let inner = match stream.field(end) {
            Ok(Some((2, Field::Bytes { end }))) => end,
            other => panic!("{other:?}"),
        };
        assert_eq!(stream.take(inner).expect("two bytes"), b"hi");
        assert!(matches!(stream.field(end), Ok(Some((3, Field::Number(300))))));
        assert!(matches!(stream.field(end), Ok(None)));
        assert!(matches!(stream.field(u64::MAX), Ok(Some((4, Field::Number(5))))));
        assert!(matches!(stream.field(u64::MAX), Ok(None)));
    }

    #[test]
    fn what_is_cut_or_no_field_is_said_with_its_place() {
        for (message, at) in
            [(&b"\x20\x05\x12\x09hi"[..], 4), (b"\x20\x05\x0b", 2), (b"\x20\x05\x08", 2)]
        {
            let mut stream = Stream::new(message);
            assert!(matches!(stream.field(u64::MAX), Ok(Some((4, Field::Number(5))))));
            let broken = match stream.field(u64::MAX) {
                Ok(Some((_, Field::Bytes { end }))) => stream.take(end).err(),
                other => other.err(),
            };
            assert!(matches!(broken, Some(Broken::At(found)) if found == at), "{broken:?}");
        }
    }
}

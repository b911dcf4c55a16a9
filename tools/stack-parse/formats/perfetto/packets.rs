//! The packets of a trace, one after the other.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::mem::take;

use common::Error;

/// How much is read at a time, in bytes.
const BLOCK: usize = 256 * 1024;

/// The tag of a packet: field 1, which has a length.
const PACKET: u64 = 1 << 3 | 2;

/// The most bytes that a number has.
const LONGEST_NUMBER: u32 = 10;

/// Lends packets, one at a time.
pub(super) struct Packets<R> {
    reader: BufReader<R>,
    /// A packet that is not in the reader's buffer as a whole.
    body: Vec<u8>,
    /// How many bytes of the reader's buffer the last packet has.
    lent: usize,
    /// Where the next field begins in the input.
    at: u64,
    /// How many bytes were read.
    read: u64,
}

/// Why no packet can be read any more.
pub(super) enum End {
    Input(io::Error),
    /// The input ends within the packet that begins at this byte.
    Cut(u64),
    /// There is no field at this byte.
    NoField(u64),
}

impl End {
    pub(super) fn error(self, name: String) -> Error {
        let what = match self {
            End::Input(source) => return Error::Input { name, source },
            End::Cut(at) => format!("it ends within the packet at byte {at}"),
            End::NoField(at) => format!("expected a packet at byte {at}"),
        };
        Error::Unknown { name, what }
    }
}

impl<R: Read> Packets<R> {
    pub(super) fn new(reader: R) -> Packets<R> {
        let reader = BufReader::with_capacity(BLOCK, reader);
        Packets { reader, body: Vec::new(), lent: 0, at: 0, read: 0 }
    }

    /// The next packet; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, End> {
        self.reader.consume(take(&mut self.lent));
        match self.find()? {
            Some(length) => self.body(length).map(Some),
            None => Ok(None),
        }
    }

    /// Passes over what is no packet; returns the length of the next one.
    fn find(&mut self) -> Result<Option<u64>, End> {
        loop {
            self.at = self.read;
            let Some(first) = self.byte()? else { return Ok(None) };
            let tag = self.number(first)?;
            let length = match tag & 7 {
                0 => {
                    self.next_number()?;
                    0
                }
                1 => 8,
                2 => self.next_number()?,
                5 => 4,
                _ => return Err(End::NoField(self.at)),
            };
            if tag == PACKET {
                return Ok(Some(length));
            }
            if tag >> 3 == 0 {
                return Err(End::NoField(self.at));
            }
            self.skip(length)?;
        }
    }

    /// The next bytes, so many.
    fn body(&mut self, length: u64) -> Result<&[u8], End> {
        self.read = self.read.saturating_add(length);
        if self.reader.buffer().len() as u64 >= length {
            self.lent = length as usize;
            return Ok(&self.reader.buffer()[..self.lent]);
        }
        self.body.clear();
        let got = self.reader.by_ref().take(length).read_to_end(&mut self.body);
        match got.map_err(End::Input)? as u64 == length {
            true => Ok(&self.body),
            false => Err(End::Cut(self.at)),
        }
    }

    /// Passes over so many bytes.
    fn skip(&mut self, length: u64) -> Result<(), End> {
        let skipped = io::copy(&mut self.reader.by_ref().take(length), &mut io::sink());
        if skipped.map_err(End::Input)? < length {
            return Err(End::Cut(self.at));
        }
        self.read += length;
        Ok(())
    }

    fn next_number(&mut self) -> Result<u64, End> {
        let first = self.byte()?.ok_or(End::Cut(self.at))?;
        self.number(first)
    }

    /// The number whose first byte is this one.
    fn number(&mut self, first: u8) -> Result<u64, End> {
        let (mut number, mut byte) = (u64::from(first & 0x7f), first);
        for place in 1..LONGEST_NUMBER {
            if byte < 0x80 {
                return Ok(number);
            }
            byte = self.byte()?.ok_or(End::Cut(self.at))?;
            number |= u64::from(byte & 0x7f) << (7 * place);
        }
        if byte < 0x80 { Ok(number) } else { Err(End::NoField(self.at)) }
    }

    /// The next byte; `None` at the end.
    fn byte(&mut self) -> Result<Option<u8>, End> {
        loop {
            match self.reader.fill_buf() {
                Ok(bytes) => {
                    let byte = bytes.first().copied();
                    let length = usize::from(byte.is_some());
                    self.reader.consume(length);
                    self.read += length as u64;
                    return Ok(byte);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(End::Input(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, String) {
        let mut packets = Packets::new(bytes);
        let mut found = Vec::new();
        loop {
            match packets.next() {
                Ok(Some(packet)) => found.push(packet.to_vec()),
                Ok(None) => return (found, String::new()),
                Err(end) => return (found, end.error("t".to_owned()).to_string()),
            }
        }
    }

    #[test]
    fn packets_come_one_after_the_other() {
        let bytes = b"\x0a\x02hi\x10\x96\x01\x1a\x01x\x0a\0\x0a\x01y";
        let expected = vec![b"hi".to_vec(), Vec::new(), b"y".to_vec()];
        assert_eq!(read(bytes), (expected, String::new()));
        assert_eq!(read(b""), (Vec::new(), String::new()));
    }

    #[test]
    fn what_is_no_packet_ends_the_trace() {
        let hi = vec![b"hi".to_vec()];
        for (bytes, expected) in [
            (&b"\x0a\x02hi\x0a\xff\xff\xff\xff\x0fx"[..], "t: it ends within the packet at byte 4"),
            (b"\x0a\x02hi\x0a", "t: it ends within the packet at byte 4"),
            (b"\x0a\x02hi\x12\x05x", "t: it ends within the packet at byte 4"),
            (b"\x0a\x02hi\x0b", "t: expected a packet at byte 4"),
            (b"\x0a\x02hi\0\0", "t: expected a packet at byte 4"),
        ] {
            assert_eq!(read(bytes), (hi.clone(), expected.to_owned()), "{bytes:?}");
        }
    }
}

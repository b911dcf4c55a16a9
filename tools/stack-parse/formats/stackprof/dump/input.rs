//! The bytes of a dump, and the numbers and texts that they are.

use std::io::{self, BufRead, BufReader, Read};

/// A dump that is being read.
pub(super) struct DumpInput<R> {
    bytes: BufReader<R>,
    /// How many bytes were read.
    at: u64,
}

impl<R: Read> DumpInput<R> {
    pub(super) fn new(input: R) -> DumpInput<R> {
        DumpInput { bytes: BufReader::with_capacity(1 << 16, input), at: 0 }
    }

    pub(super) fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.bytes.fill_buf()?.is_empty())
    }

    /// `2b 08` and 6 bytes: the sign, the number of byte pairs, and the bytes, lowest first. `None`
    /// if the number does not fit.
    pub(super) fn large_integer(&mut self) -> io::Result<Option<i64>> {
        let sign = self.byte()?;
        let length = self.length()?.saturating_mul(2);
        let bytes = self.take(length)?;
        let small = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if small > 8 {
            return Ok(None);
        }
        let number =
            bytes.iter().take(small).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let number = i64::try_from(number).ok();
        Ok(number.map(|number| if sign == b'-' { -number } else { number }))
    }

    /// An integer of 31 bits: small ones in one byte, larger ones after their length.
    pub(super) fn integer(&mut self) -> io::Result<i64> {
        let first = i64::from(self.byte()? as i8);
        let length = first.unsigned_abs() as usize;
        match first {
            0 => return Ok(0),
            5.. => return Ok(first - 5),
            ..=-5 => return Ok(first + 5),
            _ => {}
        }
        let mut bytes = [if first < 0 { 0xff } else { 0 }; 8];
        for byte in &mut bytes[..length] {
            *byte = self.byte()?;
        }
        Ok(i64::from_le_bytes(bytes))
    }

    pub(super) fn length(&mut self) -> io::Result<u64> {
        let length = self.integer()?;
        u64::try_from(length).map_err(|_| self.expected("a length"))
    }

    /// A length, then this many bytes.
    pub(super) fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = self.length()?;
        self.take(length)
    }

    fn take(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.bytes.by_ref().take(length).read_to_end(&mut bytes)?;
        self.at += read as u64;
        if (read as u64) < length { Err(self.expected("more bytes")) } else { Ok(bytes) }
    }

    pub(super) fn byte(&mut self) -> io::Result<u8> {
        let Some(&byte) = self.bytes.fill_buf()?.first() else {
            return Err(self.expected("more bytes"));
        };
        self.bytes.consume(1);
        self.at += 1;
        Ok(byte)
    }

    /// The error where the input does not go on with `what`.
    pub(super) fn expected(&self, what: &str) -> io::Error {
        let at = self.at;
        io::Error::other(format!("byte {at}: expected {what}; what came before is kept"))
    }
}

//! The encoding of numbers and strings in a flight recording.

use crate::read::bytes::{Bytes, Ended, Endian};

/// The bytes end too early, or are not what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl From<Ended> for Malformed {
    fn from(_: Ended) -> Malformed {
        Malformed
    }
}

/// The values of an event that were not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'a> {
    bytes: Bytes<'a>,
    /// Whether numbers are of variable length, as the header of the chunk says.
    pub(super) is_compressed: bool,
}

/// A string, or the number of a constant that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text<'a> {
    Null,
    /// In UTF-8.
    Utf8(&'a [u8]),
    /// In Latin-1.
    Latin1(&'a [u8]),
    /// Numbers of variable length, each a unit of UTF-16.
    Utf16 {
        units: usize,
        bytes: &'a [u8],
    },
    /// A constant of the strings' pool.
    Constant(u64),
}

impl<'a> Values<'a> {
    /// `is_compressed` is whether numbers are of variable length.
    pub(super) fn new(bytes: &'a [u8], is_compressed: bool) -> Values<'a> {
        Values { bytes: Bytes(bytes), is_compressed }
    }

    /// How many bytes are left.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.bytes.u8()?)
    }

    pub(super) fn skip(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        Ok(self.bytes.take(length)?)
    }

    /// A number of variable length: seven bits a byte, eight in the ninth.
    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for index in 0..9 {
            let byte = u64::from(self.u8()?);
            if index == 8 {
                return Ok(value | byte << 56);
            }
            value |= (byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    /// A number of `size` bytes or, if numbers are compressed, of variable length.
    #[inline]
    pub(super) fn number(&mut self, size: usize) -> Result<u64, Malformed> {
        if self.is_compressed {
            return self.varint();
        }
        Ok(self.bytes.sized(size, Endian::Big)?)
    }

    pub(super) fn int(&mut self) -> Result<u64, Malformed> {
        self.number(4)
    }

    pub(super) fn long(&mut self) -> Result<u64, Malformed> {
        self.number(8)
    }

    /// How many elements follow; each takes at least one byte.
    pub(super) fn count(&mut self) -> Result<usize, Malformed> {
        let count = usize::try_from(self.int()?).map_err(|_| Malformed)?;
        if count > self.len() { Err(Malformed) } else { Ok(count) }
    }

    pub(super) fn text(&mut self) -> Result<Text<'a>, Malformed> {
        match self.u8()? {
            0 => Ok(Text::Null),
            1 => Ok(Text::Utf8(b"")),
            2 => Ok(Text::Constant(self.long()?)),
            3 => {
                let length = self.count()?;
                Ok(Text::Utf8(self.skip(length)?))
            }
            4 => {
                let (units, Bytes(start)) = (self.count()?, self.bytes);
                for _ in 0..units {
                    self.number(2)?;
                }
                Ok(Text::Utf16 { units, bytes: &start[..start.len() - self.len()] })
            }
            5 => {
                let length = self.count()?;
                Ok(Text::Latin1(self.skip(length)?))
            }
            _ => Err(Malformed),
        }
    }

    /// The units of UTF-16 that a string of this event has.
    fn units(mut self, units: usize) -> Vec<u16> {
        (0..units).map_while(|_| self.number(2).ok()).map(|unit| unit as u16).collect()
    }
}

impl Text<'_> {
    /// The string in UTF-8; empty if it is a constant.
    pub(super) fn to_vec(self, is_compressed: bool) -> Vec<u8> {
        match self {
            Text::Null | Text::Constant(_) => Vec::new(),
            Text::Utf8(bytes) => bytes.to_vec(),
            Text::Latin1(bytes) => {
                bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes()
            }
            Text::Utf16 { units, bytes } => {
                let units = Values::new(bytes, is_compressed).units(units);
                String::from_utf16_lossy(&units).into_bytes()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bytes: &[u8]) -> Values<'_> {
        Values::new(bytes, true)
    }

    #[test]
    fn numbers_have_up_to_nine_bytes() {
        assert_eq!(values(b"\x05").varint(), Ok(5));
        assert_eq!(values(b"\x96\x01").varint(), Ok(150));
        assert_eq!(values(&[0xff; 9]).varint(), Ok(u64::MAX));
        assert_eq!(values(&[0xff; 8]).varint(), Err(Malformed));
        let mut plain = Values::new(b"\0\0\x01\x02\0", false);
        assert_eq!(plain.int(), Ok(258));
        assert_eq!(plain.int(), Err(Malformed));
    }

    #[test]
    fn strings_of_every_encoding() {
        for (encoded, expected) in [
            (&b"\0"[..], ""),
            (b"\x01", ""),
            (b"\x03\x05caf\xc3\xa9", "café"),
            (b"\x04\x02\xe9\x01\x41", "éA"),
            (b"\x05\x04caf\xe9", "café"),
        ] {
            let text = values(encoded).text().expect("a string").to_vec(true);
            assert_eq!(text, expected.as_bytes(), "{encoded:?}");
        }
        assert_eq!(values(b"\x02\x07").text(), Ok(Text::Constant(7)));
        assert_eq!(values(b"\x03\x7fa").text(), Err(Malformed));
        assert_eq!(values(b"\x09").text(), Err(Malformed));
    }
}

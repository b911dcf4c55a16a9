//! A cursor over bytes: the numbers and strings of a binary format, taken one after
//! the other.

use memchr::memchr;

/// The bytes that were not taken yet. If fewer are left than asked for, none is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

/// Fewer bytes are left than were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended;

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

impl<'a> Bytes<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes are left.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Ended> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Ended)?;
        self.0 = rest;
        Ok(*array)
    }

    /// The next `length` bytes.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Ended> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Ended)?;
        self.0 = rest;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, Ended> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    /// A number of two bytes; numbers without an [`Endian`] are little-endian.
    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, Ended> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, Ended> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> Result<u64, Ended> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Ended> {
        self.array().map(i32::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Ended> {
        self.array().map(i64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, Ended> {
        self.array().map(f64::from_le_bytes)
    }

    /// A number of `size` bytes, 8 at most.
    #[inline]
    pub(crate) fn sized(&mut self, size: usize, endian: Endian) -> Result<u64, Ended> {
        let add = |number, &byte: &u8| number << 8 | u64::from(byte);
        let bytes = self.take(size)?.iter();
        Ok(match endian {
            Endian::Little => bytes.rev().fold(0, add),
            Endian::Big => bytes.fold(0, add),
        })
    }

    /// A number of variable length: seven bits a byte, the lowest first, in ten bytes at most.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Ended> {
        if let [byte @ 0..0x80, rest @ ..] = self.0 {
            self.0 = rest;
            return Ok(u64::from(*byte));
        }
        let length = self.0.iter().take(10).position(|byte| *byte < 0x80).ok_or(Ended)? + 1;
        // The tenth byte of a negative number has one bit.
        let digits = self.take(length)?.iter().rev();
        Ok(digits.fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f)))
    }

    /// A string up to a zero byte, which is taken, too.
    pub(crate) fn string(&mut self) -> Result<&'a [u8], Ended> {
        let end = memchr(0, self.0).ok_or(Ended)?;
        let (string, rest) = self.0.split_at(end);
        self.0 = &rest[1..];
        Ok(string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_in_their_order() {
        let mut bytes = Bytes(b"\x01\x02\x03\x01\0\0\x80\xff\xff\xff\xff\x01\x02\x01\x02rest");
        assert_eq!(bytes.u8(), Ok(1));
        assert_eq!(bytes.u16(), Ok(0x302));
        assert_eq!(bytes.u32(), Ok(0x8000_0001));
        assert_eq!(bytes.i32(), Ok(-1));
        assert_eq!(bytes.sized(2, Endian::Little), Ok(0x201));
        assert_eq!(bytes.sized(2, Endian::Big), Ok(0x102));
        assert_eq!(bytes.take(3), Ok(&b"res"[..]));
        assert_eq!((bytes.len(), bytes.is_empty()), (1, false));
    }

    #[test]
    fn what_ends_too_early_is_not_taken() {
        let mut bytes = Bytes(b"abc");
        assert_eq!(bytes.u32(), Err(Ended));
        assert_eq!(bytes.u64(), Err(Ended));
        assert_eq!(bytes.f64(), Err(Ended));
        assert_eq!(bytes.take(4), Err(Ended));
        assert_eq!(bytes.sized(4, Endian::Big), Err(Ended));
        assert_eq!(bytes.string(), Err(Ended));
        assert_eq!(bytes.take(3), Ok(&b"abc"[..]));
        assert_eq!(bytes.u8(), Err(Ended));
        assert!(bytes.is_empty());
    }

    #[test]
    fn strings_end_with_zero() {
        let mut bytes = Bytes(b"caf\xe9\0\0rest");
        assert_eq!(bytes.string(), Ok(&b"caf\xe9"[..]));
        assert_eq!(bytes.string(), Ok(&b""[..]));
        assert_eq!(bytes.string(), Err(Ended));
    }
}

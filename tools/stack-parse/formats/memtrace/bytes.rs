//! Numbers and strings as memtrace writes them (src/buf.ml): little-endian.

use memchr::memchr;

use super::malformed::Malformed;

/// What is left of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Malformed::Short)?;
        self.0 = rest;
        Ok(*array)
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    #[inline]
    pub(super) fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Result<f64, Malformed> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A number of variable length: one byte, or a byte that tells how many
    /// follow.
    #[inline]
    pub(super) fn vint(&mut self) -> Result<u64, Malformed> {
        match self.u8()? {
            253 => Ok(u64::from(self.u16()?)),
            254 => Ok(u64::from(self.u32()?)),
            255 => self.u64(),
            small => Ok(u64::from(small)),
        }
    }

    /// A string, which a zero byte ends.
    pub(super) fn string(&mut self) -> Result<&'a [u8], Malformed> {
        let end = memchr(0, self.0).ok_or(Malformed::Short)?;
        let (string, rest) = self.0.split_at(end);
        self.0 = &rest[1..];
        Ok(string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_variable_length() {
        for (bytes, expected) in [
            (&[0][..], Ok(0)),
            (&[252], Ok(252)),
            (&[253, 1, 2], Ok(0x201)),
            (&[254, 1, 2, 3, 4], Ok(0x0403_0201)),
            (&[255, 1, 0, 0, 0, 0, 0, 0, 128], Ok(0x8000_0000_0000_0001)),
            (&[253, 1], Err(Malformed::Short)),
            (&[], Err(Malformed::Short)),
        ] {
            assert_eq!(Bytes(bytes).vint(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn strings_end_with_zero() {
        let mut bytes = Bytes(b"caf\xe9\0\0rest");
        assert_eq!(bytes.string(), Ok(&b"caf\xe9"[..]));
        assert_eq!(bytes.string(), Ok(&b""[..]));
        assert_eq!(bytes.string(), Err(Malformed::Short));
    }
}

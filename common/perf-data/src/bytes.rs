//! Numbers and strings as perf writes them on little-endian machines; recordings of other machines
//! are not read.

use memchr::memchr;

/// The bytes of a record that are not read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next `length` bytes.
    #[inline]
    pub(crate) fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next `count` numbers of 64 bits.
    #[inline]
    pub(crate) fn u64s(&mut self, count: u64) -> Option<U64s<'a>> {
        self.take(count.checked_mul(8)?).map(U64s)
    }

    /// A string up to its zero byte, or to the end; what follows is padding.
    pub(crate) fn string(self) -> &'a [u8] {
        &self.0[..memchr(0, self.0).unwrap_or(self.0.len())]
    }

    /// A string that comes after its length, which includes padding.
    pub(crate) fn sized_string(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(length.into()).map(|padded| Bytes(padded).string())
    }
}

/// Numbers of 64 bits in a record, little-endian and not aligned.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct U64s<'a>(&'a [u8]);

impl<'a> U64s<'a> {
    /// The numbers in `bytes`; bytes at the end that do not fill a number are left out.
    pub(crate) fn new(bytes: &'a [u8]) -> U64s<'a> {
        U64s(&bytes[..bytes.len() / 8 * 8])
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        self.0.len() / 8
    }

    #[inline]
    pub(crate) fn get(self, index: usize) -> Option<u64> {
        let bytes = self.0.get(index.checked_mul(8)?..)?;
        bytes.first_chunk().copied().map(u64::from_le_bytes)
    }

    /// The first numbers, at most `count`.
    pub(crate) fn first(self, count: usize) -> U64s<'a> {
        U64s(&self.0[..self.0.len().min(count.saturating_mul(8))])
    }

    pub(crate) fn bytes(self) -> &'a [u8] {
        self.0
    }

    #[inline]
    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + 'a {
        self.0.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes")))
    }
}

impl std::fmt::Debug for U64s<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_length_reaches_beyond_the_bytes() {
        let bytes = Bytes(&[1, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(bytes.clone().u64s(1).map(U64s::len), Some(1));
        for count in [2, 1 << 61, u64::MAX] {
            assert_eq!(bytes.clone().u64s(count), None, "{count}");
            assert_eq!(bytes.clone().take(count.max(10)), None, "{count}");
        }
    }

    #[test]
    fn strings_end_with_a_zero_byte_or_the_record() {
        assert_eq!(Bytes(b"sh\0\0\0\0\0\0").string(), b"sh");
        assert_eq!(Bytes(b"sh").string(), b"sh");
        assert_eq!(Bytes(b"\x04\0\0\0sh\0\0rest").sized_string(), Some(&b"sh"[..]));
        assert_eq!(Bytes(b"\x09\0\0\0sh\0\0rest").sized_string(), None);
    }
}

//! Numbers in bytes: hexadecimal digits, and numbers as little-endian machines write them.

/// The number of these digits; `None` if there are none, if there are other bytes among them, or if
/// it has more than 64 bits.
pub(crate) fn hexadecimal(digits: &[u8]) -> Option<u64> {
    const MOST_DIGITS: usize = 16;
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    if digits.is_empty() || digits.len() - zeros > MOST_DIGITS {
        return None;
    }
    let mut number = 0;
    for digit in &digits[zeros..] {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        number = number << 4 | u64::from(value);
    }
    Some(number)
}

/// Bytes that are read from their start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor(bytes)
    }

    /// The next `count` bytes; `None`, and nothing is read, if there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next `N` numbers of 8 bytes.
    pub(crate) fn u64s<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.u64()?;
        }
        Some(numbers)
    }

    /// The text up to the next NUL, which is read, too.
    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        let text = self.take(memchr::memchr(0, self.0)?)?;
        self.u8()?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_follow_each_other() {
        let mut cursor = Cursor::new(b"\x01\x02\x03\x04\0\0\0f.ml\0\x05\0\0\0\0\0\0\0rest");
        assert_eq!(cursor.u8(), Some(1));
        assert_eq!(cursor.u16(), Some(0x302));
        assert_eq!(cursor.u32(), Some(4));
        assert_eq!(cursor.text(), Some(&b"f.ml"[..]));
        assert_eq!(cursor.u64s(), Some([5]));
        assert_eq!(cursor.take(2), Some(&b"re"[..]));
        // Bytes that are too few for a number are not taken.
        assert_eq!((cursor.u32(), cursor.text(), cursor.take(3)), (None, None, None));
        assert_eq!(cursor.take(2), Some(&b"st"[..]));
        assert_eq!(cursor.u8(), None);
    }
}

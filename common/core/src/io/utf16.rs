//! UTF-16, which PowerShell's `>` writes, read as UTF-8.

use std::io::{self, ErrorKind, Read};

/// How many bytes are decoded at once.
const BLOCK_SIZE: usize = 64 * 1024;

/// Makes a number of two bytes, such as [`u16::from_le_bytes`].
pub(crate) type ByteOrder = fn([u8; 2]) -> u16;

/// Decodes what a reader returns. Half a surrogate pair becomes U+FFFD, so that
/// a broken name does not cost its line.
pub(crate) struct Utf16<R> {
    reader: R,
    unit: ByteOrder,
    /// Bytes that were read and not decoded yet: at most half a character, cut by the end of a
    /// block.
    torn: Vec<u8>,
    /// Text that was decoded and not returned yet.
    text: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl<R: Read> Utf16<R> {
    pub(crate) fn new(reader: R, unit: ByteOrder) -> Utf16<R> {
        let text = io::Cursor::new(Vec::new());
        Utf16 { reader, unit, torn: Vec::new(), text, ended: false }
    }

    fn decode_block(&mut self) -> io::Result<()> {
        let mut block = vec![0; BLOCK_SIZE];
        let count = match self.reader.read(&mut block) {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
            read => read?,
        };
        self.ended = count == 0;
        self.torn.extend_from_slice(&block[..count]);
        let (units, odd) = self.torn.as_chunks::<2>();
        let is_torn = |unit: &&[u8; 2]| (0xd800..0xdc00).contains(&(self.unit)(**unit));
        let waiting = match units.last().filter(is_torn) {
            _ if self.ended => 0,
            Some(_) => 2 + odd.len(),
            None => odd.len(),
        };
        let whole = self.torn.len() - waiting;
        let units = units[..whole / 2].iter().map(|unit| (self.unit)(*unit));
        let chars =
            char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
        let mut text: String = chars.collect();
        if self.ended && !odd.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        self.torn.drain(..whole);
        self.text = io::Cursor::new(text.into_bytes());
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.text.read(buffer)?;
            if count > 0 || self.ended || buffer.is_empty() {
                return Ok(count);
            }
            self.decode_block()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns one byte at a time.
    struct Dribble<'a>(&'a [u8]);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    fn decoded(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (mut whole, mut dribbled) = (Vec::new(), Vec::new());
        Utf16::new(bytes, u16::from_le_bytes).read_to_end(&mut whole).expect("memory");
        Utf16::new(Dribble(bytes), u16::from_le_bytes).read_to_end(&mut dribbled).expect("memory");
        (whole, dribbled)
    }

    #[test]
    fn a_byte_too_few_is_shown() {
        assert_eq!(decoded(b"a\0b\0c").0, "ab\u{fffd}".as_bytes());
    }

    proptest! {
        #[test]
        fn units_are_decoded_as_the_standard_library_does(
            units in prop::collection::vec(
                prop_oneof![any::<u16>(), 0xd800..0xe000u16, Just(10)], 0..40),
        ) {
            let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let expected = String::from_utf16_lossy(&units).into_bytes();
            prop_assert_eq!(decoded(&bytes), (expected.clone(), expected));
        }
    }
}

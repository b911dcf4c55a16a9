//! Where lines end: the one scan for newlines.

use memchr::memchr_iter;
use wide::u8x16;

/// How many bytes are looked at at once: as many as a mask has bits.
pub const SCAN_STEP: usize = u64::BITS as usize;

/// The lines of a text, without LF and CR. What follows the last LF is a line too, even if
/// it is empty.
///
/// ```
/// assert!(common::io::lines(b"one\r\ntwo\n").eq([&b"one"[..], b"two", b""]));
/// ```
#[inline]
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr_iter(b'\n', text).chain([text.len()]).map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        without_cr(line)
    })
}

/// A line without the CR of CR LF.
#[inline]
#[must_use]
pub fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Which bytes are LF: a bit for each, the first byte's is the lowest.
#[inline]
#[must_use]
pub fn newline_bits(bytes: &[u8; SCAN_STEP]) -> u64 {
    bits(bytes, |bytes| bytes.simd_eq(u8x16::splat(b'\n')))
}

/// Which bytes are control bytes, LF among them: a bit for each, the first byte's is the
/// lowest.
#[inline]
pub(crate) fn control_bits(bytes: &[u8; SCAN_STEP]) -> u64 {
    bits(bytes, |bytes| {
        let low = bytes.simd_eq(bytes.min(u8x16::splat(0x1f)));
        low | bytes.simd_eq(u8x16::splat(0x7f))
    })
}

/// A bit for each byte for which `is_it` returns a byte of ones.
#[inline]
fn bits(bytes: &[u8; SCAN_STEP], is_it: impl Fn(u8x16) -> u8x16) -> u64 {
    let (pieces, _) = bytes.as_chunks::<16>();
    let mask = |piece: &[u8; 16]| u64::from(is_it(u8x16::new(*piece)).to_bitmask());
    mask(&pieces[0]) | mask(&pieces[1]) << 16 | mask(&pieces[2]) << 32 | mask(&pieces[3]) << 48
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_bit() {
        for (byte, place) in (0..=u8::MAX).flat_map(|byte| (0..SCAN_STEP).map(move |at| (byte, at)))
        {
            let mut bytes = [b'x'; SCAN_STEP];
            bytes[place] = byte;
            let bit = |is_it: bool| u64::from(is_it) << place;
            assert_eq!(newline_bits(&bytes), bit(byte == b'\n'), "{byte:#x} at {place}");
            assert_eq!(control_bits(&bytes), bit(byte.is_ascii_control()), "{byte:#x} at {place}");
        }
    }

    #[test]
    fn lines_end_at_lf_and_cr_lf() {
        for (text, expected) in [
            ("", &[""][..]),
            ("\n", &["", ""]),
            ("a", &["a"]),
            ("a\r", &["a"]),
            ("a\rb\r\r\n", &["a\rb\r", ""]),
            ("a\n\nb\n", &["a", "", "b", ""]),
        ] {
            let expected = expected.iter().map(|line| line.as_bytes());
            assert!(lines(text.as_bytes()).eq(expected), "{text:?}");
        }
    }
}

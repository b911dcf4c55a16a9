//! Where lines end, and which of them hold control bytes.

use crate::io::lines::{SCAN_STEP, control_bits};

/// The end of a line, found in a block of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineEnd {
    /// The index of its LF; the length of the block if the last line has no LF.
    pub(crate) at: usize,
    /// Whether there is a control byte in the line, other than the CR of CR LF.
    pub(crate) has_control: bool,
}

/// Finds the ends of all lines of a block.
///
/// LF is a control byte itself, so finding the other control bytes needs no second pass.
pub(crate) struct LineEnds<'a> {
    block: &'a [u8],
    /// Where the bytes of `controls` start, and which of them are control bytes
    /// that were not seen yet.
    start: usize,
    controls: u64,
    /// Whether the last line has no LF and was not returned yet.
    is_open: bool,
}

impl<'a> LineEnds<'a> {
    pub(crate) fn new(block: &'a [u8]) -> LineEnds<'a> {
        let controls = controls(block);
        LineEnds {
            block,
            start: 0,
            controls,
            is_open: !block.ends_with(b"\n") && !block.is_empty(),
        }
    }

    /// The index of the next control byte.
    #[inline]
    fn next_control(&mut self) -> Option<usize> {
        while self.controls == 0 {
            self.start += SCAN_STEP;
            self.controls = controls(self.block.get(self.start..)?);
        }
        let at = self.start + self.controls.trailing_zeros() as usize;
        self.controls &= self.controls - 1;
        Some(at)
    }
}

impl Iterator for LineEnds<'_> {
    type Item = LineEnd;

    #[inline]
    fn next(&mut self) -> Option<LineEnd> {
        let mut has_control = false;
        while let Some(at) = self.next_control() {
            match self.block[at] {
                b'\n' => return Some(LineEnd { at, has_control }),
                b'\r' if self.block[at + 1..].first().is_none_or(|&next| next == b'\n') => {}
                _ => has_control = true,
            }
        }
        std::mem::take(&mut self.is_open).then_some(LineEnd { at: self.block.len(), has_control })
    }
}

/// Whether `text` holds a control byte.
pub(crate) fn has_control(text: &[u8]) -> bool {
    text.chunks(SCAN_STEP).any(|bytes| controls(bytes) != 0)
}

/// Which of the first bytes are control bytes: a bit for each, the first is the
/// lowest.
#[inline]
fn controls(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(bytes) => control_bits(bytes),
        None => {
            let mut last = [b' '; SCAN_STEP];
            last[..bytes.len()].copy_from_slice(bytes);
            control_bits(&last)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The ends of all lines, found a byte at a time.
    fn expected(block: &[u8]) -> Vec<LineEnd> {
        let mut ends = Vec::new();
        let mut at = 0;
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            at += text.len();
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            ends.push(LineEnd { at, has_control: text.iter().any(u8::is_ascii_control) });
            at += 1;
        }
        ends
    }

    proptest! {
        #[test]
        fn lines_end_where_a_byte_at_a_time_finds_it(
            block in prop::collection::vec(
                prop_oneof![8 => b' '..0x7f, 1 => Just(b'\n'), 1 => any::<u8>()], 0..300),
        ) {
            prop_assert_eq!(LineEnds::new(&block).collect::<Vec<_>>(), expected(&block));
        }
    }

    #[test]
    fn every_byte_at_every_place_is_known() {
        for (byte, place) in (0..=u8::MAX).flat_map(|byte| (0..130).map(move |at| (byte, at))) {
            let mut block = [b'x'; 130];
            block[place] = byte;
            let found: Vec<_> = LineEnds::new(&block).collect();
            assert_eq!(found, expected(&block), "{byte:#x} at {place}");
            assert_eq!(has_control(&block), byte.is_ascii_control(), "{byte:#x} at {place}");
        }
    }
}

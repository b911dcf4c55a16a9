//! A hash of frame lines that needs few of their bytes.

use super::frame_line::PADDED_IP;

/// A hash that is equal for lines with the same text after the address, and mostly different for
/// others. It is computed from the line's length, the start of the name and the last digits of the
/// address, which do not depend on where the object is mapped. Without a name, as in `[unknown]`,
/// only the length counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineHash(u32);

impl LineHash {
    #[inline]
    pub(super) fn of(line: &[u8]) -> LineHash {
        const DIGITS: usize = 3;
        let is_named = line.get(PADDED_IP).is_some_and(|&byte| byte != b'[');
        let seen = line.get(PADDED_IP - 1 - DIGITS..).and_then(<[u8]>::first_chunk);
        let seen = seen.filter(|_| is_named).map_or(0, |seen| u64::from_le_bytes(*seen));
        let mixed = (seen ^ (line.len() as u64) << 16).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        LineHash((mixed >> 40) as u32)
    }

    /// The slot of the line in a table of `SLOTS` slots, a power of two.
    #[inline]
    pub(super) fn slot<const SLOTS: usize>(self) -> usize {
        self.0 as usize % SLOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = b"\t    55d0c1a0f2a4 camlFoo__loop_12+0x34 (/demo)";

    #[test]
    fn the_object_may_be_anywhere() {
        let elsewhere = b"\t    7f6a2b90d2a4 camlFoo__loop_12+0x34 (/demo)";
        assert_eq!(LineHash::of(LINE), LineHash::of(elsewhere));
    }

    #[test]
    fn the_address_of_the_unknown_means_nothing() {
        let one = b"\t               1 [unknown] ([unknown])";
        let other = b"\t            2734 [unknown] ([unknown])";
        assert_eq!(LineHash::of(one), LineHash::of(other));
    }

    #[test]
    fn lines_are_told_apart() {
        let lines = [
            LINE,
            b"\t    55d0c1a0f2b6 camlFoo__loop_12+0x46 (/demo)",
            b"\t    55d0c1a0f2a4 camlFoo__loop_123+0x34 (/demo)",
            b"\t    55d0c1a0f2a4 caml_loop___12345+0x34 (/demo)",
            b"\t    55d0c1a0f2a4 mark_slice+0x34 (/demo)",
            b"\t    55d0c1a0f2a4 [unknown] (/demo)",
        ];
        let mut hashes: Vec<_> = lines.into_iter().map(LineHash::of).collect();
        hashes.sort_unstable();
        hashes.dedup();
        // The fourth differs only in bytes that are not hashed.
        assert_eq!(hashes.len(), lines.len() - 1);
    }

    #[test]
    fn what_is_no_line_is_no_trouble() {
        for line in [&b""[..], b"\t", &LINE[..PADDED_IP], &LINE[..PADDED_IP + 3]] {
            LineHash::of(line);
        }
    }
}

//! memtrace's numbers of variable length (src/buf.ml).

use crate::read::bytes::{Bytes, Ended};

/// Reads a number of variable length: one byte, or a byte from 253 on, and then 2, 4 or 8 bytes.
#[inline]
pub(super) fn varint(bytes: &mut Bytes<'_>) -> Result<u64, Ended> {
    match bytes.u8()? {
        253 => Ok(u64::from(bytes.u16()?)),
        254 => Ok(u64::from(bytes.u32()?)),
        255 => bytes.u64(),
        small => Ok(u64::from(small)),
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
            (&[253, 1], Err(Ended)),
            (&[], Err(Ended)),
        ] {
            assert_eq!(varint(&mut Bytes(bytes)), expected, "{bytes:?}");
        }
    }
}

//! The header of a profile.

use crate::read::bytes::{Bytes, Ended, Endian};

/// The fields of the header.
pub(super) struct Header {
    pub(super) endian: Endian,
    /// When the profile began, in microseconds since 1970.
    pub(super) start: u64,
    /// The time from one look at the threads to the next, in microseconds.
    pub(super) interval: u64,
    /// The number of samples.
    pub(super) samples: u64,
    /// The offsets in the file of the tables of strings and of frames.
    pub(super) strings: u64,
    pub(super) frames: u64,
    pub(super) is_compressed: bool,
}

/// The first bytes of the file, one for each byte order.
const LITTLE: &[u8] = b"HCAT";
const BIG: &[u8] = b"TACH";

impl Header {
    /// The size of a header in bytes.
    pub(super) const SIZE: u64 = 64;

    pub(super) fn is_magic(start: &[u8]) -> bool {
        start.starts_with(LITTLE) || start.starts_with(BIG)
    }

    /// Reads the header; `Err` is the reason why the profile cannot be read.
    pub(super) fn read(start: &[u8]) -> Result<Header, String> {
        if (start.len() as u64) < Header::SIZE {
            return Err("it ends within its header".to_owned());
        }
        let endian = if start.starts_with(LITTLE) { Endian::Little } else { Endian::Big };
        let mut bytes = Bytes(start);
        match Header::fields(&mut bytes, endian) {
            Ok((version, _, _)) if !(1..=2).contains(&version) => {
                Err(format!("version {version} of the format: expected 1 or 2"))
            }
            Ok((_, compression @ 2.., _)) => {
                Err(format!("its kind of compression is unknown, {compression}"))
            }
            Ok((_, _, header)) => Ok(header),
            Err(Ended) => Err("it ends within its header".to_owned()),
        }
    }

    /// The version, the compression, and the other fields.
    fn fields(bytes: &mut Bytes<'_>, endian: Endian) -> Result<(u64, u64, Header), Ended> {
        let _magic = bytes.u32()?;
        let version = bytes.sized(4, endian)?;
        let _python = bytes.u32()?;
        let start = bytes.sized(8, endian)?;
        let interval = bytes.sized(8, endian)?;
        // Version 1 has a smaller field.
        let samples = bytes.sized(if version == 1 { 4 } else { 8 }, endian)?;
        let _threads = bytes.sized(4, endian)?;
        let strings = bytes.sized(8, endian)?;
        let frames = bytes.sized(8, endian)?;
        let compression = bytes.sized(4, endian)?;
        let is_compressed = compression == 1;
        Ok((
            version,
            compression,
            Header { endian, start, interval, samples, strings, frames, is_compressed },
        ))
    }
}

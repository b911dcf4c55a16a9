//! The header of a profile.

use crate::read::bytes::{Bytes, Ended, Endian};

/// What the header says.
pub(super) struct Header {
    pub(super) endian: Endian,
    /// When the profile began, in microseconds since 1970.
    pub(super) start: u64,
    /// How many samples there are.
    pub(super) samples: u64,
    /// Where the tables of strings and of frames begin in the file.
    pub(super) strings: u64,
    pub(super) frames: u64,
    pub(super) is_compressed: bool,
}

/// The first bytes, by the order of bytes.
const LITTLE: &[u8] = b"HCAT";
const BIG: &[u8] = b"TACH";

impl Header {
    /// The bytes of a header.
    pub(super) const SIZE: u64 = 64;

    pub(super) fn is_magic(start: &[u8]) -> bool {
        start.starts_with(LITTLE) || start.starts_with(BIG)
    }

    /// Reads the header; `Err` says why its profile cannot be read.
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
                Err(format!("it is compressed in a way that is not known, {compression}"))
            }
            Ok((_, _, header)) => Ok(header),
            Err(Ended) => Err("it ends within its header".to_owned()),
        }
    }

    /// The version, the compression and all else.
    fn fields(bytes: &mut Bytes<'_>, endian: Endian) -> Result<(u64, u64, Header), Ended> {
        let _magic = bytes.u32()?;
        let version = bytes.sized(4, endian)?;
        let _python = bytes.u32()?;
        let start = bytes.sized(8, endian)?;
        let _interval = bytes.sized(8, endian)?;
        // Version 1 has fewer bytes for it.
        let samples = bytes.sized(if version == 1 { 4 } else { 8 }, endian)?;
        let _threads = bytes.sized(4, endian)?;
        let strings = bytes.sized(8, endian)?;
        let frames = bytes.sized(8, endian)?;
        let compression = bytes.sized(4, endian)?;
        let is_compressed = compression == 1;
        Ok((
            version,
            compression,
            Header { endian, start, samples, strings, frames, is_compressed },
        ))
    }
}

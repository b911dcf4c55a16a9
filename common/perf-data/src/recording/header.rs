//! How a recording begins: `struct perf_file_header` and `perf_pipe_file_header`
//! of tools/perf/util/header.h.

use crate::bytes::Bytes;
use crate::error::Error;
use crate::events::attr::Attr;

/// The first bytes of a recording from a little-endian machine.
pub(crate) const MAGIC: &[u8; 8] = b"PERFILE2";

/// The size of the header of a stream, in bytes. It is also the first number after the magic.
pub(crate) const STREAM_HEADER_SIZE: usize = 16;

/// The size of the header of a file, in bytes.
pub(crate) const FILE_HEADER_SIZE: usize = 104;

/// The most that is read of a part that must be in memory as a whole, in bytes: the ids of events,
/// the descriptions of tracepoints.
pub(crate) const MOST_OF_A_SECTION: u64 = 64 << 20;

/// Whether a recording that begins with `head` is a stream; if not, it is a file.
///
/// # Errors
///
/// Why it cannot be read; [`Error::Malformed`] if there are too few bytes.
pub(crate) fn is_stream(head: &[u8]) -> Result<bool, Error> {
    let cut = || Error::Malformed("the header is cut short".to_owned());
    let mut bytes = Bytes(head);
    match bytes.take(MAGIC.len() as u64).and_then(<[u8]>::first_chunk) {
        None => return Err(cut()),
        Some(MAGIC) => {}
        Some(b"2ELIFREP") => return Err(Error::BigEndian),
        Some(b"PERFFILE") => return Err(Error::Version1),
        Some(_) => return Err(Error::NotPerfData),
    }
    bytes.u64().map(|size| size == STREAM_HEADER_SIZE as u64).ok_or_else(cut)
}

/// A part of a file, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileSection {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl FileSection {
    pub(crate) const SIZE: usize = 16;

    pub(crate) fn parse(bytes: &mut Bytes<'_>) -> Option<FileSection> {
        Some(FileSection { offset: bytes.u64()?, size: bytes.u64()? })
    }

    /// Where it ends.
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// Where the parts of a file are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileHeader {
    /// The size of an attribute and of the [`FileSection`] of its ids, in bytes.
    pub(crate) attr_size: usize,
    pub(crate) attrs: FileSection,
    pub(crate) data: FileSection,
    /// Which features there are, from the lowest bit of the first number.
    features: [u64; 4],
}

impl FileHeader {
    /// Parses [`FILE_HEADER_SIZE`] bytes.
    pub(crate) fn parse(bytes: &[u8]) -> Option<FileHeader> {
        let mut bytes = Bytes(bytes);
        let (_magic, _size, attr_size) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
        let attrs = FileSection::parse(&mut bytes)?;
        let data = FileSection::parse(&mut bytes)?;
        let _event_types = FileSection::parse(&mut bytes)?;
        let mut features = [0; 4];
        for word in &mut features {
            *word = bytes.u64()?;
        }
        let attr_size = usize::try_from(attr_size).ok()?;
        let is_possible = Attr::FEWEST_BYTES + FileSection::SIZE..=u16::MAX.into();
        is_possible.contains(&attr_size).then_some(FileHeader { attr_size, attrs, data, features })
    }

    /// The numbers of the features, in the order of their sections, which come after the data.
    pub(crate) fn features(&self) -> impl Iterator<Item = usize> {
        let features = self.features;
        (0..256).filter(move |bit| features[bit / 64] >> (bit % 64) & 1 != 0)
    }
}

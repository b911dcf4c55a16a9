//! How a recording begins: `struct perf_file_header` and `perf_pipe_file_header`
//! of tools/perf/util/header.h.

use super::attr::Attr;
use super::bytes::Bytes;

/// The first bytes of a recording by a little-endian machine.
pub(super) const MAGIC: &[u8; 8] = b"PERFILE2";

/// What a recording is that cannot be read here, by its first bytes.
pub(super) fn refusal(head: &[u8]) -> Option<&'static str> {
    match head.first_chunk()? {
        MAGIC => None,
        b"2ELIFREP" => Some("it is of a big-endian machine: run 'perf script' on it"),
        b"PERFFILE" => Some("it is of version 1: run the 'perf script' of its time on it"),
        _ => Some("it is no perf.data, which begins with PERFILE2"),
    }
}

/// The size of the header of a stream, which is its first number behind the magic.
pub(super) const PIPE_HEADER_SIZE: u64 = 16;

/// The size of the header of a file, in bytes.
pub(super) const FILE_HEADER_SIZE: usize = 104;

/// A part of a file, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) offset: u64,
    pub(super) size: u64,
}

impl Section {
    pub(super) const SIZE: usize = 16;

    pub(super) fn parse(bytes: &mut Bytes<'_>) -> Option<Section> {
        Some(Section { offset: bytes.u64()?, size: bytes.u64()? })
    }

    /// Where it ends.
    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// Where the parts of a file are.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileHeader {
    /// The size of an attribute and of the [`Section`] of its ids.
    pub(super) attr_size: usize,
    pub(super) attrs: Section,
    pub(super) data: Section,
    /// Which features there are, from the lowest bit of the first number.
    features: [u64; 4],
}

impl FileHeader {
    /// Parses [`FILE_HEADER_SIZE`] bytes.
    pub(super) fn parse(bytes: &[u8]) -> Option<FileHeader> {
        let mut bytes = Bytes(bytes);
        let (_magic, _size, attr_size) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
        let attrs = Section::parse(&mut bytes)?;
        let data = Section::parse(&mut bytes)?;
        let _event_types = Section::parse(&mut bytes)?;
        let mut features = [0; 4];
        for word in &mut features {
            *word = bytes.u64()?;
        }
        let attr_size = usize::try_from(attr_size).ok()?;
        let is_possible = Attr::FEWEST_BYTES + Section::SIZE..=u16::MAX.into();
        is_possible.contains(&attr_size).then_some(FileHeader { attr_size, attrs, data, features })
    }

    /// The numbers of the features in the order of their sections, which stand
    /// behind the data.
    pub(super) fn features(&self) -> impl Iterator<Item = usize> {
        let features = self.features;
        (0..256).filter(move |bit| features[bit / 64] >> (bit % 64) & 1 != 0)
    }
}

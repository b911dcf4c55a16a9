//! Sections of ELF files, which may be compressed.

use std::borrow::Cow;

use object::{CompressionFormat, Object, ObjectSection};

/// How many times as large as the file all its sections may be together once
/// they are decompressed; real programs stay far below.
///
/// A damaged or hostile file may claim any size. A single section says nothing:
/// `.debug_line` of generated code shrinks to less than a three hundredth.
const LARGEST_GROWTH: u64 = 64;

/// Reads the sections of a file, and decompresses as much as is plausible.
#[derive(Debug)]
pub struct SectionReader<'f, F> {
    file: &'f F,
    /// How many bytes may still be decompressed.
    room: u64,
}

impl<'f, 'a, F: Object<'a>> SectionReader<'f, F> {
    /// Reads the sections of `file`, whose size is in bytes.
    #[must_use]
    pub fn new(file: &'f F, size: usize) -> SectionReader<'f, F> {
        SectionReader { file, room: LARGEST_GROWTH.saturating_mul(size as u64) }
    }

    /// The bytes of a section, which are borrowed from the file unless they were
    /// compressed. `None` if there are none, or if they are damaged or too many to be true.
    pub fn bytes(&mut self, name: &str) -> Option<Cow<'a, [u8]>> {
        let section = self.file.section_by_name(name)?;
        let data = section.compressed_data().ok()?;
        if data.format != CompressionFormat::None {
            self.room = self.room.checked_sub(data.uncompressed_size)?;
        }
        data.decompress().ok().filter(|bytes| !bytes.is_empty())
    }
}

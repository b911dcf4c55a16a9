//! Sections of ELF files, which may be compressed.

use std::borrow::Cow;

use object::read::elf::ElfFile64;
use object::{CompressionFormat, LittleEndian, Object, ObjectSection};

/// How many times as large as the file all its sections may be together once
/// they are unpacked; real programs stay far below.
///
/// A damaged or hostile file may claim any size. A single section tells nothing:
/// `.debug_line` of generated code shrinks to less than a three hundredth.
const LARGEST_GROWTH: u64 = 64;

/// Reads the sections of a file, and unpacks as much as is plausible.
#[derive(Debug)]
pub struct SectionReader<'f, 'a> {
    file: &'f ElfFile64<'a, LittleEndian>,
    /// How many bytes may still be unpacked.
    room: u64,
}

impl<'f, 'a> SectionReader<'f, 'a> {
    /// Reads the sections of `file`.
    #[must_use]
    pub fn new(file: &'f ElfFile64<'a, LittleEndian>) -> SectionReader<'f, 'a> {
        let room = LARGEST_GROWTH.saturating_mul(file.data().len() as u64);
        SectionReader { file, room }
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

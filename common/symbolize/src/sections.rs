//! Sections of ELF files, which may be compressed.

use std::borrow::Cow;

use object::read::elf::{ElfFile32, ElfFile64};
use object::{CompressionFormat, LittleEndian, Object, ObjectSection};

/// The limit of the decompressed size of all sections together, as a multiple of the file's size;
/// real programs are far below it.
///
/// A damaged or hostile file may claim any size. The growth of a single section is no sign of that:
/// `.debug_line` of generated code shrinks to less than a three hundredth.
const LARGEST_GROWTH: u64 = 64;

/// How many bytes may be decompressed from a file of this `size`, in bytes.
pub(crate) fn largest_decompressed(size: usize) -> u64 {
    LARGEST_GROWTH.saturating_mul(size as u64)
}

/// The bytes of a section of an ELF `file`, borrowed from it unless they were compressed. `None` if
/// there is no such section, if it is damaged, or if it claims to be more than 64 times as large as
/// the file.
#[must_use]
pub fn section_bytes<'a>(file: &'a [u8], name: &str) -> Option<Cow<'a, [u8]>> {
    match file {
        [0x7f, b'E', b'L', b'F', 1, ..] => {
            let file = ElfFile32::<LittleEndian>::parse(file).ok()?;
            SectionReader::new(&file, file.data().len()).bytes(name)
        }
        _ => {
            let file = ElfFile64::<LittleEndian>::parse(file).ok()?;
            SectionReader::new(&file, file.data().len()).bytes(name)
        }
    }
}

/// Reads the sections of a file, and decompresses them up to a plausible size.
#[derive(Debug)]
pub(crate) struct SectionReader<'f, F> {
    file: &'f F,
    /// How many bytes may still be decompressed.
    room: u64,
}

impl<'f, 'a, F: Object<'a>> SectionReader<'f, F> {
    /// Reads the sections of `file`, whose size is in bytes.
    pub(crate) fn new(file: &'f F, size: usize) -> SectionReader<'f, F> {
        SectionReader { file, room: largest_decompressed(size) }
    }

    /// The bytes of a section, which are borrowed from the file unless they were compressed. `None`
    /// if there is no such section, or if it is damaged or claims to be too large.
    pub(crate) fn bytes(&mut self, name: &str) -> Option<Cow<'a, [u8]>> {
        let section = self.file.section_by_name(name)?;
        self.decompress(&section)
    }

    /// The bytes of all sections with this name; an object file may have several. With
    /// `-gz=zlib-gnu`, `.debug_info.dwo` is called `.zdebug_info.dwo`.
    pub(crate) fn all(&mut self, name: &str) -> Vec<Cow<'a, [u8]>> {
        let file = self.file;
        let is_it = |found: &str| {
            found == name
                || found.strip_prefix(".z").is_some_and(|it| name.strip_prefix('.') == Some(it))
        };
        let named = file.sections().filter(|section| section.name().is_ok_and(is_it));
        named.filter_map(|section| self.decompress(&section)).collect()
    }

    fn decompress(&mut self, section: &impl ObjectSection<'a>) -> Option<Cow<'a, [u8]>> {
        let data = section.compressed_data().ok()?;
        if data.format != CompressionFormat::None {
            self.room = self.room.checked_sub(data.uncompressed_size)?;
        }
        data.decompress().ok().filter(|bytes| !bytes.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_found_by_its_name() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/dwz");
        let file = std::fs::read(path).expect("a file of the tests");
        let names = section_bytes(&file, ".shstrtab").expect("a section");
        assert!(names.windows(6).any(|bytes| bytes == b".text\0"));
        assert_eq!(section_bytes(&file, ".none"), None);
        assert_eq!(section_bytes(b"no executable", ".text"), None);
    }
}

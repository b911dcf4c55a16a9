//! Executables and libraries.

use std::path::PathBuf;

use object::LittleEndian;
use object::elf;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader, SectionHeader};

use super::symbol_table::SymbolTable;

/// An executable or library as it is on disk, and its debug file.
#[derive(Debug)]
pub struct Elf {
    /// The whole file.
    pub bytes: &'static [u8],
    /// The file with its debug information, or with the symbols that were
    /// stripped from it, if there is one.
    pub debug: Option<&'static [u8]>,
    /// A file in the place of its debug file that belongs to another build, if no right one was
    /// found.
    pub(super) other_debug: Option<PathBuf>,
    /// The file with the debug information that it shares with other files.
    pub(super) shared: Option<&'static [u8]>,
    /// The file with symbols that is compressed inside this one.
    pub(super) inner: Option<&'static [u8]>,
    /// An id that the linker computed from the content; no other file has it.
    pub(super) build_id: Option<&'static [u8]>,
    /// The loaded segments: those with code first, as the pages of other segments may have the same
    /// offsets.
    segments: Vec<Segment>,
    /// The content of `.gnu_debuglink`.
    pub(super) debug_link: Option<DebugLink>,
    /// Whether there are symbols that are not needed to run the program.
    pub(super) has_symbols: bool,
    pub(super) has_dwarf: bool,
}

/// A range of the file and where it is loaded.
#[derive(Clone, Copy, Debug)]
struct Segment {
    offset: u64,
    size: u64,
    address: u64,
    is_code: bool,
}

/// The name of a file with debug information, without folders, and its checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct DebugLink {
    pub(super) name: &'static [u8],
    pub(super) crc: u32,
}

impl Elf {
    /// `None` if the bytes are not an executable of a little-endian machine.
    pub(super) fn parse(bytes: &'static [u8]) -> Option<Elf> {
        match bytes {
            [0x7f, b'E', b'L', b'F', 1, ..] => read::<elf::FileHeader32<LittleEndian>>(bytes),
            [0x7f, b'E', b'L', b'F', 2, ..] => read::<elf::FileHeader64<LittleEndian>>(bytes),
            _ => None,
        }
    }

    /// The address in memory, as symbols and DWARF have it, of the byte at `offset` in the file;
    /// `None` if that is not loaded.
    ///
    /// Only the segments can be used for this: their pages may overlap in the file, so a map's
    /// offset may differ from that of its segment.
    #[must_use]
    pub fn address_at(&self, offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let within = offset.checked_sub(segment.offset)?;
            (within < segment.size).then(|| segment.address.wrapping_add(within))
        })
    }

    /// The offset in the file of the byte at `address` in memory; `None` if no part of the file is
    /// loaded there. The inverse of [`Elf::address_at`].
    #[must_use]
    pub fn offset_at(&self, address: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let within = address.checked_sub(segment.address)?;
            (within < segment.size).then(|| segment.offset.wrapping_add(within))
        })
    }

    /// The lowest address at which a part of the file is loaded.
    pub(super) fn base(&self) -> u64 {
        self.segments.iter().map(|segment| segment.address).min().unwrap_or_default()
    }

    /// The symbols of its code.
    pub(super) fn symbols(&self) -> SymbolTable {
        let mut symbols = SymbolTable::read(self.bytes, self.debug);
        if let Some(inner) = self.inner {
            symbols.add_inner(inner);
        }
        symbols
    }
}

fn read<H: FileHeader<Endian = LittleEndian>>(bytes: &'static [u8]) -> Option<Elf> {
    let file = ElfFile::<H>::parse(bytes).ok()?;
    let loaded = file.elf_program_headers().iter();
    let loaded = loaded.filter(|segment| segment.p_type(LittleEndian) == elf::PT_LOAD);
    let mut segments: Vec<Segment> = loaded
        .map(|segment| Segment {
            offset: segment.p_offset(LittleEndian).into(),
            size: segment.p_filesz(LittleEndian).into(),
            address: segment.p_vaddr(LittleEndian).into(),
            is_code: segment.p_flags(LittleEndian).0 & elf::PF_X.0 != 0,
        })
        .collect();
    segments.sort_by_key(|segment| !segment.is_code);
    let has_dwarf = file.elf_section_table().section_by_name(LittleEndian, b".debug_info");
    let has_dwarf = has_dwarf
        .or_else(|| file.elf_section_table().section_by_name(LittleEndian, b".zdebug_info"))
        .is_some_and(|(_, section)| section.sh_type(LittleEndian) != elf::SHT_NOBITS);
    let link = object::Object::gnu_debuglink(&file).ok().flatten();
    Some(Elf {
        bytes,
        debug: None,
        other_debug: None,
        shared: None,
        inner: None,
        build_id: object::Object::build_id(&file).ok().flatten(),
        segments,
        debug_link: link.map(|(name, crc)| DebugLink { name, crc }),
        has_symbols: !file.elf_symbol_table().is_empty(),
        has_dwarf,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read, test_data};
    use super::*;

    #[test]
    fn loaded_code_has_an_offset_and_an_address() {
        let elf = Elf::parse(read(&test_data("dwz"))).expect("a library");
        let code = elf.segments.first().expect("code comes first");
        assert!(code.is_code);
        for within in [0, code.size - 1] {
            let (offset, address) = (code.offset + within, code.address + within);
            assert_eq!(elf.address_at(offset), Some(address));
            assert_eq!(elf.offset_at(address), Some(offset));
        }
        assert_eq!((elf.address_at(u64::MAX), elf.offset_at(u64::MAX)), (None, None));
        assert!(Elf::parse(b"no executable").is_none());
    }
}

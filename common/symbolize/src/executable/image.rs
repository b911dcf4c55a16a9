//! Executables of 64 bits: the contents of their memory, and their symbols.

use object::LittleEndian;
use object::elf;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader, Rela, SectionHeader, Sym};

use crate::bytes::Cursor;
use crate::executable::unreadable::Unreadable;

/// The longest text that is read from memory, in bytes. No name is longer; a damaged file then
/// cannot take much time.
const LONGEST_TEXT: usize = 1 << 12;

/// Addresses are below this in every program, so that sums do not overflow.
const HIGHEST_ADDRESS: u64 = 1 << 62;

/// A symbol in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodeSymbol<'a> {
    pub(crate) address: u64,
    /// Whether it is a function, and not a label such as the `code_begin` of a unit.
    pub(crate) is_function: bool,
    pub(crate) symbol: &'a [u8],
    /// In bytes; 0 if it is not known.
    pub(crate) size: u64,
}

/// An executable as it would be in memory, loaded at address 0 if it is
/// position-independent.
pub(crate) struct Image<'a> {
    pub(crate) file: ElfFile64<'a, LittleEndian>,
    segments: Vec<Segment<'a>>,
    /// The values that the dynamic linker writes: address and value, sorted by address.
    relocated: Vec<(u64, u64)>,
}

struct Segment<'a> {
    address: u64,
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Image<'a>, Unreadable> {
        // After the magic number, 2 means 64 bits and 1 little-endian.
        match bytes {
            [0x7f, b'E', b'L', b'F', 2, 1, ..] => {}
            [0x7f, b'E', b'L', b'F', ..] => return Err(Unreadable::OtherKind),
            _ => return Err(Unreadable::NoExecutable),
        }
        let file = ElfFile64::parse(bytes).map_err(|_| Unreadable::Damaged)?;
        if !matches!(file.elf_header().e_type(LittleEndian), elf::ET_EXEC | elf::ET_DYN) {
            return Err(Unreadable::NotLinked);
        }
        let loaded = |segment: &&elf::ProgramHeader64<LittleEndian>| {
            segment.p_type(LittleEndian) == elf::PT_LOAD
        };
        let segments = file.elf_program_headers().iter().filter(loaded);
        let segments = segments.filter_map(|segment| {
            let address = segment.p_vaddr(LittleEndian);
            let bytes = segment.data(LittleEndian, bytes).ok()?;
            (address < HIGHEST_ADDRESS).then_some(Segment { address, bytes })
        });
        let segments = segments.collect();
        let relocated = relocated(&file, bytes);
        Ok(Image { file, segments, relocated })
    }

    /// The bytes from `address` to the end of its segment.
    pub(crate) fn from(&self, address: u64) -> Option<&'a [u8]> {
        self.segments.iter().find_map(|segment| {
            let offset = usize::try_from(address.checked_sub(segment.address)?).ok()?;
            segment.bytes.get(offset..).filter(|bytes| !bytes.is_empty())
        })
    }

    /// The numbers from `address` on, up to the end of its segment.
    pub(crate) fn cursor(&self, address: u64) -> Option<Cursor<'a>> {
        self.from(address).map(Cursor::new)
    }

    /// The pointer at `address`, as it is when the executable runs.
    pub(crate) fn pointer(&self, address: u64) -> Option<u64> {
        match self.relocated.binary_search_by_key(&address, |(place, _)| *place) {
            Ok(found) => Some(self.relocated[found].1),
            Err(_) => self.cursor(address)?.u64(),
        }
    }

    /// The text from `address` to the next NUL.
    pub(crate) fn text(&self, address: u64) -> Option<&'a [u8]> {
        let bytes = self.from(address)?;
        Cursor::new(&bytes[..bytes.len().min(LONGEST_TEXT)]).text()
    }

    /// The greatest number of items of `size` bytes that the file can hold.
    pub(crate) fn room_for(&self, size: usize) -> usize {
        self.file.data().len() / size
    }

    /// The address of `symbol`.
    pub(crate) fn address_of(&self, symbol: &[u8]) -> Option<u64> {
        self.symbols().find(|(name, _)| *name == symbol).map(|(_, sym)| sym.st_value(LittleEndian))
    }

    /// The addresses of the symbols that are `wanted`, in their order.
    pub(crate) fn addresses_of(&self, wanted: impl Fn(&[u8]) -> bool) -> Vec<u64> {
        let wanted = self.symbols().filter(|(name, _)| wanted(name));
        let mut addresses: Vec<_> = wanted.map(|(_, sym)| sym.st_value(LittleEndian)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// All named code, sorted by address.
    pub(crate) fn code(&self) -> Vec<CodeSymbol<'a>> {
        let sections = self.file.elf_section_table();
        let mut code: Vec<_> = self
            .symbols()
            .filter_map(|(symbol, sym)| {
                let is_function = match sym.st_type() {
                    elf::STT_FUNC | elf::STT_GNU_IFUNC => true,
                    elf::STT_NOTYPE => false,
                    _ => return None,
                };
                let section = object::SectionIndex(sym.st_shndx(LittleEndian).0.into());
                let section = sections.section(section).ok()?;
                let flags = section.sh_flags(LittleEndian);
                let is_code = flags.0 & elf::SHF_EXECINSTR.0 != 0;
                (is_code && !symbol.is_empty()).then(|| CodeSymbol {
                    address: sym.st_value(LittleEndian),
                    is_function,
                    symbol,
                    size: sym.st_size(LittleEndian),
                })
            })
            .collect();
        code.sort_unstable();
        code.dedup();
        code
    }

    /// Whether it only has the symbols for the dynamic linker.
    pub(crate) fn is_stripped(&self) -> bool {
        self.file.elf_symbol_table().is_empty()
    }

    /// The defined symbols: those for the debugger or, if these are stripped, those for the dynamic
    /// linker. OCaml links with `-Wl,-E`, so its functions are also among the latter.
    fn symbols(&self) -> impl Iterator<Item = (&'a [u8], &'a elf::Sym64<LittleEndian>)> {
        let table = if self.is_stripped() {
            self.file.elf_dynamic_symbol_table()
        } else {
            self.file.elf_symbol_table()
        };
        let names = table.strings();
        table.symbols().iter().filter_map(move |sym| {
            let defined = sym.st_shndx(LittleEndian) != elf::SHN_UNDEF;
            defined.then(|| Some((sym.name(LittleEndian, names).ok()?, sym))).flatten()
        })
    }
}

/// The addresses and values that the dynamic linker writes into a
/// position-independent executable that is loaded at address 0.
fn relocated(file: &ElfFile64<LittleEndian>, bytes: &[u8]) -> Vec<(u64, u64)> {
    let relative = match file.elf_header().e_machine(LittleEndian) {
        elf::EM_X86_64 => elf::R_X86_64_RELATIVE,
        elf::EM_AARCH64 => elf::R_AARCH64_RELATIVE,
        _ => return Vec::new(),
    };
    let sections = file.elf_section_table().iter();
    let tables = sections.filter_map(|section| section.rela(LittleEndian, bytes).ok().flatten());
    let mut relocated: Vec<_> = tables
        .flat_map(|(table, _)| table)
        .filter(|rela| rela.r_type(LittleEndian, false) == relative)
        .map(|rela| (rela.r_offset(LittleEndian), rela.r_addend(LittleEndian).cast_unsigned()))
        .filter(|(place, _)| *place < HIGHEST_ADDRESS)
        .collect();
    relocated.sort_by_key(|(place, _)| *place);
    relocated
}

//! Programs and libraries of macOS, and the debug information of their `.dSYM` folders.

use object::LittleEndian;
use object::macho;
use object::read::StringTable;
use object::read::macho::{
    FatArch, LoadCommandVariant, MachHeader, MachOFatFile32, MachOFatFile64, Nlist, Section,
    Segment,
};

use super::spans::Span;
use super::symbol_table::SymbolTable;

type Header = macho::MachHeader64<LittleEndian>;

/// A program or library of 64 bits.
#[derive(Debug)]
pub(super) struct MachO {
    pub(super) bytes: &'static [u8],
    /// The file with the debug information, of the same UUID.
    pub(super) debug: Option<&'static [u8]>,
    /// An id that the linker computed from the content; no other file has it.
    pub(super) uuid: Option<[u8; 16]>,
    /// The address at which its `__TEXT` segment is loaded, from which image addresses count.
    pub(super) base: u64,
}

/// The code of a file: the addresses of a section with instructions.
#[derive(Clone, Copy)]
struct CodeSection {
    start: u64,
    end: u64,
}

impl MachO {
    /// The program in `bytes`; of several, the one with this `uuid`, or else the first. `None` if
    /// there is no little-endian one of 64 bits.
    pub(super) fn parse(bytes: &'static [u8], uuid: Option<&[u8]>) -> Option<MachO> {
        let mut programs = programs(bytes).into_iter().filter_map(MachO::parse_one);
        let Some(uuid) = uuid else { return programs.next() };
        let all: Vec<MachO> = programs.collect();
        let same = all.iter().position(|it| it.uuid.as_ref().is_some_and(|own| own == uuid));
        all.into_iter().nth(same.unwrap_or(0))
    }

    fn parse_one(bytes: &'static [u8]) -> Option<MachO> {
        let header = Header::parse(bytes, 0).ok()?;
        let mut commands = header.load_commands(LittleEndian, bytes, 0).ok()?;
        let mut file = MachO { bytes, debug: None, uuid: None, base: 0 };
        while let Ok(Some(command)) = commands.next() {
            if let Ok(Some(uuid)) = command.uuid() {
                file.uuid = Some(uuid.uuid);
            }
            if let Ok(Some((segment, _))) = command.segment_64()
                && segment.name() == b"__TEXT"
            {
                file.base = segment.vmaddr(LittleEndian);
            }
        }
        Some(file)
    }

    /// The functions: those of the debug file if it has more of them.
    pub(super) fn symbols(&self) -> SymbolTable {
        let own = Functions::read(self.bytes).unwrap_or_default();
        let debug = self.debug.and_then(Functions::read).unwrap_or_default();
        let starts = &own.starts;
        let fuller = if debug.symbols.len() > own.symbols.len() { &debug } else { &own };
        let is_stripped = self.debug.is_none() && !own.has_local;
        SymbolTable::of(fuller.spans(starts), fuller.names, is_stripped)
    }
}

/// The programs in a file: a universal one holds several.
fn programs(bytes: &'static [u8]) -> Vec<&'static [u8]> {
    if let Ok(fat) = MachOFatFile32::parse(bytes) {
        return fat.arches().iter().filter_map(|arch| arch.data(bytes).ok()).collect();
    }
    if let Ok(fat) = MachOFatFile64::parse(bytes) {
        return fat.arches().iter().filter_map(|arch| arch.data(bytes).ok()).collect();
    }
    vec![bytes]
}

/// The functions of a file.
#[derive(Default)]
struct Functions {
    /// Address, and offset of the name, sorted.
    symbols: Vec<(u64, u32)>,
    names: StringTable<'static>,
    /// The addresses at which functions begin, also those without a name; sorted.
    starts: Vec<u64>,
    code: Vec<CodeSection>,
    /// Whether a function has a name that is not exported, which `strip` removes.
    has_local: bool,
}

impl Functions {
    fn read(bytes: &'static [u8]) -> Option<Functions> {
        let header = Header::parse(bytes, 0).ok()?;
        let mut functions = Functions::default();
        let mut sections = Vec::new();
        let mut base = 0;
        let mut commands = header.load_commands(LittleEndian, bytes, 0).ok()?;
        while let Ok(Some(command)) = commands.next() {
            match command.variant() {
                Ok(LoadCommandVariant::Segment64(segment, data)) => {
                    if segment.name() == b"__TEXT" {
                        base = segment.vmaddr(LittleEndian);
                    }
                    sections.extend(segment.sections(LittleEndian, data).unwrap_or_default());
                }
                Ok(LoadCommandVariant::Symtab(symtab)) => {
                    let Ok(table) = symtab.symbols::<Header, _>(LittleEndian, bytes) else {
                        continue;
                    };
                    functions.names = table.strings();
                    functions.add_symbols(table.symbols(), &sections);
                }
                Ok(LoadCommandVariant::LinkeditData(data))
                    if command.cmd() == macho::LC_FUNCTION_STARTS =>
                {
                    let starts = data.function_starts(LittleEndian, bytes, base);
                    functions.starts = starts.into_iter().flatten().map_while(Result::ok).collect();
                }
                _ => {}
            }
        }
        functions.code = sections.iter().copied().filter_map(code).collect();
        functions.symbols.sort_unstable();
        functions.starts.sort_unstable();
        Some(functions)
    }

    fn add_symbols(
        &mut self,
        symbols: &[macho::Nlist64<LittleEndian>],
        sections: &[&macho::Section64<LittleEndian>],
    ) {
        for symbol in symbols {
            // Sections count from 1.
            let section = usize::from(symbol.n_sect()).checked_sub(1);
            let section = section.and_then(|index| sections.get(index).copied());
            if symbol.is_stab() || section.and_then(code).is_none() {
                continue;
            }
            let name = symbol.n_strx(LittleEndian);
            // The compiler puts an underscore before every name of C.
            let text = self.names.get(name).unwrap_or_default();
            if text.is_empty() || text.starts_with(b"__mh_") {
                continue;
            }
            let name = name + u32::from(text.starts_with(b"_"));
            self.has_local |= !symbol.n_type().is_ext();
            self.symbols.push((symbol.n_value(LittleEndian), name));
        }
    }

    /// The functions by address. Each ends where the next one begins, with a name or without, or at
    /// the end of its section.
    fn spans(&self, starts: &[u64]) -> Vec<Span> {
        let mut spans = Vec::new();
        for (index, &(start, name)) in self.symbols.iter().enumerate() {
            let Some(section) = self.code.iter().find(|it| (it.start..it.end).contains(&start))
            else {
                continue;
            };
            let named = self.symbols[index..].iter().map(|(next, _)| *next);
            let named = named.into_iter().find(|next| *next > start);
            let unnamed = starts.get(starts.partition_point(|next| *next <= start)).copied();
            let ends = [Some(section.end), named, unnamed];
            let end = ends.into_iter().flatten().min().unwrap_or(section.end);
            // Of several names of one function, the first counts.
            if spans.last().is_none_or(|last: &Span| last.start != start) {
                spans.push(Span::new(start, end, name));
            }
        }
        spans
    }
}

/// The addresses of a section, if it holds instructions.
fn code(section: &macho::Section64<LittleEndian>) -> Option<CodeSection> {
    let flags = section.flags(LittleEndian);
    let is_code = flags.0 & (macho::S_ATTR_PURE_INSTRUCTIONS.0 | macho::S_ATTR_SOME_INSTRUCTIONS.0);
    let start = section.addr(LittleEndian);
    let end = start.saturating_add(section.size(LittleEndian));
    (is_code != 0).then_some(CodeSection { start, end })
}

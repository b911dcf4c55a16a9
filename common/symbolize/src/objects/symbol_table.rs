//! The symbols of an executable, chosen as perf chooses them.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::OnceLock;

use memchr::memmem;
use object::LittleEndian;
use object::elf;
use object::read::StringTable;
use object::read::elf::{ElfFile, FileHeader, SectionHeader, Sym};

use super::plt::Plt;
use super::spans::{Span, Spans};

/// The function of OCaml's runtime that starts a program, in all versions.
pub const OCAML_STARTS: &[u8] = b"caml_start_program";

/// A function of an executable, as its symbols have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The address of its first byte, as the file has it.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
    /// Not demangled.
    pub name: &'static [u8],
}

/// The symbols of an executable's code.
#[derive(Debug, Default)]
pub(super) struct SymbolTable {
    /// Known by the offset of their names.
    spans: Spans,
    names: StringTable<'static>,
    plt: Plt,
    /// The symbols that are compressed inside the file, which it does not export.
    inner: Option<Box<SymbolTable>>,
    /// Whether there are only symbols for the dynamic linker.
    pub(super) is_stripped: bool,
    /// Whether one of the functions is [`OCAML_STARTS`].
    is_of_ocaml: OnceLock<bool>,
}

impl SymbolTable {
    /// Reads the symbols of `debug` if it has some, else those of the file itself; for a stripped
    /// file, those that the dynamic linker needs.
    pub(super) fn read(bytes: &'static [u8], debug: Option<&'static [u8]>) -> SymbolTable {
        match bytes.get(4) {
            Some(1) => read::<elf::FileHeader32<LittleEndian>>(bytes, debug),
            Some(2) => read::<elf::FileHeader64<LittleEndian>>(bytes, debug),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// Adds the symbols of a file that is compressed inside this one, which are those that this one
    /// does not export.
    pub(super) fn add_inner(&mut self, inner: &'static [u8]) {
        self.inner = Some(Box::new(SymbolTable::read(inner, None)));
        self.is_stripped = false;
    }

    /// A table of symbols that were chosen elsewhere, known by the offset of their names.
    pub(super) fn of(
        spans: Vec<Span>,
        names: StringTable<'static>,
        is_stripped: bool,
    ) -> SymbolTable {
        SymbolTable { spans: Spans::new(spans), names, is_stripped, ..SymbolTable::default() }
    }

    /// The name of the function at `address`, not demangled.
    pub(super) fn name(&self, address: u64) -> Option<Cow<'static, [u8]>> {
        let name = self.function(address).map(|function| Cow::Borrowed(function.name));
        name.or_else(|| self.plt.name(address).map(Cow::Owned))
    }

    /// Whether it has the runtime of OCaml.
    pub(super) fn is_of_ocaml(&self) -> bool {
        let starts = |span: &Span| self.names.get(span.what) == Ok(OCAML_STARTS);
        *self.is_of_ocaml.get_or_init(|| self.spans.iter().any(starts))
    }

    /// The function at `address`.
    pub(super) fn function(&self, address: u64) -> Option<Function> {
        let inner = self.inner.as_ref().and_then(|inner| inner.symbol(address));
        // If functions are nested, the inner one starts later.
        self.symbol(address).into_iter().chain(inner).max_by_key(|function| function.start)
    }

    fn symbol(&self, address: u64) -> Option<Function> {
        let span = self.spans.at(address).next()?;
        let name = self.names.get(span.what).ok()?;
        Some(Function { start: span.start, end: span.end, name })
    }
}

fn read<H: FileHeader<Endian = LittleEndian>>(
    bytes: &'static [u8],
    debug: Option<&'static [u8]>,
) -> Option<SymbolTable> {
    let file = ElfFile::<H>::parse(bytes).ok()?;
    let debug = debug.and_then(|debug| ElfFile::<H>::parse(debug).ok());
    let full = debug.as_ref().filter(|debug| !debug.elf_symbol_table().is_empty()).unwrap_or(&file);
    let table = Table::of(full);
    let spans = Spans::new(table.chosen());
    let names = table.names;
    let plt = Plt::read(&file, |address| {
        let span = spans.at(address).next()?;
        names.get(span.what).ok()
    });
    let is_stripped = full.elf_symbol_table().is_empty();
    Some(SymbolTable { spans, names, plt, is_stripped, ..SymbolTable::default() })
}

/// The properties of a section that decide which of its symbols are code.
#[derive(Clone, Copy, Debug)]
struct Section {
    is_code: bool,
    /// Whether labels in it may be functions.
    has_labels: bool,
    end: u64,
}

/// A table of symbols in a file.
struct Table<H: FileHeader> {
    symbols: &'static [H::Sym],
    names: StringTable<'static>,
    sections: Vec<Section>,
    machine: elf::Machine,
}

/// A symbol that may name code.
#[derive(Clone, Copy)]
struct Candidate {
    start: u64,
    end: u64,
    /// Its index in the table.
    index: u32,
}

impl<H: FileHeader<Endian = LittleEndian>> Table<H> {
    fn of(file: &ElfFile<'static, H>) -> Table<H> {
        let sections = file.elf_section_table();
        let section = |section: &H::SectionHeader| {
            let start: u64 = section.sh_addr(LittleEndian).into();
            Section {
                is_code: section.sh_flags(LittleEndian).0 & elf::SHF_EXECINSTR.0 != 0,
                // .text, .text.hot, .init.text
                has_labels: sections
                    .section_name(LittleEndian, section)
                    .is_ok_and(|name| memmem::find(name, b"text").is_some()),
                end: start.saturating_add(section.sh_size(LittleEndian).into()),
            }
        };
        let table = match file.elf_symbol_table() {
            stripped if stripped.is_empty() => file.elf_dynamic_symbol_table(),
            table => table,
        };
        Table {
            symbols: table.symbols(),
            names: table.strings(),
            sections: sections.iter().map(section).collect(),
            machine: file.elf_header().e_machine(LittleEndian),
        }
    }

    /// One symbol for each address that has any, known by the offset of its name.
    fn chosen(&self) -> Vec<Span> {
        let mut candidates: Vec<Candidate> = (0..)
            .zip(self.symbols)
            .filter_map(|(index, symbol)| self.candidate(index, symbol))
            .collect();
        candidates.sort_unstable_by_key(|candidate| (candidate.start, candidate.index));
        self.drop_inner_labels(&mut candidates);
        for number in 0..candidates.len() {
            let next = candidates.get(number + 1).map(|next| next.start);
            self.fill_size(&mut candidates[number], next);
        }
        let same_start = candidates.chunk_by(|one, next| one.start == next.start);
        same_start
            .map(|aliases| {
                let best = self.best(aliases);
                let name = self.symbols[best.index as usize].st_name(LittleEndian);
                Span::new(best.start, best.end, name)
            })
            .collect()
    }

    /// `None` for symbols that do not name code: imports, variables, constants, and labels that are
    /// not the program's own.
    fn candidate(&self, index: u32, symbol: &H::Sym) -> Option<Candidate> {
        let section = self.sections.get(usize::from(symbol.st_shndx(LittleEndian).0))?;
        if !section.is_code || symbol.st_name(LittleEndian) == 0 {
            return None;
        }
        let may_be_code = match symbol.st_type() {
            // Tables between functions end functions that have no size.
            elf::STT_FUNC | elf::STT_GNU_IFUNC | elf::STT_OBJECT => true,
            elf::STT_NOTYPE => {
                let is_hidden =
                    matches!(symbol.st_visibility(), elf::STV_HIDDEN | elf::STV_INTERNAL);
                section.has_labels && !is_hidden && !self.is_mapping_symbol(symbol)
            }
            _ => false,
        };
        let start: u64 = symbol.st_value(LittleEndian).into();
        let end = start.saturating_add(symbol.st_size(LittleEndian).into());
        may_be_code.then_some(Candidate { start, end, index })
    }

    /// `$x`, `$d`, `$x.12`: labels where code or data begins, on AArch64.
    fn is_mapping_symbol(&self, symbol: &H::Sym) -> bool {
        let name = || self.names.get(symbol.st_name(LittleEndian)).unwrap_or_default();
        self.machine == elf::EM_AARCH64
            && matches!(name(), [b'$', b'x' | b'd'] | [b'$', b'x' | b'd', b'.', ..])
    }

    /// Drops labels within a function, which assembly may have and which are not functions.
    fn drop_inner_labels(&self, candidates: &mut Vec<Candidate>) {
        let mut function = Candidate { start: 0, end: 0, index: 0 };
        candidates.retain(|candidate| {
            let kind = self.symbols[candidate.index as usize].st_type();
            let is_label = kind == elf::STT_NOTYPE && candidate.end == candidate.start;
            if candidate.end > function.end && kind != elf::STT_NOTYPE {
                function = *candidate;
            }
            !is_label || candidate.start >= function.end || candidate.start == function.start
        });
    }

    /// Sets the end of a function without a size, as in assembly: the start of the `next` symbol,
    /// or the end of its section. Of several at one address, only the last gets a size; so perf
    /// chooses that one.
    fn fill_size(&self, candidate: &mut Candidate, next: Option<u64>) {
        if candidate.end == candidate.start {
            let symbol = &self.symbols[candidate.index as usize];
            let section = self.sections[usize::from(symbol.st_shndx(LittleEndian).0)];
            let end = next.map_or(section.end, |next| next.min(section.end));
            candidate.end = end.max(candidate.start);
        }
    }

    /// The symbol that perf would print; the first of equal ones.
    fn best(&self, aliases: &[Candidate]) -> Candidate {
        let (mut best, others) = (aliases[0], &aliases[1..]);
        let mut rank = (!others.is_empty()).then(|| self.rank(&best));
        for alias in others {
            let other = Some(self.rank(alias));
            if other > rank {
                (best, rank) = (*alias, other);
            }
        }
        best
    }

    /// The order of perf's preference: symbols with a size, strong ones, global ones, fewer
    /// underscores in front, longer names.
    ///
    /// Newer versions of perf prefer functions to labels. So `camlTree__ins_84` does not become
    /// `camlTree__code_begin`, which has the same address.
    /// does not become `camlTree__code_begin`, which has the same address.
    fn rank(&self, candidate: &Candidate) -> impl Ord + use<H> {
        let symbol = &self.symbols[candidate.index as usize];
        let name = self.names.get(symbol.st_name(LittleEndian)).unwrap_or_default();
        let underscores = name.iter().take_while(|&&byte| byte == b'_').count();
        (
            candidate.end > candidate.start,
            symbol.st_type() != elf::STT_NOTYPE,
            symbol.st_bind() != elf::STB_WEAK,
            symbol.st_bind() == elf::STB_GLOBAL,
            Reverse(underscores),
            name.len(),
        )
    }
}

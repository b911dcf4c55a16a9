//! An executable of Linux or of macOS, with its debug information.

use super::elf::Elf;
use super::inlines::Inlines;
use super::location::Addressing;
use super::macho::MachO;
use super::symbol_table::SymbolTable;

/// An executable or library.
#[derive(Debug)]
pub(super) enum Program {
    Elf(Elf),
    MachO(MachO),
}

impl Program {
    /// The whole file.
    pub(super) fn bytes(&self) -> &'static [u8] {
        match self {
            Program::Elf(elf) => elf.bytes,
            Program::MachO(file) => file.bytes,
        }
    }

    /// Its build-id; for macOS, its UUID.
    pub(super) fn build_id(&self) -> Option<&[u8]> {
        match self {
            Program::Elf(elf) => elf.build_id,
            Program::MachO(file) => file.uuid.as_ref().map(|uuid| &uuid[..]),
        }
    }

    /// Converts an address that counts from where `addressing` says to one as symbols and DWARF have
    /// it; `None` if that is not loaded.
    pub(super) fn address_at(&self, address: u64, addressing: Addressing) -> Option<u64> {
        match (self, addressing) {
            (Program::Elf(elf), Addressing::File) => elf.address_at(address),
            (Program::Elf(elf), Addressing::Image) => elf.base().checked_add(address),
            (Program::MachO(file), Addressing::Image) => file.base.checked_add(address),
            // No recording of macOS has offsets in files.
            (Program::MachO(_), Addressing::File) => None,
        }
    }

    /// The symbols of its code.
    pub(super) fn symbols(&self) -> SymbolTable {
        match self {
            Program::Elf(elf) => elf.symbols(),
            Program::MachO(file) => file.symbols(),
        }
    }

    /// Its debug information, if there is any.
    pub(super) fn inlines(&self) -> Option<Inlines> {
        match self {
            Program::Elf(elf) => Inlines::new(elf.bytes, elf.debug, elf.shared),
            Program::MachO(file) => Inlines::new(file.bytes, file.debug, None),
        }
    }
}

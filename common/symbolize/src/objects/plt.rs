//! The stubs through which a program calls functions of libraries. They have no symbols, and get
//! names such as `memcpy@plt`.

use object::LittleEndian;
use object::elf;
use object::read::elf::{ElfFile, FileHeader, Rela, SectionHeader, Sym};

use crate::bytes::Cursor;

/// How many bytes a stub has; those of `.plt.got` may have half as many.
const STUB_SIZE: u64 = 16;

/// Code is below this address in every program, so that sums do not overflow.
const HIGHEST_ADDRESS: u64 = 1 << 62;

/// The stubs, sorted by address.
#[derive(Debug, Default)]
pub(super) struct Plt(Vec<Stub>);

/// A stub, or a slot in memory into which the dynamic linker writes the address of a function.
#[derive(Clone, Copy, Debug)]
struct Stub {
    address: u64,
    /// The name of the function that it leads to; empty if that is unknown.
    name: &'static [u8],
}

impl Plt {
    /// Finds the stubs of a file; `name_at` returns the names of its functions.
    pub(super) fn read<H: FileHeader<Endian = LittleEndian>>(
        file: &ElfFile<'static, H>,
        name_at: impl Fn(u64) -> Option<&'static [u8]>,
    ) -> Plt {
        let machine = file.elf_header().e_machine(LittleEndian);
        let mut stubs = if machine == elf::EM_X86_64 {
            by_jumps(file, slots(file, b".rela.", &name_at))
        } else {
            let header_size = if machine == elf::EM_AARCH64 { 32 } else { 16 };
            in_order(file, header_size, slots(file, b".rela.plt", &name_at))
        };
        stubs.sort_by_key(|stub| stub.address);
        Plt(stubs)
    }

    /// `memcpy@plt`, if there is a stub at `address`.
    pub(super) fn name(&self, address: u64) -> Option<Vec<u8>> {
        let next = self.0.partition_point(|stub| stub.address <= address);
        let stub = self.0[next.checked_sub(1)?];
        (address - stub.address < STUB_SIZE).then(|| [stub.name, b"@plt"].concat())
    }
}

/// The slots that are filled by the relocations in sections whose names begin with `prefix`.
fn slots<H: FileHeader<Endian = LittleEndian>>(
    file: &ElfFile<'static, H>,
    prefix: &[u8],
    name_at: &impl Fn(u64) -> Option<&'static [u8]>,
) -> Vec<Stub> {
    let sections = file.elf_section_table();
    let symbols = file.elf_dynamic_symbol_table();
    let machine = file.elf_header().e_machine(LittleEndian);
    let is_wanted = |section: &&H::SectionHeader| {
        sections.section_name(LittleEndian, *section).is_ok_and(|name| name.starts_with(prefix))
    };
    let tables = sections.iter().filter(is_wanted);
    let tables = tables.filter_map(|it| it.rela(LittleEndian, file.data()).ok().flatten());
    let name_of = |rela: &H::Rela| match rela.symbol(LittleEndian, false) {
        Some(symbol) => symbols.symbol(symbol).ok()?.name(LittleEndian, symbols.strings()).ok(),
        None if is_chooser(machine, rela.r_type(LittleEndian, false)) => {
            let addend: i64 = rela.r_addend(LittleEndian).into();
            // memcpy@@GLIBC_2.14
            let name = name_at(addend.cast_unsigned()).unwrap_or_default();
            name.split(|&byte| byte == b'@').next()
        }
        None => None,
    };
    let slot = |rela: &H::Rela| {
        let address = rela.r_offset(LittleEndian).into();
        name_of(rela).map(|name| Stub { address, name })
    };
    tables.flat_map(|(relas, _)| relas).filter_map(slot).collect()
}

/// Whether the address in the slot is returned by a function that chooses among several for this
/// processor.
fn is_chooser(machine: elf::Machine, kind: elf::RelocationType) -> bool {
    match machine {
        elf::EM_X86_64 => kind == elf::R_X86_64_IRELATIVE,
        elf::EM_AARCH64 => kind == elf::R_AARCH64_IRELATIVE,
        _ => false,
    }
}

/// The stubs of an x86-64. Each holds a jump through its slot: `ff 25` and the distance of the slot
/// from the next instruction. The other instructions depend on the linker and on its options.
fn by_jumps<H: FileHeader<Endian = LittleEndian>>(
    file: &ElfFile<'static, H>,
    mut slots: Vec<Stub>,
) -> Vec<Stub> {
    slots.sort_by_key(|slot| slot.address);
    let mut stubs = Vec::new();
    for name in [&b".plt"[..], b".plt.sec", b".plt.got"] {
        let sections = file.elf_section_table();
        let Some((_, section)) = sections.section_by_name(LittleEndian, name) else { continue };
        let Ok(code) = section.data(LittleEndian, file.data()) else { continue };
        let start: u64 = section.sh_addr(LittleEndian).into();
        if start > HIGHEST_ADDRESS {
            continue;
        }
        let stub_size = if section.sh_entsize(LittleEndian).into() == 8 { 8 } else { 16 };
        for (address, stub) in (start..).step_by(stub_size).zip(code.chunks(stub_size)) {
            let Some(jump) = stub.windows(2).position(|bytes| bytes == [0xff, 0x25]) else {
                continue;
            };
            let Some(distance) = Cursor::new(&stub[jump + 2..]).u32() else { continue };
            let next = address + jump as u64 + 6;
            let slot = next.wrapping_add_signed(distance.cast_signed().into());
            if let Ok(slot) = slots.binary_search_by_key(&slot, |slot| slot.address) {
                stubs.push(Stub { address, name: slots[slot].name });
            }
        }
    }
    stubs
}

/// The stubs of other machines: those of `.plt` are in the order of their slots.
fn in_order<H: FileHeader<Endian = LittleEndian>>(
    file: &ElfFile<'static, H>,
    header_size: u64,
    slots: Vec<Stub>,
) -> Vec<Stub> {
    let Some((_, plt)) = file.elf_section_table().section_by_name(LittleEndian, b".plt") else {
        return Vec::new();
    };
    let start: u64 = plt.sh_addr(LittleEndian).into();
    let start = start.min(HIGHEST_ADDRESS) + header_size;
    let addresses = (start..).step_by(STUB_SIZE as usize);
    addresses.zip(slots).map(|(address, slot)| Stub { address, ..slot }).collect()
}

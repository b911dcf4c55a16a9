//! The call frame information (CFI) of one object file, by address.

use std::cell::OnceCell;

use gimli::{
    BaseAddresses, DebugFrame, EhFrame, FrameDescriptionEntry, LittleEndian, UnwindContext,
    UnwindSection, Vendor,
};

use crate::unwind::cfi::{CfiBytes, FunctionCfi, RowMemory};
use crate::unwind::machine::Machine;
use crate::unwind::row::CallerRow;
use crate::unwind::search::{EhFrameHeader, SortedFunctions};
use crate::unwind::sections::UnwindSections;

/// The CFI of one object file.
pub(crate) struct UnwindTables<'f> {
    sections: UnwindSections<'f>,
    eh_frame: Option<CfiSection<'f, EhFrame<CfiBytes<'f>>>>,
    debug_frames: Vec<CfiSection<'f, DebugFrame<CfiBytes<'f>>>>,
}

/// A section with CFI.
struct CfiSection<'f, S> {
    section: S,
    bytes: &'f [u8],
    bases: BaseAddresses,
    /// Made by the linker; nearly every file has it.
    header: Option<EhFrameHeader<'f>>,
    sorted: OnceCell<SortedFunctions>,
}

impl<'f> UnwindTables<'f> {
    pub(crate) fn new(machine: Machine, sections: UnwindSections<'f>) -> UnwindTables<'f> {
        let eh_frame = eh_frame(machine, &sections);
        let debug_frames = sections.debug_frames.iter();
        let debug_frames = debug_frames.map(|bytes| debug_frame(machine, bytes)).collect();
        UnwindTables { sections, eh_frame, debug_frames }
    }

    /// The address, as the file has it, of the byte at `offset` in the file.
    pub(crate) fn address_at(&self, offset: u64) -> Option<u64> {
        self.sections.address_at(offset)
    }

    /// Whether all of its code keeps frame pointers.
    pub(crate) fn keeps_frame_pointers(&self) -> bool {
        self.sections.keeps_frame_pointers
    }

    /// The bytes of the code from `address` on, as the file has it.
    pub(crate) fn code_at(&self, address: u64) -> &'f [u8] {
        self.sections.bytes_at(address).unwrap_or_default()
    }

    /// The row for `address`, as the file has it.
    pub(crate) fn row(
        &self,
        address: u64,
        context: &mut UnwindContext<usize, RowMemory>,
    ) -> Option<CallerRow<'f>> {
        let eh_frame = self.eh_frame.iter().find_map(|cfi| cfi.row(address, context));
        eh_frame.or_else(|| self.debug_frames.iter().find_map(|cfi| cfi.row(address, context)))
    }
}

/// `.eh_frame`, which is loaded with the program: found by its section or, where the sections were
/// stripped, by the linker's header.
fn eh_frame<'f>(
    machine: Machine,
    sections: &UnwindSections<'f>,
) -> Option<CfiSection<'f, EhFrame<CfiBytes<'f>>>> {
    let header = sections.eh_frame_header;
    let header = header.and_then(|(address, bytes)| EhFrameHeader::new(address, bytes));
    let (address, bytes) = sections.eh_frame.or_else(|| {
        let address = header.as_ref()?.eh_frame();
        Some((address, sections.bytes_at(address)?))
    })?;
    let bases = BaseAddresses::default()
        .set_eh_frame(address)
        .set_text(sections.text)
        .set_got(sections.got);
    let mut section = EhFrame::new(bytes, LittleEndian);
    section.set_address_size(8);
    section.set_vendor(vendor(machine));
    Some(CfiSection { section, bytes, bases, header, sorted: OnceCell::new() })
}

/// `.debug_frame`, which is for debuggers.
fn debug_frame(machine: Machine, bytes: &[u8]) -> CfiSection<'_, DebugFrame<CfiBytes<'_>>> {
    let mut section = DebugFrame::new(bytes, LittleEndian);
    section.set_address_size(8);
    section.set_vendor(vendor(machine));
    let bases = BaseAddresses::default();
    CfiSection { section, bytes, bases, header: None, sorted: OnceCell::new() }
}

/// The vendor whose instructions CFI may have, besides those of DWARF.
fn vendor(machine: Machine) -> Vendor {
    match machine {
        Machine::Aarch64 => Vendor::AArch64,
        Machine::X86_64 => Vendor::Default,
    }
}

impl<'f, S: UnwindSection<CfiBytes<'f>>> CfiSection<'f, S>
where
    S::Offset: gimli::UnwindOffset,
{
    fn row(
        &self,
        address: u64,
        context: &mut UnwindContext<usize, RowMemory>,
    ) -> Option<CallerRow<'f>> {
        let entry = self.function(self.offset(address)?)?;
        let row = entry.unwind_info_for_address(&self.section, &self.bases, context, address);
        let row = row.ok()?;
        CallerRow::new(row, &FunctionCfi { entry, section: self.bytes })
    }

    /// The offset of the entry for the last function that begins at or before `address`.
    fn offset(&self, address: u64) -> Option<usize> {
        match &self.header {
            Some(header) => header.offset(address),
            None => {
                let sorted = || SortedFunctions::new(&self.section, &self.bases);
                self.sorted.get_or_init(sorted).offset(address)
            }
        }
    }

    fn function(&self, offset: usize) -> Option<FrameDescriptionEntry<CfiBytes<'f>>> {
        let CfiSection { section, bases, .. } = self;
        section.fde_from_offset(bases, S::Offset::from(offset), S::cie_from_offset).ok()
    }
}

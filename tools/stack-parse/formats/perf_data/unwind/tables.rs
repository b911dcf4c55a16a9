//! The call frame information of one object file, and where in it an address is.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use gimli::{
    BaseAddresses, DebugFrame, EhFrame, EndianSlice, FrameDescriptionEntry, Register, RegisterRule,
    UnwindContext, UnwindContextStorage, UnwindExpression, UnwindSection, UnwindTableRow, Vendor,
};
use object::elf;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection};
use symbolize::section_bytes;

use super::expression::Expression;
use super::row::Row;
use super::search::{Header, Sorted};

pub(super) type Bytes = EndianSlice<'static, gimli::LittleEndian>;

/// The CFI of one object file, read when it is first needed.
pub(crate) struct Tables {
    id: TablesId,
    elf: &'static [u8],
    debug: Option<&'static [u8]>,
    found: OnceLock<Found>,
}

/// Tells object files apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TablesId(u32);

/// What there is in the files.
#[derive(Default)]
struct Found {
    file: Option<ElfFile64<'static, LittleEndian>>,
    eh_frame: Option<Cfi<EhFrame<Bytes>>>,
    /// Of the file itself and of its debug file.
    debug_frames: Vec<Cfi<DebugFrame<Bytes>>>,
}

/// A section with CFI.
struct Cfi<S> {
    section: S,
    bytes: &'static [u8],
    bases: BaseAddresses,
    /// From the linker, as good as always.
    header: Option<Header>,
    sorted: OnceLock<Sorted>,
}

/// What is said of one function.
pub(super) struct Entry {
    function: FrameDescriptionEntry<Bytes>,
    section: &'static [u8],
}

/// Room for the state of a row and those it may return to: compilers use one,
/// gimli has room for 4.
pub(super) struct Room;

impl UnwindContextStorage<usize> for Room {
    type Rules = [(Register, RegisterRule<usize>); 192];
    type Stack = Box<[UnwindTableRow<usize, Self>; 16]>;
}

impl Tables {
    /// The CFI of the object file whose bytes are `elf`, and of the file with its
    /// debug information. A file that is damaged or of another kind has none.
    pub(crate) fn new(elf: &'static [u8], debug: Option<&'static [u8]>) -> Tables {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let id = TablesId(NEXT.fetch_add(1, Ordering::Relaxed));
        Tables { id, elf, debug, found: OnceLock::new() }
    }

    pub(super) fn id(&self) -> TablesId {
        self.id
    }

    /// The row for `address`, as the file has it.
    pub(super) fn row(
        &self,
        address: u64,
        context: &mut UnwindContext<usize, Room>,
    ) -> Option<Row> {
        let found = self.found();
        let eh_frame = found.eh_frame.iter().find_map(|cfi| cfi.row(address, context));
        eh_frame.or_else(|| found.debug_frames.iter().find_map(|cfi| cfi.row(address, context)))
    }

    /// The bytes of the code from `address` on, as the file has it.
    pub(super) fn code_at(&self, address: u64) -> &'static [u8] {
        let code = self.found().file.iter().flat_map(|file| segments(file, elf::PT_LOAD));
        let code = code.filter_map(|(start, bytes)| {
            bytes.get(usize::try_from(address.checked_sub(start)?).ok()?..)
        });
        code.into_iter().next().unwrap_or_default()
    }

    fn found(&self) -> &Found {
        self.found.get_or_init(|| Found::read(self.elf, self.debug))
    }
}

impl Found {
    fn read(elf: &'static [u8], debug: Option<&'static [u8]>) -> Found {
        let mut found = Found::default();
        found.file = ElfFile64::parse(elf).ok();
        found.eh_frame = found.file.as_ref().and_then(eh_frame);
        let debug = debug.and_then(|debug| ElfFile64::parse(debug).ok());
        for file in found.file.iter().chain(&debug) {
            found.debug_frames.extend(debug_frame(file));
        }
        found
    }
}

/// The segments of one type: their addresses and bytes.
fn segments<'f>(
    file: &'f ElfFile64<'static, LittleEndian>,
    wanted: elf::ProgramType,
) -> impl Iterator<Item = (u64, &'static [u8])> + 'f {
    let segments = file.elf_program_headers().iter();
    segments.filter(move |segment| segment.p_type(LittleEndian) == wanted).filter_map(|segment| {
        Some((segment.p_vaddr(LittleEndian), segment.data(LittleEndian, file.data()).ok()?))
    })
}

/// `.eh_frame`, which is loaded with the program, by its section or, where the
/// sections were stripped, by the linker's header.
fn eh_frame(file: &ElfFile64<'static, LittleEndian>) -> Option<Cfi<EhFrame<Bytes>>> {
    let header =
        segments(file, elf::PT_GNU_EH_FRAME).find_map(|(at, bytes)| Header::new(at, bytes));
    let (address, bytes) = loaded_section(file, ".eh_frame").or_else(|| {
        let address = header.as_ref()?.eh_frame();
        let from = |(start, bytes): (u64, &'static [u8])| {
            bytes.get(usize::try_from(address.checked_sub(start)?).ok()?..)
        };
        Some((address, segments(file, elf::PT_LOAD).find_map(from)?))
    })?;
    let address_of = |name| loaded_section(file, name).map_or(0, |(address, _)| address);
    let bases = BaseAddresses::default()
        .set_eh_frame(address)
        .set_text(address_of(".text"))
        .set_got(address_of(".got"));
    let mut section = EhFrame::new(bytes, gimli::LittleEndian);
    section.set_address_size(8);
    section.set_vendor(vendor(file));
    Some(Cfi { section, bytes, bases, header, sorted: OnceLock::new() })
}

/// `.debug_frame`, which is for debuggers.
fn debug_frame(file: &ElfFile64<'static, LittleEndian>) -> Option<Cfi<DebugFrame<Bytes>>> {
    let bytes = match section_bytes(file.data(), ".debug_frame")? {
        Cow::Borrowed(bytes) => bytes,
        // Like the files, it is wanted to the end of the program.
        Cow::Owned(unpacked) => unpacked.leak(),
    };
    let mut section = DebugFrame::new(bytes, gimli::LittleEndian);
    section.set_address_size(8);
    section.set_vendor(vendor(file));
    let bases = BaseAddresses::default();
    Some(Cfi { section, bytes, bases, header: None, sorted: OnceLock::new() })
}

/// The address and the bytes of a section that is loaded with the program.
fn loaded_section(
    file: &ElfFile64<'static, LittleEndian>,
    name: &str,
) -> Option<(u64, &'static [u8])> {
    let section = file.section_by_name(name)?;
    let bytes = section.data().ok().filter(|bytes| !bytes.is_empty())?;
    Some((section.address(), bytes))
}

/// Whose instructions of CFI there are beside those of DWARF.
fn vendor(file: &ElfFile64<'static, LittleEndian>) -> Vendor {
    match file.elf_header().e_machine(LittleEndian) {
        elf::EM_AARCH64 => Vendor::AArch64,
        _ => Vendor::Default,
    }
}

impl<S: UnwindSection<Bytes>> Cfi<S>
where
    S::Offset: gimli::UnwindOffset,
{
    fn row(&self, address: u64, context: &mut UnwindContext<usize, Room>) -> Option<Row> {
        let function = self.function(self.offset(address)?)?;
        let row = function.unwind_info_for_address(&self.section, &self.bases, context, address);
        let row = row.ok()?;
        Row::new(row, &Entry { function, section: self.bytes })
    }

    /// Where the entry is that begins at `address` or last before it.
    fn offset(&self, address: u64) -> Option<usize> {
        match &self.header {
            Some(header) => header.offset(address),
            None => {
                self.sorted.get_or_init(|| Sorted::new(&self.section, &self.bases)).offset(address)
            }
        }
    }

    fn function(&self, offset: usize) -> Option<FrameDescriptionEntry<Bytes>> {
        let Cfi { section, bases, .. } = self;
        section.fde_from_offset(bases, S::Offset::from(offset), S::cie_from_offset).ok()
    }
}

impl Entry {
    /// The register in which the return address is.
    pub(super) fn return_address(&self) -> Register {
        self.function.cie().return_address_register()
    }

    /// Whether this is how a signal handler returns.
    pub(super) fn is_signal_frame(&self) -> bool {
        self.function.is_signal_trampoline()
    }

    pub(super) fn expression(&self, at: UnwindExpression<usize>) -> Option<Expression> {
        let code = self.section.get(at.offset..)?.get(..at.length)?;
        Some(Expression { code, encoding: self.function.cie().encoding() })
    }
}

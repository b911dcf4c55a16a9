//! The sections of executables that are needed to unwind stacks.

use std::borrow::Cow;

use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, elf};
use stack_perf_data::{LoadedSegment, MadeFunction, UnwindFiles, UnwindFunction, UnwindSections};
use symbolize::{CodeOrigin, Function, Location, ObjectId, Objects, section_bytes};

type ElfFile = ElfFile64<'static, LittleEndian>;

/// Finds executables in the same places as their symbols.
pub(super) struct ElfSections<'o> {
    pub(super) objects: &'o mut Objects,
    /// Files that were not found, or are not the recorded ones.
    pub(super) not_here: &'o mut Vec<ObjectId>,
    /// When the sample was taken whose stack is unwound, in nanoseconds.
    pub(super) time: Option<u64>,
}

impl UnwindFiles<'static, ObjectId> for ElfSections<'_> {
    fn sections(&mut self, object: ObjectId) -> Option<UnwindSections<'static>> {
        match self.objects.elf(object) {
            Some(elf) => unwind_sections(elf.bytes, elf.debug),
            None => {
                if self.objects.origin(object) == CodeOrigin::File {
                    self.not_here.push(object);
                }
                None
            }
        }
    }

    fn function(&mut self, object: ObjectId, address: u64) -> Option<UnwindFunction<'static>> {
        let Function { start, end, name } = self.objects.function(object, address)?;
        Some(UnwindFunction { start, end, name })
    }

    fn place_of_made(&mut self, object: ObjectId, address: u64) -> Option<(ObjectId, u64)> {
        // For code of memory, the offset in its map does not matter.
        let place = self.objects.locate(object, address, 0, self.time);
        let is_made = self.objects.origin(object) == CodeOrigin::Memory;
        is_made.then_some((place.object, place.address))
    }

    fn made_function(&mut self, place: (ObjectId, u64)) -> Option<MadeFunction<'static>> {
        let (object, address) = place;
        let made = self.objects.made_function(Location { object, address })?;
        let symbolize::MadeFunction { name, offset, size, eh_frame } = made;
        Some(MadeFunction { name, offset, size, eh_frame })
    }
}

/// The sections of a 64-bit executable; its debug information may be in another file.
fn unwind_sections(
    bytes: &'static [u8],
    debug: Option<&'static [u8]>,
) -> Option<UnwindSections<'static>> {
    let file = ElfFile::parse(bytes).ok()?;
    let debug = debug.and_then(|debug| ElfFile::parse(debug).ok());
    let address_of = |name| loaded_section(&file, name).map_or(0, |(address, _)| address);
    Some(UnwindSections {
        segments: loaded_segments(&file),
        eh_frame: loaded_section(&file, ".eh_frame"),
        eh_frame_header: segments(&file, elf::PT_GNU_EH_FRAME)
            .next()
            .map(|(_, segment)| (segment.address, segment.bytes)),
        debug_frames: [&file].into_iter().chain(&debug).filter_map(debug_frame).collect(),
        text: address_of(".text"),
        got: address_of(".got"),
        keeps_frame_pointers: [".gopclntab", ".data.rel.ro.gopclntab", ".note.go.buildid"]
            .iter()
            .any(|name| file.section_by_name(name).is_some()),
    })
}

/// The segments that are loaded, code first.
fn loaded_segments(file: &ElfFile) -> Vec<LoadedSegment<'static>> {
    let mut loaded: Vec<_> = segments(file, elf::PT_LOAD).collect();
    loaded.sort_by_key(|(is_code, _)| !is_code);
    loaded.into_iter().map(|(_, segment)| segment).collect()
}

/// The segments of one type; the flag is true for code.
fn segments(
    file: &ElfFile,
    wanted: elf::ProgramType,
) -> impl Iterator<Item = (bool, LoadedSegment<'static>)> {
    let segments = file.elf_program_headers().iter();
    segments.filter(move |segment| segment.p_type(LittleEndian) == wanted).filter_map(|segment| {
        let bytes = segment.data(LittleEndian, file.data()).ok()?;
        let offset = segment.p_offset(LittleEndian);
        let loaded = LoadedSegment { offset, address: segment.p_vaddr(LittleEndian), bytes };
        Some((segment.p_flags(LittleEndian).0 & elf::PF_X.0 != 0, loaded))
    })
}

/// The address and the bytes of a section that is loaded with the program.
fn loaded_section(file: &ElfFile, name: &str) -> Option<(u64, &'static [u8])> {
    let section = file.section_by_name(name)?;
    let bytes = section.data().ok().filter(|bytes| !bytes.is_empty())?;
    Some((section.address(), bytes))
}

/// `.debug_frame`, which may be compressed.
fn debug_frame(file: &ElfFile) -> Option<&'static [u8]> {
    match section_bytes(file.data(), ".debug_frame")? {
        Cow::Borrowed(bytes) => Some(bytes),
        // Like the files, it is needed until the program ends.
        Cow::Owned(decompressed) => Some(decompressed.leak()),
    }
}

//! A program of testdata/unwind: its sections for unwinding, and the names of its functions.

use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, elf};

use crate::unwind::sections::{LoadedSegment, UnwindFunction, UnwindSections};

/// An executable or library.
pub(super) struct Program {
    elf: Vec<u8>,
    /// Decompressed, of the file and of its debug file.
    debug_frames: Vec<Vec<u8>>,
    /// Address, size and name.
    functions: Vec<(u64, u64, String)>,
    /// Whether its own symbols say that.
    is_stripped: bool,
}

impl Program {
    pub(super) fn new(elf: Vec<u8>) -> Program {
        let file = ElfFile64::<LittleEndian>::parse(&elf[..]).expect("a program");
        let functions = file.symbols().filter_map(|symbol| {
            let name = symbol.name().ok()?.to_owned();
            (symbol.size() > 0).then_some((symbol.address(), symbol.size(), name))
        });
        let functions = functions.collect();
        let debug_frames = debug_frame(&elf).into_iter().collect();
        Program { debug_frames, elf, functions, is_stripped: false }
    }

    /// This program, unwound with other bytes, which have no symbols.
    pub(super) fn with_bytes(&self, elf: Vec<u8>) -> Program {
        let debug_frames = debug_frame(&elf).into_iter().collect();
        Program { elf, debug_frames, functions: self.functions.clone(), is_stripped: true }
    }

    pub(super) fn with_debug_file(mut self, elf: &[u8]) -> Program {
        self.debug_frames.extend(debug_frame(elf));
        self
    }

    pub(super) fn address_of(&self, name: &str) -> u64 {
        self.functions.iter().find(|(.., other)| other == name).expect("a function").0
    }

    /// The function at `offset` in the file.
    pub(super) fn name(&self, offset: u64) -> String {
        let address = self.sections().and_then(|sections| sections.address_at(offset));
        let function = address.and_then(|address| self.symbol(address));
        let name = function.map(|function| String::from_utf8_lossy(function.name).into_owned());
        name.unwrap_or_else(|| format!("{offset:#x}"))
    }

    /// The function at an address, as far as its own symbols say it.
    pub(super) fn function(&self, address: u64) -> Option<UnwindFunction<'_>> {
        self.symbol(address).filter(|_| !self.is_stripped)
    }

    fn symbol(&self, address: u64) -> Option<UnwindFunction<'_>> {
        let functions = self.functions.iter().map(|(start, size, name)| UnwindFunction {
            start: *start,
            end: start + size,
            name: name.as_bytes(),
        });
        functions.into_iter().find(|it| (it.start..it.end).contains(&address))
    }

    /// `None` if the file is damaged.
    pub(super) fn sections(&self) -> Option<UnwindSections<'_>> {
        let file = ElfFile64::<LittleEndian>::parse(&self.elf[..]).ok()?;
        let loaded = |name| {
            let section = file.section_by_name(name)?;
            let bytes = section.data().ok().filter(|bytes| !bytes.is_empty())?;
            Some((section.address(), bytes))
        };
        let segments = |wanted| {
            let headers = file.elf_program_headers().iter();
            headers.filter(move |header| header.p_type(LittleEndian) == wanted).filter_map(
                |header| {
                    let bytes = header.data(LittleEndian, file.data()).ok()?;
                    let offset = header.p_offset(LittleEndian);
                    let is_code = header.p_flags(LittleEndian).0 & elf::PF_X.0 != 0;
                    let address = header.p_vaddr(LittleEndian);
                    Some((is_code, LoadedSegment { offset, address, bytes }))
                },
            )
        };
        let mut loaded_segments: Vec<_> = segments(elf::PT_LOAD).collect();
        loaded_segments.sort_by_key(|(is_code, _)| !is_code);
        let header = segments(elf::PT_GNU_EH_FRAME).next();
        Some(UnwindSections {
            keeps_frame_pointers: false,
            segments: loaded_segments.into_iter().map(|(_, segment)| segment).collect(),
            eh_frame: loaded(".eh_frame"),
            eh_frame_header: header.map(|(_, segment)| (segment.address, segment.bytes)),
            debug_frames: self.debug_frames.iter().map(|bytes| &bytes[..]).collect(),
            text: loaded(".text").map_or(0, |(address, _)| address),
            got: loaded(".got").map_or(0, |(address, _)| address),
        })
    }
}

fn debug_frame(elf: &[u8]) -> Option<Vec<u8>> {
    let file = ElfFile64::<LittleEndian>::parse(elf).ok()?;
    let bytes = file.section_by_name(".debug_frame")?.uncompressed_data().ok()?;
    (!bytes.is_empty()).then(|| bytes.into_owned())
}

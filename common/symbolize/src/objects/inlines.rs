//! Inlined functions and lines of the source, from DWARF.

use std::fmt;

use addr2line::gimli::{self, AbbreviationsCacheStrategy, Dwarf, Section, SectionId};
use addr2line::{Context, Location, LookupContinuation, LookupResult};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object};

use super::dwarf_section::{Bytes, read_section};
use super::split_dwarf::SplitDwarf;
use crate::bounded_slice::bounded;
use crate::sections::SectionReader;

/// The DWARF of one object file. Units and functions are read when one of their addresses is first
/// looked up.
pub(super) struct Inlines {
    context: Context<Bytes>,
}

/// A line in a file of the source; what is unknown is empty or 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FileLine<'a> {
    /// The whole path, as far as the debug information has it.
    pub(super) file: &'a [u8],
    /// From 1.
    pub(super) line: u32,
}

/// A function that was inlined into another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inlined<'a> {
    /// The name that the linker uses, or else the one in the source; empty if it is unknown.
    pub(super) name: &'a [u8],
    /// The line of the code itself, or of its call of the function that is inlined into it.
    pub(super) line: FileLine<'a>,
}

impl fmt::Debug for Inlines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inlines")
    }
}

impl Inlines {
    /// Reads where the units are. The debug information is in `debug` or, if it is not there, in
    /// `elf`. What it shares with other files is in `shared`, the file that [`shared_file`] names.
    ///
    /// Returns `None` if there is no debug information, or if it is damaged.
    pub(super) fn new(
        elf: &'static [u8],
        debug: Option<&'static [u8]>,
        shared: Option<&'static [u8]>,
    ) -> Option<Inlines> {
        let mut dwarf = debug.and_then(dwarf_of).or_else(|| dwarf_of(elf))?;
        if let Some(shared) = shared.and_then(dwarf_of) {
            dwarf.set_sup(shared);
        }
        // Units of one language often share their abbreviations.
        dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        Context::from_dwarf(dwarf).ok().map(|context| Inlines { context })
    }

    /// Calls `each` with the functions that were inlined at `address`, which is that in the file,
    /// the innermost first. Returns the line in the function around them, whose name comes from its
    /// symbol.
    ///
    /// Split debug information is read from the files that `split` finds.
    pub(super) fn frames(
        &self,
        address: u64,
        split: &SplitDwarf,
        each: &mut dyn FnMut(Inlined<'_>),
    ) -> FileLine<'_> {
        // For damaged units, and functions inlined too deeply, no line is returned.
        bounded(|| self.try_frames(address, split, each)).unwrap_or_default()
    }

    fn try_frames(
        &self,
        address: u64,
        split: &SplitDwarf,
        each: &mut dyn FnMut(Inlined<'_>),
    ) -> Result<FileLine<'_>, gimli::Error> {
        // There is no code at the last address, and the library would look at the next one.
        if address == u64::MAX {
            return Ok(FileLine::default());
        }
        let mut lookup = self.context.find_frames(address);
        let mut frames = loop {
            match lookup {
                LookupResult::Output(frames) => break frames?,
                LookupResult::Load { load, continuation } => {
                    lookup = continuation.resume(split.load(&load));
                }
            }
        };
        let Some(mut frame) = frames.next()? else { return Ok(FileLine::default()) };
        while let Some(outer) = frames.next()? {
            let name = frame.function.as_ref().map_or(&b""[..], |function| function.name.slice());
            each(Inlined { name, line: FileLine::of(frame.location) });
            frame = outer;
        }
        Ok(FileLine::of(frame.location))
    }
}

impl<'a> FileLine<'a> {
    fn of(location: Option<Location<'a>>) -> FileLine<'a> {
        let Some(location) = location else { return FileLine::default() };
        let file = location.file.unwrap_or_default().as_bytes();
        FileLine { file, line: location.line.unwrap_or(0) }
    }

    /// Appends `/src/demo.c:14`, as addr2line prints it, or nothing if the line is unknown.
    pub(super) fn write(&self, text: &mut Vec<u8>) {
        if !self.file.is_empty() && self.line > 0 {
            text.extend_from_slice(self.file);
            text.extend_from_slice(format!(":{}", self.line).as_bytes());
        }
    }
}

/// The path and the build-id of the file with the debug information that a file shares with others,
/// as in Debian; `bytes` are those of the debug file.
pub(super) fn shared_file(bytes: &'static [u8]) -> Option<(&'static [u8], &'static [u8])> {
    let file = ElfFile64::<LittleEndian>::parse(bytes).ok()?;
    file.gnu_debugaltlink().ok().flatten()
}

/// The sections that are needed for functions and lines: others may be large.
const SECTIONS: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

/// The DWARF in a file, `None` if there is none.
fn dwarf_of(bytes: &'static [u8]) -> Option<Dwarf<Bytes>> {
    let file = object::File::parse(bytes).ok()?;
    let mut reader = SectionReader::new(&file, bytes.len());
    let load = |section: SectionId| -> Result<Bytes, gimli::Error> {
        let is_needed = SECTIONS.contains(&section);
        Ok(read_section(&mut reader, is_needed.then(|| section.name())))
    };
    let dwarf = Dwarf::load(load).ok()?;
    (!dwarf.debug_info.reader().slice().is_empty()).then_some(dwarf)
}

#[cfg(test)]
mod tests;

//! Lines of functions by DWARF, which compilers write with `-g`.

use std::borrow::Cow;

use addr2line::Context;
use addr2line::gimli::{self, DwarfSections, EndianSlice, LittleEndian};
use object::{Object, ObjectSection};

use crate::Source;
use crate::binary::executable::Executable;

/// The sections with debug information, unpacked.
pub(crate) struct Sections<'a>(DwarfSections<Cow<'a, [u8]>>);

/// What the sections say.
pub(crate) struct Lines<'s>(Context<EndianSlice<'s, LittleEndian>>);

impl<'a> Sections<'a> {
    /// What cannot be read is as good as not there.
    pub(crate) fn of(executable: &Executable<'a>) -> Option<Sections<'a>> {
        let load = |id: gimli::SectionId| -> Result<_, gimli::Error> {
            let section = executable.file.section_by_name(id.name());
            let data = section.and_then(|section| section.uncompressed_data().ok());
            Ok(data.unwrap_or_default())
        };
        DwarfSections::load(load).ok().map(Sections)
    }

    pub(crate) fn lines(&self) -> Option<Lines<'_>> {
        let dwarf = self.0.borrow(|section| EndianSlice::new(section, LittleEndian));
        Context::from_dwarf(dwarf).ok().map(Lines)
    }
}

impl Lines<'_> {
    /// The line of the function at `address` where its code begins, even if it
    /// begins with code of another function that was inlined there.
    pub(crate) fn source(&self, address: u64) -> Option<Source> {
        let mut frames = self.0.find_frames(address).skip_all_loads().ok()?;
        let mut location = None;
        // What was inlined comes first, the function itself last.
        while let Some(frame) = frames.next().ok()? {
            location = frame.location;
        }
        let location = location?;
        // Line 0 is for code that the compiler made up.
        let line = location.line.filter(|&line| line > 0)?;
        Some(Source { file: location.file?.as_bytes().to_vec(), line })
    }
}

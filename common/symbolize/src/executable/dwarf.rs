//! Lines of functions, from the DWARF that compilers write with `-g`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use addr2line::Context;
use addr2line::gimli::{self, Dwarf, DwarfSections};

use crate::bounded_slice::{BoundedSlice, bounded};
use crate::executable::image::Image;
use crate::executable::source_line::SourceLine;
use crate::sections::SectionReader;

/// The sections with debug information, decompressed.
pub(crate) struct DebugSections<'a>(DwarfSections<Cow<'a, [u8]>>);

type Bytes<'s> = BoundedSlice<'s>;

/// The lines that the sections hold.
pub(crate) struct DwarfLines<'s>(Context<Bytes<'s>>);

impl<'a> DebugSections<'a> {
    /// Reads the sections; one that is damaged, or claims to be too large, is taken for empty.
    pub(crate) fn of(executable: &Image<'a>) -> Option<DebugSections<'a>> {
        let file = &executable.file;
        let mut reader = SectionReader::new(file, file.data().len());
        let load = |id: gimli::SectionId| -> Result<_, gimli::Error> {
            Ok(reader.bytes(id.name()).unwrap_or_default())
        };
        DwarfSections::load(load).ok().map(DebugSections)
    }

    fn dwarf(&self) -> Dwarf<Bytes<'_>> {
        self.0.borrow(|section| BoundedSlice::new(section))
    }

    pub(crate) fn lines(&self) -> Option<DwarfLines<'_>> {
        Context::from_dwarf(self.dwarf()).ok().map(DwarfLines)
    }

    /// The lines at which the OCaml functions at `addresses` are defined, for those that DWARF has
    /// a line for.
    ///
    /// `ocamlopt` writes the line of the definition where the code of a function begins. If the
    /// function begins with code that was inlined there, another line for the same address follows.
    /// Which function was inlined is not written.
    pub(crate) fn definitions(&self, addresses: &HashSet<u64>) -> HashMap<u64, SourceLine> {
        let mut found = HashMap::new();
        let dwarf = self.dwarf();
        let mut units = dwarf.units();
        while let Ok(Some(unit)) = units.next() {
            if let Ok(unit) = dwarf.unit(unit) {
                // If a table is damaged, the lines before the damage count.
                let _ = add_definitions(&dwarf, &unit, addresses, &mut found);
            }
        }
        found
    }
}

impl DwarfLines<'_> {
    /// The line in the function where its code begins, even if the code at `address` was inlined
    /// from another function.
    pub(crate) fn source(&self, address: u64) -> Option<SourceLine> {
        bounded(|| self.try_source(address))
    }

    fn try_source(&self, address: u64) -> Option<SourceLine> {
        let mut frames = self.0.find_frames(address).skip_all_loads().ok()?;
        let mut location = None;
        // Inlined functions come first, the function itself last.
        while let Some(frame) = frames.next().ok()? {
            location = frame.location;
        }
        let location = location?;
        // Line 0 is for code that the compiler made up.
        let line = location.line.filter(|&line| line > 0)?;
        Some(SourceLine { file: location.file?.as_bytes().to_vec(), line })
    }
}

fn add_definitions(
    dwarf: &Dwarf<Bytes>,
    unit: &gimli::Unit<Bytes>,
    addresses: &HashSet<u64>,
    found: &mut HashMap<u64, SourceLine>,
) -> gimli::Result<()> {
    let Some(program) = unit.line_program.clone() else { return Ok(()) };
    let mut rows = program.rows();
    while let Some((header, row)) = rows.next_row()? {
        let address = row.address();
        if row.end_sequence() || !addresses.contains(&address) || found.contains_key(&address) {
            continue;
        }
        if let (Some(line), Some(file)) = (row.line(), row.file(header))
            && let Ok(line) = u32::try_from(line.get())
        {
            let mut path = Vec::new();
            // The first folder is the one in which the compiler ran.
            if file.directory_index() > 0
                && let Some(folder) = file.directory(header)
            {
                path.extend_from_slice(dwarf.attr_string(unit, folder)?.slice());
                path.push(b'/');
            }
            path.extend_from_slice(dwarf.attr_string(unit, file.path_name())?.slice());
            found.insert(address, SourceLine { file: path, line });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use gimli::Section;

    use super::*;

    const MEGABYTE: usize = 1 << 20;

    fn words(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// A section header of ELF: name, type 1 or 3, flags, offset and size.
    fn header(name: u64, kind: u64, flags: u64, start: usize, size: usize) -> Vec<u8> {
        words(&[kind << 32 | name, flags, 0, start as u64, size as u64, 0, 1, 0])
    }

    /// An executable of `padding` bytes and two compressed sections, which share their bytes and
    /// hold `zeros` zeros each.
    fn executable(zeros: usize, padding: usize) -> Vec<u8> {
        const NAMES: &[u8] = b"\0.debug_info\0.debug_str\0.shstrtab\0";
        let mut stored = words(&[1, zeros as u64, 1]);
        let mut encoder = ZlibEncoder::new(&mut stored, Compression::best());
        encoder.write_all(&vec![0; zeros]).expect("memory");
        encoder.finish().expect("memory");
        let names_at = 64 + padding + stored.len();
        let headers_at = names_at + NAMES.len();
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        // A shared library for x86-64 with four section headers of 64 bytes,
        // the last of which holds the names.
        file.extend(words(&[1 << 32 | 62 << 16 | 3, 0, 0, headers_at as u64]));
        file.extend(words(&[64 << 32, 3 << 48 | 4 << 32 | 64 << 16]));
        file.resize(64 + padding, 0);
        let compressed = |name| header(name, 1, 1 << 11, 64 + padding, stored.len());
        let headers =
            [vec![0; 64], compressed(1), compressed(13), header(24, 3, 0, names_at, NAMES.len())];
        [file, stored.clone(), NAMES.to_vec(), headers.concat()].concat()
    }

    /// How many bytes each of the two sections has when it is decompressed.
    fn decompressed_sizes(zeros: usize, padding: usize) -> [usize; 2] {
        let file = executable(zeros, padding);
        let executable = Image::parse(&file).expect("a shared library");
        let sections = DebugSections::of(&executable).expect("sections");
        let dwarf = sections.0.borrow(|section| BoundedSlice::new(section));
        [dwarf.debug_info.reader().slice().len(), dwarf.debug_str.reader().slice().len()]
    }

    #[test]
    fn sections_that_claim_too_much_are_empty() {
        assert_eq!(decompressed_sizes(MEGABYTE, 0), [0, 0]);
        assert_eq!(decompressed_sizes(MEGABYTE, MEGABYTE), [MEGABYTE, MEGABYTE]);
        // Only one of them fits: the limit is for their sum.
        assert_eq!(decompressed_sizes(MEGABYTE, MEGABYTE / 50).iter().sum::<usize>(), MEGABYTE);
    }
}

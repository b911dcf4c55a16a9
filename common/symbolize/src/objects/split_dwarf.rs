//! Debug information that the compiler wrote into separate files (`-gsplit-dwarf`): a `.dwo` file
//! for each unit, or one `.dwp` file for a whole program.

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::sync::Arc;

use addr2line::SplitDwarfLoad;
use addr2line::gimli::{self, DebugInfo, Dwarf, DwarfPackage, DwoId, SectionId};

use super::dwarf_section::{Bytes, kept, read_section};
use super::finder::Finder;
use crate::sections::SectionReader;

/// Where the split debug information of one program is.
#[derive(Debug)]
pub(super) struct SplitDwarf {
    finder: Finder,
    /// The path of the program when it was recorded.
    path: Vec<u8>,
    /// The `.dwp` file, opened when it is first needed.
    package: OnceCell<Option<Box<Package>>>,
    missing: RefCell<Option<MissingSplit>>,
}

/// Files with split debug information that were not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSplit {
    /// The path to which the compiler wrote the first of them.
    pub first: Vec<u8>,
    /// How many there are.
    pub files: usize,
    /// Whether the first file exists, but was written by another run of the compiler.
    pub differs: bool,
}

/// A `.dwp` file.
struct Package(DwarfPackage<Bytes>);

impl fmt::Debug for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Package")
    }
}

impl SplitDwarf {
    pub(super) fn new(finder: &Finder, path: &[u8]) -> SplitDwarf {
        SplitDwarf {
            finder: finder.clone(),
            path: path.to_vec(),
            package: OnceCell::new(),
            missing: RefCell::default(),
        }
    }

    /// The files that were not found, if there are any.
    pub(super) fn missing(&self) -> Option<MissingSplit> {
        self.missing.borrow().clone()
    }

    /// The debug information of one unit.
    pub(super) fn load(&self, load: &SplitDwarfLoad<Bytes>) -> Option<Arc<Dwarf<Bytes>>> {
        let package = self.package.get_or_init(|| self.open_package());
        let packaged = package
            .as_ref()
            .and_then(|package| package.0.find_cu(load.dwo_id, &load.parent).ok().flatten());
        if let Some(dwarf) = packaged {
            return Some(Arc::new(dwarf));
        }
        let folder = load.comp_dir.map_or(&b""[..], |folder| folder.slice());
        let name = load.path.map_or(&b""[..], |path| path.slice());
        let mut differs = false;
        for file in self.finder.split_files(&self.path, folder, name) {
            let Ok(bytes) = self.finder.open(&file) else { continue };
            match unit_in(bytes, load.dwo_id) {
                Some(mut dwarf) => {
                    dwarf.make_dwo(&load.parent);
                    return Some(Arc::new(dwarf));
                }
                None => differs = true,
            }
        }
        self.note_missing(folder, name, differs);
        None
    }

    fn note_missing(&self, folder: &[u8], name: &[u8], differs: bool) {
        let mut missing = self.missing.borrow_mut();
        let missing = missing.get_or_insert_with(|| {
            let is_whole = folder.is_empty() || name.starts_with(b"/");
            let first = if is_whole { name.to_vec() } else { [folder, b"/", name].concat() };
            MissingSplit { first, files: 0, differs }
        });
        missing.files += 1;
    }

    fn open_package(&self) -> Option<Box<Package>> {
        let files = self.finder.packages(&self.path);
        files.iter().find_map(|file| package_in(self.finder.open(file).ok()?))
    }
}

fn package_in(bytes: &'static [u8]) -> Option<Box<Package>> {
    let file = object::File::parse(bytes).ok()?;
    let mut reader = SectionReader::new(&file, bytes.len());
    let load = |section: SectionId| -> Result<Bytes, gimli::Error> {
        Ok(read_section(&mut reader, section.dwo_name()))
    };
    let package = DwarfPackage::load(load, Bytes::new(&[])).ok()?;
    Some(Box::new(Package(package)))
}

/// The debug information of the unit `id` in a `.dwo` file; `None` if the file has no such unit.
///
/// Units of types may come before it, in sections with the same name.
fn unit_in(bytes: &'static [u8], id: DwoId) -> Option<Dwarf<Bytes>> {
    let file = object::File::parse(bytes).ok()?;
    let mut reader = SectionReader::new(&file, bytes.len());
    let load = |section: SectionId| -> Result<Bytes, gimli::Error> {
        Ok(read_section(&mut reader, section.dwo_name()))
    };
    let mut dwarf = Dwarf::load(load).ok()?;
    dwarf.file_type = gimli::DwarfFileType::Dwo;
    for info in reader.all(".debug_info.dwo") {
        let info = Bytes::new(kept(info));
        dwarf.debug_info = DebugInfo::from(info);
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let offset = header.debug_info_offset()?.0;
            if dwarf.unit(header).is_ok_and(|unit| unit.dwo_id == Some(id)) {
                dwarf.debug_info = DebugInfo::from(Bytes::new(&info.slice()[offset..]));
                return Some(dwarf);
            }
        }
    }
    None
}

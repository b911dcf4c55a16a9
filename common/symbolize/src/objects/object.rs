//! One object, and the source of its functions' names.

use std::iter::once;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::build_id::BuildId;
use super::elf::Elf;
use super::finder::Finder;
use super::jitdump::JitDump;
use super::kernel::Kernel;
use super::listed::Listed;
use super::location::{Addressing, Detail};
use super::made_function::MadeFunction;
use super::mapped_object::MappedObject;
use super::named::Names;
use super::no_symbols::NoSymbols;
use super::opened::Opened;
use super::perf_map::PerfMap;
use super::search::{self, Found};
use super::split_dwarf::{MissingSplit, SplitDwarf};
use super::symbol_table::Function;

/// A file or other object with code.
#[derive(Debug)]
pub(super) struct Object {
    /// Its name as perf shows it, mostly a path.
    pub(super) path: Vec<u8>,
    pub(super) namer: Namer,
    /// The functions that the recording lists, if it lists any of this object.
    listed: Option<Listed>,
}

/// Where the names of an object's functions come from.
#[derive(Debug)]
pub(super) enum Namer {
    File(Box<Binary>),
    Kernel(Kernel),
    /// A module, or other code that was loaded into the kernel.
    Module(Kernel),
    JitDump(Box<JitDump>),
    /// Memory without a file.
    Anonymous {
        pid: u32,
        map: Arc<Mutex<PerfMap>>,
    },
}

/// An executable or library.
#[derive(Debug)]
pub(super) struct Binary {
    /// Its path when it was recorded.
    path: Vec<u8>,
    build_id: Option<BuildId>,
    addressing: Addressing,
    /// Whether the recording is from the version of Linux that runs now.
    is_from_here: bool,
    opened: Option<Result<Opened, NoSymbols>>,
}

impl Namer {
    pub(super) fn file(
        mapped: &MappedObject<'_>,
        build_id: Option<BuildId>,
        is_from_here: bool,
    ) -> Namer {
        let (path, addressing) = (mapped.path.to_vec(), mapped.addressing);
        Namer::File(Box::new(Binary { path, build_id, addressing, is_from_here, opened: None }))
    }

    /// Appends the names of the functions at these addresses of the object at `path`.
    fn resolve(
        &mut self,
        path: &[u8],
        addresses: impl Iterator<Item = u64>,
        finder: &Finder,
        detail: Detail,
        names: &mut Names,
    ) {
        match self {
            Namer::File(binary) => {
                let mut opened = binary.open(finder);
                for offset in addresses {
                    match &mut opened {
                        Ok(opened) => opened.names(offset, detail, names),
                        Err(_) => names.push(b"", b"", false),
                    }
                    names.end_location();
                }
            }
            Namer::Kernel(kernel) => {
                kernel.open(finder);
                names.extend(addresses.map(|address| kernel.name(address)));
            }
            Namer::Module(kernel) => {
                kernel.open(finder);
                // For a BPF program, a profiler records only the name.
                let own = Some(path).filter(|path| !path.starts_with(b"["));
                let own = own.filter(|path| !path.starts_with(b"/"));
                names.extend(addresses.map(|address| kernel.module_name(address).or(own)));
            }
            Namer::JitDump(dump) => names.extend(addresses.map(|offset| dump.name(offset))),
            Namer::Anonymous { map, .. } => {
                let mut map = lock(map);
                map.refresh();
                names.extend(addresses.map(|address| map.name(address)));
            }
        }
    }
}

impl Binary {
    pub(super) fn build_id(&self) -> Option<&[u8]> {
        self.build_id.as_ref().map(|id| &*id.bytes)
    }

    pub(super) fn has_proof(&self) -> bool {
        self.build_id.as_ref().is_some_and(|id| id.is_of_mapping)
    }

    pub(super) fn is_at_path(&self) -> bool {
        matches!(&self.opened, Some(Ok(opened)) if opened.is_at_path())
    }

    pub(super) fn is_against_list(&self) -> bool {
        let Some(Ok(opened)) = &self.opened else { return false };
        self.build_id().is_some_and(|recorded| !opened.is_of_build(recorded))
    }

    pub(super) fn is_of_ocaml(&self) -> bool {
        matches!(&self.opened, Some(Ok(opened)) if opened.is_of_ocaml())
    }

    fn open(&mut self, finder: &Finder) -> Result<&mut Opened, &NoSymbols> {
        let Binary { path, build_id, addressing, is_from_here, opened } = self;
        let opened = opened.get_or_insert_with(|| {
            let found = if path == search::VDSO {
                let build_id = build_id.as_ref().map(|id| &*id.bytes);
                let program = search::open_vdso(finder, build_id, *is_from_here)?;
                Found { program, is_at_path: false }
            } else {
                search::open(finder, path, build_id.as_ref(), *addressing)?
            };
            let split = SplitDwarf::new(finder, path);
            Ok(Opened::new(found, *addressing, split, finder.options.exact_names))
        });
        opened.as_mut().map_err(|why| &*why)
    }
}

impl Object {
    pub(super) fn new(path: &[u8], namer: Namer, listed: Option<Listed>) -> Object {
        Object { path: path.to_vec(), namer, listed }
    }

    pub(super) fn elf(&mut self, finder: &Finder) -> Option<&Elf> {
        match &mut self.namer {
            Namer::File(binary) => binary.open(finder).ok().and_then(|opened| opened.elf()),
            _ => None,
        }
    }

    /// The function at an address, as the file has it.
    pub(super) fn function(&mut self, finder: &Finder, address: u64) -> Option<Function> {
        match &mut self.namer {
            Namer::File(binary) => binary.open(finder).ok()?.function(address),
            _ => None,
        }
    }

    /// The function at an address, if it was made at run time.
    pub(super) fn made_function(&mut self, address: u64) -> Option<MadeFunction> {
        match &mut self.namer {
            Namer::JitDump(dump) => dump.function(address),
            Namer::Anonymous { map, .. } => lock(map).function(address),
            _ => None,
        }
    }

    /// Names the functions at these addresses.
    pub(super) fn resolve(
        &mut self,
        addresses: impl Iterator<Item = u64>,
        finder: &Finder,
        detail: Detail,
    ) -> Names {
        let Object { path, namer, listed } = self;
        let mut names = Names::default();
        match listed {
            None => namer.resolve(path, addresses, finder, detail, &mut names),
            Some(listed) => {
                for address in addresses {
                    match listed.name(address) {
                        Some(name) => names.extend(once(Some(name))),
                        None => namer.resolve(path, once(address), finder, detail, &mut names),
                    }
                }
            }
        }
        names
    }

    /// The missing files with its split debug information.
    pub(super) fn missing_split(&self) -> Option<MissingSplit> {
        match &self.namer {
            Namer::File(binary) => binary.opened.as_ref()?.as_ref().ok()?.missing_split(),
            _ => None,
        }
    }

    /// Why it has no names, if it has none.
    pub(super) fn why(&self) -> Option<NoSymbols> {
        // What the recorder did not find in the file is in no other copy of it.
        if self.listed.is_some() {
            return None;
        }
        match &self.namer {
            Namer::File(binary) => match binary.opened.as_ref()? {
                Ok(opened) => opened.why(),
                Err(why) => Some(why.clone()),
            },
            Namer::Kernel(kernel) | Namer::Module(kernel) => kernel.why().cloned(),
            Namer::JitDump(dump) => dump.why.clone(),
            Namer::Anonymous { map, .. } => lock(map).why.clone(),
        }
    }
}

/// A panic of another thread is passed on where it is joined.
fn lock(map: &Mutex<PerfMap>) -> MutexGuard<'_, PerfMap> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

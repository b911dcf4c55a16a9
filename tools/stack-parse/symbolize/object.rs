//! One object: what has its code, and how that is named.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::elf::Elf;
use super::executable;
use super::jitdump::JitDump;
use super::kernel::Kernel;
use super::nameless::Why;
use super::opened::Opened;
use super::perf_map::PerfMap;
use super::resolved::Names;
use super::{Detail, Finder};

/// A file or another thing with code.
#[derive(Debug)]
pub(super) struct Object {
    /// What it is called.
    pub(super) path: Vec<u8>,
    pub(super) code: Code,
    /// How many frames of samples got no name.
    pub(super) nameless: u64,
}

/// What has the code.
#[derive(Debug)]
pub(super) enum Code {
    File(Box<Binary>),
    Kernel(Kernel),
    /// A module, or what else the kernel was given to run.
    Module(Kernel),
    JitDump(JitDump),
    /// Memory without a file.
    Anonymous {
        pid: u32,
        map: Arc<Mutex<PerfMap>>,
    },
}

/// An executable or library.
#[derive(Debug)]
pub(super) struct Binary {
    /// Where it was when it was recorded.
    path: Vec<u8>,
    build_id: Option<Box<[u8]>>,
    /// Whether it is said to be from the kernel that runs.
    is_from_here: bool,
    opened: Option<Result<Opened, Why>>,
}

impl Code {
    pub(super) fn file(path: &[u8], build_id: Option<Box<[u8]>>, is_from_here: bool) -> Code {
        let path = path.to_vec();
        Code::File(Box::new(Binary { path, build_id, is_from_here, opened: None }))
    }
}

impl Binary {
    fn open(&mut self, finder: &Finder) -> Result<&mut Opened, &Why> {
        let Binary { path, build_id, is_from_here, opened } = self;
        let opened = opened.get_or_insert_with(|| {
            let (build_id, Finder { args, places }) = (build_id.as_deref(), finder);
            let elf = match &path[..] {
                executable::VDSO => {
                    executable::open_vdso(places, args.vdso.as_deref(), build_id, *is_from_here)
                }
                path => executable::open(places, path, build_id),
            };
            elf.map(|elf| Opened::new(elf, args.exact_names))
        });
        opened.as_mut().map_err(|why| &*why)
    }
}

impl Object {
    pub(super) fn new(path: &[u8], code: Code) -> Object {
        Object { path: path.to_vec(), code, nameless: 0 }
    }

    pub(super) fn elf(&mut self, finder: &Finder) -> Option<&Elf> {
        match &mut self.code {
            Code::File(binary) => binary.open(finder).ok().map(|opened| &opened.elf),
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
        let mut names = Names::default();
        match &mut self.code {
            Code::File(binary) => {
                let mut opened = binary.open(finder);
                for offset in addresses {
                    match &mut opened {
                        Ok(opened) => opened.names(offset, detail, &mut names),
                        Err(_) => names.push(b"", b"", false),
                    }
                    names.end_location();
                }
            }
            Code::Kernel(kernel) => {
                kernel.open(&finder.places, finder.args.kallsyms.as_deref());
                names.extend(addresses.map(|address| kernel.name(address)));
            }
            Code::Module(kernel) => {
                kernel.open(&finder.places, finder.args.kallsyms.as_deref());
                // The name of a BPF program is all that a profiler tells of it.
                let own = Some(&self.path[..]).filter(|path| !path.starts_with(b"["));
                let own = own.filter(|path| !path.starts_with(b"/"));
                names.extend(addresses.map(|address| kernel.module_name(address).or(own)));
            }
            Code::JitDump(dump) => names.extend(addresses.map(|offset| dump.name(offset))),
            Code::Anonymous { map, .. } => {
                let mut map = lock(map);
                map.refresh();
                names.extend(addresses.map(|address| map.name(address)));
            }
        }
        names
    }

    /// Why it has no names, if it has none.
    pub(super) fn why(&self) -> Option<Why> {
        match &self.code {
            Code::File(binary) => match binary.opened.as_ref()? {
                Ok(opened) => opened.is_stripped().then_some(Why::Stripped),
                Err(why) => Some(why.clone()),
            },
            Code::Kernel(kernel) | Code::Module(kernel) => kernel.why().cloned(),
            Code::JitDump(dump) => dump.why().cloned(),
            Code::Anonymous { map, .. } => lock(map).why().cloned(),
        }
    }
}

/// A panic of another thread is passed on where it is joined.
fn lock(map: &Mutex<PerfMap>) -> MutexGuard<'_, PerfMap> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

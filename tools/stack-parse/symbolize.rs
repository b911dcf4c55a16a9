//! From addresses to the names of functions: object files and their symbols, the
//! kernel's, and those of code that was compiled while the program ran.
//!
//! Nothing here knows how a profiler records.

mod elf;
mod exact_names;
mod executable;
mod inlines;
mod jitdump;
mod kernel;
mod nameless;
mod object;
mod opened;
mod perf_map;
mod places;
mod plt;
mod resolved;
mod spans;
mod symbols;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::env;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use clap::Args;
use hashbrown::HashMap;

use crate::frame::Kind;
use jitdump::JitDump;
use kernel::{Kernel, Reference};
use nameless::Nameless;
use object::{Code, Object};
use perf_map::PerfMap;
use places::Places;

pub(crate) use elf::Elf;
pub(crate) use resolved::{Named, Resolved};

/// Where the files of a recording are.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SymbolizeArgs {
    /// Read every file of the recorded machine below DIR
    #[arg(long, value_name = "DIR")]
    symfs: Option<PathBuf>,

    /// Look for separate debug files below DIR, too; may be given several times
    #[arg(long, value_name = "DIR")]
    debug_dir: Vec<PathBuf>,

    /// The symbols of the recorded kernel: a copy of its /proc/kallsyms
    #[arg(long, value_name = "FILE")]
    kallsyms: Option<PathBuf>,

    /// The vdso of the recorded kernel
    #[arg(long, value_name = "FILE")]
    vdso: Option<PathBuf>,

    /// Name functions of OCaml, and what was inlined into them, as the executable's
    /// frame tables do
    #[arg(long)]
    exact_names: bool,
}

/// A file or another thing with code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId(u32);

impl ObjectId {
    /// Its place in tables: all objects of a run are numbered from 0.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// An object with this number, for tests of what does not open it.
    #[cfg(test)]
    pub(crate) fn numbered(number: u32) -> ObjectId {
        ObjectId(number)
    }
}

/// An object as a profiler tells it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// `/usr/lib/libc.so.6`, `//anon`, `[vdso]`, `[kernel.kallsyms]_text`.
    pub(crate) path: &'a [u8],
    /// What tells it from other files that had the same path.
    pub(crate) build_id: Option<&'a [u8]>,
    /// The process, which may have written where it put its code.
    pub(crate) pid: Option<u32>,
    pub(crate) is_kernel: bool,
    /// Of the kernel itself: the address of the symbol in its path.
    pub(crate) offset: u64,
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Location {
    pub(crate) object: ObjectId,
    /// In a file: the offset in it. Of the kernel and of code without a file: the
    /// address in memory.
    pub(crate) address: u64,
}

/// What is wanted beside the names of functions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detail {
    /// The functions that were put into others.
    pub(crate) inlines: bool,
    /// Lines of the source.
    pub(crate) lines: bool,
}

/// All objects that were met, each opened when it is first needed.
#[derive(Debug)]
pub(crate) struct Objects {
    finder: Finder,
    objects: Vec<Object>,
    known: HashMap<Key, ObjectId>,
    /// The dumps of processes that compile code.
    dumps: HashMap<u32, ObjectId>,
    /// What processes say of the code that they compiled.
    maps: HashMap<u32, Arc<Mutex<PerfMap>>>,
    kernels: Vec<Kernel>,
    /// The kernel of the input that is read.
    kernel: Kernel,
    /// The build-ids of the files of this input.
    build_ids: HashMap<Box<[u8]>, Box<[u8]>>,
    /// Whether this input is said to be from the kernel that runs.
    is_from_here: bool,
}

/// Where to look for what an object has.
#[derive(Debug)]
struct Finder {
    args: SymbolizeArgs,
    places: Places,
}

/// What tells objects apart.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    path: Box<[u8]>,
    build_id: Option<Box<[u8]>>,
    /// Of code without a file, its process; of the kernel, where it was loaded.
    number: u64,
}

impl Objects {
    pub(crate) fn new(args: &SymbolizeArgs) -> Objects {
        let places = Places::new(args, env::var_os("HOME").as_deref());
        Objects {
            finder: Finder { args: args.clone(), places },
            objects: Vec::new(),
            known: HashMap::new(),
            dumps: HashMap::new(),
            maps: HashMap::new(),
            kernels: Vec::new(),
            kernel: Kernel::default(),
            build_ids: HashMap::new(),
            is_from_here: false,
        }
    }

    /// Says which build-id a file of this input had, where its maps do not tell.
    pub(crate) fn set_build_id(&mut self, path: &[u8], build_id: &[u8]) {
        self.build_ids.insert(path.into(), without_padding(build_id).into());
    }

    /// Says which version of Linux this input is from, `6.1.0-13-amd64`: where no
    /// build-id tells, the kernel that runs serves if it is of this version.
    pub(crate) fn set_release(&mut self, release: &[u8]) {
        self.is_from_here = kernel::is_running(release);
    }

    /// The number of an object. Nothing is opened yet.
    pub(crate) fn intern(&mut self, wanted: &Wanted<'_>) -> ObjectId {
        let path = display_path(wanted);
        let build_id = wanted.build_id.map(without_padding);
        let build_id = build_id.or_else(|| self.build_ids.get(&path[..]).map(|id| &id[..]));
        let build_id = build_id.filter(|id| !id.is_empty()).map(Box::from);
        let origin = Origin::of(wanted, build_id.is_some());
        let number = match origin {
            Origin::Kernel => wanted.offset,
            Origin::Module => self.kernel.reference.as_ref().map_or(0, |it| it.address),
            Origin::Anonymous | Origin::JitDump => wanted.pid.map_or(0, u64::from),
            Origin::File => 0,
        };
        let key = Key { path: path.into(), build_id, number };
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = ObjectId(u32::try_from(self.objects.len()).expect("fewer than 4 billion objects"));
        let code = self.code(origin, wanted, key.build_id.clone());
        if let (Origin::JitDump, Some(pid)) = (origin, wanted.pid) {
            self.dumps.insert(pid, id);
        }
        self.objects.push(Object::new(&key.path, code));
        self.known.insert(key, id);
        id
    }

    fn code(&mut self, origin: Origin, wanted: &Wanted<'_>, build_id: Option<Box<[u8]>>) -> Code {
        let places = &self.finder.places;
        match origin {
            Origin::File => Code::file(wanted.path, build_id, self.is_from_here),
            Origin::Kernel => {
                self.kernel = self.kernel_of(wanted, build_id);
                Code::Kernel(self.kernel.clone())
            }
            Origin::Module => Code::Module(self.kernel.clone()),
            Origin::JitDump => {
                let file = places.file(wanted.path);
                Code::JitDump(JitDump::new(file, !places.are_here()))
            }
            Origin::Anonymous => {
                let pid = wanted.pid.unwrap_or_default();
                let map = self.maps.entry(pid).or_insert_with(|| {
                    let file = places.file(&perf_map::path(pid));
                    Arc::new(Mutex::new(PerfMap::new(file, !places.are_here())))
                });
                Code::Anonymous { pid, map: Arc::clone(map) }
            }
        }
    }

    /// The kernel that is wanted, with the symbols of one that was met before if
    /// it is the same.
    fn kernel_of(&mut self, wanted: &Wanted<'_>, build_id: Option<Box<[u8]>>) -> Kernel {
        let new = Kernel::new(build_id, self.is_from_here);
        let known = self.kernels.iter().position(|known| known.is_like(&new));
        let known = known.unwrap_or_else(|| {
            self.kernels.push(new);
            self.kernels.len() - 1
        });
        let symbol = memchr::memchr(b']', wanted.path).map(|end| &wanted.path[end + 1..]);
        let symbol = symbol.unwrap_or_default().into();
        self.kernels[known].at(Some(Reference { symbol, address: wanted.offset }))
    }

    /// An executable with its debug information, for those who read more of it than
    /// symbols; `None` for other code, and if it was not found.
    pub(crate) fn elf(&mut self, id: ObjectId) -> Option<&Elf> {
        self.objects[id.index()].elf(&self.finder)
    }

    /// The location of `address`, which is `offset` in the file of an object, at
    /// this time in nanoseconds.
    #[inline]
    pub(crate) fn locate(
        &mut self,
        id: ObjectId,
        address: u64,
        offset: u64,
        time: Option<u64>,
    ) -> Location {
        match &self.objects[id.index()].code {
            Code::File(_) => Location { object: id, address: offset },
            Code::Anonymous { pid, .. } => match self.dumps.get(pid) {
                Some(&dump) => self.locate_in_dump(dump, address, time),
                None => None,
            }
            .unwrap_or(Location { object: id, address }),
            Code::JitDump(_) | Code::Kernel(_) | Code::Module(_) => {
                Location { object: id, address }
            }
        }
    }

    fn locate_in_dump(
        &mut self,
        id: ObjectId,
        address: u64,
        time: Option<u64>,
    ) -> Option<Location> {
        let Code::JitDump(dump) = &mut self.objects[id.index()].code else { return None };
        let address = dump.offset_of(address, time)?;
        Some(Location { object: id, address })
    }

    /// Names all locations of a batch, of which none should come twice.
    pub(crate) fn resolve(
        &mut self,
        batch: &[Location],
        detail: Detail,
        threads: usize,
    ) -> Resolved {
        let resolved = Resolved::new(&mut self.objects, batch, &self.finder, detail, threads);
        for dump in self.dumps.values() {
            if let Code::JitDump(dump) = &mut self.objects[dump.index()].code {
                dump.may_have_grown();
            }
        }
        resolved
    }

    /// What an object is called: its path, mostly.
    pub(crate) fn path(&self, id: ObjectId) -> &[u8] {
        &self.objects[id.index()].path
    }

    pub(crate) fn kind(&self, id: ObjectId) -> Kind {
        match self.objects[id.index()].code {
            Code::File(_) => Kind::User,
            Code::Kernel(_) | Code::Module(_) => Kind::Kernel,
            Code::Anonymous { .. } | Code::JitDump(_) => Kind::Jit,
        }
    }

    /// Whether the address of a location is an offset in a file.
    pub(crate) fn is_file(&self, id: ObjectId) -> bool {
        matches!(self.objects[id.index()].code, Code::File(_))
    }

    /// Counts frames of samples that got no name.
    pub(crate) fn add_nameless(&mut self, id: ObjectId, frames: u64) {
        self.objects[id.index()].nameless += frames;
    }

    /// What to say of the objects without names; `all` is the number of all frames.
    pub(crate) fn report(&self, all: u64) -> Vec<String> {
        let files = self.objects.iter().filter_map(|object| {
            let (path, frames, why) = (&object.path[..], object.nameless, object.why()?);
            Some(Nameless { path, frames, why })
        });
        nameless::report(files.collect(), all)
    }
}

/// What kind of thing has the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// An executable or library; also the vdso, which looks like one.
    File,
    Kernel,
    /// Kernel modules, BPF programs and what else is loaded after the kernel.
    Module,
    JitDump,
    /// No file has it.
    Anonymous,
}

impl Origin {
    fn of(wanted: &Wanted<'_>, has_build_id: bool) -> Origin {
        let path = wanted.path;
        if wanted.is_kernel {
            let is_kernel = path.starts_with(b"[kernel.") && wanted.offset != 0;
            return if is_kernel { Origin::Kernel } else { Origin::Module };
        }
        if path == executable::VDSO {
            return Origin::File;
        }
        if jitdump::is_dump(path) {
            return Origin::JitDump;
        }
        let has_file = match path {
            // A file in memory only; perf knows it if it has a build-id.
            _ if path.starts_with(b"/memfd:") => has_build_id,
            _ if is_anonymous(path) || path.starts_with(b"//") || path.starts_with(b"/SYSV") => {
                false
            }
            _ => path.starts_with(b"/"),
        };
        if has_file { Origin::File } else { Origin::Anonymous }
    }
}

/// Memory that a process asked for, as Linux and perf call it.
fn is_anonymous(path: &[u8]) -> bool {
    path == b"//anon" || path.starts_with(b"/dev/zero") || path.starts_with(b"/anon_hugepage")
}

/// What perf calls an object: the kernel without the symbol that tells where it was
/// loaded, memory by the file that would name its functions.
fn display_path<'a>(wanted: &Wanted<'a>) -> Cow<'a, [u8]> {
    match (wanted.pid, memchr::memchr(b']', wanted.path)) {
        (_, Some(end)) if wanted.is_kernel && wanted.path.starts_with(b"[kernel.") => {
            Cow::Borrowed(&wanted.path[..=end])
        }
        (Some(pid), _) if is_anonymous(wanted.path) => Cow::Owned(perf_map::path(pid)),
        _ => Cow::Borrowed(wanted.path),
    }
}

/// The build-id without the zeros that fill it up to 20 bytes.
fn without_padding(build_id: &[u8]) -> &[u8] {
    match build_id.strip_suffix(&[0; 4]) {
        Some(short) if build_id.len() == 20 && short.ends_with(&[0; 12]) => &[],
        Some(short) if build_id.len() == 20 => short,
        _ => build_id,
    }
}

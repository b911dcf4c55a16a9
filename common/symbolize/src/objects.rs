//! From addresses to the names of functions: object files and their symbols, the
//! kernel's, and those of code that was compiled while the program ran.
//!
//! Nothing here depends on the profiler.

mod build_id;
mod dwarf_section;
mod elf;
mod exact_names;
mod finder;
mod inlines;
mod jitdump;
mod kernel;
mod listed;
mod location;
mod macho;
mod made_function;
mod mapped_object;
mod named;
mod no_symbols;
mod object;
mod opened;
mod options;
mod perf_map;
mod plt;
mod program;
mod resolved;
mod search;
mod spans;
mod split_dwarf;
mod symbol_table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use hashbrown::HashMap;

use build_id::{BuildId, without_padding};
use finder::Finder;
use jitdump::JitDump;
use kernel::{Kernel, Reference};
use listed::Listed;
use mapped_object::{ObjectKind, display_path};
use object::{Binary, Namer, Object};
use perf_map::PerfMap;

pub use elf::Elf;
pub use listed::{ListedAddresses, ListedFunctions};
pub use location::{Addressing, CodeOrigin, Detail, Location, ObjectId};
pub use made_function::MadeFunction;
pub use mapped_object::MappedObject;
pub use named::Named;
pub use no_symbols::NoSymbols;
pub use options::{Artifact, Fetch, Options};
pub use resolved::Resolved;
pub use split_dwarf::MissingSplit;
pub use symbol_table::{Function, OCAML_STARTS};

/// The objects of one recording. Each is opened when a name of its functions is first needed.
///
/// Files that cannot be used are not errors: their functions have empty names, and
/// [`Objects::why_nameless`] says why.
#[derive(Debug)]
pub struct Objects {
    finder: Finder,
    objects: Vec<Object>,
    known: HashMap<Key, ObjectId>,
    /// The jitdumps of processes that compile code.
    dumps: HashMap<u32, ObjectId>,
    /// The functions that processes compiled, from their `/tmp/perf-PID.map`.
    maps: HashMap<u32, Arc<Mutex<PerfMap>>>,
    kernels: Vec<Kernel>,
    /// The kernel that was mapped last.
    kernel: Kernel,
    /// The build-ids of files, by path.
    build_ids: HashMap<Box<[u8]>, Box<[u8]>>,
    /// The functions that the recording lists, by the path of their file.
    listed: HashMap<Box<[u8]>, Arc<ListedFunctions>>,
    /// Whether the recording is from the version of Linux that runs now.
    is_from_here: bool,
}

/// The values by which objects are distinguished.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    path: Box<[u8]>,
    build_id: Option<BuildId>,
    /// For code without a file, its process; for the kernel, where it was loaded; for a file, what
    /// its addresses count from.
    number: u64,
}

impl Objects {
    /// No objects yet; no files are looked for until names are needed.
    #[must_use]
    pub fn new(options: Options) -> Objects {
        Objects {
            finder: Finder::new(options),
            objects: Vec::new(),
            known: HashMap::new(),
            dumps: HashMap::new(),
            maps: HashMap::new(),
            kernels: Vec::new(),
            kernel: Kernel::default(),
            build_ids: HashMap::new(),
            listed: HashMap::new(),
            is_from_here: false,
        }
    }

    /// Sets the build-id that the file at `path` had after the run, for mapped objects that come
    /// without one. It finds the file elsewhere, but is no proof that this is the file that was
    /// mapped, see [`Objects::has_proof`].
    pub fn set_build_id(&mut self, path: &[u8], build_id: &[u8]) {
        self.build_ids.insert(path.into(), without_padding(build_id).into());
    }

    /// Sets the functions of the file at `path`, as the recording lists them, for objects that are
    /// mapped later. They name its functions; other files are asked only for those that are not
    /// listed, and [`Objects::why_nameless`] has no reason then.
    pub fn set_functions(&mut self, path: &[u8], functions: ListedFunctions) {
        self.listed.insert(path.into(), Arc::new(functions));
    }

    /// Whether the recording lists functions of the file at `path`.
    #[must_use]
    pub fn lists_functions(&self, path: &[u8]) -> bool {
        self.listed.contains_key(path)
    }

    /// Sets the version of Linux that was recorded, such as `6.1.0-13-amd64`. If there is no
    /// build-id, the symbols of the running kernel are used if it has this version.
    pub fn set_release(&mut self, release: &[u8]) {
        self.is_from_here = kernel::is_running(release);
    }

    /// The number of an object, the same for equal objects. No file is opened yet.
    ///
    /// # Panics
    ///
    /// If there are more than 2^32 objects.
    pub fn intern(&mut self, mapped: &MappedObject<'_>) -> ObjectId {
        let path = display_path(mapped);
        let of_mapping = mapped.build_id.map(without_padding);
        let build_id = of_mapping.or_else(|| self.build_ids.get(&path[..]).map(|id| &id[..]));
        let build_id = build_id
            .filter(|id| !id.is_empty())
            .map(|id| BuildId { bytes: id.into(), is_of_mapping: of_mapping.is_some() });
        let kind = ObjectKind::of(mapped, build_id.is_some());
        let functions = self.listed.get(&path[..]).cloned();
        let kind = functions.as_ref().map_or(kind, |functions| Listed::kind(functions, kind));
        let number = match kind {
            ObjectKind::Kernel => mapped.offset,
            ObjectKind::Module => self.kernel.reference.as_ref().map_or(0, |it| it.address),
            ObjectKind::Anonymous | ObjectKind::JitDump => mapped.pid.map_or(0, u64::from),
            ObjectKind::File => u64::from(mapped.addressing == Addressing::Image),
        };
        let key = Key { path: path.into(), build_id, number };
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let index = u32::try_from(self.objects.len()).expect("fewer than 4 billion objects");
        let id = ObjectId::from_index(index);
        let namer = self.namer(kind, mapped, key.build_id.clone());
        if let (ObjectKind::JitDump, Some(pid)) = (kind, mapped.pid) {
            self.dumps.insert(pid, id);
        }
        let listed = functions.map(|functions| Listed::new(&functions, kind, mapped));
        self.objects.push(Object::new(&key.path, namer, listed));
        self.known.insert(key, id);
        id
    }

    fn namer(
        &mut self,
        kind: ObjectKind,
        mapped: &MappedObject<'_>,
        build_id: Option<BuildId>,
    ) -> Namer {
        let finder = &self.finder;
        match kind {
            ObjectKind::File => Namer::file(mapped, build_id, self.is_from_here),
            ObjectKind::Kernel => {
                self.kernel = self.kernel_of(mapped, build_id.map(|id| id.bytes));
                Namer::Kernel(self.kernel.clone())
            }
            ObjectKind::Module => Namer::Module(self.kernel.clone()),
            ObjectKind::JitDump => {
                let file = finder.file(mapped.path);
                Namer::JitDump(Box::new(JitDump::new(file, !finder.is_of_this_machine())))
            }
            ObjectKind::Anonymous => {
                let pid = mapped.pid.unwrap_or_default();
                let map = self.maps.entry(pid).or_insert_with(|| {
                    let file = finder.file(&perf_map::path(pid));
                    Arc::new(Mutex::new(PerfMap::new(file, !finder.is_of_this_machine())))
                });
                Namer::Anonymous { pid, map: Arc::clone(map) }
            }
        }
    }

    /// The mapped kernel. It shares the symbols of a kernel that was mapped before, if that is the
    /// same one.
    fn kernel_of(&mut self, mapped: &MappedObject<'_>, build_id: Option<Box<[u8]>>) -> Kernel {
        let new = Kernel::new(build_id, self.is_from_here);
        let known = self.kernels.iter().position(|known| known.is_like(&new));
        let known = known.unwrap_or_else(|| {
            self.kernels.push(new);
            self.kernels.len() - 1
        });
        let symbol = memchr::memchr(b']', mapped.path).map(|end| &mapped.path[end + 1..]);
        let symbol = symbol.unwrap_or_default().into();
        self.kernels[known].at(Some(Reference { symbol, address: mapped.offset }))
    }

    /// The executable of an object, and its debug file, for callers that need more than symbols;
    /// `None` for other code, and if the file was not found.
    pub fn elf(&mut self, id: ObjectId) -> Option<&Elf> {
        self.objects[id.index()].elf(&self.finder)
    }

    /// The function of an object file at an address, as the file has it; `None` for other code, and
    /// if no symbol says it.
    pub fn function(&mut self, id: ObjectId, address: u64) -> Option<Function> {
        self.objects[id.index()].function(&self.finder, address)
    }

    /// The function at a location, if a process made it while it ran; `None` for other code, and if
    /// the process has not described it.
    pub fn made_function(&mut self, location: Location) -> Option<MadeFunction> {
        self.objects[location.object.index()].made_function(location.address)
    }

    /// The location of the code at `address` in memory, which is at `offset` in the object's file.
    /// A process may replace code that it compiled: the code at this `time` is taken, in
    /// nanoseconds of the recording's clock.
    #[inline]
    pub fn locate(
        &mut self,
        id: ObjectId,
        address: u64,
        offset: u64,
        time: Option<u64>,
    ) -> Location {
        match &self.objects[id.index()].namer {
            Namer::File(_) => Location { object: id, address: offset },
            Namer::Anonymous { pid, .. } => match self.dumps.get(pid) {
                Some(&dump) => self.locate_in_dump(dump, address, time),
                None => None,
            }
            .unwrap_or(Location { object: id, address }),
            Namer::JitDump(_) | Namer::Kernel(_) | Namer::Module(_) => {
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
        let Namer::JitDump(dump) = &mut self.objects[id.index()].namer else { return None };
        let address = dump.offset_of(address, time)?;
        Some(Location { object: id, address })
    }

    /// Names all locations of a batch on at most `threads` threads, including the caller's. A
    /// location that comes twice is named twice.
    pub fn resolve(&mut self, batch: &[Location], detail: Detail, threads: usize) -> Resolved {
        let resolved = Resolved::new(&mut self.objects, batch, &self.finder, detail, threads);
        for dump in self.dumps.values() {
            if let Namer::JitDump(dump) = &mut self.objects[dump.index()].namer {
                dump.may_have_grown = true;
            }
        }
        resolved
    }

    /// All objects.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..).take(self.objects.len()).map(ObjectId::from_index)
    }

    /// The name of an object as perf shows it: mostly its path.
    #[must_use]
    pub fn path(&self, id: ObjectId) -> &[u8] {
        &self.objects[id.index()].path
    }

    /// Where the code of an object comes from.
    #[must_use]
    pub fn origin(&self, id: ObjectId) -> CodeOrigin {
        match self.objects[id.index()].namer {
            Namer::File(_) => CodeOrigin::File,
            Namer::Kernel(_) | Namer::Module(_) => CodeOrigin::Kernel,
            Namer::Anonymous { .. } | Namer::JitDump(_) => CodeOrigin::Memory,
        }
    }

    /// The build-id of an object's file, if the recording holds it.
    #[must_use]
    pub fn build_id(&self, id: ObjectId) -> Option<&[u8]> {
        self.binary(id)?.build_id()
    }

    /// Whether the recording has the build-id of the very file that was mapped.
    #[must_use]
    pub fn has_proof(&self, id: ObjectId) -> bool {
        self.binary(id).is_some_and(Binary::has_proof)
    }

    /// Whether the names are those of the file at the object's path; known after names were asked
    /// for.
    #[must_use]
    pub fn is_at_path(&self, id: ObjectId) -> bool {
        self.binary(id).is_some_and(Binary::is_at_path)
    }

    /// Whether the file below [`Options::root`] was taken though it has another build-id than
    /// [`Objects::set_build_id`] said; known after names were asked for.
    #[must_use]
    pub fn is_against_list(&self, id: ObjectId) -> bool {
        self.binary(id).is_some_and(Binary::is_against_list)
    }

    /// Whether an object's file has the function [`OCAML_STARTS`]; known after names were asked for.
    #[must_use]
    pub fn is_of_ocaml(&self, id: ObjectId) -> bool {
        self.binary(id).is_some_and(Binary::is_of_ocaml)
    }

    fn binary(&self, id: ObjectId) -> Option<&Binary> {
        match &self.objects[id.index()].namer {
            Namer::File(binary) => Some(binary),
            _ => None,
        }
    }

    /// The object whose file should name the functions of this one. For code that a process
    /// compiled, that is its jitdump if the jitdump could not be read; else it is the object
    /// itself.
    #[must_use]
    pub fn namer_of(&self, id: ObjectId) -> ObjectId {
        let Namer::Anonymous { pid, .. } = &self.objects[id.index()].namer else { return id };
        let dump = self.dumps.get(pid).copied();
        dump.filter(|&dump| self.why_nameless(dump).is_some()).unwrap_or(id)
    }

    /// Why an object has no names, if it has none; known after names were asked for.
    #[must_use]
    pub fn why_nameless(&self, id: ObjectId) -> Option<NoSymbols> {
        self.objects[id.index()].why()
    }

    /// The missing files with split debug information (`.dwo`) of an object, because of which
    /// functions inlined there have no names; known after names were asked for.
    #[must_use]
    pub fn missing_split(&self, id: ObjectId) -> Option<MissingSplit> {
        self.objects[id.index()].missing_split()
    }
}

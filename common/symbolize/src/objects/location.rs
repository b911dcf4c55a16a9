//! Locations in code: an object, and an address in it.

/// One of the objects with code, mostly files, that an [`Objects`](crate::Objects) knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);

impl ObjectId {
    /// The object with this index, for tables that keep numbers.
    #[must_use]
    pub fn from_index(index: u32) -> ObjectId {
        ObjectId(index)
    }

    /// Its index in tables: the objects are numbered from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An address in the code of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Which object it is in.
    pub object: ObjectId,
    /// In bytes. For [`CodeOrigin::File`], it counts from where [`Addressing`] says; for others, it
    /// is the address in memory.
    pub address: u64,
}

/// What the addresses in the code of a file count from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// The start of the file: they are offsets in it, as in maps of memory.
    #[default]
    File,
    /// The lowest address at which the file is loaded, as in samply and the Firefox profiler.
    Image,
}

/// Where the code of an object comes from, which decides what the addresses in it are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeOrigin {
    /// A program or a library: addresses are offsets in the file.
    File,
    /// The kernel, or what it loaded later: addresses are in memory.
    Kernel,
    /// Memory without a file, into which a process compiled the code: addresses are in memory, or
    /// in the dump that the process wrote.
    Memory,
}

/// What is looked up besides the names of functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detail {
    /// The functions that the compiler inlined.
    pub inlines: bool,
    /// Lines of the source.
    pub lines: bool,
}

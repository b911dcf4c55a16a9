//! From addresses in programs to names: functions, inlined functions, and lines of the source. For
//! profiles of Linux programs, their libraries, the kernel, and code that was compiled while a
//! program ran.
//!
//! [`Objects`] holds all files and other objects with code in a recording, and finds each file with
//! its debug information. A profiler records addresses in memory, and which files were mapped
//! there. The offset of an address in its file is a [`Location`]. [`Objects::resolve`] names many
//! locations at once, on several threads:
//!
//! ```no_run
//! use symbolize::{Detail, MappedObject, Objects, Options};
//!
//! let mut objects = Objects::new(Options::default());
//! // 55d0c5a01000-55d0c5a07000 r-xp 00001000 ... /usr/bin/cat
//! let cat = objects.intern(&MappedObject { path: b"/usr/bin/cat", ..Default::default() });
//! let (address, offset) = (0x55d0_c5a0_2340, 0x2340);
//! let location = objects.locate(cat, address, offset, None);
//! let resolved = objects.resolve(&[location], Detail { inlines: true, lines: true }, 1);
//! for function in resolved.frames(0) {
//!     println!("{} {}", function.name.escape_ascii(), function.source.escape_ascii());
//! }
//! ```
//!
//! [`executable`] lists the functions of one file, without a profile.
//!
//! # What is read
//!
//! | what | where it is looked for |
//! |---|---|
//! | symbols of ELF (32 or 64 bits, little-endian), also of stubs: `memcpy@plt` | the file, its debug file |
//! | inlined functions and lines: DWARF 2 to 5, compressed or not | the same, and the file that `dwz` made |
//! | debug files | by build-id and by `.gnu_debuglink`, in `/usr/lib/debug`, beside the file, and in `~/.debug` of perf |
//! | the kernel and its modules: kallsyms | the file that is given, `~/.debug`, `/proc/kallsyms` if it is the same kernel |
//! | the vdso | the file that is given, `~/.debug`, that of this process |
//! | code compiled at run time | `jit-PID.dump` and `/tmp/perf-PID.map` |
//! | OCaml's functions and what was inlined into them | the frame tables of the executable |
//!
//! If an address has several symbols, the one that `perf report` shows is taken. Names are bytes,
//! and mangled as in the file, except those from OCaml's frame tables.
//!
//! A file whose build-id differs from the recorded one is never read, and what a process wrote into
//! `/tmp` counts only if the user or root owns it. [`Objects::why_nameless`] says why an object has
//! no names. Damaged files are not errors: they give fewer names.
//!
//! Files stay in memory as long as the program runs: [`Options::open`] reads or maps them.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// Its example is run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod below;
mod bounded_slice;
mod bytes;
pub mod executable;
#[cfg(test)]
#[path = "../../../tests/needs/missing.rs"]
mod missing;
mod objects;
mod sections;

pub use below::below_root;
pub use objects::{
    Addressing, Artifact, CodeOrigin, Detail, Elf, Fetch, Function, ListedAddresses,
    ListedFunctions, Location, MadeFunction, MappedObject, MissingSplit, Named, NoSymbols,
    OCAML_STARTS, ObjectId, Objects, Options, Resolved,
};
pub use sections::section_bytes;

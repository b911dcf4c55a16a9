//! Reads what Linux perf records, files and streams, without perf.
//!
//! A [`Recording`] passes its [`Record`]s to the caller in the order of time. [`Processes`] keeps
//! what they say of processes: what is mapped where, and the names of threads. An [`Unwinder`]
//! finds the stack of a [`RawSample`]: the call chain that the kernel recorded, or the frames that
//! it unwinds from a copy of the stack, by the call frame information of object files and by frame
//! pointers. [`Summary`] says what was lost and what could not be read.
//!
//! ```no_run
//! use stack_perf_data::{Processes, Record, Recording, Unwinder};
//!
//! let recording = Recording::from_file(std::fs::File::open("perf.data")?)?;
//! let (mut processes, mut paths) = (Processes::new(), Vec::new());
//! let (mut unwinder, mut frames) = (Unwinder::new(), Vec::new());
//! let summary = recording.read(|record| -> std::io::Result<()> {
//!     processes.apply(&record, |map| {
//!         paths.push(map.path.to_vec());
//!         paths.len() - 1
//!     });
//!     if let Record::Sample(sample) = record {
//!         unwinder.unwind(&sample, &processes, &mut (), &mut frames);
//!         println!("{:?} {:?}", sample.time, frames);
//!     }
//!     Ok(())
//! })?;
//! eprintln!("{} samples, {} lost", summary.samples, summary.lost());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This library does not find names of functions: for an address it returns the object that is
//! mapped there, and where in the object the address is.

#![warn(missing_docs)]

mod bytes;
mod delivery;
mod error;
mod events;
#[cfg(test)]
#[path = "../../../tests/needs/missing.rs"]
mod missing;
mod processes;
mod recording;
mod records;
mod sample;
mod stream;
mod summary;
#[cfg(test)]
mod tests;
mod unwind;

/// Compiles the example in README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use error::Error;
pub use events::{CallGraph, RecordedEvent, TraceContext};
pub use processes::Processes;
pub use recording::Recording;
pub use records::{FileId, FileSymbols, MapRecord, Record, SwitchKind};
pub use sample::{NoParallelism, RawSample};
pub use summary::Summary;
pub use unwind::dump::LONGEST_COPY;
pub use unwind::sections::{
    LoadedSegment, MadeFunction, UnwindFiles, UnwindFunction, UnwindSections,
};
pub use unwind::{StackEnd, StackFrame, Unwinder};

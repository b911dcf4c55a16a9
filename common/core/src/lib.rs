//! The library of all stack tools: the folded format, input, output, messages, errors and what
//! surrounds every `main`.
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | frame | one function of a call stack: its name, then maybe its place and its marks |
//! | mark | what kind of code a frame is, after its name: `_[k]` kernel, `_[i]` inlined |
//! | root, leaf | the first frame of a stack, which called all others, and the last one, which was running |
//! | stack | the frames from root to leaf |
//! | folded line | a stack and its count: `main;parse;read 14` |
//! | label | what is known of a line's samples beside their stack, before it: `tid=4711` and a tab |
//! | fold, collapse | to make one folded line of equal stacks; to replace several frames by one |
//! | count, weight | what a stack counts for: a number of samples, or nanoseconds, bytes and so on |
//! | sample | what a profiler records at one moment: a stack, and often a time, a thread and a period |
//! | period | what one sample stands for, in the unit of its event |
//! | event | what a profiler takes samples of: `cycles` and `page-faults` have different samples |
//! | measure | one of several weights of the same sample: `alloc_objects` and `alloc_space` |
//! | self | the weight of the stacks that end in a frame |
//! | total | the weight of the stacks that hold a frame; also a number of lines and their weight, [`Total`](io::Total) |
//! | place | a line of the source: a path, a line and maybe a column; not an address, a folder or an offset |
//! | location | an address in an object, from which a name is looked up |
//! | dso | the file that code was loaded from, as perf calls it: an executable or a library |
//! | tower | a recursion in a stack: the same frames, direct or through others, repeated |
//! | header | lines before the stacks that say what was counted: `# unit: samples` |
//! | interval | a time of a live recording; the stacks of each follow each other, and a line `# end 2.000` ends them |
//! | block | the bytes that are read at once; it ends where a line ends |
//!
//! One noun means one thing in all crates. `Place` and `Event` are one type each; whatever else
//! is a kind of place, event, stack, entry or reader has a first name that says which:
//! `TraceEvent`, `GdbReader`.
//!
//! # A tool
//!
//! A tool is a function from its arguments and a [`Pipe`](pipe::Pipe) to a [`Status`]:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use clap::Parser;
//! use common::io::Files;
//! use common::pipe::{Comments, Pipe};
//! use common::{Result, Status};
//!
//! /// Pass every folded line on
//! #[derive(Parser)]
//! struct Args {
//!     #[command(flatten)]
//!     files: Files,
//! }
//!
//! fn main() -> ExitCode {
//!     common::run(stack_pass)
//! }
//!
//! fn stack_pass(args: Args, pipe: &mut Pipe) -> Result<Status> {
//!     pipe.lines(&args.files).comments(Comments::Pass).each(|line, pipe| pipe.pass(&line))?;
//!     Ok(pipe.status())
//! }
//! ```

#![warn(missing_docs)]

/// Compiles the example in README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod compare;
pub mod critical;
mod error;
pub mod folded;
// The fuzz target for AFL++.
#[cfg(stack_tools_fuzz)]
#[path = "../../../tests/fuzz/harness.rs"]
mod fuzz;
pub mod heat;
pub mod hints;
pub mod io;
pub mod markdown;
pub mod names;
pub mod numbers;
pub mod own_code;
pub mod pattern;
pub mod peers;
pub mod picture;
pub mod pipe;
mod run;
pub mod shell;
mod sibling;
pub mod sources;
pub mod stacks;
mod status;
pub mod trust;

pub use error::{Error, Result, reason};
pub use run::{run, run_wrapper};
pub use sibling::sibling;
pub use status::Status;

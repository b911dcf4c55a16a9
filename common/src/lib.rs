//! What every stack tool stands on: the folded format, input, output,
//! accounts, errors and the frame around `main`.
//!
//! A tool is a function from its arguments and a [`Pipe`] to a [`Status`]:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use clap::Parser;
//! use common::{Files, Pipe, Result, Status};
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
//!     pipe.filter(&args.files, |line, pipe| pipe.pass(&line))?;
//!     Ok(pipe.status())
//! }
//! ```

#![warn(missing_docs)]

mod binary;
mod error;
mod folded;
mod io;
mod names;
mod pattern;
mod pipe;
mod run;
mod stacks;

pub use binary::{Call, Dwarf, ExactName, Place, Source, Symbol, Symbols, Unreadable, ocaml_calls};
pub use error::{Error, Result};
pub use folded::{
    FoldedLine, FoldedPair, Frames, HEADER_KEYS, Headers, Malformed, StackBuf, append_folded,
    clean_frame, header_line, parse_header,
};
pub use io::blocks::{Block, Blocks};
pub use io::input::{Files, Input, STDIN, read_whole};
pub use io::mapped::{CACHE_LINE, Mapped, prefetch};
pub use io::output::{Output, STDOUT};
pub use io::stats::{Stats, Total};
pub use names::{cpp, ocaml, rust};
pub use pattern::{bad_pattern, pattern_text};
pub use pipe::Pipe;
pub use run::{Status, run};
pub use stacks::{
    FrameId, FrameTable, NodeId, SortedStack, SortedStacks, StackCounts, StackIds, StackTree,
};

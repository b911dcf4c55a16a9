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

mod accounts;
mod blocks;
mod complaints;
mod counting;
mod counts;
pub mod cpp;
mod dwarf;
mod error;
mod executable;
mod folded;
mod frame_map;
mod frames;
mod heaviest;
mod input;
mod line_texts;
mod mapped;
pub mod ocaml;
mod ocaml_frames;
mod output;
mod pattern;
mod pipe;
mod progress;
mod run;
mod run_order;
pub mod rust;
mod sorted_stacks;
mod stack_ids;
mod stacks;
mod symbols;
mod tree;
mod utf16;
mod zstd;

pub use accounts::{Accounts, Flow};
pub use blocks::{Block, Blocks};
pub use complaints::Complaints;
pub use counts::StackCounts;
pub use error::{Error, Result};
pub use executable::Unreadable;
pub use folded::{FoldedLine, FoldedPair, Frames, Malformed, StackBuf, append_folded, clean_frame};
pub use frame_map::FrameMap;
pub use frames::{FrameId, FrameTable};
pub use heaviest::{HeaviestTree, TreeNode};
pub use input::{Files, Input, STDIN, read_whole};
pub use mapped::{CACHE_LINE, Mapped, prefetch};
pub use ocaml_frames::{Call, Place, ocaml_calls};
pub use output::{Output, STDOUT};
pub use pattern::{bad_pattern, pattern_text};
pub use pipe::Pipe;
pub use run::{Status, run};
pub use sorted_stacks::{SortedStack, SortedStacks};
pub use stack_ids::StackIds;
pub use symbols::{Dwarf, ExactName, Source, Symbol, Symbols};
pub use tree::{NodeId, StackTree};

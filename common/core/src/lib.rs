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
//! | total | the weight of the stacks that hold a frame; also a number of lines and their weight, [`Total`] |
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

/// Compiles the example in README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(target_env = "musl")]
mod allocator;
pub mod compare;
mod digits;
mod error;
mod folded;
// The fuzz target for AFL++.
#[cfg(stack_tools_fuzz)]
#[path = "../../../tests/fuzz/harness.rs"]
mod fuzz;
pub mod heat;
mod hints;
mod io;
mod names;
mod numbers;
mod pattern;
pub mod peers;
mod percent;
mod picture;
mod pipe;
mod run;
mod seconds;
mod shell;
mod sibling;
mod stacks;
mod status;

pub use digits::{decimal, hexadecimal, is_digits};
pub use error::{Error, Result};
pub use folded::{
    FoldedLine, FoldedPair, Frames, HEADER_KEYS, Headers, Label, LabelKeys, Labels, Malformed,
    NO_STACK, StackBuf, append_folded, append_label, append_label_frame, clean_frame,
    clean_frame_in_place, clean_label_key, counts_samples, end_line, header_line, is_end_line,
    is_label_key, lacks_frames, noted_samples, parse_header, parse_label_key, sort_labels,
};
pub use hints::{NO_PLACES, NO_WEIGHT};
pub use io::blocks::{Block, Blocks};
pub use io::input::{Files, Input, STDIN, read_whole};
pub use io::lines::{SCAN_STEP, lines, newline_bits, without_cr};
pub use io::messages::print as say;
pub use io::output::{Output, unwritten};
pub use io::progress::Waiting;
pub use io::screen::Screen;
pub use io::seekable::Seekable;
pub use io::stats::{Stats, Total};
pub use io::table::{append_row, push_field, push_quoted, unquoted};
pub use io::terminal_color::{Color, terminal_color};
pub use io::unsafe_code::map_executable;
pub use io::whole_file::{is_same_file, write as write_whole_file};
pub use io::zstd::Zstd;
pub use names::{
    CodeKind, FrameParts, base_of_place, code_kinds, cpp, escaped, file_and_line, fitted,
    fitted_path, fitted_with, is_unseen, module, name_hash, names_of_stack, normalize, ocaml,
    printable, rust, shortened, split_place, symbol_name, unit_of_event, utf8, without_g,
};
pub use numbers::{MINUS, Unit, counted, grouped, rounded_share, share, share_number};
pub use pattern::{
    Finder, PatternArgs, PatternSyntax, bad_pattern, compile_patterns, compile_whole_patterns,
    literal_pattern, looks_ahead, mentions_mark, pattern_text, patterns_in, patterns_of,
};
pub use percent::Percent;
pub use picture::{Theme, content_policy, page_script, page_style};
pub use pipe::{Limit, Live, Pipe, Split, no_label, root_of_file, what_file_is};
pub use run::{run, run_wrapper};
pub use seconds::{nanoseconds, nanoseconds_of_label, seconds};
pub use shell::{shell_argument, shell_word};
pub use sibling::sibling;
pub use stacks::{
    Call, CallTree, FrameId, FrameTable, FrameWeights, HeaviestTree, NodeId, Overflows, Room,
    SortedStack, SortedStacks, StackCounts, StackIds, StackTree, TreeNode, filled, shared_prefix,
    with_room,
};
pub use status::Status;

//! What one executable holds about its functions: ELF, DWARF, symbols, and the frame tables of
//! OCaml. The bytes must be those of the whole file; only little-endian executables and libraries
//! of 64 bits can be read.
//!
//! [`Symbols`] has all functions, with the names and lines that OCaml's backtraces would have:
//!
//! ```no_run
//! use symbolize::executable::{SourceLine, Symbols};
//!
//! let program = std::fs::read("target/release/app")?;
//! for function in Symbols::parse_with_lines(&program)?.functions {
//!     let line = function.source.as_ref().map_or(b"-".to_vec(), SourceLine::to_bytes);
//!     println!("{:#x} {} {}", function.address, function.symbol.escape_ascii(), line.escape_ascii());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dwarf;
mod frame_pointers;
mod image;
mod ocaml_frames;
mod source_line;
mod symbols;
mod unreadable;

pub use frame_pointers::{FramePointers, frame_pointers, is_go_with_debug_frames};
pub(crate) use ocaml_frames::is_ocaml;
pub use ocaml_frames::{Call, CallFrame, Unwinding, ocaml_calls, unwinding};
pub use source_line::SourceLine;
pub use symbols::{Mark, OcamlName, Symbol, Symbols};
pub use unreadable::Unreadable;

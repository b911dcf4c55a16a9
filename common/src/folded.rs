//! The folded format: its one parser and its one writer.
//!
//! `frame(;frame)* SP count LF`, root first; man/folded-stack.5 is the grammar.

mod frames;
mod line;
mod writer;

pub use frames::Frames;
pub use line::{FoldedLine, FoldedPair, Malformed};
pub use writer::{StackBuf, append_folded, clean_frame};

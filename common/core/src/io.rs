//! Bytes in and out: inputs, also compressed ones, standard output, messages, progress and the sums
//! that `--stats` prints.

pub(crate) mod blocks;
mod compressed;
pub(crate) mod input;
pub(crate) mod line_ends;
pub(crate) mod lines;
mod lz4;
pub(crate) mod messages;
pub(crate) mod out_of_memory;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod scanned;
pub(crate) mod screen;
pub(crate) mod seekable;
mod standard;
pub(crate) mod stats;
pub(crate) mod table;
pub(crate) mod terminal_color;
pub(crate) mod unsafe_code;
mod utf16;
mod watched;
pub(crate) mod whole_file;
mod xz;
mod zip;
pub(crate) mod zstd;

pub use blocks::{Block, Blocks};
pub use input::{Files, Input, STDIN, read_whole};
pub use lines::{SCAN_STEP, lines, newline_bits, without_cr};
pub use messages::print as say;
pub use output::{Output, unwritten};
pub use progress::Waiting;
pub use screen::Screen;
pub use seekable::Seekable;
pub use stats::{Stats, Total};
pub use table::{append_row, push_bytes, push_field, push_quoted, unquoted};
pub use terminal_color::{Color, terminal_color};
pub use unsafe_code::map_executable;
pub use whole_file::{is_same_file, replaced_by_write, write as write_whole_file};
pub use zstd::Zstd;

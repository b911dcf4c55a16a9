//! Bytes in and out: inputs, also compressed ones, standard output, messages, progress and the sums
//! that `--stats` prints.

pub(crate) mod blocks;
mod compressed;
pub(crate) mod input;
pub(crate) mod lines;
mod lz4;
pub(crate) mod messages;
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
pub(crate) mod zstd;

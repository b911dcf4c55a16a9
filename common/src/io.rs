//! Bytes in and out: inputs of any packing, standard output, messages, progress
//! and the sums that `--stats` prints.

pub(crate) mod blocks;
mod closed_stdout;
pub(crate) mod input;
pub(crate) mod messages;
pub(crate) mod output;
mod packed;
pub(crate) mod progress;
pub(crate) mod seekable;
pub(crate) mod stats;
mod utf16;
mod zstd;

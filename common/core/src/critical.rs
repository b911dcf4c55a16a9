//! The critical path through slices of wall time: what had to end so that a program could end.

mod lengths;
mod main_thread;
mod path;
mod slices;
mod times;

pub use lengths::{Lengths, is_without_sample, without_waker};
pub use main_thread::main_threads;
pub use path::{Ends, Part, walk};
pub use slices::{Slice, Slices, Thread, ThreadId, is_away};
pub use times::{Replayed, Times};

//! The critical path through slices of wall time: what had to end so that a program could end.

mod lengths;
mod main_thread;
mod path;
mod slices;
mod times;

pub use lengths::{Lengths, is_without_sample, without_waker};
pub use main_thread::main_threads;
pub use path::{Ends, Part, walk};
pub use slices::{Slice, Slices, Thread, ThreadId};
pub use times::{Replayed, Times};

/// What is in the names of functions that wait for a lock.
pub const LOCKS: [&str; 12] = [
    "lll_lock_wait",
    "mutex_lock",
    "rwlock",
    "rdlock",
    "wrlock",
    "lock_contended",
    "lock_slow",
    "RawMutex",
    "semacquire",
    "rwsem_down",
    "caml_plat_lock",
    "take_gil",
];

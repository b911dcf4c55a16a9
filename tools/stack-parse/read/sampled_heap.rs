//! Profiles of memory for which only some allocations were sampled.

use crate::samples::events::Measure;

/// What such a profile counts of each stack: all that it allocated, and what is in use.
pub(crate) const HEAP: [Measure<'static>; 4] = [
    Measure { name: b"alloc_objects", unit: b"count" },
    Measure { name: b"alloc_space", unit: b"bytes" },
    Measure { name: b"inuse_objects", unit: b"count" },
    Measure { name: b"inuse_space", unit: b"bytes" },
];

/// The place of `inuse_space` among [`HEAP`], which is taken unless the user chooses.
pub(crate) const IN_USE: usize = 3;

/// How many objects of a stack there are for each that was sampled: `count` objects of `bytes`
/// bytes were, one for each `rate` bytes. pprof and jeprof estimate it alike: an object of n bytes
/// is sampled with probability 1 - e^(-n/rate). `None` if all were sampled.
pub(crate) fn scale(count: u64, bytes: u64, rate: f64) -> Option<f64> {
    if count == 0 || bytes == 0 || rate <= 1.0 {
        return None;
    }
    let size = bytes as f64 / count as f64;
    Some(1.0 / (1.0 - (-size / rate).exp()))
}

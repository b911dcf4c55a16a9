//! Profiles of memory for which only some allocations were sampled.

use crate::samples::events::Measure;

/// The measures of such a profile: all that a stack allocated, and what is in use.
pub(crate) const HEAP: [Measure<'static>; 4] = [
    Measure { name: b"alloc_objects", unit: b"count" },
    Measure { name: b"alloc_space", unit: b"bytes" },
    Measure { name: b"inuse_objects", unit: b"count" },
    Measure { name: b"inuse_space", unit: b"bytes" },
];

/// The index of `inuse_space` in [`HEAP`], which is the default.
pub(crate) const IN_USE: usize = 3;

/// The estimated number of objects for each sampled one: of a stack, `count` objects with `bytes`
/// bytes were sampled, one for each `rate` bytes. pprof and jeprof use the same estimate: an object
/// of n bytes is sampled with probability 1 - e^(-n/rate). `None` if there is nothing to scale.
pub(crate) fn scale(count: u64, bytes: u64, rate: f64) -> Option<f64> {
    if count == 0 || bytes == 0 || rate <= 1.0 {
        return None;
    }
    let size = bytes as f64 / count as f64;
    Some(1.0 / (1.0 - (-size / rate).exp()))
}

//! Weights that a file has and that cannot be counted.

use crate::samples::Samples;

/// Says that so many weights are left out, if any is: those that are no numbers, or have a
/// fraction where there is none, or are below zero or over 64 bits.
pub(crate) fn note_bad_weights(count: u64, samples: &mut Samples<'_>) {
    if count > 0 {
        samples.note(format_args!("{count} weights are no integers of 64 bits: they are left out"));
    }
}

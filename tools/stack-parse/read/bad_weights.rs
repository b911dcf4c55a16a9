//! Weights in a file that cannot be counted.

use crate::samples::Samples;

/// Notes how many weights are left out, if any: those that are not numbers, have a fraction where
/// only integers are valid, or are below zero or over 64 bits.
pub(crate) fn note_bad_weights(count: u64, samples: &mut Samples<'_>) {
    samples.note_counts(&[(count, "weights are no integers of 64 bits: they are left out")]);
}

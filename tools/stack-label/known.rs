//! What a line says of itself.

use common::folded::{FoldedLine, Label, is_slice};
use common::numbers::nanoseconds_of_label;

/// The labels of a line that say in which span it may be.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'a> {
    /// In nanoseconds.
    pub(crate) time: Option<u64>,
    pub(crate) tid: Option<&'a [u8]>,
    pub(crate) pid: Option<&'a [u8]>,
    pub(crate) event: &'a [u8],
    /// Whether it is a slice of wall time, which is not of a moment.
    pub(crate) is_slice: bool,
}

impl<'a> Known<'a> {
    /// Reads all labels once: to look for each would take longer.
    pub(crate) fn of(line: &FoldedLine<'a>) -> Known<'a> {
        let mut known = Known::default();
        for Label { key, value } in line.labels.iter() {
            match key {
                b"time" => known.time = nanoseconds_of_label(value),
                b"tid" => known.tid = Some(value),
                b"pid" => known.pid = Some(value),
                b"event" => known.event = value,
                b"state" => known.is_slice = is_slice(line),
                _ => {}
            }
        }
        known
    }
}

//! The process of a trace, as its samples have it.

use crate::samples::events::Measure;
use crate::samples::sample::{Sample, Time};

/// The measures of a sample.
pub(super) const MEASURES: [Measure<'static>; 3] = [
    Measure { name: b"samples", unit: b"samples" },
    Measure { name: b"words", unit: b"words" },
    Measure { name: b"bytes", unit: b"bytes" },
];

/// The process that allocated.
pub(super) struct Process {
    pub(super) comm: Vec<u8>,
    pub(super) pid: Vec<u8>,
    /// When the trace begins, in microseconds since the epoch.
    pub(super) begun: u64,
    /// The rounded weight of a sample, for each of [`MEASURES`].
    pub(super) weights: [u64; 3],
}

impl Process {
    /// The nanoseconds from the start of the trace to `time`, which is in microseconds since the
    /// epoch.
    pub(super) fn since(&self, time: u64) -> i64 {
        let since = (i128::from(time) - i128::from(self.begun)) * 1000;
        i64::try_from(since).unwrap_or(if since < 0 { i64::MIN } else { i64::MAX })
    }

    /// `count` samples of one allocation, at `time` in microseconds since the epoch.
    pub(super) fn sample<'a>(&'a self, time: u64, count: u64, domain: &'a [u8]) -> Sample<'a> {
        Sample {
            comm: &self.comm,
            pid: Some(&self.pid),
            tid: Some(domain),
            time: Some(Time::Nanoseconds(time.saturating_mul(1000))),
            since: Some(self.since(time)),
            weights: &self.weights,
            count,
            ..Sample::default()
        }
    }
}

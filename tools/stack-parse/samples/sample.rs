//! A sample, as every format reports it.

use std::num::NonZero;

use bstr::ByteSlice;
use common::{folded::Label, io::Total, numbers::nanoseconds, stacks::NodeId};

/// Where and when a sample was taken and its weight: all except its frames. Unknown fields are
/// empty or `None`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    /// The thread's name.
    pub(crate) comm: &'a [u8],
    pub(crate) pid: Option<&'a [u8]>,
    pub(crate) tid: Option<&'a [u8]>,
    pub(crate) cpu: Option<&'a [u8]>,
    pub(crate) time: Option<Time<'a>>,
    /// The event that was sampled; ignored where the input has measures.
    pub(crate) event: &'a [u8],
    /// The weight of one sample: its period in the event's unit, or one number for each measure of
    /// the input. Empty means 1, as for tracepoints, which have no period.
    pub(crate) weights: &'a [u64],
    /// How many samples this is, all with the same frames and weights.
    pub(crate) count: u64,
    /// How many of the recorded threads ran at that time: `--weight latency` divides the weight by
    /// it.
    pub(crate) parallelism: Option<NonZero<u32>>,
    /// How many samples were drawn for it, where the format sums them and gives that number; 0 if
    /// the format gives the number for the whole input at its end.
    pub(crate) drawn: Option<u64>,
    /// The text of a tracepoint.
    pub(crate) text: &'a [u8],
    pub(crate) context: Context,
    /// Whether it is a switch of the scheduler without a text, by which its thread leaves the
    /// processor. When it gets one again is told by [`Samples::switched`](super::Samples::switched).
    pub(crate) leaves: bool,
    /// When it was taken, in nanoseconds after the first sample of its recording, where the input
    /// itself has this time; may be negative.
    pub(crate) since: Option<i64>,
    /// Further labels, those for which [`Samples::wants_label`](super::Samples::wants_label) is
    /// true. Several values of one key are joined by commas. They take precedence over the fields
    /// above.
    pub(crate) labels: &'a [Label<'a>],
}

/// What ran when a sample was taken, as far as a format knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Context {
    /// The thread of the sample.
    #[default]
    Thread,
    /// An interrupt, which has no relation to that thread.
    Interrupt,
    /// The idle task of a processor.
    Idle,
}

/// The id, or `None` where a format has an empty one.
pub(crate) fn known(id: &[u8]) -> Option<&[u8]> {
    Some(id).filter(|id| !id.is_empty())
}

impl Default for Sample<'_> {
    fn default() -> Self {
        Sample {
            comm: b"",
            pid: None,
            tid: None,
            cpu: None,
            time: None,
            event: b"",
            weights: &[],
            count: 1,
            parallelism: None,
            drawn: None,
            text: b"",
            context: Context::Thread,
            leaves: false,
            since: None,
            labels: &[],
        }
    }
}

/// A wanted sample whose frames are still to come; or several with the same frames and weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSample {
    /// The node of the root frames, below which the sample's frames are added.
    pub(crate) base: NodeId,
    /// The index of the event.
    pub(crate) event: usize,
    /// How many samples this is.
    pub(crate) count: u64,
    /// The weight of one of them in the event's unit.
    pub(crate) weight: u64,
}

impl OpenSample {
    /// The number of samples and their weight together, which may be larger than 64 bits.
    pub(crate) fn total(&self) -> Total {
        Total { lines: self.count, weight: u128::from(self.count) * u128::from(self.weight) }
    }
}

/// When a sample was taken, on the recording's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time<'a> {
    /// Seconds in decimal, as a text printed them: `525.936394`.
    Text(&'a [u8]),
    /// Nanoseconds.
    Nanoseconds(u64),
}

impl Time<'_> {
    /// In nanoseconds; `None` if the text is not a number of seconds.
    pub(crate) fn nanoseconds(self) -> Option<u64> {
        match self {
            Time::Text(text) => nanoseconds(text),
            Time::Nanoseconds(time) => Some(time),
        }
    }

    /// How many digits follow the point of the seconds.
    pub(crate) fn digits(self) -> usize {
        match self {
            Time::Text(text) => {
                text.split_once_str(".").map_or(0, |(_, digits)| digits.len().min(9))
            }
            Time::Nanoseconds(time) if time % 1000 == 0 => 6,
            Time::Nanoseconds(_) => 9,
        }
    }
}

/// Appends a time in seconds, which may be negative, with this many digits after the point.
pub(crate) fn append_seconds(nanoseconds: i128, digits: usize, out: &mut Vec<u8>) {
    if nanoseconds < 0 {
        out.push(b'-');
    }
    let time = nanoseconds.unsigned_abs();
    let (whole, fraction) = (time / 1_000_000_000, time % 1_000_000_000);
    out.extend_from_slice(whole.to_string().as_bytes());
    if digits > 0 {
        out.push(b'.');
        out.extend_from_slice(&format!("{fraction:09}").as_bytes()[..digits]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_written_with_the_digits_that_were_read() {
        let written = |time, digits| {
            let mut text = Vec::new();
            append_seconds(time, digits, &mut text);
            String::from_utf8(text).expect("digits")
        };
        assert_eq!(written(1_500_000, 6), "0.001500");
        assert_eq!(written(-1_500_000, 9), "-0.001500000");
        assert_eq!(written(12_000_000_000, 0), "12");
        assert_eq!(Time::Text(b"525.936394").digits(), 6);
        assert_eq!(Time::Nanoseconds(1_000).digits(), 6);
        assert_eq!(Time::Nanoseconds(1_001).digits(), 9);
    }
}

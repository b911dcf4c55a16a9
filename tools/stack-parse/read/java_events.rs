//! The events of Java flight recordings, from the file itself or as `jfr print` prints them: the
//! default event, their weights, and the kinds of their frames.

use crate::frame::Kind;
use crate::samples::{Loss, Samples};

/// The default event is the first of these that a recording has.
pub(crate) const PREFERRED: [&str; 7] = [
    "jdk.ExecutionSample",
    "jdk.CPUTimeSample",
    "profiler.WallClockSample",
    "jdk.NativeMethodSample",
    "jdk.ObjectAllocationSample",
    "jdk.ObjectAllocationInNewTLAB",
    "jdk.JavaMonitorEnter",
];

/// Events, the field that is their weight, and its unit; without a field each counts one. The
/// weight of other events is their duration, or one if they have none.
const WEIGHTS: [(&str, &str, &str); 8] = [
    ("jdk.ObjectAllocationSample", "weight", "bytes"),
    ("jdk.ObjectAllocationInNewTLAB", "tlabSize", "bytes"),
    ("jdk.ObjectAllocationOutsideTLAB", "allocationSize", "bytes"),
    ("profiler.LiveObject", "allocationSize", "bytes"),
    ("profiler.Malloc", "size", "bytes"),
    ("profiler.WallClockSample", "samples", "samples"),
    ("jdk.CPUTimeSample", "samplingPeriod", "ns"),
    ("jdk.ExecutionSample", "", "samples"),
];

/// The events that say what a recording lost, and the field with how much.
const LOSSES: [(&str, &str); 2] =
    [("jdk.CPUTimeSamplesLost", "lostSamples"), ("jdk.DataLoss", "amount")];

/// What a recording says that it lost.
#[derive(Debug, Default)]
pub(crate) struct JavaLosses {
    /// Samples of CPU time, for which there was no room or no time.
    samples: u64,
    /// Bytes of events of any kind.
    bytes: u64,
}

impl JavaLosses {
    /// The field of events with this name that says how much was lost.
    pub(crate) fn field(event: &[u8]) -> Option<&'static str> {
        LOSSES.iter().find(|(known, _)| known.as_bytes() == event).map(|(_, field)| *field)
    }

    /// Adds what such a field says.
    pub(crate) fn add(&mut self, field: &str, amount: u64) {
        let sum = if field == "amount" { &mut self.bytes } else { &mut self.samples };
        *sum = sum.saturating_add(amount);
    }

    /// Reports the losses of an input.
    pub(crate) fn report(&self, samples: &mut Samples<'_>) {
        if self.samples > 0 {
            samples.note_loss(Loss {
                count: self.samples,
                of: "samples of jdk.CPUTimeSample",
                // Where spans are listed, samples are not counted.
                recorded: (!samples.wants.spans)
                    .then(|| samples.events.recorded("jdk.CPUTimeSample")),
                remedy: "use a lower rate, as jdk.CPUTimeSample#throttle=100/s",
                is_exact: samples.events.takes("jdk.CPUTimeSample"),
            });
        }
        samples.note_count(self.bytes, "bytes of events were lost while recording");
    }
}

/// The name of the frame in place of callers that a recording left out.
pub(crate) const TRUNCATED: &[u8] = b"[truncated]";

/// The field that is the weight of events with this name, or an empty name if each counts one, and
/// its unit; `None` if the weight is the duration, or one without a duration.
pub(crate) fn weight(event: &[u8]) -> Option<(&'static str, &'static str)> {
    let known = WEIGHTS.iter().find(|(known, ..)| known.as_bytes() == event);
    known.map(|(_, field, unit)| (*field, *unit))
}

/// The unit of the weights of events with this name.
pub(crate) fn unit(event: &[u8], has_duration: bool) -> &'static [u8] {
    let default = if has_duration { "ns" } else { "samples" };
    weight(event).map_or(default, |(_, unit)| unit).as_bytes()
}

/// Whether events with this name count even if none of them has a stack.
pub(crate) fn is_sample(event: &[u8]) -> bool {
    PREFERRED.iter().any(|name| name.as_bytes() == event) || weight(event).is_some()
}

/// The kind of a frame, by its type in the words of the JVM or of async-profiler.
pub(crate) fn kind_of(frame_type: &[u8]) -> Kind {
    match frame_type {
        b"JIT compiled" | b"C1 compiled" | b"C2 compiled" => Kind::Jit,
        b"Kernel" => Kind::Kernel,
        _ => Kind::User,
    }
}

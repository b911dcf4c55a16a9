//! The events of Java flight recordings, whether a file has them or `jfr print` printed them: which
//! of them is taken, what weighs them, and what their frames are.

use crate::frame::Kind;

/// Which event is taken unless the user chooses: the first of these that a recording
/// has.
pub(crate) const PREFERRED: [&str; 7] = [
    "jdk.ExecutionSample",
    "jdk.CPUTimeSample",
    "profiler.WallClockSample",
    "jdk.NativeMethodSample",
    "jdk.ObjectAllocationSample",
    "jdk.ObjectAllocationInNewTLAB",
    "jdk.JavaMonitorEnter",
];

/// The field that an event is weighed by, and its unit; without a field each counts one. Others
/// are weighed by their duration, or count one if they have none.
const WEIGHTS: [(&str, &str, &str); 8] = [
    ("jdk.ObjectAllocationSample", "weight", "bytes"),
    ("jdk.ObjectAllocationInNewTLAB", "tlabSize", "bytes"),
    ("jdk.ObjectAllocationOutsideTLAB", "allocationSize", "bytes"),
    ("profiler.LiveObject", "allocationSize", "bytes"),
    ("profiler.Malloc", "size", "bytes"),
    ("profiler.WallClockSample", "samples", "samples"),
    ("jdk.CPUTimeSample", "", "samples"),
    ("jdk.ExecutionSample", "", "samples"),
];

/// What stands for the callers that a recording left out.
pub(crate) const TRUNCATED: &[u8] = b"[truncated]";

/// The field that weighs events of this name, which is empty if each counts one, and its unit;
/// `None` if it is the duration, if they have one.
pub(crate) fn weight(event: &[u8]) -> Option<(&'static str, &'static str)> {
    let known = WEIGHTS.iter().find(|(known, ..)| known.as_bytes() == event);
    known.map(|(_, field, unit)| (*field, *unit))
}

/// What the weights of events of this name are in.
pub(crate) fn unit(event: &[u8], has_duration: bool) -> &'static [u8] {
    let default = if has_duration { "nanoseconds" } else { "samples" };
    weight(event).map_or(default, |(_, unit)| unit).as_bytes()
}

/// Whether an event without a stack counts, though none of its name may have one.
pub(crate) fn is_sample(event: &[u8]) -> bool {
    PREFERRED.iter().any(|name| name.as_bytes() == event) || weight(event).is_some()
}

/// By the words of the JVM and of async-profiler for frames.
pub(crate) fn kind_of(frame_type: &[u8]) -> Kind {
    match frame_type {
        b"JIT compiled" | b"C1 compiled" | b"C2 compiled" => Kind::Jit,
        b"Kernel" => Kind::Kernel,
        _ => Kind::User,
    }
}

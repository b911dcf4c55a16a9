//! The types of events that may have stacks: which of them are samples, and what weighs them.

use super::types::{Class, Role};

/// Which event is taken unless the user chooses: the first of these that a recording
/// has.
pub(super) const PREFERRED: [&str; 7] = [
    "jdk.ExecutionSample",
    "jdk.CPUTimeSample",
    "profiler.WallClockSample",
    "jdk.NativeMethodSample",
    "jdk.ObjectAllocationSample",
    "jdk.ObjectAllocationInNewTLAB",
    "jdk.JavaMonitorEnter",
];

/// The field that an event is weighed by, and its unit. Others are weighed by their
/// duration, or count one if they have none.
const WEIGHTS: [(&str, Role, &str); 8] = [
    ("jdk.ObjectAllocationSample", Role::Weight, "bytes"),
    ("jdk.ObjectAllocationInNewTLAB", Role::TlabSize, "bytes"),
    ("jdk.ObjectAllocationOutsideTLAB", Role::AllocationSize, "bytes"),
    ("profiler.LiveObject", Role::AllocationSize, "bytes"),
    ("profiler.Malloc", Role::Size, "bytes"),
    ("profiler.WallClockSample", Role::Samples, "samples"),
    ("jdk.CPUTimeSample", Role::Other, "samples"),
    ("jdk.ExecutionSample", Role::Other, "samples"),
];

/// A type of events that may have stacks.
#[derive(Clone, Copy)]
pub(super) struct EventKind<'t> {
    pub(super) class: &'t Class,
    /// What weighs its events.
    pub(super) weight: Role,
    /// Whether its events without a stack are samples.
    pub(super) is_sampled: bool,
}

/// What the weights of events of this name are in.
pub(super) fn unit(name: &[u8], has_duration: bool) -> &'static [u8] {
    let known = WEIGHTS.iter().find(|(known, ..)| known.as_bytes() == name);
    let default = if has_duration { "nanoseconds" } else { "samples" };
    known.map_or(default, |(.., unit)| unit).as_bytes()
}

/// What events of this class are, if they may have a stack.
pub(super) fn kind(class: &Class) -> Option<EventKind<'_>> {
    let has = |role| class.fields.iter().any(|field| field.role == role);
    if !has(Role::StackTrace) {
        return None;
    }
    let known = WEIGHTS.iter().find(|(name, ..)| name.as_bytes() == class.name);
    let default = if has(Role::Duration) { Role::Duration } else { Role::Other };
    let weight = known.map_or(default, |(_, role, _)| *role);
    Some(EventKind { class, weight, is_sampled: is_sample(class) })
}

/// Whether an event without a stack counts, though none of its class may have one.
fn is_sample(class: &Class) -> bool {
    let is_it = |name: &str| name.as_bytes() == class.name;
    PREFERRED.iter().any(|name| is_it(name)) || WEIGHTS.iter().any(|(name, ..)| is_it(name))
}

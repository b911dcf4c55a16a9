//! Packets of kinds that are not read; they are reported if there is nothing else.

use std::collections::BTreeMap;

use crate::samples::Samples;

/// The packets that are not read: how many, by field number.
#[derive(Default)]
pub(super) struct Unread(BTreeMap<u64, u64>);

/// Their content, and the tool that reads it.
const KINDS: [(u64, &str); 11] = [
    (1, "events of ftrace: 'traceconv systrace' prints them"),
    (5, "events of old Chrome: 'traceconv json' prints them"),
    (7, "counters of the system"),
    (9, "counters of processes"),
    (38, "counters of the battery"),
    (39, "lines of Android's log"),
    (56, "heap graphs of Java: 'traceconv java_heap_profile' reads them"),
    (68, "maps of memory (smaps)"),
    (74, "allocations one by one, without stacks"),
    (75, "frees one by one, without stacks"),
    (95, "events of Windows (ETW)"),
];

impl Unread {
    pub(super) fn add(&mut self, field: u64) {
        if KINDS.iter().any(|(kind, _)| *kind == field) {
            *self.0.entry(field).or_default() += 1;
        }
    }

    /// Reports the packets that were not read, unless there are samples.
    pub(super) fn report(&self, has_samples: bool, samples: &mut Samples<'_>) {
        if has_samples {
            return;
        }
        for (field, what) in KINDS {
            if let Some(count) = self.0.get(&field) {
                samples.note(format_args!("{count} packets are not read: {what}"));
            }
        }
    }
}

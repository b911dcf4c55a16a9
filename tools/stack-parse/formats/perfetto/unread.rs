//! Packets of kinds that are not read; they are reported if there is nothing else.

use std::collections::BTreeMap;

use super::messages::packet;
use crate::read::protobuf::FieldNumber;
use crate::samples::Samples;

/// The packets that are not read: how many, by field number.
#[derive(Default)]
pub(super) struct Unread(BTreeMap<FieldNumber, u64>);

/// Their content, and the tool that reads it.
const KINDS: [(FieldNumber, &str); 11] = [
    (packet::FTRACE_EVENTS, "events of ftrace: 'traceconv systrace' prints them"),
    (packet::CHROME_EVENTS, "events of old Chrome: 'traceconv json' prints them"),
    (packet::SYS_STATS, "counters of the system"),
    (packet::PROCESS_STATS, "counters of processes"),
    (packet::BATTERY, "counters of the battery"),
    (packet::ANDROID_LOG, "lines of Android's log"),
    (packet::HEAP_GRAPH, "heap graphs of Java: 'traceconv java_heap_profile' reads them"),
    (packet::SMAPS_PACKET, "maps of memory (smaps)"),
    (packet::STREAMING_ALLOCATION, "allocations one by one, without stacks"),
    (packet::STREAMING_FREE, "frees one by one, without stacks"),
    (packet::ETW_EVENTS, "events of Windows (ETW)"),
];

impl Unread {
    pub(super) fn add(&mut self, field: FieldNumber) {
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

//! Events that last: requests, waits, collections of garbage.

use super::Fields;
use super::chunk::Header;
use super::kinds::EventKind;
use super::pools::Pools;
use super::types::{Class, Role};
use crate::samples::{Samples, Span};

/// The spans of async-profiler, whose names are their tags.
const TAGGED: &[u8] = b"profiler.Span";

/// How the names of events begin for which all threads stop.
const STOPS_ALL: &[u8] = b"jdk.GCPhasePause";

/// What is wrong with events that last.
#[derive(Default)]
pub(super) struct LastingEvents {
    /// Events that took no time: types of events at one moment may have a duration, too.
    momentary: u64,
    /// Events with a duration below zero or over 64 bits.
    bad: u64,
}

/// The kind of the events of this class, which may have no stack; `None` if they have no duration.
pub(super) fn lasting(class: &Class) -> Option<EventKind<'_>> {
    let has_duration = class.fields.iter().any(|field| field.role == Role::Duration);
    has_duration.then_some(EventKind { class, weight: Role::Duration, is_sampled: false })
}

impl LastingEvents {
    /// Passes on an event as a span. If all threads stop for it, it is of no thread.
    pub(super) fn add(
        &mut self,
        class: &Class,
        fields: &Fields,
        chunk: &Header,
        pools: &Pools,
        samples: &mut Samples<'_>,
    ) {
        let length = fields.weight.unwrap_or_default();
        if length == 0 {
            self.momentary += 1;
            return;
        }
        let time = |ticks: u64| i64::try_from(chunk.time(ticks)).ok();
        let end = fields.time.checked_add(length).and_then(time);
        let times = time(fields.time).zip(end).filter(|_| length.cast_signed() > 0);
        let Some((start, end)) = times else {
            self.bad += 1;
            return;
        };
        let thread = pools.thread(fields.thread).filter(|_| !class.name.starts_with(STOPS_ALL));
        let tag = if class.name == TAGGED { pools.text(&fields.tag) } else { b"" };
        let name = if tag.is_empty() { &class.name } else { tag };
        let tid = thread.map_or(&b""[..], |thread| &thread.tid);
        samples.span(&Span { start, end, tid, name, ..Span::default() });
    }

    /// Notes what is wrong with them.
    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        samples.note_counts(&[
            (self.momentary, "events took no time: they are left out"),
            (self.bad, "events have a duration below zero or over 64 bits: they are left out"),
        ]);
    }
}

//! Track events that begin or end spans.

use super::clocks::{Clocks, MONOTONIC};
use super::code::Codes;
use super::interned::Text;
use super::lanes::Lane;
use super::messages::{legacy_event as old, track_event as of};
use super::sequence::Sequence;
use crate::read::protobuf::{Fields, Malformed, Value};
use crate::read::spans::{Edge, Spans};

/// The types of events that begin or end spans.
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;

/// An event; fields that it lacks are 0, empty or `None`.
#[derive(Default)]
struct Said<'a> {
    kind: u64,
    track: Option<u64>,
    name: &'a [u8],
    name_number: Option<u64>,
    /// Old-style times: microseconds since the last event, or on the monotonic clock.
    delta: Option<i64>,
    absolute: Option<i64>,
    category: &'a [u8],
    category_number: u64,
    /// An event in the format of Chrome's old tracing.
    legacy: Option<&'a [u8]>,
}

/// A begin, an end or both.
pub(super) struct Event {
    pub(super) lane: Lane,
    pub(super) time: Option<i64>,
    pub(super) frame: u32,
    pub(super) edge: Edge,
}

/// Reads an event; `time` is that of its packet. `None` if it does not belong to a span.
pub(super) fn read(
    message: &[u8],
    time: Option<i64>,
    sequence_number: u64,
    sequence: &mut Sequence,
    clocks: &mut Clocks,
    codes: &mut Codes,
) -> Result<Option<Event>, Malformed> {
    let said = Said::read(message)?;
    let mut monotonic = |time: Option<i64>| {
        clocks.time(sequence_number, Some(MONOTONIC), u64::try_from(time?).ok()?)
    };
    // Events that are not counted advance the clock, too.
    let time = match said {
        Said { delta: Some(delta), .. } => monotonic(sequence.advance(delta)),
        Said { absolute: Some(time), .. } => monotonic(time.checked_mul(1000)),
        _ => time,
    };
    let legacy = said.legacy.map(old::read).transpose()?;
    let (edge, lane) = match (said.kind, &legacy) {
        (SLICE_BEGIN, _) => (Edge::Begin, said.lane(sequence)),
        (SLICE_END, _) => (Edge::End, said.lane(sequence)),
        (0, Some(legacy)) => {
            let Some((edge, is_task)) = legacy_edge(legacy) else { return Ok(None) };
            let task = is_task.then(|| said.task(legacy, sequence, codes));
            (edge, task.unwrap_or_else(|| said.legacy_lane(legacy, sequence)))
        }
        _ => return Ok(None),
    };
    let number = said.name_number.or(legacy.and_then(|legacy| legacy.known(old::NAME_IID)));
    let frame = match (said.name, number) {
        (b"", Some(number)) => sequence.interned.event_name(number),
        (b"", None) => None,
        (name, _) => {
            let name = codes.text(name);
            Some(codes.frame_of_name(name))
        }
    };
    let frame = match edge {
        Edge::End | Edge::EndOfName => frame.unwrap_or(Spans::NO_NAME),
        Edge::Begin | Edge::Whole(_) => frame.unwrap_or_else(|| {
            let name = number.map_or("[no name]".to_owned(), |it| format!("[name {it}]"));
            let name = codes.text(name.as_bytes());
            codes.frame_of_name(name)
        }),
    };
    Ok(Some(Event { lane, time, frame, edge }))
}

impl<'a> Said<'a> {
    fn read(message: &'a [u8]) -> Result<Said<'a>, Malformed> {
        let mut said = Said::default();
        for field in Fields::of(message) {
            match field? {
                (of::TIMESTAMP_DELTA_US, Value::Number(it)) => said.delta = Some(it.cast_signed()),
                (of::CATEGORY_IIDS, value) => said.category_number = value.number(),
                (of::LEGACY_EVENT, Value::Bytes(legacy)) => said.legacy = Some(legacy),
                (of::TYPE, Value::Number(kind)) => said.kind = kind,
                (of::NAME_IID, Value::Number(number)) => said.name_number = Some(number),
                (of::TRACK_UUID, Value::Number(track)) => said.track = Some(track),
                (of::ABSOLUTE_US, Value::Number(it)) => said.absolute = Some(it.cast_signed()),
                (of::CATEGORIES, Value::Bytes(category)) => said.category = category,
                (of::NAME, Value::Bytes(name)) => said.name = name,
                _ => {}
            }
        }
        Ok(said)
    }

    /// The track, or the thread of the sequence, or the track of the whole trace.
    fn lane(&self, sequence: &Sequence) -> Lane {
        let track = self.track.or(sequence.defaults.track).unwrap_or_default();
        match sequence.thread {
            Some((process, thread)) if track == 0 => Lane::Thread { process, thread },
            _ => Lane::Track(track),
        }
    }

    /// The lane of an old-style event, which may be of another thread.
    fn legacy_lane(&self, legacy: &old::Said<'_>, sequence: &Sequence) -> Lane {
        match (legacy.known(old::PID_OVERRIDE), legacy.known(old::TID_OVERRIDE), sequence.thread) {
            (None, None, _) => self.lane(sequence),
            (process, thread, own) => {
                let (own_process, own_thread) = own.unwrap_or_default();
                Lane::Thread {
                    process: process.map_or(own_process, u64::cast_signed),
                    thread: thread.map_or(own_thread, u64::cast_signed),
                }
            }
        }
    }

    /// The task of an old-style event. Its id is local to the process or valid in the whole trace,
    /// in a scope or else in its category.
    fn task(&self, legacy: &old::Said<'_>, sequence: &Sequence, codes: &mut Codes) -> Lane {
        let scope = match (legacy.bytes(old::ID_SCOPE), self.category) {
            (b"", b"") => sequence.interned.text(Text::Category, self.category_number),
            (b"", category) => codes.text(category),
            (scope, _) => codes.text(scope),
        };
        let process = sequence.thread.map_or(0, |(process, _)| process);
        let process = legacy.known(old::PID_OVERRIDE).map_or(process, u64::cast_signed);
        match (
            legacy.known(old::UNSCOPED_ID),
            legacy.known(old::LOCAL_ID),
            legacy.known(old::GLOBAL_ID),
        ) {
            (_, _, Some(id)) => Lane::Task { process: 0, scope, id },
            (id, local, _) => Lane::Task { process, scope, id: local.or(id).unwrap_or_default() },
        }
    }
}

/// Whether an event of Chrome's old tracing begins or ends a span, and whether that is a task's.
fn legacy_edge(legacy: &old::Said<'_>) -> Option<(Edge, bool)> {
    Some(match u8::try_from(legacy.number(old::PHASE)).ok()? {
        b'B' => (Edge::Begin, false),
        b'E' => (Edge::End, false),
        b'X' => {
            let duration = legacy.known(old::DURATION_US).map(u64::cast_signed);
            (Edge::Whole(duration.and_then(|it| it.checked_mul(1000))), false)
        }
        b'b' | b'S' => (Edge::Begin, true),
        b'e' | b'F' => (Edge::End, true),
        _ => return None,
    })
}

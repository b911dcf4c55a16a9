//! Spans of time: from a B to its E, or an X with its duration.
//!
//! A function's own time is that of its span without the spans inside of it.
//! All stacks of a thread together weigh as much as the time during which it was
//! inside of any span.

use std::cmp::Reverse;

use common::Result;

use super::Output;
use super::event::Event;
use super::frames::Frames;
use super::threads::Threads;
use crate::read::stacks::{StackId, Stacks};

/// The marks of all threads, in the order of the file.
#[derive(Default)]
pub(super) struct Spans {
    marks: Vec<Mark>,
    /// Ends of spans that did not begin.
    ends: u64,
    /// Begins of spans that did not end.
    begins: u64,
    /// Events without a time.
    timeless: u64,
}

/// A begin, an end or both, in as few bytes as possible: there may be many.
#[derive(Clone, Copy)]
struct Mark {
    thread: u32,
    frame: u32,
    /// Nanoseconds.
    time: i64,
    /// When the span ends, [`OPEN`] for a begin, [`CLOSE`] for an end.
    end: i64,
}

/// Times that no span ends at.
const OPEN: i64 = i64::MAX;
const CLOSE: i64 = i64::MIN;

#[derive(Clone, Copy)]
struct Span {
    start: i64,
    end: i64,
    frame: u32,
}

/// A span that has begun, on the stack of those around it.
struct Open {
    end: i64,
    /// When the first of this and those around it ends.
    first_end: i64,
    frame: u32,
    stack: StackId,
}

impl Spans {
    /// Holds an event of a thread or a task.
    pub(super) fn add(&mut self, event: &mut Event, thread: u32, frames: &mut Frames) {
        let Some(time) = event.time else {
            self.timeless += 1;
            return;
        };
        let (place, end) = match event.phase {
            b'B' | b'b' | b'S' => (event.place.text(), OPEN),
            b'E' | b'e' | b'F' => (&b""[..], CLOSE),
            _ => {
                let duration = event.duration.unwrap_or_default().max(0);
                (event.place.text(), time.saturating_add(duration).min(OPEN - 1))
            }
        };
        let frame = frames.number(&event.name, place);
        self.marks.push(Mark { thread, frame, time, end });
    }

    /// Adds the time of all spans.
    pub(super) fn add_to(
        mut self,
        threads: &Threads,
        frames: &Frames,
        output: &mut Output<'_, '_>,
    ) -> Result<()> {
        // Stable: what happened at the same time stays in the order of the file.
        self.marks.sort_by_key(|mark| (threads.is_task(mark.thread), mark.thread, mark.time));
        let marks = std::mem::take(&mut self.marks);
        for marks in marks.chunk_by(|a, b| a.thread == b.thread) {
            let mut spans = self.pair(marks, frames);
            // Of two that begin together, the longer one is around the other.
            spans.sort_by_key(|span| (span.start, Reverse(span.end)));
            let number = marks[0].thread;
            let event: &[u8] = if threads.is_task(number) { b"async-time" } else { b"time" };
            let thread = output.held.thread(threads.get(number, event));
            add_thread(&spans, thread, output)?;
        }
        self.report(output);
        Ok(())
    }

    /// The spans of a thread, in the order of their begins. An end belongs to the
    /// innermost begin of its name, or to the innermost one if there is none. What did
    /// not end does so with the last mark.
    fn pair(&mut self, marks: &[Mark], frames: &Frames) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        // The places of spans that did not end yet.
        let mut open: Vec<usize> = Vec::new();
        let mut last = i64::MIN;
        for &Mark { frame, time, end, .. } in marks {
            last = last.max(time);
            match end {
                CLOSE => {
                    let is_same = |&place: &usize| frames.bare(spans[place].frame) == frame;
                    let found = open.iter().rposition(is_same).or(open.len().checked_sub(1));
                    match found.map(|found| open.remove(found)) {
                        Some(place) => spans[place].end = time,
                        None => self.ends += 1,
                    }
                    continue;
                }
                OPEN => open.push(spans.len()),
                end => last = last.max(end),
            }
            spans.push(Span { start: time, end, frame });
        }
        self.begins += open.len() as u64;
        open.into_iter().for_each(|place| spans[place].end = last);
        spans
    }

    fn report(&self, output: &mut Output<'_, '_>) {
        for (count, what) in [
            (self.begins, "spans did not end: they last to the last event of their thread"),
            (self.ends, "ends are of spans that did not begin: they are left out"),
            (self.timeless, "events have no time: they are left out"),
        ] {
            if count > 0 {
                output.samples.note(format_args!("{count} {what}"));
            }
        }
    }
}

/// Adds the time that passed in the spans of one thread, sorted by their begin.
fn add_thread(spans: &[Span], thread: u32, output: &mut Output<'_, '_>) -> Result<()> {
    let mut open: Vec<Open> = Vec::new();
    let mut now = i64::MIN;
    let end = Span { start: i64::MAX, end: i64::MAX, frame: 0 };
    for span in spans.iter().chain([&end]) {
        while let Some(Open { first_end, stack, .. }) = open.last() {
            let next = (*first_end).min(span.start);
            let passed = u64::try_from(next.saturating_sub(now)).unwrap_or_default();
            if passed > 0 {
                output.held.add(thread, *stack, passed, u64::try_from(now).ok());
            }
            now = next;
            if *first_end > span.start {
                break;
            }
            close(now, &mut open, &mut output.stacks);
        }
        now = span.start;
        push(span, &mut open, &mut output.stacks);
        let Output { stacks, names, held, samples } = output;
        held.relieve(stacks, names, samples)?;
    }
    Ok(())
}

fn push(span: &Span, open: &mut Vec<Open>, stacks: &mut Stacks) {
    let (callers, first_end) = match open.last() {
        Some(around) => (around.stack, around.first_end.min(span.end)),
        None => (Stacks::EMPTY, span.end),
    };
    let stack = stacks.call(callers, span.frame);
    open.push(Open { end: span.end, first_end, frame: span.frame, stack });
}

/// Closes the spans that end now. Mostly it is the innermost one, but spans may
/// cross: then the inner ones go on below what is left.
fn close(now: i64, open: &mut Vec<Open>, stacks: &mut Stacks) {
    let first = open.partition_point(|span| span.first_end > now);
    let inner = open.split_off(first);
    for span in inner.into_iter().filter(|span| span.end > now) {
        push(&Span { start: now, end: span.end, frame: span.frame }, open, stacks);
    }
}

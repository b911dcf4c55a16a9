//! Spans of time: from a B to its E, or an X with its duration.
//!
//! A function's own time is that of its span without the spans inside of it.
//! All stacks of a thread together weigh as much as the time during which it was
//! inside of any span.

use std::cmp::Reverse;

use common::Result;

use super::Output;
use super::event::TraceEvent;
use super::frames::Frames;
use super::threads::Threads;
use crate::read::stacks::{StackId, Stacks};

/// The marks of all threads.
#[derive(Default)]
pub(super) struct Spans {
    /// Those of each thread, in the order of the file.
    threads: Vec<Vec<Mark>>,
    lengths: Lengths,
    /// Ends of spans that did not begin.
    ends: u64,
    /// Begins of spans that did not end.
    begins: u64,
    /// Events without a time.
    timeless: u64,
    /// Spans without a duration, or one below zero, or too long.
    durationless: u64,
}

/// A begin, an end or both, in as few bytes as possible: there may be many.
#[derive(Clone, Copy)]
struct Mark {
    /// Nanoseconds.
    time: i64,
    frame: u32,
    length: Length,
}

/// How long a span is; [`OPEN`] for a begin, [`CLOSE`] for an end.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Length(u32);

const OPEN: Length = Length(u32::MAX);
const CLOSE: Length = Length(u32::MAX - 1);

/// Lengths from this on are numbers of places in [`Lengths`].
const LONG: u32 = 1 << 31;

/// The few lengths, in nanoseconds, that are over two seconds.
#[derive(Default)]
struct Lengths(Vec<i64>);

impl Lengths {
    fn pack(&mut self, length: i64) -> Length {
        let short = u32::try_from(length).ok().filter(|length| *length < LONG);
        Length(short.unwrap_or_else(|| {
            self.0.push(length);
            LONG | (self.0.len() - 1) as u32
        }))
    }

    fn end(&self, mark: Mark) -> i64 {
        let length = match mark.length {
            Length(short) if short < LONG => i64::from(short),
            Length(long) => self.0.get((long - LONG) as usize).copied().unwrap_or_default(),
        };
        mark.time.saturating_add(length).min(i64::MAX - 1)
    }
}

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
    pub(super) fn add(&mut self, event: &mut TraceEvent, thread: u32, frames: &mut Frames) {
        let Some(time) = event.time else {
            self.timeless += 1;
            return;
        };
        let (place, length) = match event.phase {
            b'B' | b'b' | b'S' => (event.place.text(), OPEN),
            b'E' | b'e' | b'F' => (&b""[..], CLOSE),
            _ => {
                let is_counted = |it: &i64| *it >= 0 && time.checked_add(*it).is_some();
                let duration = event.duration.filter(is_counted);
                self.durationless += u64::from(duration.is_none());
                (event.place.text(), self.lengths.pack(duration.unwrap_or_default()))
            }
        };
        let frame = frames.number(&event.name, place);
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, Vec::new);
        }
        self.threads[thread].push(Mark { time, frame, length });
    }

    /// Adds the time of all spans.
    pub(super) fn add_to(
        mut self,
        threads: &Threads,
        frames: &Frames,
        output: &mut Output<'_, '_>,
    ) -> Result<()> {
        let mut numbers: Vec<u32> = (0..self.threads.len() as u32).collect();
        numbers.sort_by_key(|&number| threads.is_task(number));
        for number in numbers {
            let mut marks = std::mem::take(&mut self.threads[number as usize]);
            if marks.is_empty() {
                continue;
            }
            // Stable: what happened at the same time stays in the order of the file. Sorting
            // takes memory even where nothing is to be sorted.
            if !marks.is_sorted_by_key(|mark| mark.time) {
                marks.sort_by_key(|mark| mark.time);
            }
            self.pair(&mut marks, frames);
            // Of two that begin together, the longer one is around the other.
            let order = |mark: &Mark| (mark.time, Reverse(self.lengths.end(*mark)));
            if !marks.is_sorted_by_key(order) {
                marks.sort_by_key(order);
            }
            let event: &[u8] = if threads.is_task(number) { b"async-time" } else { b"time" };
            let thread = output.held.thread(threads.get(number, event));
            let spans = marks.iter().map(|mark| Span {
                start: mark.time,
                end: self.lengths.end(*mark),
                frame: mark.frame,
            });
            add_thread(spans, thread, output)?;
        }
        self.report(output);
        Ok(())
    }

    /// Makes spans of the marks of a thread, in the order of their begins. An end belongs
    /// to the innermost begin of its name, or to the innermost one if there is none. What
    /// did not end does so with the last mark.
    fn pair(&mut self, marks: &mut Vec<Mark>, frames: &Frames) {
        // The places of spans that did not end yet.
        let mut open: Vec<usize> = Vec::new();
        let (mut last, mut spans) = (i64::MIN, 0);
        for at in 0..marks.len() {
            let mark = marks[at];
            last = last.max(mark.time);
            match mark.length {
                CLOSE => {
                    let is_same = |&place: &usize| frames.bare(marks[place].frame) == mark.frame;
                    let found = open.iter().rposition(is_same).or(open.len().checked_sub(1));
                    match found.map(|found| open.remove(found)) {
                        Some(place) => self.end(&mut marks[place], mark.time),
                        None => self.ends += 1,
                    }
                    continue;
                }
                OPEN => open.push(spans),
                _ => last = last.max(self.lengths.end(mark)),
            }
            marks[spans] = mark;
            spans += 1;
        }
        marks.truncate(spans);
        self.begins += open.len() as u64;
        open.into_iter().for_each(|place| self.end(&mut marks[place], last));
    }

    fn end(&mut self, mark: &mut Mark, time: i64) {
        let length = time.checked_sub(mark.time);
        self.durationless += u64::from(length.is_none());
        mark.length = self.lengths.pack(length.unwrap_or_default());
    }

    fn report(&self, output: &mut Output<'_, '_>) {
        for (count, what) in [
            (self.begins, "spans did not end: they last to the last event of their thread"),
            (self.ends, "ends are of spans that did not begin: they are left out"),
            (self.timeless, "events have no time: they are left out"),
            (self.durationless, "spans have no duration that can be counted: they weigh nothing"),
        ] {
            if count > 0 {
                output.samples.note(format_args!("{count} {what}"));
            }
        }
    }
}

/// Adds the time that passed in the spans of one thread, sorted by their begin.
fn add_thread(
    spans: impl Iterator<Item = Span>,
    thread: u32,
    output: &mut Output<'_, '_>,
) -> Result<()> {
    let mut open: Vec<Open> = Vec::new();
    let mut now = i64::MIN;
    let end = Span { start: i64::MAX, end: i64::MAX, frame: 0 };
    for span in spans.chain([end]) {
        while let Some(Open { first_end, stack, .. }) = open.last() {
            let next = (*first_end).min(span.start);
            let passed = if next > now { next.abs_diff(now) } else { 0 };
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
        push(&span, &mut open, &mut output.stacks);
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

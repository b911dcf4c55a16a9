//! Counts the time of a thread, in the order of time.

use common::Result;

use super::lengths::{CLOSE, CLOSE_NAMED, Lengths, Mark, OPEN};
use super::{Passed, Take};
use crate::read::stacks::{StackId, Stacks};

/// A thread whose begins and ends come in the order of time, so that none has to be held.
#[derive(Default)]
pub(super) struct Running {
    /// The spans that have begun, the outermost first, each with the stack up to it.
    open: Vec<(u32, StackId)>,
    /// The time up to which it is counted.
    now: Option<i64>,
}

impl Running {
    /// How many spans have not ended.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// Counts the time up to the last of these begins and ends; returns how many ends have no
    /// begin.
    pub(super) fn go_on(
        &mut self,
        marks: &[Mark],
        bare: impl Fn(u32) -> u32,
        stacks: &mut Stacks,
        take: &mut impl Take,
    ) -> Result<u64> {
        let mut ends = 0;
        for mark in marks {
            if let (Some((_, stack)), Some(now)) = (self.open.last(), self.now) {
                pass(now, mark.time, *stack, stacks, take)?;
            }
            self.now = Some(mark.time);
            if mark.length == OPEN {
                self.begin(mark.frame, stacks);
            } else if !self.end(*mark, &bare, stacks) {
                ends += 1;
            }
        }
        Ok(ends)
    }

    fn begin(&mut self, frame: u32, stacks: &mut Stacks) {
        let callers = self.open.last().map_or(Stacks::EMPTY, |(_, stack)| *stack);
        self.open.push((frame, stacks.call(callers, frame)));
    }

    /// Ends the span that an end belongs to; false if there is none. Spans inside of it go on.
    fn end(&mut self, end: Mark, bare: impl Fn(u32) -> u32, stacks: &mut Stacks) -> bool {
        let named = self.open.iter().rposition(|(frame, _)| bare(*frame) == end.frame);
        let Some(found) = end.closes(named, self.open.len()) else { return false };
        let inner = self.open.split_off(found);
        inner[1..].iter().for_each(|(frame, _)| self.begin(*frame, stacks));
        true
    }

    /// Puts the open spans before `marks`, as if they began now; earlier marks are moved to now.
    /// Returns how many of the moved ones are not ends.
    pub(super) fn reopen(&mut self, marks: &mut Vec<Mark>) -> u64 {
        let Some(now) = self.now else { return 0 };
        let mut late = 0;
        for mark in marks.iter_mut().filter(|mark| mark.time < now) {
            mark.time = now;
            late += u64::from(![CLOSE, CLOSE_NAMED].contains(&mark.length));
        }
        let open = self.open.drain(..);
        marks.splice(..0, open.map(|(frame, _)| Mark { time: now, frame, length: OPEN }));
        late
    }
}

fn pass(
    from: i64,
    to: i64,
    stack: StackId,
    stacks: &mut Stacks,
    take: &mut impl Take,
) -> Result<()> {
    if to <= from {
        return Ok(());
    }
    take(Passed { stack, weight: to.abs_diff(from), time: u64::try_from(from).ok() }, stacks)
}

/// A span that has begun, on the stack of those around it.
struct Open {
    end: i64,
    /// The earliest end of this span and those around it.
    first_end: i64,
    frame: u32,
    stack: StackId,
}

/// Counts the time of whole spans, sorted by their begin.
pub(super) fn add_whole(
    spans: &[Mark],
    lengths: &Lengths,
    stacks: &mut Stacks,
    take: &mut impl Take,
) -> Result<()> {
    let mut open: Vec<Open> = Vec::new();
    let mut now = i64::MIN;
    let spans = spans.iter().map(|span| (span.time, lengths.end(*span), span.frame));
    for (start, end, frame) in spans.chain([(i64::MAX, i64::MAX, 0)]) {
        while let Some(Open { first_end, stack, .. }) = open.last() {
            let next = (*first_end).min(start);
            pass(now, next, *stack, stacks, take)?;
            now = next;
            if *first_end > start {
                break;
            }
            close(now, &mut open, stacks);
        }
        now = start;
        push(frame, end, &mut open, stacks);
    }
    Ok(())
}

fn push(frame: u32, end: i64, open: &mut Vec<Open>, stacks: &mut Stacks) {
    let (callers, first_end) = match open.last() {
        Some(around) => (around.stack, around.first_end.min(end)),
        None => (Stacks::EMPTY, end),
    };
    let stack = stacks.call(callers, frame);
    open.push(Open { end, first_end, frame, stack });
}

/// Closes the spans that end now. Mostly it is the innermost one, but spans may
/// cross: then the inner ones go on below what is left.
fn close(now: i64, open: &mut Vec<Open>, stacks: &mut Stacks) {
    let first = open.partition_point(|span| span.first_end > now);
    let inner = open.split_off(first);
    for span in inner.into_iter().filter(|span| span.end > now) {
        push(span.frame, span.end, open, stacks);
    }
}

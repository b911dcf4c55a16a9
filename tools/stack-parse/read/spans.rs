//! Spans of time: from a begin to its end, or with a duration.
//!
//! A function's own time is that of its span without the spans inside of it. All stacks of a
//! thread together weigh as much as the time during which it was inside of any span.

mod lengths;
mod running;

use std::cmp::Reverse;

use common::Result;

use self::lengths::{CLOSE, CLOSE_NAMED, Lengths, Mark, OPEN};
use self::running::Running;
use crate::read::held::Held;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::{Samples, Span};

/// How many begins and ends of a thread are held before their time is counted.
const MUCH: usize = 1 << 16;

/// The spans of all threads, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Spans {
    threads: Vec<Thread>,
    lengths: Lengths,
    /// Ends of spans that did not begin.
    ends: u64,
    /// Begins of spans that did not end.
    begins: u64,
    /// Events without a time.
    timeless: u64,
    /// Spans without a duration, or one below zero, or too long.
    durationless: u64,
    /// Spans that begin in time that was counted before they came.
    late: u64,
}

#[derive(Default)]
struct Thread {
    /// In the order of the file.
    marks: Vec<Mark>,
    /// Whether some spans come as a whole, or events are not in the order of time.
    is_mixed: bool,
    /// The latest time.
    last: Option<i64>,
    /// Its open spans, and up to when it is counted.
    running: Running,
}

/// The part of a span that an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Begin,
    /// The end of the innermost span with its name, or of the innermost one if there is none.
    End,
    /// The end of the innermost span with its name.
    EndOfName,
    /// Begin and end, with the nanoseconds between; `None` if these cannot be read.
    Whole(Option<i64>),
}

/// Time that a thread spent in a stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) stack: StackId,
    /// Nanoseconds.
    pub(crate) weight: u64,
    /// When it began, in nanoseconds, if that is not before zero.
    pub(crate) time: Option<u64>,
}

/// A function that takes the time of one thread, with the stacks that it refers to.
pub(crate) trait Take: FnMut(Passed, &mut Stacks) -> Result<()> {}

impl<F: FnMut(Passed, &mut Stacks) -> Result<()>> Take for F {}

impl Spans {
    /// The name of an end without a name.
    pub(crate) const NO_NAME: u32 = u32::MAX;

    /// How many threads there are.
    pub(crate) fn threads(&self) -> u32 {
        self.threads.len() as u32
    }

    /// Whether a thread has no spans.
    pub(crate) fn is_empty(&self, thread: u32) -> bool {
        self.threads[thread as usize].last.is_none()
    }

    /// Holds an event of a thread; `time` is in nanoseconds.
    pub(crate) fn add(&mut self, thread: u32, time: Option<i64>, frame: u32, edge: Edge) {
        let Some(time) = time else {
            self.timeless += 1;
            return;
        };
        let length = match edge {
            Edge::Begin => OPEN,
            Edge::End => CLOSE,
            Edge::EndOfName => CLOSE_NAMED,
            Edge::Whole(duration) => {
                let is_counted = |it: &i64| *it >= 0 && time.checked_add(*it).is_some();
                let duration = duration.filter(is_counted);
                self.durationless += u64::from(duration.is_none());
                self.lengths.pack(duration.unwrap_or_default())
            }
        };
        let place = thread as usize;
        if self.threads.len() <= place {
            self.threads.resize_with(place + 1, Thread::default);
        }
        let thread = &mut self.threads[place];
        thread.is_mixed |= matches!(edge, Edge::Whole(_)) || thread.last > Some(time);
        thread.last = thread.last.max(Some(time));
        thread.marks.push(Mark { time, frame, length });
    }

    /// Counts the time of a thread up to its last event, if many events are held and no earlier
    /// ones can come. A begin and its end have the same name.
    ///
    /// # Errors
    ///
    /// What `take` returns.
    fn settle(&mut self, thread: u32, stacks: &mut Stacks, mut take: impl Take) -> Result<()> {
        // A thread may have had only events without a time.
        let Some(thread) = self.threads.get_mut(thread as usize) else { return Ok(()) };
        let Thread { marks, is_mixed, running, .. } = thread;
        if marks.len() < MUCH || *is_mixed {
            return Ok(());
        }
        self.ends += running.go_on(marks, |frame| frame, stacks, &mut take)?;
        marks.clear();
        Ok(())
    }

    /// Counts the rest of a thread's time. Spans without an end last to its last event. `bare` maps
    /// the name of a begin to the name that its end has.
    ///
    /// # Errors
    ///
    /// What `take` returns.
    pub(crate) fn finish(
        &mut self,
        thread: u32,
        bare: impl Fn(u32) -> u32,
        stacks: &mut Stacks,
        mut take: impl Take,
    ) -> Result<()> {
        let Some(thread) = self.threads.get_mut(thread as usize) else { return Ok(()) };
        let Thread { mut marks, is_mixed, mut running, .. } = std::mem::take(thread);
        if !is_mixed {
            self.ends += running.go_on(&marks, bare, stacks, &mut take)?;
            self.begins += running.open() as u64;
            return Ok(());
        }
        self.late += running.reopen(&mut marks);
        self.pair(&mut marks, bare);
        // Of two spans that begin together, the longer one contains the other.
        let order = |mark: &Mark| (mark.time, Reverse(self.lengths.end(*mark)));
        if !marks.is_sorted_by_key(order) {
            marks.sort_by_key(order);
        }
        running::add_whole(&marks, &self.lengths, stacks, &mut take)
    }

    /// Passes on each span of a thread as such; `whose` has all but its times and its name. Those
    /// without an end last to the last event of the thread.
    pub(crate) fn list<'n>(
        &mut self,
        thread: u32,
        bare: impl Fn(u32) -> u32,
        whose: Span<'n>,
        name: impl Fn(u32) -> &'n [u8],
        samples: &mut Samples<'_>,
    ) {
        let Some(thread) = self.threads.get_mut(thread as usize) else { return };
        let mut marks = std::mem::take(thread).marks;
        self.pair(&mut marks, bare);
        for mark in marks {
            let (start, end) = (mark.time, self.lengths.end(mark));
            samples.span(&Span { start, end, name: name(mark.frame), ..whose });
        }
    }

    /// Settles a thread whose samples are held until the names of its frames are known.
    ///
    /// # Errors
    ///
    /// None is expected: nothing is written.
    pub(crate) fn settle_held(
        &mut self,
        thread: u32,
        stacks: &mut Stacks,
        held: &mut Held,
        samples: &Samples<'_>,
    ) -> Result<()> {
        if samples.wants.spans {
            return Ok(());
        }
        let hold = |passed: Passed, _: &mut Stacks| {
            held.add(thread, passed.stack, passed.weight, passed.time);
            held.add_up(samples);
            Ok(())
        };
        self.settle(thread, stacks, hold)
    }

    /// Finishes a thread whose samples are held under its own number.
    ///
    /// # Errors
    ///
    /// What adding samples returns.
    pub(crate) fn finish_held(
        &mut self,
        thread: u32,
        stacks: &mut Stacks,
        held: &mut Held,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let hold = |passed: Passed, stacks: &mut Stacks| {
            held.add(thread, passed.stack, passed.weight, passed.time);
            held.relieve(stacks, names, samples)
        };
        self.finish(thread, |frame| frame, stacks, hold)
    }

    /// Pairs the begins and ends of a thread: makes whole spans, in the order of their begins.
    fn pair(&mut self, marks: &mut Vec<Mark>, bare: impl Fn(u32) -> u32) {
        // A stable sort keeps events of the same time in the order of the file. Sorting takes
        // memory even if the order is right, so that is checked first.
        if !marks.is_sorted_by_key(|mark| mark.time) {
            marks.sort_by_key(|mark| mark.time);
        }
        // The indexes of the spans that did not end yet.
        let mut open: Vec<usize> = Vec::new();
        let (mut last, mut spans) = (i64::MIN, 0);
        for at in 0..marks.len() {
            let mark = marks[at];
            last = last.max(mark.time);
            match mark.length {
                CLOSE | CLOSE_NAMED => {
                    let is_same = |&place: &usize| bare(marks[place].frame) == mark.frame;
                    let named = open.iter().rposition(is_same);
                    match mark.closes(named, open.len()).map(|found| open.remove(found)) {
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

    /// Notes what is wrong with the spans that were added.
    pub(crate) fn report(&self, samples: &mut Samples<'_>) {
        let late = "spans come long after they began: the time before is counted without them";
        samples.note_counts(&[
            (self.begins, "spans did not end: they last to the last event of their thread"),
            (self.ends, "ends are of spans that did not begin: they are left out"),
            (self.timeless, "events have no time: they are left out"),
            (self.durationless, "spans have no duration that can be counted: they weigh nothing"),
            (self.late, late),
        ]);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The time of each stack, by the frames of its spans.
    fn times(marks: &[(u32, bool)], is_mixed: bool, is_settled: bool) -> BTreeMap<StackId, u64> {
        let (mut spans, mut stacks) = (Spans::default(), Stacks::default());
        let mut times = BTreeMap::new();
        let mut take = |passed: Passed, _: &mut Stacks| {
            *times.entry(passed.stack).or_default() += passed.weight;
            Ok(())
        };
        for (at, (frame, is_begin)) in marks.iter().enumerate() {
            let edge = if *is_begin { Edge::Begin } else { Edge::End };
            // No two at the same time.
            spans.add(0, Some(10 * at as i64), *frame, edge);
            if is_settled {
                let Thread { marks, running, .. } = &mut spans.threads[0];
                let ends = running.go_on(marks, |frame| frame, &mut stacks, &mut take);
                spans.ends += ends.expect("nothing fails");
                marks.clear();
            }
        }
        if !marks.is_empty() {
            spans.threads[0].is_mixed = is_mixed;
            spans.finish(0, |frame| frame, &mut stacks, &mut take).expect("nothing fails");
        }
        times
    }

    proptest! {
        /// Time that is counted as it comes is that of whole spans.
        #[test]
        fn spans_in_order_are_counted_as_they_come(
            marks in prop::collection::vec((0_u32..3, any::<bool>()), 0..40),
        ) {
            let whole: u64 = times(&marks, true, false).values().sum();
            let in_order = times(&marks, false, false);
            prop_assert_eq!(in_order.values().sum::<u64>(), whole);
            prop_assert_eq!(times(&marks, false, true), in_order);
        }
    }

    #[test]
    fn a_thread_may_have_no_event_with_a_time() {
        let (mut spans, mut stacks) = (Spans::default(), Stacks::default());
        let take = |_: Passed, _: &mut Stacks| panic!("no time passed");
        spans.add(3, None, 1, Edge::Begin);
        spans.settle(3, &mut stacks, take).expect("nothing fails");
        spans.finish(3, |frame| frame, &mut stacks, take).expect("nothing fails");
        assert_eq!(spans.timeless, 1);
    }

    #[test]
    fn what_comes_late_is_clipped_and_counted() {
        let (mut spans, mut stacks) = (Spans::default(), Stacks::default());
        let mut sum = 0;
        let mut take = |passed: Passed, _: &mut Stacks| {
            sum += passed.weight;
            Ok(())
        };
        spans.add(0, Some(0), 1, Edge::Begin);
        for at in 0..MUCH as i64 {
            spans.add(0, Some(at), 2, if at % 2 == 0 { Edge::Begin } else { Edge::End });
            spans.settle(0, &mut stacks, &mut take).expect("nothing fails");
        }
        let last = MUCH as i64;
        spans.add(0, Some(5), 3, Edge::Whole(Some(last + 5)));
        spans.add(0, Some(last), 1, Edge::End);
        spans.finish(0, |frame| frame, &mut stacks, &mut take).expect("nothing fails");
        assert_eq!(spans.late, 1);
        assert!(sum >= MUCH as u64, "{sum}");
    }
}

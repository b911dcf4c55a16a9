//! Samples that a file has before the names of their frames, or not in the order of their times.

use common::{Result, folded::Label};

use super::own_labels::{OwnLabels, with_labels};
use super::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time, known};

/// Samples of several threads. Threads, stacks and frames are numbers.
#[derive(Default)]
pub(crate) struct Held {
    threads: Vec<Thread>,
    rows: Vec<Row>,
    /// The number of rows at which rows with equal stacks are merged again.
    many: usize,
    /// The event that is the default, if it is not that of the first sample.
    preferred: Option<Vec<u8>>,
}

/// Fewer rows than this are always held.
const MUCH: usize = 1 << 16;

/// What the samples of a thread have in common; what is unknown is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) name: Vec<u8>,
    pub(crate) pid: Vec<u8>,
    pub(crate) tid: Vec<u8>,
    pub(crate) event: Vec<u8>,
    /// The unit of the event, if it does not follow from its name.
    pub(crate) unit: Vec<u8>,
    /// Whether the event is one of several measures of the same samples.
    pub(crate) is_measure: bool,
    /// The name of its process, if the thread has its own name.
    pub(crate) process: Vec<u8>,
    pub(crate) cpu: Vec<u8>,
    /// Further labels.
    pub(crate) labels: OwnLabels,
    pub(crate) drawn: Drawn,
}

/// How many samples were drawn for each row, in formats in which other threads have spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Drawn {
    #[default]
    Unknown,
    /// One for each row.
    One,
    /// As many as the weight of the row.
    Weight,
    /// How many it were for all rows together is noted later: [`Samples::draw`].
    Together,
}

/// A sample, in as few bytes as possible: there may be many.
#[derive(Clone, Copy)]
struct Row {
    /// Nanoseconds, or [`NO_TIME`].
    time: u64,
    weight: u64,
    stack: StackId,
    thread: u32,
}

/// The time of a row without one: later than any time.
const NO_TIME: u64 = u64::MAX;

impl Held {
    /// Adds a thread, and returns its number. The samples of threads may come in any order.
    pub(crate) fn thread(&mut self, thread: Thread) -> u32 {
        self.threads.push(thread);
        (self.threads.len() - 1) as u32
    }

    /// The thread with this number, for changes when more is known.
    pub(crate) fn thread_mut(&mut self, number: u32) -> &mut Thread {
        &mut self.threads[number as usize]
    }

    /// Moves all samples of `other` here; `thread` maps the numbers of its threads to those here.
    pub(crate) fn take_all(&mut self, other: Held, thread: impl Fn(u32) -> u32) {
        let rows = other.rows.into_iter();
        self.rows.extend(rows.map(|row| Row { thread: thread(row.thread), ..row }));
    }

    /// Replaces the number of each stack; `number` maps the old one to the new one.
    pub(crate) fn renumber(&mut self, number: impl Fn(StackId) -> StackId) {
        self.rows.iter_mut().for_each(|row| row.stack = number(row.stack));
    }

    /// Whether no two threads have samples of the same event.
    pub(crate) fn is_one_thread(&self) -> bool {
        let others = |place: usize| &self.threads[place + 1..];
        let mut threads = self.threads.iter().enumerate();
        threads.all(|(place, thread)| others(place).iter().all(|it| it.event != thread.event))
    }

    /// Holds a sample; `time` is in nanoseconds.
    pub(crate) fn add(&mut self, thread: u32, stack: StackId, weight: u64, time: Option<u64>) {
        self.rows.push(Row { time: time.unwrap_or(NO_TIME), weight, stack, thread });
    }

    /// Makes an event the default, whichever comes first.
    pub(crate) fn prefer(&mut self, event: Vec<u8>, samples: &mut Samples<'_>) {
        samples.events.take_first(&event);
        self.preferred = Some(event);
    }

    /// Adds the held samples if there are many, unless they must be held to sort them by time.
    pub(crate) fn relieve(
        &mut self,
        stacks: &mut Stacks,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        if self.rows.len() < MUCH || samples.wants.order() {
            return Ok(());
        }
        self.finish(stacks, names, samples)
    }

    /// Merges rows with equal threads and stacks if there are many, unless they must be held to
    /// sort them by time. For weights that may be summed, while frames have no names yet.
    pub(crate) fn add_up(&mut self, samples: &Samples<'_>) {
        if self.rows.len() < self.many.max(MUCH) || samples.wants.order() {
            return;
        }
        self.rows.sort_unstable_by_key(|row| (row.thread, row.stack));
        self.rows.dedup_by(|row, kept| {
            let sum = kept.weight.checked_add(row.weight);
            let is_same = (row.thread, row.stack) == (kept.thread, kept.stack);
            kept.weight = sum.filter(|_| is_same).unwrap_or(kept.weight);
            is_same && sum.is_some()
        });
        self.many = 2 * self.rows.len();
    }

    /// Adds the held samples, in the order of time if that is needed.
    pub(crate) fn finish(
        &mut self,
        stacks: &mut Stacks,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let mut is_announced = vec![false; self.threads.len()];
        for number in self.rows.iter().map(|row| row.thread as usize) {
            if !std::mem::replace(&mut is_announced[number], true) {
                let Thread { event, unit, is_measure, .. } = &self.threads[number];
                samples.events.announce(event, if unit.is_empty() { unit_of(event) } else { unit });
                if *is_measure {
                    samples.events.set_measure(event);
                }
            }
        }
        if let Some(first) = self.rows.first().filter(|_| samples.wants.order()) {
            // Sorted by time, another event may come first: the default stays the same.
            if self.preferred.is_none() {
                samples.events.take_first(&self.threads[first.thread as usize].event);
            }
            self.rows.sort_by_key(|row| row.time);
        }
        for row in self.rows.drain(..) {
            let thread = &self.threads[row.thread as usize];
            let process = Label { key: b"process", value: &thread.process };
            let mut labels = thread.labels.list();
            labels.extend(Some(process).filter(|process| !process.value.is_empty()));
            let origin = Sample {
                labels: &labels,
                comm: &thread.name,
                pid: known(&thread.pid),
                tid: known(&thread.tid),
                cpu: known(&thread.cpu),
                event: &thread.event,
                time: (row.time != NO_TIME).then_some(Time::Nanoseconds(row.time)),
                weights: &[row.weight],
                drawn: match thread.drawn {
                    Drawn::Unknown => None,
                    Drawn::One => Some(1),
                    Drawn::Weight => Some(row.weight),
                    Drawn::Together => Some(0),
                },
                ..Sample::default()
            };
            let origin = with_labels(origin, &labels);
            stacks.add(&origin, row.stack, names, samples)?;
        }
        Ok(())
    }
}

/// The unit of an event's weights.
fn unit_of(event: &[u8]) -> &[u8] {
    match event {
        b"time" | b"async-time" | b"cpu-time" => b"ns",
        b"bytes" | b"js-allocations" | b"native-allocations" => b"bytes",
        _ => b"samples",
    }
}

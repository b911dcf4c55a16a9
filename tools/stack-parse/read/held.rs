//! Samples that a file tells before it tells the names of their frames, or in
//! another order than that of their time.

use common::{Label, Result};
use hashbrown::HashMap;

use super::own_labels::{OwnLabels, with_labels};
use super::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time, known};

/// Samples of several threads, by numbers.
#[derive(Default)]
pub(crate) struct Held {
    threads: Vec<Thread>,
    rows: Vec<Row>,
    /// The row of a thread's stack, where weights were added up.
    places: HashMap<(u32, StackId), usize>,
}

/// What the samples of a thread have in common; what is unknown is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) name: Vec<u8>,
    pub(crate) pid: Vec<u8>,
    pub(crate) tid: Vec<u8>,
    pub(crate) event: Vec<u8>,
    /// Of the event, where its name does not tell it.
    pub(crate) unit: Vec<u8>,
    /// The name of its process, where the thread has another one.
    pub(crate) process: Vec<u8>,
    /// Whether its samples were drawn, where other threads of the format have spans.
    pub(crate) is_sampled: bool,
    /// What else is known of it.
    pub(crate) labels: OwnLabels,
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

/// Later than any time.
const NO_TIME: u64 = u64::MAX;

impl Held {
    /// The number of a thread, whose samples may come in any order.
    pub(crate) fn thread(&mut self, thread: Thread) -> u32 {
        self.threads.push(thread);
        (self.threads.len() - 1) as u32
    }

    /// What is known of a thread, to be changed by who knows more.
    pub(crate) fn thread_mut(&mut self, number: u32) -> &mut Thread {
        &mut self.threads[number as usize]
    }

    /// Takes all samples of another one, whose threads have other numbers here.
    pub(crate) fn take_all(
        &mut self,
        other: Held,
        thread: impl Fn(u32) -> u32,
        samples: &Samples<'_>,
    ) {
        for Row { time, weight, stack, thread: number } in other.rows {
            let time = (time != NO_TIME).then_some(time);
            self.sum(thread(number), stack, weight, time, samples);
        }
    }

    /// Gives stacks the numbers that are known now.
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

    /// Holds a weight that is a sum: one row for each stack of a thread, unless the order of time
    /// matters. For samples of which there may be many before their names are known.
    pub(crate) fn sum(
        &mut self,
        thread: u32,
        stack: StackId,
        weight: u64,
        time: Option<u64>,
        samples: &Samples<'_>,
    ) {
        if !samples.need_order() {
            let place = *self.places.entry((thread, stack)).or_insert(self.rows.len());
            let row = self.rows.get_mut(place);
            let sum = row.as_ref().and_then(|row| row.weight.checked_add(weight));
            if let (Some(row), Some(sum)) = (row, sum) {
                row.weight = sum;
                return;
            }
            self.places.insert((thread, stack), self.rows.len());
        }
        self.add(thread, stack, weight, time);
    }

    /// Adds what is held, if there is much, unless it has to wait for the order of
    /// time.
    pub(crate) fn relieve(
        &mut self,
        stacks: &mut Stacks,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        const MUCH: usize = 1 << 16;
        if self.rows.len() < MUCH || samples.need_order() {
            return Ok(());
        }
        self.finish(stacks, names, samples)
    }

    /// Adds what is held: in the order of time, if that matters to anyone.
    pub(crate) fn finish(
        &mut self,
        stacks: &mut Stacks,
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        let mut is_announced = vec![false; self.threads.len()];
        for number in self.rows.iter().map(|row| row.thread as usize) {
            if !std::mem::replace(&mut is_announced[number], true) {
                let Thread { event, unit, .. } = &self.threads[number];
                samples.announce(event, if unit.is_empty() { unit_of(event) } else { unit });
            }
        }
        if let Some(first) = self.rows.first().filter(|_| samples.need_order()) {
            // In the order of time another event may come first.
            samples.take_first(&self.threads[first.thread as usize].event);
            self.rows.sort_by_key(|row| row.time);
        }
        self.places.clear();
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
                event: &thread.event,
                time: (row.time != NO_TIME).then_some(Time::Nanoseconds(row.time)),
                weights: &[row.weight],
                drawn: thread.is_sampled.then_some(1),
                ..Sample::default()
            };
            let origin = with_labels(origin, &labels);
            stacks.add(&origin, row.stack, names, samples)?;
        }
        Ok(())
    }
}

/// What the weights of an event are in.
fn unit_of(event: &[u8]) -> &[u8] {
    match event {
        b"time" | b"async-time" | b"cpu-time" => b"nanoseconds",
        b"bytes" | b"js-allocations" | b"native-allocations" => b"bytes",
        _ => b"samples",
    }
}

//! Events that could have a stack and have none.
//!
//! Events of some types never have one, such as settings: they are not samples. In other types only
//! some events have none, such as the starts of threads by the JVM itself: these are samples
//! without a stack. A type is of the second sort once one of its events has a stack.

use std::collections::{HashMap, HashSet};

use common::Result;

use super::pools::Thread;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::samples::sample::{Sample, Time, known};
use crate::samples::{Samples, weight_in};

/// The most events of a type that are kept. In types with stacks, fewer come before the first
/// stack.
const MOST: usize = 4096;

/// Events without a stack, which are kept until an event of their type has one.
#[derive(Default)]
pub(super) struct Stackless {
    waiting: HashMap<Vec<u8>, WaitingEvents>,
    /// The types of which an event has a stack.
    stacked: HashSet<Vec<u8>>,
}

/// The events of a type.
#[derive(Default)]
struct WaitingEvents {
    events: Vec<StacklessEvent>,
    /// The number of further events, and their weight.
    others: u64,
    weight: u128,
}

/// An event without a stack.
pub(super) struct StacklessEvent {
    /// Nanoseconds.
    pub(super) time: u64,
    pub(super) weight: u64,
    pub(super) thread: Thread,
    pub(super) labels: OwnLabels,
}

impl Stackless {
    /// Whether an event of this type had a stack.
    pub(super) fn is_stacked(&self, class: &[u8]) -> bool {
        self.stacked.contains(class)
    }

    /// Keeps an event.
    pub(super) fn wait(&mut self, class: &[u8], event: StacklessEvent) {
        if !self.waiting.contains_key(class) {
            self.waiting.insert(class.to_vec(), WaitingEvents::default());
        }
        let Some(waiting) = self.waiting.get_mut(class) else { return };
        if waiting.events.len() < MOST {
            waiting.events.push(event);
        } else {
            waiting.others += 1;
            waiting.weight += u128::from(event.weight);
        }
    }

    /// Adds the events that were kept, as an event of their type has a stack. `unit` is that of their
    /// weights.
    pub(super) fn add(
        &mut self,
        class: &[u8],
        unit: &[u8],
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.stacked.insert(class.to_vec());
        let Some(WaitingEvents { events, others, weight }) = self.waiting.remove(class) else {
            return Ok(());
        };
        for StacklessEvent { time, weight, thread, labels } in events {
            let (weights, labels) = (&[weight], labels.list());
            let sample = sample(class, &thread, time, weights);
            samples.add(&with_labels(sample, &labels), &[])?;
        }
        if others > 0 {
            let class = String::from_utf8_lossy(class);
            samples.note(format_args!(
                "{others} samples of {class} have no stack and come before all that have one: \
                 they are left out ({})",
                weight_in(weight, unit)
            ));
        }
        Ok(())
    }
}

/// A sample of a thread; `time` is in nanoseconds.
pub(super) fn sample<'a>(
    class: &'a [u8],
    thread: &'a Thread,
    time: u64,
    weights: &'a [u64],
) -> Sample<'a> {
    Sample {
        comm: &thread.name,
        tid: known(&thread.tid),
        time: Some(Time::Nanoseconds(time)),
        event: class,
        weights,
        ..Sample::default()
    }
}

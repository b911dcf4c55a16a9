//! The threads that labels tell apart, and the order of their samples in time.

use std::borrow::Cow;
use std::collections::BTreeMap;

use common::decimal;

use crate::event::ExportedEvent;
use crate::labelled::LabelSet;
use crate::profile::{ExportedStack, Profile, text};

/// What a thread did.
pub(crate) struct Thread<'a> {
    /// Empty where it is not known.
    pub(crate) comm: String,
    pub(crate) pid: String,
    pub(crate) tid: String,
    /// In the order of time where all have one, else sorted as the stacks of the profile.
    pub(crate) samples: Vec<ThreadSample<'a>>,
    pub(crate) has_times: bool,
}

/// A stack of a thread.
#[derive(Clone, Copy)]
pub(crate) struct ThreadSample<'a> {
    pub(crate) stack: ExportedStack<'a>,
    /// When it was taken, in nanoseconds; 0 if it is not known.
    pub(crate) since: u64,
}

/// What tells threads apart: the numbers of the process and of the thread, or else the name.
type Key = (Option<u64>, Vec<u8>, bool, Option<u64>, Vec<u8>, Vec<u8>);

/// The keys of the labels by which threads are told apart and put in order.
pub(crate) const THREAD_LABELS: [&[u8]; 5] = [b"since", b"time", b"comm", b"pid", b"tid"];

/// The threads of an event: by process, the first thread of a process first. `None` if no stack
/// has labels that tell anything about threads or time.
pub(crate) fn threads_of<'a>(
    profile: &'a Profile,
    event: &'a ExportedEvent,
) -> Option<Vec<Thread<'a>>> {
    let is_told = |stack: ExportedStack<'_>| {
        let labels = profile.labels(stack.labels);
        labels.iter().any(|label| THREAD_LABELS.contains(&label.key))
    };
    if !profile.stacks_of(event).any(is_told) {
        return None;
    }
    let mut threads: BTreeMap<Key, Thread<'a>> = BTreeMap::new();
    for stack in profile.stacks_of(event) {
        let labels = profile.labels(stack.labels);
        let thread = threads.entry(key(&labels)).or_insert_with(|| Thread::of(&labels));
        let since = labels.nanoseconds("since");
        thread.has_times &= since.is_some();
        thread.samples.push(ThreadSample { stack, since: since.unwrap_or_default() });
    }
    let mut threads: Vec<Thread<'a>> = threads.into_values().collect();
    for thread in threads.iter_mut().filter(|thread| thread.has_times) {
        thread.samples.sort_by_key(|sample| sample.since);
    }
    Some(threads)
}

fn key(labels: &LabelSet<'_>) -> Key {
    let value = |key: &str| labels.get(key).unwrap_or_default().to_vec();
    let (pid, tid) = (value("pid"), value("tid"));
    // Who has a number needs no name: a thread may change its own.
    let comm = if tid.is_empty() { value("comm") } else { Vec::new() };
    (decimal(&pid), pid.clone(), pid != tid, decimal(&tid), tid, comm)
}

impl<'a> Thread<'a> {
    fn of(labels: &LabelSet<'_>) -> Thread<'a> {
        let [comm, pid, tid] = ["comm", "pid", "tid"]
            .map(|key| labels.get(key).map(text).map(Cow::into_owned).unwrap_or_default());
        Thread { comm, pid, tid, samples: Vec::new(), has_times: true }
    }

    /// How a person calls it: `worker (4711)`; empty if nothing is known.
    pub(crate) fn title(&self) -> String {
        let number = if self.tid.is_empty() { &self.pid } else { &self.tid };
        match (&self.comm[..], &number[..]) {
            (comm, "") => comm.to_owned(),
            ("", number) => number.to_owned(),
            (comm, number) => format!("{comm} ({number})"),
        }
    }

    /// When samples end, in the order of the samples: mostly where the next begins. After a
    /// pause, which is longer than two intervals, the thread was not running, or was not
    /// sampled: such a sample lasts one interval.
    pub(crate) fn ends(&self, interval: u64) -> impl Iterator<Item = u64> {
        let next = self.samples.iter().skip(1).map(|sample| Some(sample.since)).chain([None]);
        self.samples.iter().zip(next).map(move |(sample, next)| {
            let is_pause = |next: &u64| next - sample.since > interval.saturating_mul(2);
            next.filter(|next| !is_pause(next)).unwrap_or(sample.since.saturating_add(interval))
        })
    }
}

/// The usual time between two samples of a thread, in nanoseconds.
pub(crate) fn interval(threads: &[Thread<'_>]) -> u64 {
    const UNKNOWN: u64 = 1_000_000;
    let threads = threads.iter().filter(|thread| thread.has_times);
    let steps = threads.flat_map(|thread| thread.samples.windows(2));
    let steps = steps.map(|pair| pair[1].since - pair[0].since);
    let mut steps: Vec<u64> = steps.filter(|step| *step > 0).collect();
    if steps.is_empty() {
        return UNKNOWN;
    }
    let middle = steps.len() / 2;
    *steps.select_nth_unstable(middle).1
}

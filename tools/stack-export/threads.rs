//! The threads that labels distinguish, and the order of their samples in time.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use common::{names::utf8, numbers::decimal};

use crate::event::ExportedEvent;
use crate::labelled::{LabelSet, THREAD_LABELS};
use crate::numbers::{Numbers, number_of};
use crate::profile::{ExportedStack, Profile};

/// A thread and its samples.
#[derive(Default)]
pub(crate) struct Thread<'a> {
    /// Empty if it is not known.
    pub(crate) comm: String,
    /// The name of its process, from the label `process`.
    process: String,
    pub(crate) pid: String,
    pub(crate) tid: String,
    /// No other process has this number.
    pub(crate) pid_number: u64,
    /// No other thread of its process has this number.
    pub(crate) tid_number: u64,
    /// In the order of time if they have times, else sorted as the stacks of the profile.
    pub(crate) samples: Vec<ThreadSample<'a>>,
    /// Whether its samples have times: either all of them or none.
    pub(crate) has_times: bool,
    /// Whether these are only the samples without times of a thread that has samples with times.
    pub(crate) is_untimed_part: bool,
}

/// A stack of a thread.
#[derive(Clone, Copy)]
pub(crate) struct ThreadSample<'a> {
    pub(crate) stack: ExportedStack<'a>,
    /// When it was taken, in nanoseconds; 0 if it is not known.
    pub(crate) since: u64,
}

/// What distinguishes threads: the numbers of the process and of the thread, or else the names.
type Key = (Option<u64>, Vec<u8>, Vec<u8>, bool, Option<u64>, Vec<u8>, Vec<u8>);

/// Whether any stack of an event has labels for threads or times.
pub(crate) fn has_threads(profile: &Profile, event: &ExportedEvent) -> bool {
    profile.stacks_of(event).any(|stack| {
        let labels = profile.labels(stack.labels);
        labels.iter().any(|label| THREAD_LABELS.contains(&label.key))
    })
}

/// The threads of an event: by process, the first thread of a process first. Samples without times
/// are a thread of their own. Without labels for threads, all stacks are of one.
pub(crate) fn threads_of<'a>(profile: &'a Profile, event: &'a ExportedEvent) -> Vec<Thread<'a>> {
    let mut threads: BTreeMap<(Key, bool), Thread<'a>> = BTreeMap::new();
    let stacks: Vec<ExportedStack<'a>> = profile.stacks_of(event).collect();
    // They are sorted by their labels.
    for stacks in stacks.chunk_by(|a, b| a.labels == b.labels) {
        let labels = profile.labels(stacks[0].labels);
        let since = profile.clock.at(&labels);
        let has_times = since.is_some();
        // The samples of a thread that have times come first.
        let thread = threads.entry((key(&labels), !has_times));
        let thread = thread.or_insert_with(|| Thread::of(&labels, has_times));
        let since = since.unwrap_or_default();
        thread.samples.extend(stacks.iter().map(|&stack| ThreadSample { stack, since }));
    }
    let mut last = None;
    for ((key, _), thread) in &mut threads {
        thread.is_untimed_part = last.replace(key) == Some(key);
    }
    let mut threads: Vec<Thread<'a>> = threads.into_values().collect();
    for thread in threads.iter_mut().filter(|thread| thread.has_times) {
        thread.samples.sort_by_key(|sample| sample.since);
    }
    number(&mut threads);
    threads
}

fn key(labels: &LabelSet<'_>) -> Key {
    let value = |key: &str| labels.get(key).unwrap_or_default().to_vec();
    let (pid, tid) = (value("pid"), value("tid"));
    // A number identifies a process or a thread better than a name, which may change.
    let process = if pid.is_empty() { value("process") } else { Vec::new() };
    let comm = if tid.is_empty() { value("comm") } else { Vec::new() };
    (decimal(&pid), pid.clone(), process, pid != tid, decimal(&tid), tid, comm)
}

/// Gives each process and each thread its own number, or one that is not in use if it has none.
fn number(threads: &mut [Thread<'_>]) {
    let mut pids = Numbers::beside(threads.iter().map(|thread| &thread.pid[..]));
    let mut tids = Numbers::beside(threads.iter().map(|thread| &thread.tid[..]));
    let mut processes: HashMap<(String, String), u64> = HashMap::new();
    for thread in threads {
        let process = thread.process_key();
        thread.pid_number = *processes
            .entry(process)
            .or_insert_with(|| number_of(&thread.pid).unwrap_or_else(|| pids.next()));
        let own = number_of(&thread.tid).filter(|_| !thread.is_untimed_part);
        thread.tid_number = own.unwrap_or_else(|| tids.next());
    }
}

impl<'a> Thread<'a> {
    fn of(labels: &LabelSet<'_>, has_times: bool) -> Thread<'a> {
        let [comm, process, pid, tid] = ["comm", "process", "pid", "tid"]
            .map(|key| labels.get(key).map(utf8).map(Cow::into_owned).unwrap_or_default());
        Thread { comm, process, pid, tid, has_times, ..Thread::default() }
    }

    /// Its title for people: `worker (4711)`; empty if nothing is known.
    pub(crate) fn title(&self) -> String {
        let number = if self.tid.is_empty() { &self.pid } else { &self.tid };
        let name = if self.comm.is_empty() { &self.process } else { &self.comm };
        let title = match (&name[..], &number[..]) {
            (name, "") => name.to_owned(),
            ("", number) => number.to_owned(),
            (name, number) => format!("{name} ({number})"),
        };
        self.marked(&title)
    }

    /// Its name, or that of the event if it has none.
    pub(crate) fn name(&self, event: &str) -> String {
        self.marked(if self.comm.is_empty() { event } else { &self.comm })
    }

    /// The name, marked if these are only the samples without times.
    fn marked(&self, name: &str) -> String {
        if self.is_untimed_part { format!("{name} [no time]") } else { name.to_owned() }
    }

    /// The times between samples that are not of the same time.
    fn steps(&self) -> impl Iterator<Item = u64> {
        let steps = self.samples.windows(2).map(|pair| pair[1].since - pair[0].since);
        steps.filter(|step| *step > 0)
    }

    /// When samples end, in the order of the samples: mostly where the next one begins. In a pause
    /// of more than two intervals the thread was not running, or was not sampled, so the sample
    /// before it lasts one interval.
    pub(crate) fn ends(&self, interval: u64) -> impl Iterator<Item = u64> {
        let next = self.samples.iter().skip(1).map(|sample| Some(sample.since)).chain([None]);
        self.samples.iter().zip(next).map(move |(sample, next)| {
            let is_pause = |next: &u64| next - sample.since > interval.saturating_mul(2);
            next.filter(|next| !is_pause(next)).unwrap_or(sample.since.saturating_add(interval))
        })
    }

    /// What identifies its process: the number, or else the name.
    fn process_key(&self) -> (String, String) {
        let name = if self.pid.is_empty() { self.process.clone() } else { String::new() };
        (self.pid.clone(), name)
    }
}

/// The names of processes, from the label `process`, or else of the first thread that has one.
pub(crate) struct ProcessNames<'t>(HashMap<u64, &'t str>);

impl<'t> ProcessNames<'t> {
    pub(crate) fn of(threads: &'t [Thread<'_>]) -> ProcessNames<'t> {
        let mut names = HashMap::new();
        for name in [|it: &'t Thread<'_>| &it.process, |it: &'t Thread<'_>| &it.comm] {
            for thread in threads.iter().filter(|thread| !name(thread).is_empty()) {
                names.entry(thread.pid_number).or_insert(&name(thread)[..]);
            }
        }
        ProcessNames(names)
    }

    /// The name of the process of a thread, if it has one.
    pub(crate) fn of_thread(&self, thread: &Thread<'_>) -> Option<&'t str> {
        self.0.get(&thread.pid_number).copied()
    }
}

/// The usual time between two samples of a thread, in nanoseconds. Many idle threads together may
/// have more samples than a busy one, so it is not above that of the thread with the most samples,
/// either.
pub(crate) fn interval(threads: &[Thread<'_>]) -> u64 {
    const UNKNOWN: u64 = 1_000_000;
    let timed = || threads.iter().filter(|thread| thread.has_times);
    let of_all = median(timed().flat_map(Thread::steps));
    let busiest = timed().max_by_key(|thread| thread.samples.len());
    let of_busiest = busiest.and_then(|thread| median(thread.steps()));
    of_all.into_iter().chain(of_busiest).min().unwrap_or(UNKNOWN)
}

fn median(steps: impl Iterator<Item = u64>) -> Option<u64> {
    let mut steps: Vec<u64> = steps.collect();
    let middle = steps.len() / 2;
    (!steps.is_empty()).then(|| *steps.select_nth_unstable(middle).1)
}

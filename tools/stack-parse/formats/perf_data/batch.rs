//! Samples that wait until all locations of their stacks are named together.

use common::Result;
use common::stacks::{FrameId, FrameTable};
use stack_perf_data::{Processes, RawSample, TraceContext};
use std::io::Write;
use std::num::NonZero;
use std::ops::Range;
use symbolize::{ObjectId, Objects};

use super::labels::LabelValues;
use super::locations::{LocationId, Locations};
use crate::samples::sample::{Context, Sample, Time};
use crate::samples::{Ids, Samples, ThreadNews, Turn};

/// With this many samples it pays to share the work of naming locations between threads.
const FULL: usize = 16 * 1024;

/// With this many frames it pays, too.
const MOST_FRAMES: usize = 1024 * 1024;

/// Samples, and the locations of their frames.
#[derive(Default)]
pub(super) struct Batch {
    samples: Vec<Waiting>,
    /// The locations of all samples, leaf first.
    locations: Vec<LocationId>,
    /// The names of events, by their index.
    events: Vec<Vec<u8>>,
    comms: FrameTable,
    pub(super) labels: LabelValues,
    texts: Vec<u8>,
    /// Buffers for the sample that is passed on.
    frames: Vec<FrameId>,
    numbers: [Vec<u8>; 3],
}

/// A sample, and where in the batch its parts are.
struct Waiting {
    event: usize,
    comm: FrameId,
    time: Option<u64>,
    /// The ids of the process and the thread, and the number of the processor.
    numbers: [Option<u32>; 3],
    period: Option<u64>,
    parallelism: Option<NonZero<u32>>,
    context: Context,
    /// Whether it is a switch without a text.
    leaves: bool,
    /// Of a record that is no sample.
    turn: Option<Turn>,
    cgroup: Option<FrameId>,
    text: Range<usize>,
    locations: Range<usize>,
}

impl Waiting {
    /// What became of the thread, which is called `comm`.
    fn news<'a>(&self, comm: &'a [u8], turn: Turn) -> ThreadNews<'a> {
        let [pid, tid, _] = self.numbers;
        let (tid, time) = (tid.unwrap_or_default(), self.time.unwrap_or_default());
        ThreadNews { pid, tid, comm, time, turn }
    }
}

impl Batch {
    /// Whether it is time to [`flush`](Batch::flush).
    pub(super) fn is_full(&self) -> bool {
        self.samples.len() >= FULL || self.locations.len() >= MOST_FRAMES
    }

    /// Adds a sample of a thread called `comm`; `locate` appends the locations of its stack,
    /// leaf first, and is not called where `samples` does not need them.
    pub(super) fn push(
        &mut self,
        sample: &RawSample<'_>,
        comm: &[u8],
        samples: &mut Samples<'_>,
        locate: impl FnOnce(&RawSample<'_>, &mut Vec<LocationId>),
    ) {
        let event = sample.event.index();
        if self.events.len() <= event {
            self.events.resize(event + 1, Vec::new());
        }
        // The recording may name its events late.
        if self.events[event] != sample.event.name() {
            self.events[event] = sample.event.name().to_vec();
        }
        let (text, locations) = (self.texts.len(), self.locations.len());
        sample.append_text(&mut self.texts);
        let ids = Ids { pid: sample.pid, tid: sample.tid };
        let has_wakings = samples.wants.wakers || samples.wants.wall;
        let context = if has_wakings { context(sample) } else { Context::Thread };
        // Only the kernel's part says whether an interrupt woke.
        let needs_kernel = samples.wants.wall && !samples.wants.wakers && is_waking(sample);
        if samples.needs_frames(&self.events[event], ids, &self.texts[text..]) {
            // The program that an interrupt stopped has nothing to do with it.
            match context == Context::Interrupt || needs_kernel {
                true => locate(&sample.without_copied_stack(), &mut self.locations),
                false => locate(sample, &mut self.locations),
            }
        }
        self.samples.push(Waiting {
            event,
            comm: self.comms.intern(comm),
            time: sample.time,
            numbers: [sample.pid, sample.tid, sample.cpu],
            period: sample.period,
            parallelism: sample.parallelism.ok().and_then(NonZero::new),
            context,
            // simpleperf records no fields.
            leaves: samples.wants.switches && is_switch(sample) && sample.raw.is_empty(),
            turn: None,
            cgroup: sample.cgroup.and_then(|id| self.labels.cgroup(id)),
            text: text..self.texts.len(),
            locations: locations..self.locations.len(),
        });
    }

    /// Adds what became of a thread, in its place between the samples.
    pub(super) fn push_news(&mut self, news: &ThreadNews<'_>) {
        self.samples.push(Waiting {
            event: 0,
            comm: self.comms.intern(news.comm),
            time: Some(news.time),
            numbers: [news.pid, Some(news.tid), None],
            period: None,
            parallelism: None,
            context: Context::Thread,
            leaves: false,
            turn: Some(news.turn),
            cgroup: None,
            text: 0..0,
            locations: 0..0,
        });
    }

    /// Passes all samples on.
    ///
    /// # Errors
    ///
    /// An error of writing.
    pub(super) fn flush(
        &mut self,
        locations: &mut Locations,
        objects: &mut Objects,
        processes: &mut Processes<ObjectId>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        locations.name_new(objects, samples);
        let Batch { frames, numbers, labels, .. } = self;
        for waiting in self.samples.drain(..) {
            frames.clear();
            let stack = &self.locations[waiting.locations.clone()];
            for &location in stack.iter().rev() {
                // A call chain may go on in the program that the interrupt stopped.
                let is_stopped = waiting.context == Context::Interrupt;
                if !is_stopped || locations.is_of_kernel(location, objects) {
                    frames.extend_from_slice(locations.frames(location));
                }
            }
            let comm = name(self.comms.name(waiting.comm), waiting.numbers[1], processes);
            if let Some(turn) = waiting.turn {
                samples.note_thread(&waiting.news(comm, turn));
                continue;
            }
            numbers.iter_mut().zip(waiting.numbers).for_each(|(text, it)| write_number(it, text));
            let number = |index: usize| waiting.numbers[index].map(|_| &numbers[index][..]);
            let leaf = stack.first().and_then(|leaf| locations.get(*leaf));
            let labels = labels.of_sample(waiting.cgroup, leaf, objects, samples);
            let sample = Sample {
                comm,
                pid: number(0),
                tid: number(1),
                cpu: number(2),
                time: waiting.time.map(Time::Nanoseconds),
                event: &self.events[waiting.event],
                weights: waiting.period.as_slice(),
                parallelism: waiting.parallelism,
                context: waiting.context,
                leaves: waiting.leaves,
                count: 1,
                text: &self.texts[waiting.text],
                labels: &labels,
                ..Sample::default()
            };
            samples.add(&sample, frames)?;
        }
        self.locations.clear();
        self.texts.clear();
        Ok(())
    }
}

/// Writes the number of a process, a thread or a processor, if it is known.
fn write_number(number: Option<u32>, text: &mut Vec<u8>) {
    text.clear();
    // A thread that ended before its sample was written has the id -1. Writing to memory cannot
    // fail.
    let _ = number.map(|number| write!(text, "{}", number as i32));
}

/// The name of the thread of a sample; a record after the sample may be the first to have it.
fn name<'a>(
    at_sample: &'a [u8],
    tid: Option<u32>,
    processes: &'a mut Processes<ObjectId>,
) -> &'a [u8] {
    let is_made_up = at_sample.starts_with(b":");
    if is_made_up { processes.name(tid.unwrap_or_default()) } else { at_sample }
}

/// What ran when a tracepoint was hit.
#[cold]
fn context(sample: &RawSample<'_>) -> Context {
    match sample.trace_context() {
        Some(TraceContext::Interrupt) => Context::Interrupt,
        Some(TraceContext::Idle) => Context::Idle,
        Some(TraceContext::Thread) | None => Context::Thread,
    }
}

/// Whether a sample says that a thread is woken.
fn is_waking(sample: &RawSample<'_>) -> bool {
    sample.event.name().starts_with(b"sched:sched_wak")
}

/// Whether a sample is a switch of the scheduler.
fn is_switch(sample: &RawSample<'_>) -> bool {
    sample.event.name().starts_with(b"sched:sched_switch")
}

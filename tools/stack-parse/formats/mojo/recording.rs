//! The samples of a recording: an event says that one begins, the next ones what it has.

use common::folded::Label;
use common::stacks::FrameId;
use common::{Error, Result};

use super::event::Event;
use super::frames::{Code, Described, FrameIndex, Frames};
use super::tasks::{Tasks, Wait};
use super::threads::Threads;
use crate::read::austin::{AWAIT_TIME, Metrics, Mode, Run};
use crate::samples::Samples;
use crate::samples::sample::Sample;

/// Why an event ends reading.
pub(super) enum Stop {
    /// What was expected in its place.
    Expected(&'static str),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

/// What was read so far.
#[derive(Default)]
pub(super) struct Recording {
    run: Run,
    threads: Threads,
    frames: Frames,
    described: Described,
    tasks: Tasks,
    open: Option<Open>,
    /// The frames of the sample that is being read, root first.
    stack: Vec<FrameIndex>,
    /// The same, as they are written.
    ids: Vec<FrameId>,
    /// How many samples lack a number that their mode has, and how many have another one.
    lack: u64,
    exceed: u64,
}

/// The sample that is being read, without its frames.
struct Open {
    thread: usize,
    /// That of the thread.
    process: usize,
    metrics: Metrics,
    /// The task that ran.
    task: Option<u64>,
    is_gc: bool,
}

impl Recording {
    pub(super) fn new(samples: &mut Samples<'_>) -> Recording {
        let recording = Recording::default();
        recording.run.set_measures(samples);
        recording
    }

    /// Whether a sample has begun and lacks its numbers.
    pub(super) fn is_within_a_sample(&self) -> bool {
        let lacks = |open: &Open| !self.run.has_all(open.metrics);
        self.open.as_ref().is_some_and(lacks) || self.tasks.is_within_a_stack()
    }

    /// Adds what an event says. A sample is added where the next one begins.
    #[inline]
    pub(super) fn event(
        &mut self,
        event: Event<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<(), Stop> {
        let process = self.open.as_ref().map(|open| open.process);
        match event {
            Event::Metadata { key, value } => self.run.metadata(key, value, samples),
            Event::Stack(_) | Event::TaskStack { .. } if self.tasks.is_within_a_stack() => {
                return Err(Stop::Expected("a frame of a task"));
            }
            Event::Stack(origin) => {
                self.close(samples)?;
                let thread = self.threads.find(&origin);
                let process = self.threads.threads[thread].process;
                self.open = Some(Open::new(thread, process));
                self.stack.clear();
            }
            Event::String { key, value } => self.described.describe_string(process, key, value),
            Event::Frame { key, frame } => {
                self.described.describe_frame(process, key, frame, &mut self.frames, samples);
            }
            Event::Other => {}
            event => return self.event_of_sample(event, samples),
        }
        Ok(())
    }

    /// Adds what an event says of the sample that is being read.
    #[inline]
    fn event_of_sample(&mut self, event: Event<'_>, samples: &mut Samples<'_>) -> Result<(), Stop> {
        let Some(open) = &mut self.open else { return Err(Stop::Expected("a stack")) };
        match event {
            Event::Call(key) => {
                let frame = self.described.frame(open.process, key, &mut self.frames, samples);
                if self.tasks.is_within_a_stack() {
                    self.tasks.call(frame);
                } else {
                    self.stack.push(frame);
                }
            }
            Event::Time(..0) => return Err(Stop::Expected("a time of at least 0")),
            Event::Time(time) => open.metrics.time = Some(time),
            Event::Memory(bytes) => open.metrics.bytes = Some(bytes),
            Event::Idle => open.metrics.is_idle = true,
            Event::Gc => open.is_gc = true,
            Event::TaskRuns(task) => open.task = Some(task),
            Event::TaskStack { task, name, frames } => {
                let thread = open.thread;
                self.task_stack(thread, (task, name, frames), samples)?;
            }
            other => {
                let thread = open.thread;
                self.push(thread, other, samples);
            }
        }
        Ok(())
    }

    /// Adds frames other than a call to a sample of a thread.
    fn push(&mut self, thread: usize, event: Event<'_>, samples: &mut Samples<'_>) {
        let Recording { threads, frames, stack, .. } = self;
        match event {
            Event::Kernel(name) => stack.push(frames.kernel(name, samples)),
            Event::Invalid => stack.push(frames.invalid(samples)),
            Event::Repeat => {
                let last = &threads.threads[thread].stack;
                // The native code that Python called comes again, as it is now.
                let is_native = |&&frame: &&FrameIndex| frames.code(frame) == Code::Native;
                let kept = last.len() - last.iter().rev().take_while(is_native).count();
                stack.splice(..0, last[..kept].iter().copied());
            }
            _ => {}
        }
    }

    /// A task is somewhere else now: it waited where it was.
    fn task_stack(
        &mut self,
        thread: usize,
        (task, name, frames): (u64, u64, u64),
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        if matches!(self.run.mode, Mode::Wall | Mode::Full) {
            self.run.add_await_time(samples);
        }
        let threads = &self.threads.threads;
        let process = Some(threads[thread].process);
        let name = self.described.string(process, name, &mut self.frames);
        match self.tasks.begin(thread, (task, &name, frames), threads) {
            Some(wait) => self.add_wait(&wait, samples),
            None => Ok(()),
        }
    }

    /// Adds the sample that is being read.
    fn close(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let Recording { run, threads, frames, tasks, stack, ids, .. } = self;
        let Some(open) = self.open.take() else { return Ok(()) };
        let thread = &mut threads.threads[open.thread];
        thread.stack.clear();
        let is_kept = |&&frame: &&FrameIndex| frames.code(frame) != Code::OfSample;
        thread.stack.extend(stack.iter().filter(is_kept));
        if open.is_gc {
            stack.push(frames.gc(samples));
        }
        let time = open.metrics.time.map_or(0, i64::unsigned_abs);
        let task = open.task.and_then(|id| tasks.run(thread.process, id, time));
        if matches!(run.mode, Mode::Wall | Mode::Full) {
            thread.clock = thread.clock.saturating_add(time);
        }
        self.exceed += u64::from(run.has_others(open.metrics));
        let Some(weights) = run.weights(open.metrics) else {
            self.lack += 1;
            return Ok(());
        };
        ids.clear();
        stack.iter().for_each(|&frame| ids.extend_from_slice(frames.ids(frame)));
        let (pid, tid) = (Some(&thread.pid[..]), Some(&thread.id[..]));
        let sample = Sample { pid, tid, weights: &weights, ..Sample::default() };
        if !samples.wants.labels() {
            return samples.add(&sample, ids);
        }
        let mut labels = thread.labels();
        if run.is_idle(&weights) {
            labels.push(Label { key: b"idle", value: b"true" });
        }
        labels.extend(task.map(|value| Label { key: b"task", value }));
        samples.add(&Sample { labels: &labels, ..sample }, ids)
    }

    /// Adds the time that a task waited, which is none of its thread.
    fn add_wait(&mut self, wait: &Wait, samples: &mut Samples<'_>) -> Result<()> {
        let is_asked = samples.wants.list || samples.events.takes(AWAIT_TIME);
        if wait.time == 0 || !is_asked {
            return Ok(());
        }
        self.ids.clear();
        wait.stack.iter().for_each(|&frame| self.ids.extend_from_slice(self.frames.ids(frame)));
        let thread = &self.threads.threads[wait.thread];
        let mut labels = thread.labels();
        if !wait.name.is_empty() {
            labels.push(Label { key: b"task", value: &wait.name });
        }
        let weights = self.run.waited(wait.time.saturating_mul(1000));
        let (pid, tid) = (Some(&thread.pid[..]), Some(&thread.id[..]));
        let sample = Sample { pid, tid, weights: &weights, labels: &labels, ..Sample::default() };
        samples.add(&sample, &self.ids)
    }

    /// Adds the last sample and the tasks that still wait, and reports what was noticed.
    pub(super) fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        // What is cut within the last sample is reported where that is noticed.
        self.open.take_if(|open| !self.run.has_all(open.metrics));
        self.close(samples)?;
        for wait in self.tasks.finish(&self.threads.threads) {
            self.add_wait(&wait, samples)?;
        }
        self.run.report(samples);
        samples.note_count(self.lack, "samples lack their time or their bytes: they are left out");
        samples.note_count(self.exceed, "samples have a number that is none of their mode");
        let undescribed = self.frames.undescribed;
        samples.note_count(undescribed, "frames or names were not described: they are [unknown]");
        Ok(())
    }
}

impl Open {
    fn new(thread: usize, process: usize) -> Open {
        Open { thread, process, metrics: Metrics::default(), task: None, is_gc: false }
    }
}

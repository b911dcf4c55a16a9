//! The trace events of Chrome:
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
//!
//! Consecutive samples of a thread make one slice of each function that they have in common. Where
//! weights are times, a slice begins when its sample was taken, or where the slice before it ends,
//! and lasts as long as the sample weighs. Stacks without times come one after the other, from 0
//! on: weights that are times are shown as they are, any other weight of one as a microsecond.

use std::io::{self, Write};

use common::stacks::{FrameId, shared_prefix};
use common::{io::Output, numbers::Unit};

use crate::event::ExportedEvent;
use crate::labelled::HeldLabels;
use crate::profile::{ExportedStack, Profile};
use crate::target::{Load, Target, Writer};
use crate::threads::{ProcessNames, Thread, has_threads, interval, threads_of};
use crate::walk::{Walker, walk};

pub(super) const TARGET: Target = Target {
    labels: HeldLabels::Threads,
    load,
    ..Target::plain("chrome", "JSON for Chrome's tracing and Perfetto", Writer::OneEvent(write))
};

struct Trace<'a> {
    profile: &'a Profile,
    out: &'a mut Output,
    /// The numbers of the process and of the thread.
    ids: (u64, u64),
    /// How many nanoseconds a weight of one is shown as.
    nanoseconds: u64,
    /// Whether slices last as long as samples weigh.
    has_durations: bool,
    /// The time up to which the trace is written, in nanoseconds.
    now: u128,
}

/// Viewers count nanoseconds in 63 bits, which are 292 years.
fn load(profile: &Profile, event: &ExportedEvent) -> Load {
    let most = i64::MAX.unsigned_abs() / nanoseconds(event);
    // What is shown is seldom needed.
    let weight = if event.total > most { shown_weight(profile, event) } else { event.total };
    Load { weight, most }
}

/// The weight that is shown. If the weights are not times, the slices of threads with times do not
/// show them.
fn shown_weight(profile: &Profile, event: &ExportedEvent) -> u64 {
    if has_durations(event) {
        return event.total;
    }
    let is_untimed =
        |stack: &ExportedStack<'_>| profile.clock.at(&profile.labels(stack.labels)).is_none();
    profile.stacks_of(event).filter(is_untimed).map(|stack| stack.weight).sum()
}

/// Whether the weights are times: then a slice lasts as long as its sample weighs.
fn has_durations(event: &ExportedEvent) -> bool {
    matches!(event.unit(), Unit::Time(_))
}

/// How many nanoseconds a weight of one is shown as.
fn nanoseconds(event: &ExportedEvent) -> u64 {
    match event.unit() {
        Unit::Time(nanoseconds) => nanoseconds,
        _ => 1_000,
    }
}

fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let event = profile.only_event();
    let nanoseconds = nanoseconds(event);
    let name = event.label_with_unit();
    let has_durations = has_durations(event);
    let mut trace = Trace { profile, out, ids: (1, 1), nanoseconds, has_durations, now: 0 };
    trace.out.write_all(br#"{"traceEvents":["#)?;
    if !has_threads(profile, event) {
        trace.name("process_name", &name)?;
        walk(profile.stacks_of(event), &mut trace)?;
        return trace.end();
    }
    let threads = threads_of(profile, event);
    let processes = ProcessNames::of(&threads);
    let interval = interval(&threads);
    let mut last = None;
    for thread in &threads {
        let before = last.replace(thread.pid_number);
        if before.is_some() {
            trace.out.write_all(b",\n")?;
        }
        trace.ids = (thread.pid_number, thread.tid_number);
        if before != last {
            trace.name("process_name", processes.of_thread(thread).unwrap_or(&name))?;
            trace.out.write_all(b",\n")?;
        }
        trace.name("thread_name", &thread.name(&name))?;
        trace.thread(thread, interval)?;
    }
    trace.end()
}

impl Trace<'_> {
    /// Writes what follows the last event.
    fn end(&mut self) -> io::Result<()> {
        match &self.profile.trust {
            Some(trust) => {
                let data = serde_json::json!({ "trust": trust });
                writeln!(self.out, "\n],\"otherData\":{data}}}")
            }
            None => self.out.write_all(b"\n]}\n"),
        }
    }

    /// Writes the slices of a thread.
    fn thread(&mut self, thread: &Thread<'_>, interval: u64) -> io::Result<()> {
        self.now = 0;
        if thread.has_times {
            return self.slices(thread, interval);
        }
        walk(thread.samples.iter().map(|sample| sample.stack), self)
    }

    /// Samples in the order of time.
    fn slices(&mut self, thread: &Thread<'_>, interval: u64) -> io::Result<()> {
        let mut open: &[FrameId] = &[];
        for (sample, end) in thread.samples.iter().zip(thread.ends(interval)) {
            let frames = sample.stack.frames;
            let mut begin = u128::from(sample.since);
            if self.has_durations {
                // Slices of one track must not overlap.
                begin = begin.max(self.now);
            }
            // After a pause no slice continues.
            let is_next = self.now >= begin;
            let shared = if is_next { shared_prefix(open, frames) } else { 0 };
            open[shared..].iter().rev().try_for_each(|&frame| self.leave(frame))?;
            self.now = begin;
            frames[shared..].iter().try_for_each(|&frame| self.enter(frame))?;
            match self.has_durations {
                true => self.spend(sample.stack.weight)?,
                false => self.now = end.into(),
            }
            open = frames;
        }
        open.iter().rev().try_for_each(|&frame| self.leave(frame))
    }

    /// Names the thread or the process that is being written.
    fn name(&mut self, what: &str, name: &str) -> io::Result<()> {
        let (pid, tid) = self.ids;
        let name = serde_json::to_string(name)?;
        let ids = format!(r#""pid":{pid},"tid":{tid}"#);
        write!(self.out, r#"{{"name":"{what}","ph":"M",{ids},"args":{{"name":{name}}}}}"#)
    }

    fn event(&mut self, phase: char, frame: FrameId, more: &str) -> io::Result<()> {
        write!(self.out, ",\n{{\"name\":")?;
        serde_json::to_writer(&mut *self.out, &self.profile.text(frame))?;
        // In microseconds.
        let (whole, rest) = (self.now / 1_000, self.now % 1_000);
        let fraction = if rest == 0 { String::new() } else { format!(".{rest:03}") };
        let time = format!("{whole}{fraction}");
        let (pid, tid) = self.ids;
        write!(self.out, r#","ph":"{phase}","ts":{time},"pid":{pid},"tid":{tid}{more}}}"#)
    }
}

impl Walker for Trace<'_> {
    /// The marks of a function are its categories.
    fn enter(&mut self, frame: FrameId) -> io::Result<()> {
        let categories = match &self.profile.marks(frame)[..] {
            [] => String::new(),
            marks => format!(r#","cat":"{}""#, marks.join(",")),
        };
        self.event('B', frame, &categories)
    }

    fn spend(&mut self, weight: u64) -> io::Result<()> {
        self.now += u128::from(weight) * u128::from(self.nanoseconds);
        Ok(())
    }

    /// speedscope takes the end of two events at one time first, as in the file, but not if the
    /// other one begins a function of the same name and arguments: hence the arguments.
    fn leave(&mut self, frame: FrameId) -> io::Result<()> {
        self.event('E', frame, r#","args":{}"#)
    }
}

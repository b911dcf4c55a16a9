//! The stacks of a JVM's threads: `jstack PID`, `jcmd PID Thread.print`, `kill -3`;
//! one dump or many, one behind the other.
//!
//! Grammar from OpenJDK's src/hotspot/share/runtime/thread.cpp (`print_on`) and
//! classfile/javaClasses.cpp (`print_stack_element`).

mod thread;

use bstr::ByteSlice;
use common::{FrameId, Input, Result};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::samples::sample::{Sample, Time};
use crate::samples::{Root, Samples, Weighs};
use thread::{State, Thread};

pub(super) const FORMAT: Format = Format {
    name: "jstack",
    about: "Dumps of a JVM's threads by jstack, jcmd Thread.print or kill -3",
    detect,
    parse,
    root: Root::Comm,
    weighs: Weighs::Value,
};

/// The event of the processor time between two dumps, beside those of [`State`].
const CPU: &[u8] = b"cpu";

fn detect(head: &Head<'_>) -> bool {
    let is_thread = |line: &[u8]| Thread::of(line).is_some();
    head.lines().any(|line| line.starts_with(b"Full thread dump ") || is_thread(line))
}

/// Reads one input to its end. Whatever stands between the threads is passed over:
/// a dump by `kill -3` is among the program's own output.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.take_first(State::Running.event());
    let mut dumps = Dumps::default();
    for_each_line(input, |_, line| dumps.line(line, samples))?;
    dumps.end_thread(samples)?;
    State::ALL.iter().for_each(|state| samples.set_unit(state.event(), b"threads"));
    samples.set_unit(CPU, b"nanoseconds");
    Ok(())
}

#[derive(Default)]
struct Dumps {
    /// When the dump was made that is being read, in nanoseconds.
    time: Option<u64>,
    thread: Option<Thread>,
    leaf_first: Vec<FrameId>,
    /// The function that the thread is in, with its class.
    leaf: Vec<u8>,
    /// The processor time of each thread in the last dump that has it.
    times: HashMap<Vec<u8>, u64>,
}

impl Dumps {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(thread) = Thread::of(line) {
            self.end_thread(samples)?;
            self.thread = Some(thread);
        } else if let Some(call) = line.trim_ascii_start().strip_prefix(b"at ") {
            self.frame(call, samples);
        } else if let Some(state) =
            line.trim_ascii_start().strip_prefix(b"java.lang.Thread.State: ")
        {
            if let Some(thread) = &mut self.thread {
                thread.set_state(state);
            }
        } else if let Some(time) = thread::date(line) {
            self.end_thread(samples)?;
            self.time = Some(time);
        }
        Ok(())
    }

    /// `java.lang.Thread.join(java.base@17.0.15/Thread.java:1313)`
    fn frame(&mut self, call: &[u8], samples: &mut Samples<'_>) {
        if self.thread.is_none() {
            return;
        }
        let (name, place) = match call.strip_suffix(b")").and_then(|it| it.rsplit_once_str("(")) {
            Some((name, place)) => (name, place),
            None => (call, &b""[..]),
        };
        let source = place.rsplit_once_str("/").map_or(place, |(_module, source)| source);
        let source = if source.contains(&b':') { source } else { b"" };
        if self.leaf_first.is_empty() {
            self.leaf = name.to_vec();
        }
        samples.frames(&Frame { name, source, ..Frame::default() }, &mut self.leaf_first);
    }

    /// Adds the thread that was read last.
    fn end_thread(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let mut root_first = std::mem::take(&mut self.leaf_first);
        root_first.reverse();
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let event = thread.state(&self.leaf).event();
        let time = self.time.map(Time::Nanoseconds);
        let tid = thread.tid.as_deref();
        let sample = Sample { comm: &thread.name, tid, event, time, ..Sample::default() };
        samples.add(&sample, &root_first)?;
        if let Some(used) = self.used(&thread) {
            samples.add(&Sample { event: CPU, weights: &[used], ..sample }, &root_first)?;
        }
        self.leaf.clear();
        root_first.clear();
        self.leaf_first = root_first;
        Ok(())
    }

    /// The processor time that a thread took since the last dump, if it took any.
    fn used(&mut self, thread: &Thread) -> Option<u64> {
        let time = thread.cpu?;
        let before = self.times.insert(thread.id.clone(), time)?;
        time.checked_sub(before).filter(|used| *used > 0)
    }
}

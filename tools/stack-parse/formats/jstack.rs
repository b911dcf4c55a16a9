//! The stacks of a JVM's threads, in one dump or several after each other: `jstack PID`,
//! `jcmd PID Thread.print`, `kill -3`. Also those with virtual threads,
//! `jcmd PID Thread.dump_to_file`, with or without `-format=json`; and those of programs that ask
//! ThreadMXBean: VisualVM, Spring Boot's actuator.
//!
//! Grammar from OpenJDK's src/hotspot/share/runtime/thread.cpp (`print_on`),
//! classfile/javaClasses.cpp (`print_stack_element`) and jdk/internal/vm/ThreadDumper.java.

mod json;
mod labels;
mod thread;

use bstr::ByteSlice;
use common::{Error, Result, io::Input, stacks::FrameId};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::dates::{date, instant};
use crate::read::java::place_in_package;
use crate::read::lines::for_each_line;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::samples::sample::{Sample, Time};
use crate::samples::{End, Root, Samples, Weighs};
use thread::{State, Thread};

pub(super) const FORMAT: Format = Format::new(
    "jstack",
    "Dumps of a JVM's threads by jstack, jcmd Thread.print or kill -3",
    detect,
    parse,
)
.root(&Root::Comm)
.weighs(Weighs::Value);

/// The event of the processor time between two dumps, beside those of [`State`].
const CPU: &[u8] = b"cpu";

fn detect(head: &Head<'_>) -> bool {
    let is_thread = |line: &[u8]| thread_of(line).is_some();
    head.lines().any(|line| line.starts_with(b"Full thread dump ") || is_thread(line))
        || head.outline().is_some_and(|keys| keys.has("threadDump"))
}

/// Reads one input to its end. Lines between the threads are skipped: a dump by `kill -3` is among
/// the program's own output.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where JSON is damaged, after all that came before;
/// or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut dumps = Dumps::default();
    let name = input.name().to_owned();
    let start = input.peek(1).map_err(|source| Error::Input { name, source })?;
    let read = if start.starts_with(b"{") {
        json::read(input, &mut dumps, samples)
    } else {
        for_each_line(input, |_, line| dumps.line(line, samples))
    };
    dumps.end_thread(samples)?;
    State::ALL.iter().for_each(|state| samples.events.set_unit(state.event(), b"threads"));
    samples.events.set_unit(CPU, b"ns");
    read
}

/// The thread that a line begins, in any of the dumps.
fn thread_of(line: &[u8]) -> Option<Thread> {
    Thread::of(line).or_else(|| Thread::of_file(line)).or_else(|| Thread::of_bean(line))
}

/// The call in a line without `at`, as `Thread.dump_to_file` prints it before Java 24, or `None`:
/// `      java.base/java.lang.Thread.sleep(Thread.java:509)`. The blanks may be lost.
fn bare_call(line: &[u8]) -> Option<&[u8]> {
    let call = line.trim_ascii_start();
    let is_call = call.ends_with(b")") && call.contains(&b'(');
    (is_call && !["at ", "- "].iter().any(|start| call.starts_with(start.as_bytes())))
        .then_some(call)
}

#[derive(Default)]
struct Dumps {
    /// Whether the default event was chosen.
    has_default: bool,
    /// The time of the current dump, in nanoseconds since 1970.
    time: Option<u64>,
    thread: Option<Thread>,
    /// The labels from the line of the thread.
    labels: OwnLabels,
    /// The process, if the dump has it.
    pid: Option<Vec<u8>>,
    leaf_first: Vec<FrameId>,
    /// Why callers are missing, if they are.
    end: Option<End>,
    /// The function of the leaf, with its class.
    leaf: Vec<u8>,
    /// The processor time of each thread in the last dump that has it.
    times: HashMap<Vec<u8>, u64>,
}

impl Dumps {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(thread) = thread_of(line) {
            self.end_thread(samples)?;
            if samples.wants.labels() {
                labels::add(line, &thread, &mut self.labels);
            }
            self.thread = Some(thread);
        } else if let Some(call) = bare_call(line).filter(|_| self.is_of_file()) {
            self.frame(call, samples);
        } else if let Some(call) = line.trim_ascii_start().strip_prefix(b"at ") {
            self.frame(call, samples);
        } else if let Some(state) =
            line.trim_ascii_start().strip_prefix(b"java.lang.Thread.State: ")
        {
            if let Some(thread) = &mut self.thread {
                thread.set_state(state);
            }
        } else if line.trim_ascii() == b"..." && !self.leaf_first.is_empty() {
            // A ThreadInfo prints 8 frames.
            self.end = Some(End::Truncated);
        } else if let Some(time) = date(line).or_else(|| instant(line)) {
            self.end_thread(samples)?;
            self.time = Some(time);
        }
        Ok(())
    }

    /// Whether the current thread is from `Thread.dump_to_file`.
    fn is_of_file(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| thread.is_of_file)
    }

    /// `java.lang.Thread.join(java.base@17.0.15/Thread.java:1313)`,
    /// `java.base/java.lang.Thread.join(Thread.java:1313)`
    fn frame(&mut self, call: &[u8], samples: &mut Samples<'_>) {
        if self.thread.is_none() {
            return;
        }
        let (name, place) = match call.strip_suffix(b")").and_then(|it| it.rsplit_once_str("(")) {
            Some((name, place)) => (name, place),
            None => (call, &b""[..]),
        };
        let name = without_module(name);
        let source = place.rsplit_once_str("/").map_or(place, |(_module, source)| source);
        let source =
            if source.contains(&b':') { place_in_package(name, source) } else { Vec::new() };
        if self.leaf_first.is_empty() {
            self.leaf = name.to_vec();
        }
        let frame = Frame { name, source: &source, ..Frame::default() };
        samples.frames(&frame, &mut self.leaf_first);
    }

    /// Adds the thread that was read last.
    fn end_thread(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let mut root_first = std::mem::take(&mut self.leaf_first);
        let end = self.end.take();
        root_first.extend(end.map(|end| samples.frame(end.frame())));
        root_first.reverse();
        let Some(thread) = self.thread.take() else { return Ok(()) };
        samples.facts.note_stack(end);
        if !std::mem::replace(&mut self.has_default, true) {
            let is_told = !thread.is_of_unknown_state();
            let default = if is_told { State::Running } else { State::Unknown };
            samples.events.take_first(default.event());
        }
        let event = thread.state(&self.leaf).event();
        let time = self.time.map(Time::Nanoseconds);
        let tid = thread.tid.as_deref();
        let mut labels = std::mem::take(&mut self.labels);
        if let Some(state) = thread.state_name.filter(|_| samples.wants.labels()) {
            labels.add(FORMAT.name, b"state", state.as_bytes());
        }
        let labels = labels.list();
        let (comm, pid) = (&thread.name[..], self.pid.clone());
        let pid = pid.as_deref();
        let sample = Sample { comm, pid, tid, event, time, ..Sample::default() };
        let sample = with_labels(sample, &labels);
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

/// `java.base/java.lang.Thread.run`, `app//demo.Main.main` without the loader of the class
/// and its module; `demo.Main$$Lambda/0x00007f9b78000a08.run` is a name.
fn without_module(name: &[u8]) -> &[u8] {
    let mut name = name;
    while let Some((_, rest)) =
        name.split_once_str("/").filter(|(_, rest)| !rest.starts_with(b"0x"))
    {
        name = rest;
    }
    name
}

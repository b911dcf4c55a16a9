//! What wprof, a tracer of Linux, writes as JSON (`wprof -J FILE`), an object a line: a header, then
//! stacks, then events. Grammar from wprof's JSON_SCHEMA.md of version 3.1 and its emit.c.
//!
//! ```text
//! {"version":"3.1","dur":1.0,"timer_freq_hz":997,"stacks":["timer","offcpu"],"stack_cnt":1,..}
//! {"id":1,"frames":["[U] main+0x1a","[K] schedule+0x8e"],"srcs":["main.c:7",""]}
//! {"ts":0.1,"t":"timer","task":{"tid":7,"pid":7,"comm":"app","pcomm":"app"},"cpu":0,"stack_id":1}
//! {"ts":0.2,"t":"switch","prev":{..},"next":{..},"prev_state":"preempted","offcpu_stack_id":1,..}
//! ```
//!
//! The stack of a switch is that of the thread that leaves. wprof says who woke a thread twice: at
//! that time, if the user chose the waker, too, and when the thread gets a processor.

mod line;
mod other;
mod requests;
mod scheduler;
mod stacks;

use std::collections::BTreeMap;

use bstr::ByteSlice;
use common::folded::Label;
use common::{Error, Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::read::json::Json;
use crate::read::stacks::Stacks;
use crate::samples::sample::{Sample, Time, known};
use crate::samples::{Root, Samples, Weighs};
use line::Line;
use other::Calls;
use requests::Requests;
use scheduler::{SWITCH, Scheduler, WAKING, WAKING_NEW, switch_text, waking_text};
use stacks::StackTable;

pub(super) const FORMAT: Format =
    Format::new("wprof", "The JSON of wprof, a tracer of Linux", detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Exact)
        .extras(&[Extra::Wakers, Extra::Spans]);

/// The event that is the default.
const TIMER: &[u8] = b"timer";

fn detect(head: &Head<'_>) -> bool {
    head.outline().is_some_and(|keys| keys.has("timer_freq_hz") && keys.has("stack_cnt"))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Unknown`] where the JSON is damaged or lacks stacks, after all that came
/// before; or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut json = Json::new(input);
    let mut trace = Trace::default();
    let read = trace.read(&mut json, samples);
    trace.finish(samples)?;
    read?;
    let (found, expected) = (trace.table.len(), trace.expected.unwrap_or_default());
    if found < expected {
        let what = format!("it ends too early: {found} of {expected} stacks were found");
        return Err(Error::Unknown { name, what });
    }
    Ok(())
}

#[derive(Default)]
struct Trace {
    line: Line,
    table: StackTable,
    scheduler: Scheduler,
    requests: Requests,
    calls: Calls,
    /// How many stacks the header announces.
    expected: Option<u64>,
    /// The time of the last event.
    last: u64,
    /// How many events of each kind are no samples.
    left_out: BTreeMap<Vec<u8>, u64>,
    /// How many samples have a stack that is not in the file.
    stackless: u64,
    timeless: u64,
    text: Vec<u8>,
}

impl Trace {
    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        while json.next_document()? {
            if !json.begin_object()? {
                return Err(json.unexpected("an event of wprof, which is an object"));
            }
            self.line.read(json)?;
            let line = std::mem::take(&mut self.line);
            self.add(&line, samples)?;
        }
        Ok(())
    }

    fn add(&mut self, line: &Line, samples: &mut Samples<'_>) -> Result<()> {
        if let (Some(id), Some(frames)) = (line.id, &line.frames) {
            self.table.add(id, frames, &line.sources, samples);
            return Ok(());
        }
        if line.kind.is_empty() && line.rate.is_some() {
            self.begin(line, samples);
            return Ok(());
        }
        let Some(time) = line.time else {
            self.timeless += 1;
            return Ok(());
        };
        self.last = self.last.max(time);
        match &line.kind[..] {
            b"timer" => self.sample(line, time, TIMER, samples),
            b"pmu_event" => self.sample(line, time, &line.name, samples),
            b"switch" => self.switch(line, time, samples),
            b"waking" | b"wakeup_new" => self.waking(line, time, samples),
            b"fork" | b"exec" | b"task_rename" | b"task_exit" | b"task_free" => {
                self.scheduler.live(line, time, samples);
                Ok(())
            }
            _ => self.other(line, time, samples),
        }
    }

    fn begin(&mut self, line: &Line, samples: &mut Samples<'_>) {
        self.expected = line.stacks;
        if let Some(length) = line.duration {
            let before = samples.facts.length.unwrap_or_default();
            samples.facts.length = Some(before.saturating_add(length));
        }
        if let Some(rate) = line.rate.filter(|rate| *rate > 0) {
            samples.facts.note_rate(Some(rate));
            samples.events.take_first(TIMER);
            samples.events.announce(TIMER, b"samples");
        }
    }

    fn switch(&mut self, line: &Line, time: u64, samples: &mut Samples<'_>) -> Result<()> {
        let is_chosen = self.scheduler.begin_switch(line, samples);
        Scheduler::next(line, time, !is_chosen, samples);
        if !is_chosen {
            return Ok(());
        }
        self.text.clear();
        switch_text(line, &mut self.text);
        self.sample(line, time, SWITCH, samples)
    }

    fn waking(&mut self, line: &Line, time: u64, samples: &mut Samples<'_>) -> Result<()> {
        self.scheduler.begin_waking(line, samples);
        self.text.clear();
        waking_text(line, &mut self.text);
        let event = if line.kind == b"waking" { WAKING } else { WAKING_NEW };
        self.sample(line, time, event, samples)
    }

    /// What is of wprof's other tracers: a sample if it has a stack, and a span if it lasts.
    fn other(&mut self, line: &Line, time: u64, samples: &mut Samples<'_>) -> Result<()> {
        if samples.wants.spans && line.kind == b"req_event" {
            self.requests.add(line, time, samples);
            return Ok(());
        }
        if self.calls.add(line, time, &mut self.table, samples) {
            return Ok(());
        }
        if line.stack.is_none() || samples.wants.spans {
            let kind = if line.kind.is_empty() { b"without a type" } else { &line.kind[..] };
            *self.left_out.entry(kind.to_vec()).or_default() += 1;
            return Ok(());
        }
        self.text.clear();
        self.sample(line, time, &line.kind, samples)
    }

    /// Adds a sample of an event; the text of a tracepoint is in `self.text`.
    fn sample(
        &mut self,
        line: &Line,
        time: u64,
        event: &[u8],
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        if event != SWITCH && event != WAKING && event != WAKING_NEW {
            self.text.clear();
            self.scheduler.note(&line.task, samples);
        }
        let stack = line.stack.map(|id| self.table.get(id));
        self.stackless += u64::from(stack == Some(None));
        let process = Label { key: b"process", value: &line.task.process };
        let name = Label { key: b"name", value: &line.name };
        let labels: Vec<Label<'_>> =
            [process, name].into_iter().filter(|label| !label.value.is_empty()).collect();
        let weight = line.period.or(line.duration);
        if line.duration.is_some() {
            samples.events.announce(event, b"ns");
        }
        let task = &line.task;
        let origin = Sample {
            comm: &task.comm,
            pid: known(&task.pid),
            tid: known(&task.tid),
            cpu: known(&line.cpu),
            time: Some(Time::Nanoseconds(time)),
            event,
            weights: weight.as_slice(),
            drawn: Some(1),
            text: &self.text,
            labels: &labels,
            ..Sample::default()
        };
        let StackTable { stacks, names, .. } = &mut self.table;
        stacks.add(&origin, stack.flatten().unwrap_or(Stacks::EMPTY), names, samples)
    }

    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.requests.finish(self.last, samples);
        self.calls.finish(&mut self.table, samples)?;
        samples.note_counts(&[
            (self.stackless, "samples have stacks that are not in the file: they have no frames"),
            (self.timeless, "lines have no time: they are left out"),
            (
                self.scheduler.of_others,
                "switches are away from threads that wprof was not asked for: they are left out",
            ),
        ]);
        let all: u64 = self.left_out.values().sum();
        if all > 0 {
            let kinds = self.left_out.iter();
            let kinds: Vec<String> =
                kinds.map(|(kind, count)| format!("{count} {}", kind.as_bstr())).collect();
            let why = match samples.wants.spans {
                true => "are no spans of threads, and are left out",
                false => "have no stack, and are left out; --spans lists those that last",
            };
            samples.note(format_args!("{all} events {why}: {}", kinds.join(", ")));
        }
        Ok(())
    }
}

//! Chrome's trace events, which many programs write: Chrome, `dune --trace-file`,
//! `olly trace`, tracing-chrome of Rust, `rustc -Z self-profile` through crox,
//! py-spy, Hermes. Grammar from the Trace Event Format of the Chromium project.
//!
//! ```text
//! [{"ph":"B","name":"main","pid":1,"tid":1,"ts":0},
//!  {"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":"2.5"},
//!  {"ph":"E","name":"main","pid":1,"tid":1,"ts":5},
//! {"traceEvents":[..],"samples":[..],"stackFrames":{..}}
//! ```
//!
//! The `]` of the array may be missing, as a program that is killed does not write it.

mod event;
mod frames;
mod overflow;
mod profiles;
mod sampled;
mod threads;

use common::{Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::read::held::Held;
use crate::read::json::{Json, Kind, Outline};
use crate::read::spans::{Edge, Spans};
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::{Root, Samples, Weighs};
use event::{Key, TraceEvent};
use frames::Frames;
use overflow::Overflow;
use profiles::Profiles;
use sampled::Sampled;
use threads::Threads;

pub(super) const FORMAT: Format = Format::new(
    "trace-event",
    "Chrome's trace events (JSON), which many tracers write",
    detect,
    parse,
)
.root(&Root::Comm)
.weighs(Weighs::Exact)
.extras(&[Extra::Spans]);

fn detect(head: &Head<'_>) -> bool {
    let is_trace = |keys: &Outline| {
        keys.has("traceEvents")
            || keys.has("ph") && (keys.has("pid") || keys.has("ts") || keys.has("name"))
            || keys.has("stackFrames") && keys.has("samples")
    };
    head.outline().is_some_and(is_trace)
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or [`common::Error::Unknown`] where the JSON is damaged, after all
/// that came before; or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut json = Json::new(input).may_be_open();
    let mut trace = Trace::default();
    let read = trace.read(&mut json);
    trace.finish(samples)?;
    read
}

/// The data of a trace. Events may be in any order, so no stack is known before all of them are
/// read.
#[derive(Default)]
struct Trace {
    event: TraceEvent,
    frames: Frames,
    threads: Threads,
    spans: Spans,
    profiles: Profiles,
    sampled: Sampled,
    overflow: Overflow,
    /// How many events were left out, as they are sums of others.
    sums: u64,
}

impl Trace {
    /// Reads all documents: one, or one per line.
    fn read(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        while json.next_document()? {
            if json.kind()? == Kind::Array {
                json.for_each(|json| self.read_event(json))?;
            } else {
                self.read_object(json)?;
            }
        }
        Ok(())
    }

    fn read_object(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        if !json.begin_object()? {
            return Err(json.unexpected("trace events"));
        }
        self.event.clear();
        let mut is_event = true;
        loop {
            // An event may be a document of its own, on its own line.
            let key = self.event.read_field(json)?;
            is_event &= !matches!(key, Key::Events | Key::Samples);
            match key {
                Key::Field => {}
                Key::Events => json.for_each(|json| self.read_event(json))?,
                Key::Samples => json.for_each(|json| self.read_sample(json))?,
                Key::StackFrames => self.sampled.read_frames(json, &mut self.frames)?,
                Key::VizTracer => self.overflow.read_viztracer(json)?,
                Key::Metadata => self.overflow.read_metadata(json)?,
                Key::End => break,
            }
        }
        if is_event {
            self.add_event();
        }
        Ok(())
    }

    fn read_event(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        self.event.read_all(json)?;
        self.add_event();
        Ok(())
    }

    /// `{"cpu":"-1","name":"","ts":"11552125241","pid":7512,"tid":"1","weight":"1","sf":1}`
    fn read_sample(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        self.event.read_all(json)?;
        let thread = self.threads.of_event(&self.event);
        self.sampled.add(&self.event, thread, &mut self.frames);
        Ok(())
    }

    fn add_event(&mut self) {
        let Trace { event, frames, threads, spans, profiles, sampled, overflow, sums } = self;
        if event.is_sum() {
            *sums += 1;
            return;
        }
        match event.phase {
            b'B' | b'E' | b'X' => add_span(event, threads.of_event(event), frames, spans),
            // Spans of tasks, which move from thread to thread; S and F are the old types.
            b'b' | b'e' | b'S' | b'F' => add_span(event, threads.of_task(event), frames, spans),
            b'M' => {
                threads.name(event);
                overflow.note(event);
            }
            b'P' | b'I' | b'i' => profiles.add(event, threads),
            _ => {}
        }
        // What happens at one time is a sample if it says where.
        if !b"BEXbeSFM".contains(&event.phase) && event.has_stack() {
            sampled.add(event, threads.of_event(event), frames);
        }
    }

    /// Adds the samples of V8 first, then other samples, then spans: the first event is the
    /// default.
    fn finish(self, samples: &mut Samples<'_>) -> Result<()> {
        let Trace { frames, threads, mut spans, profiles, mut sampled, overflow, sums, .. } = self;
        let sums_left_out = "events are sums of others, as clang writes them: they are left out";
        samples.note_count(sums, sums_left_out);
        overflow.report(samples);
        if samples.wants.spans {
            list_spans(&mut spans, &threads, &frames, samples);
            return Ok(());
        }
        let mut output = Output {
            names: frames.names(samples),
            stacks: Stacks::default(),
            held: Held::default(),
            samples,
        };
        profiles.add_to(&threads, &mut output)?;
        sampled.add_to(&threads, &mut output)?;
        add_spans(&mut spans, &threads, &frames, &mut output)?;
        output.held.finish(&mut output.stacks, &output.names, output.samples)
    }
}

fn add_span(event: &mut TraceEvent, thread: u32, frames: &mut Frames, spans: &mut Spans) {
    let (place, edge) = match event.phase {
        b'B' | b'b' | b'S' => (event.place.text(), Edge::Begin),
        b'E' | b'e' | b'F' => (&b""[..], Edge::End),
        _ => (event.place.text(), Edge::Whole(event.duration)),
    };
    let frame = frames.number(&event.name, place);
    spans.add(thread, event.time, frame, edge);
}

/// Adds the time of all spans: first those of threads, then those of tasks.
fn add_spans(
    spans: &mut Spans,
    threads: &Threads,
    frames: &Frames,
    Output { names, stacks, held, samples }: &mut Output<'_, '_>,
) -> Result<()> {
    let mut numbers: Vec<u32> = (0..spans.threads()).filter(|it| !spans.is_empty(*it)).collect();
    numbers.sort_by_key(|&number| threads.is_task(number));
    for number in numbers {
        let event: &[u8] = if threads.is_task(number) { b"async-time" } else { b"time" };
        let thread = held.thread(threads.get(number, event));
        spans.finish(
            number,
            |frame| frames.bare(frame),
            stacks,
            |passed, stacks| {
                held.add(thread, passed.stack, passed.weight, passed.time);
                held.relieve(stacks, names, samples)
            },
        )?;
    }
    spans.report(samples);
    Ok(())
}

/// Passes on all spans as such.
fn list_spans(spans: &mut Spans, threads: &Threads, frames: &Frames, samples: &mut Samples<'_>) {
    let names = frames.bare_names();
    for number in 0..spans.threads() {
        let (bare, name) = (|frame| frames.bare(frame), |frame| names[frame as usize]);
        spans.list(number, bare, threads.span(number), name, samples);
    }
    spans.report(samples);
}

/// Where samples are added.
struct Output<'a, 'p> {
    names: FrameNames,
    stacks: Stacks,
    held: Held,
    samples: &'a mut Samples<'p>,
}

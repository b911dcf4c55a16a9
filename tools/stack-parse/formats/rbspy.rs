//! Recordings of rbspy (`rbspy record --raw-file app.raw.gz`): one line of JSON for each stack,
//! leaf first. Grammar from its src/storage and src/core/types.rs.
//!
//! ```text
//! rbspy02
//! {"sample_rate":100,"rbspy_version":"0.55.0","start_time":{..}}
//! {"trace":[{"name":"fib","relative_path":"a.rb","absolute_path":"/srv/a.rb","lineno":1},..],
//!  "pid":13331,"thread_id":139756925036352,
//!  "time":{"secs_since_epoch":1795348314,"nanos_since_epoch":599187205},"on_cpu":true}
//! ```
//!
//! Version 01 lacks the second line, version 00 has only the lists of frames.

use std::io::Read;

use common::{Error, Result, folded::Label, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::json::{Json, Kind};
use crate::read::leaf_first::LeafFirst;
use crate::read::source::Place;
use crate::samples::events::Measure;
use crate::samples::sample::{Sample, Time, known};
use crate::samples::{Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("rbspy", "What Ruby's rbspy records, its raw file", detect, parse)
        .weighs(Weighs::Value);

/// The first line; its last two digits are the version.
const START: &[u8; 8] = b"rbspy02\n";

/// The weights of a sample; the time is known only with the rate of the samples.
const MEASURES: [Measure<'static>; 2] =
    [Measure { name: b"samples", unit: b"samples" }, Measure { name: b"time", unit: b"ns" }];

/// The length of the start without the version.
const MAGIC: usize = 5;

fn detect(head: &Head<'_>) -> bool {
    head.bytes.starts_with(&START[..MAGIC])
        && head.bytes.get(START.len() - 1).is_none_or(|last| *last == b'\n')
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where the file is damaged, after all that came before;
/// or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&MEASURES[..1]);
    let name = input.name().to_owned();
    let mut start = Vec::new();
    let read = input.take(START.len() as u64).read_to_end(&mut start);
    read.map_err(|source| Error::Input { name: name.clone(), source })?;
    if !matches!(&start[..], b"rbspy00\n" | b"rbspy01\n" | b"rbspy02\n") {
        let what = "expected version 00, 01 or 02 of rbspy's raw file".to_owned();
        return Err(Error::Unknown { name, what });
    }
    let mut trace = Trace::default();
    let mut json = Json::new(input);
    while json.next_document()? {
        trace.read(&mut json, samples)?;
    }
    Ok(())
}

/// The current stack; its buffers are reused for the next.
#[derive(Default)]
struct Trace {
    stack: LeafFirst,
    /// Whether a stack was read; it may have no frames.
    is_stack: bool,
    pid: Vec<u8>,
    tid: Vec<u8>,
    /// Nanoseconds.
    time: Option<u64>,
    on_cpu: Option<bool>,
    name: Vec<u8>,
    place: Place,
    /// The nanoseconds between samples, or 0.
    interval: u64,
}

impl Trace {
    /// Reads a line.
    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        self.is_stack = false;
        if json.kind()? == Kind::Array {
            self.read_frames(json, samples)?;
        } else if json.begin_object()? {
            (self.time, self.on_cpu, self.is_stack) = (None, None, false);
            self.pid.clear();
            self.tid.clear();
            while let Some(key) = json.next_key()? {
                match key {
                    b"trace" => self.read_frames(json, samples)?,
                    b"pid" => set(&mut self.pid, json.number()?),
                    b"thread_id" => set(&mut self.tid, json.number()?),
                    b"on_cpu" => self.on_cpu = json.boolean()?,
                    b"time" => self.time = read_time(json)?,
                    b"sample_rate" => self.set_rate(json.integer()?, samples),
                    _ => {}
                }
            }
        } else {
            return Err(json.unexpected("a stack of rbspy"));
        }
        if !self.is_stack {
            return Ok(());
        }
        let value = self.on_cpu.map(|is_on| if is_on { &b"true"[..] } else { b"false" });
        let on_cpu = value.map(|value| Label { key: b"on_cpu", value });
        let origin = Sample {
            pid: known(&self.pid),
            tid: known(&self.tid),
            time: self.time.map(Time::Nanoseconds),
            weights: &[1, self.interval],
            labels: on_cpu.as_slice(),
            ..Sample::default()
        };
        self.stack.add(&origin, samples)
    }

    /// Takes the samples per second, which are `null` if rbspy did not know them.
    fn set_rate(&mut self, rate: Option<u64>, samples: &mut Samples<'_>) {
        if let Some(interval) = rate.and_then(|rate| 1_000_000_000_u64.checked_div(rate)) {
            self.interval = interval;
            samples.facts.note_rate(rate);
            samples.events.set_measures(&MEASURES);
        }
    }

    fn read_frames(
        &mut self,
        json: &mut Json<&mut Input>,
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        self.is_stack = true;
        json.for_each(|json| self.read_frame(json, samples))
    }

    fn read_frame(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        self.name.clear();
        self.place.clear();
        let mut is_absolute = false;
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => set(&mut self.name, json.text()?),
                b"lineno" => self.place.line = json.integer()?,
                b"relative_path" if !is_absolute => self.set_file(json.text()?),
                b"absolute_path" => {
                    // Ruby writes `unknown` where it has no path.
                    let path = json.text()?.filter(|path| *path != b"unknown");
                    is_absolute = path.is_some();
                    if is_absolute {
                        self.set_file(path);
                    }
                }
                _ => {}
            }
        }
        let frame = Frame { name: &self.name, source: self.place.text(), ..Frame::default() };
        self.stack.push(&frame, samples);
        Ok(())
    }

    /// C functions are in a file called `(unknown)`.
    fn set_file(&mut self, path: Option<&[u8]>) {
        let path = path.filter(|path| *path != b"(unknown)");
        self.place.set_file(path.unwrap_or_default());
    }
}

fn set(field: &mut Vec<u8>, value: Option<&[u8]>) {
    field.clear();
    field.extend_from_slice(value.unwrap_or_default());
}

/// `{"secs_since_epoch":1795348314,"nanos_since_epoch":599187205}`, or `null`.
fn read_time(json: &mut Json<&mut Input>) -> Result<Option<u64>> {
    let (mut seconds, mut nanoseconds) = (None, None);
    json.enter_object()?;
    while let Some(key) = json.next_key()? {
        match key {
            b"secs_since_epoch" => seconds = json.integer()?,
            b"nanos_since_epoch" => nanoseconds = json.integer()?,
            _ => {}
        }
    }
    let seconds = seconds.and_then(|seconds| seconds.checked_mul(1_000_000_000));
    Ok(seconds.and_then(|seconds| seconds.checked_add(nanoseconds?)))
}

//! An event of a trace.

use common::{Result, io::Input};

use crate::read::json::{Json, Kind};
use crate::read::source::Place;
use crate::read::v8_profile::{Nodes, Ticks};

/// The fields of an event; those that it lacks are empty or `None`.
#[derive(Default)]
pub(super) struct TraceEvent {
    pub(super) phase: u8,
    pub(super) name: Vec<u8>,
    pub(super) category: Vec<u8>,
    pub(super) pid: Vec<u8>,
    pub(super) tid: Vec<u8>,
    pub(super) id: Vec<u8>,
    /// In nanoseconds, like the duration.
    pub(super) time: Option<i64>,
    pub(super) duration: Option<i64>,
    pub(super) place: Place,
    /// The id of a stack frame.
    pub(super) frame: Vec<u8>,
    /// The names of stack frames, root first, each with a 0 byte after it.
    pub(super) stack: Vec<u8>,
    /// The weight of a sample, if it has one; the inner `None` is for one that is not an integer.
    pub(super) weight: Option<Option<u64>>,
    /// The name of a thread or process.
    pub(super) named: Vec<u8>,
    /// Whether its arguments have an average.
    has_average: bool,
    /// A part of a profile from V8.
    pub(super) nodes: Nodes,
    pub(super) ticks: Ticks,
}

/// A key of an object, which may be an event or a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A field of an event, or something that is not needed.
    Field,
    /// A list of a trace, which comes next.
    Events,
    Samples,
    StackFrames,
    /// What VizTracer says of itself, which comes next.
    VizTracer,
    /// What Chrome says of the trace, which comes next.
    Metadata,
    /// There is no further key.
    End,
}

impl TraceEvent {
    /// Clears the event, but keeps its memory.
    pub(super) fn clear(&mut self) {
        let texts = [
            &mut self.name,
            &mut self.category,
            &mut self.pid,
            &mut self.tid,
            &mut self.id,
            &mut self.frame,
            &mut self.stack,
            &mut self.named,
        ];
        texts.into_iter().for_each(Vec::clear);
        self.place.clear();
        (self.phase, self.time, self.duration, self.weight) = Default::default();
        self.has_average = false;
        if !self.nodes.is_empty() || !self.ticks.is_empty() || self.ticks.end.is_some() {
            (self.nodes, self.ticks) = Default::default();
        }
        self.ticks.start = None;
    }

    /// Reads an event in place of the last one.
    pub(super) fn read_all(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        self.clear();
        json.enter_object()?;
        while self.read_field(json)? != Key::End {}
        Ok(())
    }

    /// Reads the next key, and its value if this is a field.
    pub(super) fn read_field(&mut self, json: &mut Json<&mut Input>) -> Result<Key> {
        let Some(key) = json.next_key()? else { return Ok(Key::End) };
        match key {
            b"ph" => {
                let phase = json.text()?.and_then(|text| text.first().copied());
                self.phase = phase.unwrap_or_default();
            }
            b"name" => set(&mut self.name, json.text()?),
            b"cat" => set(&mut self.category, json.text()?),
            b"pid" => set(&mut self.pid, json.number()?),
            b"tid" => set(&mut self.tid, json.number()?),
            b"id" => set(&mut self.id, json.number()?),
            b"id2" => self.read_id2(json)?,
            b"ts" => self.time = Ticks::read_time(json)?,
            b"dur" => self.duration = Ticks::read_time(json)?,
            b"args" => self.read_args(json)?,
            // The keys that Rust's tracing-chrome uses.
            b".file" => self.place.set_file(json.text()?.unwrap_or_default()),
            b".line" => self.place.line = json.integer()?,
            b"sf" => set(&mut self.frame, json.number()?),
            b"stack" => self.read_stack(json)?,
            b"weight" => self.weight = Some(json.integer()?),
            b"traceEvents" => return Ok(Key::Events),
            b"samples" => return Ok(Key::Samples),
            b"stackFrames" => return Ok(Key::StackFrames),
            b"viztracer_metadata" => return Ok(Key::VizTracer),
            b"metadata" => return Ok(Key::Metadata),
            _ => {}
        }
        Ok(Key::Field)
    }

    /// `["main","work"]`, or addresses; a single text is no list.
    fn read_stack(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        self.stack.clear();
        if json.kind()? != Kind::Array {
            return Ok(());
        }
        json.for_each(|json| {
            self.stack.extend(json.text()?.unwrap_or_default().iter().filter(|byte| **byte != 0));
            self.stack.push(0);
            Ok(())
        })
    }

    /// Whether it is the sum of other events, which clang writes after these:
    /// `{"ph":"X","ts":0,"dur":50,"name":"Total Source","args":{"count":1,"avg ms":0}}`
    pub(super) fn is_sum(&self) -> bool {
        self.phase == b'X' && self.name.starts_with(b"Total ") && self.has_average
    }

    /// Whether it has a stack of its own, in either form.
    pub(super) fn has_stack(&self) -> bool {
        !self.stack.is_empty() || !self.frame.is_empty()
    }

    /// `{"local":"0x1"}`
    fn read_id2(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        json.enter_object()?;
        while json.next_key()?.is_some() {
            set(&mut self.id, json.number()?);
        }
        Ok(())
    }

    /// `{"name":"main thread"}`, `{"filename":"demo.py","line":3}` or
    /// `{"data":{"cpuProfile":{..},"timeDeltas":[..]}}`.
    fn read_args(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => set(&mut self.named, json.text()?),
                b"filename" | b"file" => self.place.set_file(json.text()?.unwrap_or_default()),
                b"line" => self.place.line = json.integer()?,
                b"data" => self.read_profile(json)?,
                b"avg ms" => self.has_average = true,
                _ => {}
            }
        }
        Ok(())
    }

    /// `{"cpuProfile":{"nodes":[..],"samples":[..]},"timeDeltas":[..]}`, or the content of
    /// `cpuProfile`.
    fn read_profile(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        if json.kind()? != Kind::Object {
            return Ok(());
        }
        // `cpuProfile` is inside `data`, so there are two levels.
        let mut depth = 0;
        depth += usize::from(json.begin_object()?);
        while depth > 0 {
            let Some(key) = json.next_key()? else {
                depth -= 1;
                continue;
            };
            match key {
                b"cpuProfile" if depth == 1 => depth += usize::from(json.begin_object()?),
                b"nodes" => json.for_each(|json| self.nodes.read(json))?,
                b"samples" => self.ticks.read_samples(json)?,
                b"timeDeltas" => self.ticks.read_deltas(json)?,
                b"startTime" => self.ticks.start = Ticks::read_time(json)?,
                b"endTime" => self.ticks.end = Ticks::read_time(json)?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn set(text: &mut Vec<u8>, value: Option<&[u8]>) {
    text.clear();
    text.extend_from_slice(value.unwrap_or_default());
}

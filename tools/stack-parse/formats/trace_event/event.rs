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
    /// The weight of a sample, if it has one; the inner `None` is for one that is not an integer.
    pub(super) weight: Option<Option<u64>>,
    /// The name of a thread or process.
    pub(super) named: Vec<u8>,
    /// A part of a profile from V8.
    pub(super) nodes: Nodes,
    pub(super) ticks: Ticks,
}

/// A key of an event that is read.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Phase,
    Name,
    Category,
    Pid,
    Tid,
    Id,
    Id2,
    Time,
    Duration,
    Args,
    File,
    Line,
    Frame,
    Weight,
    Other,
}

impl Field {
    pub(super) fn of(key: &[u8]) -> Field {
        match key {
            b"ph" => Field::Phase,
            b"name" => Field::Name,
            b"cat" => Field::Category,
            b"pid" => Field::Pid,
            b"tid" => Field::Tid,
            b"id" => Field::Id,
            b"id2" => Field::Id2,
            b"ts" => Field::Time,
            b"dur" => Field::Duration,
            b"args" => Field::Args,
            // The key that Rust's tracing-chrome uses.
            b".file" => Field::File,
            b".line" => Field::Line,
            b"sf" => Field::Frame,
            b"weight" => Field::Weight,
            _ => Field::Other,
        }
    }
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
            &mut self.named,
        ];
        texts.into_iter().for_each(Vec::clear);
        self.place.clear();
        (self.phase, self.time, self.duration, self.weight) = Default::default();
        if !self.nodes.is_empty() || !self.ticks.is_empty() || self.ticks.end.is_some() {
            (self.nodes, self.ticks) = Default::default();
        }
        self.ticks.start = None;
    }

    /// Reads an event in place of the last one.
    pub(super) fn read_all(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        self.clear();
        json.enter_object()?;
        while let Some(field) = json.next_key()?.map(Field::of) {
            self.read(field, json)?;
        }
        Ok(())
    }

    /// Reads the value of a field.
    pub(super) fn read(&mut self, field: Field, json: &mut Json<&mut Input>) -> Result<()> {
        match field {
            Field::Phase => {
                let phase = json.text()?.and_then(|text| text.first().copied());
                self.phase = phase.unwrap_or_default();
            }
            Field::Name => set(&mut self.name, json.text()?),
            Field::Category => set(&mut self.category, json.text()?),
            Field::Pid => set(&mut self.pid, json.number()?),
            Field::Tid => set(&mut self.tid, json.number()?),
            Field::Id => set(&mut self.id, json.number()?),
            Field::Id2 => self.read_id2(json)?,
            Field::Time => self.time = Ticks::read_time(json)?,
            Field::Duration => self.duration = Ticks::read_time(json)?,
            Field::Args => self.read_args(json)?,
            Field::File => self.place.set_file(json.text()?.unwrap_or_default()),
            Field::Line => self.place.line = json.integer()?,
            Field::Frame => set(&mut self.frame, json.number()?),
            Field::Weight => self.weight = Some(json.integer()?),
            Field::Other => {}
        }
        Ok(())
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

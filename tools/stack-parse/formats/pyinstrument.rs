//! A session of pyinstrument, as JSON. In that of `pyinstrument -r json` it is a call tree whose times
//! include those of the children; in what pyinstrument saves for itself it is samples (`records`).
//!
//! ```text
//! {"start_time":1795202927.2,"duration":0.25,"sample_count":148,"root_frame":
//!  {"function":"main","file_path":"demo.py","line_no":24,"time":0.24,"children":[..]}}
//! ```

mod records;

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::documents::{Document, read_documents};
use crate::read::json::{Field, Json, Outline, Tree, read_tree};
use crate::read::nodes::{Call, add_calls_of};
use crate::read::source::Place;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Root, Samples};
use records::Records;

pub(super) const FORMAT: Format = Format::new(
    "pyinstrument",
    "The JSON and the sessions of Python's pyinstrument",
    detect,
    parse,
)
.root(&Root::Comm);

const TIME: Measure<'static> = Measure { name: b"time", unit: b"ns" };

/// Whether there is a tree or samples.
fn detect(head: &Head<'_>) -> bool {
    let has_samples = |keys: &Outline| keys.has("frame_records") || keys.has("start_call_stack");
    head.outline().is_some_and(|keys| keys.has("root_frame") || has_samples(keys))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[TIME]);
    read_documents(input, Session::default, samples)
}

#[derive(Default)]
struct Session {
    frames: Vec<Called>,
    /// The samples, if it has these and no tree.
    records: Option<Records>,
    /// When it began, in nanoseconds.
    start: Option<u64>,
    /// The bounds of the time between two samples, in nanoseconds.
    intervals: [Option<u64>; 2],
    /// How many samples were taken.
    drawn: Option<u64>,
    /// How long was recorded, in nanoseconds.
    length: Option<u64>,
    /// How many times are not numbers, negative or too large.
    bad_times: u64,
}

impl Document for Session {
    const WHAT: &'static str = "the JSON of pyinstrument";

    fn read(&mut self, json: &mut Json<&mut Input>, samples: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            match key {
                b"sample_count" => self.drawn = json.integer()?,
                b"duration" => self.length = json.nanoseconds()?,
                b"start_time" => self.start = json.nanoseconds()?,
                b"min_interval" => self.intervals[0] = json.nanoseconds()?,
                b"max_interval" => self.intervals[1] = json.nanoseconds()?,
                b"root_frame" => self.read_root(json)?,
                b"frame_records" => {
                    self.records.get_or_insert_default().read(json, samples)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        let records = self.records.take();
        self.bad_times += records.as_ref().map_or(0, |records| records.bad_times);
        let what = "times are not numbers that fit into 64 bits: they count as 0";
        samples.note_count(self.bad_times, what);
        if let Some(length) = self.length {
            let before = samples.facts.length.unwrap_or_default();
            samples.facts.length = Some(before.saturating_add(length));
        }
        match records {
            Some(records) => {
                if let [Some(least), Some(most)] = self.intervals
                    && least == most
                {
                    samples.facts.note_interval(least);
                }
                records.finish(self.start, samples)
            }
            None => self.finish_tree(samples),
        }
    }
}

impl Session {
    fn finish_tree(self, samples: &mut Samples<'_>) -> Result<()> {
        samples.set_one_thread();
        let calls = self.frames.into_iter().map(|frame| frame.into_call(samples));
        let calls: Vec<Call> = calls.collect();
        let origin = Sample { drawn: self.drawn.and(Some(0)), ..Sample::default() };
        add_calls_of(&origin, &calls, 1, samples)?;
        if self.drawn.is_some() {
            let roots = calls.iter().filter(|call| call.caller.is_none());
            let total = roots.map(|call| call.totals[0] as f64).sum();
            samples.draw(TIME.name, total, self.drawn);
        }
        Ok(())
    }

    fn read_root(&mut self, json: &mut Json<&mut Input>) -> Result<()> {
        if json.begin_object()? { read_tree(json, self) } else { Ok(()) }
    }
}

#[derive(Default)]
struct Called {
    function: Vec<u8>,
    place: Place,
    /// Nanoseconds.
    time: u64,
    caller: Option<u32>,
}

impl Tree<&mut Input> for Session {
    fn begin(&mut self, parent: Option<usize>) -> usize {
        let caller = parent.map(|parent| parent as u32);
        self.frames.push(Called { caller, ..Called::default() });
        self.frames.len() - 1
    }

    fn read_field(&mut self, json: &mut Json<&mut Input>, number: usize) -> Result<Field> {
        let frame = &mut self.frames[number];
        match json.next_key()? {
            Some(b"function") => frame.function = json.text()?.unwrap_or_default().to_vec(),
            Some(b"file_path") => frame.place.set_file(json.text()?.unwrap_or_default()),
            Some(b"line_no") => frame.place.line = json.integer()?.filter(|line| *line > 0),
            Some(b"time") => match json.nanoseconds()? {
                Some(time) => frame.time = time,
                None => self.bad_times += 1,
            },
            Some(b"children") => return Ok(Field::Children),
            Some(_) => {}
            None => return Ok(Field::End),
        }
        Ok(Field::Other)
    }
}

impl Called {
    fn into_call(mut self, samples: &mut Samples<'_>) -> Call {
        let name = if self.function.is_empty() { b"[no name]" } else { &self.function[..] };
        let mut frames = Vec::new();
        // A child with this name holds the own time of its parent.
        if name != b"[self]" {
            let frame = Frame { name, source: self.place.text(), ..Frame::default() };
            samples.frames(&frame, &mut frames);
        }
        Call { frames, totals: vec![self.time], caller: self.caller }
    }
}

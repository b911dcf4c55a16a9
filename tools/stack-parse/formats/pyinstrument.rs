//! A session of pyinstrument, as JSON (`pyinstrument -r json`): a call tree whose
//! times include those of the children.
//!
//! ```text
//! {"start_time":1795202927.2,"duration":0.25,"sample_count":148,"root_frame":
//!  {"function":"main","file_path":"demo.py","line_no":24,"time":0.24,"children":[..]}}
//! ```

use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::documents::{Document, read_documents};
use crate::read::json::{Field, Json, Tree, read_tree};
use crate::read::nodes::{Call, add_calls_of};
use crate::read::source::Place;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

pub(super) const FORMAT: Format =
    Format::new("pyinstrument", "The JSON of Python's pyinstrument", detect, parse);

const TIME: Measure<'static> = Measure { name: b"time", unit: b"ns" };

/// Whether there is a tree. A session that pyinstrument saved for itself (`-o app.pyisession`) has
/// the other keys, too, but records in place of the tree.
fn detect(head: &Head<'_>) -> bool {
    head.outline().is_some_and(|keys| keys.has("root_frame"))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[TIME]);
    read_documents(input, Session::default, samples)
}

#[derive(Default)]
struct Session {
    frames: Vec<Called>,
    /// How many samples were taken.
    drawn: Option<u64>,
    /// How long was recorded, in nanoseconds.
    length: Option<u64>,
    /// How many times are not numbers, negative or too large.
    bad_times: u64,
}

impl Document for Session {
    const WHAT: &'static str = "the JSON of pyinstrument";

    fn read(&mut self, json: &mut Json<&mut Input>, _: &mut Samples<'_>) -> Result<()> {
        while let Some(key) = json.next_key()? {
            match key {
                b"sample_count" => self.drawn = json.integer()?,
                b"duration" => self.length = nanoseconds(json)?,
                b"root_frame" => self.read_root(json)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(self, samples: &mut Samples<'_>) -> Result<()> {
        let what = "times are not numbers that fit into 64 bits: they count as 0";
        samples.note_count(self.bad_times, what);
        let calls = self.frames.into_iter().map(|frame| frame.into_call(samples));
        let calls: Vec<Call> = calls.collect();
        if let Some(length) = self.length {
            let before = samples.facts.length.unwrap_or_default();
            samples.facts.length = Some(before.saturating_add(length));
        }
        let origin = Sample { drawn: self.drawn.and(Some(0)), ..Sample::default() };
        add_calls_of(&origin, &calls, 1, samples)?;
        if self.drawn.is_some() {
            let roots = calls.iter().filter(|call| call.caller.is_none());
            let total = roots.map(|call| call.totals[0] as f64).sum();
            samples.draw(TIME.name, total, self.drawn);
        }
        Ok(())
    }
}

/// Reads a number of seconds; `None` if it is negative or too large.
fn nanoseconds(json: &mut Json<&mut Input>) -> Result<Option<u64>> {
    Ok(json.scaled(9)?.and_then(|time| u64::try_from(time).ok()))
}

impl Session {
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
            Some(b"time") => match nanoseconds(json)? {
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

//! Profiles of Ruby's stackprof: a hash, dumped by Ruby (`out: 'app.dump'`) or as JSON. Grammar
//! from its ext/stackprof/stackprof.c.
//!
//! ```text
//! {"version":1.2,"mode":"wall","interval":1000,"samples":2,"gc_samples":0,"missed_samples":0,
//!  "frames":{"4317464320":{"name":"Object#a","file":"a.rb","line":4,"samples":2,..},..},
//!  "raw":[2,4317464384,4317464320,2],"raw_lines":[2,21,6,2],
//!  "raw_sample_timestamps":[3215395537054,3215395538061],"raw_timestamp_deltas":[998,1007]}
//! ```
//!
//! `raw` has the stacks: the number of frames, the frames root first, and how often this stack was
//! seen in a row. Each of these samples has a timestamp, and the microseconds since the last one.
//! `raw_lines` has the line of each frame.

mod dump;
mod raw;

use std::io::Read;

use common::{Error, Result, io::Input};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::bad_weights::note_bad_weights;
use crate::read::json::Json;
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Loss, Samples, Weighs};
use dump::AsJson;
use raw::Raw;

pub(super) const FORMAT: Format =
    Format::new("stackprof", "What Ruby's stackprof saves, also as JSON", detect, parse)
        .weighs(Weighs::Value);

fn detect(head: &Head<'_>) -> bool {
    if head.bytes.starts_with(dump::START) {
        return memchr::memmem::find(head.bytes, b"gc_samples").is_some();
    }
    head.outline().is_some_and(|keys| {
        keys.has("mode") && keys.has("frames") && (keys.has("gc_samples") || keys.has("raw"))
    })
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where the file is damaged, after all that came before;
/// or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let start = input.peek(dump::START.len());
    let start = start.map_err(|source| Error::Input { name: name.clone(), source })?;
    if start.starts_with(dump::START) {
        read_profiles(&mut Json::named(name, AsJson::new(input)), samples)
    } else {
        read_profiles(&mut Json::new(input), samples)
    }
}

/// Reads all profiles of an input, one after the other.
fn read_profiles<R: Read>(json: &mut Json<R>, samples: &mut Samples<'_>) -> Result<()> {
    loop {
        let mut profile = Profile::default();
        let read = profile.read(json, samples);
        profile.is_whole = matches!(read, Ok(true));
        profile.finish(samples)?;
        if !read? {
            return Ok(());
        }
    }
}

/// A profile, as far as it was read.
#[derive(Default)]
struct Profile {
    mode: Vec<u8>,
    /// The interval between samples, in microseconds or objects.
    interval: u64,
    /// The number of samples that stackprof counted.
    samples: u64,
    /// How many of them were in a garbage collection.
    gc_samples: u64,
    /// How many more signals than samples there were.
    missed: Option<u64>,
    /// The index of each function, by its id in the file: `4317464320`.
    numbers: HashMap<Vec<u8>, u32>,
    functions: Vec<Function>,
    raw: Raw,
    /// How many sample counts of functions are not integers.
    bad_weights: u64,
    /// Whether the profile was read to its end.
    is_whole: bool,
}

/// A function; those found only in `raw` are empty.
#[derive(Clone, Default)]
struct Function {
    name: Vec<u8>,
    place: Place,
    /// The number of samples with this function as the leaf.
    own: u64,
}

impl Profile {
    /// Reads the next profile; false if there is none.
    fn read<R: Read>(&mut self, json: &mut Json<R>, samples: &Samples<'_>) -> Result<bool> {
        if !json.next_document()? {
            return Ok(false);
        }
        if !json.begin_object()? {
            return Err(json.unexpected("a profile of stackprof"));
        }
        self.raw.keep_frames = samples.wants.frames.srcline();
        while let Some(key) = json.next_key()? {
            match key {
                b"mode" => self.mode = json.text()?.unwrap_or_default().to_vec(),
                b"interval" => self.interval = json.integer()?.unwrap_or_default(),
                b"samples" => self.samples = json.integer()?.unwrap_or_default(),
                b"gc_samples" => self.gc_samples = json.integer()?.unwrap_or_default(),
                b"missed_samples" => self.missed = json.integer()?,
                b"frames" => self.read_functions(json)?,
                b"raw" => {
                    let (raw, numbers, functions) =
                        (&mut self.raw, &mut self.numbers, &mut self.functions);
                    raw.read_stacks(json, |id| number(id, numbers, functions))?;
                }
                b"raw_lines" => self.raw.read_lines(json)?,
                b"raw_sample_timestamps" if samples.wants.order() => self.raw.read_times(json)?,
                b"raw_timestamp_deltas" => self.raw.read_deltas(json)?,
                _ => {}
            }
        }
        Ok(true)
    }

    /// `{"4317464320":{"name":"Object#a","file":"a.rb","line":4,"samples":2},..}`
    fn read_functions<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.enter_object()?;
        while let Some(id) = json.next_key()? {
            let number = number(id, &mut self.numbers, &mut self.functions);
            let function = &mut self.functions[number as usize];
            json.enter_object()?;
            while let Some(key) = json.next_key()? {
                match key {
                    b"name" => function.name = json.text()?.unwrap_or_default().to_vec(),
                    b"file" => function.place.set_file(json.text()?.unwrap_or_default()),
                    b"line" => function.place.line = json.integer()?,
                    b"samples" => match json.integer()? {
                        Some(own) => function.own = own,
                        None => self.bad_weights += 1,
                    },
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.functions.is_empty() && self.samples == 0 {
            return Ok(());
        }
        if self.interval == 0 && self.measures().len() > 1 && self.is_whole {
            samples.note(
                "it lacks the interval between samples: each sample counts as one of its unit",
            );
        }
        if matches!(&self.mode[..], b"wall" | b"cpu") {
            // In mode `object` these are the objects between two samples, as was asked for.
            self.note_missed(samples);
            samples.facts.note_interval(self.interval.saturating_mul(1000));
        }
        self.interval = self.interval.max(1);
        self.raw.place();
        samples.events.set_measures(self.measures());
        let names = self.names(samples);
        let one = self.weights();
        let raw = std::mem::take(&mut self.raw);
        let seen = if raw.is_empty() {
            if self.is_whole {
                samples.note("no stacks were saved, only functions: record with 'raw: true'");
            }
            note_bad_weights(self.bad_weights, samples);
            self.add_functions(&one, &names, samples)?
        } else {
            note_bad_weights(raw.bad_weights, samples);
            raw.add(one[0], self.mode == b"wall", &names, samples)?
        };
        let others = self.samples.saturating_sub(seen);
        if self.is_whole { self.add_others(others, &one, samples) } else { Ok(()) }
    }

    /// Notes the samples that stackprof did not take, since the one before was not done yet.
    ///
    /// In mode `wall` a signal that one thread passes on to another is counted twice, so that
    /// stackprof may say that half of all is missing where nothing is: then the times of the samples
    /// have hardly room for more.
    fn note_missed(&self, samples: &mut Samples<'_>) {
        let Some(missed) = self.missed else { return };
        let length = self.raw.length(self.samples).filter(|_| self.mode == b"wall");
        let due = length.and_then(|length| length.checked_div(self.interval));
        let has_room = |due: u64| due.saturating_sub(self.samples) > self.samples / 50;
        let is_refuted = missed > 0 && due.is_some_and(|due| !has_room(due));
        samples.note_loss(Loss {
            count: if is_refuted { 0 } else { missed },
            of: "samples",
            recorded: Some(self.samples),
            remedy: "use a longer interval",
            is_exact: !is_refuted,
        });
    }

    /// Adds the samples that no function has: no Ruby code ran in them. Before version 0.2.11 those
    /// in a garbage collection had no frame.
    fn add_others(&self, others: u64, one: &[u64], samples: &mut Samples<'_>) -> Result<()> {
        const COLLECTION: &[u8] = b"(garbage collection)";
        let has_frame = self.functions.iter().any(|function| function.name == COLLECTION);
        let collecting = if has_frame { 0 } else { others.min(self.gc_samples) };
        let mut frames = Vec::new();
        samples.frames(&Frame { name: COLLECTION, ..Frame::default() }, &mut frames);
        for (count, frames) in [(collecting, &frames[..]), (others - collecting, &[])] {
            if count > 0 {
                samples.add(&Sample { count, weights: one, ..Sample::default() }, frames)?;
            }
        }
        Ok(())
    }

    fn measures(&self) -> &'static [Measure<'static>] {
        const SAMPLES: Measure<'_> = Measure { name: b"samples", unit: b"samples" };
        match &self.mode[..] {
            b"wall" => &[Measure { name: b"wall", unit: b"microseconds" }, SAMPLES],
            b"cpu" => &[Measure { name: b"cpu", unit: b"microseconds" }, SAMPLES],
            b"object" => &[Measure { name: b"objects", unit: b"objects" }, SAMPLES],
            _ => &[SAMPLES],
        }
    }

    /// The weights of a sample that has no time of its own.
    fn weights(&self) -> [u64; 2] {
        [if self.measures().len() > 1 { self.interval } else { 1 }, 1]
    }

    /// Adds each function as a stack of its own. Returns the number of samples.
    fn add_functions(
        &self,
        one: &[u64],
        names: &FrameNames,
        samples: &mut Samples<'_>,
    ) -> Result<u64> {
        let mut stacks = Stacks::default();
        for (number, function) in (0..).zip(&self.functions) {
            let stack = stacks.call(Stacks::EMPTY, number);
            let origin = Sample { count: function.own, weights: one, ..Sample::default() };
            if function.own > 0 {
                stacks.add(&origin, stack, names, samples)?;
            }
        }
        Ok(self.functions.iter().fold(0, |sum: u64, function| sum.saturating_add(function.own)))
    }

    /// Names the frames of the stacks.
    fn names(&self, samples: &mut Samples<'_>) -> FrameNames {
        let mut names = FrameNames::default();
        let mut push = |function: &Function, line: Option<u64>| {
            let mut place = function.place.clone();
            place.line = line.or(place.line);
            let frame = Frame { name: &function.name, source: place.text(), ..Frame::default() };
            names.push(&frame, samples);
        };
        for &(number, line) in self.raw.placed() {
            push(&self.functions[number as usize], Some(line).filter(|line| *line > 0));
        }
        if self.raw.placed().is_empty() {
            self.functions.iter().for_each(|function| push(function, None));
        }
        names
    }
}

/// The index of the function with this id in the file.
fn number(id: &[u8], numbers: &mut HashMap<Vec<u8>, u32>, functions: &mut Vec<Function>) -> u32 {
    *numbers.entry_ref(id).or_insert_with(|| {
        functions.push(Function::default());
        (functions.len() - 1) as u32
    })
}

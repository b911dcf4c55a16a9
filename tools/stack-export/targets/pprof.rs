//! pprof's profile.proto, compressed by gzip:
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>.
//!
//! Each event is a type of sample. Each line of a function is a location, together with the
//! inlined functions in it.

mod labels;
mod messages;
mod strings;

use std::io::{self, Write};

use common::{folded::NO_STACK, io::Output, numbers::Unit, stacks::FrameId};
use flate2::Compression;
use flate2::write::GzEncoder;
use hashbrown::HashMap;
use prost::Message;

use crate::event::ExportedEvent;
use crate::functions::{Functions, NamedMarks, Site};
use crate::labelled::HeldLabels;
use crate::profile::{ExportedStack, Profile};
use crate::target::{Load, Target, Writer};
use crate::times::Times;
use labels::labels;
use messages::{Function, Line, Location, Message as Part, Sample, ValueType};
use strings::Strings;

pub(super) const TARGET: Target = Target {
    labels: HeldLabels::All,
    has_places: true,
    load,
    ..Target::plain(
        "pprof",
        "profile.proto, compressed by gzip, for 'go tool pprof' and much else",
        Writer::AllEvents(write),
    )
};

/// Weights are signed.
fn load(_: &Profile, event: &ExportedEvent) -> Load {
    Load { weight: event.total, most: i64::MAX.unsigned_abs() }
}

fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let mut packed = GzEncoder::new(out, Compression::default());
    let mut strings = Strings::default();
    // Messages that follow each other are read as one message, and their lists are joined.
    let mut bytes = Vec::new();
    let mut put = |part: Part| {
        bytes.clear();
        part.encode(&mut bytes)?;
        packed.write_all(&bytes)
    };
    put(head(profile, &mut strings))?;
    let functions = Functions::of(profile, NamedMarks::AllButInlined);
    for (function, id) in functions.list.iter().zip(1..) {
        let mut part = Part::default();
        let name = strings.add(function.text().into_owned(), &mut part);
        let filename = match function.file {
            b"" => 0,
            file => strings.intern(file, &mut part),
        };
        // There is no `system_name`: pprof would shorten a name that is equal to it, `operator
        // new(unsigned long)` to `operator new`.
        part.function.push(Function { id, name, filename });
        put(part)?;
    }
    let mut locations = Locations::of(&functions);
    for (number, event) in profile.events.iter().enumerate() {
        for stack in profile.stacks_of(event) {
            let mut part = Part::default();
            let location_id = locations.of_stack(profile, &stack, &mut part);
            let mut value = vec![0; profile.events.len()];
            value[number] = stack.weight.cast_signed();
            let label = match stack.labels {
                None => Vec::new(),
                some => labels(&profile.labels(some), &mut strings, &mut part),
            };
            part.sample.push(Sample { location_id, value, label });
            put(part)?;
        }
    }
    packed.finish()?;
    Ok(())
}

/// The types of samples. The first string must be empty.
fn head(profile: &Profile, strings: &mut Strings) -> Part {
    let mut head = Part::default();
    strings.add(String::new(), &mut head);
    for event in &profile.events {
        let r#type = strings.add(event.label().to_owned(), &mut head);
        let unit = strings.add(unit(event), &mut head);
        head.sample_type.push(ValueType { r#type, unit });
    }
    // Without this, the last type is shown first.
    head.default_sample_type = head.sample_type[0].r#type;
    if let Some(trust) = &profile.trust {
        let comment = strings.add(trust.clone(), &mut head);
        head.comment.push(comment);
    }
    let times = Times::of(profile);
    head.time_nanos = times.date().unwrap_or_default().cast_signed();
    head.duration_nanos = times.duration().cast_signed();
    head
}

/// The unit's name that viewers know, or else the event's own.
fn unit(event: &ExportedEvent) -> String {
    match event.unit() {
        Unit::Things(name) if name != "samples" => name,
        _ => event.unit_word().unwrap_or("count").to_owned(),
    }
}

/// Gives numbers to locations: a line of a function with what was inlined there.
struct Locations<'a> {
    /// The sites that differ.
    sites: Vec<Site<'a>>,
    /// For each frame, in the order of [`Profile::frames`], the index of its site.
    of_frames: Vec<u32>,
    /// By the indices of their sites, the outermost first. Numbers are compared much faster than sites.
    known: HashMap<Vec<u32>, u64>,
}

impl<'a> Locations<'a> {
    fn of(functions: &Functions<'a>) -> Locations<'a> {
        let (mut sites, mut indices) = (Vec::new(), HashMap::new());
        let of_frames = functions.sites.iter().map(|&site| {
            *indices.entry(site).or_insert_with(|| {
                sites.push(site);
                (sites.len() - 1) as u32
            })
        });
        let of_frames = of_frames.collect();
        Locations { sites, of_frames, known: HashMap::new() }
    }

    /// The locations of a stack, leaf first; none if there is no stack. New ones are added to the
    /// message.
    fn of_stack(
        &mut self,
        profile: &Profile,
        stack: &ExportedStack<'_>,
        part: &mut Part,
    ) -> Vec<u64> {
        if let [only] = stack.frames
            && profile.name(*only) == NO_STACK
        {
            return Vec::new();
        }
        let mut ids = Vec::with_capacity(stack.frames.len());
        let index = |frame: FrameId| self.of_frames[profile.place(frame) as usize];
        let indices: Vec<u32> = stack.frames.iter().map(|&frame| index(frame)).collect();
        // An inlined function is part of the location of its caller.
        let is_inlined = |index: u32| self.sites[index as usize].is_inlined;
        let runs: Vec<&[u32]> = indices.chunk_by(|_, &next| is_inlined(next)).collect();
        for run in runs.into_iter().rev() {
            ids.push(self.id(run, part));
        }
        ids
    }

    /// The number of the location with the sites of these indices.
    fn id(&mut self, run: &[u32], part: &mut Part) -> u64 {
        if let Some(&id) = self.known.get(run) {
            return id;
        }
        let id = self.known.len() as u64 + 1;
        let line = |site: &Site<'_>| Line {
            function_id: u64::from(site.function) + 1,
            line: site.line.into(),
            column: site.column.into(),
        };
        let innermost_first = run.iter().rev().map(|&index| line(&self.sites[index as usize]));
        part.location.push(Location { id, line: innermost_first.collect() });
        self.known.insert(run.to_vec(), id);
        id
    }
}

//! pprof's profile.proto, packed by gzip:
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>.
//!
//! Each event is a type of sample. Each frame is a location of its own, as some viewers show
//! only one function of a location.

mod messages;

use std::io::{self, Write};

use common::{Output, Unit};
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use crate::event::ExportedEvent;
use crate::profile::Profile;
use messages::{Function, Line, Location, Message as Part, Sample, ValueType};

pub(super) fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let mut packed = GzEncoder::new(out, Compression::default());
    let mut strings = Strings::default();
    // Messages that are written one behind the other are one message: a list is what
    // stands in any of them.
    let mut bytes = Vec::new();
    let mut put = |part: Part| {
        bytes.clear();
        part.encode(&mut bytes)?;
        packed.write_all(&bytes)
    };
    put(head(profile, &mut strings))?;
    for &frame in profile.frames() {
        let name = profile.text(frame).into_owned();
        put(function(u64::from(profile.place(frame)) + 1, name, &mut strings))?;
    }
    for (number, event) in profile.events.iter().enumerate() {
        for stack in profile.stacks_of(event) {
            let leaf_first = stack.frames.iter().rev();
            let location_id = leaf_first.map(|&it| u64::from(profile.place(it)) + 1).collect();
            let mut value = vec![0; profile.events.len()];
            value[number] = stack.weight.cast_signed();
            put(Part { sample: vec![Sample { location_id, value }], ..Part::default() })?;
        }
    }
    packed.finish()?;
    Ok(())
}

/// Gives strings their places in the table.
#[derive(Default)]
struct Strings {
    next: i64,
}

impl Strings {
    /// Adds a string to the table of the message, and returns its place.
    fn add(&mut self, text: String, part: &mut Part) -> i64 {
        part.string_table.push(text);
        self.next += 1;
        self.next - 1
    }
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
    // Where nothing is said, the last is shown first.
    head.default_sample_type = head.sample_type[0].r#type;
    head
}

/// The name that viewers know, or else the event's own.
fn unit(event: &ExportedEvent) -> String {
    match event.unit() {
        Unit::Time(1) => "nanoseconds".to_owned(),
        Unit::Time(1_000) => "microseconds".to_owned(),
        Unit::Time(1_000_000) => "milliseconds".to_owned(),
        Unit::Time(_) => "seconds".to_owned(),
        Unit::Bytes => "bytes".to_owned(),
        Unit::Things(name) if name != "samples" => name,
        Unit::Things(_) | Unit::Unknown => "count".to_owned(),
    }
}

/// A function, and the location in it. It has no `system_name`, as pprof would shorten a name
/// that is equal to it: `operator new(unsigned long)` to `operator new`.
fn function(id: u64, name: String, strings: &mut Strings) -> Part {
    let mut part = Part::default();
    let name = strings.add(name, &mut part);
    part.function.push(Function { id, name });
    part.location.push(Location { id, line: vec![Line { function_id: id }] });
    part
}

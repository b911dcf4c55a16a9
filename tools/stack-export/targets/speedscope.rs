//! speedscope's own format: <https://www.speedscope.app/file-format-schema.json>.
//!
//! Each event is a profile of its own, in which a stack is a sample.

use std::borrow::Cow;
use std::io::{self, Write};

use common::{FrameId, Output, Unit};
use serde::{Serialize, Serializer};

use crate::event::ExportedEvent;
use crate::profile::Profile;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'a str,
    active_profile_index: usize,
    shared: Shared<'a>,
    profiles: Vec<OneEvent<'a>>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Frames<'a>,
}

/// `[{"name":"main"},{"name":"parse"}]`
struct Frames<'a>(&'a Profile);

#[derive(Serialize)]
struct Frame<'a> {
    name: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OneEvent<'a> {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Samples<'a>,
    weights: Weights<'a>,
}

/// `[[0,1],[0,2]]`: for each stack the places of its frames, root first.
struct Samples<'a>(&'a Profile, &'a ExportedEvent);

/// The places of the frames of a stack.
struct Places<'a>(&'a Profile, &'a [FrameId]);

/// What each stack weighs.
struct Weights<'a>(&'a Profile, &'a ExportedEvent);

pub(super) fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let of_event = |event| OneEvent::of(profile, event);
    let document = Document {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: concat!("stack-export ", env!("CARGO_PKG_VERSION")),
        name: profile.events[0].label(),
        active_profile_index: 0,
        shared: Shared { frames: Frames(profile) },
        profiles: profile.events.iter().map(of_event).collect(),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

impl<'a> OneEvent<'a> {
    fn of(profile: &'a Profile, event: &'a ExportedEvent) -> OneEvent<'a> {
        OneEvent {
            r#type: "sampled",
            name: event.label_with_unit(),
            unit: unit(&event.unit()),
            start_value: 0,
            end_value: event.total,
            samples: Samples(profile, event),
            weights: Weights(profile, event),
        }
    }
}

fn unit(unit: &Unit) -> &'static str {
    match unit {
        Unit::Time(1) => "nanoseconds",
        Unit::Time(1_000) => "microseconds",
        Unit::Time(1_000_000) => "milliseconds",
        Unit::Time(_) => "seconds",
        Unit::Bytes => "bytes",
        Unit::Things(_) | Unit::Unknown => "none",
    }
}

impl Serialize for Frames<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.0.frames().iter().map(|&frame| self.0.text(frame));
        serializer.collect_seq(names.map(|name| Frame { name }))
    }
}

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Samples(profile, event) = self;
        serializer.collect_seq(profile.stacks_of(event).map(|it| Places(profile, it.frames)))
    }
}

impl Serialize for Places<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|&frame| self.0.place(frame)))
    }
}

impl Serialize for Weights<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.stacks_of(self.1).map(|stack| stack.weight))
    }
}

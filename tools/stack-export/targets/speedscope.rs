//! speedscope's own format: <https://www.speedscope.app/file-format-schema.json>.
//!
//! Each thread of each event is a profile of its own, in which a stack is a sample.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use common::{io::Output, numbers::Unit, stacks::FrameId};
use serde::{Serialize, Serializer};

use crate::event::ExportedEvent;
use crate::functions::{Functions, NamedMarks};
use crate::labelled::HeldLabels;
use crate::profile::Profile;
use crate::target::{Target, Writer};
use crate::threads::{Thread, interval, threads_of};

pub(super) const TARGET: Target = Target {
    labels: HeldLabels::Threads,
    has_places: true,
    ..Target::plain("speedscope", "JSON for speedscope", Writer::AllEvents(write))
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'a str,
    active_profile_index: usize,
    shared: Shared<'a>,
    profiles: Vec<OneProfile<'a>>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Frames<'a>,
}

/// `[{"name":"main","file":"demo.c","line":7},{"name":"parse"}]`
struct Frames<'a>(&'a Functions<'a>);

#[derive(Serialize)]
struct Frame<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    col: Option<u32>,
    /// speedscope takes frames of one key for one function, whatever their lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// A field that stack-parse reads, and speedscope does not: `_[l]_[i]`.
    #[serde(skip_serializing_if = "String::is_empty")]
    marks: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OneProfile<'a> {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    #[serde(flatten)]
    origin: Origin<'a>,
    samples: Samples<'a>,
    /// What each stack weighs, or the nanoseconds between samples.
    weights: Vec<u64>,
}

/// Fields that stack-parse reads, and speedscope does not.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Origin<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_unit: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    comm: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pid: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    tid: &'a str,
}

/// `[[0,1],[0,2]]`: for each stack the indices of its frames, root first.
struct Samples<'a>(&'a Profile, &'a Thread<'a>);

/// The indices of the frames of a stack.
struct Places<'a>(&'a Profile, &'a [FrameId]);

fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let functions = Functions::of(profile, NamedMarks::None);
    let threads: Vec<Vec<Thread<'_>>> =
        profile.events.iter().map(|event| threads_of(profile, event)).collect();
    let of_events = profile.events.iter().zip(&threads).map(|(event, threads)| {
        let interval = interval(threads);
        threads.iter().map(move |thread| OneProfile::of(profile, event, thread, interval))
    });
    let mut profiles: Vec<OneProfile<'_>> = of_events.flatten().collect();
    tell_apart(&mut profiles);
    let document = Document {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: concat!("stack-export ", env!("CARGO_PKG_VERSION")),
        name: profile.events[0].label(),
        active_profile_index: 0,
        shared: Shared { frames: Frames(&functions) },
        profiles,
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Adds the number of the process to names that are not unique.
fn tell_apart(profiles: &mut [OneProfile<'_>]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    profiles.iter().for_each(|it| *counts.entry(it.name.clone()).or_default() += 1);
    for profile in profiles.iter_mut().filter(|it| counts[&it.name] > 1) {
        let Origin { pid, tid, .. } = profile.origin;
        // A thread without a number has that of the process in its name already.
        if !pid.is_empty() && !tid.is_empty() {
            profile.name.push_str(&format!(", pid {pid}"));
        }
    }
}

impl<'a> OneProfile<'a> {
    /// The profile of a thread; `interval` is the usual time between its samples.
    fn of(
        profile: &'a Profile,
        event: &'a ExportedEvent,
        thread: &'a Thread<'a>,
        interval: u64,
    ) -> OneProfile<'a> {
        let is_timed = thread.has_times && event.counts_samples_of_time();
        let samples = thread.samples.iter();
        let weights: Vec<u64> = match is_timed {
            true => samples.zip(thread.ends(interval)).map(|(it, end)| end - it.since).collect(),
            false => samples.map(|sample| sample.stack.weight).collect(),
        };
        let (event_name, title) = (event.label_with_unit(), thread.title());
        let is_one_event = profile.events.len() == 1;
        OneProfile {
            r#type: "sampled",
            name: match &title[..] {
                "" => event_name,
                _ if is_one_event => title,
                _ => format!("{event_name}: {title}"),
            },
            unit: if is_timed { "nanoseconds" } else { event.unit_word().unwrap_or("none") },
            start_value: 0,
            end_value: weights.iter().sum(),
            origin: Origin {
                event: event.name.as_deref(),
                event_unit: match event.unit() {
                    Unit::Things(unit) if !is_timed && event.name.is_some() => Some(unit),
                    _ => None,
                },
                comm: &thread.comm,
                pid: &thread.pid,
                tid: &thread.tid,
            },
            samples: Samples(profile, thread),
            weights,
        }
    }
}

impl Serialize for Frames<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let known = |number: u32| (number > 0).then_some(number);
        let frames = self.0.sites.iter().map(|site| {
            let function = &self.0.list[site.function as usize];
            let has_file = !function.file.is_empty();
            Frame {
                name: function.text(),
                file: has_file.then(|| function.file_text()),
                line: known(site.line),
                col: known(site.column),
                key: has_file.then(|| format!("f{}", site.function)),
                marks: site.all_marks(),
            }
        });
        serializer.collect_seq(frames)
    }
}

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let samples = self.1.samples.iter();
        serializer.collect_seq(samples.map(|sample| Places(self.0, sample.stack.frames)))
    }
}

impl Serialize for Places<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|&frame| self.0.place(frame)))
    }
}

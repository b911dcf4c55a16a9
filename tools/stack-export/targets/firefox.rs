//! The Firefox Profiler's processed format:
//! <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md>.

mod tables;

use std::io::{self, Write};

use common::{io::Output, numbers::Unit};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value, json};

use crate::event::ExportedEvent;
use crate::functions::{Functions, NamedMarks};
use crate::labelled::HeldLabels;
use crate::profile::{ExportedStack, Profile};
use crate::target::{Target, Writer};
use crate::threads::{ProcessNames, interval, threads_of};
use crate::times::Times;
use tables::{CATEGORIES, Tables};

pub(super) const TARGET: Target = Target {
    labels: HeldLabels::Threads,
    has_places: true,
    ..Target::plain("firefox", "JSON for the Firefox Profiler", Writer::OneEvent(write))
};

/// The version of the format: viewers read theirs and older ones.
const VERSION: u32 = 55;

fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let event = profile.only_event();
    let functions = Functions::of(profile, NamedMarks::None);
    let threads = threads_of(profile, event);
    let processes = ProcessNames::of(&threads);
    write!(out, r#"{{"meta":{},"libs":[],"#, meta(profile, event, interval(&threads)))?;
    out.write_all(br#""pages":[],"counters":[],"profilerOverhead":[],"threads":["#)?;
    for (place, thread) in threads.iter().enumerate() {
        if place > 0 {
            out.write_all(b",\n")?;
        }
        // Stacks without times are a millisecond apart.
        let samples = thread.samples.iter().zip((0u64..).map(|at| at * 1_000_000));
        let samples = samples
            .map(|(sample, at)| (sample.stack, if thread.has_times { sample.since } else { at }));
        let ids = [thread.pid_number, thread.tid_number].map(|id| id.to_string());
        let name = thread.name(event.label());
        let process = processes.of_thread(thread).unwrap_or(event.label());
        let pid = if thread.pid.is_empty() { &ids[0] } else { &thread.pid };
        let has_tid = !thread.tid.is_empty() && !thread.is_untimed_part;
        let tid = if has_tid { &thread.tid } else { &ids[1] };
        let whose = Whose { name: &name, process, pid, tid };
        write_thread(profile, &functions, event, &whose, samples, out)?;
    }
    out.write_all(b"]}\n")
}

fn meta(profile: &Profile, event: &ExportedEvent, interval: u64) -> Value {
    let category = |(_, name, color): (u8, &str, &str)| json!({"name": name, "color": color, "subcategories": ["Other"]});
    // Without times a profile has no date, so that equal stacks give equal files.
    let start = Times::of(profile).date().unwrap_or_default();
    let mut meta = json!({
        "interval": milliseconds(interval),
        "startTime": milliseconds(start),
        "processType": 0,
        "product": event.label(),
        "categories": CATEGORIES.map(category),
        "stackwalk": 0,
        "debug": false,
        "version": 24,
        "preprocessedProfileVersion": VERSION,
        "symbolicated": true,
        "markerSchema": [],
        "sourceCodeIsNotOnSearchfox": true,
        "usesOnlyOneStackType": true,
        "extensions": {"length": 0, "baseURL": [], "id": [], "name": []},
    });
    if let Some(trust) = &profile.trust {
        let entry = json!({"label": "Trust", "format": "string", "value": trust});
        meta["extra"] = json!([{"label": "Recording", "entries": [entry]}]);
    }
    meta
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1_000_000.0
}

/// The thread that samples belong to.
struct Whose<'a> {
    name: &'a str,
    process: &'a str,
    pid: &'a str,
    tid: &'a str,
}

fn write_thread<'a>(
    profile: &'a Profile,
    functions: &'a Functions<'a>,
    event: &ExportedEvent,
    whose: &Whose<'_>,
    samples: impl Iterator<Item = (ExportedStack<'a>, u64)>,
    out: &mut Output,
) -> io::Result<()> {
    let (weight_type, scale) = weight_type(&event.unit());
    let mut tables = Tables::new(profile, functions);
    let (mut stacks, mut times, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (stack, time) in samples {
        stacks.push(tables.stack(stack.frames));
        times.push(milliseconds(time));
        weights.push(scale.of(stack.weight));
    }
    let (first, last) = (times.first().copied(), times.last().copied());
    let head = head(whose, first.unwrap_or_default(), last);
    let samples =
        Samples { length: stacks.len(), weight_type, stack: stacks, time: times, weight: weights };
    let tables = tables.into_json();
    let mut thread = serde_json::Serializer::new(&mut *out);
    let mut thread = thread.serialize_map(None)?;
    for (key, value) in head.as_object().into_iter().flatten() {
        thread.serialize_entry(key, value)?;
    }
    thread.serialize_entry("samples", &samples)?;
    tables.iter().try_for_each(|(name, table)| thread.serialize_entry(name, table))?;
    Ok(thread.end()?)
}

/// All of a thread but its samples and tables that have rows.
fn head(whose: &Whose<'_>, first: f64, last: Option<f64>) -> Value {
    let Whose { name, process, pid, tid } = whose;
    json!({
        "name": name, "processName": process, "processType": "default", "pid": pid, "tid": tid,
        "isMainThread": pid == tid,
        "processStartupTime": 0.0, "processShutdownTime": null,
        "registerTime": first, "unregisterTime": last,
        "showMarkersInTimeline": false, "pausedRanges": [],
        "markers": {
            "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [],
            "startTime": [],
        },
        "nativeSymbols": {
            "length": 0, "address": [], "functionSize": [], "libIndex": [], "name": [],
        },
        "resourceTable": {"length": 0, "host": [], "lib": [], "name": [], "type": []},
    })
}

/// The table of samples.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    length: usize,
    weight_type: &'static str,
    stack: Vec<usize>,
    time: Vec<f64>,
    weight: Vec<Value>,
}

/// How a weight is written.
#[derive(Clone, Copy)]
enum Scale {
    Whole,
    /// In milliseconds; holds the number of nanoseconds in a weight of one.
    Milliseconds(u64),
}

impl Scale {
    fn of(self, weight: u64) -> Value {
        match self {
            Scale::Whole => weight.into(),
            Scale::Milliseconds(nanoseconds) => {
                (weight as f64 * nanoseconds as f64 / 1_000_000.0).into()
            }
        }
    }
}

fn weight_type(unit: &Unit) -> (&'static str, Scale) {
    match unit {
        Unit::Time(nanoseconds) => ("tracing-ms", Scale::Milliseconds(*nanoseconds)),
        Unit::Bytes => ("bytes", Scale::Whole),
        Unit::Things(_) | Unit::Unknown => ("samples", Scale::Whole),
    }
}

//! The JSON of `jfr print --json`.
//!
//! ```text
//! {"recording": {"events": [{"type": "jdk.ThreadSleep", "values": {
//!   "startTime": "2026-11-25T09:10:38.193075272Z", "duration": "PT0.0301S",
//!   "eventThread": {"osName": "main", "osThreadId": 28526, "javaName": "main", ..},
//!   "stackTrace": {"truncated": false, "frames": [
//!     {"method": {"type": {"name": "java\/lang\/Thread", ..}, "name": "sleep", ..},
//!      "lineNumber": 9, "bytecodeIndex": 75, "type": "Interpreted"}, ..]}}}, ..]}}
//! ```

use std::io::Read;

use common::{Error, Result, io::Input};

use super::event::{LABELS, PrintedEvent, time};
use super::{EventNames, Print};
use crate::read::json::{Json, Kind};
use crate::samples::Samples;

/// Finds the names of events with stacks. Durations are not needed: every event has its own.
pub(super) fn names<R: Read>(name: String, text: R) -> Result<EventNames> {
    let mut names = EventNames::default();
    // Damage is reported when the events are read.
    let read = for_each_event(&mut Json::named(name, text), |json| {
        let (mut name, mut has_stack) = (Vec::new(), false);
        while let Some(key) = json.next_key()? {
            match key {
                b"type" => name = json.text()?.unwrap_or_default().to_vec(),
                b"values" => for_each_value(json, |json, key| {
                    has_stack |= key == b"stackTrace" && json.kind()? == Kind::Object;
                    Ok(())
                })?,
                _ => {}
            }
        }
        if has_stack && !names.stacked.contains(&name) {
            names.stacked.insert(name);
        }
        Ok(())
    });
    match read {
        Err(error @ Error::Input { .. }) => Err(error),
        _ => Ok(names),
    }
}

/// Reads all events.
pub(super) fn read(input: &mut Input, print: &mut Print, samples: &mut Samples<'_>) -> Result<()> {
    let mut event = PrintedEvent::default();
    let read = for_each_event(&mut Json::new(input), |json| {
        while let Some(key) = json.next_key()? {
            match key {
                b"type" => event.name = json.text()?.unwrap_or_default().to_vec(),
                b"values" => {
                    for_each_value(json, |json, key| read_value(json, key, &mut event, samples))?;
                }
                _ => {}
            }
        }
        print.add(&mut event, samples)
    });
    // An event that is cut short counts if its name is known.
    if !event.name.is_empty() {
        print.add(&mut event, samples)?;
    }
    read
}

/// Calls `each` in the object of every event.
fn for_each_event<R: Read>(
    json: &mut Json<R>,
    mut each: impl FnMut(&mut Json<R>) -> Result<()>,
) -> Result<()> {
    while json.next_document()? {
        if !json.begin_object()? {
            return Err(json.unexpected("the JSON of 'jfr print'"));
        }
        while let Some(key) = json.next_key()? {
            if key == b"recording" && json.begin_object()? {
                while let Some(key) = json.next_key()? {
                    if key == b"events" {
                        json.for_each(
                            |json| {
                                if json.begin_object()? { each(json) } else { Ok(()) }
                            },
                        )?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Calls `each` at the value of every key of an object.
fn for_each_value<R: Read>(
    json: &mut Json<R>,
    mut each: impl FnMut(&mut Json<R>, &[u8]) -> Result<()>,
) -> Result<()> {
    if json.begin_object()? {
        let mut name = Vec::new();
        while let Some(key) = json.next_key()? {
            name.clear();
            name.extend_from_slice(key);
            each(json, &name)?;
        }
    }
    Ok(())
}

fn read_value<R: Read>(
    json: &mut Json<R>,
    key: &[u8],
    event: &mut PrintedEvent,
    samples: &mut Samples<'_>,
) -> Result<()> {
    match key {
        b"startTime" => event.time = json.text()?.and_then(time),
        b"eventThread" | b"sampledThread" => read_thread(json, event)?,
        b"stackTrace" => read_stack(json, event, samples)?,
        _ if LABELS.iter().any(|label| label.as_bytes() == key) => {
            let value = name_of(json)?;
            event.set_label(key, &value, samples);
        }
        _ => {
            if let Some(value) = json.number()? {
                event.set_number(key, value);
            } else {
                event.set_number(key, b"null");
            }
        }
    }
    Ok(())
}

/// A name: of a class in its object, with points, or a string.
fn name_of<R: Read>(json: &mut Json<R>) -> Result<Vec<u8>> {
    let mut name = Vec::new();
    if json.kind()? == Kind::Object {
        for_each_value(json, |json, key| {
            if key == b"name" {
                name = json.text()?.unwrap_or_default().to_vec();
            }
            Ok(())
        })?;
        name.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'.');
    } else if let Some(text) = json.text()? {
        name = text.to_vec();
    }
    Ok(name)
}

/// Reads a thread: its name in Java or else the system's, and the system's number.
fn read_thread<R: Read>(json: &mut Json<R>, event: &mut PrintedEvent) -> Result<()> {
    let (mut java, mut system) = (Vec::new(), Vec::new());
    for_each_value(json, |json, key| {
        match key {
            b"javaName" => java = json.text()?.unwrap_or_default().to_vec(),
            b"osName" => system = json.text()?.unwrap_or_default().to_vec(),
            b"osThreadId" => event.tid = json.number()?.unwrap_or_default().to_vec(),
            _ => {}
        }
        Ok(())
    })?;
    event.thread = if java.is_empty() { system } else { java };
    Ok(())
}

fn read_stack<R: Read>(
    json: &mut Json<R>,
    event: &mut PrintedEvent,
    samples: &mut Samples<'_>,
) -> Result<()> {
    for_each_value(json, |json, key| match key {
        b"truncated" => {
            event.is_cut = json.boolean()?.unwrap_or_default();
            Ok(())
        }
        b"frames" => json.for_each(|json| read_frame(json, event, samples)),
        _ => Ok(()),
    })
}

fn read_frame<R: Read>(
    json: &mut Json<R>,
    event: &mut PrintedEvent,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let (mut class, mut method, mut line, mut frame_type) = (Vec::new(), Vec::new(), 0, Vec::new());
    for_each_value(json, |json, key| {
        match key {
            b"method" => for_each_value(json, |json, key| {
                match key {
                    b"type" => class = name_of(json)?,
                    b"name" => method = json.text()?.unwrap_or_default().to_vec(),
                    _ => {}
                }
                Ok(())
            })?,
            b"lineNumber" => line = json.integer()?.unwrap_or_default(),
            b"type" => frame_type = json.text()?.unwrap_or_default().to_vec(),
            _ => {}
        }
        Ok(())
    })?;
    event.push((&class, &method), line, &frame_type, samples);
    Ok(())
}

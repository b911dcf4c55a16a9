//! The trace events of Chrome:
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
//!
//! Stacks have no time, so they are laid out one behind the other, from 0 on. A time is shown
//! as it is, one of anything else as a microsecond.

use std::io::{self, Write};

use common::{FrameId, Output, Unit};

use crate::event::ExportedEvent;
use crate::profile::Profile;
use crate::walk::{Walker, walk};

struct Trace<'a> {
    profile: &'a Profile,
    out: &'a mut Output,
    /// For a weight of one.
    nanoseconds: u64,
    /// The weight of the stacks that were written.
    spent: u64,
}

/// The largest sum of weights: who reads it counts nanoseconds in 63 bits, which are 292 years.
pub(super) fn most(event: &ExportedEvent) -> u64 {
    i64::MAX.unsigned_abs() / nanoseconds(event)
}

/// How many nanoseconds a weight of one is shown as.
fn nanoseconds(event: &ExportedEvent) -> u64 {
    match event.unit() {
        Unit::Time(nanoseconds) => nanoseconds,
        _ => 1_000,
    }
}

pub(super) fn write(profile: &Profile, event: &ExportedEvent, out: &mut Output) -> io::Result<()> {
    let nanoseconds = nanoseconds(event);
    let name = serde_json::to_string(&event.label_with_unit())?;
    let args = r#""ph":"M","pid":1,"tid":1,"args""#;
    write!(out, r#"{{"traceEvents":[{{"name":"process_name",{args}:{{"name":{name}}}}}"#)?;
    let mut trace = Trace { profile, out, nanoseconds, spent: 0 };
    walk(profile.stacks_of(event), &mut trace)?;
    out.write_all(b"\n]}\n")
}

impl Trace<'_> {
    fn event(&mut self, phase: char, frame: FrameId, more: &str) -> io::Result<()> {
        write!(self.out, ",\n{{\"name\":")?;
        serde_json::to_writer(&mut *self.out, &self.profile.text(frame))?;
        // In microseconds.
        let time = u128::from(self.spent) * u128::from(self.nanoseconds);
        let (whole, rest) = (time / 1_000, time % 1_000);
        let fraction = if rest == 0 { String::new() } else { format!(".{rest:03}") };
        let time = format!("{whole}{fraction}");
        write!(self.out, r#","ph":"{phase}","ts":{time},"pid":1,"tid":1{more}}}"#)
    }
}

impl Walker for Trace<'_> {
    fn enter(&mut self, frame: FrameId) -> io::Result<()> {
        self.event('B', frame, "")
    }

    fn spend(&mut self, weight: u64) -> io::Result<()> {
        self.spent += weight;
        Ok(())
    }

    /// Of two events at one time, speedscope takes the end first, as it stands in the file, but
    /// not if a function of the same name and arguments begins: hence the arguments.
    fn leave(&mut self, frame: FrameId) -> io::Result<()> {
        self.event('E', frame, r#","args":{}"#)
    }
}

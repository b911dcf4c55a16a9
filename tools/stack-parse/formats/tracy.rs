//! All zones of a Tracy trace, as `tracy-csvexport -u` prints them, one per line, not in the order
//! of time. The parents of a zone are the zones of its thread that were open at that time.
//!
//! ```text
//! name,src_file,src_line,ns_since_start,exec_time_ns,thread,value
//! Frame,src/main.cpp,12,1000,900,1,
//! std::map<int, char>::at,src/main.cpp,40,1100,300,1,
//! ```

use common::{Result, io::Input, numbers::decimal, stacks::FrameId};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::samples::events::Measure;
use crate::samples::sample::{Sample, Time};
use crate::samples::{Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("tracy", "The zones of Tracy, as tracy-csvexport -u prints them", detect, parse)
        .weighs(Weighs::Exact);

fn detect(head: &Head<'_>) -> bool {
    Columns::of(head.first_line()).is_some()
}

/// The format of the lines.
struct Columns {
    separator: u8,
    /// The number of columns after the name, which may contain separators.
    behind_name: usize,
    has_thread: bool,
}

impl Columns {
    /// Reads the line with the names of the columns. Old exports have no thread.
    fn of(line: &[u8]) -> Option<Columns> {
        let separator = *line.strip_prefix(b"name")?.first()?;
        let names: Vec<&[u8]> = line.split(|byte| *byte == separator).collect();
        let is_zones = matches!(
            names[..],
            [_, b"src_file", b"src_line", b"ns_since_start", b"exec_time_ns", ..]
        );
        let has_thread = names.get(5) == Some(&&b"thread"[..]);
        is_zones.then_some(Columns { separator, behind_name: names.len() - 1, has_thread })
    }
}

/// A zone: its start and end in nanoseconds, and its place.
#[derive(Debug)]
struct Zone {
    thread: u64,
    start: u64,
    end: u64,
    frame: FrameId,
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[Measure { name: b"time", unit: b"ns" }]);
    let mut columns = None;
    let mut zones = Vec::new();
    for_each_line(input, |number, line| {
        match &columns {
            None => columns = Columns::of(line),
            Some(_) if line.is_empty() => {}
            Some(columns) => match zone(line, columns, samples) {
                Some(zone) => zones.extend(zone),
                None => samples.malformed(number, "expected a zone of tracy-csvexport -u"),
            },
        }
        Ok(())
    })?;
    // Of zones that begin at the same time, the longer one is outside.
    zones.sort_by_key(|zone: &Zone| (zone.thread, zone.start, std::cmp::Reverse(zone.end)));
    add(&zones, samples)
}

/// The zone in a line, if it is one; the inner `None` is for an inlined zone that is not wanted.
fn zone(line: &[u8], columns: &Columns, samples: &mut Samples<'_>) -> Option<Option<Zone>> {
    let mut fields = line.rsplitn(columns.behind_name + 1, |byte| *byte == columns.separator);
    let last: Vec<&[u8]> = fields.by_ref().take(columns.behind_name).collect();
    let field = |column: usize| last.get(columns.behind_name - column).copied();
    let name = fields.next()?;
    let (file, line) = (field(1)?, field(2)?);
    let number = |column: usize| field(column).filter(|it| !it.is_empty()).and_then(decimal);
    let (start, length) = (number(3)?, number(4)?);
    let thread = if columns.has_thread { number(5)? } else { 0 };
    let end = start.checked_add(length)?;
    let source = [file, b":", line].concat();
    let mut frames = Vec::new();
    samples.frames(&Frame { name, source: &source, ..Frame::default() }, &mut frames);
    let zone = |frame: FrameId| Zone { thread, start, end, frame };
    Some(frames.last().copied().map(zone))
}

/// Adds the time of each zone without that of the zones in it.
fn add(zones: &[Zone], samples: &mut Samples<'_>) -> Result<()> {
    let mut open: Vec<(&Zone, u64)> = Vec::new();
    let mut stack = Vec::new();
    for zone in zones {
        while let Some((last, below)) =
            open.pop_if(|(last, _)| last.thread != zone.thread || last.end <= zone.start)
        {
            add_zone(last, below, &mut stack, samples)?;
        }
        if let Some((_, below)) = open.last_mut() {
            *below = below.saturating_add(zone.end - zone.start);
        }
        open.push((zone, 0));
        stack.push(zone.frame);
    }
    while let Some((last, below)) = open.pop() {
        add_zone(last, below, &mut stack, samples)?;
    }
    Ok(())
}

fn add_zone(
    zone: &Zone,
    below: u64,
    stack: &mut Vec<FrameId>,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let own = (zone.end - zone.start).saturating_sub(below);
    if own > 0 {
        let tid = zone.thread.to_string();
        let sample = Sample {
            tid: Some(tid.as_bytes()),
            time: Some(Time::Nanoseconds(zone.start)),
            weights: &[own],
            ..Sample::default()
        };
        samples.add(&sample, stack)?;
    }
    stack.pop();
    Ok(())
}

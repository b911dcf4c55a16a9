//! What the JVM's profiler hprof printed, up to Java 8: `-agentlib:hprof=cpu=samples`,
//! `cpu=times`, `heap=sites`.
//!
//! Grammar from OpenJDK 8's src/share/demo/jvmti/hprof/hprof_io.c.

use bstr::ByteSlice;
use common::numbers::{decimal, is_digits};
use common::{Result, io::Input, stacks::FrameId};
use hashbrown::HashMap;

use crate::format::{Extra, Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::java::place_in_package;
use crate::read::lines::for_each_line;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::samples::Samples;
use crate::samples::sample::{Sample, known};

pub(super) const FORMAT: Format = Format::new(
    "hprof",
    "What the JVM's profiler hprof printed as text, up to Java 8",
    detect,
    parse,
)
.extras(&[Extra::Indented(has_lost_blanks)]);

/// The frames of a trace have a TAB before them, and so has `<empty>`.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    above.starts_with(b"TRACE ") && line.ends_with(b")") && !line.starts_with(b"\t")
}

/// The titles of the tables, and how their rows are read. The weight of processor time is the row's
/// share of the total.
const SECTIONS: [(&str, Section); 4] = [
    (
        "CPU SAMPLES BEGIN (total = ",
        Section { events: &[(b"cpu-samples", b"samples", 3)], trace: 4 },
    ),
    (
        "CPU TIME (ms) BEGIN (total = ",
        Section {
            events: &[(b"cpu-time", b"milliseconds", 1), (b"cpu-calls", b"calls", 3)],
            trace: 4,
        },
    ),
    (
        "MONITOR TIME BEGIN (total = ",
        Section { events: &[(MONITOR_TIME, b"milliseconds", 1)], trace: 4 },
    ),
    (
        "SITES BEGIN (ordered by ",
        Section {
            events: &[
                (b"live-bytes", b"bytes", 3),
                (b"allocated-bytes", b"bytes", 5),
                (b"live-objects", b"objects", 4),
                (b"allocated-objects", b"objects", 6),
            ],
            trace: 7,
        },
    ),
];

const MONITOR_TIME: &[u8] = b"monitor-time";

/// A table of traces and their weights.
#[derive(Clone, Copy, Debug)]
struct Section {
    /// Names, the units, and the columns of the weights.
    events: &'static [(&'static [u8], &'static [u8], usize)],
    /// The column of the trace.
    trace: usize,
}

impl Section {
    /// Whether the column after the trace is the class of the objects.
    fn has_class(&self) -> bool {
        self.events.iter().any(|(event, ..)| *event == b"live-bytes")
    }
}

fn detect(head: &Head<'_>) -> bool {
    head.bytes.starts_with(b"JAVA PROFILE ") && !head.bytes.contains(&0)
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut profile = Profile::default();
    let read = for_each_line(input, |number, line| {
        profile.line(number, line, samples);
        Ok(())
    });
    profile.add(samples)?;
    for (event, unit, _) in SECTIONS.iter().flat_map(|(_, section)| section.events) {
        samples.events.set_unit(event, unit);
    }
    read
}

#[derive(Default)]
struct Profile {
    threads: HashMap<Vec<u8>, Thread>,
    traces: HashMap<Vec<u8>, Trace>,
    /// The trace whose frames are being read.
    trace: Option<Vec<u8>>,
    /// The section whose rows are being read, and its total if that is a number.
    section: Option<(Section, Option<u64>)>,
    rows: Vec<Row>,
    /// For each section with a total, its first event and that total.
    totals: Vec<(&'static [u8], u64)>,
    /// Rows of sections that a later one of the same kind replaced.
    replaced: u64,
}

/// A row of a table, for one of its events.
struct Row {
    trace: Vec<u8>,
    weight: u64,
    event: &'static [u8],
    /// Whether this is another number of a row that has been added.
    is_measure: bool,
    /// The class that was allocated, where it is known.
    class: Vec<u8>,
}

#[derive(Default)]
struct Thread {
    name: Vec<u8>,
    group: Vec<u8>,
}

#[derive(Default)]
struct Trace {
    thread: Vec<u8>,
    leaf_first: Vec<FrameId>,
}

impl Profile {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) {
        if let (Some(call), Some(trace)) = (line.strip_prefix(b"\t"), &self.trace) {
            if let Some(trace) = self.traces.get_mut(trace) {
                add_frame(call, &mut trace.leaf_first, samples);
            }
            return;
        }
        self.trace = None;
        if let Some(section) = self.section {
            match line {
                _ if line.ends_with(b" END") => self.section = None,
                _ if line.trim_ascii_start().starts_with(b"rank") => {}
                // The titles of SITES take two lines.
                _ if line.trim_ascii().starts_with(b"percent ") => {}
                _ if line.is_empty() => {}
                _ if self.row(section, line).is_some() => {}
                _ => samples.skipped.add(number, "expected a row of a table of hprof"),
            }
        } else if let Some(rest) = line.strip_prefix(b"TRACE ") {
            self.begin_trace(rest);
        } else if let Some(rest) = line.strip_prefix(b"THREAD START (") {
            if let (Some(id), Some(name)) =
                (between(rest, "id = ", ","), between(rest, "name=\"", "\", group="))
            {
                let group = rest.rsplit_once_str("group=\"").map_or(&b""[..], |(_, group)| group);
                let group = group.strip_suffix(b"\")").unwrap_or_default().to_vec();
                self.threads.insert(id.to_vec(), Thread { name: name.to_vec(), group });
            }
        } else if let Some((title, section)) = section_of(line) {
            // At each SIGQUIT the JVM prints all it has so far, so a later table replaces an
            // earlier one.
            let is_replaced =
                |row: &Row| section.events.iter().any(|(name, ..)| *name == row.event);
            let replaced = self.rows.iter().filter(|row| is_replaced(row) && !row.is_measure);
            self.replaced += replaced.count() as u64;
            self.rows.retain(|row| !is_replaced(row));
            let digits = &line[title.len()..];
            let digits = digits.split(|byte| !byte.is_ascii_digit()).next().unwrap_or_default();
            let total = decimal(digits);
            let (event, ..) = section.events[0];
            self.totals.retain(|(other, _)| *other != event);
            self.totals.extend(total.map(|total| (event, total)));
            self.section = Some((section, total));
        }
    }

    /// `300556: (thread=200001)`
    fn begin_trace(&mut self, rest: &[u8]) {
        let (id, thread) = rest.split_once_str(":").unwrap_or((rest, b""));
        let thread = between(thread, "(thread=", ")").unwrap_or_default().to_vec();
        self.traces.insert(id.to_vec(), Trace { thread, leaf_first: Vec::new() });
        self.trace = Some(id.to_vec());
    }

    /// `   1 33.02% 33.02%    1110 300169 java.net.SocketInputStream.socketRead0`
    fn row(&mut self, (section, total): (Section, Option<u64>), line: &[u8]) -> Option<()> {
        let fields: Vec<&[u8]> = line.fields().collect();
        let trace = *fields.get(section.trace)?;
        if !is_digits(trace) {
            return None;
        }
        let class = if section.has_class() { fields.get(section.trace + 1) } else { None };
        let class = class.map_or(&b""[..], |class| class);
        for (place, &(event, _, column)) in section.events.iter().enumerate() {
            let text = fields.get(column)?.to_str().ok()?;
            let weight = match text.strip_suffix('%') {
                // Some countries write 23,26%.
                Some(share) => {
                    let share: f64 = share.replace(',', ".").parse().ok()?;
                    let share = Some(share).filter(|share| (0.0..=100.0).contains(share))?;
                    (share / 100.0 * total? as f64).round() as u64
                }
                None => text.parse().ok()?,
            };
            let (trace, class) = (trace.to_vec(), class.to_vec());
            self.rows.push(Row { trace, weight, event, is_measure: place > 0, class });
        }
        Some(())
    }

    /// Adds all rows.
    fn add(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let what = "rows of earlier tables are left out: the last one of each kind has all";
        samples.note_count(self.replaced, what);
        self.report_cutoff(samples);
        // The JVM prints the times of monitors first, but they are not the default.
        self.rows.sort_by_key(|row| row.event == MONITOR_TIME);
        let mut unknown = 0;
        let none = Trace::default();
        for Row { trace, weight, event, is_measure, class } in &self.rows {
            let trace = self.traces.get(trace).unwrap_or_else(|| {
                unknown += u64::from(!is_measure);
                &none
            });
            let root_first: Vec<_> = trace.leaf_first.iter().rev().copied().collect();
            let nobody = Thread::default();
            let thread = self.threads.get(&trace.thread).unwrap_or(&nobody);
            let mut labels = OwnLabels::default();
            if samples.wants.labels() {
                labels.add_known(FORMAT.name, "group", &thread.group);
                labels.add_known(FORMAT.name, "class", class);
            }
            let labels = labels.list();
            let comm = &thread.name;
            let tid = known(&trace.thread);
            let sample = Sample { comm, tid, event, weights: &[*weight], ..Sample::default() };
            samples.add(&with_labels(sample, &labels), &root_first)?;
            if *is_measure {
                samples.events.set_measure(event);
            }
        }
        samples.note_count(unknown, "rows have traces that are not in this file");
        Ok(())
    }
}

impl Profile {
    /// hprof prints no rows of a share below its option `cutoff`, which is 0.0001.
    fn report_cutoff(&self, samples: &mut Samples<'_>) {
        for (event, total) in &self.totals {
            let rows = self.rows.iter().filter(|row| row.event == *event);
            let printed: u128 = rows.map(|row| u128::from(row.weight)).sum();
            let lost = u128::from(*total).saturating_sub(printed);
            if lost > 0 {
                samples.note(format_args!(
                    "{}: {lost} of {total} are in no row: they were below hprof's cutoff",
                    event.as_bstr()
                ));
            }
        }
    }
}

/// `java.net.SocketInputStream.read(SocketInputStream.java:129)`
fn add_frame(call: &[u8], frames: &mut Vec<FrameId>, samples: &mut Samples<'_>) {
    if call == b"<empty>" {
        return;
    }
    let (name, source) = match call.strip_suffix(b")").and_then(|it| it.rsplit_once_str("(")) {
        Some((name, source)) => (name, source),
        None => (call, &b""[..]),
    };
    let is_line = source.contains(&b':') && !source.ends_with(b":Unknown line");
    let source = if is_line { place_in_package(name, source) } else { Vec::new() };
    samples.frames(&Frame { name, source: &source, ..Frame::default() }, frames);
}

fn section_of(line: &[u8]) -> Option<(&'static str, Section)> {
    SECTIONS.into_iter().find(|(title, _)| line.starts_with(title.as_bytes()))
}

/// The text between two others.
fn between<'a>(text: &'a [u8], before: &str, after: &str) -> Option<&'a [u8]> {
    let (_, rest) = text.split_once_str(before)?;
    rest.split_once_str(after).map(|(inside, _)| inside)
}

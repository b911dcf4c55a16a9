//! What phpspy and reli-prof, sampling profilers of PHP, print: a record for each frame, leaf first.
//! Grammar from phpspy's event_fout.c and stackcollapse-phpspy.pl, and from reli-prof's templates.
//!
//! ```text
//! 0 usleep <internal>:-1
//! 1 Db::query /srv/app/Db.php:12
//! 2 <main> /srv/app/index.php:3
//! # uri = /orders
//! # pid = 4711
//!
//! ```
//!
//! A blank line ends a sample; older versions also wrote `# - - -`, and nothing at all after a sample
//! that was longer than their buffer. With `-1`, a sample is a line, with tabs between the records.
//! Newer versions number the samples, and split a long one into parts, between which parts of others
//! may come: `# trace_id = 7.0/2`, `# trace_id = 7.1/2`. reli-prof's template with opcodes has
//! `/srv/app/Db.php:12:ZEND_ADD`, and below that a leaf `<VM>::ZEND_ADD <VM>:-1`.

use std::collections::BTreeMap;
use std::mem::take;

use bstr::ByteSlice;
use common::{Result, folded::Label, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::read::source::Place;
use crate::samples::sample::{Sample, Time, known};
use crate::samples::{End, Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("phpspy", "The text of phpspy and reli-prof, profilers of PHP", detect, parse)
        .weighs(Weighs::Value);

/// Whether all records are frames of PHP or comments, and the first frame is a leaf.
fn detect(head: &Head<'_>) -> bool {
    let (mut has_leaf, mut has_php) = (false, false);
    let records = head.lines().take(100).flat_map(|line| line.split(|byte| *byte == b'\t'));
    for record in records.filter(|record| !record.is_empty() && record[0] != b'#') {
        match PhpFrame::parse(record) {
            Some(frame) if has_leaf || frame.depth == 0 => {
                has_leaf = true;
                has_php |= frame.is_of_php();
            }
            _ => return has_php,
        }
    }
    has_php
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = PhpspyReader::default();
    for_each_line(input, |number, line| {
        for record in line.split(|byte| *byte == b'\t') {
            reader.record(number, record, samples)?;
        }
        if line.contains(&b'\t') { reader.end(samples) } else { Ok(()) }
    })?;
    reader.end_of_input(samples)
}

/// `1 Db::query /srv/app/Db.php:12`
struct PhpFrame<'a> {
    /// How many frames it has called, directly or not.
    depth: u64,
    name: &'a [u8],
    /// `<internal>` for functions that are not written in PHP.
    file: &'a [u8],
    line: Option<u64>,
}

impl PhpFrame<'_> {
    /// `None` if the text is no frame, or was cut off.
    fn parse(record: &[u8]) -> Option<PhpFrame<'_>> {
        let (depth, rest) = record.split_once_str(b" ")?;
        let end = end_of_name(rest)?;
        let (name, place) = (&rest[..end], &rest[end + 1..]);
        let (mut file, mut line) = place.rsplit_once_str(b":")?;
        if line.starts_with(b"ZEND_") {
            (file, line) = file.rsplit_once_str(b":")?;
        }
        let number = decimal(line);
        if number.is_none() && line != b"-1" || file.is_empty() {
            return None;
        }
        Some(PhpFrame { depth: decimal(depth)?, name, file, line: number })
    }

    fn is_internal(&self) -> bool {
        matches!(self.file, b"<internal>" | b"<VM>")
    }

    fn is_of_php(&self) -> bool {
        self.name == b"<main>" || self.is_internal() || self.file.contains_str(".php")
    }
}

/// Names have no spaces but in the path of `{closure:/srv/my app/index.php:3}`.
fn end_of_name(text: &[u8]) -> Option<usize> {
    let space = text.find_byte(b' ')?;
    match text[..space].find("{closure:") {
        Some(start) => Some(start + text[start..].find("} ")? + 1),
        None => Some(space),
    }
}

/// A sample, or a part of one.
#[derive(Default)]
struct Trace {
    stack: LeafFirst,
    pid: Vec<u8>,
    /// Seconds.
    time: Vec<u8>,
    labels: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether the callers of the last frame are missing.
    is_truncated: bool,
    /// How many parts of it were read.
    parts: u64,
}

#[derive(Default)]
struct PhpspyReader {
    /// What was read since the last sample or part ended.
    current: Trace,
    /// Whether the last frame is that of a file, which may be the first of all.
    is_at_main: bool,
    /// Whether samples have numbers.
    is_numbered: bool,
    /// The samples of which parts are missing, by their numbers.
    open: BTreeMap<Vec<u8>, Trace>,
}

impl PhpspyReader {
    fn record(&mut self, number: u64, record: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        match record {
            [] => self.end(samples),
            [b'#', rest @ ..] => self.comment(number, rest.trim_ascii_start(), samples),
            [b'0'..=b'9', ..] => self.frame(record, samples),
            _ => {
                samples.malformed(number, "expected a frame, as in '0 usleep <internal>:-1'");
                Ok(())
            }
        }
    }

    fn frame(&mut self, record: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if record.starts_with(b"0 ") && !self.is_numbered && !self.current.stack.is_empty() {
            // The sample before did not fit, not even its end.
            self.current.is_truncated = true;
            self.end(samples)?;
        }
        let Some(frame) = PhpFrame::parse(record) else {
            self.current.is_truncated = true;
            return Ok(());
        };
        let mut place = match frame.is_internal() {
            true => Place::default(),
            false => Place::new(frame.file, frame.line),
        };
        let named = Frame { name: frame.name, source: place.text(), ..Frame::default() };
        self.is_at_main = frame.name == b"<main>";
        self.current.stack.push(&named, samples);
        Ok(())
    }

    /// Reads what follows a `#`.
    fn comment(&mut self, number: u64, text: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if text.starts_with(b"- -") {
            return self.end(samples);
        }
        let trace = &mut self.current;
        if let Some([size, peak]) = text.strip_prefix(b"mem ").and_then(two_numbers) {
            trace.labels.extend([(b"mem".to_vec(), size), (b"peak".to_vec(), peak)]);
        }
        let Some((key, value)) = text.split_once_str(b" = ") else { return Ok(()) };
        match key {
            b"trace_id" => return self.part(number, value, samples),
            b"truncated" => trace.is_truncated = true,
            b"pid" => trace.pid = value.to_vec(),
            b"trace_ts" => trace.time = value.to_vec(),
            // What is not known.
            _ if value == b"-" => {}
            _ => trace.labels.push((key_of_label(key).to_vec(), value.to_vec())),
        }
        Ok(())
    }

    /// Ends a part of a sample: `7.0/2`.
    fn part(&mut self, number: u64, text: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        self.is_numbered = true;
        let part = take(&mut self.current);
        let Some((id, [at, parts])) = number_of_part(text) else {
            samples.malformed(number, "expected the number of a sample, as in 'trace_id = 7.0/2'");
            return self.add(part, samples);
        };
        let mut trace = self.open.remove(id).unwrap_or_default();
        if at != trace.parts {
            // The frames of this part are above others that are missing.
            samples.malformed(number, format_args!("expected part {} of the sample", trace.parts));
            trace.is_truncated = true;
            return self.add(trace, samples);
        }
        trace.append(part);
        if trace.parts < parts {
            self.open.insert(id.to_vec(), trace);
            return Ok(());
        }
        self.add(trace, samples)
    }

    /// Ends the sample that is being read, if there is one.
    fn end(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let trace = take(&mut self.current);
        self.add(trace, samples)
    }

    fn end_of_input(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.current.is_truncated |= !self.current.stack.is_empty() && !self.is_at_main;
        self.end(samples)?;
        for (_, mut trace) in take(&mut self.open) {
            trace.is_truncated = true;
            self.add(trace, samples)?;
        }
        Ok(())
    }

    fn add(&self, mut trace: Trace, samples: &mut Samples<'_>) -> Result<()> {
        if trace.stack.is_empty() && !trace.is_truncated {
            return Ok(());
        }
        if trace.is_truncated {
            trace.stack.end(End::Truncated);
        }
        let labels: Vec<Label<'_>> =
            trace.labels.iter().map(|(key, value)| Label { key, value }).collect();
        let sample = Sample {
            pid: known(&trace.pid),
            time: known(&trace.time).map(Time::Text),
            event: b"samples",
            labels: &labels,
            ..Sample::default()
        };
        trace.stack.add(&sample, samples)
    }
}

impl Trace {
    /// Adds the next part.
    fn append(&mut self, mut part: Trace) {
        self.stack.append(part.stack);
        self.labels.append(&mut part.labels);
        self.is_truncated |= part.is_truncated;
        self.parts += 1;
        for (field, value) in [(&mut self.pid, part.pid), (&mut self.time, part.time)] {
            if !value.is_empty() {
                *field = value;
            }
        }
    }
}

/// The variable in `varpeek i@/srv/app/index.php:12` and `glopeek server.REQUEST_TIME`.
fn key_of_label(key: &[u8]) -> &[u8] {
    let variable = key.strip_prefix(b"varpeek ").and_then(|it| it.split_once_str(b"@"));
    let global = key.strip_prefix(b"glopeek ").unwrap_or(key);
    variable.map_or(global, |(name, _)| name)
}

/// `2097152 4194304`
fn two_numbers(text: &[u8]) -> Option<[Vec<u8>; 2]> {
    let (first, second) = text.split_once_str(b" ")?;
    (decimal(first).is_some() && decimal(second).is_some())
        .then(|| [first.to_vec(), second.to_vec()])
}

/// `7.0/2`: the number of the sample, that of the part from 0, and how many parts there are.
fn number_of_part(text: &[u8]) -> Option<(&[u8], [u64; 2])> {
    let (id, part) = text.split_once_str(b".")?;
    let (at, parts) = part.split_once_str(b"/")?;
    Some((id, [decimal(at)?, decimal(parts)?]))
}

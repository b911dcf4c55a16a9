//! The samples of R's own profiler, Rprof. Grammar from R's src/main/eval.c (`R_InitProfiling`,
//! `doprof`, `lineprof`).
//!
//! ```text
//! memory profiling: GC profiling: line profiling: sample.interval=10000
//! #File 1: app.R
//! :297563:6443179:27014568:198:"<GC>" "sum" 1#4 "FUN" "lapply" 1#4 "work" 1#9
//! ```
//!
//! A line is a sample, leaf first. Each name ends in a quotation mark and a space, and may contain
//! quotation marks. `1#4` is the line of file 1 where the function after it was; at the end of the
//! line it is outside of all functions. The numbers are the memory in use, and how often objects
//! were copied since the last sample.

use std::collections::HashMap;

use bstr::ByteSlice;
use common::numbers::{decimal, is_digits};
use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::read::source::Place;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;
use crate::samples::{Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("rprof", "The samples of R's profiler, Rprof", detect, parse).weighs(Weighs::Value);

/// The weights that a sample can have.
const MEASURES: [Measure<'static>; 2] =
    [Measure { name: b"samples", unit: b"samples" }, Measure { name: b"time", unit: b"ns" }];

/// The numbers before a sample, with the names that `summaryRprof` uses: small and large vectors,
/// nodes, and duplications.
const MEMORY: [&str; 4] = ["vsize.small", "vsize.large", "nodes", "duplications"];

fn detect(head: &Head<'_>) -> bool {
    interval(head.first_line()).is_some()
}

/// The nanoseconds between samples, from the first line of a profile, which has microseconds.
fn interval(line: &[u8]) -> Option<u64> {
    let (flags, interval) = line.trim_ascii().split_once_str("sample.interval=")?;
    let is_flags = flags.is_empty() || flags.trim_ascii_end().ends_with(b"profiling:");
    decimal(interval).filter(|_| is_flags)?.checked_mul(1000)
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or an error of adding samples.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&MEASURES);
    let mut reader = RprofReader::default();
    let read = for_each_line(input, |number, line| reader.line(number, line, samples));
    let what = "stacks may lack their callers: older versions of R cut lines of 10,000 bytes";
    samples.note_count(reader.cut, what);
    read
}

/// The length in bytes at which older versions of R cut a stack.
const LONGEST_LINE: usize = 10_000;

#[derive(Default)]
struct RprofReader {
    /// In nanoseconds.
    interval: u64,
    /// The paths of files, by their ids.
    files: HashMap<u64, Vec<u8>>,
    stack: LeafFirst,
    place: Place,
    labels: OwnLabels,
    /// How many stacks have the length at which R cuts them.
    cut: u64,
}

impl RprofReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if let Some(interval) = interval(line) {
            // `Rprof(append = TRUE)` starts another profile in the file.
            self.files.clear();
            self.interval = interval;
            samples.facts.note_interval(interval);
        } else if let Some((file, path)) = file(line) {
            self.files.insert(file, path.to_vec());
        } else if let Some(calls) = self.memory(line, samples).filter(|_| !line.is_empty()) {
            if self.calls(calls, samples).is_none() {
                samples
                    .malformed(number, "expected names in quotation marks, as Rprof writes them");
            }
            self.cut += u64::from(line.len() >= LONGEST_LINE);
            let (weights, labels) = (&[1, self.interval], self.labels.list());
            let sample = with_labels(Sample { weights, ..Sample::default() }, &labels);
            return self.stack.add(&sample, samples);
        } else if !line.is_empty() {
            samples.malformed(number, "expected a sample of Rprof");
        }
        Ok(())
    }

    /// Notes the memory at the start of a line, if it is there, and returns the calls. `None` if
    /// this cannot be a sample.
    fn memory<'l>(&mut self, line: &'l [u8], samples: &Samples<'_>) -> Option<&'l [u8]> {
        self.labels.clear();
        let Some(mut rest) = line.strip_prefix(b":") else {
            let is_call = line.starts_with(b"\"") || is_place(line);
            return is_call.then_some(line);
        };
        for key in MEMORY {
            let (value, after) = rest.split_once_str(":")?;
            decimal(value)?;
            if samples.wants.labels() {
                self.labels.add_known(FORMAT.name, key, value);
            }
            rest = after;
        }
        Some(rest)
    }

    /// Reads names and places. `None` if there is something else; what came before is kept.
    fn calls(&mut self, calls: &[u8], samples: &mut Samples<'_>) -> Option<()> {
        let mut rest = calls.trim_ascii_start();
        self.place.clear();
        while !rest.is_empty() {
            let after = if let Some(quoted) = rest.strip_prefix(b"\"") {
                let (name, after) = quoted.split_once_str("\" ").or_else(|| last(quoted))?;
                let source = self.place.text();
                self.stack.push(&Frame { name, source, ..Frame::default() }, samples);
                self.place.clear();
                after
            } else {
                let (place, after) = rest.split_once_str(" ").unwrap_or((rest, b""));
                let (file, line) = place.split_once_str("#")?;
                self.place.line = Some(decimal(line)?);
                let file = self.files.get(&decimal(file)?);
                self.place.set_file(file.map_or(b"", |file| file));
                after
            };
            rest = after.trim_ascii_start();
        }
        Some(())
    }
}

/// Whether a line begins with a source line: `1#4 `.
fn is_place(line: &[u8]) -> bool {
    line.split_once_str("#").is_some_and(|(file, _)| is_digits(file))
}

/// The last name of a line, where the space after it is missing.
fn last(quoted: &[u8]) -> Option<(&[u8], &[u8])> {
    quoted.strip_suffix(b"\"").map(|name| (name, &b""[..]))
}

/// `#File 1: app.R`
fn file(line: &[u8]) -> Option<(u64, &[u8])> {
    let (number, path) = line.strip_prefix(b"#File ")?.split_once_str(": ")?;
    Some((decimal(number)?, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_begins_with_its_interval() {
        for (line, expected) in [
            ("sample.interval=20000", Some(20_000_000)),
            (
                "memory profiling: GC profiling: line profiling: sample.interval=10000",
                Some(10_000_000),
            ),
            ("sample.interval=", None),
            ("sample.interval=18446744073709551615", None),
            ("the sample.interval=20000", None),
            ("\"sum\" ", None),
        ] {
            assert_eq!(interval(line.as_bytes()), expected, "{line}");
        }
    }
}

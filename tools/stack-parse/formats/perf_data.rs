//! Recordings of `perf record`: perf.data files and the same as a stream.
//!
//! ```text
//! perf record -g -o - -- ./prog | stack-parse
//! ```

#![expect(dead_code, reason = "maps and registers are not made into names yet")]

mod attr;
mod bytes;
mod chains;
mod chunks;
mod compressed;
mod delivery;
mod events;
mod features;
mod groups;
mod header;
mod held;
mod order;
mod recording;
mod records;
mod sample;
mod stream;
mod tracepoint;
mod tracing;
mod troubles;

#[cfg(test)]
mod tests;

use common::{FrameId, Input, Result};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::samples::sample::{Sample, Time};
use crate::samples::{Root, Samples, Weighs};
use header::MAGIC;
use recording::Recording;
use records::Record;
use sample::{RawSample, context};
use troubles::Troubles;

pub(super) const FORMAT: Format = Format {
    name: "perf-data",
    about: "What perf record writes, as a file or a stream",
    detect,
    parse,
    root: Root::Comm,
    weighs: Weighs::Period,
};

/// Whether a file that begins so is a recording that can be read.
fn detect(head: &Head<'_>) -> bool {
    head.bytes.starts_with(MAGIC)
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Unknown`] where something cannot be read, after
/// everything before it was; or what writing returns.
fn parse(input: &mut Input, _options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let recording = Recording::open(input)?;
    let mut troubles = Troubles::default();
    let mut reader = Reader::default();
    let read = recording.read(&mut |record| reader.record(&record, samples), &mut troubles);
    troubles.report(samples);
    read
}

/// What is known of the threads, and what is used again.
#[derive(Debug, Default)]
struct Reader {
    comms: HashMap<u32, Vec<u8>>,
    frames: Vec<FrameId>,
    text: Vec<u8>,
}

impl Reader {
    fn record(&mut self, record: &Record<'_>, samples: &mut Samples<'_>) -> Result<()> {
        match *record {
            Record::Comm { tid, name, .. } => {
                self.comms.insert(tid, name.to_vec());
            }
            Record::Fork { tid, parent_tid, .. } => {
                if let Some(name) = self.comms.get(&parent_tid).cloned() {
                    self.comms.insert(tid, name);
                }
            }
            Record::Sample(sample) => self.sample(&sample, samples)?,
            _ => {}
        }
        Ok(())
    }

    /// Adds a sample with the addresses of its call chain.
    fn sample(&mut self, sample: &RawSample<'_>, samples: &mut Samples<'_>) -> Result<()> {
        let Reader { comms, frames, text } = self;
        text.clear();
        sample.event.append_text(sample.raw, text);
        // A thread that ended before its sample was written has the id -1.
        let number = |number: Option<u32>| number.map(|id| (id as i32).to_string().into_bytes());
        let [pid, tid, cpu] = [sample.pid, sample.tid, sample.cpu].map(number);
        let comm = sample.tid.and_then(|tid| comms.get(&tid));
        let opened = samples.open(&Sample {
            comm: comm.map(Vec::as_slice).unwrap_or_default(),
            pid: pid.as_deref(),
            tid: tid.as_deref(),
            cpu: cpu.as_deref(),
            time: sample.time.map(Time::Nanoseconds),
            event: &sample.event.name,
            weights: sample.period.as_slice(),
            count: 1,
            text,
        });
        let Some(opened) = opened else { return Ok(()) };
        frames.clear();
        let chain = sample.chain.iter().filter(|address| *address < context::FIRST);
        let ip = sample.ip.filter(|_| sample.chain.is_empty());
        for address in chain.rev().chain(ip) {
            samples.frames(&Frame { address: Some(address), ..Frame::default() }, frames);
        }
        let leaf = frames.iter().fold(opened.base, |node, &frame| samples.child(node, frame));
        samples.close(opened, leaf, frames.iter().copied())
    }
}

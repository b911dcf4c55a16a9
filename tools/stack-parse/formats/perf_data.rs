//! Recordings of `perf record`: perf.data files and the same as a stream.
//!
//! ```text
//! perf record -g -o - -- ./prog | stack-parse
//! ```

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

use common::{FrameId, Input, Result};

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
    let (mut ids, mut text) = (Vec::new(), Vec::new());
    let read = recording.read(
        &mut |record| match record {
            Record::Sample(sample) => add(&sample, &mut ids, &mut text, samples),
            _ => Ok(()),
        },
        &mut troubles,
    );
    troubles.report(samples);
    read
}

/// Adds a sample with the addresses of its call chain.
fn add(
    sample: &RawSample<'_>,
    ids: &mut Vec<FrameId>,
    what: &mut Vec<u8>,
    samples: &mut Samples<'_>,
) -> Result<()> {
    what.clear();
    sample.event.append_text(sample.raw, what);
    let text = |number: Option<u32>| number.map(|number| number.to_string().into_bytes());
    let (pid, tid, cpu) = (text(sample.pid), text(sample.tid), text(sample.cpu));
    let origin = Sample {
        pid: pid.as_deref(),
        tid: tid.as_deref(),
        cpu: cpu.as_deref(),
        time: sample.time.map(Time::Nanoseconds),
        event: &sample.event.name,
        weights: sample.period.as_slice(),
        text: what,
        ..Sample::default()
    };
    ids.clear();
    let chain = sample.chain.iter().filter(|address| *address < context::FIRST);
    for address in chain.rev() {
        samples.frames(&Frame { address: Some(address), ..Frame::default() }, ids);
    }
    samples.add(&origin, ids)
}

//! Allocations of Python, as `memray transform csv` writes them. The format of memray's own file is
//! internal to memray.
//!
//! ```text
//! allocator,num_allocations,size,tid,thread_name,stack_trace
//! MALLOC,1,1340,1,0x1,leaf;demo.py;58|main;demo.py;80
//! ```

use std::borrow::Cow;

use bstr::ByteSlice;
use common::{Result, folded::Label, io::Input, stacks::FrameId};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::csv::fields;
use crate::read::lines::for_each_line;
use crate::read::source::Place;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

pub(super) const FORMAT: Format =
    Format::new("memray", "Python's memray, by 'memray transform csv'", detect, parse);

const HEADER: &[u8] = b"allocator,num_allocations,size,tid,thread_name,stack_trace";

fn detect(head: &Head<'_>) -> bool {
    head.first_line() == HEADER
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[
        Measure { name: b"bytes", unit: b"bytes" },
        Measure { name: b"allocations", unit: b"allocations" },
    ]);
    let mut frames = Vec::new();
    for_each_line(input, |number, line| {
        if line.is_empty() || line == HEADER {
            return Ok(());
        }
        if add(&fields(line, b','), &mut frames, samples)?.is_none() {
            samples.malformed(number, "expected an allocation, as memray writes it");
        }
        Ok(())
    })
}

/// Adds the allocations of a line; `None` if it has none.
fn add(
    fields: &[Cow<'_, [u8]>],
    frames: &mut Vec<FrameId>,
    samples: &mut Samples<'_>,
) -> Result<Option<()>> {
    let [allocator, allocations, size, tid, thread, stack] = fields else { return Ok(None) };
    let number = |text: &[u8]| text.to_str().ok()?.parse::<u64>().ok();
    let (Some(allocations), Some(size)) = (number(allocations), number(size)) else {
        return Ok(None);
    };
    frames.clear();
    // Leaf first.
    for text in stack.rsplit(|byte| *byte == b'|').filter(|text| !text.is_empty()) {
        push(text, frames, samples);
    }
    let weights = &[size, allocations];
    let labels = &[Label { key: b"allocator", value: allocator }];
    let origin = Sample { comm: thread, tid: Some(tid), weights, labels, ..Sample::default() };
    samples.add(&origin, frames).map(Some)
}

/// `main;demo.py;80`
fn push(text: &[u8], frames: &mut Vec<FrameId>, samples: &mut Samples<'_>) {
    let mut parts = text.rsplitn(3, |byte| *byte == b';');
    let (line, file, name) = (parts.next(), parts.next(), parts.next());
    let (name, mut place) = match (name, file, line) {
        (Some(name), Some(file), Some(line)) => {
            (name, Place::new(file, line.to_str().ok().and_then(|line| line.parse().ok())))
        }
        _ => (text, Place::default()),
    };
    samples.frames(&Frame { name, source: place.text(), ..Frame::default() }, frames);
}

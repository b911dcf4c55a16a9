//! Traces of Perfetto, as `perfetto`, `tracebox`, Android, Chrome, heapprofd and programs with its
//! SDK write them. Grammar from `protos/perfetto/trace` of github.com/google/perfetto.
//!
//! A trace is a protocol buffer message whose field 1, repeated, holds the packets. Each packet
//! belongs to a sequence. A sequence has its own ids for names and stacks, and a packet says when
//! they become invalid.
//!
//! ```text
//! packet { trusted_packet_sequence_id: 1  interned_data { event_names { iid: 7 name: "load" } } }
//! packet { timestamp: 1000  trusted_packet_sequence_id: 1  track_event { type: 1 name_iid: 7 } }
//! packet { timestamp: 5000  trusted_packet_sequence_id: 1  track_event { type: 2 } }
//! ```
//!
//! The names of threads and symbol files may come last, so stacks are added at the end.

mod clocks;
mod code;
mod detect;
mod heap;
mod interned;
mod lanes;
mod losses;
mod messages;
mod names;
mod packet;
mod profiles;
mod sequence;
mod stack_sample;
mod symbols;
mod titles;
mod trace;
mod track_event;
mod unread;

use common::{Error, Result, io::Input};

use crate::format::{Extra, Format};
use crate::options::Options;
use crate::read::protobuf::Stream;
use crate::samples::{Root, Samples, Weighs};
use trace::Trace;

pub(super) const FORMAT: Format = Format::new(
    "perfetto",
    "Perfetto's traces: slices, samples of processors, heapprofd",
    detect::detect,
    parse,
)
.root(&Root::Comm)
.weighs(Weighs::Exact)
.extras(&[Extra::Spans]);

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], or [`Error::Unknown`] where a packet is damaged, after all that can be read;
/// or an error of adding samples.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut stream = Stream::new(input);
    let mut trace = Trace::new(samples.wants.label(b"cpu") || samples.wants.times());
    let end = loop {
        match stream.next(messages::trace::PACKET) {
            Ok(Some(packet)) => trace.add(packet, samples)?,
            Ok(None) => break Ok(()),
            Err(broken) => break Err(broken),
        }
    };
    let damaged = trace.finish(options, samples)?;
    match end {
        Err(broken) => Err(broken.error(name, "a packet")),
        Ok(()) if damaged > 0 => {
            let what = format!("{damaged} packets cannot be read in whole");
            Err(Error::Unknown { name, what })
        }
        Ok(()) => Ok(()),
    }
}

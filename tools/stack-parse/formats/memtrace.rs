//! Traces of memtrace, OCaml's statistical memory profiler: versions 1 to 3.
//!
//! A trace is a sequence of packets, in the Common Trace Format. The first describes the program,
//! the others hold events: where a location code is in the source, an allocation with its
//! backtrace, an object's promotion to the major heap, its collection. Grammar from memtrace's
//! src/memtrace.tsdl, src/trace.ml, src/backtrace_codec.ml and src/location_codec.ml.

mod backtraces;
mod codes;
mod locations;
mod malformed;
mod objects;
mod packets;
mod process;
mod trace;
mod varint;

use common::{Error, Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::options::{ObjectArgs, Options};
use crate::samples::{Samples, Weighs};
use malformed::Stop;
use packets::Packets;
use trace::Trace;

/// What every packet begins with, and every file.
const MAGIC: [u8; 4] = 0xC1FC_1FC1_u32.to_le_bytes();

pub(super) const FORMAT: Format = Format::new(
    "memtrace",
    "A trace of OCaml's allocations by memtrace, versions 1 to 3",
    detect,
    parse,
)
.weighs(Weighs::Value)
.extras(&[Extra::Live, Extra::Heaps]);

/// Whether a file that begins like this is a trace that can be read. Other writers of the Common
/// Trace Format use the same magic number, but have something else in place of the version.
fn detect(head: &Head<'_>) -> bool {
    match head.bytes.get(packets::VERSION_AT..) {
        Some([low, high, ..]) => {
            head.bytes.starts_with(&MAGIC) && packets::is_known(u16::from_le_bytes([*low, *high]))
        }
        // The header is cut short, which is reported later.
        _ => head.is_last && head.bytes.starts_with(&MAGIC),
    }
}

/// Reads one input to its end, or as far as it can be read.
///
/// # Errors
///
/// [`Error::Input`]; [`Error::Unknown`] if something cannot be read, after all before it was added;
/// or what writing returns.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut packets = Packets::new(input);
    let mut foreign = Foreign::default();
    let ended = read_packets(&mut packets, options.objects, &mut foreign, samples);
    foreign.report(samples);
    match (ended, packets.failure()) {
        (Err(Stop::Failed(error)), _) => Err(error),
        (_, Some(source)) => Err(Error::Input { name, source }),
        (Err(Stop::Malformed(malformed)), _) => {
            let at = packets.at();
            let what = format!("the packet at byte {at} {malformed}; what came before is kept");
            Err(Error::Unknown { name, what })
        }
        (Ok(()), None) => Ok(()),
    }
}

/// Reads packets to the end; what was read counts even if that is not reached.
fn read_packets(
    packets: &mut Packets<&mut Input>,
    objects: ObjectArgs,
    foreign: &mut Foreign,
    samples: &mut Samples<'_>,
) -> Result<(), Stop> {
    let Some(packet) = packets.next_packet()? else { return Ok(()) };
    let mut trace = Trace::new(&packet, objects, samples)?;
    let ended = loop {
        match packets.next_packet() {
            Ok(Some(packet)) if packet.header.pid != trace.pid() => {
                foreign.add(packet.header.allocations());
            }
            Ok(Some(packet)) => match trace.packet(&packet, samples) {
                Err(Stop::Malformed(why)) => break Err(why),
                other => other?,
            },
            Ok(None) => break Ok(()),
            Err(why) => break Err(why),
        }
    };
    trace.finish(samples)?;
    Ok(ended?)
}

/// Packets of another process: a child that was forked wrote into the same
/// file.
#[derive(Debug, Default)]
struct Foreign {
    packets: u64,
    allocations: u64,
}

impl Foreign {
    fn add(&mut self, allocations: u64) {
        self.packets += 1;
        self.allocations = self.allocations.saturating_add(allocations);
    }

    fn report(&self, samples: &mut Samples<'_>) {
        if self.packets > 0 {
            samples.note(format_args!(
                "{} packets of another process left out, with {} allocations",
                self.packets, self.allocations,
            ));
        }
    }
}

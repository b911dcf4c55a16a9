//! The events of a trace (src/trace.ml).

use std::collections::HashMap;

use bstr::ByteSlice;
use common::stacks::NodeId;

use super::backtraces::Backtraces;
use super::codes::{CodeId, Codes};
use super::locations::Locations;
use super::malformed::{Malformed, Stop};
use super::objects::{Object, Objects};
use super::packets::{Header, Packet};
use super::process::{MEASURES, Process};
use super::varint::varint;
use crate::frame::Frame;
use crate::options::ObjectArgs;
use crate::read::bytes::Bytes;
use crate::read::paths::file_name;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::Samples;

/// The kinds of events.
const INFO: u32 = 0;
const LOCATION: u32 = 1;
const ALLOCATION: u32 = 2;
const PROMOTION: u32 = 3;
const COLLECTION: u32 = 4;
/// Allocations of 1 to 16 words in the minor heap with one sample.
const SHORT_ALLOCATIONS: std::ops::RangeInclusive<u32> = 101..=116;

/// The number of bits of an event's head that are its time.
const TIME_BITS: u32 = 25;

/// The most samples of an allocation: no memory has more words.
const MOST_SAMPLES: u64 = 1 << 48;

/// A trace that is being read.
pub(super) struct Trace {
    info: Info,
    codes: Codes,
    domains: HashMap<u16, Domain>,
    process: Process,
    /// Which objects count.
    args: ObjectArgs,
    /// The objects that are held, if later events matter.
    objects: Option<Objects>,
}

/// The first packet, which describes the trace.
struct Info {
    pid: u64,
    /// The exact weight of a sample, for each of [`MEASURES`].
    exact: [f64; 3],
}

/// The state that one domain's packets share. Before OCaml 5 there is one domain.
struct Domain {
    number: u16,
    /// The number as text.
    name: Vec<u8>,
    locations: Locations,
    backtraces: Backtraces,
    path: Path,
    /// For each code of the last backtrace, the stack that ends there, if objects are held; stacks
    /// that were not needed yet are missing.
    stacks: Vec<StackId>,
}

/// An allocation without its backtrace.
#[derive(Clone, Copy)]
struct Allocation {
    object: u64,
    time: u64,
    count: u64,
    is_major: bool,
}

impl Trace {
    /// A trace that starts with this packet.
    pub(super) fn new(
        first: &Packet<'_>,
        objects: ObjectArgs,
        samples: &mut Samples<'_>,
    ) -> Result<Trace, Stop> {
        if let Some(cut) = first.cut {
            return Err(cut.into());
        }
        let mut bytes = first.body;
        let (info, executable) = Info::read(&first.header, &mut bytes)?;
        let weights = info.exact.map(|weight| weight.round() as u64);
        info.announce(&weights, samples);
        let process = Process {
            comm: file_name(executable).to_vec(),
            pid: info.pid.to_string().into_bytes(),
            begun: first.header.begun,
            weights,
        };
        Ok(Trace {
            info,
            codes: Codes::new(),
            domains: HashMap::new(),
            process,
            args: objects,
            objects: Objects::new(objects, samples)?,
        })
    }

    /// The process of the trace.
    pub(super) fn pid(&self) -> u64 {
        self.info.pid
    }

    /// Reads the events of a packet; if it is cut, those that are complete.
    pub(super) fn packet(
        &mut self,
        packet: &Packet<'_>,
        samples: &mut Samples<'_>,
    ) -> Result<(), Stop> {
        let (header, mut bytes) = (&packet.header, packet.body);
        let mut domain =
            self.domains.remove(&header.domain).unwrap_or_else(|| Domain::new(header.domain));
        if let Some(verifier) = &header.verifier {
            domain.backtraces.verify(verifier, &self.codes)?;
        }
        let read = self.events(header, &mut bytes, &mut domain, samples);
        self.domains.insert(header.domain, domain);
        match (read, packet.cut) {
            (Ok(_) | Err(Stop::Malformed(Malformed::Short)), Some(cut)) => Err(cut.into()),
            (Ok(next_object), None) if next_object != header.objects.1 => {
                Err(Malformed::Allocations.into())
            }
            (read, _) => read.map(|_| ()),
        }
    }

    /// Reads events; returns the number that the next object would have.
    fn events(
        &mut self,
        header: &Header,
        bytes: &mut Bytes<'_>,
        domain: &mut Domain,
        samples: &mut Samples<'_>,
    ) -> Result<u64, Stop> {
        let mut next_object = header.objects.0;
        while !bytes.is_empty() {
            let head = bytes.u32()?;
            // Other domains' objects may have greater numbers.
            let mut earlier_object =
                || Ok::<_, Malformed>(next_object.wrapping_sub(1).wrapping_sub(varint(bytes)?));
            match head >> TIME_BITS {
                LOCATION => self.location(bytes, domain, samples)?,
                PROMOTION => {
                    let object = earlier_object()?;
                    self.objects.iter_mut().for_each(|objects| objects.promote(object));
                }
                COLLECTION => {
                    let (object, time) = (earlier_object()?, time_of(head, header.begun));
                    if let Some(objects) = &mut self.objects {
                        objects.collect(object, time, &self.process, samples)?;
                    }
                }
                INFO => return Err(Malformed::Info.into()),
                kind => {
                    let (count, is_major) = allocated(kind, bytes)?;
                    let common = varint(bytes)?;
                    let words =
                        if kind == ALLOCATION { bytes.u16()? } else { u16::from(bytes.u8()?) };
                    let kept = domain.backtraces.read(common, words, bytes, &mut self.codes)?;
                    domain.path.keep(kept);
                    domain.stacks.truncate(kept);
                    let time = time_of(head, header.begun);
                    let allocation = Allocation { object: next_object, time, count, is_major };
                    self.allocation(&allocation, domain, samples)?;
                    next_object = next_object.wrapping_add(1);
                }
            }
        }
        Ok(next_object)
    }

    /// Reads the frames of a location code: the function, and those that were inlined into it.
    fn location(
        &mut self,
        bytes: &mut Bytes<'_>,
        domain: &mut Domain,
        samples: &mut Samples<'_>,
    ) -> Result<(), Malformed> {
        let code = bytes.u64()?;
        let mut frames = Vec::new();
        for depth in 0..bytes.u8()? {
            let location = domain.locations.read(bytes)?;
            let source = [location.file, format!(":{}", location.line).as_bytes()].concat();
            let name = if location.function.is_empty() { b"??" } else { location.function };
            let frame = Frame { name, source: &source, inlined: depth > 0, ..Frame::default() };
            samples.frames(&frame, &mut frames);
        }
        let id = self.codes.id(code);
        self.codes.define(id, frames);
        Ok(())
    }

    /// Counts an allocation whose backtrace was read, or holds it.
    fn allocation(
        &mut self,
        allocation: &Allocation,
        domain: &mut Domain,
        samples: &mut Samples<'_>,
    ) -> Result<(), Stop> {
        let Allocation { object, time, count, is_major } = *allocation;
        let is_admitted = self.args.admits(is_major);
        let Trace { codes, objects, process, .. } = self;
        if let Some(objects) = objects {
            let stack = domain.stack(objects, codes, samples);
            let waits = Object { time, count, domain: domain.number, is_admitted, stack };
            return Ok(objects.allocate(object, waits, process, samples)?);
        }
        let origin = process.sample(time, count, &domain.name);
        if !is_admitted {
            samples.leave_out(&origin);
            return Ok(());
        }
        let Some(sample) = samples.open(&origin) else { return Ok(()) };
        let backtrace = domain.backtraces.last();
        let leaf = domain.path.walk(sample.base, backtrace, codes, samples);
        let frames = backtrace.iter().flat_map(|&id| codes.frames(id).iter().copied());
        Ok(samples.close(sample, leaf, frames)?)
    }

    /// Counts the objects that are held.
    pub(super) fn finish(&mut self, samples: &mut Samples<'_>) -> common::Result<()> {
        match &mut self.objects {
            Some(objects) => objects.finish(&self.process, samples),
            None => Ok(()),
        }
    }
}

/// Reads how many samples an allocation has, and whether it is in the major
/// heap.
fn allocated(kind: u32, bytes: &mut Bytes<'_>) -> Result<(u64, bool), Malformed> {
    if SHORT_ALLOCATIONS.contains(&kind) {
        return Ok((1, false));
    }
    if kind != ALLOCATION {
        return Err(Malformed::Event(kind));
    }
    let _words = varint(bytes)?;
    let count = varint(bytes)?;
    if count > MOST_SAMPLES {
        return Err(Malformed::Samples(count));
    }
    match bytes.u8()? {
        0 => Ok((count, false)),
        1 => Ok((count, true)),
        // Outside the heap, such as the memory of bigarrays.
        2 => Ok((count, false)),
        other => Err(Malformed::Source(other)),
    }
}

/// The time of an event in microseconds since the epoch. `head` has its low bits, which may have
/// overflown since the packet was begun.
fn time_of(head: u32, begun: u64) -> u64 {
    let mask = (1 << TIME_BITS) - 1;
    let (low, low_begun) = (u64::from(head) & mask, begun & mask);
    let overflow = if low < low_begun { 1 << TIME_BITS } else { 0 };
    (begun & !mask).wrapping_add(low + overflow)
}

impl Info {
    /// Reads the first event, and the name of the executable in it.
    fn read<'b>(header: &Header, bytes: &mut Bytes<'b>) -> Result<(Info, &'b [u8]), Malformed> {
        if bytes.u32()? >> TIME_BITS != INFO {
            return Err(Malformed::Info);
        }
        let (rate, word_bits) = (bytes.f64()?, bytes.u8()?);
        let executable = bytes.string()?;
        let _host = bytes.string()?;
        let _runtime_params = bytes.string()?;
        let pid = bytes.u64()?;
        let _context = if header.version >= 2 { bytes.string()? } else { b"" };
        let words = 1.0 / rate;
        let exact = [1.0, words, words * f64::from(word_bits / 8)];
        // Rates go from 1 down to 1e-9 at most; this is false for NaN too.
        let is_possible = rate > 0.0 && rate <= 1.0 && exact[2] < 1e15 && word_bits >= 8;
        if !bytes.is_empty() {
            return Err(Malformed::Info);
        }
        if !is_possible {
            return Err(Malformed::Rate);
        }
        Ok((Info { pid, exact }, executable))
    }

    /// Sets the measures, and notes if the rounded weight differs from the exact one.
    fn announce(&self, weights: &[u64; 3], samples: &mut Samples<'_>) {
        samples.headers.set_sampling_rate(self.exact[1].recip());
        let Some(measure) = samples.events.set_measures(&MEASURES) else { return };
        let (exact, counted) = (self.exact[measure], weights[measure]);
        if (counted as f64 - exact).abs() >= exact * 1e-9 {
            let unit = MEASURES[measure].unit.as_bstr();
            samples
                .note(format_args!("a sample stands for {exact:.3} {unit} and counts {counted}"));
        }
    }
}

impl Domain {
    fn new(number: u16) -> Domain {
        Domain {
            number,
            name: number.to_string().into_bytes(),
            locations: Locations::new(),
            backtraces: Backtraces::new(),
            path: Path::default(),
            stacks: Vec::new(),
        }
    }

    /// The stack of the last backtrace, for an object that is held.
    fn stack(
        &mut self,
        objects: &mut Objects,
        codes: &mut Codes,
        samples: &mut Samples<'_>,
    ) -> StackId {
        let mut stack = self.stacks.last().copied().unwrap_or(Stacks::EMPTY);
        for &code in &self.backtraces.last()[self.stacks.len()..] {
            stack = objects.call(stack, code, codes, samples);
            self.stacks.push(stack);
        }
        stack
    }
}

/// The nodes of the last backtrace: a deep stack shares nearly all of them with the next one.
#[derive(Default)]
struct Path {
    base: NodeId,
    /// For each code, the node of its last frame; nodes that were not needed yet are missing.
    nodes: Vec<NodeId>,
}

impl Path {
    /// Keeps the nodes of the first `codes` codes only.
    fn keep(&mut self, codes: usize) {
        self.nodes.truncate(codes);
    }

    /// The node of the last frame of `codes`, below `base`.
    fn walk(
        &mut self,
        base: NodeId,
        codes: &[CodeId],
        table: &mut Codes,
        samples: &mut Samples<'_>,
    ) -> NodeId {
        if self.base != base {
            self.base = base;
            self.nodes.clear();
        }
        let mut node = self.nodes.last().copied().unwrap_or(base);
        for &code in &codes[self.nodes.len()..] {
            for &frame in table.needed_frames(code, samples) {
                node = samples.child(node, frame);
            }
            self.nodes.push(node);
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_on_where_their_low_bits_overflow() {
        const ALL: u64 = 1 << TIME_BITS;
        for (begun, low, time) in [
            (5 * ALL + 7, 7, 5 * ALL + 7),
            (5 * ALL + 7, 8, 5 * ALL + 8),
            (5 * ALL + 7, 6, 6 * ALL + 6),
            (6 * ALL - 1, 0, 6 * ALL),
        ] {
            assert_eq!(time_of(ALLOCATION << TIME_BITS | low, begun), time, "{begun} {low}");
        }
    }
}

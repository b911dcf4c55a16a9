//! The state while a trace is read.

use std::collections::BTreeSet;
use std::io::Read;

use common::{Result, io::Zstd};
use flate2::read::ZlibDecoder;
use hashbrown::HashMap;

use super::clocks::Clocks;
use super::code::{Code, Codes};
use super::heap::Heaps;
use super::interned::of_interned_data;
use super::lanes::{Lane, Lanes};
use super::losses::Losses;
use super::messages::{packet as field, trace};
use super::packet::Packet;
use super::profiles::{Perf, streamed};
use super::sequence::{Defaults, Sequence};
use super::stack_sample::StackSample;
use super::symbols::Symbols;
use super::titles::Titles;
use super::track_event;
use super::unread::Unread;
use crate::options::Options;
use crate::read::held::{Held, Thread};
use crate::read::protobuf::{Malformed, Stream};
use crate::read::spans::Spans;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::{Samples, Span};

#[derive(Default)]
pub(super) struct Trace {
    sequences: HashMap<u64, Sequence>,
    clocks: Clocks,
    codes: Codes,
    symbols: Symbols,
    titles: Titles,
    lanes: Lanes,
    /// The sequence that wrote the spans of a lane; `None` if several did.
    writers: HashMap<u32, Option<u64>>,
    heaps: Heaps,
    spans: Spans,
    stacks: Stacks,
    held: Held,
    /// The event of samples whose counter is not named: a text.
    sample_event: u32,
    wants_cpu: bool,
    unread: Unread,
    /// How many packets cannot be read completely.
    damaged: u64,
    losses: Losses,
    /// How many samples were to be taken each second, for all samples; `None` if that is unknown.
    rates: BTreeSet<Option<u64>>,
    unknown_stacks: u64,
}

impl Trace {
    /// A trace before its first packet; `wants_cpu` is whether samples need the number of their
    /// processor.
    pub(super) fn new(wants_cpu: bool) -> Trace {
        let mut trace = Trace { wants_cpu, ..Trace::default() };
        trace.sample_event = trace.codes.text(b"samples");
        trace
    }

    /// Adds a packet, or all packets of a compressed one.
    ///
    /// # Errors
    ///
    /// An error of adding samples.
    pub(super) fn add(&mut self, message: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let Ok(packet) = Packet::read(message) else {
            self.damaged += 1;
            return Ok(());
        };
        match packet.data {
            Some((field::COMPRESSED_PACKETS, it)) => self.add_all(ZlibDecoder::new(it), samples),
            Some((field::ZSTD_COMPRESSED_PACKETS, it)) => self.add_all(Zstd::new(it), samples),
            _ => self.add_packet(&packet, samples),
        }
    }

    /// Adds compressed packets.
    fn add_all(&mut self, reader: impl Read, samples: &mut Samples<'_>) -> Result<()> {
        let mut packets = Stream::new(reader);
        loop {
            match packets.next(trace::PACKET).map(|next| next.map(Packet::read)) {
                Ok(Some(Ok(packet))) => self.add_packet(&packet, samples)?,
                Ok(Some(Err(Malformed))) => self.damaged += 1,
                Ok(None) => return Ok(()),
                Err(_) => {
                    self.damaged += 1;
                    return Ok(());
                }
            }
        }
    }

    fn add_packet(&mut self, packet: &Packet<'_>, samples: &mut Samples<'_>) -> Result<()> {
        match self.read(packet) {
            Ok(Some(lane)) => {
                let Trace { spans, stacks, held, .. } = self;
                spans.settle_held(lane, stacks, held, samples)?;
            }
            Ok(None) => {}
            Err(Malformed) => self.damaged += 1,
        }
        self.held.add_up(samples);
        Ok(())
    }

    /// Adds a packet; returns the lane that got a new event of a span.
    fn read(&mut self, packet: &Packet<'_>) -> Result<Option<u32>, Malformed> {
        let sequence = self.sequences.entry(packet.sequence).or_default();
        sequence.begin(packet);
        if !packet.defaults.is_empty() {
            sequence.defaults = Defaults::read(packet.defaults, &mut self.codes)?;
        }
        if !packet.interned.is_empty() && !sequence.is_lost {
            let Trace { codes, stacks, .. } = self;
            let read = sequence.interned.read(packet.interned, of_interned_data, codes, stacks);
            self.damaged += u64::from(read.is_err());
        }
        let clock = packet.clock.or(sequence.defaults.clock);
        let time = packet.timestamp;
        let time = time.and_then(|time| self.clocks.time(packet.sequence, clock, time));
        if let Some((field::PROFILE_PACKET, data)) = packet.data {
            self.heaps.note_index(packet.sequence, data);
        }
        if sequence.lacks_state_of(packet) {
            self.losses.left_out += 1;
            return Ok(None);
        }
        self.read_data(packet, time)
    }

    fn read_data(
        &mut self,
        packet: &Packet<'_>,
        time: Option<i64>,
    ) -> Result<Option<u32>, Malformed> {
        let Some((field, data)) = packet.data else { return Ok(None) };
        let Some(sequence) = self.sequences.get_mut(&packet.sequence) else { return Ok(None) };
        match field {
            field::TRACK_EVENT => return self.read_track_event(packet.sequence, data, time),
            field::PERF_SAMPLE => self.read_perf(packet.sequence, data, time)?,
            field::STREAMING_PROFILE_PACKET => self.read_streamed(packet.sequence, data, time)?,
            field::STACK_SAMPLE => self.read_stack_sample(packet.sequence, data, time)?,
            field::PROFILE_PACKET => {
                let Trace { heaps, clocks, codes, stacks, .. } = self;
                if heaps.add(packet.sequence, data, time, clocks, (codes, stacks))? {
                    self.close_dump(packet.sequence);
                }
            }
            field::TRACE_STATS => self.losses.read_statistics(data)?,
            field::CLOCK_SNAPSHOT => self.clocks.add(packet.sequence, data)?,
            field::PROCESS_TREE => self.titles.add_tree(data)?,
            field::PROCESS_DESCRIPTOR => _ = self.titles.add_process(data)?,
            field::THREAD_DESCRIPTOR => {
                self.titles.add_thread(data)?;
                sequence.set_thread(data)?;
            }
            field::TRACK_DESCRIPTOR => {
                if let Some(thread) = self.titles.add_track(data)? {
                    sequence.set_thread(thread)?;
                }
            }
            field::MODULE_SYMBOLS => self.symbols.add(data, &mut self.codes)?,
            field::DEOBFUSCATION_MAPPING => self.symbols.add_plain(data, &mut self.codes)?,
            _ => self.unread.add(field),
        }
        Ok(None)
    }

    fn read_track_event(
        &mut self,
        number: u64,
        data: &[u8],
        time: Option<i64>,
    ) -> Result<Option<u32>, Malformed> {
        let Trace { sequences, clocks, codes, lanes, held, writers, spans, .. } = self;
        let sequence = sequences.entry(number).or_default();
        let event = track_event::read(data, time, number, sequence, clocks, codes)?;
        let Some(event) = event else { return Ok(None) };
        let lane = lanes.number(event.lane, held);
        spans.add(lane, event.time, event.frame, event.edge);
        // Sequences come one after the other, so if several write to a lane, its events are not in
        // the order of time.
        let writer = writers.entry(lane).or_insert(Some(number));
        *writer = writer.filter(|writer| *writer == number);
        Ok(writer.is_some().then_some(lane).filter(|_| event.time.is_some()))
    }

    fn read_perf(&mut self, number: u64, data: &[u8], time: Option<i64>) -> Result<(), Malformed> {
        match Perf::read(data)? {
            Perf::Sample { process, thread, cpu, stack } => {
                let sequence = self.sequences.entry(number).or_default();
                self.rates.insert(sequence.defaults.frequency);
                let event = sequence.defaults.perf_event.unwrap_or(self.sample_event);
                let stack = stack.map(|stack| sequence.interned.stack(stack));
                let stack = stack.map_or(Stacks::EMPTY, |stack| self.known_stack(stack));
                let cpu = cpu.filter(|_| self.wants_cpu);
                self.hold(Lane::Sampled { event, unit: 0, process, thread, cpu }, stack, 1, time);
            }
            other => self.losses.note(&other),
        }
        Ok(())
    }

    fn read_streamed(
        &mut self,
        number: u64,
        data: &[u8],
        time: Option<i64>,
    ) -> Result<(), Malformed> {
        let sequence = self.sequences.entry(number).or_default();
        let sampled = streamed(data, time, number, sequence, &mut self.clocks)?;
        let (process, thread) = sequence.thread.unwrap_or_default();
        self.rates.insert(None);
        let stacks = sampled.into_iter().map(|(it, time)| (sequence.interned.stack(it), time));
        for (stack, time) in stacks.collect::<Vec<_>>() {
            let stack = self.known_stack(stack);
            let event = self.sample_event;
            let lane = Lane::Sampled { event, unit: 0, process, thread, cpu: None };
            self.hold(lane, stack, 1, time);
        }
        Ok(())
    }

    fn read_stack_sample(
        &mut self,
        number: u64,
        data: &[u8],
        time: Option<i64>,
    ) -> Result<(), Malformed> {
        let Trace { sequences, codes, stacks, .. } = self;
        let sequence = sequences.entry(number).or_default();
        let defaults = &sequence.defaults.stack_samples;
        let sample = StackSample::read(data, defaults, &sequence.interned, codes, stacks)?;
        let StackSample { process, thread, cpu, stack, counted } = sample;
        let stack = self.known_stack(stack);
        let cpu = cpu.filter(|_| self.wants_cpu);
        self.rates.insert(None);
        let lane = |event, unit| Lane::Sampled { event, unit, process, thread, cpu };
        self.hold(lane(self.sample_event, 0), stack, 1, time);
        for counted in counted {
            self.hold(lane(counted.event, counted.unit), stack, counted.weight, time);
        }
        Ok(())
    }

    fn hold(&mut self, lane: Lane, stack: StackId, weight: u64, time: Option<i64>) {
        let lane = self.lanes.number(lane, &mut self.held);
        let time = time.and_then(|time| u64::try_from(time).ok());
        self.held.add(lane, stack, weight, time);
    }

    /// A stack, or one unknown frame for a stack that was not declared.
    fn known_stack(&mut self, stack: Option<StackId>) -> StackId {
        stack.unwrap_or_else(|| {
            self.unknown_stacks += 1;
            self.unknown_stack()
        })
    }

    fn unknown_stack(&mut self) -> StackId {
        self.stacks.call(Stacks::EMPTY, self.codes.frame(Code::default()))
    }

    fn close_dump(&mut self, number: u64) {
        let unknown = self.unknown_stack();
        let Trace { sequences, heaps, lanes, held, .. } = self;
        let sequence = sequences.entry(number).or_default();
        heaps.close(number, &sequence.interned, unknown, lanes, held);
    }

    /// Adds the rest; returns how many packets are damaged.
    pub(super) fn finish(mut self, options: &Options, samples: &mut Samples<'_>) -> Result<u64> {
        for sequence in self.heaps.open() {
            self.close_dump(sequence);
        }
        self.losses.report(samples);
        let unknown_stacks = "samples have no stack in this trace: it is [unknown]";
        samples.note_count(self.unknown_stacks, unknown_stacks);
        let Trace { codes, symbols, titles, mut lanes, mut spans, mut rates, .. } = self;
        let (mut stacks, mut held) = (self.stacks, self.held);
        self.heaps.finish(&mut lanes, &mut held, samples);
        let lanes = lanes.name(&titles, &codes, &mut held);
        self.unread.report(!lanes.is_empty(), samples);
        if samples.wants.spans {
            list_spans(&mut spans, &lanes, &mut held, &codes, samples);
            return Ok(self.damaged);
        }
        let names = codes.names(&symbols, options, samples);
        // Spans and memory have no rate.
        if lanes.iter().any(|(lane, _)| !matches!(lane, Lane::Sampled { .. })) {
            rates.insert(None);
        }
        rates.into_iter().for_each(|rate| samples.facts.note_rate(rate));
        if let Some((_, first)) = lanes.first() {
            let event = held.thread_mut(*first).event.clone();
            held.prefer(event, samples);
        }
        for (_, number) in lanes.into_iter().filter(|(lane, _)| lane.has_spans()) {
            spans.finish_held(number, &mut stacks, &mut held, &names, samples)?;
        }
        spans.report(samples);
        held.finish(&mut stacks, &names, samples)?;
        Ok(self.damaged)
    }
}

/// Passes on all spans as such.
fn list_spans(
    spans: &mut Spans,
    lanes: &[(Lane, u32)],
    held: &mut Held,
    codes: &Codes,
    samples: &mut Samples<'_>,
) {
    for (lane, number) in lanes.iter().filter(|(lane, _)| lane.has_spans()) {
        let Thread { tid, pid, .. } = held.thread_mut(*number);
        let id = if let Lane::Task { id, .. } = lane { id.to_string() } else { String::new() };
        let whose = Span { tid, pid, id: id.as_bytes(), ..Span::default() };
        spans.list(*number, |frame| frame, whose, |frame| codes.name_of(frame), samples);
    }
    spans.report(samples);
}

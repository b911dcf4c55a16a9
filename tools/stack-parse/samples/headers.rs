//! Header lines: `--header`, and those that an input has itself.

use common::folded::{Headers, counts_samples, header_line, is_about_all_stacks, parse_header};
use common::{Result, folded::says_what_is_counted, pipe::Pipe};

use super::Samples;
use super::events::{Event, Events, Fate, Measure, Sum};
use super::facts::Counts;
use super::sample::{Sample, Time};
use super::weight::Weighs;

/// The data for the header lines of the inputs.
#[derive(Debug, Default)]
pub(crate) struct InputHeaders {
    /// The header lines of the input that is being read.
    lines: Vec<Vec<u8>>,
    /// The sums of each fate before it.
    before: [Sum; 5],
    /// The inputs before it; equal ones once, if they say nothing that adds up.
    inputs: Vec<InputHeader>,
    /// The lines that were written before the first line of samples that are written as they come.
    streamed: Option<Vec<Vec<u8>>>,
    /// The first event of each input: the input's name, and the event's index.
    pub(super) first_events: Vec<(String, usize)>,
    /// The sampling rates of the inputs, without duplicates.
    pub(super) rates: Vec<f64>,
}

/// The data of one input for its header.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InputHeader {
    /// Its own header lines.
    lines: Vec<Vec<u8>>,
    /// The header lines that its format or its samples give.
    facts: Vec<Vec<u8>>,
    has_samples: bool,
    /// The indexes of the events that were taken.
    events: Vec<usize>,
    format: &'static str,
}

impl InputHeaders {
    pub(crate) fn begin_input(&mut self, before: [Sum; 5]) {
        self.lines.clear();
        self.before = before;
    }

    /// Sets which share of the events this input sampled. One sample does not mean the same in
    /// inputs with different rates.
    pub(crate) fn set_sampling_rate(&mut self, rate: f64) {
        if !self.rates.contains(&rate) {
            self.rates.push(rate);
        }
    }

    /// Keeps a comment line of the input if it is a header line, without control characters.
    pub(crate) fn add_line(&mut self, line: &[u8]) {
        self.lines.extend(parse_header(line).map(|(key, value)| header_line(key, value)));
    }

    /// What became of the samples of the input that was just read, of which `events` were taken.
    fn counts<'e>(&self, all: &'e Events, events: &[usize], weighs: Weighs) -> Counts<'e> {
        let (now, before) = (all.fates(), self.before);
        let grown = |fate: Fate, number: fn(&Sum) -> u128| {
            let [now, before] = [now, before].map(|sums| number(&sums[fate as usize]));
            u64::try_from(now.saturating_sub(before)).unwrap_or(u64::MAX)
        };
        let of = |fate| grown(fate, |sum| sum.samples);
        let is_known = grown(Fate::Taken, |sum| sum.unknown) == 0;
        let left_out = [Fate::OtherEvent, Fate::OtherTime, Fate::NoTime, Fate::OtherObject];
        Counts {
            taken: of(Fate::Taken),
            drawn: is_known.then(|| grown(Fate::Taken, |sum| sum.known)),
            is_part: left_out.into_iter().any(|fate| of(fate) > 0),
            is_slice: of(Fate::OtherTime) > 0 || of(Fate::NoTime) > 0,
            weighs,
            unit: events.first().map_or(b"", |&event| unit(all.get(event))),
        }
    }

    /// Whether any input has header lines of its own.
    fn are_given(&self) -> bool {
        self.inputs.iter().any(|input| !input.lines.is_empty())
    }
}

impl InputHeader {
    /// The header lines. Those of a recording are final only when all is read, since counts may
    /// have become sums by then.
    fn lines(&self, events: &Events, by_event: bool) -> Vec<Vec<u8>> {
        if !self.lines.is_empty() {
            return self.lines.clone();
        }
        let events: Vec<&Event> = self.events.iter().map(|&event| events.get(event)).collect();
        let named = events.iter().filter(|event| !event.name.is_empty());
        let names = named.map(|event| match by_event {
            true => [&event.name, &b" "[..], unit(event)].concat(),
            false => event.name.clone(),
        });
        let mut units: Vec<&[u8]> = events.iter().map(|event| unit(event)).collect();
        units.dedup();
        self.lines_of(names, if let [unit] = units[..] { unit } else { b"" })
    }

    /// The lines for weights of these events, and of this unit if it is known.
    fn lines_of(&self, events: impl Iterator<Item = Vec<u8>>, unit: &[u8]) -> Vec<Vec<u8>> {
        let unit = Some(header_line("unit", unit)).filter(|_| !unit.is_empty());
        let source = header_line("source", self.format.as_bytes());
        let lines = events.map(|event| header_line("event", &event)).chain(unit);
        lines.chain([source]).chain(self.facts.iter().cloned()).collect()
    }

    /// The lines where a source measures something else than the events that its samples are made
    /// from; none for an input without these events.
    fn lines_of_source(&self, measure: Measure<'_>) -> Vec<Vec<u8>> {
        if self.events.is_empty() {
            return Vec::new();
        }
        self.lines_of([measure.name.to_vec()].into_iter(), measure.unit)
    }
}

/// The unit of the weights of a taken event.
fn unit(event: &Event) -> &[u8] {
    if event.weigher.sums() { &event.unit } else { b"samples" }
}

impl Samples<'_> {
    /// Notes when a sample was taken, and the thread if it is taken from the input.
    pub(super) fn note_facts(&mut self, origin: &Sample<'_>, fate: Fate) {
        if let Some(time) = origin.time {
            self.note_time(time);
        }
        if fate == Fate::Taken {
            self.facts.note_thread(origin);
        }
    }

    /// Notes when a sample was taken, if that is a time of a clock.
    pub(super) fn note_time(&mut self, time: Time<'_>) {
        if matches!(self.input.format.weighs, Weighs::Period | Weighs::Value) {
            self.facts.note_time(time.nanoseconds().filter(|_| self.window.has_clock()));
        }
    }

    /// Keeps the data for the header of the input that was just read.
    pub(super) fn note_header(&mut self) {
        let events = self.events.taken_from_input();
        if let ([event], true) = (&events[..], self.events.takes_first()) {
            let firsts = &mut self.headers.first_events;
            let is_known = firsts.iter().any(|(_, known)| known == event);
            if !is_known && !self.events.get(*event).name.is_empty() {
                firsts.push((self.input.name.clone(), *event));
            }
        }
        let mut lines = std::mem::take(&mut self.headers.lines);
        let counts = self.headers.counts(&self.events, &events, self.input.format.weighs);
        if counts.is_part {
            let is_slice = counts.is_slice;
            lines.retain(|line| !(is_about_all_stacks(line) || is_slice && is_length(line)));
        }
        let facts = if self.wants.header { self.facts.lines(&counts) } else { Vec::new() };
        let (has_samples, format) = (counts.taken > 0, self.input.format.name);
        let header = InputHeader { lines, facts, has_samples, events, format };
        let adds_up = !header.lines.is_empty() || !header.facts.is_empty();
        if adds_up || !self.headers.inputs.contains(&header) {
            self.headers.inputs.push(header);
        }
    }

    /// Writes the header before the first line of samples that are written as they come, with what
    /// is known by then.
    pub(super) fn write_streamed_header(&mut self) -> Result<()> {
        if self.headers.streamed.is_some() {
            return Ok(());
        }
        let mut lines = self.headers.lines.clone();
        if self.wants.header || !lines.is_empty() {
            let events = self.events.taken_from_input();
            let events = if self.events.takes_first() { events } else { Vec::new() };
            let facts = self.facts.clock_line().into_iter().collect();
            let format = self.input.format.name;
            let header = InputHeader { lines, facts, has_samples: true, events, format };
            lines = match &self.source {
                Some(source) => header.lines_of_source(source.measure()),
                None => header.lines(&self.events, self.wants.by_event),
            };
            // The other lines may change until the end.
            lines.retain(|line| says_what_is_counted(line));
        }
        let lines = self.headers.streamed.insert(lines);
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        lines.iter().try_for_each(|line| pipe.out().line(line))
    }

    /// Writes the header lines that are known only after all samples were written.
    pub(super) fn write_rest_of_header(&self, pipe: &mut Pipe) -> Result<()> {
        if !self.wants.header && !self.headers.are_given() {
            return Ok(());
        }
        let written = self.headers.streamed.as_deref().unwrap_or_default();
        let lines = self.merged_headers().lines();
        let rest = lines.iter().filter(|line| !written.contains(line));
        rest.into_iter().try_for_each(|line| pipe.out().line(line))
    }

    pub(super) fn write_header(&self, pipe: &mut Pipe) -> Result<()> {
        if !self.wants.header && self.source.is_none() && !self.headers.are_given() {
            return Ok(());
        }
        pipe.write_header_of(&self.merged_headers())
    }

    fn merged_headers(&self) -> Headers {
        let measure = self.source.as_ref().map(|source| source.measure());
        let mut headers = Headers::default();
        for input in &self.headers.inputs {
            let lines = match measure {
                Some(measure) => input.lines_of_source(measure),
                None => input.lines(&self.events, self.wants.by_event),
            };
            headers.add(lines, input.has_samples.into());
        }
        // The number of samples is known only for the sum.
        headers.with_samples(if measure.is_none() { drawn(&self.events) } else { None })
    }
}

/// The number of samples whose sum would vary as much as what is written; `None` if that is
/// unknown, or if there are several events.
fn drawn(events: &Events) -> Option<u64> {
    let mut taken = events.iter().filter(|event| event.is_taken());
    let (event, None) = (taken.next()?, taken.next()) else { return None };
    let sum = event.sum(Fate::Taken);
    match counts_samples(unit(event)) {
        true if event.weigher.sums() => u64::try_from(sum.total).ok(),
        true => u64::try_from(sum.samples).ok(),
        false => sum.drawn().map(|samples| samples.round() as u64),
    }
}

/// Whether a header line says how long was recorded.
fn is_length(line: &[u8]) -> bool {
    parse_header(line).is_some_and(|(key, _)| key == "seconds")
}

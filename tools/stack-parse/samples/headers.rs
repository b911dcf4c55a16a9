//! Header lines: `--header`, and those that an input has itself.

use common::Result;
use common::folded::{Headers, counts_samples, header_line, parse_header};
use common::pipe::Pipe;

use super::event::{Event, Fate};
use super::events::Events;
use super::{Samples, Sink, off_cpu};

/// The data for the header lines of the inputs.
#[derive(Debug, Default)]
pub(crate) struct InputHeaders {
    /// The header lines of the input that is being read.
    lines: Vec<Vec<u8>>,
    /// The inputs before it, without duplicates.
    inputs: Vec<InputHeader>,
    is_written: bool,
    /// The first event of each input: the input's name, and the event's index.
    pub(super) first_events: Vec<(String, usize)>,
    /// The sampling rates of the inputs, without duplicates.
    pub(super) rates: Vec<f64>,
}

/// The data of one input for its header.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InputHeader {
    lines: Vec<Vec<u8>>,
    /// The indexes of the events that were taken.
    events: Vec<usize>,
    format: &'static str,
}

impl InputHeaders {
    pub(crate) fn begin_input(&mut self) {
        self.lines.clear();
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
        let mut lines = Vec::new();
        for event in events.iter().filter(|event| !event.name.is_empty()) {
            let of_roots = [&event.name, &b" "[..], unit(event)].concat();
            let value = if by_event { of_roots } else { event.name.clone() };
            lines.push(header_line("event", &value));
        }
        let mut units: Vec<&[u8]> = events.iter().map(|event| unit(event)).collect();
        units.dedup();
        if let [unit] = units[..]
            && !unit.is_empty()
        {
            lines.push(header_line("unit", unit));
        }
        lines.push(header_line("source", self.format.as_bytes()));
        lines
    }

    /// The lines of `--off-cpu`, which counts time, not the events that it is made from; none for
    /// an input without these events.
    fn off_cpu_lines(&self) -> Vec<Vec<u8>> {
        if self.events.is_empty() {
            return Vec::new();
        }
        vec![
            header_line("event", off_cpu::NAME),
            header_line("unit", off_cpu::UNIT),
            header_line("source", self.format.as_bytes()),
        ]
    }
}

/// The unit of the weights of a taken event.
fn unit(event: &Event) -> &[u8] {
    if event.weigher.sums() { &event.unit } else { b"samples" }
}
impl Samples<'_> {
    /// Sets which share of the events this input sampled. One sample does not mean the same in
    /// inputs with different rates.
    pub(crate) fn set_sampling_rate(&mut self, rate: f64) {
        if !self.headers.rates.contains(&rate) {
            self.headers.rates.push(rate);
        }
    }

    /// Keeps a comment line of the input if it is a header line.
    pub(crate) fn add_header_line(&mut self, line: &[u8]) {
        if parse_header(line).is_some() {
            self.headers.lines.push(line.to_vec());
        }
    }

    /// Keeps the data for the header of the input that was just read.
    pub(super) fn note_header(&mut self) {
        let InputHeaders { lines, inputs, first_events, .. } = &mut self.headers;
        let events = self.events.taken_from_input();
        if let ([event], true) = (&events[..], self.events.takes_first()) {
            let is_known = first_events.iter().any(|(_, known)| known == event);
            if !is_known && !self.events.get(*event).name.is_empty() {
                first_events.push((self.input.name.clone(), *event));
            }
        }
        let (lines, format) = (std::mem::take(lines), self.input.format);
        let header = InputHeader { lines, events, format };
        if !inputs.contains(&header) {
            inputs.push(header);
        }
    }

    /// Writes the header before the first line of samples that are written as they come, with what
    /// is known by then.
    pub(super) fn write_streamed_header(&mut self) -> Result<()> {
        let is_due = self.args.header || !self.headers.lines.is_empty();
        if std::mem::replace(&mut self.headers.is_written, true) || !is_due {
            return Ok(());
        }
        let lines = std::mem::take(&mut self.headers.lines);
        let events = self.events.taken_from_input();
        let events = if self.events.takes_first() { events } else { Vec::new() };
        let header = InputHeader { lines, events, format: self.input.format };
        let lines = header.lines(&self.events, self.args.events.by_event);
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        lines.iter().try_for_each(|line| pipe.out().line(line))
    }

    pub(super) fn write_header(&self, pipe: &mut Pipe) -> Result<()> {
        let is_off_cpu = matches!(self.sink, Sink::OffCpu(_));
        if !self.args.header && !is_off_cpu && !self.headers.are_given() {
            return Ok(());
        }
        let mut headers = Headers::default();
        for input in &self.headers.inputs {
            let lines = match is_off_cpu {
                true => input.off_cpu_lines(),
                false => input.lines(&self.events, self.args.events.by_event),
            };
            // The number of samples is known only for the sum.
            headers.add(lines, 0);
        }
        pipe.write_header_of(&headers.with_samples(self.drawn()))
    }

    /// The number of samples whose sum would vary as much as what is written; `None` if that is
    /// unknown, if there are several events, or if the weights themselves count samples.
    fn drawn(&self) -> Option<u64> {
        let mut taken = self.events.iter().filter(|event| event.is_taken());
        let (event, None) = (taken.next()?, taken.next()) else { return None };
        if matches!(self.sink, Sink::OffCpu(_)) || counts_samples(unit(event)) {
            return None;
        }
        event.sum(Fate::Taken).drawn().map(|samples| samples.round() as u64)
    }
}

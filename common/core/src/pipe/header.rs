//! The header lines of all inputs: what they say, and how they are written.

use bstr::ByteSlice;

use crate::Result;
use crate::folded::{Headers, header_line, parse_header};
use crate::names::printable;
use crate::numbers::decimal;
use crate::pipe::Pipe;

impl Pipe {
    /// The value that the header lines of all inputs have for a key, such as `unit`.
    #[must_use]
    pub fn header_value(&self, key: &str) -> Option<&[u8]> {
        let mut values = self.headers.kept().into_iter().filter_map(parse_header);
        values.find(|(found, _)| *found == key).map(|(_, value)| value)
    }

    /// The unit of the weights, as the header lines of all inputs say it: `# unit: ns`,
    /// or `# event: NAME UNIT` where all events have one unit.
    #[must_use]
    pub fn header_unit(&self) -> Option<String> {
        if let Some(unit) = self.header_value("unit") {
            return Some(printable(unit));
        }
        let mut events = self.header_events();
        events.dedup_by_key(|(_, unit)| *unit);
        match events[..] {
            [(_, unit)] => Some(printable(unit)),
            _ => None,
        }
    }

    /// The names and units of the events of all inputs, where their header lines are
    /// as `stack-parse --by-event` writes them: `# event: NAME UNIT`.
    #[must_use]
    pub fn header_events(&self) -> Vec<(&[u8], &[u8])> {
        let events = self.headers.all("event").into_iter();
        events.filter_map(|event| event.rsplit_once_str(" ")).collect()
    }

    /// How many samples two profiles in one file have, before and after: `# samples: 4021 3990`.
    #[must_use]
    pub fn header_samples_of_two(&self) -> Option<[u64; 2]> {
        let (before, after) = self.header_value("samples")?.split_once_str(" ")?;
        Some([decimal(before)?, decimal(after)?])
    }

    /// Writes the header line that [`header_samples_of_two`](Pipe::header_samples_of_two) reads.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_samples_of_two(&mut self, [before, after]: [u64; 2]) -> Result<()> {
        self.out.line(&header_line("samples", format!("{before} {after}").as_bytes()))
    }

    /// Writes the header lines that are the same in all inputs that have any, and
    /// names those that differ.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_header(&mut self) -> Result<()> {
        let headers = self.headers.clone();
        self.write_header_of(&headers)
    }

    /// The same for a tool whose weights are not those that were read: the number of samples is
    /// left out.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_header_of_weights(&mut self) -> Result<()> {
        let headers = self.headers.clone().with_samples(None);
        self.write_header_of(&headers)
    }

    /// The same for header lines that the tool has collected itself.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_header_of(&mut self, headers: &Headers) -> Result<()> {
        headers.differences().iter().for_each(|what| self.note(what));
        headers.kept().into_iter().try_for_each(|line| self.out.line(line))?;
        let samples = headers.samples().map(|samples| samples.to_string());
        let line = samples.map(|samples| header_line("samples", samples.as_bytes()));
        line.map_or(Ok(()), |line| self.out.line(&line))
    }
}

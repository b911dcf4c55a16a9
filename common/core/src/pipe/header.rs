//! The header lines of all inputs: what they say, and how they are written.

use bstr::ByteSlice;

use crate::folded::{Headers, Part, line_of_two};
use crate::{Result, names::printable, pipe::Pipe};

impl Pipe {
    /// The value that the header lines of all inputs have for a key, such as `unit`.
    #[must_use]
    pub fn header_value(&self, key: &str) -> Option<&[u8]> {
        self.headers.value(key)
    }

    /// How many of all have a property, such as `lost`, as the header lines of all inputs say it:
    /// `# lost: 12 of 900 samples`.
    #[must_use]
    pub fn header_part(&self, key: &str) -> Option<&Part> {
        self.headers.part(key)
    }

    /// How many samples all inputs have together, as their header lines say it.
    #[must_use]
    pub fn header_samples(&self) -> Option<u64> {
        self.headers.samples()
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

    /// How many samples two profiles in one file have, before and after:
    /// `# samples: 4,021 and 3,990 samples`.
    #[must_use]
    pub fn header_samples_of_two(&self) -> Option<[u64; 2]> {
        self.headers.samples_of_two()
    }

    /// Writes the header line that [`header_samples_of_two`](Pipe::header_samples_of_two) reads.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_samples_of_two(&mut self, samples: [u64; 2]) -> Result<()> {
        self.out.line(&line_of_two(samples))
    }

    /// Writes the header lines that are true of all inputs together, and names those that differ in
    /// what they count.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_header(&mut self) -> Result<()> {
        let headers = self.headers.clone();
        self.write_header_of(&headers)
    }

    /// Writes the header lines of a tool that writes only some of the stacks, or other weights:
    /// what is about all stacks is left out.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_header_of_some(&mut self) -> Result<()> {
        let headers = self.headers.clone().of_some_stacks();
        self.write_header_of(&headers)
    }

    /// Writes header lines that the tool has collected itself, and names those that differ in what
    /// they count.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_header_of(&mut self, headers: &Headers) -> Result<()> {
        headers.differences().iter().for_each(|what| self.note(what));
        headers.lines().iter().try_for_each(|line| self.out.line(line))
    }
}

//! The samples that were read, summed for the rows of the map.

use bstr::ByteSlice;
use common::heat::{Cells, Misfit, row_name};
use common::names::{printable, unit_of_event};
use common::pipe::{Pipe, no_label};
use common::stacks::{FrameId, FrameTable};
use common::{folded::Headers, io::Total};

use crate::by::By;

/// A sample, or several of one time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample<'a> {
    /// Nanoseconds since the first sample.
    pub(crate) time: u64,
    pub(crate) weight: u64,
    /// The value that has a row; empty if it is not known.
    pub(crate) value: &'a [u8],
    pub(crate) comm: Option<&'a [u8]>,
    pub(crate) event: Option<&'a [u8]>,
    /// Whether it lasted as many nanoseconds as it weighs.
    pub(crate) is_slice: bool,
}

/// Why a line is not in the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Line(&'static str),
    /// The columns would be too many.
    Column,
}

/// What was read.
pub(crate) struct Rows {
    pub(crate) by: Option<By>,
    pub(crate) cells: Cells<FrameId>,
    /// The values that have a row of the map each.
    pub(crate) values: FrameTable,
    comms: FrameTable,
    /// The last name of each value's thread, by the value.
    comm_of: Vec<Option<FrameId>>,
    events: FrameTable,
    /// What the inputs of folded lines say of all their lines.
    headers: Headers,
    /// Whether every line weighs 1.
    are_ones: bool,
    /// Whether a table was read: its lines say what they count.
    pub(crate) has_table: bool,
    /// The rows of tables without a time, and the folded lines without one.
    without_time: Total,
    without_since: Total,
}

impl Rows {
    pub(crate) fn new(by: Option<By>, cells: Cells<FrameId>) -> Rows {
        Rows {
            by,
            cells,
            values: FrameTable::default(),
            comms: FrameTable::default(),
            comm_of: Vec::new(),
            events: FrameTable::default(),
            headers: Headers::default(),
            are_ones: true,
            has_table: false,
            without_time: Total::default(),
            without_since: Total::default(),
        }
    }

    /// Adds the samples of a line.
    pub(crate) fn add(&mut self, sample: &Sample<'_>, pipe: &mut Pipe) -> Result<(), Refused> {
        let value = self.values.intern(sample.value);
        let Sample { time, weight, .. } = *sample;
        let added = match sample.is_slice {
            true => self.cells.add_slice(value, time, weight),
            false => self.cells.add(value, time, weight),
        };
        added.map_err(|misfit| match misfit {
            Misfit::TooLate => Refused::Column,
            Misfit::TooHeavy => Refused::Line("the sum of weights is over 18446744073709551615"),
        })?;
        pipe.count_read(sample.weight);
        self.are_ones &= sample.weight == 1;
        if let Some(event) = sample.event {
            self.events.intern(event);
        }
        if let Some(comm) = sample.comm {
            let comm = self.comms.intern(comm);
            self.comm_of.resize(self.comm_of.len().max(value as usize + 1), None);
            self.comm_of[value as usize] = Some(comm);
        }
        Ok(())
    }

    /// Leaves out a row of a table, or a folded line, that has no time.
    pub(crate) fn leave_out(&mut self, weight: u64, is_row: bool, pipe: &mut Pipe) {
        pipe.count_read(weight);
        pipe.count_dropped(weight);
        let total = if is_row { &mut self.without_time } else { &mut self.without_since };
        *total += weight;
    }

    /// Adds the header lines of an input. They name its events if its lines do not.
    pub(crate) fn add_header(&mut self, lines: Vec<Vec<u8>>, lines_have_events: bool) {
        let mut header = Headers::default();
        header.add(lines.clone(), 0);
        self.headers.add(lines, 0);
        if lines_have_events {
            return;
        }
        // An event without a line for its unit is `# event: NAME UNIT`.
        let has_unit = !header.all("unit").is_empty();
        for event in header.all("event") {
            let name = event.rsplit_once_str(" ").filter(|_| !has_unit).map_or(event, |it| it.0);
            self.events.intern(name);
        }
    }

    /// Notes what is not in the map, and what is mixed in it.
    pub(crate) fn report(&self, pipe: &Pipe) {
        let Total { lines, weight } = self.without_time;
        if lines > 0 {
            pipe.note(format_args!(
                "{lines} samples of weight {weight} have no time and are left out: print it with \
                 'perf script -F +time'"
            ));
        }
        let Total { lines, weight } = self.without_since;
        if lines > 0 {
            let (lines, have) = match lines {
                1 => ("1 line".to_owned(), "has"),
                many => (format!("{many} lines"), "have"),
            };
            pipe.note(format_args!(
                "{lines} of weight {weight} {have} no time, and the map lacks them: \
                 'stack-parse --labels since' writes it"
            ));
        }
        if let Some(by) = self.by.as_ref().filter(|_| self.no_line_has_it()) {
            pipe.note(no_label(by.key()));
        }
        let names =
            |bytes: Vec<&[u8]>| bytes.into_iter().map(printable).collect::<Vec<_>>().join(", ");
        let units = self.headers.all("unit");
        if units.len() > 1 {
            pipe.note(format_args!("weights of different units are added up: {}", names(units)));
        }
        let is_by_event = self.by.as_ref().is_some_and(By::is_event);
        if self.events.len() > 1 && !is_by_event {
            let events = 0..self.events.len();
            let events = names(events.map(|event| self.events.name(event as FrameId)).collect());
            pipe.note(format_args!("weights of different events are added up: {events}"));
        }
    }

    /// Whether no folded line has the label that has a row for each of its values.
    fn no_line_has_it(&self) -> bool {
        let is_only = self.values.len() == 1 && self.values.name(0).is_empty();
        is_only && !self.has_table
    }

    /// What the weights count: the unit of the header lines, or samples if all weights are 1, or
    /// what the event counts, if there is only one.
    pub(crate) fn unit(&self) -> String {
        match self.headers.all("unit")[..] {
            [unit] if !self.has_table => return printable(unit),
            [_, _, ..] => return String::new(),
            _ => {}
        }
        match self.events.len() {
            _ if self.are_ones => "samples".to_owned(),
            1 => printable(unit_of_event(self.events.name(0))),
            _ => String::new(),
        }
    }

    /// The name of a row of the map.
    pub(crate) fn name(&self, value: FrameId) -> String {
        let name = self.values.name(value);
        let comm = self.comm_of.get(value as usize).copied().flatten();
        let comm = comm.map(|comm| self.comms.name(comm));
        row_name(name, comm, self.by.as_ref().map_or("name", By::key))
    }
}

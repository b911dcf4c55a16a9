//! Reads the table that `stack-parse --table` prints, or what a filter left of it.
//!
//! ```text
//! time  since  comm  pid  tid  cpu  event  weight  stack
//! 525.936394  0.000000  demo  71  71  002  cycles  250000  "demo;main;parse"
//! ```

use std::borrow::Cow;

use bstr::ByteSlice;
use common::{
    Error, Files, FrameId, FrameTable, Input, Pipe, Result, Total, nanoseconds, printable,
    unit_of_event,
};

use crate::by::By;
use crate::cells::{Cells, Misfit};

/// Where the columns stand that are looked at.
struct Columns {
    header: Vec<u8>,
    since: usize,
    weight: usize,
    key: Option<usize>,
    comm: Option<usize>,
    event: Option<usize>,
    /// How many columns must be there.
    needed: usize,
}

impl Columns {
    /// Reads the header line; an error names the columns that are missing.
    fn of(header: &[u8], by: Option<By>) -> Result<Columns, String> {
        let names: Vec<_> = header.split_str("\t").map(unquoted).collect();
        let place = |name: &str| names.iter().position(|it| it.as_ref() == name.as_bytes());
        let wanted = ["since", "weight"].into_iter().chain(by.map(By::column));
        let missing: Vec<_> = wanted.filter(|name| place(name).is_none()).collect();
        let (Some(since), Some(weight), []) = (place("since"), place("weight"), &missing[..])
        else {
            let columns = if missing.len() == 1 { "a column" } else { "columns" };
            let names = missing.join("' and '");
            return Err(format!(
                "expected {columns} '{names}' in the first line, as 'stack-parse --table' prints it"
            ));
        };
        let key = by.and_then(|by| place(by.column()));
        let comm = by.filter(|by| by.shows_comm()).and_then(|_| place("comm"));
        let event = place("event");
        let last = [Some(since), Some(weight), key, comm, event].into_iter().flatten().max();
        let needed = last.map_or(0, |last| last + 1);
        Ok(Columns { header: header.to_vec(), since, weight, key, comm, event, needed })
    }
}

/// The rows that were read.
pub(crate) struct Rows {
    by: Option<By>,
    pub(crate) cells: Cells,
    /// The values of the column that has a row of the map for each.
    pub(crate) keys: FrameTable,
    comms: FrameTable,
    /// The last name of each key's thread, by the key.
    comm_of: Vec<Option<FrameId>>,
    events: FrameTable,
    /// Whether every row weighs 1.
    are_ones: bool,
    without_time: Total,
}

impl Rows {
    pub(crate) fn new(by: Option<By>, cells: Cells) -> Rows {
        Rows {
            by,
            cells,
            keys: FrameTable::default(),
            comms: FrameTable::default(),
            comm_of: Vec::new(),
            events: FrameTable::default(),
            are_ones: true,
            without_time: Total::default(),
        }
    }

    /// Reads all files. Rows that cannot be read are named, and so is a file without
    /// the columns that are needed.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the columns that the user wants are too many.
    pub(crate) fn read(&mut self, files: &Files, pipe: &mut Pipe) -> Result<()> {
        pipe.for_each_input(files, |input, pipe| self.read_table(input, pipe))
    }

    fn read_table(&mut self, input: &mut Input, pipe: &mut Pipe) -> Result<()> {
        let name = input.name().to_owned();
        let mut columns: Option<Columns> = None;
        pipe.for_each_text_line(input, |line, number, pipe| {
            let Some(columns) = &columns else {
                let read = Columns::of(line, self.by);
                columns = Some(read.map_err(|what| Error::Unknown { name: name.clone(), what })?);
                return Ok(());
            };
            // `cat` puts tables behind one another.
            if line == columns.header {
                return Ok(());
            }
            match self.add(line, columns, pipe) {
                Ok(()) => Ok(()),
                Err(Refused::Row(why)) => {
                    pipe.malformed(&name, number, why);
                    Ok(())
                }
                Err(Refused::Column) => Err(Error::Usage(format!(
                    "{name}:{number}: more than 10000 columns: give --column a longer time"
                ))),
            }
        })
    }

    fn add(&mut self, line: &[u8], columns: &Columns, pipe: &mut Pipe) -> Result<(), Refused> {
        let fields: Vec<&[u8]> = line.split_str("\t").take(columns.needed).collect();
        if fields.len() < columns.needed {
            return Err(Refused::Row("fewer columns than the first line has"));
        }
        let weight = fields[columns.weight].to_str().ok().and_then(|text| text.parse().ok());
        let weight: u64 = weight.ok_or(Refused::Row("expected a weight such as 12"))?;
        let Some(time) = time(fields[columns.since])? else {
            pipe.count_read(weight);
            pipe.count_dropped(weight);
            self.without_time += weight;
            return Ok(());
        };
        let key = self
            .keys
            .intern(&columns.key.map_or(Cow::Borrowed(&b""[..]), |key| unquoted(fields[key])));
        match self.cells.add(key, time, weight) {
            Err(Misfit::TooLate) => return Err(Refused::Column),
            Err(Misfit::TooHeavy) => {
                return Err(Refused::Row("the sum of weights is over 18446744073709551615"));
            }
            Ok(()) => {}
        }
        pipe.count_read(weight);
        self.are_ones &= weight == 1;
        if let Some(event) = columns.event {
            self.events.intern(&unquoted(fields[event]));
        }
        if let Some(comm) = columns.comm {
            let comm = self.comms.intern(&unquoted(fields[comm]));
            self.comm_of.resize(self.comm_of.len().max(key as usize + 1), None);
            self.comm_of[key as usize] = Some(comm);
        }
        Ok(())
    }

    /// Says what is not in the map, and what it mixes.
    pub(crate) fn report(&self, pipe: &Pipe) {
        let Total { lines, weight } = self.without_time;
        if lines > 0 {
            pipe.note(format_args!(
                "{lines} samples of weight {weight} have no time and are left out: print it with \
                 'perf script -F +time'"
            ));
        }
        if self.events.len() > 1 && self.by != Some(By::Event) {
            let names =
                (0..self.events.len()).map(|event| text(self.events.name(event as FrameId)));
            let names = names.collect::<Vec<_>>().join(", ");
            pipe.note(format_args!("weights of different events are added up: {names}"));
        }
    }

    /// What the weights count: samples where all are 1, otherwise what the event
    /// counts, if there is only one.
    pub(crate) fn unit(&self) -> String {
        match self.events.len() {
            _ if self.are_ones => "samples".to_owned(),
            1 => text(unit_of_event(self.events.name(0))),
            _ => String::new(),
        }
    }

    /// The name of a row of the map.
    pub(crate) fn name(&self, key: FrameId) -> String {
        let name = self.keys.name(key);
        let comm = self.comm_of.get(key as usize).copied().flatten();
        let comm = comm.map(|comm| text(self.comms.name(comm))).filter(|comm| !comm.is_empty());
        match (name, comm) {
            (b"", _) => format!("[no {}]", self.by.map_or("name", By::column)),
            (name, Some(comm)) => format!("{comm} {}", text(name)),
            (name, None) => text(name),
        }
    }
}

/// Why a row is not in the map.
enum Refused {
    Row(&'static str),
    /// The columns would be too many.
    Column,
}

/// Seconds since the first sample in nanoseconds, `None` if it is not known. What is
/// before the first sample, as of another processor, counts as 0, as for `--from`.
fn time(field: &[u8]) -> Result<Option<u64>, Refused> {
    let text = unquoted(field);
    if text.is_empty() {
        return Ok(None);
    }
    let is_before = text.starts_with(b"-");
    let positive = text.strip_prefix(b"-").unwrap_or(&text);
    let time = nanoseconds(positive).or_else(|| nanoseconds_of_float(positive));
    match time {
        Some(_) if is_before => Ok(Some(0)),
        Some(time) => Ok(Some(time)),
        None => Err(Refused::Row("expected seconds such as 2.5 in the column 'since'")),
    }
}

/// `1e-06`, as pandas writes what stack-parse wrote as 0.000001.
fn nanoseconds_of_float(text: &[u8]) -> Option<u64> {
    let seconds: f64 = text.to_str().ok()?.parse().ok()?;
    let time = (seconds * 1e9).round();
    (0.0..u64::MAX as f64).contains(&time).then_some(time as u64)
}

/// `"a ""b"""` is `a "b"`.
fn unquoted(field: &[u8]) -> Cow<'_, [u8]> {
    let inner = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    match inner {
        Some(inner) if inner.contains(&b'"') => inner.replace("\"\"", "\"").into(),
        Some(inner) => inner.into(),
        None => field.into(),
    }
}

fn text(name: &[u8]) -> String {
    printable(name)
}

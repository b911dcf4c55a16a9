//! A thread of a profile, and its samples.

use std::io::Read;

use common::Result;

use super::libs::{Lib, read_lib};
use super::names::{Tables, table_of};
use super::table::{RowWeight, Table, WEIGHT};
use crate::read::decimal::Carry;
use crate::read::held::{Held, Thread as Whose};
use crate::read::json::Json;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::Samples;

/// A thread with its own tables.
#[derive(Default)]
pub(super) struct Thread {
    name: Vec<u8>,
    process: Vec<u8>,
    pid: Vec<u8>,
    tid: Vec<u8>,
    pub(super) tables: Tables,
    /// Its libraries, which older versions wrote here.
    pub(super) libs: Vec<Lib>,
    samples: Table,
    js_allocations: Table,
    native_allocations: Table,
}

/// What is wrong with a profile.
#[derive(Default)]
pub(super) struct Troubles {
    /// Stacks that are not in the table.
    stackless: u64,
    /// Stacks whose callers are not before them in the table.
    pub(super) callerless: u64,
    /// Weights without a stack.
    lonely: u64,
    /// Samples without a weight where others have one.
    weightless: u64,
    /// Weights that are no numbers.
    bad_weights: u64,
    /// Memory that was freed.
    freed: u64,
    /// Weights of more than 64 bits.
    too_heavy: u64,
    /// Rows without a schema.
    unknown_rows: u64,
    /// Other values that are no numbers.
    bad_values: u64,
}

impl Thread {
    pub(super) fn read<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => self.name = json.text()?.unwrap_or_default().to_vec(),
                b"processName" => self.process = json.text()?.unwrap_or_default().to_vec(),
                b"pid" => self.pid = json.number()?.unwrap_or_default().to_vec(),
                b"tid" => self.tid = json.number()?.unwrap_or_default().to_vec(),
                b"libs" => json.for_each(|json| read_lib(json, &mut self.libs))?,
                b"samples" => self.samples.read(json)?,
                b"jsAllocations" => self.js_allocations.read(json)?,
                b"nativeAllocations" => self.native_allocations.read(json)?,
                key => {
                    let table = table_of(key);
                    self.tables.read(table, json)?;
                }
            }
        }
        Ok(())
    }

    /// Holds the samples; `stacks` has the stack of each row of the stack table.
    pub(super) fn hold(
        &self,
        start: i64,
        stacks: &[StackId],
        held: &mut Held,
        troubles: &mut Troubles,
    ) {
        let event: &[u8] = match &self.samples.weight_type[..] {
            b"tracing-ms" => b"time",
            b"bytes" => b"bytes",
            _ => b"samples",
        };
        for (event, table) in [
            (event, &self.samples),
            (b"js-allocations", &self.js_allocations),
            (b"native-allocations", &self.native_allocations),
        ] {
            troubles.add(table);
            if table.len() > 0 {
                let thread = held.thread(self.whose(event));
                hold_table(table, thread, start, stacks, held, troubles);
            }
        }
        self.tables.all().iter().for_each(|table| troubles.add(table));
    }

    fn whose(&self, event: &[u8]) -> Whose {
        let [name, pid, tid] = [&self.name, &self.pid, &self.tid].map(Vec::clone);
        let process = self.process.clone();
        Whose { name, pid, tid, event: event.to_vec(), process, ..Whose::default() }
    }
}

fn hold_table(
    table: &Table,
    thread: u32,
    start: i64,
    stacks: &[StackId],
    held: &mut Held,
    troubles: &mut Troubles,
) {
    let (times, deltas) = (table.column("time"), table.column("timeDeltas"));
    // How many millionths make one counted unit: milliseconds are counted in nanoseconds.
    let whole = if table.weight_type == b"tracing-ms" { 1 } else { 10i128.pow(WEIGHT as u32) };
    let (mut carry, mut now) = (Carry::default(), 0i64);
    troubles.lonely += (table.len() - table.column("stack").len()) as u64;
    for row in 0..table.column("stack").len() {
        now = now.saturating_add(deltas.get(row).unwrap_or_default());
        let time = if deltas.len() > 0 { Some(now) } else { times.get(row) };
        let time = time.and_then(|time| u64::try_from(start.saturating_add(time)).ok());
        let parts = match table.weight(row) {
            RowWeight::Parts(parts) => parts,
            RowWeight::One => whole,
            RowWeight::Missing => {
                troubles.weightless += 1;
                whole
            }
            RowWeight::Bad => {
                troubles.bad_weights += 1;
                continue;
            }
        };
        let Some(weight) = carry.round(parts, whole) else {
            if parts < 0 {
                troubles.freed += 1;
            } else {
                troubles.too_heavy += 1;
            }
            continue;
        };
        let number = table.column("stack").get(row);
        let stack = number.and_then(|number| stacks.get(usize::try_from(number).ok()?));
        troubles.stackless += u64::from(number.is_some() && stack.is_none());
        held.add(thread, stack.copied().unwrap_or(Stacks::EMPTY), weight, time);
    }
}

impl Troubles {
    /// Notes what is wrong with a table.
    pub(super) fn add(&mut self, table: &Table) {
        let [unknown_rows, bad_values] = table.troubles();
        self.unknown_rows += unknown_rows;
        self.bad_values += bad_values;
    }

    /// Notes each kind of trouble and how often it came.
    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        samples.note_counts(&[
            (self.unknown_rows, "rows are in tables without a schema: they are left out"),
            (self.bad_values, "values are not numbers that can be read: they count as null"),
            (self.stackless, "stacks are not in their table"),
            (self.callerless, "stacks have callers that are not before them: they begin there"),
            (self.lonely, "weights have no stack: they are left out"),
            (self.weightless, "samples have no weight where others have: each counts one"),
            (self.bad_weights, "weights are no numbers: they are left out"),
            (self.freed, "samples are of memory that was freed, left out"),
            (self.too_heavy, "weights do not fit into 64 bits: they are left out"),
        ]);
    }
}

//! A thread of a profile, and its samples.

use std::io::Read;

use common::Result;

use super::Process;
use super::cpu::CpuUnit;
use super::libs::{Lib, read_lib};
use super::names::{Tables, table_of};
use super::table::{Column, RowWeight, Table, WEIGHT};
use crate::read::decimal::Carry;
use crate::read::held::{Held, Thread as Whose};
use crate::read::json::Json;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::{Samples, Span};

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
    /// Empty unless spans are wanted.
    pub(super) markers: Table,
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
    /// Reads all of it, with markers only if `wants_spans`.
    pub(super) fn read<R: Read>(&mut self, json: &mut Json<R>, wants_spans: bool) -> Result<()> {
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
                b"markers" if wants_spans => self.markers.read(json)?,
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
        process: &Process,
        stacks: &[StackId],
        held: &mut Held,
        troubles: &mut Troubles,
    ) {
        let event: &[u8] = match &self.samples.weight_type[..] {
            b"tracing-ms" => b"time",
            b"bytes" => b"bytes",
            _ => b"samples",
        };
        let cpu = process.cpu.filter(|_| self.samples.has("threadCPUDelta"));
        for (event, table, is_measure) in [
            (event, &self.samples, cpu.is_some()),
            (b"js-allocations", &self.js_allocations, false),
            (b"native-allocations", &self.native_allocations, false),
        ] {
            troubles.add(table);
            if table.len() > 0 {
                let thread = held.thread(Whose { is_measure, ..self.whose(event) });
                hold_table(table, thread, process.start, stacks, held, troubles);
            }
        }
        if let Some(unit) = cpu {
            self.hold_cpu(unit, process.start, stacks, held);
        }
        self.tables.all().iter().for_each(|table| troubles.add(table));
    }

    /// Whether the profiler's clock took all of its samples; `None` if it has none.
    pub(super) fn is_by_clock(&self) -> Option<bool> {
        let has_memory = [&self.js_allocations, &self.native_allocations].map(Table::len) != [0; 2];
        let is_clock = !matches!(&self.samples.weight_type[..], b"tracing-ms" | b"bytes");
        (has_memory || self.samples.len() > 0).then_some(is_clock && !has_memory)
    }

    /// Holds the processor's time of the samples, which is another number of the same samples.
    fn hold_cpu(&self, unit: CpuUnit, start: i64, stacks: &[StackId], held: &mut Held) {
        let (event, unit_of_event) = unit.event();
        let whose = Whose { unit: unit_of_event.to_vec(), is_measure: true, ..self.whose(event) };
        let thread = held.thread(whose);
        let mut times = Times::of(&self.samples, start);
        for (row, weight) in unit.of_rows(&self.samples) {
            let stack = stack_of(&self.samples, row, stacks).unwrap_or(Stacks::EMPTY);
            held.add(thread, stack, weight, times.at(row));
        }
    }

    /// Whose its spans are.
    pub(super) fn span(&self) -> Span<'_> {
        Span { pid: &self.pid, tid: &self.tid, ..Span::default() }
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
    let mut times = Times::of(table, start);
    // How many millionths make one counted unit: milliseconds are counted in nanoseconds.
    let whole = if table.weight_type == b"tracing-ms" { 1 } else { 10i128.pow(WEIGHT as u32) };
    let mut carry = Carry::default();
    troubles.lonely += (table.len() - table.column("stack").len()) as u64;
    for row in 0..table.column("stack").len() {
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
        let stack = stack_of(table, row, stacks);
        troubles.stackless += u64::from(stack.is_none());
        held.add(thread, stack.unwrap_or(Stacks::EMPTY), weight, times.at(row));
    }
}

/// The stack of a row; `None` if it is not in the table of stacks.
fn stack_of(table: &Table, row: usize, stacks: &[StackId]) -> Option<StackId> {
    match table.column("stack").get(row) {
        Some(number) => stacks.get(usize::try_from(number).ok()?).copied(),
        None => Some(Stacks::EMPTY),
    }
}

/// The times of the rows of a table, which are written as such, or each since the row before it.
struct Times<'a> {
    start: i64,
    times: Column<'a>,
    deltas: Column<'a>,
    /// How many rows are counted in `now`.
    rows: usize,
    now: i64,
}

impl Times<'_> {
    /// `start` is when the clock of the table was 0, in nanoseconds.
    fn of(table: &Table, start: i64) -> Times<'_> {
        let (times, deltas) = (table.column("time"), table.column("timeDeltas"));
        Times { start, times, deltas, rows: 0, now: 0 }
    }

    /// The time of a row, which is not before that of the last call.
    fn at(&mut self, row: usize) -> Option<u64> {
        let new = (self.rows..=row).filter_map(|row| self.deltas.get(row));
        self.now = new.fold(self.now, i64::saturating_add);
        self.rows = row + 1;
        let time = if self.deltas.len() > 0 { Some(self.now) } else { self.times.get(row) };
        u64::try_from(self.start.saturating_add(time?)).ok()
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

//! A thread of a profile, and its samples.

use std::io::Read;

use common::Result;

use super::names::{Name, Tables};
use super::table::{Table, WEIGHT};
use crate::read::decimal::Carry;
use crate::read::held::{Held, Thread as Whose};
use crate::read::json::Json;
use crate::read::stacks::{StackId, Stacks};
use crate::samples::Samples;

/// A thread with tables of its own.
#[derive(Default)]
pub(super) struct Thread {
    name: Vec<u8>,
    pid: Vec<u8>,
    tid: Vec<u8>,
    pub(super) tables: Tables,
    samples: Table,
    js_allocations: Table,
    native_allocations: Table,
}

/// What is wrong with a profile.
#[derive(Default)]
pub(super) struct Troubles {
    /// Stacks that are not in the table.
    stackless: u64,
    /// Memory that was freed.
    freed: u64,
    /// Weights of more than 64 bits.
    too_heavy: u64,
}

impl Thread {
    pub(super) fn read<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        if !json.begin_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            match key {
                b"name" => self.name = json.text()?.unwrap_or_default().to_vec(),
                b"pid" => self.pid = json.number()?.unwrap_or_default().to_vec(),
                b"tid" => self.tid = json.number()?.unwrap_or_default().to_vec(),
                b"samples" => self.samples.read(json)?,
                b"jsAllocations" => self.js_allocations.read(json)?,
                b"nativeAllocations" => self.native_allocations.read(json)?,
                key => {
                    let name = Name::of(key);
                    self.tables.read(name, json)?;
                }
            }
        }
        Ok(())
    }

    /// Holds the samples; `stacks` are those of the rows of the stack table.
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
            if table.column("stack").len() > 0 {
                let thread = held.thread(self.whose(event));
                hold_table(table, thread, start, stacks, held, troubles);
            }
        }
    }

    fn whose(&self, event: &[u8]) -> Whose {
        let [name, pid, tid] = [&self.name, &self.pid, &self.tid].map(Vec::clone);
        Whose { name, pid, tid, event: event.to_vec() }
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
    // Weights are milliseconds, or others that have no fraction.
    let whole = if table.weight_type == b"tracing-ms" { 1 } else { 10i128.pow(WEIGHT as u32) };
    let (mut carry, mut now) = (Carry::default(), 0i64);
    for row in 0..table.column("stack").len() {
        now = now.saturating_add(deltas.get(row).unwrap_or_default());
        let time = if deltas.len() > 0 { Some(now) } else { times.get(row) };
        let time = time.and_then(|time| u64::try_from(start.saturating_add(time)).ok());
        let parts = table.weight(row).unwrap_or(whole);
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
    /// Says what is wrong, with its number.
    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        if self.stackless > 0 {
            samples.note(format_args!("{} stacks are not in their table", self.stackless));
        }
        if self.freed > 0 {
            let freed = self.freed;
            samples.note(format_args!("{freed} samples are of memory that was freed, left out"));
        }
        if self.too_heavy > 0 {
            let heavy = self.too_heavy;
            samples
                .note(format_args!("{heavy} weights do not fit into 64 bits: they are left out"));
        }
    }
}

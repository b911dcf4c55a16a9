//! A table whose rows are samples.

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal, is_digits};
use common::{Result, stacks::FrameId};

use super::FORMAT;
use super::by_id::ById;
use super::element::Element;
use super::frames::Frames;
use super::known_rows::{KnownRows, TimedRow};
use super::row::{Process, Row, Thread};
use super::schema::{DURATION, EXPORT, STACKS, Schema, TIMES};
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::samples::Samples;
use crate::samples::sample::{Sample, Time, known};

/// The element with the address at which a thread was.
const LEAF: &[u8] = b"text-address";

/// The state while a table is read.
#[derive(Debug, Default)]
pub(super) struct Table {
    schema: Schema,
    is_unit_told: bool,
    row: Row,
    frames: Frames,
    numbers: ById<u64>,
    threads: ById<Thread>,
    processes: ById<Process>,
    cores: ById<Vec<u8>>,
    states: ById<Vec<u8>>,
    /// The text between the tags of the element that began last, and its id.
    text: Vec<u8>,
    id: Option<u64>,
    open_thread: Option<(Option<u64>, Thread)>,
    open_process: Option<(Option<u64>, Process)>,
    known_rows: KnownRows,
    rows_without_sample: u64,
    /// How many backtraces have addresses and no names.
    stacks_without_names: u64,
    /// How many rows have a weight that is not an integer of 64 bits.
    rows_of_bad_weight: u64,
    /// How many elements refer to one that does not exist.
    pub(super) dangling: u64,
    /// Whether data that only labels use is needed.
    pub(super) wants_labels: bool,
}

impl Table {
    /// Begins an element.
    pub(super) fn open(&mut self, element: &Element<'_>) {
        self.text.clear();
        self.id = element.id;
        let is_known = match element.name {
            b"schema" => {
                self.schema = Schema::new(&element.text(b"name"));
                self.is_unit_told = false;
                true
            }
            b"row" => {
                let is_open = self.refusal().is_none();
                self.row = Row { is_open, ..Row::default() };
                self.frames.begin_row();
                true
            }
            _ if !self.row.is_open => true,
            name if STACKS.contains(&name) => {
                self.row.has_stack = true;
                self.frames.open_stack(element)
            }
            b"frame" => self.frames.open_frame(element),
            _ => self.open_column(element),
        };
        if !is_known {
            self.dangling += 1;
        }
    }

    /// Begins an element other than a frame; false if it refers to nothing.
    fn open_column(&mut self, element: &Element<'_>) -> bool {
        let Some(reference) = element.reference else {
            self.open_new_column(element);
            return true;
        };
        match element.name {
            name if self.is_number(name) => {
                let number = self.numbers.get(reference).copied();
                self.number(name, number);
                return number.is_some();
            }
            b"text-addresses" => return self.frames.refer_to_addresses(reference),
            b"thread" => return self.refer_to_thread(reference),
            b"process" => return self.refer_to_process(reference),
            b"tid" | b"pid" => {
                let number = self.numbers.get(reference).copied();
                self.text.extend(number.unwrap_or_default().to_string().bytes());
            }
            b"thread-state" => {
                self.row.state = self.states.get(reference).cloned().unwrap_or_default();
            }
            b"core" => self.row.core = self.cores.get(reference).cloned().unwrap_or_default(),
            b"binary" => self.frames.open_binary(element),
            b"path" => self.frames.refer_to_path(reference),
            _ => {}
        }
        true
    }

    /// Begins an element that does not refer to another one.
    fn open_new_column(&mut self, element: &Element<'_>) {
        match element.name {
            b"thread" => {
                let name = match self.wants_labels {
                    true => thread_name(&element.text(b"fmt")).to_vec(),
                    false => Vec::new(),
                };
                self.open_thread = Some((element.id, Thread { name, ..Thread::default() }));
            }
            b"thread-state" if self.wants_labels => {
                self.row.state = element.text(b"fmt").into_owned();
                self.states.keep(element.id, &self.row.state);
            }
            b"process" => {
                let name = without_pid(&element.text(b"fmt")).to_vec();
                let process = Process { name, pid: Vec::new() };
                self.open_process = Some((element.id, process));
            }
            name if self.is_number(name) && !TIMES.contains(&name) && name != LEAF => {
                self.row.has_weight = true;
            }
            b"core" => self.row.core = element.text(b"fmt").into_owned(),
            b"binary" => self.frames.open_binary(element),
            b"source" => self.frames.open_source(element),
            _ => {}
        }
    }

    fn refer_to_thread(&mut self, reference: u64) -> bool {
        let Some(thread) = self.threads.get(reference) else { return false };
        self.row.thread.clone_from(thread);
        true
    }

    fn refer_to_process(&mut self, reference: u64) -> bool {
        let Some(process) = self.processes.get(reference) else { return false };
        match &mut self.open_thread {
            Some((_, thread)) => thread.process.clone_from(process),
            None => self.row.process.clone_from(process),
        }
        true
    }

    /// Adds text between tags.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    /// Ends an element.
    pub(super) fn close(&mut self, name: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if !self.row.is_open {
            self.close_column(name);
            return Ok(());
        }
        match name {
            b"row" => return self.close_row(samples),
            name if STACKS.contains(&name) => {
                self.stacks_without_names += u64::from(self.frames.close_stack(samples));
            }
            b"text-addresses" if !self.text.is_empty() => {
                self.frames.close_addresses(self.id, &self.text);
            }
            b"frame" => self.frames.close_frame(samples),
            b"path" if !self.text.is_empty() => self.frames.close_path(self.id, &self.text),
            name if self.is_number(name) && !self.text.is_empty() => {
                let number = decimal(self.text.trim_ascii());
                if let (Some(id), Some(number)) = (self.id, number) {
                    self.numbers.insert(id, number);
                }
                self.number(name, number);
            }
            b"tid" | b"pid" => self.close_number(name),
            b"core" => self.cores.keep(self.id, &self.row.core),
            b"process" => self.close_process(),
            b"thread" => {
                if let Some((id, thread)) = self.open_thread.take() {
                    self.threads.keep(id, &thread);
                    self.row.thread = thread;
                }
            }
            _ => {}
        }
        self.text.clear();
        Ok(())
    }

    /// Ends an element of the table's head.
    fn close_column(&mut self, name: &[u8]) {
        match name {
            b"mnemonic" => self.schema.close_mnemonic(self.text.trim_ascii()),
            b"engineering-type" => self.schema.close_type(self.text.trim_ascii()),
            _ => {}
        }
        self.text.clear();
    }

    /// Why the table cannot be read.
    pub(super) fn refusal(&self) -> Option<String> {
        self.schema.refusal()
    }

    /// Whether elements of this name are numbers that count.
    fn is_number(&self, name: &[u8]) -> bool {
        match name {
            b"weight" | b"cycle-weight" | LEAF => true,
            DURATION => self.schema.weighs_durations(),
            name => TIMES.contains(&name),
        }
    }

    fn number(&mut self, column: &[u8], number: Option<u64>) {
        match column {
            LEAF => self.frames.close_leaf(number),
            // A state may have the time of another event besides its own, which comes first.
            name if TIMES.contains(&name) => self.row.time = self.row.time.or(number),
            _ => {
                self.row.has_weight = true;
                self.row.weight = number;
                self.row.has_cycles = column == b"cycle-weight";
            }
        }
    }

    fn close_number(&mut self, name: &[u8]) {
        let text = self.text.trim_ascii().to_vec();
        if let (Some(id), Some(number)) = (self.id, decimal(&text)) {
            self.numbers.insert(id, number);
        }
        match (name, &mut self.open_thread, &mut self.open_process) {
            (b"tid", Some((_, thread)), _) => thread.tid = text,
            (b"pid", _, Some((_, process))) => process.pid = text,
            _ => {}
        }
    }

    fn close_process(&mut self) {
        let Some((id, process)) = self.open_process.take() else { return };
        self.processes.keep(id, &process);
        match &mut self.open_thread {
            Some((_, thread)) => thread.process = process,
            None => self.row.process = process,
        }
    }

    fn close_row(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.row.is_open = false;
        if !self.row.is_sample() {
            self.rows_without_sample += 1;
            return Ok(());
        }
        if self.row.is_of_bad_weight() {
            self.rows_of_bad_weight += 1;
            return Ok(());
        }
        self.frames.stack.reverse();
        let row = std::mem::take(&mut self.row);
        let stack = std::mem::take(&mut self.frames.stack);
        let added = self.add(&row, row.time, &stack, samples);
        (self.row, self.frames.stack) = (row, stack);
        added
    }

    /// Adds a sample with these frames, root first.
    fn add(
        &mut self,
        row: &Row,
        time: Option<u64>,
        stack: &[FrameId],
        samples: &mut Samples<'_>,
    ) -> Result<()> {
        if !std::mem::replace(&mut self.is_unit_told, true) {
            let unit: &[u8] = match row {
                Row { has_cycles: true, .. } => b"cycles",
                Row { weight: Some(_), .. } => b"ns",
                _ => b"samples",
            };
            samples.events.announce(&self.schema.name, unit);
        }
        let has_process = !row.process.name.is_empty() || !row.process.pid.is_empty();
        let process = if has_process { &row.process } else { &row.thread.process };
        // Tables of other events have no weights: each row counts as one.
        let weights = [row.weight.unwrap_or(1)];
        let sample = Sample {
            comm: &process.name,
            pid: known(&process.pid),
            tid: known(&row.thread.tid),
            cpu: known(&row.core),
            time: time.map(Time::Nanoseconds),
            event: &self.schema.name,
            weights: &weights,
            ..Sample::default()
        };
        if !self.wants_labels {
            return samples.add(&sample, stack);
        }
        let labels = labels(row);
        samples.add(&with_labels(sample, &labels.list()), stack)
    }

    /// Adds a row that is equal to an earlier one except for its time; false if it must be read in
    /// full.
    pub(super) fn add_known(&mut self, xml: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        let timed = TimedRow::new(xml).filter(|_| !self.row.is_open);
        let Some(timed) = timed else { return Ok(false) };
        let Some(known) = self.known_rows.get(&timed) else { return Ok(false) };
        self.numbers.insert(timed.id, timed.time);
        self.add(&known.row, Some(timed.time), &known.stack, samples)?;
        Ok(true)
    }

    /// Caches the row that was read, if it may come again.
    pub(super) fn keep(&mut self, xml: &[u8]) {
        let Some(timed) = TimedRow::new(xml) else { return };
        let is_read = self.row.is_sample() && self.row.time == Some(timed.time);
        if is_read && !self.row.is_of_bad_weight() && timed.only_refers() {
            self.known_rows.insert(&timed, &self.row, &self.frames.stack);
        }
    }

    /// Reports the rows that were not samples.
    pub(super) fn finish(&self, samples: &mut Samples<'_>) {
        let what = "rows have neither weight nor backtrace, they are left out";
        samples.note_count(self.rows_without_sample, what);
        let what = "rows have a weight that is no integer of 64 bits, they are left out";
        samples.note_count(self.rows_of_bad_weight, what);
        if self.stacks_without_names > 0 {
            samples.note(format_args!(
                "the stacks of table {} have addresses and no names: {EXPORT}",
                self.schema.name.as_bstr()
            ));
        }
        samples.note_count(self.dangling, "elements refer to one that does not exist");
    }
}

/// The labels for a row's thread and core.
fn labels(row: &Row) -> OwnLabels {
    let mut labels = OwnLabels::default();
    labels.add_known(FORMAT.name, "thread", &row.thread.name);
    labels.add_known(FORMAT.name, "state", &row.state);
    if let Some((cpu, kind)) = core(&row.core) {
        labels.add_known(FORMAT.name, "cpu", cpu);
        labels.add_known(FORMAT.name, "core", kind);
    }
    labels
}

/// The number and the kind of `CPU 3 (P Core)`.
fn core(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = text.strip_prefix(b"CPU ")?;
    let (cpu, kind) = rest.split_once_str(" (").unwrap_or((rest, b""));
    is_digits(cpu).then(|| (cpu, kind.strip_suffix(b")").unwrap_or(kind)))
}

/// The name of `Main Thread  0x8480c1 (my demo, pid: 49374)`, if it has one.
fn thread_name(text: &[u8]) -> &[u8] {
    let name = text.rsplit_once_str(" (").map_or(text, |(name, _)| name);
    let is_id = |word: &[u8]| {
        let word = word.strip_prefix(b"(").and_then(|it| it.strip_suffix(b")")).unwrap_or(word);
        word.strip_prefix(b"0x").and_then(hexadecimal).is_some()
    };
    match name.rsplit_once_str(" ") {
        Some((name, id)) if is_id(id) => name.trim_ascii_end(),
        _ if is_id(name) => b"",
        _ => name,
    }
}

/// `rust_test2 (49374)`
fn without_pid(name: &[u8]) -> &[u8] {
    let parts = name.strip_suffix(b")").and_then(|inner| inner.rsplit_once_str(" ("));
    parts.filter(|(_, pid)| decimal(pid).is_some()).map_or(name, |(name, _)| name)
}

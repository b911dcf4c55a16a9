//! A table with tabs between its columns, for pandas, DuckDB and R: a row for each line that
//! came in, in their order.

use std::collections::{BTreeSet, HashMap};

use common::folded::{FoldedLine, Frames, Label, Labels, sort_labels};
use common::io::{Files, Total, push_field, push_quoted};
use common::stacks::{FrameId, FrameTable, Room};
use common::{Result, Status, names::utf8, pipe::Pipe};

use crate::event::{as_frame, name_of_value};
use crate::profile::no_event;
use crate::target::{Target, Writer};

pub(super) const TARGET: Target = Target::plain(
    "tsv",
    "A table for pandas, DuckDB and R, a row for each line",
    Writer::Lines(write),
);

const EVENT: &[u8] = b"event";

/// The columns that every table has, after those of labels.
const LAST: [&str; 2] = ["weight", "stack"];

/// The lines that came in. Which columns the table has is known only after the last of them.
#[derive(Default)]
struct Table {
    /// The texts of all labels of a line, each once.
    labels: FrameTable,
    stacks: FrameTable,
    rows: Vec<Row>,
}

/// A line, in few bytes, as there may be many lines.
struct Row {
    labels: FrameId,
    stack: FrameId,
    weight: u64,
}

/// Writes all lines that have a weight, of one event if `event` names it.
fn write(files: &Files, event: Option<&str>, pipe: &mut Pipe) -> Result<Status> {
    let mut table = Table::default();
    pipe.lines(files).each(|line, _| {
        table.add(&line);
        Ok(())
    })?;
    let keys = table.keys();
    let has_labels = keys.iter().any(|key| key == EVENT);
    let roots = if has_labels { None } else { table.roots(pipe) };
    if let Some(name) = event {
        let before = table.total();
        table.keep_event(name, roots.as_ref(), has_labels)?;
        let after = table.total();
        pipe.count_dropped(Total {
            lines: before.lines - after.lines,
            weight: before.weight - after.weight,
        });
    }
    if table.rows.is_empty() {
        pipe.note(crate::NOTHING);
        return Ok(pipe.status());
    }
    table.say_what_is_escaped(pipe);
    let mut text = Vec::new();
    append_head(&keys, roots.is_some(), &mut text);
    pipe.out().lines(&text)?;
    let columns: HashMap<&[u8], usize> = keys.iter().map(|key| &key[..]).zip(0..).collect();
    // The ends of fields: most lines lack most labels if there are many.
    let tabs = vec![b'\t'; columns.len()];
    for row in &table.rows {
        text.clear();
        table.append(row, &columns, &tabs, roots.is_some(), &mut text);
        pipe.write_lines(&text, row.weight.into())?;
    }
    Ok(pipe.status())
}

impl Table {
    fn add(&mut self, line: &FoldedLine<'_>) {
        if line.count > 0 {
            self.rows.make_room(1);
            self.rows.push(Row {
                labels: self.labels.intern(line.labels.as_bytes()),
                stack: self.stacks.intern(line.stack),
                weight: line.count,
            });
        }
    }

    fn total(&self) -> Total {
        let mut total = Total::default();
        self.rows.iter().for_each(|row| total += row.weight);
        total
    }

    /// The keys of all labels, in the order of their columns.
    fn keys(&self) -> Vec<Vec<u8>> {
        let mut keys: BTreeSet<&[u8]> = BTreeSet::new();
        for set in 0..self.labels.len() as FrameId {
            keys.extend(Labels::of_text(self.labels.name(set)).iter().map(|label| label.key));
        }
        let mut labels: Vec<Label<'_>> =
            keys.into_iter().map(|key| Label { key, value: b"" }).collect();
        sort_labels(&mut labels);
        labels.iter().map(|label| label.key.to_vec()).collect()
    }

    /// The events of the header lines, as frames, if every stack has one of them as its root.
    fn roots(&self, pipe: &Pipe) -> Option<BTreeSet<Vec<u8>>> {
        let events = pipe.header_events();
        let known: BTreeSet<Vec<u8>> = events.iter().map(|(name, _)| as_frame(name)).collect();
        let mut stacks = (0..self.stacks.len() as FrameId).map(|stack| self.stacks.name(stack));
        let is_event =
            |stack: &[u8]| Frames::new(stack).next().is_some_and(|it| known.contains(it));
        (!known.is_empty() && stacks.all(is_event)).then_some(known)
    }

    /// Leaves out the rows of other events.
    fn keep_event(
        &mut self,
        name: &str,
        roots: Option<&BTreeSet<Vec<u8>>>,
        has_labels: bool,
    ) -> Result<()> {
        let Table { labels, stacks, rows } = self;
        let event_of = |row: &Row| -> Vec<u8> {
            match roots {
                Some(_) => event_and_frames(stacks.name(row.stack)).0.to_vec(),
                None => {
                    let labels = Labels::of_text(labels.name(row.labels));
                    name_of_value(labels.get(EVENT)).into_owned()
                }
            }
        };
        let mut known: BTreeSet<Vec<u8>> = rows.iter().map(event_of).collect();
        if roots.is_none() && !has_labels {
            known.clear();
        }
        let frame = as_frame(name.as_bytes());
        let wanted = if roots.is_some() { &frame } else { name.as_bytes() };
        if !known.contains(wanted) {
            let known: Vec<_> = known.iter().map(|name| utf8(name)).collect();
            return Err(no_event(name, known.iter().map(|it| &**it).collect()));
        }
        rows.retain(|row| event_of(row) == wanted);
        Ok(())
    }

    fn append(
        &self,
        row: &Row,
        columns: &HashMap<&[u8], usize>,
        tabs: &[u8],
        has_roots: bool,
        out: &mut Vec<u8>,
    ) {
        let labels = Labels::of_text(self.labels.name(row.labels));
        let mut fields: Vec<(usize, &[u8])> =
            labels.iter().map(|label| (columns[&label.key], label.value)).collect();
        // Of labels with the same key the first one counts.
        fields.sort_by_key(|(column, _)| *column);
        fields.dedup_by_key(|(column, _)| *column);
        let mut at = 0;
        for (column, value) in fields {
            out.extend_from_slice(&tabs[at..column]);
            push_field(&utf8(value), out);
            at = column;
        }
        out.extend_from_slice(&tabs[at..]);
        let mut stack = self.stacks.name(row.stack);
        if has_roots {
            let (event, frames) = event_and_frames(stack);
            push_field(&utf8(event), out);
            out.push(b'\t');
            stack = frames;
        }
        out.extend_from_slice(row.weight.to_string().as_bytes());
        out.push(b'\t');
        // Always in quotes: if all stacks have the same depth, DuckDB takes their `;` for the
        // separator.
        push_quoted(&utf8(stack), out);
        out.push(b'\n');
    }

    fn say_what_is_escaped(&self, pipe: &Pipe) {
        let is_odd = |text: &&[u8]| str::from_utf8(text).is_err();
        let mut odd = BTreeSet::new();
        for set in 0..self.labels.len() as FrameId {
            let labels = Labels::of_text(self.labels.name(set)).iter();
            odd.extend(labels.map(|label| label.value).filter(is_odd));
        }
        for stack in 0..self.stacks.len() as FrameId {
            let stack = self.stacks.name(stack);
            if is_odd(&stack) {
                odd.extend(Frames::new(stack).filter(is_odd));
            }
        }
        crate::say_escaped(odd.len(), pipe);
    }
}

/// The root, which is the event, and the frames below it. A weight without a stack has no frame but
/// its event.
fn event_and_frames(stack: &[u8]) -> (&[u8], &[u8]) {
    let mut frames = Frames::new(stack);
    (frames.next().unwrap_or_default(), frames.rest().unwrap_or(stack))
}

fn append_head(keys: &[Vec<u8>], has_roots: bool, out: &mut Vec<u8>) {
    let mut taken: BTreeSet<Vec<u8>> = LAST.iter().map(|last| last.as_bytes().to_vec()).collect();
    if has_roots {
        taken.insert(EVENT.to_vec());
    }
    // How many columns had each name, so that not all of them are tried again.
    let mut tries = HashMap::new();
    for key in keys {
        // DuckDB ignores case when it compares the names of columns.
        let mut name = key.clone();
        let tries: &mut u64 = tries.entry(key.to_ascii_lowercase()).or_default();
        while !taken.insert(name.to_ascii_lowercase()) {
            *tries += 1;
            let prefix = if *tries == 1 { "label:".to_owned() } else { format!("label{tries}:") };
            name = [prefix.as_bytes(), key].concat();
        }
        out.extend_from_slice(&name);
        out.push(b'\t');
    }
    if has_roots {
        out.extend_from_slice(EVENT);
        out.push(b'\t');
    }
    out.extend_from_slice(LAST.join("\t").as_bytes());
    out.push(b'\n');
}

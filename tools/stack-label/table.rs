//! Reads the table of spans.

use std::path::Path;
use std::str::FromStr;

use common::folded::parse_label_key;
use common::io::unquoted;
use common::names::printable;
use common::numbers::nanoseconds;
use common::pipe::Pipe;
use common::{Error, Result};
use hashbrown::HashMap;

use crate::span::{Row, Span, Whose};
use crate::tree::{Interval, SpanId, Tree};

/// All spans.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    pub(crate) list: Vec<Span>,
    /// The spans of each thread and process that rows name.
    pub(crate) groups: Vec<(Whose, Tree)>,
    /// The keys of the labels that other columns become.
    pub(crate) keys: Vec<Vec<u8>>,
}

/// What is added to times of spans, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offset(i64);

impl FromStr for Offset {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Offset, &'static str> {
        let (sign, size) = match text.strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let size = nanoseconds(size.as_bytes()).and_then(|it| i64::try_from(it).ok());
        size.map(|size| Offset(sign * size)).ok_or("expected seconds such as 0.25 or -3600")
    }
}

/// Labels that lines have, or that this tool adds: no column may have their names.
pub(crate) const TAKEN: [&str; 10] =
    ["since", "time", "comm", "cpu", "state", "waker", "event", "span", "span_ms", "span_id"];

/// Where the columns are.
struct Columns {
    start: usize,
    end: usize,
    name: usize,
    tid: Option<usize>,
    pid: Option<usize>,
    id: Option<usize>,
    others: Vec<usize>,
    count: usize,
}

impl Spans {
    /// Reads a table. A row that cannot be read is named and left out, and the exit status will be 2.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where columns are missing, or cannot be labels; and what reading returns.
    pub(crate) fn read(path: &Path, offset: Offset, pipe: &mut Pipe) -> Result<Spans> {
        let mut input = pipe.open(path)?;
        let name = input.name().to_owned();
        let (mut keys, mut columns) = (Vec::new(), None);
        let mut rows: Vec<Row> = Vec::new();
        let mut of: HashMap<Whose, Vec<Interval>> = HashMap::new();
        pipe.lines_of(&mut input).texts(|line, number, pipe| {
            let fields: Vec<_> = line.split(|byte| *byte == b'\t').map(unquoted).collect();
            let fields: Vec<&[u8]> = fields.iter().map(|field| &field[..]).collect();
            let Some(columns) = &columns else {
                let found = Columns::of(&fields).map_err(|what| usage(&name, &what))?;
                keys = found.others.iter().map(|at| fields[*at].to_vec()).collect();
                columns = Some(found);
                return Ok(());
            };
            match columns.row(&fields, number, offset) {
                Ok((row, whose)) => {
                    let (start, end, span) = (row.start, row.end, rows.len() as SpanId);
                    of.entry(whose).or_default().push(Interval { start, end, span });
                    rows.push(row);
                }
                Err(why) => pipe.malformed(&name, number, why),
            }
            Ok(())
        })?;
        if columns.is_none() {
            return Err(usage(&name, NO_COLUMNS));
        }
        let mut groups: Vec<_> = of.into_iter().collect();
        groups.sort_by_key(|(_, intervals)| intervals.first().map(|first| first.span));
        let groups = groups.into_iter().map(|(whose, it)| (whose, Tree::new(it))).collect();
        Ok(Spans { list: spans_of(&rows, &keys), groups, keys })
    }

    /// The first start and the last end of all spans.
    pub(crate) fn range(&self) -> Option<(u64, u64)> {
        let first = self.list.iter().map(|span| span.start).min()?;
        Some((first, self.list.iter().map(|span| span.end).max()?))
    }
}

/// The spans of all rows. Each lasts from the first start to the last end of the rows with its id.
fn spans_of(rows: &[Row], keys: &[Vec<u8>]) -> Vec<Span> {
    let mut lives: HashMap<&[u8], (u64, u64)> = HashMap::new();
    for Row { start, end, id, .. } in rows.iter().filter(|row| row.has_id) {
        let life = lives.entry(id).or_insert((*start, *end));
        *life = (life.0.min(*start), life.1.max(*end));
    }
    let duration = |row: &Row| {
        let life = lives.get(&row.id[..]).filter(|_| row.has_id);
        life.map_or(row.end - row.start, |(start, end)| end - start)
    };
    rows.iter().map(|row| row.span(duration(row), keys)).collect()
}

const NO_COLUMNS: &str = "expected a first line that names the columns: start, end, name, and maybe tid, pid, id and others";

fn usage(name: &str, what: &str) -> Error {
    Error::Usage(format!("{name}: {what}"))
}

impl Columns {
    fn of(fields: &[&[u8]]) -> Result<Columns, String> {
        let find = |name: &str| fields.iter().position(|field| *field == name.as_bytes());
        let needed = |name| find(name).ok_or_else(|| NO_COLUMNS.to_owned());
        let columns = Columns {
            start: needed("start")?,
            end: needed("end")?,
            name: needed("name")?,
            tid: find("tid"),
            pid: find("pid"),
            id: find("id"),
            others: Vec::new(),
            count: fields.len(),
        };
        let known = [columns.start, columns.end, columns.name].into_iter();
        let known: Vec<usize> =
            known.chain([columns.tid, columns.pid, columns.id].into_iter().flatten()).collect();
        let others: Vec<usize> = (0..fields.len()).filter(|at| !known.contains(at)).collect();
        for at in &others {
            let name = String::from_utf8_lossy(fields[*at]);
            let name = parse_label_key(&name).map_err(|what| format!("column '{name}': {what}"))?;
            if TAKEN.contains(&name.as_str()) {
                return Err(format!(
                    "column '{name}' is a label that lines have: give it another name"
                ));
            }
            if fields.iter().filter(|field| **field == name.as_bytes()).count() > 1 {
                return Err(format!("column '{name}' is there twice"));
            }
        }
        Ok(Columns { others, ..columns })
    }

    fn row(
        &self,
        fields: &[&[u8]],
        number: u64,
        Offset(offset): Offset,
    ) -> Result<(Row, Whose), String> {
        if fields.len() != self.count {
            let (expected, found) = (self.count, fields.len());
            return Err(format!("expected {expected} fields, as in the first line, found {found}"));
        }
        let time = |at: usize| {
            let text = fields[at];
            let time = nanoseconds(text).and_then(|time| time.checked_add_signed(offset));
            time.ok_or_else(|| {
                format!("expected seconds such as 7018.642040873, found '{}'", printable(text))
            })
        };
        let (start, end) = (time(self.start)?, time(self.end)?);
        if end < start {
            return Err("it ends before it starts".to_owned());
        }
        let given =
            |at: Option<usize>| at.map(|at| fields[at].to_vec()).filter(|it| !it.is_empty());
        let id = given(self.id);
        let row = Row {
            start,
            end,
            name: fields[self.name].to_vec(),
            has_id: id.is_some(),
            id: id.unwrap_or_else(|| (number - 1).to_string().into_bytes()),
            fields: self.others.iter().map(|at| fields[*at].to_vec()).collect(),
        };
        Ok((row, Whose { tid: given(self.tid), pid: given(self.pid) }))
    }
}

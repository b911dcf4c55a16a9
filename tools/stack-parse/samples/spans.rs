//! The spans that recordings have themselves, as a table in place of stacks: `--spans`.

use std::cmp::Reverse;

use common::io::{Total, push_bytes};
use common::stacks::FrameTable;
use common::{Result, pipe::Pipe};
use hashbrown::HashMap;

use super::Samples;
use super::labels::DIGITS;
use super::sample::append_seconds;

/// The first line.
const HEADER: &[u8] = b"start\tend\ttid\tpid\tid\tname\n";

/// A time in which a thread, or a task, did one thing. Unknown fields are empty.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span<'a> {
    /// In nanoseconds, on the clock of the samples' times.
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// The ids of samples of the same thread.
    pub(crate) tid: &'a [u8],
    pub(crate) pid: &'a [u8],
    /// The id of a task, which may move from thread to thread.
    pub(crate) id: &'a [u8],
    pub(crate) name: &'a [u8],
    /// Whether it is one of several parts of a span, which share an id from
    /// [`span_id`](Samples::span_id).
    pub(crate) is_part: bool,
}

/// The spans of all inputs.
#[derive(Debug, Default)]
pub(super) struct SpanTable {
    /// Those of the input that is being read.
    rows: Vec<Row>,
    /// Their other columns: most spans share them.
    texts: FrameTable,
    /// How many tasks have each id.
    tasks: HashMap<Vec<u8>, u64>,
    /// How many spans of this input were read, taken or not.
    read: u64,
    /// How many of them began before time 0.
    before_zero: u64,
    is_started: bool,
}

/// A span, in as few bytes as possible: there may be many.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Nanoseconds.
    start: u64,
    end: u64,
    /// The index of its other columns.
    text: u32,
}

impl SpanTable {
    fn add(&mut self, span: &Span<'_>) {
        let times = u64::try_from(span.start).ok().zip(u64::try_from(span.end).ok());
        let Some((start, end)) = times else {
            self.before_zero += 1;
            return;
        };
        let id = if span.is_part { span.id.to_vec() } else { self.distinct_id(span.id) };
        let name = if span.name.is_empty() { b"[no name]" } else { span.name };
        let mut text = Vec::new();
        for field in [span.tid, span.pid, &id, name] {
            text.push(b'\t');
            push_bytes(field, &mut text);
        }
        let text = self.texts.intern(&text);
        self.rows.push(Row { start, end: end.max(start), text });
    }

    /// An id that no other span has: recorders use those of finished tasks again, and give a task's
    /// inner spans its own id. The second becomes `0x1.2`.
    fn distinct_id(&mut self, id: &[u8]) -> Vec<u8> {
        if id.is_empty() {
            return Vec::new();
        }
        let count = self.tasks.entry_ref(id).or_insert(0);
        *count += 1;
        match *count {
            1 => id.to_vec(),
            number => [id, format!(".{number}").as_bytes()].concat(),
        }
    }

    /// Writes the spans of an input, in the order in which they began; of those that began together
    /// the longest first.
    fn end_input(&mut self, pipe: &mut Pipe) -> Result<()> {
        self.start(pipe)?;
        self.rows.sort_by_key(|row| (row.start, Reverse(row.end)));
        let mut line = Vec::new();
        for row in self.rows.drain(..) {
            line.clear();
            append_seconds(row.start.into(), DIGITS, &mut line);
            line.push(b'\t');
            append_seconds(row.end.into(), DIGITS, &mut line);
            line.extend_from_slice(self.texts.name(row.text));
            line.push(b'\n');
            pipe.write_lines(&line, Total { lines: 1, weight: 0 })?;
        }
        Ok(())
    }

    /// Writes the first line, if that was not done before.
    fn start(&mut self, pipe: &mut Pipe) -> Result<()> {
        if std::mem::replace(&mut self.is_started, true) {
            return Ok(());
        }
        pipe.out().lines(HEADER)
    }
}

impl Samples<'_> {
    /// Adds a span to the table if the user asked for spans with its name.
    pub(crate) fn span(&mut self, span: &Span<'_>) {
        let Some(spans) = &mut self.spans else { return };
        spans.read += 1;
        if self.events.take_span(span.name) {
            spans.add(span);
        }
    }

    /// An id for the parts of a span, which no other span has.
    pub(crate) fn span_id(&mut self, id: &[u8]) -> Vec<u8> {
        self.spans.as_mut().map_or_else(|| id.to_vec(), |spans| spans.distinct_id(id))
    }

    /// Writes the spans of an input, and reports those that are left out.
    pub(super) fn end_spans(&mut self, is_complete: bool) -> Result<()> {
        let Samples { spans: Some(spans), pipe: Some(pipe), .. } = self else { return Ok(()) };
        let taken = spans.rows.len() as u64;
        let read = std::mem::take(&mut spans.read);
        let before_zero = std::mem::take(&mut spans.before_zero);
        pipe.count_read(Total { lines: read, weight: 0 });
        pipe.count_dropped(Total { lines: read - taken, weight: 0 });
        spans.end_input(pipe)?;
        self.note_count(before_zero, "spans began before time 0: they are left out");
        if taken + before_zero == 0 && is_complete {
            match read {
                0 => self.note("no span found"),
                read => self.note(format_args!("no span found: {read} others have other names")),
            }
        }
        Ok(())
    }
}

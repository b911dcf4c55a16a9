//! Spans whose begin and end are events of the recording itself, such as a probe where a function is
//! called and one where it returns.

use std::rc::Rc;

use clap::Args;
use common::folded::{FoldedLine, parse_label_key};
use common::io::append_row;
use common::names::printable;
use common::numbers::{counted, grouped, seconds};
use common::pattern::Glob;
use common::pipe::Pipe;
use common::{Error, Result, Status};
use hashbrown::HashMap;

use crate::known::Known;
use crate::open::{Begun, HeldLine, MOST_BYTES, NoBegin, Number, OpenSpans};
use crate::span::{Row, Span};
use crate::table::TAKEN;
use crate::tally::Tally;
use crate::write::Writer;

/// Which events begin and end spans.
#[derive(Args, Debug)]
pub(crate) struct EventArgs {
    /// Take the spans from the lines: one begins with this event; all operands are then FILEs
    #[arg(long, value_name = "EVENT", requires = "end", conflicts_with_all = ["clock", "offset"])]
    pub(crate) begin: Option<Glob>,

    /// The event with which the span that --begin began last in the same thread ends
    #[arg(long, value_name = "EVENT", requires = "begin")]
    end: Option<Glob>,

    /// Labels that the end of a span has as its begin, in place of the thread
    #[arg(long, value_name = "KEY,...", requires = "begin", value_delimiter = ',')]
    #[arg(value_parser = parse_label_key, default_value = "tid")]
    by: Vec<String>,

    /// The label of the begin that names the span
    #[arg(long, value_name = "KEY", requires = "begin", default_value = "event")]
    #[arg(value_parser = parse_label_key)]
    name: String,

    /// Write the spans as a table, in place of the lines
    #[arg(long, requires = "begin", conflicts_with_all = ["all", "frames"])]
    pub(crate) tsv: bool,
}

/// What prints lines that have what is needed.
const PRINT: &str = "stack-parse --header --per-sample --event '*' --labels time,event";

/// What to do with lines that more than one span may hold.
const SLICES: &str = "slices of wall time are cut where spans begin and end: write a table of the spans \
                      with --tsv, and then 'stack-label --clock any TABLE' labels the slices";

/// Labels that any line may have, besides those that no column may be called after.
const OTHERS: [&[u8]; 6] = [b"tid", b"pid", b"cgroup", b"addr", b"object", b"build_id"];

/// How many events are named in a message.
const MOST_NAMES: usize = 8;

/// What was seen of the lines so far.
pub(crate) struct Events {
    begin: Glob,
    end: Glob,
    by: Vec<String>,
    name: String,
    open: OpenSpans,
    /// The spans that have ended, with their threads, where a table is wanted.
    table: Option<Vec<(Vec<u8>, Rc<Span>)>>,
    writer: Writer,
    tally: Tally,
    /// The last time of each thread.
    times: HashMap<Vec<u8>, u64>,
    /// The names of the events that neither begin nor end a span.
    others: Vec<Vec<u8>>,
    begun: Number,
    ended: u64,
    given_up: u64,
    unfinished: u64,
    /// Ends without a begin.
    unbegun: u64,
    /// Spans that ended in another thread.
    moved: u64,
    /// Begins and ends without the labels that tell which belong together.
    keyless: u64,
    /// Lines that are earlier than one before them of the same thread.
    unordered: u64,
}

impl EventArgs {
    /// The begin and the end, where spans are taken from lines.
    pub(crate) fn events(&self, writer: Writer) -> Option<Events> {
        let (Some(begin), Some(end)) = (&self.begin, &self.end) else { return None };
        Some(Events {
            begin: begin.clone(),
            end: end.clone(),
            by: self.by.clone(),
            name: self.name.clone(),
            open: OpenSpans::new(writer.needs_all(), MOST_BYTES),
            table: self.tsv.then(Vec::new),
            writer,
            tally: Tally::default(),
            times: HashMap::new(),
            others: Vec::new(),
            begun: 0,
            ended: 0,
            given_up: 0,
            unfinished: 0,
            unbegun: 0,
            moved: 0,
            keyless: 0,
            unordered: 0,
        })
    }
}

impl Events {
    /// Takes a line, and writes those whose spans are known.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] at a slice of wall time, which more than one span may hold; and
    /// [`Error::Output`] with what the system says.
    pub(crate) fn line(&mut self, line: &FoldedLine<'_>, pipe: &mut Pipe) -> Result<()> {
        let Known { time, tid, event, is_slice, .. } = Known::of(line);
        let thread = tid.unwrap_or_default();
        if is_slice {
            return Err(Error::Usage(SLICES.to_owned()));
        }
        let Some(time) = time else {
            self.tally.timeless += line.count;
            return self.write_without_spans(line, pipe);
        };
        let last = self.times.entry_ref(thread).or_default();
        self.unordered += u64::from(time < *last);
        *last = time.max(*last);
        let (begins, ends) = (self.begin.is_match(event), self.end.is_match(event));
        if ends {
            self.end(line, time, begins, pipe)?;
        }
        if begins {
            self.begin(line, time);
        }
        if !begins && !ends && !self.others.iter().any(|known| known == event) {
            self.others.push(event.to_vec());
        }
        if self.table.is_none() && self.open.hold(line, thread) {
            self.given_up += self.open.keep_to_limit();
            return self.write_done(pipe);
        }
        self.tally.add(false, line.count);
        self.write_without_spans(line, pipe)
    }

    /// In place of a table's lines there are none.
    fn write_without_spans(&self, line: &FoldedLine<'_>, pipe: &mut Pipe) -> Result<()> {
        if self.table.is_some() {
            pipe.drop_line(line);
            return Ok(());
        }
        pipe.pass(line)
    }

    fn begin(&mut self, line: &FoldedLine<'_>, time: u64) {
        let Some(key) = self.key(line) else {
            self.keyless += 1;
            return;
        };
        let label = |key: &str| line.labels.get(key.as_bytes()).unwrap_or_default().to_vec();
        self.begun += 1;
        let begun = Begun {
            thread: label("tid"),
            key,
            start: time,
            name: label(&self.name),
            labels: own_labels(line),
        };
        self.open.begin(self.begun, begun);
        self.given_up += self.open.keep_to_limit();
    }

    /// Ends a span. Where the same event also begins one, the first has nothing to end.
    fn end(
        &mut self,
        line: &FoldedLine<'_>,
        time: u64,
        begins: bool,
        pipe: &mut Pipe,
    ) -> Result<()> {
        let Some(key) = self.key(line) else {
            self.keyless += u64::from(!begins);
            return Ok(());
        };
        let thread = line.labels.get(b"tid").unwrap_or_default();
        let ended = self.open.end(&key, |number, begun| span(number, begun, time, line));
        match ended {
            Err(NoBegin::NotSeen) => self.unbegun += u64::from(!begins),
            Err(NoBegin::GivenUp) => {}
            Ok((begun, span)) => {
                self.ended += 1;
                self.moved += u64::from(begun.thread != thread);
                if let Some(table) = &mut self.table {
                    table.push((begun.thread, span));
                }
            }
        }
        self.write_done(pipe)
    }

    /// What a begin and its end have in common; `None` if the line does not have it.
    fn key(&self, line: &FoldedLine<'_>) -> Option<Vec<u8>> {
        let values: Option<Vec<&[u8]>> =
            self.by.iter().map(|key| line.labels.get(key.as_bytes())).collect();
        Some(values?.join(&b'\t'))
    }

    fn write_done(&mut self, pipe: &mut Pipe) -> Result<()> {
        for held in self.open.take_done() {
            self.write(&held, pipe)?;
        }
        Ok(())
    }

    fn write(&mut self, held: &HeldLine, pipe: &mut Pipe) -> Result<()> {
        let (line, spans) = (held.line(), held.spans());
        self.tally.add(!spans.is_empty(), line.count);
        let Some(innermost) = spans.last() else { return pipe.pass(&line) };
        let is_of_spans = |key: &[u8]| !is_of_lines(key) && innermost.labels().get(key).is_some();
        self.writer.write(&line, &spans, 0, is_of_spans, pipe)
    }

    /// Writes what still waits, or the table, and says what was found.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub(crate) fn finish(mut self, pipe: &mut Pipe) -> Result<Status> {
        self.unfinished = self.open.finish();
        self.write_done(pipe)?;
        self.say(pipe);
        match self.table.take() {
            Some(table) => {
                let is_empty = table.is_empty();
                write_table(table, pipe)?;
                Ok(if is_empty { Status::Nothing } else { Status::Success })
            }
            None => Ok(pipe.status()),
        }
    }

    fn say(&self, pipe: &mut Pipe) {
        self.tally.say_timeless(pipe);
        if self.keyless > 0 {
            let keys = self.by.join(", ");
            let events = match self.keyless {
                1 => "1 begin or end has".to_owned(),
                many => format!("{} begins and ends have", grouped(many)),
            };
            pipe.error(&Error::Usage(format!(
                "{events} no label {keys}: print lines with '{PRINT},{keys}'"
            )));
            return;
        }
        if self.begun == 0 || self.ended == 0 && self.unbegun == 0 {
            pipe.error(&Error::Usage(self.what_is_missing()));
            return;
        }
        let notes = [
            (self.unfinished, "did not end: lines are not labelled by them"),
            (
                self.given_up,
                "lasted longer than their lines could wait in 256 MiB: lines are not labelled by them; \
                 a table of spans, --tsv, needs less memory",
            ),
            (self.moved, "ended in another thread: lines of the first one are in them"),
        ];
        for (count, what) in notes.into_iter().filter(|(count, _)| *count > 0) {
            let spans = counted(count, "spans");
            pipe.note(format_args!("{spans} of {} {what}", self.begun));
        }
        say_lost(pipe);
        if self.unbegun > 0 {
            let ends = counted(self.unbegun, "ends");
            pipe.note(format_args!("{ends} without a begin"));
        }
        if self.unordered > 0 {
            let lines = match self.unordered {
                1 => "1 line is earlier than one before it".to_owned(),
                many => format!("{} lines are earlier than one before them", grouped(many)),
            };
            pipe.note(format_args!("{lines} of the same thread, and may be in a wrong span"));
        }
        if self.table.is_none() {
            self.tally.say_outside(pipe);
        }
    }

    /// Which event no line has.
    fn what_is_missing(&self) -> String {
        let which = if self.begun == 0 { "--begin" } else { "--end" };
        let names: Vec<String> =
            self.others.iter().filter(|it| !it.is_empty()).map(|it| printable(it)).collect();
        if names.is_empty() {
            return format!("no line is of the event of {which}: print lines with '{PRINT},tid'");
        }
        let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
        let names = names[..names.len().min(MOST_NAMES)].join(", ");
        format!("no line is of the event of {which}; lines are of {names}{more}")
    }
}

/// Says that spans may be wrong, where begins and ends may have been lost.
fn say_lost(pipe: &Pipe) {
    if let Some(lost) = pipe.header_part("lost").filter(|lost| lost.number() > 0) {
        pipe.note(format_args!(
            "{} were lost while recording: where the end of a span and the begin of the next are \
             among them, both look like one long span",
            printable(&lost.text())
        ));
    }
}

/// A span, once its end is known.
fn span(number: Number, begun: &Begun, end: u64, line: &FoldedLine<'_>) -> Span {
    let mut labels = begun.labels.clone();
    let is_known = |key: &[u8]| begun.labels.iter().any(|(known, _)| known == key);
    labels.extend(own_labels(line).into_iter().filter(|(key, _)| !is_known(key)));
    let (keys, fields): (Vec<_>, Vec<_>) = labels.into_iter().unzip();
    let Begun { start, name, .. } = begun;
    let end = end.max(*start);
    let id = number.to_string().into_bytes();
    Row { start: *start, end, name: name.clone(), has_id: true, id, fields }
        .span(end - start, &keys)
}

/// The labels of a begin or an end that say something of the span.
fn own_labels(line: &FoldedLine<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let own = line.labels.iter().filter(|it| !is_of_lines(it.key));
    own.map(|it| (it.key.to_vec(), it.value.to_vec())).collect()
}

/// Whether any line may have this label, so that it says nothing of a span.
fn is_of_lines(key: &[u8]) -> bool {
    OTHERS.contains(&key) || TAKEN.iter().any(|it| it.as_bytes() == key)
}

/// Writes the spans as a table that this tool reads, in the order in which they began.
fn write_table(mut table: Vec<(Vec<u8>, Rc<Span>)>, pipe: &mut Pipe) -> Result<()> {
    let is_column = |key: &[u8]| !matches!(key, b"span" | b"span_ms" | b"span_id");
    table.sort_by_key(|(_, span)| span.start);
    let mut keys: Vec<&[u8]> = Vec::new();
    for label in table.iter().flat_map(|(_, span)| span.labels().iter()) {
        if is_column(label.key) && !keys.contains(&label.key) {
            keys.push(label.key);
        }
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut columns: Vec<String> = ["start", "end", "tid", "name", "id"].map(str::to_owned).into();
    columns.extend(keys.iter().map(|key| text(key)));
    let mut rows = vec![columns];
    let mut out = Vec::new();
    for (thread, span) in &table {
        let [start, end] = [span.start, span.end].map(seconds);
        let mut row = vec![start, end, text(thread), text(span.name()), text(span.id())];
        let value = |key: &&[u8]| text(span.labels().get(key).unwrap_or_default());
        row.extend(keys.iter().map(value));
        rows.push(row);
    }
    for row in rows {
        out.clear();
        append_row(&row.iter().map(String::as_str).collect::<Vec<_>>(), &mut out);
        pipe.out().lines(&out)?;
    }
    Ok(())
}

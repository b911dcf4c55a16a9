//! Adds the labels of a table's spans to lines.

use std::cmp::Reverse;
use std::rc::Rc;

use common::folded::FoldedLine;
use common::numbers::{counted, seconds};
use common::pipe::Pipe;
use common::{Error, Result};
use hashbrown::HashMap;

use crate::known::Known;
use crate::span::Span;
use crate::table::Spans;
use crate::tally::Tally;
use crate::tree::Interval;
use crate::write::Writer;

/// What was seen of the lines so far.
pub(crate) struct Labeller<'a> {
    spans: &'a Spans,
    writer: Writer,
    /// By process and thread, as labels have them: which groups of spans their lines may be in.
    groups: HashMap<Vec<u8>, Rc<[usize]>>,
    tally: Tally,
    /// By span: whether any line is in it.
    used: Vec<bool>,
    /// The first and the last time of a line.
    times: Option<(u64, u64)>,
}

/// A part of a line: from when on it is, and its weight.
#[derive(Clone, Copy)]
struct Part {
    time: u64,
    weight: u64,
}

impl<'a> Labeller<'a> {
    pub(crate) fn new(spans: &'a Spans, writer: Writer) -> Labeller<'a> {
        Labeller {
            spans,
            writer,
            groups: HashMap::new(),
            tally: Tally::default(),
            used: vec![false; spans.list.len()],
            times: None,
        }
    }

    /// Writes a line with the labels of the spans that it is in. A slice of wall time, which is not of a
    /// moment, is cut where a span begins or ends.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    pub(crate) fn label(&mut self, line: &FoldedLine<'_>, pipe: &mut Pipe) -> Result<()> {
        let known = Known::of(line);
        let Some(time) = known.time else {
            self.tally.timeless += line.count;
            return pipe.pass(line);
        };
        let (first, last) = self.times.unwrap_or((time, time));
        self.times = Some((first.min(time), last.max(time)));
        let groups = self.groups_of(&known);
        if !known.is_slice || line.count == 0 {
            return self.write(line, time, &groups, Part { time, weight: line.count }, pipe);
        }
        let end = time.saturating_add(line.count);
        let trees = groups.iter().map(|group| &self.spans.groups[*group].1);
        let mut borders: Vec<u64> =
            trees.flat_map(|tree| tree.borders(time, end)).copied().collect();
        borders.sort_unstable();
        borders.dedup();
        let ends = borders.iter().copied().chain([end]);
        let starts = [time].into_iter().chain(borders.iter().copied());
        starts.zip(ends).try_for_each(|(start, end)| {
            self.write(line, time, &groups, Part { time: start, weight: end - start }, pipe)
        })
    }

    /// The groups of spans that a line may be in.
    fn groups_of(&mut self, &Known { tid, pid, .. }: &Known<'_>) -> Rc<[usize]> {
        let key = [pid.unwrap_or_default(), b"\t", tid.unwrap_or_default()].concat();
        let spans = self.spans;
        let find = || {
            let groups = spans.groups.iter().enumerate();
            groups.filter(|(_, (whose, _))| whose.may_be(tid, pid)).map(|(at, _)| at).collect()
        };
        Rc::clone(self.groups.entry(key).or_insert_with(find))
    }

    /// Writes a part of a line that begins at `time`.
    fn write(
        &mut self,
        line: &FoldedLine<'_>,
        time: u64,
        groups: &[usize],
        part: Part,
        pipe: &mut Pipe,
    ) -> Result<()> {
        let found = self.spans_at(groups, part.time);
        self.tally.add(!found.is_empty(), part.weight);
        found.iter().for_each(|it| self.used[it.span as usize] = true);
        if found.is_empty() && part.weight == line.count {
            return pipe.pass(line);
        }
        let found: Vec<&Span> = found.iter().map(|it| &self.spans.list[it.span as usize]).collect();
        let line = FoldedLine { count: part.weight, ..*line };
        let is_of_spans = |key: &[u8]| self.spans.keys.iter().any(|it| it == key);
        self.writer.write(&line, &found, part.time - time, is_of_spans, pipe)
    }

    /// The spans that hold a time, the outermost first: all that are wanted.
    fn spans_at(&self, groups: &[usize], time: u64) -> Vec<Interval> {
        let trees = groups.iter().map(|group| &self.spans.groups[*group].1);
        let key = |it: &Interval| (it.start, Reverse(it.end), it.span);
        if !self.writer.needs_all() {
            let innermost = trees.filter_map(|tree| tree.innermost(time)).max_by_key(key);
            return innermost.into_iter().collect();
        }
        let mut all: Vec<Interval> = trees.flat_map(|tree| tree.all(time)).collect();
        all.sort_by_key(key);
        all
    }

    /// Says what was found at the end.
    pub(crate) fn say(&self, pipe: &mut Pipe) {
        self.tally.say_timeless(pipe);
        let overlaps: usize = self.spans.groups.iter().map(|(_, tree)| tree.overlaps()).sum();
        if overlaps > 0 && !self.writer.all {
            let spans = counted(overlaps as u64, "spans");
            pipe.note(format_args!(
                "{spans} begin in one that ends before they do: lines in both are of the one that began \
                 last; a column tid tells threads apart"
            ));
        }
        let (Some((first, last)), Some((start, end))) = (self.times, self.spans.range()) else {
            return;
        };
        if self.tally.inside.lines == 0 {
            let [first, last, start, end] = [first, last, start, end].map(seconds);
            pipe.error(&Error::Usage(format!(
                "no line is in any span: lines are from {first} to {last}, spans from {start} to {end}: \
                 is it one clock, and are the threads the same?"
            )));
            return;
        }
        self.tally.say_outside(pipe);
        let unused = self.used.iter().filter(|is_used| !**is_used).count() as u64;
        if unused > 0 && !self.writer.needs_all() {
            let (unused, all) = (counted(unused, "spans"), self.used.len());
            pipe.note(format_args!("{unused} of {all} have no line of their own"));
        }
    }
}

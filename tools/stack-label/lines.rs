//! Adds the labels to lines.

use std::cmp::Reverse;
use std::rc::Rc;

use common::folded::{FoldedLine, Label, StackBuf, append_label, is_slice};
use common::io::Total;
use common::numbers::{counted, nanoseconds_of_label, seconds, share};
use common::pipe::Pipe;
use common::{Error, Result};
use hashbrown::HashMap;

use crate::span::Span;
use crate::table::Spans;
use crate::tree::Interval;

/// The labels that are added.
const OURS: [&[u8]; 3] = [b"span", b"span_ms", b"span_id"];

/// What prints lines that have what is needed.
const PRINT: &str = "stack-parse --header --per-sample --labels time,tid";

/// What was seen of the lines so far.
pub(crate) struct Labeller<'a> {
    spans: &'a Spans,
    all: bool,
    frames: bool,
    /// By process and thread, as labels have them: which groups of spans their lines may be in.
    groups: HashMap<Vec<u8>, Rc<[usize]>>,
    /// The labels and the stack of a line that is written.
    text: Vec<u8>,
    inside: Total,
    outside: Total,
    /// Lines without a time.
    timeless: Total,
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
    pub(crate) fn new(spans: &'a Spans, all: bool, frames: bool) -> Labeller<'a> {
        Labeller {
            spans,
            all,
            frames,
            groups: HashMap::new(),
            text: Vec::new(),
            inside: Total::default(),
            outside: Total::default(),
            timeless: Total::default(),
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
        let Some(time) = line.labels.get(b"time").and_then(nanoseconds_of_label) else {
            self.timeless += line.count;
            return pipe.pass(line);
        };
        let (first, last) = self.times.unwrap_or((time, time));
        self.times = Some((first.min(time), last.max(time)));
        let groups = self.groups_of(line);
        if !is_slice(line) || line.count == 0 {
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
    fn groups_of(&mut self, line: &FoldedLine<'_>) -> Rc<[usize]> {
        let [tid, pid] = [b"tid", b"pid"].map(|key| line.labels.get(key));
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
        let total = if found.is_empty() { &mut self.outside } else { &mut self.inside };
        *total += part.weight;
        found.iter().for_each(|it| self.used[it.span as usize] = true);
        if found.is_empty() && part.weight == line.count {
            return pipe.pass(line);
        }
        pipe.count_changed(part.weight);
        let found: Vec<&Span> = found.iter().map(|it| &self.spans.list[it.span as usize]).collect();
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let is_ours =
            |key: &[u8]| OURS.contains(&key) || self.spans.keys.iter().any(|it| it == key);
        for label in line.labels.iter().filter(|it| found.is_empty() || !is_ours(it.key)) {
            let moved = match label.key {
                b"time" | b"since" if part.time > time => moved(label.value, part.time - time),
                _ => None,
            };
            let value = moved.as_deref().unwrap_or(label.value);
            append_label(Label { value, ..label }, &mut text);
        }
        self.append_labels(&found, &mut text);
        match self.frames && !found.is_empty() {
            true => text.extend_from_slice(with_frames(line, &found).as_bytes()),
            false => text.extend_from_slice(line.stack),
        }
        pipe.pass(&FoldedLine::of_labelled_stack(&text, part.weight))?;
        self.text = text;
        Ok(())
    }

    /// The spans that hold a time, the outermost first: all that are wanted.
    fn spans_at(&self, groups: &[usize], time: u64) -> Vec<Interval> {
        let trees = groups.iter().map(|group| &self.spans.groups[*group].1);
        let key = |it: &Interval| (it.start, Reverse(it.end), it.span);
        if !self.all && !self.frames {
            let innermost = trees.filter_map(|tree| tree.innermost(time)).max_by_key(key);
            return innermost.into_iter().collect();
        }
        let mut all: Vec<Interval> = trees.flat_map(|tree| tree.all(time)).collect();
        all.sort_by_key(key);
        all
    }

    fn append_labels(&self, found: &[&Span], text: &mut Vec<u8>) {
        let Some(innermost) = found.last() else { return };
        if !self.all || found.len() == 1 {
            text.extend_from_slice(innermost.labels().as_bytes());
            return;
        }
        let joined = |of: fn(&Span) -> &[u8]| {
            found.iter().map(|span| of(span)).collect::<Vec<_>>().join(&b" > "[..])
        };
        let (names, ids) = (joined(Span::name), joined(Span::id));
        for Label { key, value } in innermost.labels().iter() {
            let value = match key {
                b"span" => &names,
                b"span_id" => &ids,
                _ => value,
            };
            append_label(Label { key, value }, text);
        }
    }

    /// Says what was found at the end.
    pub(crate) fn say(&self, pipe: &mut Pipe) {
        if self.timeless.lines > 0 {
            let lines = counted(self.timeless.lines, "lines");
            pipe.error(&Error::Usage(format!(
                "{lines} without a label time stay as they are: print lines with '{PRINT}'"
            )));
        }
        let overlaps: usize = self.spans.groups.iter().map(|(_, tree)| tree.overlaps()).sum();
        if overlaps > 0 && !self.all {
            let spans = counted(overlaps as u64, "spans");
            pipe.note(format_args!(
                "{spans} begin in one that ends before they do: lines in both are of the one that began \
                 last; a column tid tells threads apart"
            ));
        }
        let (Some((first, last)), Some((start, end))) = (self.times, self.spans.range()) else {
            return;
        };
        if self.inside.lines == 0 {
            let [first, last, start, end] = [first, last, start, end].map(seconds);
            pipe.error(&Error::Usage(format!(
                "no line is in any span: lines are from {first} to {last}, spans from {start} to {end}: \
                 is it one clock, and are the threads the same?"
            )));
            return;
        }
        if self.outside.lines > 0 {
            let all = self.inside.weight + self.outside.weight;
            let (lines, share) =
                (counted(self.outside.lines, "lines"), share(self.outside.weight, all));
            pipe.note(format_args!("{lines} ({share} of the weight) are in no span"));
        }
        let unused = self.used.iter().filter(|is_used| !**is_used).count() as u64;
        if unused > 0 && !self.all && !self.frames {
            let (unused, all) = (counted(unused, "spans"), self.used.len());
            pipe.note(format_args!("{unused} of {all} have no line of their own"));
        }
    }
}

/// A time some nanoseconds later, as the label has it; `None` if it is no time.
fn moved(value: &[u8], by: u64) -> Option<Vec<u8>> {
    let time = nanoseconds_of_label(value)?.checked_add(by)?;
    Some(format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000).into_bytes())
}

/// The stack with the names of the spans below its root, each as a frame in brackets.
fn with_frames(line: &FoldedLine<'_>, found: &[&Span]) -> StackBuf {
    let (mut stack, mut frames) = (StackBuf::default(), line.frames());
    stack.push_clean_frame(frames.next().unwrap_or_default());
    for span in found {
        stack.push_frame(&[b"[", span.name(), b"]"].concat());
    }
    frames.for_each(|frame| stack.push_clean_frame(frame));
    stack
}

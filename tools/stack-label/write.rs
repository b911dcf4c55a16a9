//! Writes lines with the labels of their spans.

use common::Result;
use common::folded::{FoldedLine, Label, StackBuf, append_label};
use common::numbers::nanoseconds_of_label;
use common::pipe::Pipe;

use crate::span::Span;

/// The labels that are added to every line in a span.
const OURS: [&[u8]; 3] = [b"span", b"span_ms", b"span_id"];

/// How lines are written.
pub(crate) struct Writer {
    /// Whether all spans are named, not only the innermost.
    pub(crate) all: bool,
    /// Whether spans are frames, too.
    pub(crate) frames: bool,
    /// The labels and the stack of a line that is written.
    text: Vec<u8>,
}

impl Writer {
    pub(crate) fn new(all: bool, frames: bool) -> Writer {
        Writer { all, frames, text: Vec::new() }
    }

    /// Whether a line needs more than the innermost span.
    pub(crate) fn needs_all(&self) -> bool {
        self.all || self.frames
    }

    /// Writes a line with the labels of spans, the outermost first. Labels that it has already are
    /// replaced if their keys are those of spans: ours, and those for which `is_of_spans` is true. The
    /// line may be a part of another, which begins so many nanoseconds after it.
    pub(crate) fn write(
        &mut self,
        line: &FoldedLine<'_>,
        found: &[&Span],
        moved_by: u64,
        is_of_spans: impl Fn(&[u8]) -> bool,
        pipe: &mut Pipe,
    ) -> Result<()> {
        pipe.count_changed(line.count);
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let is_ours = |key: &[u8]| OURS.contains(&key) || is_of_spans(key);
        for label in line.labels.iter().filter(|it| found.is_empty() || !is_ours(it.key)) {
            let moved = match label.key {
                b"time" | b"since" if moved_by > 0 => moved(label.value, moved_by),
                _ => None,
            };
            let value = moved.as_deref().unwrap_or(label.value);
            append_label(Label { value, ..label }, &mut text);
        }
        self.append_labels(found, &mut text);
        match self.frames && !found.is_empty() {
            true => text.extend_from_slice(with_frames(line, found).as_bytes()),
            false => text.extend_from_slice(line.stack),
        }
        pipe.pass(&FoldedLine::of_labelled_stack(&text, line.count))?;
        self.text = text;
        Ok(())
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

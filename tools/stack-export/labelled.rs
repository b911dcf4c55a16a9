//! Labels as a frame above the root, so that lines of equal labels and stacks are summed as
//! equal stacks are.

use std::borrow::Cow;

use bstr::ByteSlice;
use common::folded::{FoldedLine, Frames, Label, Labels};
use common::{names::names_of_stack, numbers::nanoseconds_of_label};

/// The first byte of such a frame, which no frame of a folded line has.
const MARK: u8 = 1;

/// What replaces a `;` in such a frame, which would end it.
const SEMICOLON: u8 = 2;

/// The keys of the labels that distinguish threads and put samples in order.
pub(crate) const THREAD_LABELS: [&[u8]; 6] =
    [b"since", b"time", b"comm", b"pid", b"process", b"tid"];

/// The labels that a format holds. Every format needs `event`, as weights of different events
/// cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldLabels {
    Event,
    /// Also [`THREAD_LABELS`]: the format shows threads, and when their samples were taken.
    Threads,
    All,
}

impl HeldLabels {
    fn has(self, key: &[u8]) -> bool {
        let is_of_thread = self == HeldLabels::Threads && THREAD_LABELS.contains(&key);
        self == HeldLabels::All || is_of_thread || key == b"event"
    }
}

/// Returns the text under which a line is counted: the labels that the format holds, and after them
/// the stack, without source lines if the format has no places for these.
pub(crate) fn text_of<'b>(
    line: FoldedLine<'b>,
    labels: HeldLabels,
    has_places: bool,
    buffer: &'b mut Vec<u8>,
) -> &'b [u8] {
    let stack = match has_places {
        true => Cow::Borrowed(line.stack),
        false => names_of_stack(line.stack, true),
    };
    buffer.clear();
    if !line.labels.is_empty() {
        buffer.push(MARK);
        line.labels.append_sorted(|key| labels.has(key), buffer);
    }
    if buffer.len() < 2 {
        match stack {
            Cow::Borrowed(stack) => return stack,
            Cow::Owned(_) => buffer.clear(),
        }
    } else {
        buffer.iter_mut().filter(|byte| **byte == b';').for_each(|byte| *byte = SEMICOLON);
        buffer.push(b';');
    }
    buffer.extend_from_slice(&stack);
    buffer
}

/// Such a text as a message shows it: the mark is not part of the line.
pub(crate) fn shown(text: &[u8]) -> Vec<u8> {
    let Some(text) = text.strip_prefix(&[MARK]) else { return text.to_vec() };
    let mut frames = Frames::new(text);
    let labels = frames.next().unwrap_or_default();
    let stack = frames.rest().unwrap_or_default();
    let clean = |byte: &u8| match *byte {
        SEMICOLON => b';',
        b'\t' => b' ',
        byte => byte,
    };
    [&labels.iter().map(clean).collect::<Vec<u8>>(), stack].concat()
}

/// The labels that a frame holds; `None` if it is a function.
pub(crate) fn labels_of(frame: &[u8]) -> Option<LabelSet<'_>> {
    let text = frame.strip_prefix(&[MARK])?;
    let clean = |byte: &u8| if *byte == SEMICOLON { b';' } else { *byte };
    Some(match text.contains(&SEMICOLON) {
        true => LabelSet(text.iter().map(clean).collect::<Vec<u8>>().into()),
        false => LabelSet(text.into()),
    })
}

/// The values of the labels that a frame holds, as they are written in it.
pub(crate) fn values_in(frame: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = frame.strip_prefix(&[MARK]).unwrap_or_default();
    text.split(|&byte| byte == b'\t').filter_map(|label| Some(label.split_once_str("=")?.1))
}

/// The labels of a sample, sorted.
#[derive(Default)]
pub(crate) struct LabelSet<'a>(Cow<'a, [u8]>);

impl LabelSet<'_> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = Label<'_>> {
        Labels::of_text(&self.0).iter()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&[u8]> {
        Labels::of_text(&self.0).get(key.as_bytes())
    }

    /// The value of a label in seconds, as nanoseconds.
    pub(crate) fn nanoseconds(&self, key: &str) -> Option<u64> {
        nanoseconds_of_label(self.get(key)?)
    }
}

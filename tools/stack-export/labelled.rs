//! Labels as a frame above the root, so that lines of equal labels and stacks are summed as
//! equal stacks are.

use std::borrow::Cow;

use common::{FoldedLine, Label, Labels, names_of_stack};

use crate::targets::Target;

/// The first byte of such a frame, which no frame of a folded line has.
const MARK: u8 = 1;

/// What takes the place of a `;` in it, as that would end it.
const SEMICOLON: u8 = 2;

/// Appends what is counted of a line for a format: the labels that it wants, above the stack,
/// which is without places if the format has none.
pub(crate) fn text_of<'b>(
    target: Target,
    line: FoldedLine<'b>,
    buffer: &'b mut Vec<u8>,
) -> &'b [u8] {
    let stack = match target.has_places() {
        true => Cow::Borrowed(line.stack),
        false => names_of_stack(line.stack, true),
    };
    buffer.clear();
    if !line.labels.is_empty() {
        buffer.push(MARK);
        line.labels.append_sorted(|key| target.wants_label(key), buffer);
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

/// The labels that a frame holds; `None` if it is a function.
pub(crate) fn labels_of(frame: &[u8]) -> Option<LabelSet<'_>> {
    let text = frame.strip_prefix(&[MARK])?;
    let clean = |byte: &u8| if *byte == SEMICOLON { b';' } else { *byte };
    Some(match text.contains(&SEMICOLON) {
        true => LabelSet(text.iter().map(clean).collect::<Vec<u8>>().into()),
        false => LabelSet(text.into()),
    })
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

    /// A label in seconds, in nanoseconds. What was before the first sample, as the samples of
    /// several processors may be, is at its time.
    pub(crate) fn nanoseconds(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            [b'-', before @ ..] => common::nanoseconds(before).map(|_| 0),
            since => common::nanoseconds(since),
        }
    }
}

//! Stacks as numbers: equal frames have equal numbers.

use std::ops::Range;

use common::{FrameId, FrameTable, Frames};

use crate::stamps::without_stamp;

/// One stack at a time, as text and as numbers.
///
/// Looking up every frame by its name would take most of the time of folding. So the frames that
/// a stack shares with the one before it, from the root on, are not looked at again, and for the
/// others it is first tried whether a function calls the one that it called last time.
#[derive(Default)]
pub(crate) struct NumberedStack {
    text: Vec<u8>,
    numbers: Vec<FrameId>,
    /// Where each frame ends in the text; one byte before the next starts.
    ends: Vec<usize>,
    table: FrameTable,
    /// What is known of each frame of the table.
    known: Vec<Known>,
    /// Names without stamps, if these are to be ignored, and the first frame of each.
    bases: Option<(FrameTable, Vec<FrameId>)>,
}

struct Known {
    /// The first frame that counts as the same.
    number: FrameId,
    /// What stood above it last time.
    above: FrameId,
}

impl NumberedStack {
    /// Gives the same number to names that differ only in OCaml's stamps.
    pub(crate) fn ignoring_stamps(mut self) -> NumberedStack {
        self.bases = Some(Default::default());
        self
    }

    /// Reads a folded stack in place of the one at hand.
    pub(crate) fn read(&mut self, stack: &[u8]) {
        let shared = self.keep_shared(stack);
        self.text.truncate(shared);
        self.text.extend_from_slice(&stack[shared..]);
        let mut rest = Some(&stack[shared..]);
        let mut end = shared;
        while let Some(text) = rest {
            let (id, length) = self.next_frame(text);
            self.numbers.push(self.known[id as usize].number);
            end += length;
            self.ends.push(end);
            end += 1;
            rest = text.get(length + 1..);
        }
    }

    /// The numbers of the frames, root first.
    pub(crate) fn numbers(&self) -> &[FrameId] {
        &self.numbers
    }

    /// The frames from one place to another as a folded stack holds them.
    pub(crate) fn text(&self, frames: Range<usize>) -> &[u8] {
        let start = frames.start.checked_sub(1).map_or(0, |below| self.ends[below] + 1);
        &self.text[start..self.ends[frames.end - 1]]
    }

    /// The first name that had this number.
    pub(crate) fn name(&self, number: FrameId) -> &[u8] {
        self.table.name(number)
    }

    /// Forgets the frames that `stack` does not share, and returns where it goes on.
    fn keep_shared(&mut self, stack: &[u8]) -> usize {
        let same = same_bytes(&self.text, stack);
        // Only a separator shows that a frame is whole in both.
        let whole = self.ends.partition_point(|&end| end < same);
        self.ends.truncate(whole);
        self.numbers.truncate(whole);
        self.ends.last().map_or(0, |end| end + 1)
    }

    /// The frame that `text` starts with, and how long it is.
    fn next_frame(&mut self, text: &[u8]) -> (FrameId, usize) {
        let below = self.numbers.last().map(|&number| number as usize);
        if let Some(below) = below {
            let above = self.known[below].above;
            let name = self.table.name(above);
            if text.starts_with(name) && matches!(text.get(name.len()), None | Some(b';')) {
                return (above, name.len());
            }
        }
        let name = Frames::new(text).next().unwrap_or_default();
        let id = self.table.intern(name);
        if id as usize == self.known.len() {
            let number = self.number_of(id, name);
            self.known.push(Known { number, above: id });
        }
        if let Some(below) = below {
            self.known[below].above = id;
        }
        (id, name.len())
    }

    /// The number of a frame that is new in the table.
    fn number_of(&mut self, id: FrameId, name: &[u8]) -> FrameId {
        let Some((bases, firsts)) = &mut self.bases else { return id };
        let base = bases.intern(without_stamp(name)) as usize;
        if base == firsts.len() {
            firsts.push(id);
        }
        firsts[base]
    }
}

/// How many bytes two texts share from their start.
fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 32;
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP));
    let same = STEP * steps.take_while(|(one, other)| one == other).count();
    same + one[same..].iter().zip(&other[same..]).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a stack against its frames looked up one by one.
    fn assert_read(stacks: &mut NumberedStack, stack: &str) {
        stacks.read(stack.as_bytes());
        let frames: Vec<&[u8]> = Frames::new(stack.as_bytes()).collect();
        assert_eq!(stacks.numbers().len(), frames.len(), "{stack}");
        for (at, (&number, frame)) in stacks.numbers().iter().zip(&frames).enumerate() {
            assert_eq!(stacks.name(number), *frame, "{stack}");
            assert_eq!(stacks.text(at..at + 1), *frame, "{stack}");
        }
        assert_eq!(stacks.text(0..frames.len()), stack.as_bytes());
    }

    #[test]
    fn whatever_was_read_before_every_frame_is_right() {
        let texts = [
            "main",
            "main;parse",
            "main;parse;lex",
            "main;pars",
            "main;parser",
            "mai",
            "",
            ";",
            ";;",
            "main;",
            "main;;",
            "main;parse;lex;lex;lex",
            "parse;main",
            "parse;lexer",
            "m;parse;lex",
            "a-name-that-is-longer-than-a-step-of-comparison;f",
            "a-name-that-is-longer-than-a-step-of-comparison",
            "a-name-that-is-longer-than-a-step-of-comparisons;f",
            "main;parse;lex;parse;lex;read",
        ];
        let mut stacks = NumberedStack::default();
        for first in texts {
            for second in texts {
                assert_read(&mut stacks, first);
                assert_read(&mut stacks, second);
            }
        }
    }

    #[test]
    fn names_that_differ_in_their_stamps_have_one_number_and_their_own_text() {
        let mut stacks = NumberedStack::default().ignoring_stamps();
        stacks.read(b"T.map_1;T.map_2;T.fun_3;T.fun_4;T.map_2");
        assert_eq!(stacks.numbers(), [0, 0, 2, 3, 0]);
        assert_eq!(stacks.text(1..2), b"T.map_2");
        assert_eq!(stacks.name(0), b"T.map_1");
    }
}

//! The numbers of the frames of stacks, one line after another.

use std::ops::Range;

use super::shared::shared_prefix;
use crate::folded::Frames;
use crate::stacks::{FrameId, FrameTable};

/// Turns the frames of stacks into their numbers in a [`FrameTable`].
///
/// Profiles are mostly sorted. So the first frames of a stack are not looked up again if the stack
/// before begins with them, too.
#[derive(Clone, Debug, Default)]
pub struct StackIds {
    /// The last stack.
    text: Vec<u8>,
    /// Where its frames end, and their numbers.
    ends: Vec<usize>,
    ids: Vec<FrameId>,
    /// How many of the first frames were those of the stack before.
    kept: usize,
}

impl StackIds {
    /// The numbers of the frames of `stack`, root first. New ones are interned in
    /// `frames`, which must be the same table in all calls.
    pub fn of(&mut self, stack: &[u8], frames: &mut FrameTable) -> &[FrameId] {
        let shared = shared_prefix(&self.text, stack);
        // A frame is shared if the `;` after it is shared.
        self.kept = self.ends.partition_point(|&end| end < shared);
        self.ends.truncate(self.kept);
        self.ids.truncate(self.kept);
        let mut start = self.ends.last().map_or(0, |end| end + 1);
        for frame in Frames::new(&stack[start..]) {
            self.ids.push(frames.intern(frame));
            self.ends.push(start + frame.len());
            start += frame.len() + 1;
        }
        self.text.truncate(shared);
        self.text.extend_from_slice(&stack[shared..]);
        &self.ids
    }

    /// The numbers of the frames of the last stack.
    #[must_use]
    pub fn last(&self) -> &[FrameId] {
        &self.ids
    }

    /// How many frames, from the root on, the last stack and the one before it have
    /// in common; one less where the leaf of either is among them.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// The frames of the last stack after the [`kept`](StackIds::kept) ones: their numbers, and
    /// where their names are in the stack.
    pub fn fresh(&self) -> impl Iterator<Item = (FrameId, Range<usize>)> {
        let mut start = self.kept.checked_sub(1).map_or(0, |last| self.ends[last] + 1);
        self.ids[self.kept..].iter().zip(&self.ends[self.kept..]).map(move |(&id, &end)| {
            let range = start..end;
            start = end + 1;
            (id, range)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_table_whatever_came_before() {
        let long = ["frame"; 40].join(";");
        let longer = format!("{long};leaf");
        let stacks =
            ["a;b;c", "a;b;c", "a;b", "a;bc;c", "a;b;", "a;", "a", "", ";", &long, &longer, "x"];
        let (mut ids, mut frames) = (StackIds::default(), FrameTable::default());
        for before in stacks {
            for stack in stacks {
                ids.of(before.as_bytes(), &mut frames);
                let found = ids.of(stack.as_bytes(), &mut frames).to_vec();
                let names = Frames::new(stack.as_bytes());
                let expected: Vec<_> = names.map(|name| frames.intern(name)).collect();
                assert_eq!(found, expected, "{stack:?} after {before:?}");
                let mut common = Frames::new(before.as_bytes()).zip(Frames::new(stack.as_bytes()));
                assert!(common.by_ref().take(ids.kept()).all(|(a, b)| a == b));
                let fresh = ids.fresh().map(|(id, range)| (id, stack[range].as_bytes()));
                let expected = found.iter().copied().zip(Frames::new(stack.as_bytes()));
                assert!(fresh.eq(expected.skip(ids.kept())), "{stack:?} after {before:?}");
                let next = common.next();
                assert!(next.is_none_or(|(a, b)| a != b) || common.next().is_none());
            }
        }
    }
}

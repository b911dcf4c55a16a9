//! All stacks of a profile in their order.

use std::cmp::Reverse;

use crate::stacks::{FrameId, FrameTable};
use crate::{
    Error, Result, stacks::distinct::DistinctStacks, stacks::room::filled,
    stacks::run_order::Placed,
};

/// Distinct stacks and their weights, sorted by the names of their frames, so
/// that stacks with the same first frames are neighbours.
#[derive(Clone, Debug)]
pub struct SortedStacks {
    frames: FrameTable,
    stacks: DistinctStacks,
    order: Vec<Placed>,
}

/// One of [`SortedStacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortedStack<'a> {
    /// The frames, root first.
    pub frames: &'a [FrameId],
    /// How many of the first frames are also those of the stack before.
    pub shared: usize,
    /// What this stack weighs; may be 0.
    pub weight: u64,
}

/// What the stacks with a frame weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameWeights {
    /// The weight of the stacks that end in the frame.
    pub self_weight: u64,
    /// The weight of the stacks that hold the frame, each counted once however
    /// often it holds it.
    pub total: u64,
}

impl FrameWeights {
    /// Puts the heaviest by themselves first; of equal ones, those with the most in total.
    #[must_use]
    pub fn by_self(self) -> Reverse<(u64, u64)> {
        Reverse((self.self_weight, self.total))
    }

    /// Puts the heaviest in total first; of equal ones, those with the most by themselves.
    #[must_use]
    pub fn by_total(self) -> Reverse<(u64, u64)> {
        Reverse((self.total, self.self_weight))
    }
}

impl SortedStacks {
    pub(crate) fn new(frames: &FrameTable, mut stacks: DistinctStacks) -> SortedStacks {
        let (frames, places) = frames.sorted();
        stacks.for_each_mut(|ids| ids.iter_mut().for_each(|id| *id = places[*id as usize]));
        SortedStacks { order: stacks.order(frames.len() as FrameId), frames, stacks }
    }

    /// Turns all stacks around, leaf first, and sorts them again.
    #[must_use]
    pub fn reversed(self) -> SortedStacks {
        let SortedStacks { frames, mut stacks, .. } = self;
        stacks.for_each_mut(<[FrameId]>::reverse);
        SortedStacks { order: stacks.order(frames.len() as FrameId), frames, stacks }
    }

    /// The frames; their numbers have the order of their names.
    #[must_use]
    pub fn frames(&self) -> &FrameTable {
        &self.frames
    }

    /// The frames; the stacks are freed.
    #[must_use]
    pub fn into_frames(self) -> FrameTable {
        self.frames
    }

    /// The weights of each frame, by its number.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub fn frame_weights(&self) -> Result<Vec<FrameWeights>> {
        let mut weights = filled(FrameWeights::default(), self.frames.len());
        // The number of the last stack that held each frame, counted from 1.
        let mut last = filled(0, self.frames.len());
        for (stack, number) in self.iter().zip(1u64..) {
            for &frame in stack.frames {
                let frame = frame as usize;
                if std::mem::replace(&mut last[frame], number) != number {
                    let total = &mut weights[frame].total;
                    *total = total.checked_add(stack.weight).ok_or(Error::Overflow)?;
                }
            }
            if let Some(&leaf) = stack.frames.last() {
                weights[leaf as usize].self_weight += stack.weight;
            }
        }
        Ok(weights)
    }

    /// The stacks, root first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = SortedStack<'_>> {
        self.order.iter().map(|&placed| self.stack(placed))
    }

    /// The stack with this index, if there is one.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<SortedStack<'_>> {
        self.order.get(index).map(|&placed| self.stack(placed))
    }

    fn stack(&self, Placed { run, shared }: Placed) -> SortedStack<'_> {
        SortedStack {
            frames: self.stacks.ids_of(run),
            shared: shared as usize,
            weight: self.stacks.weight_of(run),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{folded::Frames, stacks::StackCounts};

    type Lines = Vec<(Vec<u8>, u64)>;

    fn sorted(lines: &Lines) -> SortedStacks {
        let mut counts = StackCounts::default();
        for (stack, weight) in lines {
            counts.add(stack, *weight);
        }
        counts.into_sorted()
    }

    /// Stacks that often share frames, and names that start one another.
    fn lines() -> impl Strategy<Value = Lines> {
        let byte = prop_oneof![Just(b';'), Just(b'a'), Just(b'b'), Just(b' '), any::<u8>()];
        prop::collection::vec((prop::collection::vec(byte, 0..12), 0..100u64), 0..60)
    }

    proptest! {
        #[test]
        fn stacks_are_in_the_order_of_names_and_say_what_they_share(lines in lines()) {
            let ours = sorted(&lines);
            let mut expected: BTreeMap<Vec<&[u8]>, u64> = BTreeMap::new();
            for (stack, weight) in &lines {
                *expected.entry(Frames::new(stack).collect()).or_default() += weight;
            }
            let named = |stack: &SortedStack<'_>| {
                stack.frames.iter().map(|&id| ours.frames().name(id)).collect::<Vec<_>>()
            };
            let found: Vec<_> = ours.iter().map(|stack| (named(&stack), stack.weight)).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            let mut before: &[FrameId] = &[];
            for stack in ours.iter() {
                let shared = before.iter().zip(stack.frames).take_while(|(a, b)| a == b).count();
                prop_assert_eq!(stack.shared, shared);
                before = stack.frames;
            }
        }

        #[test]
        fn a_frame_weighs_what_the_lines_with_it_weigh(lines in lines()) {
            let ours = sorted(&lines);
            let weights = ours.frame_weights().expect("small weights");
            for (weights, frame) in weights.into_iter().zip(0..) {
                let name = ours.frames().name(frame);
                let sum = |holds: &dyn Fn(Frames<'_>) -> bool| -> u64 {
                    let held = lines.iter().filter(|(stack, _)| holds(Frames::new(stack)));
                    held.map(|(_, weight)| weight).sum()
                };
                prop_assert_eq!(weights.total, sum(&|mut stack| stack.any(|it| it == name)));
                let ends = |mut stack: Frames<'_>| stack.next_back() == Some(name);
                prop_assert_eq!(weights.self_weight, sum(&ends));
            }
        }

        #[test]
        fn reversed_stacks_are_leaf_first(lines in lines()) {
            let leaf_first = |(stack, weight): &(Vec<u8>, u64)| {
                (Frames::new(stack).rev().collect::<Vec<_>>().join(&b';'), *weight)
            };
            let (ours, expected) =
                (sorted(&lines).reversed(), sorted(&lines.iter().map(leaf_first).collect()));
            prop_assert!(ours.iter().eq(expected.iter()));
        }
    }
}

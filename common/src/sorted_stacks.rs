//! All stacks of a profile in their order, and the tree they make.

use crate::run_order::Placed;
use crate::stacks::Stacks;
use crate::{FrameId, FrameTable, StackTree};

/// Distinct stacks and their weights, sorted frame by frame by the names, so
/// that stacks which start alike are neighbours.
#[derive(Clone, Debug)]
pub struct SortedStacks {
    frames: FrameTable,
    stacks: Stacks,
    order: Vec<Placed>,
}

/// One of [`SortedStacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortedStack<'a> {
    /// The frames, root first.
    pub frames: &'a [FrameId],
    /// How many of them the stack before starts with too.
    pub shared: usize,
    /// What this stack weighs, perhaps nothing.
    pub weight: u64,
}

impl SortedStacks {
    pub(crate) fn new(frames: &FrameTable, mut stacks: Stacks) -> SortedStacks {
        let (frames, places) = frames.sorted();
        stacks.for_each_mut(|ids| ids.iter_mut().for_each(|id| *id = places[*id as usize]));
        SortedStacks { order: stacks.order(&frames), frames, stacks }
    }

    /// The same stacks, leaf first.
    #[must_use]
    pub fn reversed(self) -> SortedStacks {
        let SortedStacks { frames, mut stacks, .. } = self;
        stacks.for_each_mut(<[FrameId]>::reverse);
        SortedStacks { order: stacks.order(&frames), frames, stacks }
    }

    /// The frames; of two, the one with the smaller name has the smaller
    /// number.
    #[must_use]
    pub fn frames(&self) -> &FrameTable {
        &self.frames
    }

    /// The frames, when the stacks are no longer needed.
    #[must_use]
    pub fn into_frames(self) -> FrameTable {
        self.frames
    }

    /// The stacks, root first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = SortedStack<'_>> {
        self.order.iter().map(|&Placed { run, shared }| SortedStack {
            frames: self.stacks.ids_of(run),
            shared: shared as usize,
            weight: self.stacks.weight_of(run),
        })
    }

    /// The prefix tree. What lies below a node follows it, and children are in
    /// the order of their names.
    #[must_use]
    pub fn tree(&self) -> StackTree {
        StackTree::of_sorted(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Frames, StackCounts};

    type Lines = Vec<(Vec<u8>, u64)>;

    fn sorted(lines: &Lines) -> SortedStacks {
        let mut counts = StackCounts::default();
        for (stack, weight) in lines {
            counts.add(stack, *weight).expect("small weights");
        }
        counts.into_sorted()
    }

    fn lines_of(tree: &StackTree, frames: &FrameTable) -> Lines {
        let mut lines = Vec::new();
        let each = |stack: &[u8], weight| {
            lines.push((stack.to_vec(), weight));
            Ok(())
        };
        tree.for_each_sorted(frames, each).expect("nothing fails here");
        lines
    }

    /// Stacks that often share frames, and names that start one another.
    fn lines() -> impl Strategy<Value = Lines> {
        let byte = prop_oneof![Just(b';'), Just(b'a'), Just(b'b'), Just(b' '), any::<u8>()];
        prop::collection::vec((prop::collection::vec(byte, 0..12), 0..100u64), 0..60)
    }

    proptest! {
        #[test]
        fn the_tree_is_the_one_that_grows_frame_by_frame(lines in lines()) {
            let (mut tree, mut frames) = (StackTree::default(), FrameTable::default());
            for (stack, weight) in &lines {
                tree.add_stack(&mut frames, stack, *weight).expect("small weights");
            }
            let ours = sorted(&lines);
            prop_assert_eq!(ours.tree().len(), tree.len());
            prop_assert_eq!(lines_of(&ours.tree(), ours.frames()), lines_of(&tree, &frames));
        }

        #[test]
        fn reversed_stacks_are_leaf_first(lines in lines()) {
            let leaf_first = |(stack, weight): &(Vec<u8>, u64)| {
                (Frames::new(stack).rev().collect::<Vec<_>>().join(&b';'), *weight)
            };
            let (ours, expected) =
                (sorted(&lines).reversed(), sorted(&lines.iter().map(leaf_first).collect()));
            prop_assert!(ours.iter().eq(expected.iter()));
            let trees = (ours.tree(), expected.tree());
            prop_assert_eq!(trees.0.len(), trees.1.len());
            let lines = |tree| lines_of(tree, ours.frames());
            prop_assert_eq!(lines(&trees.0), lines(&trees.1));
        }

        #[test]
        fn nodes_are_in_the_order_of_names(lines in lines()) {
            let sorted = sorted(&lines);
            let (tree, frames) = (sorted.tree(), sorted.frames());
            let children = tree.children();
            for node in 0..tree.len() as u32 {
                let below = children.of(node);
                prop_assert!(below.first().is_none_or(|&first| first == node + 1));
                let names = below.iter().map(|&child| frames.name(tree.frame(child)));
                prop_assert!(names.is_sorted_by(|a, b| a < b));
            }
        }
    }

    #[test]
    fn a_finished_tree_can_grow() {
        let sorted = sorted(&vec![(b"a;b".to_vec(), 1), (b"a;c".to_vec(), 2)]);
        let (mut tree, mut frames) = (sorted.tree(), sorted.into_frames());
        tree.add_stack(&mut frames, b"a;b", 4).expect("small weights");
        tree.add_stack(&mut frames, b"a;d", 8).expect("small weights");
        let expected = [(b"a;b".to_vec(), 5), (b"a;c".to_vec(), 2), (b"a;d".to_vec(), 8)];
        assert_eq!(lines_of(&tree, &frames), expected);
    }
}

//! A profile as a tree of calls, in the order in which it is drawn.

use std::iter;

use common::stacks::{FrameId, HeaviestTree, NodeId, SortedStacks, StackTree, with_room};
use common::{Error, Result};

/// The calls of a profile: each before the calls that it made; calls with the same caller in the
/// order of their frames' numbers. The first is the whole profile, which is not a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallTree {
    /// All calls, by their numbers.
    pub(crate) calls: Vec<Call>,
}

/// A frame, called by the frame of `parent`. Weights are in the unit of the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// Its frame; [`CallTree::NO_FRAME`] for the whole.
    pub(crate) frame: FrameId,
    /// The number of its caller; the whole is its own parent.
    pub(crate) parent: u32,
    /// The number that follows those of all calls below it.
    pub(crate) end: u32,
    /// How many calls are above it, including the whole.
    pub(crate) depth: u32,
    /// The weight of the stacks that end in it.
    pub(crate) own: u64,
    /// The weight of the stacks that go through it.
    pub(crate) total: u64,
    /// The weight to the left of it in a picture, in which a call's own weight is to the left of
    /// the calls that it made.
    pub(crate) start: u64,
}

impl CallTree {
    /// The number of the whole.
    pub(crate) const WHOLE: u32 = 0;

    /// The frame of the whole, which has none.
    pub(crate) const NO_FRAME: FrameId = FrameId::MAX;

    /// The tree of these stacks, without what weighs nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub(crate) fn of(stacks: &SortedStacks) -> Result<CallTree> {
        let tree = HeaviestTree::new(stacks, usize::MAX)?;
        let calls = tree.nodes().map(|node| (node.frame, node.depth, node.weight));
        CallTree::placed(tree.len(), calls)
    }

    /// The tree of stacks that were counted in another tree, without what weighs nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub(crate) fn of_tree(tree: &StackTree) -> Result<CallTree> {
        let (totals, children) = (tree.total_weights()?, tree.children());
        let mut calls = with_room(tree.len());
        let mut pending: Vec<(NodeId, u32)> = Vec::new();
        let push_children = |node: NodeId, depth: u32, pending: &mut Vec<(NodeId, u32)>| {
            let first = pending.len();
            let heavy = children.of(node).iter().filter(|child| totals[**child as usize] > 0);
            pending.extend(heavy.map(|child| (*child, depth)));
            pending[first..]
                .sort_unstable_by_key(|(child, _)| std::cmp::Reverse(tree.frame(*child)));
        };
        push_children(StackTree::ROOT, 1, &mut pending);
        while let Some((node, depth)) = pending.pop() {
            calls.push((tree.frame(node), depth, tree.self_weight(node)));
            push_children(node, depth + 1, &mut pending);
        }
        CallTree::placed(calls.len(), calls.into_iter())
    }

    /// Makes a tree of calls, each given with its depth and its own weight, before the calls below
    /// it.
    fn placed(count: usize, given: impl Iterator<Item = (FrameId, u32, u64)>) -> Result<CallTree> {
        let mut calls = with_room(count + 1);
        let whole =
            Call { frame: Self::NO_FRAME, parent: 0, end: 1, depth: 0, own: 0, total: 0, start: 0 };
        calls.push(whole);
        let mut path: Vec<u32> = vec![Self::WHOLE];
        for ((frame, depth, own), number) in given.zip(1..) {
            path.truncate(depth as usize);
            let parent = path[path.len() - 1];
            path.push(number);
            calls.push(Call { frame, parent, end: number + 1, depth, own, total: own, start: 0 });
        }
        for number in (1..calls.len()).rev() {
            let Call { parent, end, total, .. } = calls[number];
            let parent = &mut calls[parent as usize];
            parent.end = parent.end.max(end);
            parent.total = parent.total.checked_add(total).ok_or(Error::Overflow)?;
        }
        // Where the next child of each call of the path starts.
        let mut next = vec![0];
        for call in &mut calls[1..] {
            next.truncate(call.depth as usize);
            let start = next.last_mut().expect("the whole is in it");
            call.start = *start;
            *start += call.total;
            next.push(call.start + call.own);
        }
        Ok(CallTree { calls })
    }

    /// One call.
    pub(crate) fn call(&self, number: u32) -> &Call {
        &self.calls[number as usize]
    }

    /// The numbers of a call and of all below it.
    pub(crate) fn below(&self, number: u32) -> std::ops::Range<u32> {
        number..self.call(number).end
    }

    /// The numbers of the calls that a call made directly.
    pub(crate) fn children(&self, number: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.call(number).end;
        let next = move |at: u32| (at < end).then_some(at);
        iter::successors(next(number + 1), move |child| next(self.call(*child).end))
    }

    /// The frames from the root to a call.
    pub(crate) fn stack(&self, number: u32) -> Vec<FrameId> {
        let up = iter::successors(Some(number), |call| Some(self.call(*call).parent));
        let mut frames: Vec<FrameId> =
            up.take_while(|call| *call != Self::WHOLE).map(|call| self.call(call).frame).collect();
        frames.reverse();
        frames
    }
}

#[cfg(test)]
mod tests {
    use common::stacks::{FrameTable, StackCounts};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn calls_are_placed_right_of_what_their_caller_weighs_itself() {
        let mut counts = StackCounts::default();
        for (stack, weight) in [("a;b", 2), ("a", 3), ("a;c;d", 5), ("e", 7), ("f", 0)] {
            counts.add(stack.as_bytes(), weight);
        }
        let stacks = counts.into_sorted();
        let tree = CallTree::of(&stacks).expect("small weights");
        let shown: Vec<_> = tree.calls[1..]
            .iter()
            .map(|call| {
                let name = String::from_utf8_lossy(stacks.frames().name(call.frame)).into_owned();
                (name, call.depth, call.own, call.total, call.start)
            })
            .collect();
        let expected = [
            ("a", 1, 3, 10, 0),
            ("b", 2, 2, 2, 3),
            ("c", 2, 0, 5, 5),
            ("d", 3, 5, 5, 5),
            ("e", 1, 7, 7, 10),
        ];
        assert_eq!(shown, expected.map(|(name, a, b, c, d)| (name.to_owned(), a, b, c, d)));
        assert_eq!(tree.call(CallTree::WHOLE).total, 17);
        assert_eq!(tree.children(1).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(tree.children(CallTree::WHOLE).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(tree.stack(4).len(), 3);
    }

    proptest! {
        #[test]
        fn a_tree_of_counted_stacks_is_the_same(
            lines in prop::collection::vec(("[a-c](;[a-c]){0,4}", 0..9u64), 0..30)
        ) {
            let mut counts = StackCounts::default();
            lines.iter().for_each(|(stack, weight)| counts.add(stack.as_bytes(), *weight));
            let stacks = counts.into_sorted();
            let (mut frames, mut tree) = (FrameTable::default(), StackTree::default());
            for id in 0..stacks.frames().len() as FrameId {
                frames.intern(stacks.frames().name(id));
            }
            for (stack, weight) in &lines {
                tree.add_stack(&mut frames, stack.as_bytes(), *weight);
            }
            prop_assert_eq!(CallTree::of(&stacks).expect("small"), CallTree::of_tree(&tree).expect("small"));
        }
    }
}

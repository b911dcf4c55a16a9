//! A profile merged from the leaves: the callers of a function are on top of it.

use std::ops::Range;

use common::stacks::{FrameId, shared_prefix};

use super::{Before, LeftOut, Node, Profile, add_up, before};

/// The stacks of a profile, leaf first, in the order of their frames.
struct LeafFirst {
    /// The frames of all stacks, one stack after the other.
    frames: Vec<FrameId>,
    stacks: Vec<LeafFirstStack>,
}

struct LeafFirstStack {
    /// Where its frames are in [`LeafFirst::frames`].
    frames: Range<usize>,
    weight: u64,
    /// How much of the weight the first of two profiles has.
    before: u64,
}

/// The tree under construction.
struct Tree {
    /// A parent before its children; the first is the whole.
    nodes: Vec<Node>,
    /// For each of these, its part in the first of two profiles.
    before: Vec<Before>,
    /// The nodes of the last stack, the whole first.
    open: Vec<usize>,
    /// What all stacks so far weigh: where the next one starts.
    now: u64,
    left_out: LeftOut,
}

impl Profile {
    /// The stacks of this profile, leaf first, without the frames whose weight `keep` refuses;
    /// `keep` must accept every weight above one that it accepts.
    pub(crate) fn bottom_up(&self, keep: impl Fn(u64) -> bool) -> Profile {
        let LeafFirst { frames, stacks } = LeafFirst::of(self);
        let mut tree = Tree::default();
        let mut last: &[FrameId] = &[];
        for stack in &stacks {
            let frames = &frames[stack.frames.clone()];
            let shared = shared_prefix(last, frames);
            tree.close(shared, &keep);
            tree.open(&frames[shared..], stack);
            last = frames;
        }
        tree.close(0, &keep);
        let Tree { mut nodes, mut before, left_out, .. } = tree;
        add_up(&mut nodes);
        match self.before.is_empty() {
            true => before.clear(),
            false => before::add_up(&nodes, &mut before),
        }
        Profile { nodes, before, left_out }
    }
}

impl LeafFirst {
    fn of(profile: &Profile) -> LeafFirst {
        let (mut frames, mut stacks) = (Vec::new(), Vec::new());
        let mut root_first: Vec<FrameId> = Vec::new();
        for (index, node) in profile.nodes.iter().enumerate() {
            let Some(frame) = node.frame() else { continue };
            root_first.truncate(node.depth as usize - 1);
            root_first.push(frame);
            if node.self_weight > 0 {
                let start = frames.len();
                frames.extend(root_first.iter().rev());
                let (weight, before) = (node.self_weight, profile.before(index).self_weight);
                stacks.push(LeafFirstStack { frames: start..frames.len(), weight, before });
            }
        }
        let frames_of = |stack: &LeafFirstStack| &frames[stack.frames.clone()];
        stacks.sort_unstable_by(|one, other| frames_of(one).cmp(frames_of(other)));
        LeafFirst { frames, stacks }
    }
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: vec![Node::default()],
            before: vec![Before::default()],
            open: vec![0],
            now: 0,
            left_out: LeftOut::default(),
        }
    }
}

impl Tree {
    /// Adds the frames that are new in a stack.
    fn open(&mut self, frames: &[FrameId], stack: &LeafFirstStack) {
        for &name in frames {
            let depth = self.open.len() as u32;
            self.open.push(self.nodes.len());
            self.nodes.push(Node { name, depth, start: self.now, ..Node::default() });
            self.before.push(Before::default());
        }
        let top = self.open[self.open.len() - 1];
        self.nodes[top].weight += stack.weight;
        self.nodes[top].self_weight += stack.weight;
        self.before[top].self_weight += stack.before;
        self.now += stack.weight;
    }

    /// Finishes the open nodes deeper than this: their weights are now known.
    fn close(&mut self, depth: usize, keep: impl Fn(u64) -> bool) {
        while self.open.len() > depth + 1
            && let Some(index) = self.open.pop()
        {
            let node = self.nodes[index];
            let parent = self.open[self.open.len() - 1];
            self.nodes[parent].weight += node.weight;
            if !keep(node.weight) {
                // Its children are no heavier, so they are gone and it is the last.
                self.before[parent].self_weight += self.before[index].self_weight;
                self.left_out.frames += 1;
                self.left_out.weight += node.self_weight;
                self.nodes.truncate(index);
                self.before.truncate(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use common::stacks::{SortedStacks, StackCounts};

    use super::*;

    fn sorted(lines: &[(String, u64)]) -> SortedStacks {
        let mut counts = StackCounts::default();
        lines.iter().for_each(|(stack, weight)| counts.add(stack.as_bytes(), *weight));
        counts.into_sorted()
    }

    proptest! {
        // A file of failing cases would be written among the tools.
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Against the same tree from reversed lines, which is cut as any other.
        #[test]
        fn it_is_the_tree_of_the_reversed_lines(
            lines in prop::collection::vec(("[ab;]{1,8}", 0..20u64, 0..20u64), 1..40),
            least in 1..30u64,
        ) {
            let lines_of = |weight: fn(u64, u64) -> u64| -> Vec<_> {
                lines.iter().map(|(stack, a, b)| (stack.clone(), weight(*a, *b))).collect()
            };
            let both = sorted(&lines_of(|before, after| before + after));
            let first = sorted(&lines_of(|before, _| before));
            let all = usize::MAX;
            let heaviest = Profile::heaviest(&both, Some(&first), all).expect("small weights");
            let (both, first) = (both.reversed(), first.reversed());
            let expected = Profile::heaviest(&both, Some(&first), all).expect("small weights");
            let found = heaviest.map(|profile| profile.bottom_up(|weight| weight >= least));
            let expected = expected.map(|profile| profile.only(|weight| weight >= least));
            prop_assert_eq!(found, expected);
        }
    }
}

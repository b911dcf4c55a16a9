//! The heaviest frames of a profile, found without making a node for each of the others.

use std::cmp::Reverse;
use std::mem;

use crate::stacks::room::{Room, filled};
use crate::stacks::{FrameId, SortedStack, SortedStacks};
use crate::{Error, Result};

/// With fewer frames than this, throwing some away would not save memory.
const ENOUGH: usize = 1024;

/// The heaviest nodes of a prefix tree. Memory grows with the branches among these, not with
/// the whole tree.
#[derive(Clone, Debug)]
pub struct HeaviestTree<'a> {
    /// Each comes after its descendants.
    segments: Vec<Segment<'a>>,
    /// How many nodes were kept.
    nodes: usize,
    /// What all stacks weigh.
    pub total: u64,
    /// How many nodes that weigh something were not kept.
    pub left_out: u64,
    /// What the children of the root that were not kept weigh.
    pub cut: u64,
}

/// A frame in a prefix tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Its name.
    pub frame: FrameId,
    /// The number of frames from the root to it, itself included.
    pub depth: u32,
    /// The weight of the stack that ends in it.
    pub weight: u64,
    /// The weight of it and all its descendants, kept or not.
    pub total: u64,
    /// What its children that were not kept weigh.
    pub cut: u64,
}

/// A part of the tree without branches: each node is the only child of the one before, and only the
/// last node has a weight of its own, so all have the same total.
#[derive(Clone, Copy, Debug)]
struct Segment<'a> {
    /// A stack that goes through these nodes.
    stack: &'a [FrameId],
    /// How many frames of the stack come before them.
    above: u32,
    length: u32,
    weight: u64,
    /// The total as far as it is known yet.
    total: u64,
    /// What the children of the last node that were not kept weigh; known at the end.
    cut: u64,
}

impl Segment<'_> {
    fn depth(&self) -> u32 {
        self.above + self.length
    }

    fn nodes(&self) -> impl Iterator<Item = TreeNode> {
        let &Segment { weight, total, cut, .. } = self;
        let last = self.depth();
        let frames = &self.stack[self.above as usize..last as usize];
        frames.iter().zip(self.above + 1..).map(move |(&frame, depth)| {
            let (weight, cut) = if depth == last { (weight, cut) } else { (0, 0) };
            TreeNode { frame, depth, weight, total, cut }
        })
    }
}

/// What was kept of the stacks so far.
struct Kept<'a> {
    /// Finished segments: each comes after its descendants.
    segments: Vec<Segment<'a>>,
    /// The segments of the last stack, which may get more descendants; the first
    /// is empty and stands for the root.
    open: Vec<Segment<'a>>,
    nodes: usize,
    at_most: usize,
    /// Lighter nodes are not kept.
    least: u64,
    left_out: u64,
}

impl<'a> HeaviestTree<'a> {
    /// Keeps at most `at_most` nodes besides the root. Of nodes with the same weight, the first in
    /// the tree are kept, so a node is never kept without those above it; nodes without a weight
    /// are never kept.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub fn new(stacks: &'a SortedStacks, at_most: usize) -> Result<HeaviestTree<'a>> {
        let root = Segment { stack: &[], above: 0, length: 0, weight: 0, total: 0, cut: 0 };
        let (segments, open) = (Vec::new(), vec![root]);
        let mut kept = Kept { segments, open, nodes: 0, at_most, least: 1, left_out: 0 };
        // From the last stack to the first: a segment is kept when it ends, and
        // the first to end must come last in the tree.
        let mut shared = 0;
        for stack in stacks.iter().rev() {
            kept.close(shared)?;
            kept.open(&stack, shared)?;
            shared = stack.shared;
        }
        kept.close(0)?;
        kept.keep_heaviest();
        Ok(kept.into_tree())
    }

    /// The nodes: each before its children, siblings in the order of their names. The root of the
    /// tree, which is not a frame, is not among them.
    pub fn nodes(&self) -> impl Iterator<Item = TreeNode> {
        self.segments.iter().rev().flat_map(Segment::nodes)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// How many nodes, the root included, have children that were not kept.
    #[must_use]
    pub fn cuts(&self) -> usize {
        let cuts = self.segments.iter().filter(|segment| segment.cut > 0).count();
        cuts + usize::from(self.cut > 0)
    }
}

impl<'a> Kept<'a> {
    /// Adds the new frames of a stack whose first `shared` frames are those of the last one.
    fn open(&mut self, stack: &SortedStack<'a>, shared: usize) -> Result<()> {
        let SortedStack { frames, weight, .. } = *stack;
        let (above, length) = (shared as u32, (frames.len() - shared) as u32);
        if length > 0 {
            self.open.push(Segment { stack: frames, above, length, weight, total: weight, cut: 0 });
        } else if let Some(last) = self.open.last_mut() {
            // The last stack starts with this one: `a;b` comes after `a;b;c` here, and the segments
            // were just cut after `a;b`.
            last.weight = weight;
            last.total = last.total.checked_add(weight).ok_or(Error::Overflow)?;
        }
        Ok(())
    }

    /// Finishes the nodes of the last stack below this depth: they get no more
    /// descendants, so their totals are known.
    fn close(&mut self, depth: usize) -> Result<()> {
        let depth = depth as u32;
        while let Some(last) = self.open.pop_if(|segment| segment.depth() > depth) {
            let above = depth.max(last.above);
            self.keep(Segment { above, length: last.depth() - above, ..last });
            if above > last.above {
                let length = above - last.above;
                self.open.push(Segment { length, weight: 0, ..last });
            } else if let Some(parent) = self.open.last_mut() {
                parent.total = parent.total.checked_add(last.total).ok_or(Error::Overflow)?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, segment: Segment<'a>) {
        if segment.total < self.least {
            self.left_out += if segment.total > 0 { segment.length.into() } else { 0 };
            return;
        }
        self.nodes += segment.length as usize;
        self.segments.make_room(1);
        self.segments.push(segment);
        if self.nodes > self.at_most.max(ENOUGH).saturating_mul(2) {
            self.keep_heaviest();
        }
    }

    /// Drops all but the heaviest nodes so far, and raises the least weight that is kept.
    fn keep_heaviest(&mut self) {
        if self.nodes <= self.at_most {
            return;
        }
        let mut heaviest: Vec<_> =
            self.segments.iter().map(|segment| (segment.total, segment.length)).collect();
        heaviest.sort_unstable_by_key(|&(total, _)| Reverse(total));
        let (mut nodes, mut heavier) = (0, 0);
        for (total, length) in heaviest {
            if total != self.least {
                (self.least, heavier) = (total, nodes);
            }
            nodes += length as usize;
            if nodes > self.at_most {
                break;
            }
        }
        self.keep_first_of_lightest(self.at_most - heavier);
    }

    /// Of the lightest nodes that are still kept, keeps only `room`. The first nodes of the tree
    /// came last, and nodes came after their descendants.
    fn keep_first_of_lightest(&mut self, mut room: usize) {
        let before = self.nodes;
        for segment in self.segments.iter_mut().rev().filter(|it| it.total == self.least) {
            if segment.length as usize > room {
                (segment.length, segment.weight) = (room as u32, 0);
            }
            room -= segment.length as usize;
        }
        self.segments.retain(|segment| segment.total >= self.least && segment.length > 0);
        self.nodes = self.segments.iter().map(|segment| segment.length as usize).sum();
        self.left_out += (before - self.nodes) as u64;
    }

    fn into_tree(mut self) -> HeaviestTree<'a> {
        let cut = self.find_cuts();
        let Kept { segments, open, nodes, left_out, .. } = self;
        HeaviestTree { segments, nodes, total: open[0].total, left_out, cut }
    }

    /// Computes for each segment what was cut off from its last node; returns the same for the
    /// root.
    fn find_cuts(&mut self) -> u64 {
        // For each depth, the sum of the segments whose parent is still to come.
        let deepest = self.segments.iter().map(Segment::depth).max().unwrap_or(0);
        let mut children = filled(0, deepest as usize + 1);
        for segment in &mut self.segments {
            let kept = mem::take(&mut children[segment.depth() as usize]);
            segment.cut = segment.total - segment.weight - kept;
            children[segment.above as usize] += segment.total;
        }
        self.open[0].total - self.open[0].weight - children[0]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::stacks::StackCounts;

    fn sorted(lines: &[(String, u64)]) -> SortedStacks {
        let mut counts = StackCounts::default();
        for (stack, weight) in lines {
            counts.add(stack.as_bytes(), *weight);
        }
        counts.into_sorted()
    }

    /// The whole tree, as text: folded stacks up to each frame, with what they
    /// weigh themselves and in total.
    fn whole(lines: &[(String, u64)]) -> BTreeMap<Vec<&str>, (u64, u64)> {
        let mut nodes = BTreeMap::new();
        for (stack, weight) in lines {
            let frames: Vec<&str> = stack.split(';').collect();
            for depth in 1..=frames.len() {
                let (own, total) = nodes.entry(frames[..depth].to_vec()).or_insert((0, 0));
                *total += weight;
                *own += if depth == frames.len() { *weight } else { 0 };
            }
        }
        nodes.retain(|_, (_, total)| *total > 0);
        nodes
    }

    /// Compares with a choice from the whole tree; `None` means that they are equal.
    fn difference(lines: &[(String, u64)], at_most: usize) -> Option<String> {
        let stacks = sorted(lines);
        let ours = HeaviestTree::new(&stacks, at_most).expect("small weights");
        let mut expected = whole(lines);
        let all = expected.len();
        // A stable sort: of nodes with one weight, the first in the tree stay first.
        let mut heaviest: Vec<_> =
            expected.iter().map(|(path, &(own, total))| (path.clone(), own, total)).collect();
        heaviest.sort_by_key(|&(_, _, total)| std::cmp::Reverse(total));
        heaviest.truncate(at_most);
        expected = heaviest.into_iter().map(|(path, own, total)| (path, (own, total))).collect();
        let left_out = (all - expected.len()) as u64;
        let mut path = Vec::new();
        let mut found = Vec::new();
        for node in ours.nodes() {
            path.truncate(node.depth as usize - 1);
            path.push(str::from_utf8(stacks.frames().name(node.frame)).expect("text"));
            found.push((path.clone(), (node.weight, node.total)));
        }
        let total: u64 = lines.iter().map(|(_, weight)| weight).sum();
        let right = found.iter().map(|(path, weights)| (path, weights)).eq(&expected)
            && (ours.total, ours.left_out) == (total, left_out);
        (!right).then(|| format!("{found:?}\n{expected:?}\n{} {left_out}", ours.left_out))
    }

    proptest! {
        #[test]
        fn the_heaviest_are_those_of_the_whole_tree(
            lines in prop::collection::vec(("[ab;]{0,8}", 0..20u64), 0..60),
            at_most in 0..40usize,
        ) {
            prop_assert_eq!(difference(&lines, at_most), None);
        }
    }

    #[test]
    fn what_is_thrown_away_early_is_never_missed() {
        // Heavy and light ones mixed, so that some are dropped all the time.
        let stack = |number: u64| format!("main;{};f{:05};g", number % 7, number * 7919 % 20_000);
        let lines: Vec<_> =
            (0..20_000).map(|number| (stack(number), number * number % 977)).collect();
        for at_most in [0, 1, 100, 5000, 40_000, usize::MAX] {
            assert_eq!(difference(&lines, at_most), None, "at most {at_most}");
        }
    }

    #[test]
    fn a_sum_that_does_not_fit_is_an_error() {
        let stacks = sorted(&[("a;b".to_owned(), u64::MAX), ("a;c".to_owned(), 1)]);
        assert!(matches!(HeaviestTree::new(&stacks, 10), Err(Error::Overflow)));
    }
}

//! A profile in the order in which it is drawn: a parent before its children,
//! and these from left to right.

use common::{FrameId, FrameTable, NodeId, Result, StackTree};

/// A frame in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its name; the whole has none.
    pub(crate) frame: Option<FrameId>,
    pub(crate) depth: usize,
    /// What lies to the left of it.
    pub(crate) start: u64,
    pub(crate) weight: u64,
    /// What is not covered by children.
    pub(crate) self_weight: u64,
    /// How much of the weight, and of what is not covered by children, the
    /// first of two profiles has; nothing if there is one profile.
    pub(crate) before: u64,
    pub(crate) self_before: u64,
}

impl Node {
    pub(crate) fn end(&self) -> u64 {
        self.start + self.weight
    }

    /// How much of the weight the second of two profiles has.
    pub(crate) fn after(&self) -> u64 {
        self.weight - self.before
    }
}

/// Frames in their places, and what was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    /// The first is the whole, at depth 0.
    pub(crate) nodes: Vec<Node>,
    pub(crate) left_out: LeftOut,
}

/// Frames that are not in a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) frames: u64,
    /// What they weigh, each weight counted once. It is part of the self
    /// weight of the frames below them, so that shares stay right.
    pub(crate) weight: u64,
}

impl Profile {
    /// The frames of a tree, children in the order of their names; of more
    /// than `max_frames` the heaviest. `before` is what the first of two
    /// profiles has of each node's self weight, or empty. `None` if nothing
    /// weighs anything.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    pub(crate) fn of_tree(
        tree: &StackTree,
        before: &[u64],
        frames: &FrameTable,
        max_frames: usize,
    ) -> Result<Option<Profile>> {
        let weights = tree.total_weights()?;
        if weights[StackTree::ROOT as usize] == 0 {
            return Ok(None);
        }
        let before = Before::of(tree, before);
        let least = least_weight(&weights[1..], max_frames);
        let family = Family::of(tree, frames, |node| weights[node as usize] >= least);

        let mut profile = Profile { nodes: Vec::new(), left_out: LeftOut::default() };
        let mut pending = vec![(StackTree::ROOT, 0, 0)];
        while let Some((id, depth, start)) = pending.pop() {
            let weight = weights[id as usize];
            let children = family.children(tree, id);
            let covered: u64 = children.iter().map(|&child| weights[child as usize]).sum();
            let covered_before: u64 = children.iter().map(|&child| before.total(child)).sum();
            let frame = (id != StackTree::ROOT).then(|| tree.frame(id));
            let self_weight = weight - covered;
            let before = before.total(id);
            let self_before = before - covered_before;
            profile.left_out.weight += self_weight - tree.self_weight(id);
            profile.nodes.push(Node {
                frame,
                depth,
                start,
                weight,
                self_weight,
                before,
                self_before,
            });
            let mut end = start + weight;
            for &child in children.iter().rev() {
                end -= weights[child as usize];
                pending.push((child, depth + 1, end));
            }
        }
        let weighing = weights.iter().filter(|&&weight| weight > 0).count();
        profile.left_out.frames = (weighing - profile.nodes.len()) as u64;
        Ok(Some(profile))
    }

    /// Without the frames whose weight is not to be kept; `keep` must keep
    /// what is heavier than something that it keeps.
    pub(crate) fn only(&self, keep: impl Fn(u64) -> bool) -> Profile {
        let mut kept: Vec<Node> = Vec::new();
        let mut left_out = LeftOut::default();
        let mut open: Vec<usize> = Vec::new();
        for node in &self.nodes {
            open.truncate(node.depth);
            if node.depth == 0 || keep(node.weight) {
                open.push(kept.len());
                kept.push(*node);
            } else if let Some(&below) = open.last() {
                left_out.frames += 1;
                left_out.weight += node.self_weight;
                kept[below].self_weight += node.self_weight;
                kept[below].self_before += node.self_before;
            }
        }
        Profile { nodes: kept, left_out }
    }

    /// At most so many frames but the whole, the heaviest.
    pub(crate) fn at_most(self, max_frames: usize) -> Profile {
        let weights: Vec<u64> = self.nodes[1..].iter().map(|node| node.weight).collect();
        match least_weight(&weights, max_frames) {
            1 => self,
            least => self.only(|weight| weight >= least),
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.nodes[0].weight
    }
}

/// What a frame must weigh to be one of `max_frames`; those of one weight are
/// all in or all out, so that the choice depends on nothing but weights.
fn least_weight(weights: &[u64], max_frames: usize) -> u64 {
    if weights.len() <= max_frames {
        return 1;
    }
    let mut weights = weights.to_vec();
    let (_, &mut heaviest_out, _) =
        weights.select_nth_unstable_by(max_frames, |one, other| other.cmp(one));
    heaviest_out.saturating_add(1)
}

/// For each node what the first of two profiles has of its total weight.
struct Before(Vec<u64>);

impl Before {
    fn of(tree: &StackTree, own: &[u64]) -> Before {
        let mut totals = own.to_vec();
        for node in (1..totals.len()).rev() {
            totals[tree.parent(node as NodeId) as usize] += totals[node];
        }
        Before(totals)
    }

    fn total(&self, node: NodeId) -> u64 {
        self.0.get(node as usize).copied().unwrap_or(0)
    }
}

/// The nodes to keep but the root, by parent and then by name; a table of all
/// children of all nodes would be larger than the rest of the program.
struct Family(Vec<NodeId>);

impl Family {
    fn of(tree: &StackTree, frames: &FrameTable, keep: impl Fn(NodeId) -> bool) -> Family {
        let last = tree.len() as NodeId;
        // A child is never heavier than its parent, so no kept node is lost.
        let mut nodes: Vec<NodeId> = (1..last).filter(|&node| keep(node)).collect();
        let ranks = ranks(frames);
        nodes.sort_unstable_by_key(|&node| (tree.parent(node), ranks[tree.frame(node) as usize]));
        Family(nodes)
    }

    fn children(&self, tree: &StackTree, parent: NodeId) -> &[NodeId] {
        let start = self.0.partition_point(|&node| tree.parent(node) < parent);
        // Most have few children, so this is quicker than another bisection.
        let count = self.0[start..].iter().take_while(|&&node| tree.parent(node) == parent).count();
        &self.0[start..start + count]
    }
}

/// For each frame its place in the order of names: comparing these is quicker
/// than comparing names again and again.
fn ranks(frames: &FrameTable) -> Vec<u32> {
    let mut ids: Vec<FrameId> = (0..frames.len() as FrameId).collect();
    ids.sort_unstable_by_key(|&id| frames.name(id));
    let mut ranks = vec![0; ids.len()];
    for (rank, id) in (0..).zip(ids) {
        ranks[id as usize] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(lines: &[(&str, u64)], max_frames: usize) -> (Option<Profile>, FrameTable) {
        let (mut tree, mut frames) = (StackTree::default(), FrameTable::default());
        for (stack, weight) in lines {
            tree.add_stack(&mut frames, stack.as_bytes(), *weight).expect("small weights");
        }
        let profile = Profile::of_tree(&tree, &[], &frames, max_frames).expect("small weights");
        (profile, frames)
    }

    /// Each node as its name, depth, start, weight and self weight.
    fn nodes(profile: &Profile, frames: &FrameTable) -> Vec<(String, usize, u64, u64, u64)> {
        let name = |node: &Node| match node.frame {
            Some(frame) => String::from_utf8_lossy(frames.name(frame)).into_owned(),
            None => "all".to_owned(),
        };
        let nodes = profile.nodes.iter();
        nodes.map(|n| (name(n), n.depth, n.start, n.weight, n.self_weight)).collect()
    }

    fn named(
        name: &str,
        depth: usize,
        start: u64,
        weight: u64,
        own: u64,
    ) -> (String, usize, u64, u64, u64) {
        (name.to_owned(), depth, start, weight, own)
    }

    #[test]
    fn siblings_are_ordered_by_name_behind_the_weight_of_their_own() {
        let (profile, frames) = profile(&[("a;c", 5), ("a;b", 1), ("a", 2)], 9);
        let expected = [
            named("all", 0, 0, 8, 0),
            named("a", 1, 0, 8, 2),
            named("b", 2, 2, 1, 1),
            named("c", 2, 3, 5, 5),
        ];
        assert_eq!(nodes(&profile.expect("some weight"), &frames), expected);
    }

    #[test]
    fn a_light_frame_leaves_its_weight_to_its_parent() {
        let (profile, frames) = profile(&[("a;b;c", 1), ("a;b", 1), ("a;d", 98)], 9);
        let heavy = profile.expect("some weight").only(|weight| weight >= 3);
        let expected =
            [named("all", 0, 0, 100, 0), named("a", 1, 0, 100, 2), named("d", 2, 2, 98, 98)];
        assert_eq!(nodes(&heavy, &frames), expected);
        assert_eq!(heavy.left_out, LeftOut { frames: 2, weight: 2 });
    }

    #[test]
    fn the_heaviest_frames_are_kept() {
        let lines = [("a;b", 5), ("a;c", 3), ("d", 1), ("e", 1)];
        let (all, _) = profile(&lines, 5);
        assert_eq!(all.expect("some weight").nodes.len(), 6);
        let (some, frames) = profile(&lines, 4);
        let some = some.expect("some weight");
        // One of d and e would be a choice by chance.
        assert_eq!(nodes(&some, &frames).len(), 4);
        assert_eq!(some.left_out, LeftOut { frames: 2, weight: 2 });
        assert_eq!(some.nodes[0].self_weight, 2);
        let (all, _) = profile(&lines, 5);
        assert_eq!(all.expect("some weight").at_most(4).left_out, some.left_out);
    }

    #[test]
    fn what_weighs_nothing_is_no_part() {
        let (profile_of_a, frames) = profile(&[("a;b", 0), ("a", 1)], 9);
        let expected = [named("all", 0, 0, 1, 0), named("a", 1, 0, 1, 1)];
        assert_eq!(nodes(&profile_of_a.expect("some weight"), &frames), expected);
        assert_eq!(profile(&[("a;b", 0)], 9).0, None);
        assert_eq!(profile(&[], 9).0, None);
    }
}

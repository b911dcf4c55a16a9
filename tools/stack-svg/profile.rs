//! A profile in the order in which it is drawn: a parent before its children,
//! siblings from left to right.

use std::collections::HashSet;
use std::mem;

use common::Result;
use common::stacks::{FrameId, HeaviestTree, SortedStacks, TreeNode, with_room};

mod bottom_up;
pub(crate) mod cut;

/// A frame of a profile, with its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its name; `None` for the whole profile.
    pub(crate) frame: Option<FrameId>,
    pub(crate) depth: usize,
    /// The weight to the left of it.
    pub(crate) start: u64,
    pub(crate) weight: u64,
    /// The part of its weight that is in no child.
    pub(crate) self_weight: u64,
    /// The part of the weight, and of the self weight, that is of the first of
    /// two profiles; 0 if there is one profile.
    pub(crate) before: u64,
    pub(crate) self_before: u64,
}

impl Node {
    pub(crate) fn end(&self) -> u64 {
        self.start + self.weight
    }

    /// The part of the weight that is of the second of two profiles.
    pub(crate) fn after(&self) -> u64 {
        self.weight - self.before
    }
}

/// The frames of a profile, and those that were left out.
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
    /// What they weigh, each weight counted once.
    pub(crate) weight: u64,
}

impl Profile {
    /// The names that only roots have, of those with other frames on top.
    pub(crate) fn only_roots(&self) -> HashSet<FrameId> {
        let is_root = |node: &Node| node.depth == 1 && node.weight > node.self_weight;
        let names = |are_roots: bool| {
            let nodes = self.nodes.iter().filter(move |node| is_root(node) == are_roots);
            nodes.filter_map(|node| node.frame)
        };
        let mut roots: HashSet<FrameId> = names(true).collect();
        names(false).for_each(|frame| {
            roots.remove(&frame);
        });
        roots
    }

    /// The frames of all stacks, children in the order of their names; of more
    /// than `max_frames` the heaviest. `None` if nothing weighs anything.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    pub(crate) fn heaviest(
        stacks: &SortedStacks,
        before: Option<&SortedStacks>,
        max_frames: usize,
    ) -> Result<Option<Profile>> {
        let tree = HeaviestTree::new(stacks, max_frames)?;
        if tree.total == 0 {
            return Ok(None);
        }
        let mut nodes = with_room(tree.nodes.len() + 1);
        nodes.push(Node { weight: tree.total, ..Node::default() });
        nodes.extend(tree.nodes.iter().map(|node| Node {
            frame: Some(node.frame),
            depth: node.depth as usize,
            weight: node.total,
            ..Node::default()
        }));
        let mut cut_before = vec![0; nodes.len()];
        if let Some(before) = before {
            add_before(before, &tree.nodes, &mut nodes, &mut cut_before);
        }
        let is_cut = tree.left_out > 0;
        let weight = if is_cut { insert_cut(&tree.nodes, &cut_before, &mut nodes) } else { 0 };
        add_up(&mut nodes);
        place(&mut nodes);
        let left_out = LeftOut { frames: tree.left_out, weight };
        Ok(Some(Profile { nodes, left_out }))
    }

    /// The profile without the frames whose weight `keep` refuses; it must
    /// accept every weight above one that it accepts.
    pub(crate) fn only(&self, keep: impl Fn(u64) -> bool) -> Profile {
        self.without(|node| !keep(node.weight))
    }

    /// The profile without the frames deeper than `most`.
    pub(crate) fn no_deeper(&self, most: usize) -> Profile {
        self.without(|node| node.depth > most)
    }

    /// The profile without some frames. `is_left_out` must be true for all frames on top of one
    /// that is left out, too.
    fn without(&self, is_left_out: impl Fn(&Node) -> bool) -> Profile {
        let mut kept: Vec<Node> = Vec::new();
        let mut left_out = LeftOut::default();
        let mut open: Vec<usize> = Vec::new();
        for node in &self.nodes {
            open.truncate(node.depth);
            if node.depth == 0 || !is_left_out(node) {
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

    pub(crate) fn total(&self) -> u64 {
        self.nodes[0].weight
    }

    /// For each frame, its parent; the whole is its own.
    pub(crate) fn parents(&self) -> Vec<u32> {
        let mut open: Vec<u32> = Vec::new();
        let parent = |(node, number): (&Node, u32)| {
            open.truncate(node.depth);
            let parent = open.last().copied().unwrap_or(0);
            open.push(number);
            parent
        };
        self.nodes.iter().zip(0..).map(parent).collect()
    }
}

/// Which frames of these weights are the `max_frames` heaviest; of equal weights, the first. `None`
/// if all of them are.
fn heaviest_of(weights: &[u64], max_frames: usize) -> Option<Vec<bool>> {
    if weights.len() <= max_frames {
        return None;
    }
    let mut sorted = weights.to_vec();
    let (_, &mut lightest, _) =
        sorted.select_nth_unstable_by(max_frames, |one, other| other.cmp(one));
    let heavier = weights.iter().filter(|&&weight| weight > lightest).count();
    let mut room = max_frames - heavier;
    let is_kept = |&weight: &u64| {
        let is_last = weight == lightest && room > 0;
        room -= usize::from(is_last);
        weight > lightest || is_last
    };
    Some(weights.iter().map(is_kept).collect())
}

/// Adds the weights of the first profile to the self weights of the nodes. A stack belongs to the
/// node where it ends or, if that was cut off, to the cut weight of the last node that was kept.
///
/// `nodes` are the whole and then those of `tree`, in the same order, and so are `cut`.
fn add_before(stacks: &SortedStacks, tree: &[TreeNode], nodes: &mut [Node], cut: &mut [u64]) {
    let mut next = tree.iter().zip(1..).peekable();
    let mut path = vec![0];
    for stack in stacks.iter() {
        path.truncate(stack.shared + 1);
        // If a frame was left out, so were all frames on top of it.
        for (&frame, depth) in stack.frames.iter().zip(1..).skip(path.len() - 1) {
            let is_here =
                |(node, _): &(&TreeNode, usize)| (node.depth, node.frame) == (depth, frame);
            let Some((_, place)) = next.next_if(is_here) else { break };
            path.push(place);
        }
        let last = path[path.len() - 1];
        match path.len() > stack.frames.len() {
            true => nodes[last].self_before += stack.weight,
            false => cut[last] += stack.weight,
        }
    }
}

/// Inserts a frame for what was cut off after each node that lost some of its children; returns the
/// weight of these frames together.
fn insert_cut(tree: &[TreeNode], cut_before: &[u64], nodes: &mut Vec<Node>) -> u64 {
    add_up(nodes);
    let whole = mem::take(nodes);
    let own = std::iter::once(0).chain(tree.iter().map(|node| node.weight));
    let mut weight = 0;
    for ((mut node, own), &before) in whole.into_iter().zip(own).zip(cut_before) {
        node.before = 0;
        let lost = node.self_weight - own;
        nodes.push(node);
        if lost > 0 {
            nodes.push(cut::cut_off(node.depth + 1, 0, lost, before));
            weight += lost;
        }
    }
    weight
}

/// Computes self weights from the weights, and the weights of the first profile
/// from its self weights.
fn add_up(nodes: &mut [Node]) {
    // For each depth, the sum of the nodes whose parent is still to come.
    let deepest = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let mut children = vec![(0, 0); deepest + 2];
    for node in nodes.iter_mut().rev() {
        let (weight, before) = mem::take(&mut children[node.depth + 1]);
        node.self_weight = node.weight - weight;
        node.before = node.self_before + before;
        let siblings = &mut children[node.depth];
        siblings.0 += node.weight;
        siblings.1 += node.before;
    }
}

/// Computes where each node starts: its parent's self weight comes first, then
/// its siblings.
fn place(nodes: &mut [Node]) {
    // For each depth, where the next node starts.
    let mut next = vec![0];
    for node in nodes {
        next.truncate(node.depth + 1);
        node.start = next[node.depth];
        next[node.depth] += node.weight;
        next.push(node.start + node.self_weight);
    }
}

#[cfg(test)]
mod tests {
    use common::stacks::{FrameTable, StackCounts};

    use super::*;

    fn profile(lines: &[(&str, u64)], max_frames: usize) -> (Option<Profile>, FrameTable) {
        let mut counts = StackCounts::default();
        for (stack, weight) in lines {
            counts.add(stack.as_bytes(), *weight);
        }
        let stacks = counts.into_sorted();
        let mut profile = Profile::heaviest(&stacks, None, max_frames).expect("small weights");
        let mut frames = stacks.into_frames();
        let name = frames.intern(cut::CUT);
        profile.iter_mut().for_each(|profile| profile.name_cut(name));
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
        // Of d and e, which weigh the same, the first is kept.
        let expected = [
            named("all", 0, 0, 10, 0),
            named("[cut]", 1, 0, 1, 1),
            named("a", 1, 1, 8, 0),
            named("b", 2, 1, 5, 5),
            named("c", 2, 6, 3, 3),
            named("d", 1, 9, 1, 1),
        ];
        assert_eq!(nodes(&some, &frames), expected);
        assert_eq!(some.left_out, LeftOut { frames: 1, weight: 1 });
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

    #[test]
    fn two_profiles_are_told_apart_in_every_frame() {
        let (mut both, mut first) = (StackCounts::default(), StackCounts::default());
        let lines = [("a;b", 1, 9), ("a;c;d", 3, 0), ("a;c;e", 1, 1), ("a", 5, 2), ("f;b", 0, 80)];
        for (stack, before, after) in lines {
            both.add(stack.as_bytes(), before + after);
            first.add(stack.as_bytes(), before);
        }
        let (both, first) = (both.into_sorted(), first.into_sorted());
        let before = |max_frames| {
            let profile = Profile::heaviest(&both, Some(&first), max_frames);
            let profile = profile.expect("small weights");
            let nodes = profile.expect("some weight").nodes;
            nodes.iter().map(|n| (n.weight, n.before, n.self_before)).collect::<Vec<_>>()
        };
        let whole = [
            (102, 10, 0),
            (22, 10, 5),
            (10, 1, 1),
            (5, 4, 0),
            (3, 3, 3),
            (2, 1, 1),
            (80, 0, 0),
            (80, 0, 0),
        ];
        assert_eq!(before(9), whole);
        // What was cut off from a is apart from the weight of a itself.
        let cut = (5, 4, 4);
        let kept = [(102, 10, 0), (22, 10, 5), cut, (10, 1, 1), (80, 0, 0), (80, 0, 0)];
        assert_eq!(before(4), kept);
    }
}

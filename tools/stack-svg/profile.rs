//! A profile in the order in which it is drawn: a parent before its children,
//! siblings from left to right.

use std::collections::HashSet;
use std::mem;

use common::Result;
use common::stacks::{FrameId, HeaviestTree, SortedStacks, TreeNode, with_room};

mod before;
mod bottom_up;
pub(crate) mod cut;

pub(crate) use before::Before;

/// A frame of a profile, with its position. There may be millions, so it is kept small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its name; that of the whole profile means nothing.
    pub(crate) name: FrameId,
    pub(crate) depth: u32,
    /// The weight to the left of it.
    pub(crate) start: u64,
    pub(crate) weight: u64,
    /// The part of its weight that is in no child.
    pub(crate) self_weight: u64,
}

impl Node {
    /// Its name; `None` for the whole profile.
    pub(crate) fn frame(&self) -> Option<FrameId> {
        (self.depth > 0).then_some(self.name)
    }

    pub(crate) fn end(&self) -> u64 {
        self.start + self.weight
    }
}

/// The frames of a profile, and those that were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    /// The first is the whole, at depth 0.
    pub(crate) nodes: Vec<Node>,
    /// For each of these, its part in the first of two profiles; empty if there is one profile.
    before: Vec<Before>,
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
    /// One profile, with all its frames.
    pub(crate) fn new(nodes: Vec<Node>) -> Profile {
        Profile { nodes, before: Vec::new(), left_out: LeftOut::default() }
    }

    /// The part of a node in the first of two profiles; nothing if there is one profile.
    pub(crate) fn before(&self, index: usize) -> Before {
        self.before.get(index).copied().unwrap_or_default()
    }

    /// The names that only roots have, of those with other frames on top; ids are below `names`.
    pub(crate) fn only_roots(&self, names: usize) -> HashSet<FrameId> {
        let (mut roots, mut is_elsewhere) = (HashSet::new(), vec![false; names]);
        for node in &self.nodes[1..] {
            if node.depth == 1 && node.weight > node.self_weight {
                roots.insert(node.name);
            } else {
                is_elsewhere[node.name as usize] = true;
            }
        }
        roots.retain(|&name| !is_elsewhere[name as usize]);
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
        let nodes = with_room(1 + tree.len() + tree.cuts());
        let mut placed = Placed { nodes, now: 0, cut: 0 };
        placed.push(Node { weight: tree.total, ..Node::default() }, tree.cut);
        tree.nodes().for_each(|TreeNode { frame, depth, weight, total, cut }| {
            let node = Node { name: frame, depth, start: 0, weight: total, self_weight: weight };
            placed.push(node, cut);
        });
        let Placed { nodes, cut, .. } = placed;
        let left_out = LeftOut { frames: tree.left_out, weight: cut };
        let before = before.map_or_else(Vec::new, |before| before::parts_in(before, &nodes));
        Ok(Some(Profile { nodes, before, left_out }))
    }

    /// The profile without the frames whose weight `keep` refuses; it must
    /// accept every weight above one that it accepts.
    pub(crate) fn only(&self, keep: impl Fn(u64) -> bool) -> Profile {
        self.without(|node| !keep(node.weight))
    }

    /// The profile without the frames deeper than `most`.
    pub(crate) fn no_deeper(&self, most: usize) -> Profile {
        self.without(|node| node.depth as usize > most)
    }

    /// The profile without some frames. `is_left_out` must be true for all frames on top of one
    /// that is left out, too.
    fn without(&self, is_left_out: impl Fn(&Node) -> bool) -> Profile {
        let (mut kept, mut before) = (Vec::<Node>::new(), Vec::<Before>::new());
        let mut left_out = LeftOut::default();
        let mut open: Vec<usize> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            open.truncate(node.depth as usize);
            if node.depth == 0 || !is_left_out(node) {
                open.push(kept.len());
                kept.push(*node);
                before.extend(self.before.get(index));
            } else if let Some(&below) = open.last() {
                left_out.frames += 1;
                left_out.weight += node.self_weight;
                kept[below].self_weight += node.self_weight;
                if let Some(below) = before.get_mut(below) {
                    below.self_weight += self.before[index].self_weight;
                }
            }
        }
        Profile { nodes: kept, before, left_out }
    }

    pub(crate) fn total(&self) -> u64 {
        self.nodes[0].weight
    }

    /// For each frame, its parent; the whole is its own.
    pub(crate) fn parents(&self) -> Vec<u32> {
        let mut open: Vec<u32> = Vec::new();
        let parent = |(node, number): (&Node, u32)| {
            open.truncate(node.depth as usize);
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

/// Nodes under construction, a parent before its children: the self weight of each is at its left,
/// before its children, so it starts where all self weights so far end.
struct Placed {
    nodes: Vec<Node>,
    /// The sum of the self weights.
    now: u64,
    /// What the frames for what was cut off weigh together.
    cut: u64,
}

impl Placed {
    /// Adds a node, of which `start` is not known yet, and if something was cut off from it, a frame
    /// of this weight on it.
    fn push(&mut self, node: Node, cut: u64) {
        self.nodes.push(Node { start: self.now, ..node });
        self.now += node.self_weight;
        if cut > 0 {
            self.nodes.push(cut::cut_off(node.depth + 1, self.now, cut));
            self.now += cut;
            self.cut += cut;
        }
    }
}

/// Computes self weights from the weights.
fn add_up(nodes: &mut [Node]) {
    let mut children = Children::of(nodes);
    for node in nodes.iter_mut().rev() {
        node.self_weight = node.weight - children.take(node);
        children.add(node, node.weight);
    }
}

/// For each depth, the sum of the nodes whose parent is still to come, from the last node to the
/// first.
struct Children(Vec<u64>);

impl Children {
    fn of(nodes: &[Node]) -> Children {
        let deepest = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        Children(vec![0; deepest as usize + 2])
    }

    /// The sum of the children of a node.
    fn take(&mut self, node: &Node) -> u64 {
        mem::take(&mut self.0[node.depth as usize + 1])
    }

    fn add(&mut self, node: &Node, weight: u64) {
        self.0[node.depth as usize] += weight;
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
        let name = |node: &Node| match node.frame() {
            Some(frame) => String::from_utf8_lossy(frames.name(frame)).into_owned(),
            None => "all".to_owned(),
        };
        let nodes = profile.nodes.iter();
        nodes.map(|n| (name(n), n.depth as usize, n.start, n.weight, n.self_weight)).collect()
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
            let Profile { nodes, before, .. } = profile.expect("some weight");
            let parts = nodes.iter().zip(&before);
            parts.map(|(n, part)| (n.weight, part.weight, part.self_weight)).collect::<Vec<_>>()
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

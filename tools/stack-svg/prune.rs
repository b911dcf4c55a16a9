//! From the whole tree to the frames that are wide enough to be seen.

use std::str::FromStr;

use common::{FrameId, FrameTable, NodeId, Result, StackTree};

/// The width below which a frame is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MinWidth {
    Pixels(f64),
    Percent(f64),
}

impl FromStr for MinWidth {
    type Err = String;

    /// `0.1` is pixels, `0.1%` a share of the whole weight.
    fn from_str(text: &str) -> Result<MinWidth, String> {
        let (number, unit): (_, fn(f64) -> MinWidth) = match text.strip_suffix('%') {
            Some(percent) => (percent, MinWidth::Percent),
            None => (text, MinWidth::Pixels),
        };
        match number.trim_end().parse() {
            Ok(value) if (0.0..=1e9).contains(&value) => Ok(unit(value)),
            _ => Err("expected pixels such as 0.1, or a share such as 0.1%".to_owned()),
        }
    }
}

impl MinWidth {
    /// The width as a share of all frames, which are `pixels` wide together.
    pub(crate) fn share_of(self, pixels: usize) -> f64 {
        match self {
            MinWidth::Pixels(width) => width / pixels as f64,
            MinWidth::Percent(percent) => percent / 100.0,
        }
    }
}

/// A tree without its narrow frames.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pruned {
    /// What is drawn, a parent before its children and those in the order of
    /// their names; the first is the whole, at depth 0.
    pub(crate) boxes: Vec<Drawn>,
    /// How many frames are not drawn.
    pub(crate) narrow_frames: u64,
    /// What these weigh, each weight counted once. It is part of the self
    /// weight of the frames below them, so that shares stay right.
    pub(crate) narrow_weight: u64,
}

/// A frame that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Its name; the whole has none.
    pub(crate) frame: Option<FrameId>,
    pub(crate) depth: usize,
    pub(crate) weight: u64,
    /// What is not covered by drawn children.
    pub(crate) self_weight: u64,
}

impl Pruned {
    pub(crate) fn total(&self) -> u64 {
        self.boxes[0].weight
    }

    /// The boxes in the order in which they end from left to right; of those
    /// that end at one place, the lowest first.
    pub(crate) fn by_end(&self) -> Vec<Drawn> {
        let mut ended = Vec::with_capacity(self.boxes.len());
        let mut open = Vec::new();
        for drawn in &self.boxes {
            ended.extend(open.drain(drawn.depth.min(open.len())..));
            open.push(*drawn);
        }
        ended.extend(open);
        ended
    }
}

/// Leaves out what is narrower than the share `narrow` of the whole, and what
/// weighs nothing; `None` if nothing weighs anything.
///
/// # Errors
///
/// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
pub(crate) fn prune(tree: &StackTree, frames: &FrameTable, narrow: f64) -> Result<Option<Pruned>> {
    let weights = tree.total_weights()?;
    let total = weights[StackTree::ROOT as usize];
    if total == 0 {
        return Ok(None);
    }
    let weight = |node: NodeId| weights[node as usize];
    let wide = |node: NodeId| weight(node) > 0 && weight(node) as f64 / total as f64 >= narrow;

    let family = Family::of(tree, frames, wide);
    let mut pruned = Pruned { boxes: Vec::new(), narrow_frames: 0, narrow_weight: 0 };
    let mut pending = vec![(StackTree::ROOT, 0)];
    while let Some((node, depth)) = pending.pop() {
        let children = family.children(tree, node);
        let covered: u64 = children.iter().map(|&child| weight(child)).sum();
        let self_weight = weight(node) - covered;
        pruned.narrow_weight += self_weight - tree.self_weight(node);
        let frame = (node != StackTree::ROOT).then(|| tree.frame(node));
        pruned.boxes.push(Drawn { frame, depth, weight: weight(node), self_weight });
        pending.extend(children.iter().rev().map(|&child| (child, depth + 1)));
    }
    pruned.narrow_frames = (tree.len() - pruned.boxes.len()) as u64;
    Ok(Some(pruned))
}

/// The drawn nodes but the root, by parent and then by name; a table of all
/// children of all nodes would be larger than the rest of the program.
struct Family(Vec<NodeId>);

impl Family {
    fn of(tree: &StackTree, frames: &FrameTable, wide: impl Fn(NodeId) -> bool) -> Family {
        let last = tree.len() as NodeId;
        // A child is never wider than its parent, so no drawn node is lost.
        let mut nodes: Vec<NodeId> = (1..last).filter(|&node| wide(node)).collect();
        let place = |&node: &NodeId| (tree.parent(node), frames.name(tree.frame(node)));
        nodes.sort_unstable_by(|a, b| place(a).cmp(&place(b)));
        Family(nodes)
    }

    fn children(&self, tree: &StackTree, parent: NodeId) -> &[NodeId] {
        let start = self.0.partition_point(|&node| tree.parent(node) < parent);
        let count = self.0[start..].partition_point(|&node| tree.parent(node) == parent);
        &self.0[start..start + count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pruned(lines: &[(&str, u64)], narrow: f64) -> (Option<Pruned>, FrameTable) {
        let (mut tree, mut frames) = (StackTree::default(), FrameTable::default());
        for (stack, weight) in lines {
            tree.add_stack(&mut frames, stack.as_bytes(), *weight).expect("small weights");
        }
        (prune(&tree, &frames, narrow).expect("small weights"), frames)
    }

    /// Each box as its name, depth, weight and self weight.
    fn boxes(lines: &[(&str, u64)], narrow: f64) -> Vec<(String, usize, u64, u64)> {
        let (pruned, frames) = pruned(lines, narrow);
        let name = |drawn: &Drawn| match drawn.frame {
            Some(frame) => String::from_utf8_lossy(frames.name(frame)).into_owned(),
            None => "all".to_owned(),
        };
        let boxes = pruned.expect("some weight").boxes;
        boxes.iter().map(|b| (name(b), b.depth, b.weight, b.self_weight)).collect()
    }

    fn named(name: &str, depth: usize, weight: u64, own: u64) -> (String, usize, u64, u64) {
        (name.to_owned(), depth, weight, own)
    }

    #[test]
    fn siblings_are_ordered_by_name() {
        let expected =
            [named("all", 0, 6, 0), named("a", 1, 6, 0), named("b", 2, 1, 1), named("c", 2, 5, 5)];
        assert_eq!(boxes(&[("a;c", 5), ("a;b", 1)], 0.0), expected);
    }

    #[test]
    fn a_narrow_frame_leaves_its_weight_to_its_parent() {
        let lines = [("a;b;c", 1), ("a;b", 1), ("a;d", 98)];
        let expected = [named("all", 0, 100, 0), named("a", 1, 100, 2), named("d", 2, 98, 98)];
        assert_eq!(boxes(&lines, 0.03), expected);
        let (pruned, _) = pruned(&lines, 0.03);
        let pruned = pruned.expect("some weight");
        assert_eq!((pruned.narrow_frames, pruned.narrow_weight), (2, 2));
    }

    #[test]
    fn a_frame_as_wide_as_the_least_width_is_drawn() {
        assert_eq!(boxes(&[("a", 1), ("b", 99)], 0.01).len(), 3);
        assert_eq!(boxes(&[("a", 1), ("b", 99)], 0.010_001).len(), 2);
    }

    #[test]
    fn what_weighs_nothing_is_not_drawn() {
        assert_eq!(
            boxes(&[("a;b", 0), ("a", 1)], 0.0),
            [named("all", 0, 1, 0), named("a", 1, 1, 1)]
        );
        assert_eq!(pruned(&[("a;b", 0)], 0.0).0, None);
        assert_eq!(pruned(&[], 0.0).0, None);
    }

    #[test]
    fn boxes_that_end_together_are_lowest_first() {
        let (pruned, frames) = pruned(&[("a;b;c", 1), ("a;d", 1), ("e", 1)], 0.0);
        let ended = pruned.expect("some weight").by_end();
        let names = ended.iter().map(|drawn| drawn.frame.map_or(&b"all"[..], |id| frames.name(id)));
        assert_eq!(names.collect::<Vec<_>>().concat(), b"bcadalle");
    }

    #[test]
    fn widths_are_pixels_or_percent() {
        assert_eq!("0.1".parse(), Ok(MinWidth::Pixels(0.1)));
        assert_eq!("2%".parse(), Ok(MinWidth::Percent(2.0)));
        for wrong in ["", "%", "px", "-1", "NaN", "inf", "1%%"] {
            assert!(wrong.parse::<MinWidth>().is_err(), "{wrong}");
        }
        assert_eq!(MinWidth::Pixels(1.0).share_of(1000), 0.001);
        assert_eq!(MinWidth::Percent(0.1).share_of(1000), 0.001);
    }
}

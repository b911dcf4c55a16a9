//! What `--max-frames` cut off is a frame of its own, `[cut]`, on each frame that lost something.
//! So self weights stay right, and one sees where something is missing.

use common::{numbers::grouped, stacks::FrameId};

use crate::numbers::percent;

use super::{LeftOut, Node, Profile, heaviest_of};

/// The name of the frame.
pub(crate) const CUT: &[u8] = b"[cut]";

/// Replaces the name as long as it has no number.
pub(super) const UNNAMED: FrameId = FrameId::MAX;

/// A frame with the weight that was cut off from another at this depth.
pub(super) fn cut_off(depth: u32, start: u64, weight: u64) -> Node {
    Node { name: UNNAMED, depth, start, weight, self_weight: weight }
}

impl Profile {
    /// Whether anything was cut off.
    pub(crate) fn is_cut(&self) -> bool {
        self.left_out.frames > 0
    }

    /// Gives the name to the frames for what was cut off.
    pub(crate) fn name_cut(&mut self, name: FrameId) {
        let cut = self.nodes.iter_mut().filter(|node| node.name == UNNAMED);
        cut.for_each(|node| node.name = name);
    }

    /// The heaviest frames of a chart, at most `max_frames` besides the whole. Between two of them
    /// there is at most one frame for what was cut off there.
    pub(crate) fn at_most(self, max_frames: usize) -> Profile {
        let weights: Vec<u64> = self.nodes[1..].iter().map(|node| node.weight).collect();
        match heaviest_of(&weights, max_frames) {
            None => self,
            Some(are_kept) => self.cut_to(&are_kept),
        }
    }

    /// Keeps the frames for which `are_kept` is true. It has no entry for the whole, which is
    /// always kept.
    fn cut_to(&self, are_kept: &[bool]) -> Profile {
        let mut kept: Vec<Node> = Vec::new();
        let mut left_out = LeftOut::default();
        // How many frames are open, the whole included.
        let mut open = 0;
        let are_kept = std::iter::once(true).chain(are_kept.iter().copied());
        for (node, is_kept) in self.nodes.iter().zip(are_kept) {
            open = open.min(node.depth);
            if is_kept {
                open += 1;
                kept.push(*node);
                continue;
            }
            left_out.frames += 1;
            left_out.weight += node.self_weight;
            // A frame on top of one that was cut off is part of its weight.
            if node.depth > open {
                continue;
            }
            match kept.last_mut() {
                Some(last) if last.name == UNNAMED && last.depth == node.depth => {
                    last.weight += node.weight;
                    last.self_weight += node.weight;
                }
                _ => kept.push(cut_off(node.depth, node.start, node.weight)),
            }
        }
        Profile { left_out, ..Profile::new(kept) }
    }
}

impl LeftOut {
    /// The message about frames that `--max-frames` cut, if it cut any.
    pub(crate) fn cut_words(self, total: u64) -> Option<String> {
        let words = || format!("{} cut by --max-frames, and drawn as [cut]", self.are(total));
        (self.frames > 0).then(words)
    }

    /// `4 frames (0.7% of the weight) are`.
    pub(crate) fn are(self, total: u64) -> String {
        let (noun, verb) = if self.frames == 1 { ("frame", "is") } else { ("frames", "are") };
        let share = percent(self.weight, total);
        format!("{} {noun} ({share} of the weight) {verb}", grouped(self.frames))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes as depth, start, weight and own weight; whether it is [cut].
    fn shape(profile: &Profile) -> Vec<(u32, u64, u64, u64, bool)> {
        let is_cut = |node: &Node| node.name == UNNAMED;
        let nodes = profile.nodes.iter();
        nodes.map(|n| (n.depth, n.start, n.weight, n.self_weight, is_cut(n))).collect()
    }

    #[test]
    fn in_a_chart_cut_frames_stay_where_they_were() {
        let node =
            |depth, start, weight, self_weight| Node { name: 0, depth, start, weight, self_weight };
        let nodes = vec![
            node(0, 0, 100, 0),
            node(1, 0, 60, 10),
            node(2, 0, 1, 0),
            node(3, 0, 1, 1),
            node(2, 5, 2, 2),
            node(2, 8, 47, 47),
            node(2, 56, 1, 1),
            node(1, 60, 3, 3),
            node(1, 63, 37, 37),
        ];
        let chart = Profile::new(nodes).at_most(3);
        let expected = [
            (0, 0, 100, 0, false),
            (1, 0, 60, 10, false),
            (2, 0, 3, 3, true),
            (2, 8, 47, 47, false),
            (2, 56, 1, 1, true),
            (1, 60, 3, 3, true),
            (1, 63, 37, 37, false),
        ];
        assert_eq!(shape(&chart), expected);
        assert_eq!(chart.left_out, LeftOut { frames: 5, weight: 7 });
    }
}

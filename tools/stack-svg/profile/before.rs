//! Which part of each frame is of the first of two profiles.

use common::stacks::{SortedStacks, filled};

use super::{Children, Node, cut};

/// The part of the weight of a frame, and of its self weight, that is of the first of two profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) weight: u64,
    pub(crate) self_weight: u64,
}

/// The parts of nodes that are of the first of two profiles, which is `stacks`. A stack belongs to
/// the node where it ends or, if that was cut off, to the frame for what was cut off from the last
/// node that was kept.
pub(super) fn parts_in(stacks: &SortedStacks, nodes: &[Node]) -> Vec<Before> {
    let mut before = filled(Before::default(), nodes.len());
    let named = nodes.iter().enumerate().skip(1).filter(|(_, node)| node.name != cut::UNNAMED);
    let mut next = named.peekable();
    let mut path = vec![0];
    for stack in stacks.iter() {
        path.truncate(stack.shared + 1);
        // If a frame was left out, so were all frames on top of it.
        for (&frame, depth) in stack.frames.iter().zip(1..).skip(path.len() - 1) {
            let is_here = |(_, node): &(usize, &Node)| (node.depth, node.name) == (depth, frame);
            let Some((place, _)) = next.next_if(is_here) else { break };
            path.push(place);
        }
        let last = path[path.len() - 1];
        let is_kept = path.len() > stack.frames.len();
        // What weighs nothing was cut off without a frame for it.
        if stack.weight > 0 {
            before[if is_kept { last } else { last + 1 }].self_weight += stack.weight;
        }
    }
    add_up(nodes, &mut before);
    before
}

/// Computes the weights of the first of two profiles from its self weights.
pub(super) fn add_up(nodes: &[Node], before: &mut [Before]) {
    let mut children = Children::of(nodes);
    for (node, before) in nodes.iter().zip(before).rev() {
        before.weight = before.self_weight + children.take(node);
        children.add(node, before.weight);
    }
}

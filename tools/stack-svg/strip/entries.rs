//! The weights by stack, lane and step, as the script reads them.

use common::folded::Frames;
use common::stacks::{FrameId, FrameTable};
use hashbrown::HashMap;

use crate::base32::push_number;
use crate::profile::Profile;
use crate::profile::cut::CUT;

use super::clock::Clock;

/// What the stacks that end in a frame weigh in a lane and a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) node: u32,
    pub(super) lane: u32,
    pub(super) step: u32,
    pub(super) weight: u64,
}

/// For each stack, which is folded text, the node of the profile that has its weight: where it
/// ends, or where it was cut off.
pub(super) fn nodes_of(stacks: &FrameTable, profile: &Profile, frames: &FrameTable) -> Vec<u32> {
    let of_nodes = profile.parents().into_iter().zip(&profile.nodes).zip(0..);
    let kids: HashMap<(u32, FrameId), u32> = of_nodes
        .filter_map(|((parent, node), number)| Some(((parent, node.frame()?), number)))
        .collect();
    let cut = frames.find(CUT);
    let kid = |node: u32, frame: Option<FrameId>| kids.get(&(node, frame?)).copied();
    let node_of = |stack: &[u8]| {
        let mut node = 0;
        for name in Frames::new(stack) {
            match kid(node, frames.find(name)) {
                Some(found) => node = found,
                None => return kid(node, cut).unwrap_or(node),
            }
        }
        node
    };
    (0..stacks.len() as FrameId).map(|stack| node_of(stacks.name(stack))).collect()
}

/// All entries, in their order.
pub(super) fn of(clock: &Clock, nodes: &[u32], lanes: &[u32]) -> Vec<Entry> {
    let entry = |(key, cell, weight): (super::Key, u64, u64)| Entry {
        node: nodes[key.stack as usize],
        lane: lanes[key.value as usize],
        step: cell as u32,
        weight,
    };
    let mut entries: Vec<Entry> = clock.cells.iter().map(entry).collect();
    entries.sort_unstable();
    // Stacks that were cut off at the same frame, and values that share a lane, become one.
    entries.dedup_by(|next, kept| {
        let is_same = (next.node, next.lane, next.step) == (kept.node, kept.lane, kept.step);
        if is_same {
            kept.weight += next.weight;
        }
        is_same
    });
    entries
}

/// The entries as numbers. For each node and lane: the distance of the node from the last one, the
/// lane, the number of steps, and for each step its distance from the last one and its weight.
pub(super) fn text(entries: &[Entry]) -> String {
    let mut text = String::with_capacity(entries.len() * 3);
    let mut last = 0;
    for group in entries.chunk_by(|one, other| (one.node, one.lane) == (other.node, other.lane)) {
        push_number(u64::from(group[0].node - last), &mut text);
        push_number(u64::from(group[0].lane), &mut text);
        push_number(group.len() as u64, &mut text);
        last = group[0].node;
        let mut before = 0;
        for entry in group {
            push_number(u64::from(entry.step - before), &mut text);
            push_number(entry.weight, &mut text);
            before = entry.step;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_node_and_a_lane_are_one_list() {
        let entry = |node, lane, step, weight| Entry { node, lane, step, weight };
        let entries = [entry(2, 0, 0, 5), entry(2, 0, 3, 1), entry(2, 1, 3, 1), entry(4, 0, 40, 2)];
        assert_eq!(text(&entries), "202".to_owned() + "0531" + "011" + "31" + "201" + "E12");
        assert_eq!(text(&[]), "");
    }
}

//! Distinct stacks as numbers.

use crate::stacks::run_order::{Placed, sort_runs};
use crate::{stacks::FrameId, stacks::room::Room};

/// Distinct stacks with their weights, in the order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct DistinctStacks {
    /// The frames of all stacks, one after another.
    ids: Vec<FrameId>,
    stacks: Vec<Stack>,
}

/// What is known of a stack besides its frames. It is in one place, as stacks are looked up in any
/// order.
#[derive(Clone, Copy, Debug)]
struct Stack {
    /// Where it ends in `ids`; it starts where the one before ends.
    end: usize,
    weight: u64,
}

impl DistinctStacks {
    /// Adds a stack that was not added before, and returns its number.
    pub(crate) fn push(&mut self, ids: &[FrameId], weight: u64) -> u32 {
        let stack = u32::try_from(self.stacks.len()).expect("fewer than 2^32 distinct stacks");
        self.ids.make_room(ids.len());
        self.ids.extend_from_slice(ids);
        self.stacks.make_room(1);
        self.stacks.push(Stack { end: self.ids.len(), weight });
        stack
    }

    /// The weight of a stack, to which more can be added.
    #[inline]
    pub(crate) fn sum_of(&mut self, stack: u32) -> &mut u64 {
        &mut self.stacks[stack as usize].weight
    }

    #[inline]
    pub(crate) fn ids_of(&self, stack: u32) -> &[FrameId] {
        let index = stack as usize;
        let start = if index == 0 { 0 } else { self.stacks[index - 1].end };
        &self.ids[start..self.stacks[index].end]
    }

    pub(crate) fn weight_of(&self, stack: u32) -> u64 {
        self.stacks[stack as usize].weight
    }

    pub(crate) fn for_each_mut(&mut self, mut each: impl FnMut(&mut [FrameId])) {
        let mut start = 0;
        for &Stack { end, .. } in &self.stacks {
            each(&mut self.ids[start..end]);
            start = end;
        }
    }

    /// All stacks in the order of their ids, which are below `count`.
    pub(crate) fn order(&self, count: u32) -> Vec<Placed> {
        sort_runs(self.stacks.len() as u32, count, |stack| self.ids_of(stack))
    }
}

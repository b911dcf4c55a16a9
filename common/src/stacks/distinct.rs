//! Distinct stacks as numbers.

use crate::stacks::run_order::{Placed, sort_runs};
use crate::{Error, FrameId, Result};

/// DistinctStacks with their weights, in the order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct DistinctStacks {
    /// The frames of all of them, one after another.
    ids: Vec<FrameId>,
    /// Where each ends in `ids`; it starts where the one before ends.
    ends: Vec<usize>,
    weights: Vec<u64>,
}

impl DistinctStacks {
    /// Adds a stack that is not here yet, and numbers it.
    pub(crate) fn push(&mut self, ids: &[FrameId], weight: u64) -> u32 {
        let stack = u32::try_from(self.ends.len()).expect("fewer than 2^32 distinct stacks");
        self.ids.extend_from_slice(ids);
        self.ends.push(self.ids.len());
        self.weights.push(weight);
        stack
    }

    pub(crate) fn add(&mut self, stack: u32, weight: u64) -> Result<()> {
        let sum = &mut self.weights[stack as usize];
        *sum = sum.checked_add(weight).ok_or(Error::Overflow)?;
        Ok(())
    }

    #[inline]
    pub(crate) fn ids_of(&self, stack: u32) -> &[FrameId] {
        let index = stack as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.ids[start..self.ends[index]]
    }

    pub(crate) fn weight_of(&self, stack: u32) -> u64 {
        self.weights[stack as usize]
    }

    pub(crate) fn for_each_mut(&mut self, mut each: impl FnMut(&mut [FrameId])) {
        let mut start = 0;
        for &end in &self.ends {
            each(&mut self.ids[start..end]);
            start = end;
        }
    }

    /// All stacks in the order of their ids, which are below `count`.
    pub(crate) fn order(&self, count: u32) -> Vec<Placed> {
        sort_runs(self.ends.len() as u32, count, |stack| self.ids_of(stack))
    }
}

//! A part of what is charged to a function.

use common::stacks::FrameId;

use crate::profile::{Profile, Stack};

/// A stack that is charged to a function. There may be a million of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'p> {
    pub(crate) frames: &'p [FrameId],
    pub(crate) weight: u64,
    at: u32,
    column: u32,
}

impl<'p> Part<'p> {
    /// A stack whose frame at this index is charged.
    pub(crate) fn of(stack: &Stack<'p>, at: usize) -> Part<'p> {
        let Stack { column, frames, weight, .. } = *stack;
        Part { frames, weight, at: at as u32, column: column as u32 }
    }

    /// The index of the frame that is charged.
    pub(crate) fn at(&self) -> usize {
        self.at as usize
    }

    pub(crate) fn column(&self) -> usize {
        self.column as usize
    }

    /// The weight by which functions are ranked.
    pub(crate) fn rank(&self, profile: &Profile) -> u64 {
        if profile.columns[self.column()].is_ranked { self.weight } else { 0 }
    }
}

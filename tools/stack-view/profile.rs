//! What came in: the stacks, and what is known of their frames.

use std::sync::Arc;

use common::names::{FrameParts, code_kinds};
use common::stacks::{FrameId, FrameTable, StackCounts};
use common::{Result, numbers::Unit};

use crate::call_tree::CallTree;
use crate::colors::FrameColor;

/// The stack that is left if all frames were hidden, as stack-collapse-frames writes it.
pub(crate) const HIDDEN: &[u8] = b"[hidden]";

/// The stacks that came in, before any step.
pub(crate) struct Profile {
    pub(crate) frames: FrameTable,
    /// For each frame the first one of the same function, which may have another place and other
    /// marks.
    pub(crate) functions: Vec<FrameId>,
    pub(crate) colors: Vec<FrameColor>,
    /// What all views show before any step.
    pub(crate) tree: Arc<CallTree>,
    pub(crate) unit: Unit,
}

impl Profile {
    /// # Errors
    ///
    /// [`common::Error::Overflow`] when the weights do not add up in 64 bits.
    pub(crate) fn new(mut counts: StackCounts, unit: Unit) -> Result<Profile> {
        // Added now, so that its number is in the order of the names, too.
        counts.add(HIDDEN, 0);
        let stacks = counts.into_sorted();
        let tree = Arc::new(CallTree::of(&stacks)?);
        let frames = stacks.into_frames();
        let names = || (0..frames.len() as FrameId).map(|frame| frames.name(frame));
        let kinds = code_kinds(names());
        let colors = kinds.into_iter().zip(names()).map(|(kind, name)| FrameColor::of(kind, name));
        let colors = colors.collect();
        Ok(Profile { functions: functions_of(&frames), colors, frames, tree, unit })
    }

    /// The full name of a frame; `all` for the whole.
    pub(crate) fn name(&self, frame: FrameId) -> &[u8] {
        if frame == CallTree::NO_FRAME { b"all" } else { self.frames.name(frame) }
    }

    /// The name of a frame's function, without its place and marks.
    pub(crate) fn function_name(&self, frame: FrameId) -> &[u8] {
        FrameParts::of(self.name(frame)).name
    }

    /// Whether two frames are of one function.
    pub(crate) fn is_same(&self, one: FrameId, other: FrameId) -> bool {
        self.functions[one as usize] == self.functions[other as usize]
    }
}

fn functions_of(frames: &FrameTable) -> Vec<FrameId> {
    let mut names = FrameTable::default();
    let mut firsts = Vec::new();
    let function = |frame| {
        let name = names.intern(FrameParts::of(frames.name(frame)).name) as usize;
        if name == firsts.len() {
            firsts.push(frame);
        }
        firsts[name]
    };
    (0..frames.len() as FrameId).map(function).collect()
}

//! The tree of calls, depth first.

use std::io;

use common::stacks::FrameId;

use crate::profile::ExportedStack;

/// What is done on a walk through the tree of calls.
pub(crate) trait Walker {
    /// A function is called.
    fn enter(&mut self, frame: FrameId) -> io::Result<()>;

    /// It takes some weight itself.
    fn spend(&mut self, weight: u64) -> io::Result<()>;

    /// It returns.
    fn leave(&mut self, frame: FrameId) -> io::Result<()>;
}

/// Walks through the tree that sorted stacks are, from the roots down.
pub(crate) fn walk<'a>(
    stacks: impl Iterator<Item = ExportedStack<'a>>,
    walker: &mut impl Walker,
) -> io::Result<()> {
    let mut open: &[FrameId] = &[];
    for stack in stacks {
        for &frame in open[stack.shared..].iter().rev() {
            walker.leave(frame)?;
        }
        for &frame in &stack.frames[stack.shared..] {
            walker.enter(frame)?;
        }
        walker.spend(stack.weight)?;
        open = stack.frames;
    }
    open.iter().rev().try_for_each(|&frame| walker.leave(frame))
}

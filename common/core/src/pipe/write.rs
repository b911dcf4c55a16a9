//! How a tool writes: folded lines, trees.

use crate::stacks::{FrameTable, NodeId, Overflows, StackCounts, StackTree};
use crate::{Result, Status, folded::FoldedLine, io::Total, names::printable, pipe::Pipe};

impl Pipe {
    /// Names the stacks with sums that do not fit, and counts the weight that was left out of these
    /// sums as dropped. If there are any, the exit status will be 2.
    pub fn leave_out(&mut self, overflows: &Overflows) {
        let what =
            |total: Total| format!("a sum over {}, weight {} left out", u64::MAX, total.weight);
        for (stack, total) in overflows.named() {
            self.stats.dropped += total;
            let stack = printable(shortened(stack));
            self.messages.trouble(format_args!("stack '{stack}': {}", what(total)));
        }
        let others = overflows.others();
        if others.lines > 0 {
            self.stats.dropped += others;
            self.messages.trouble(format_args!("other stacks: {}", what(others)));
        }
    }

    /// Writes a line as it was read.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    #[inline]
    pub fn pass(&mut self, line: &FoldedLine<'_>) -> Result<()> {
        self.stats.written += line.count;
        self.out.folded(line)
    }

    /// Writes a line with `stack` in place of its own stack.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    #[inline]
    pub fn replace(&mut self, line: &FoldedLine<'_>, stack: &[u8]) -> Result<()> {
        if stack != line.stack {
            self.stats.changed += line.count;
        }
        self.pass(&FoldedLine { stack, ..*line })
    }

    /// Counts a line that is left out, as the user asked.
    #[inline]
    pub fn drop_line(&mut self, line: &FoldedLine<'_>) {
        self.stats.dropped += line.count;
    }

    /// Writes a stack without labels, or one whose labels are part of its text.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    #[inline]
    pub fn write(&mut self, stack: &[u8], count: u64) -> Result<()> {
        self.pass(&FoldedLine::new(stack, count))
    }

    /// Writes text that ends in LF, and counts its lines as `total`.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_lines(&mut self, lines: &[u8], total: Total) -> Result<()> {
        self.stats.written += total;
        self.out.lines(lines)
    }

    /// Writes all stacks below a node of a tree, sorted, and names those that lack weight.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_tree(&mut self, tree: &StackTree, top: NodeId, frames: &FrameTable) -> Result<()> {
        self.leave_out(&tree.overflows(top, frames));
        tree.for_each_sorted(top, frames, |stack, weight| self.write(stack, weight))
    }

    /// Writes all stacks that were counted, sorted. They start with labels if the lines that were
    /// read did.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Output`] with what the system says.
    pub fn write_counts(&mut self, counts: StackCounts) -> Result<()> {
        if !self.has_labels {
            return counts.for_each_sorted(|stack, weight| self.write(stack, weight));
        }
        counts
            .for_each_sorted(|text, weight| self.pass(&FoldedLine::of_labelled_stack(text, weight)))
    }

    /// Counts as dropped the weight that was read and was neither written nor dropped, because the
    /// answer does not include it.
    pub fn count_rest_as_dropped(&mut self) {
        let weight = self.stats.read.weight.saturating_sub(self.stats.written.weight);
        let weight = weight.saturating_sub(self.stats.dropped.weight);
        self.count_dropped(Total { lines: u64::from(weight > 0), weight });
    }

    /// [`Status::Success`] if something was written.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.stats.written.lines > 0 { Status::Success } else { Status::Nothing }
    }
}

/// The part of a stack that a message shows.
fn shortened(stack: &[u8]) -> &[u8] {
    &stack[..stack.len().min(200)]
}

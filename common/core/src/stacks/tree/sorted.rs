//! The stacks of a tree in the order of their text.

use std::cmp::Reverse;

use super::{Children, NodeId, StackTree};
use crate::{Result, stacks::FrameTable, stacks::line_texts::LineTexts, stacks::room::Room};

/// A piece of a line that is still to be written.
struct Step {
    /// Its place in [`LineTexts`].
    text: u32,
    node: NodeId,
    /// How many bytes of the line so far are the parent's, its `;` included.
    prefix: usize,
    /// Whether the stacks below follow; if not, the line ends here.
    below: bool,
}

impl StackTree {
    /// Calls `each` with every stack below `top`, as folded text of the frames
    /// below it, sorted by its bytes: the order of `LC_ALL=C sort` on the stacks.
    /// Stacks of weight 0 are left out.
    ///
    /// # Errors
    ///
    /// The first one that `each` returns.
    pub fn for_each_sorted(
        &self,
        top: NodeId,
        frames: &FrameTable,
        mut each: impl FnMut(&[u8], u64) -> Result<()>,
    ) -> Result<()> {
        let (children, texts) = (self.children(), LineTexts::of(frames));
        let mut text = Vec::new();
        let mut pending = Vec::new();
        self.push_sorted_steps(&children, top, 0, &texts, &mut pending);
        while let Some(step) = pending.pop() {
            text.truncate(step.prefix);
            texts.append(step.text, &mut text);
            if step.below {
                self.push_sorted_steps(&children, step.node, text.len(), &texts, &mut pending);
            } else {
                each(&text, self.self_weight(step.node))?;
            }
        }
        Ok(())
    }

    /// Adds the steps for the children of `parent`, in reverse order.
    fn push_sorted_steps(
        &self,
        children: &Children,
        parent: NodeId,
        prefix: usize,
        texts: &LineTexts<'_>,
        pending: &mut Vec<Step>,
    ) {
        let start = pending.len();
        // A step for its own line, and one for those below.
        pending.make_room(2 * children.of(parent).len());
        for &node in children.of(parent) {
            let frame = self.frame(node);
            if self.self_weight(node) > 0 {
                pending.push(Step { text: texts.leaf(frame), node, prefix, below: false });
            }
            if !children.of(node).is_empty() {
                pending.push(Step { text: texts.inner(frame), node, prefix, below: true });
            }
        }
        pending[start..].sort_unstable_by_key(|step| Reverse(step.text));
    }
}

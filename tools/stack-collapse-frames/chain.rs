//! All rules, one after the other, over one stack after the other.

use common::{FoldedLine, FrameId, FrameTable, Result, StackBuf, StackIds, StackTree, Total};

use crate::rule::Rule;

/// What a stack without frames becomes, so that its weight stays.
const HIDDEN: &[u8] = b"[hidden]";

/// The rules in their order.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) rules: Vec<Rule>,
    frames: FrameTable,
    ids: StackIds,
    /// The stack that the rules are at.
    stack: Vec<FrameId>,
    text: StackBuf,
}

impl Chain {
    /// A chain of rules that were made with this table.
    pub(crate) fn new(rules: Vec<Rule>, frames: FrameTable) -> Chain {
        let (ids, text) = (StackIds::default(), StackBuf::default());
        Chain { rules, frames, ids, stack: Vec::new(), text }
    }

    /// What becomes of a line's stack; `None` if it stays as it is.
    pub(crate) fn run(&mut self, line: &FoldedLine<'_>) -> Option<&[u8]> {
        if !self.run_first(self.rules.len(), line) {
            return None;
        }
        self.text.clear();
        for &frame in &self.stack {
            self.text.push_clean_frame(self.frames.name(frame));
        }
        // No frame, or a single one without a name.
        if self.text.as_bytes().is_empty() {
            self.text.clear();
            self.text.push_clean_frame(HIDDEN);
        }
        Some(self.text.as_bytes())
    }

    /// True if and only if a rule must learn from all stacks before it runs.
    pub(crate) fn learns(&self) -> bool {
        self.rules.iter().any(Rule::learns)
    }

    /// Lets the rules that learn see all stacks, as those before them leave
    /// them.
    ///
    /// # Errors
    ///
    /// What handing out the stacks says.
    pub(crate) fn learn(&mut self, stacks: &StackTree, names: &FrameTable) -> Result<()> {
        for number in 0..self.rules.len() {
            if self.rules[number].learns() {
                stacks.for_each_sorted(StackTree::ROOT, names, |stack, count| {
                    self.run_first(number, &FoldedLine { stack, count });
                    self.rules[number].learn(&self.stack, &self.frames);
                    Ok(())
                })?;
            }
        }
        // Nothing went out yet.
        for rule in &mut self.rules {
            rule.moved = Total::default();
        }
        Ok(())
    }

    /// Leaves in `self.stack` what this many rules make of a line; true if and
    /// only if one of them changed it.
    fn run_first(&mut self, count: usize, line: &FoldedLine<'_>) -> bool {
        self.stack.clear();
        self.stack.extend_from_slice(self.ids.of(line.stack, &mut self.frames));
        let mut changed = false;
        for rule in &mut self.rules[..count] {
            changed |= rule.apply(&mut self.stack, line.count, &self.frames);
        }
        changed
    }
}

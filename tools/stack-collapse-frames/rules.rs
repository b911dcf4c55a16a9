//! Runs all rules, one after the other, over each stack.

use std::rc::Rc;

use common::folded::{FoldedLine, StackBuf};
use common::pipe::KindsOfFrames;
use common::stacks::{FrameId, FrameTable, StackIds, StackTree};
use common::{Result, io::Total};

use crate::rule::Rule;

/// The stack that is written if no frame is left, so that the weight stays.
const HIDDEN: &[u8] = b"[hidden]";

/// All rules, in their order, and the stack they change.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) rules: Vec<Rule>,
    frames: FrameTable,
    ids: StackIds,
    /// The current stack.
    stack: Vec<FrameId>,
    text: StackBuf,
}

impl Rules {
    /// `frames` is the table with which the rules were made.
    pub(crate) fn new(rules: Vec<Rule>, frames: FrameTable) -> Rules {
        let (ids, text) = (StackIds::default(), StackBuf::default());
        Rules { rules, frames, ids, stack: Vec::new(), text }
    }

    /// The stack of a line as the rules change it; `None` if it stays as it is.
    pub(crate) fn run(&mut self, line: &FoldedLine<'_>) -> Option<&[u8]> {
        if !self.run_first(self.rules.len(), line) {
            return None;
        }
        self.text.set(self.stack.iter().map(|&frame| self.frames.name(frame)));
        // No frame, or a single one without a name.
        if self.text.as_bytes().is_empty() {
            self.text.set([HIDDEN].into_iter());
        }
        Some(self.text.as_bytes())
    }

    /// Whether a rule must be told the kinds of frames before it runs.
    pub(crate) fn ask_kinds(&self) -> bool {
        self.rules.iter().any(|rule| rule.frames.asks_kinds())
    }

    /// Tells the kinds of frames to the rules that ask for them.
    pub(crate) fn tell_kinds(&mut self, kinds: KindsOfFrames) {
        let kinds = Rc::new(kinds);
        self.rules.iter_mut().for_each(|rule| rule.frames.tell_kinds(&kinds));
    }

    /// Whether a rule must see all stacks before it runs.
    pub(crate) fn learns(&self) -> bool {
        self.rules.iter().any(Rule::learns)
    }

    /// Shows all stacks to the rules that learn. Each rule sees them as the rules before it have
    /// changed them.
    ///
    /// # Errors
    ///
    /// Those of [`StackTree::for_each_sorted`].
    pub(crate) fn learn(&mut self, stacks: &StackTree, names: &FrameTable) -> Result<()> {
        for number in 0..self.rules.len() {
            if self.rules[number].learns() {
                stacks.for_each_sorted(StackTree::ROOT, names, |text, count| {
                    self.run_first(number, &FoldedLine::of_labelled_stack(text, count));
                    self.rules[number].learn(&self.stack, &self.frames);
                    Ok(())
                })?;
            }
        }
        // Only the lines that are written count, not those that were read to learn.
        for rule in &mut self.rules {
            rule.moved = Total::default();
        }
        Ok(())
    }

    /// Runs the first `count` rules over a line's stack, which is then in
    /// `self.stack`, and returns whether one of them changed it.
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

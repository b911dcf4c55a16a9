//! Gives cut stacks their callers back.
//!
//! The kernel and perf keep the 127 frames next to the leaf. If a tower is higher, the stack that
//! is left starts within it, as if the recursion had no caller: `main;round;sum;sum;sum;add`
//! becomes `sum;sum;add`.

mod callers;

use std::collections::HashMap;

use common::stacks::{FrameId, StackTree};

use crate::numbered::NumberedStack;
use crate::towers::{LONGEST_PERIOD, Level};
use callers::Search;

/// The frame that stands for callers that were not recorded.
const TRUNCATED: &[u8] = b"[truncated]";

/// The frame that stands for callers that could not be found. The frame after it is not always one
/// of the recursion, so such a stack is no cut one.
const BROKEN: &[u8] = b"[broken]";

/// Where a stack starts within a recursion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Start {
    /// The thread's name, which is not a function and is never lost.
    root: Option<FrameId>,
    /// The index of the first frame of the recursion.
    at: usize,
}

impl Start {
    /// `None` if neither the first nor the second frame occurs again a few frames later.
    pub(crate) fn of(stack: &NumberedStack) -> Option<Start> {
        let numbers = &stack.numbers;
        let skip_unknown = |from: usize| {
            let unknown = |&&number: &&FrameId| is_unknown(stack.name(number));
            from + numbers[from..].iter().take_while(unknown).count()
        };
        let is_recursive = |at: usize| {
            let above = numbers.get(at + 1..).unwrap_or_default();
            above.iter().take(LONGEST_PERIOD).any(|number| *number == numbers[at])
        };
        let at = skip_unknown(0);
        if is_recursive(at) {
            return Some(Start { root: None, at });
        }
        // The thread's name comes before it, unless the stack starts with `[unknown]`.
        let root = (at == 0).then(|| numbers[0])?;
        let at = skip_unknown(1);
        is_recursive(at).then_some(Start { root: Some(root), at })
    }
}

/// Where a cut stack starts: the thread's name, if it has one, and the first frame after it.
type Cut = (Option<FrameId>, FrameId);

/// The stacks that are not cut, folded. Callers are looked up in them.
#[derive(Default)]
pub(crate) struct Callers {
    whole: StackTree,
    /// The frames before each cut, root first, where they are certain.
    found: HashMap<Cut, Vec<FrameId>>,
}

impl Callers {
    /// Adds a folded stack that is not cut.
    pub(crate) fn learn(&mut self, levels: &[Level]) {
        levels.iter().fold(StackTree::ROOT, |node, level| self.whole.child(node, level.frame));
    }

    /// Looks up the callers of all cut stacks, once all whole ones are known.
    pub(crate) fn search<'a>(
        &mut self,
        cut_stacks: impl Iterator<Item = &'a [u8]>,
        stacks: &mut NumberedStack,
    ) {
        let mut search = Search::new(&self.whole);
        for stack in cut_stacks {
            stacks.read(stack);
            if let Some(Start { root, at }) = Start::of(stacks) {
                search.add((root, stacks.numbers[at]));
            }
        }
        let has_lost = |number| [TRUNCATED, BROKEN].contains(&stacks.name(number));
        let is_unknown = |number| has_lost(number) || is_unknown(stacks.name(number));
        self.found = search.run(has_lost, is_unknown);
    }

    /// Returns a cut stack with its callers before it, or with `[truncated]`.
    pub(crate) fn attach(&self, stack: &NumberedStack) -> Vec<u8> {
        let numbers = &stack.numbers;
        let Some(Start { root, at }) = Start::of(stack) else {
            return stack.text(0..numbers.len()).to_vec();
        };
        let mut frames: Vec<&[u8]> = match self.found.get(&(root, numbers[at])) {
            Some(callers) => callers.iter().map(|&number| stack.name(number)).collect(),
            None => root.iter().map(|&root| stack.name(root)).chain([TRUNCATED]).collect(),
        };
        frames.push(stack.text(at..numbers.len()));
        frames.join(&b';')
    }
}

/// Whether a frame stands for code that the unwinder could not name.
fn is_unknown(name: &[u8]) -> bool {
    name == b"[unknown]" || name == TRUNCATED
}

#[cfg(test)]
mod tests;

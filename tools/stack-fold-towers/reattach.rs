//! Gives cut stacks their callers back.
//!
//! The kernel and perf keep the 127 frames next to the leaf. If a tower is higher, the stack that
//! is left starts within it, as if the recursion had no caller: `main;round;sum;sum;sum;add`
//! becomes `sum;sum;add`.

use std::collections::HashMap;

use common::{FrameId, NodeId, StackTree};

use crate::numbered::NumberedStack;
use crate::towers::{LONGEST_PERIOD, Level};

/// The frame that stands for callers that are not known.
const TRUNCATED: &[u8] = b"[truncated]";

/// Where a stack starts within a recursion.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// The thread's name, which is no function and never lost.
    root: Option<FrameId>,
    /// The index of the first frame of the recursion.
    at: usize,
}

impl Start {
    /// `None` if neither the root nor the frame above it stands again near above.
    pub(crate) fn of(stack: &NumberedStack) -> Option<Start> {
        let numbers = stack.numbers();
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
        // The thread's name stands before it, unless the stack starts with `[unknown]`.
        let root = (at == 0).then(|| numbers[0])?;
        let at = skip_unknown(1);
        is_recursive(at).then_some(Start { root: Some(root), at })
    }
}

/// The stacks that are not cut, folded: here callers are looked up.
#[derive(Default)]
pub(crate) struct Callers {
    whole: StackTree,
    /// The callers that were found for a root and a frame, once all stacks are known.
    found: HashMap<(Option<FrameId>, FrameId), Option<Vec<FrameId>>>,
}

impl Callers {
    /// Adds a folded stack that is not cut.
    pub(crate) fn learn(&mut self, levels: &[Level]) {
        levels.iter().fold(StackTree::ROOT, |node, level| self.whole.child(node, level.frame));
    }

    /// Returns a cut stack with its callers before it, or with `[truncated]`.
    pub(crate) fn attach(&mut self, stack: &NumberedStack) -> Vec<u8> {
        let numbers = stack.numbers();
        let Some(Start { root, at }) = Start::of(stack) else {
            return stack.text(0..numbers.len()).to_vec();
        };
        let Callers { whole, found } = self;
        let callers = found.entry((root, numbers[at])).or_insert_with(|| {
            callers(whole, root, numbers[at], |number| is_unknown(stack.name(number)))
        });
        let mut frames: Vec<&[u8]> = match callers {
            Some(callers) => callers.iter().map(|&number| stack.name(number)).collect(),
            None => root.iter().map(|&root| stack.name(root)).chain([TRUNCATED]).collect(),
        };
        frames.push(stack.text(at..numbers.len()));
        frames.join(&b';')
    }
}

/// The frames before the first `frame` in every stack that has it, starting with `root`; `None`
/// if they are not the same in all stacks, or if no stack has it.
fn callers(
    whole: &StackTree,
    root: Option<FrameId>,
    frame: FrameId,
    is_unknown: impl Fn(FrameId) -> bool,
) -> Option<Vec<FrameId>> {
    let mut only = None;
    let mut is_below_frame = vec![false; whole.len()];
    for node in 1..whole.len() as NodeId {
        let parent = whole.parent(node);
        is_below_frame[node as usize] =
            is_below_frame[parent as usize] || whole.frame(node) == frame;
        if is_below_frame[parent as usize] || whole.frame(node) != frame {
            continue;
        }
        let path = path_to(whole, parent);
        let is_of_root = root.is_none() || path.first() == root.as_ref();
        if !is_of_root || path.last().is_some_and(|&last| is_unknown(last)) {
            continue;
        }
        // A node has at most one child with this frame, so a second node has another path.
        if only.replace(path).is_some() {
            return None;
        }
    }
    only
}

/// The frames to a node, root first.
fn path_to(tree: &StackTree, mut node: NodeId) -> Vec<FrameId> {
    let mut path = Vec::new();
    while node != StackTree::ROOT {
        path.push(tree.frame(node));
        node = tree.parent(node);
    }
    path.reverse();
    path
}

/// Whether a frame stands for code that the unwinder could not name.
fn is_unknown(name: &[u8]) -> bool {
    name == b"[unknown]" || name == TRUNCATED
}

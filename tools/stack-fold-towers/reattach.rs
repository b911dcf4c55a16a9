//! Stacks that lost their root.
//!
//! The kernel and perf keep the 127 frames next to the leaf. What is left of a higher tower starts
//! within it, as if the recursion had been called from nowhere:
//! `main;round;sum;sum;sum;add` becomes `sum;sum;add`.

use std::collections::HashMap;

use common::{FrameId, NodeId, StackTree};

use crate::numbered::NumberedStack;
use crate::towers::{LONGEST_PERIOD, Storey};

/// Stands for the callers that are not known.
const TRUNCATED: &[u8] = b"[truncated]";

/// Where a stack starts within a recursion.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// The thread's name, which is no function and never lost.
    root: Option<FrameId>,
    /// The place of the first frame of the recursion.
    at: usize,
}

impl Start {
    /// `None` if nothing stands again above the first frame, be it the root or above it.
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
        // A name before it, unless the stack starts with a frame that is no name.
        let root = (at == 0).then(|| numbers[0])?;
        let at = skip_unknown(1);
        is_recursive(at).then_some(Start { root: Some(root), at })
    }
}

/// The folded stacks that are whole, to look callers up in.
#[derive(Default)]
pub(crate) struct Callers {
    whole: StackTree,
    /// What was found for a root and a frame, once all stacks are known.
    found: HashMap<(Option<FrameId>, FrameId), Option<Vec<FrameId>>>,
}

impl Callers {
    /// Adds a folded stack that is whole.
    pub(crate) fn learn(&mut self, storeys: &[Storey]) {
        storeys.iter().fold(StackTree::ROOT, |node, storey| self.whole.child(node, storey.frame));
    }

    /// Returns a stack that starts within a recursion with its callers.
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

/// What stands below the lowest `frame` in every stack that has it, starting with `root`; `None`
/// if that is not the same everywhere, or if nothing is known.
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
        // A node has one child with this frame, so another node is another path.
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

/// What stands where an unwinder lost its way.
fn is_unknown(name: &[u8]) -> bool {
    name == b"[unknown]" || name == TRUNCATED
}

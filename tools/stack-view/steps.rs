//! The steps by which a reader asks for a part of the profile. Each does exactly what a command
//! does to the folded stacks, see command.rs.

use common::Result;
use common::names::{FrameParts, module, printable};
use common::stacks::{FrameId, NodeId, StackTree};

use crate::call_tree::CallTree;
use crate::profile::{HIDDEN, Profile};

/// What a reader asks for. Functions and modules are given by name: their numbers change while a
/// recording goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Only(Vec<u8>),
    Without(Vec<u8>),
    Hide(Vec<u8>),
    HideModule(Vec<u8>),
    FoldRecursion,
    NoRoots,
}

impl Step {
    /// As the line of steps says it.
    pub(crate) fn words(&self) -> String {
        let (word, what) = match self {
            Step::Only(name) => ("only stacks with ", &name[..]),
            Step::Without(name) => ("without stacks with ", &name[..]),
            Step::Hide(name) => ("hide ", &name[..]),
            Step::HideModule(module) => ("hide module ", &module[..]),
            Step::FoldRecursion => ("fold recursion", &b""[..]),
            Step::NoRoots => ("roots taken away", &b""[..]),
        };
        [word, &printable(what)].concat()
    }

    /// What is left of a tree.
    ///
    /// # Errors
    ///
    /// [`common::Error::Overflow`], which is not expected of a part of the profile.
    pub(crate) fn apply(&self, tree: &CallTree, profile: &Profile) -> Result<CallTree> {
        let frames = || 0..profile.frames.len() as FrameId;
        let are_named = |name: &[u8]| -> Vec<bool> {
            frames().map(|frame| profile.function_name(frame) == name).collect()
        };
        match self {
            Step::Only(name) => with_frame(tree, &are_named(name), true),
            Step::Without(name) => with_frame(tree, &are_named(name), false),
            Step::Hide(name) => hide(tree, profile, &are_named(name)),
            Step::HideModule(its) => {
                let are_in = frames().map(|frame| module(profile.name(frame)) == its);
                hide(tree, profile, &are_in.collect::<Vec<bool>>())
            }
            Step::FoldRecursion => fold_recursion(tree, profile),
            Step::NoRoots => without_roots(tree),
        }
    }
}

/// Makes a tree of some stacks of another one: those for which `keeps` is true of their last call.
/// `place` returns the node of a call, below the node of its caller; `leaf` returns the node of its
/// self weight.
fn rebuilt(
    from: &CallTree,
    keeps: impl Fn(u32) -> bool,
    mut place: impl FnMut(&mut StackTree, NodeId, u32) -> NodeId,
    mut leaf: impl FnMut(&mut StackTree, NodeId, u32) -> NodeId,
) -> Result<CallTree> {
    let mut tree = StackTree::default();
    let mut places = vec![StackTree::ROOT; from.calls.len()];
    for (call, number) in from.calls.iter().zip(0..) {
        if number != CallTree::WHOLE {
            places[number as usize] = place(&mut tree, places[call.parent as usize], number);
        }
        if call.own > 0 && keeps(number) {
            let leaf = leaf(&mut tree, places[number as usize], number);
            tree.add(leaf, call.own);
        }
    }
    CallTree::of_tree(&tree)
}

/// The stacks that have one of these frames, or those that have none.
fn with_frame(tree: &CallTree, is_it: &[bool], is_wanted: bool) -> Result<CallTree> {
    let mut has_it = vec![false; tree.calls.len()];
    for (call, number) in tree.calls.iter().zip(0..).skip(1) {
        has_it[number] = has_it[call.parent as usize] || is_it[call.frame as usize];
    }
    let place = |to: &mut StackTree, parent, call| to.child(parent, tree.call(call).frame);
    rebuilt(tree, |call| has_it[call as usize] == is_wanted, place, |_, place, _| place)
}

/// The stacks without some frames, whose weight goes to their callers.
fn hide(tree: &CallTree, profile: &Profile, is_hidden: &[bool]) -> Result<CallTree> {
    let hidden = profile.frames.find(HIDDEN).expect("every profile has it");
    let place = |to: &mut StackTree, parent, call| match tree.call(call).frame {
        frame if is_hidden[frame as usize] => parent,
        frame => to.child(parent, frame),
    };
    let leaf = |to: &mut StackTree, place, call| match call {
        CallTree::WHOLE => place,
        _ if is_empty(to, place, profile) => to.child(StackTree::ROOT, hidden),
        _ => place,
    };
    rebuilt(tree, |_| true, place, leaf)
}

/// Whether a folded line would have no text for the stack that ends there.
fn is_empty(tree: &StackTree, node: NodeId, profile: &Profile) -> bool {
    let is_root_frame = |node| tree.parent(node) == StackTree::ROOT;
    node == StackTree::ROOT || is_root_frame(node) && profile.name(tree.frame(node)).is_empty()
}

/// Merges calls of a function by itself into the first one.
fn fold_recursion(tree: &CallTree, profile: &Profile) -> Result<CallTree> {
    let is_again = |to: &StackTree, parent, frame| {
        parent != StackTree::ROOT && is_same_tower(profile, to.frame(parent), frame)
    };
    let place = |to: &mut StackTree, parent, call| match tree.call(call).frame {
        frame if is_again(to, parent, frame) => parent,
        frame => to.child(parent, frame),
    };
    // The leaf is what ran, so it keeps its own place and marks.
    let leaf = |to: &mut StackTree, place: NodeId, call: u32| {
        let own = tree.call(call).frame;
        if call == CallTree::WHOLE || is_empty(to, place, profile) {
            return place;
        }
        match said_of(profile, to.frame(place)) == said_of(profile, own) {
            true => place,
            false => to.child(to.parent(place), own),
        }
    };
    rebuilt(tree, |_| true, place, leaf)
}

/// What a frame has after its name.
fn said_of(profile: &Profile, frame: FrameId) -> [&[u8]; 2] {
    let FrameParts { place, marks, .. } = FrameParts::of(profile.name(frame));
    [place, marks]
}

/// Whether two frames are of one function, whatever the height of its tower, as in `add (x4+)`.
fn is_same_tower(profile: &Profile, one: FrameId, other: FrameId) -> bool {
    let base = |frame| without_height(profile.function_name(frame));
    profile.is_same(one, other) || base(one) == base(other)
}

fn without_height(name: &[u8]) -> &[u8] {
    let digits = name.strip_suffix(b"+)").map_or(&b""[..], |rest| {
        let count = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        &rest[rest.len() - count..]
    });
    let end = name.len() - if digits.is_empty() { 0 } else { digits.len() + 2 };
    match name[..end].strip_suffix(b" (x") {
        Some(base) if !digits.is_empty() => base,
        _ => name,
    }
}

/// The stacks without their root frames, such as threads. A stack of one frame keeps it.
fn without_roots(tree: &CallTree) -> Result<CallTree> {
    let is_root = |call| tree.call(call).depth == 1;
    let place = |to: &mut StackTree, parent, call| match is_root(call) {
        true => StackTree::ROOT,
        false => to.child(parent, tree.call(call).frame),
    };
    let leaf = |to: &mut StackTree, place, call| match is_root(call) {
        true => to.child(StackTree::ROOT, tree.call(call).frame),
        false => place,
    };
    rebuilt(tree, |_| true, place, leaf)
}

//! Looks for the callers of cut stacks in the stacks that are not cut.
//!
//! The callers of a frame are the paths to its first occurrence in every stack that has it. They
//! are certain if all these paths are the same. A path that starts with `[truncated]`, maybe after
//! the thread's name, has lost its first frames: it agrees with each path of the same thread that
//! ends with the frames that are left.
//!
//! One pass over the tree finds the paths for all cut stacks, so the time is linear in the size of
//! the tree, and the order in which stacks were added does not matter.

use std::collections::HashMap;

use common::stacks::{FrameId, NodeId, StackTree};

use super::Cut;

/// A search in a tree of stacks.
pub(super) struct Search<'t> {
    tree: &'t StackTree,
    paths: HashMap<Cut, Paths>,
    /// For each frame of the tree, whether any cut stack starts with it.
    is_wanted: Vec<bool>,
}

/// The paths to one frame, by the nodes in which they end.
#[derive(Default)]
struct Paths {
    /// The one that starts with the program's first frame.
    whole: Option<NodeId>,
    has_other_whole: bool,
    /// Those that start with `[truncated]`.
    truncated: Vec<NodeId>,
}

impl<'t> Search<'t> {
    pub(super) fn new(tree: &'t StackTree) -> Search<'t> {
        Search { tree, paths: HashMap::new(), is_wanted: Vec::new() }
    }

    /// Adds a cut stack, whose callers will be looked up.
    pub(super) fn add(&mut self, cut: Cut) {
        self.paths.entry(cut).or_default();
        let frame = cut.1 as usize;
        if frame >= self.is_wanted.len() {
            self.is_wanted.resize(frame + 1, false);
        }
        self.is_wanted[frame] = true;
    }

    /// The callers that are certain, root first. A path whose last frame is unknown does not count.
    pub(super) fn run(
        mut self,
        is_truncated: impl Fn(FrameId) -> bool,
        is_unknown: impl Fn(FrameId) -> bool,
    ) -> HashMap<Cut, Vec<FrameId>> {
        self.walk(&is_truncated, &is_unknown);
        let Search { tree, paths, .. } = self;
        let certain = |(cut, paths): (Cut, Paths)| {
            Some((cut, paths.the_one(|node| path_to(tree, node), &is_truncated)?))
        };
        paths.into_iter().filter_map(certain).collect()
    }

    /// Collects the paths, each node after its parent.
    fn walk(
        &mut self,
        is_truncated: &impl Fn(FrameId) -> bool,
        is_unknown: &impl Fn(FrameId) -> bool,
    ) {
        if self.paths.is_empty() {
            return;
        }
        let (tree, children) = (self.tree, self.tree.children());
        // How often each wanted frame is on the path to the current node.
        let mut on_path = vec![0u32; self.is_wanted.len()];
        let mut path: Vec<FrameId> = Vec::new();
        let mut pending: Vec<(NodeId, usize)> =
            children.of(StackTree::ROOT).iter().map(|&node| (node, 0)).collect();
        while let Some((node, depth)) = pending.pop() {
            for left in path.drain(depth..) {
                if let Some(count) = on_path.get_mut(left as usize) {
                    *count -= 1;
                }
            }
            let frame = tree.frame(node);
            if self.is_wanted.get(frame as usize) == Some(&true)
                && on_path[frame as usize] == 0
                && !path.last().is_some_and(|&last| is_unknown(last))
            {
                let is_truncated = path.iter().take(2).any(|&frame| is_truncated(frame));
                self.note(frame, &path, tree.parent(node), is_truncated);
            }
            if let Some(count) = on_path.get_mut(frame as usize) {
                *count += 1;
            }
            path.push(frame);
            pending.extend(children.of(node).iter().map(|&child| (child, path.len())));
        }
    }

    /// Notes the path to `frame`, which ends in `node`.
    fn note(&mut self, frame: FrameId, path: &[FrameId], node: NodeId, is_truncated: bool) {
        let of_thread = path.first().map(|&root| (Some(root), frame));
        for cut in [Some((None, frame)), of_thread].into_iter().flatten() {
            if let Some(paths) = self.paths.get_mut(&cut) {
                paths.add(node, is_truncated);
            }
        }
    }
}

impl Paths {
    /// A node has at most one child with a frame, so each path comes once.
    fn add(&mut self, node: NodeId, is_truncated: bool) {
        if is_truncated {
            self.truncated.push(node);
        } else {
            self.has_other_whole |= self.whole.replace(node).is_some();
        }
    }

    /// The path with which all others agree, if there is one.
    fn the_one(
        self,
        path_to: impl Fn(NodeId) -> Vec<FrameId>,
        is_truncated: impl Fn(FrameId) -> bool,
    ) -> Option<Vec<FrameId>> {
        if self.has_other_whole {
            return None;
        }
        let whole = self.whole.map(&path_to);
        let truncated: Vec<Vec<FrameId>> = self.truncated.into_iter().map(path_to).collect();
        let known = |path: &Vec<FrameId>| {
            let rest = Rest::of(path, &is_truncated);
            (rest.frames.len(), rest.thread.is_some(), path.len())
        };
        let one = whole.or_else(|| truncated.iter().max_by_key(|path| known(path)).cloned())?;
        truncated.iter().all(|path| Rest::of(path, &is_truncated).agrees(&one)).then_some(one)
    }
}

/// What is left of a path that starts with `[truncated]`.
struct Rest<'p> {
    thread: Option<FrameId>,
    frames: &'p [FrameId],
}

impl<'p> Rest<'p> {
    fn of(path: &'p [FrameId], is_truncated: impl Fn(FrameId) -> bool) -> Rest<'p> {
        let thread = path.first().copied().filter(|&first| !is_truncated(first));
        let known = usize::from(thread.is_some());
        let lost = path[known..].iter().take_while(|&&frame| is_truncated(frame)).count();
        Rest { thread, frames: &path[known + lost..] }
    }

    /// Whether these are the last frames of `path`, which is of the same thread.
    fn agrees(&self, path: &[FrameId]) -> bool {
        match self.thread {
            Some(thread) => path.first() == Some(&thread) && path[1..].ends_with(self.frames),
            None => path.ends_with(self.frames),
        }
    }
}

/// The frames to a node, root first.
fn path_to(tree: &StackTree, node: NodeId) -> Vec<FrameId> {
    tree.path(node).into_iter().map(|node| tree.frame(node)).collect()
}

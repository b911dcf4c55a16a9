//! The trees that the views show. A branch is made when it is first used, so that a tree much
//! larger than the profile costs nothing until it is shown.

use std::cmp::Reverse;
use std::collections::HashMap;

use common::stacks::FrameId;

use crate::call_tree::CallTree;

/// The number of a branch in its [`Tree`]; 0 is the root.
pub(crate) type BranchId = u32;

pub(crate) const ROOT: BranchId = 0;

/// What a tree shows of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The calls as they are.
    TopDown,
    /// The callers of each function on top of it, up to the call `scope`: by its self weight or,
    /// with `is_total`, by all weight that goes through it.
    BottomUp { scope: u32, is_total: bool },
    /// What the calls of one function call, merged.
    Callees,
}

/// A box of a view: one call, or several that are merged.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    /// [`CallTree::NO_FRAME`] for the whole.
    pub(crate) frame: FrameId,
    pub(crate) parent: BranchId,
    pub(crate) depth: usize,
    /// The weight to the left of it.
    pub(crate) start: u64,
    pub(crate) weight: u64,
    /// The part of the weight that is in no branch above it.
    pub(crate) own: u64,
    /// The calls of the branch, each with the call that has its weight: in a tree from the leaves,
    /// that is another one.
    pub(crate) calls: Vec<(u32, u32)>,
    kids: Option<Vec<BranchId>>,
}

impl Branch {
    pub(crate) fn end(&self) -> u64 {
        self.start + self.weight
    }
}

/// A tree of branches.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) shape: Shape,
    is_heavy_first: bool,
    branches: Vec<Branch>,
}

/// What branches of one frame add up to.
#[derive(Default)]
struct Sum {
    weight: u64,
    own: u64,
    calls: Vec<(u32, u32)>,
}

impl Tree {
    fn new(shape: Shape, is_heavy_first: bool, frame: FrameId, sum: Sum) -> Tree {
        let Sum { weight, own, calls } = sum;
        let root =
            Branch { frame, parent: ROOT, depth: 0, start: 0, weight, own, calls, kids: None };
        Tree { shape, is_heavy_first, branches: vec![root] }
    }

    /// The calls as they are.
    pub(crate) fn top_down(calls: &CallTree, is_heavy_first: bool) -> Tree {
        let whole = calls.call(CallTree::WHOLE);
        let sum = Sum { weight: whole.total, own: whole.own, calls: vec![(0, 0)] };
        Tree::new(Shape::TopDown, is_heavy_first, CallTree::NO_FRAME, sum)
    }

    /// The part from a call on, merged from the leaves.
    pub(crate) fn bottom_up(calls: &CallTree, scope: u32, is_heavy_first: bool) -> Tree {
        let mut sum = Sum::default();
        for number in calls.below(scope).filter(|it| calls.call(*it).own > 0) {
            sum.weight += calls.call(number).own;
            sum.calls.push((number, number));
        }
        Tree::new(
            Shape::BottomUp { scope, is_total: false },
            is_heavy_first,
            CallTree::NO_FRAME,
            sum,
        )
    }

    /// The callers and the callees of a function, in these calls of it. None of these is below
    /// another.
    pub(crate) fn sandwich(
        calls: &CallTree,
        frame: FrameId,
        at: &[u32],
        is_heavy_first: bool,
    ) -> [Tree; 2] {
        let weight = at.iter().map(|it| calls.call(*it).total).sum();
        let own = at.iter().map(|it| calls.call(*it).own).sum();
        let pairs: Vec<_> = at.iter().map(|it| (*it, *it)).collect();
        let callers = Sum { weight, own: 0, calls: pairs.clone() };
        let up = Shape::BottomUp { scope: CallTree::WHOLE, is_total: true };
        [
            Tree::new(up, is_heavy_first, frame, callers),
            Tree::new(Shape::Callees, is_heavy_first, frame, Sum { weight, own, calls: pairs }),
        ]
    }

    pub(crate) fn branch(&self, id: BranchId) -> &Branch {
        &self.branches[id as usize]
    }

    /// From the root to a branch.
    pub(crate) fn path(&self, id: BranchId) -> Vec<BranchId> {
        let mut path = vec![id];
        while let Some(&last) = path.last()
            && last != ROOT
        {
            path.push(self.branch(last).parent);
        }
        path.reverse();
        path
    }

    /// Whether a branch is another one or above it.
    pub(crate) fn is_within(&self, id: BranchId, top: BranchId) -> bool {
        let mut at = id;
        while self.branch(at).depth > self.branch(top).depth {
            at = self.branch(at).parent;
        }
        at == top
    }

    /// The branches on top of one, from left to right.
    pub(crate) fn kids(&mut self, calls: &CallTree, id: BranchId) -> Vec<BranchId> {
        if let Some(kids) = &self.branches[id as usize].kids {
            return kids.clone();
        }
        let sums = match self.shape {
            Shape::TopDown => self.called(calls, id),
            Shape::BottomUp { scope, is_total } => self.callers(calls, id, scope, is_total),
            Shape::Callees => self.merged_callees(calls, id),
        };
        let kids = self.plant(id, sums);
        self.branches[id as usize].kids = Some(kids.clone());
        kids
    }

    fn called(&self, calls: &CallTree, id: BranchId) -> Vec<(FrameId, Sum)> {
        let (number, _) = self.branch(id).calls[0];
        let sum = |kid: u32| {
            let call = calls.call(kid);
            (call.frame, Sum { weight: call.total, own: call.own, calls: vec![(kid, kid)] })
        };
        calls.children(number).map(sum).collect()
    }

    fn callers(
        &mut self,
        calls: &CallTree,
        id: BranchId,
        scope: u32,
        is_total: bool,
    ) -> Vec<(FrameId, Sum)> {
        let mut sums = Sums::default();
        let branch = self.branch(id);
        let is_whole = branch.frame == CallTree::NO_FRAME;
        let mut own = 0;
        for &(at, origin) in &branch.calls {
            let of_origin = calls.call(origin);
            let weight = if is_total { of_origin.total } else { of_origin.own };
            let is_outermost = !is_whole && at == scope;
            let next = if is_whole { at } else { calls.call(at).parent };
            if is_outermost || next == CallTree::WHOLE {
                own += weight;
                continue;
            }
            let sum = sums.of(calls.call(next).frame);
            sum.weight += weight;
            sum.calls.push((next, origin));
        }
        self.branches[id as usize].own = own;
        sums.sums
    }

    fn merged_callees(&self, calls: &CallTree, id: BranchId) -> Vec<(FrameId, Sum)> {
        let mut sums = Sums::default();
        for &(at, _) in &self.branch(id).calls {
            for kid in calls.children(at) {
                let call = calls.call(kid);
                let sum = sums.of(call.frame);
                sum.weight += call.total;
                sum.own += call.own;
                sum.calls.push((kid, kid));
            }
        }
        sums.sums
    }

    /// Makes branches side by side, right of the self weight of their parent.
    fn plant(&mut self, parent: BranchId, mut sums: Vec<(FrameId, Sum)>) -> Vec<BranchId> {
        match self.is_heavy_first {
            true => sums.sort_by_key(|(frame, sum)| (Reverse(sum.weight), *frame)),
            false => sums.sort_by_key(|(frame, _)| *frame),
        }
        let Branch { depth, start, own, .. } = *self.branch(parent);
        let (depth, mut start) = (depth + 1, start + own);
        let first = self.branches.len() as BranchId;
        for (frame, Sum { weight, own, calls }) in sums {
            let branch = Branch { frame, parent, depth, start, weight, own, calls, kids: None };
            start += weight;
            self.branches.push(branch);
        }
        (first..self.branches.len() as BranchId).collect()
    }

    /// The branch of these frames, from the root on, or the last of them that is there.
    pub(crate) fn find(&mut self, calls: &CallTree, frames: &[FrameId]) -> BranchId {
        let mut at = ROOT;
        for frame in frames {
            let kids = self.kids(calls, at);
            match kids.into_iter().find(|kid| self.branch(*kid).frame == *frame) {
                Some(kid) => at = kid,
                None => break,
            }
        }
        at
    }

    /// The frames from below the root to a branch.
    pub(crate) fn frames(&self, id: BranchId) -> Vec<FrameId> {
        self.path(id).into_iter().skip(1).map(|it| self.branch(it).frame).collect()
    }
}

/// Sums by frame, in the order in which the frames were met.
#[derive(Default)]
struct Sums {
    places: HashMap<FrameId, usize>,
    sums: Vec<(FrameId, Sum)>,
}

impl Sums {
    fn of(&mut self, frame: FrameId) -> &mut Sum {
        let place = *self.places.entry(frame).or_insert_with(|| {
            self.sums.push((frame, Sum::default()));
            self.sums.len() - 1
        });
        &mut self.sums[place].1
    }
}

/// Calls `each` with the calls of a part that have no call of the same frame above them in it, so
/// that the weight of a function that calls itself is counted once.
pub(crate) fn for_each_outermost(
    calls: &CallTree,
    frames: usize,
    scope: u32,
    mut each: impl FnMut(u32),
) {
    let mut after = vec![0; frames];
    for number in calls.below(scope).filter(|it| *it != CallTree::WHOLE) {
        let call = calls.call(number);
        let after = &mut after[call.frame as usize];
        if number >= *after {
            *after = call.end;
            each(number);
        }
    }
}

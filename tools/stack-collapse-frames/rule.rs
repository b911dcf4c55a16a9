//! One rule: which frames it changes, and what becomes of them.

use std::fmt;

use common::{FrameId, FrameTable, Total};

use crate::frame_set::FrameSet;
use crate::reroot::Reroot;

/// A rule, ready to run.
#[derive(Debug)]
pub(crate) struct Rule {
    /// How it was given, for messages.
    pub(crate) origin: String,
    pub(crate) action: Action,
    /// The frames it changes.
    pub(crate) frames: FrameSet,
    /// The stacks it changes; all, if there is no condition.
    pub(crate) condition: Option<Condition>,
    /// The lines it changed.
    pub(crate) moved: Total,
    /// The stack under construction.
    pub(crate) built: Vec<FrameId>,
}

/// What becomes of the frames that match.
#[derive(Debug)]
pub(crate) enum Action {
    /// They go, and what they weigh is their caller's.
    Drop,
    /// Neighbours become one frame of this name.
    Merge(FrameId),
    /// The first one and all below it become one frame of this name; but where
    /// a frame of `until` follows, the stack goes on with it.
    Below { name: FrameId, phases: Phases, until: Option<FrameSet> },
    /// All above the last one goes, and it too.
    Reroot(Reroot),
}

/// Other names for what goes: the last frame of any of these sets tells which.
#[derive(Debug)]
pub(crate) struct Phases(pub(crate) Vec<(FrameSet, FrameId)>);

impl Phases {
    fn name(&mut self, hidden: &[FrameId], table: &FrameTable) -> Option<FrameId> {
        hidden.iter().rev().find_map(|&frame| {
            let mut phases = self.0.iter_mut();
            phases.find_map(|(frames, name)| frames.holds(frame, table).then_some(*name))
        })
    }
}

/// What a stack must have for a rule to look at it.
#[derive(Debug)]
pub(crate) struct Condition {
    /// One frame of these ...
    pub(crate) with: FrameSet,
    /// ... or this many frames at most.
    pub(crate) orphans: usize,
}

impl Rule {
    /// Runs the rule over a stack of this weight; true if and only if the
    /// stack is another one than before.
    pub(crate) fn apply(
        &mut self,
        stack: &mut Vec<FrameId>,
        weight: u64,
        table: &FrameTable,
    ) -> bool {
        let Some(first) = stack.iter().position(|&frame| self.holds(frame, table)) else {
            return false;
        };
        if !self.condition.as_mut().is_none_or(|condition| condition.holds(stack, table)) {
            return false;
        }
        self.built.clear();
        self.rebuild(stack, first, table);
        if self.built == *stack {
            return false;
        }
        std::mem::swap(stack, &mut self.built);
        self.moved += weight;
        true
    }

    /// True if and only if the rule must learn from all stacks before it runs.
    pub(crate) fn learns(&self) -> bool {
        matches!(&self.action, Action::Reroot(reroot) if reroot.entries.is_some())
    }

    /// Learns from a stack that it could run over.
    pub(crate) fn learn(&mut self, stack: &[FrameId], table: &FrameTable) {
        let Rule { action: Action::Reroot(Reroot { entries: Some(entries), .. }), frames, .. } =
            self
        else {
            return;
        };
        if let Some(last) = stack.iter().rposition(|&frame| frames.holds(frame, table)) {
            entries.learn(stack, last, table);
        }
    }

    #[inline]
    fn holds(&mut self, frame: FrameId, table: &FrameTable) -> bool {
        self.frames.holds(frame, table)
            || matches!(&self.action, Action::Reroot(reroot) if reroot.enters(frame))
    }

    /// Fills `built` with what becomes of a stack whose first match is known.
    fn rebuild(&mut self, stack: &[FrameId], first: usize, table: &FrameTable) {
        let Rule { action, frames, built, .. } = self;
        let (above, rest) = stack.split_at(first);
        match action {
            Action::Drop => {
                built.extend(above);
                built.extend(rest.iter().filter(|&&frame| !frames.holds(frame, table)));
            }
            Action::Merge(name) => {
                built.extend(above);
                let mut in_run = false;
                for &frame in rest {
                    let matches = frames.holds(frame, table);
                    match (matches, in_run) {
                        (true, true) => {}
                        (true, false) => built.push(*name),
                        (false, _) => built.push(frame),
                    }
                    in_run = matches;
                }
            }
            Action::Below { name, phases, until } => {
                let mut rest = stack;
                let mut next = Some(first);
                while let Some(start) = next {
                    built.extend(&rest[..start]);
                    let goes_on = until.as_mut().and_then(|until| {
                        let below = rest.iter().skip(start + 1);
                        below.copied().position(|frame| until.holds(frame, table))
                    });
                    let end = goes_on.map_or(rest.len(), |end| start + 1 + end);
                    built.push(phases.name(&rest[start..end], table).unwrap_or(*name));
                    rest = &rest[end..];
                    next = rest.iter().position(|&frame| frames.holds(frame, table));
                }
                built.extend(rest);
            }
            Action::Reroot(reroot) => {
                let last = stack.iter().rposition(|&frame| frames.holds(frame, table));
                reroot.rebuild(stack, last, table, built);
            }
        }
    }
}

/// The accounts of the rule.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Total { lines, weight } = self.moved;
        write!(f, "{} moved {lines} lines weight {weight}", self.origin)
    }
}

impl Condition {
    fn holds(&mut self, stack: &[FrameId], table: &FrameTable) -> bool {
        stack.len() <= self.orphans || stack.iter().any(|&frame| self.with.holds(frame, table))
    }
}

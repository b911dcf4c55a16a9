//! A rule: which frames it changes, and how.

use std::fmt;

use common::io::Total;
use common::stacks::{FrameId, FrameTable};

use crate::frame_set::FrameSet;
use crate::reroot::Reroot;

/// A rule, ready to run.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Where it was given, and its text, for messages.
    pub(crate) origin: String,
    pub(crate) action: Action,
    /// The frames it changes.
    pub(crate) frames: FrameSet,
    /// The stacks it changes; all, if there is no condition.
    pub(crate) condition: Option<Condition>,
    /// The lines it changed.
    pub(crate) moved: Total,
    /// The changed stack under construction.
    pub(crate) built: Vec<FrameId>,
}

/// What happens to the frames that match.
#[derive(Debug)]
pub(crate) enum Action {
    /// They are dropped; their weight goes to their caller.
    Drop,
    /// Neighbouring ones are replaced by one frame of this name.
    Merge(FrameId),
    /// The first one and all below it are replaced by one frame of this name. If
    /// a frame of `until` follows, the stack continues with that frame.
    Below { name: FrameId, phases: Phases, until: Option<FrameSet> },
    /// The last one and all above it are dropped.
    Reroot(Reroot),
    /// All others are dropped; their weight goes to the frame that matches and called them, or, if
    /// none did, to a frame of this name.
    Charge(FrameId),
}

/// Other names for the frames that are replaced: the last of them that is in any
/// of these sets decides.
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
    /// It must have one of these frames ...
    pub(crate) with: FrameSet,
    /// ... or at most this many frames.
    pub(crate) orphans: usize,
}

impl Rule {
    /// Runs the rule over a stack of this weight, and returns whether the stack
    /// was changed.
    pub(crate) fn apply(
        &mut self,
        stack: &mut Vec<FrameId>,
        weight: u64,
        table: &FrameTable,
    ) -> bool {
        let first = stack.iter().position(|&frame| self.holds(frame, table));
        let is_for_all = matches!(self.action, Action::Charge(_));
        let Some(first) = first.or(is_for_all.then_some(stack.len())) else { return false };
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

    /// Whether the rule must see all stacks before it runs.
    pub(crate) fn learns(&self) -> bool {
        matches!(&self.action, Action::Reroot(reroot) if reroot.entries.is_some())
    }

    /// Shows a stack to a rule that learns.
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

    /// Fills `built` with the changed stack; `first` is the first frame that
    /// matches.
    fn rebuild(&mut self, stack: &[FrameId], first: usize, table: &FrameTable) {
        let Rule { action, frames, built, .. } = self;
        let (above, rest) = stack.split_at(first);
        match action {
            Action::Drop => {
                built.extend(above);
                built.extend(rest.iter().filter(|&&frame| !frames.holds(frame, table)));
            }
            Action::Charge(name) => {
                built.extend(rest.iter().filter(|&&frame| frames.holds(frame, table)));
                if built.is_empty() {
                    built.push(*name);
                }
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

/// The line of `--stats` for the rule.
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

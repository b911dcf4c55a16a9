//! What a view says: numbers, stacks, and the command that leaves them.

use common::stacks::FrameId;

use super::{Kind, Side, View};
use crate::call_tree::CallTree;
use crate::command;
use crate::functions::Row;
use crate::trees::ROOT;

/// The numbers of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) frame: FrameId,
    pub(crate) own: u64,
    pub(crate) total: u64,
    pub(crate) of_all: u64,
    pub(crate) of_zoom: u64,
    pub(crate) of_parent: Option<u64>,
}

impl View {
    /// The numbers of the frame under the cursor.
    pub(crate) fn numbers(&self) -> Option<Numbers> {
        let of_all = self.calls.call(CallTree::WHOLE).total;
        if self.kind == Kind::Table {
            let Row { frame, weights } = *self.rows.get(self.row)?;
            let of_zoom = self.calls.call(self.scope_call()).total;
            let (own, total) = (weights.self_weight, weights.total);
            return Some(Numbers { frame, own, total, of_all, of_zoom, of_parent: None });
        }
        let (side, id) = self.current.unwrap_or((Side::Main, self.zoom()));
        let tree = self.tree(side);
        let branch = tree.branch(id);
        let of_zoom = self.tree(Side::Main).branch(self.zoom()).weight;
        let of_parent = (id != ROOT).then(|| tree.branch(branch.parent).weight);
        let (frame, own, total) = (branch.frame, branch.own, branch.weight);
        Some(Numbers { frame, own, total, of_all, of_zoom, of_parent })
    }

    /// The weight that the search found in the zoom, and the weight of that.
    pub(crate) fn found(&self) -> Option<[u64; 2]> {
        let hits = self.hits.as_ref()?;
        if self.kind == Kind::Table {
            let scope = self.scope_call();
            return Some([hits.weight_below(scope), self.calls.call(scope).total]);
        }
        let tree = self.tree(Side::Main);
        let zoom = tree.branch(self.zoom());
        let weight = match self.kind {
            Kind::Sandwich => hits.weight_through(&zoom.calls, &self.calls),
            _ => hits.weight_of(tree, self.zoom(), &self.calls),
        };
        Some([weight, zoom.weight])
    }

    /// The stacks that are shown, root first, each with its weight.
    pub(crate) fn stacks(&self) -> Vec<(Vec<FrameId>, u64)> {
        let calls = &self.calls;
        let all = || calls.below(self.scope_call()).filter(|it| calls.call(*it).own > 0);
        let numbers: Vec<u32> = match self.kind {
            Kind::Flame | Kind::Table => all().collect(),
            Kind::BottomUp => {
                let ends = &self.merged.branch(self.merged_zoom).calls;
                ends.iter().map(|(_, origin)| *origin).collect()
            }
            Kind::Sandwich => {
                let focused = self.merged.branch(ROOT).calls.iter();
                let below = focused.flat_map(|(call, _)| calls.below(*call));
                below.filter(|it| calls.call(*it).own > 0).collect()
            }
        };
        numbers.into_iter().map(|it| (calls.stack(it), calls.call(it).own)).collect()
    }

    /// The command that leaves the stacks that are shown; empty if these are all.
    pub(crate) fn command(&self) -> String {
        let mut commands: Vec<String> =
            self.steps.iter().map(|step| command::of_step(step, &self.profile)).collect();
        let scope = self.flame.frames(self.scope);
        if !scope.is_empty() {
            commands.push(command::of_path(&scope, &self.profile));
        }
        if self.kind == Kind::BottomUp && self.merged_zoom != ROOT {
            commands.push(command::of_end(&self.merged.frames(self.merged_zoom), &self.profile));
        }
        if self.kind == Kind::Sandwich && self.focus != CallTree::NO_FRAME {
            commands.push(command::of_frame(self.focus, &self.profile));
        }
        commands.join(" | ")
    }

    /// The stack of the current frame as a folded line.
    pub(crate) fn folded(&self) -> String {
        let Some(numbers) = self.numbers() else { return String::new() };
        let name = |frame: FrameId| common::names::printable(self.profile.name(frame));
        let mut frames = match (self.kind, self.current) {
            (Kind::Table, _) | (_, None) => vec![numbers.frame],
            (_, Some((side, id))) => self.tree(side).frames(id),
        };
        if self.kind == Kind::Sandwich {
            frames.insert(0, self.focus);
        }
        let is_leaf_first = matches!(
            (self.kind, self.current),
            (Kind::BottomUp, _) | (_, Some((Side::Callers, _)))
        );
        if is_leaf_first {
            frames.reverse();
        }
        let names: Vec<String> = frames.into_iter().map(name).collect();
        format!("{} {}", names.join(";"), numbers.total)
    }

    /// The names from the whole to the zoomed frame.
    pub(crate) fn way(&self) -> Vec<&[u8]> {
        let name = |frame: &FrameId| self.profile.name(*frame);
        let mut way = vec![&b"all"[..]];
        way.extend(self.flame.frames(self.scope).iter().map(name));
        match self.kind {
            Kind::BottomUp => way.extend(self.merged.frames(self.merged_zoom).iter().map(name)),
            Kind::Sandwich => way.push(name(&self.focus)),
            Kind::Flame | Kind::Table => {}
        }
        way
    }

    /// Where the zoomed frame starts and ends, as weights.
    pub(crate) fn zoomed(&self) -> [u64; 2] {
        let zoom = self.tree(Side::Main).branch(self.zoom());
        [zoom.start, zoom.end()]
    }
}

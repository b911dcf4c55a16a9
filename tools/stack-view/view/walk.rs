//! From frame to frame: siblings, callers, callees, hits, and the part of the width in sight.

use super::{Kind, Place, Side, View};
use crate::trees::{BranchId, ROOT};

/// A hit that is narrower, as a part of the width, is brought nearer.
const LEAST_SHARE: f64 = 0.02;

impl View {
    /// The branch beside one.
    pub(crate) fn sibling(&mut self, (side, id): Place, is_right: bool) -> Option<Place> {
        if id == ROOT {
            return None;
        }
        let parent = self.tree(side).branch(id).parent;
        let kids = self.kids((side, parent));
        let at = kids.iter().position(|kid| *kid == id)?;
        let at = if is_right { at + 1 } else { at.checked_sub(1)? };
        kids.get(at).map(|kid| (side, *kid))
    }

    /// Away from the roots, or towards them; in a sandwich, towards the callees or the callers.
    pub(crate) fn up_or_down(&mut self, (side, id): Place, is_away: bool) -> Option<Place> {
        let goes_out = is_away == (side == Side::Main);
        if id == ROOT && self.kind == Kind::Sandwich {
            let side = if is_away { Side::Main } else { Side::Callers };
            return self.heaviest_kid((side, ROOT));
        }
        if goes_out {
            return self.heaviest_kid((side, id));
        }
        let parent = self.tree(side).branch(id).parent;
        let side = if parent == ROOT { Side::Main } else { side };
        (id != ROOT).then_some((side, parent))
    }

    fn heaviest_kid(&mut self, (side, id): Place) -> Option<Place> {
        let kids = self.kids((side, id));
        let weight = |kid: &BranchId| self.tree(side).branch(*kid).weight;
        // Of equal ones the first.
        kids.iter().rev().max_by_key(|kid| weight(kid)).map(|kid| (side, *kid))
    }

    /// Makes a branch the current one; the zoom goes out as far as needed to show it.
    pub(crate) fn go_to(&mut self, (side, id): Place) {
        let tree = self.tree(side);
        let mut zoom = self.zoom();
        while side == Side::Main && !tree.is_within(id, zoom) && !tree.is_within(zoom, id) {
            zoom = tree.branch(zoom).parent;
        }
        if tree.is_within(zoom, id) && side == Side::Main {
            zoom = id;
        }
        if zoom != self.zoom() {
            self.set_zoom(zoom);
        }
        self.current = Some((side, id));
        self.bring_into((side, id), 0.0);
    }

    fn set_zoom(&mut self, zoom: BranchId) {
        self.range = None;
        match self.kind {
            Kind::Flame => self.scope = zoom,
            Kind::BottomUp => self.merged_zoom = zoom,
            Kind::Sandwich | Kind::Table => {}
        }
    }

    /// The next branch that the search found, in the order of the tree, or the one before. After
    /// the last comes the first.
    pub(crate) fn next_hit(&mut self, is_forward: bool) -> Option<Place> {
        let sides: &[Side] = match self.kind {
            Kind::Sandwich => &[Side::Callers, Side::Main],
            _ => &[Side::Main],
        };
        let mut all = Vec::new();
        for side in sides {
            let root = if *side == Side::Main { self.zoom() } else { ROOT };
            self.collect_hits((*side, root), &mut all);
        }
        let at = all.iter().position(|place| Some(*place) == self.current);
        let count = all.len();
        let next = match (at, is_forward) {
            (None, true) => 0,
            (None, false) => count.checked_sub(1)?,
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
        };
        all.get(next).copied()
    }

    /// The branches that are found, as far as they are on a way to a hit.
    fn collect_hits(&mut self, (side, root): Place, found: &mut Vec<Place>) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let Some(hits) = &self.hits else { return };
            let tree = self.tree(side);
            // The function of a sandwich is drawn once, as the root of its callees.
            let is_drawn = side == Side::Main || id != ROOT;
            if is_drawn && hits.has(tree.branch(id).frame) {
                found.push((side, id));
            }
            if found.len() >= MOST_HITS {
                return;
            }
            if hits.weight_of(tree, id, &self.calls) > 0 {
                pending.extend(self.kids((side, id)).into_iter().rev());
            }
        }
    }

    /// Shows a branch that is out of sight or too narrow to be read: it gets a quarter of the
    /// width. The zoomed frame stays.
    pub(crate) fn bring_into_range(&mut self, place: Place) {
        self.bring_into(place, LEAST_SHARE);
    }

    fn bring_into(&mut self, (side, id): Place, least_share: f64) {
        let branch = self.tree(side).branch(id);
        let (start, end, weight) = (branch.start, branch.end(), branch.weight);
        let [from, to] = self.shown_range();
        let is_readable = weight as f64 >= least_share * (to - from) as f64;
        if from <= start && end <= to && is_readable || weight >= to - from && from <= start {
            return;
        }
        let width =
            if is_readable && weight <= to - from { to - from } else { weight.saturating_mul(4) };
        let middle = start + weight / 2;
        self.set_range(middle.saturating_sub(width / 2), width);
    }

    /// The part of the zoomed frame that is in sight, as weights.
    pub(crate) fn shown_range(&self) -> [u64; 2] {
        let zoom = self.tree(Side::Main).branch(self.zoom());
        self.range.unwrap_or([zoom.start, zoom.end()])
    }

    fn set_range(&mut self, from: u64, width: u64) {
        let zoom = self.tree(Side::Main).branch(self.zoom());
        let (start, end) = (zoom.start, zoom.end());
        if width >= end - start {
            self.range = None;
            return;
        }
        let width = width.max(1);
        let from = from.clamp(start, end - width);
        self.range = Some([from, from + width]);
    }

    /// Makes the part in sight `times` as wide, around the current frame.
    pub(crate) fn scale_range(&mut self, times: f64) {
        let [from, to] = self.shown_range();
        let middle = match self.current {
            Some((side, id)) => {
                let branch = self.tree(side).branch(id);
                (branch.start + branch.weight / 2).clamp(from, to)
            }
            None => from + (to - from) / 2,
        };
        let width = (((to - from) as f64) * times).max(1.0) as u64;
        let left = ((middle - from) as f64 * times) as u64;
        self.set_range(middle.saturating_sub(left), width);
    }

    /// Moves the part in sight to the right by a part of its width; less than 0 is to the left.
    pub(crate) fn move_range(&mut self, parts: f64) {
        let [from, to] = self.shown_range();
        let by = (parts.abs() * (to - from) as f64).ceil() as u64;
        let from = if parts < 0.0 { from.saturating_sub(by) } else { from.saturating_add(by) };
        self.set_range(from, to - self.shown_range()[0]);
    }

    /// Shows the part of these branches, which are side by side.
    pub(crate) fn show_range_of(&mut self, places: &[Place]) {
        let ([(side, first), ..], [.., (_, last)]) = (places, places) else { return };
        let tree = self.tree(*side);
        let (start, end) = (tree.branch(*first).start, tree.branch(*last).end());
        self.current = Some((*side, *first));
        self.set_range(start, end - start);
    }
}

/// How many hits are walked: a reader with more must look for something else.
const MOST_HITS: usize = 100_000;

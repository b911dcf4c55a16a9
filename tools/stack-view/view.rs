//! What is shown: a view of a part of the profile, and the frame under the cursor.

mod renew;
mod shown;
mod walk;

use std::sync::Arc;

use common::{Result, stacks::FrameId};

pub(crate) use shown::Numbers;

use crate::call_tree::CallTree;
use crate::functions::{self, Row, Sort};
use crate::profile::Profile;
use crate::search::Hits;
use crate::steps::Step;
use crate::trees::{BranchId, ROOT, Tree, for_each_outermost};

/// The four views, as in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Flame,
    BottomUp,
    Sandwich,
    Table,
}

impl Kind {
    pub(crate) const ALL: [Kind; 4] = [Kind::Flame, Kind::BottomUp, Kind::Sandwich, Kind::Table];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Flame => "Flame",
            Kind::BottomUp => "Bottom up",
            Kind::Sandwich => "Sandwich",
            Kind::Table => "Table",
        }
    }
}

/// One of the trees that a view shows; a sandwich has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// The tree of the flame graph and of the bottom up view, and in a sandwich the callees.
    Main,
    Callers,
}

/// A branch of a view.
pub(crate) type Place = (Side, BranchId);

/// What is shown, and how it came to be.
pub(crate) struct View {
    pub(crate) profile: Profile,
    /// The calls that the steps leave.
    pub(crate) calls: Arc<CallTree>,
    pub(crate) steps: Vec<Step>,
    pub(crate) kind: Kind,
    flame: Tree,
    /// The tree of the view that is shown, if it is not the flame graph.
    merged: Tree,
    callers: Tree,
    /// The zoomed branch of the flame graph, which the other views show.
    pub(crate) scope: BranchId,
    /// The zoomed branch of the bottom up view.
    merged_zoom: BranchId,
    pub(crate) current: Option<Place>,
    /// The function of the sandwich.
    pub(crate) focus: FrameId,
    pub(crate) rows: Vec<Row>,
    pub(crate) row: usize,
    pub(crate) sort: Sort,
    pub(crate) hits: Option<Hits>,
    pub(crate) is_flipped: bool,
    /// In the flame graph, and in the views that merge frames.
    is_heavy_first: [bool; 2],
    /// The part of the zoomed frame that is shown, as weights, if not all of it.
    pub(crate) range: Option<[u64; 2]>,
}

impl View {
    pub(crate) fn new(profile: Profile) -> View {
        let calls = Arc::clone(&profile.tree);
        let flame = Tree::top_down(&calls, false);
        View {
            merged: flame.clone(),
            callers: flame.clone(),
            flame,
            calls,
            profile,
            steps: Vec::new(),
            kind: Kind::Flame,
            scope: ROOT,
            merged_zoom: ROOT,
            current: None,
            focus: CallTree::NO_FRAME,
            rows: Vec::new(),
            row: 0,
            sort: Sort::default(),
            hits: None,
            is_flipped: false,
            is_heavy_first: [false, true],
            range: None,
        }
    }

    /// The tree that holds the branches of a side.
    pub(crate) fn tree(&self, side: Side) -> &Tree {
        match (side, self.kind) {
            (Side::Callers, _) => &self.callers,
            (Side::Main, Kind::Flame) => &self.flame,
            (Side::Main, _) => &self.merged,
        }
    }

    /// The branches on top of one, from left to right.
    pub(crate) fn kids(&mut self, (side, id): Place) -> Vec<BranchId> {
        let (tree, calls) = self.tree_mut(side);
        tree.kids(calls, id)
    }

    /// The tree that holds the branches of a side, and the calls from which it grows.
    fn tree_mut(&mut self, side: Side) -> (&mut Tree, &CallTree) {
        let tree = match (side, self.kind) {
            (Side::Callers, _) => &mut self.callers,
            (Side::Main, Kind::Flame) => &mut self.flame,
            (Side::Main, _) => &mut self.merged,
        };
        (tree, &self.calls)
    }

    /// The branch that has the whole width.
    pub(crate) fn zoom(&self) -> BranchId {
        match self.kind {
            Kind::Flame => self.scope,
            Kind::BottomUp => self.merged_zoom,
            Kind::Sandwich | Kind::Table => ROOT,
        }
    }

    /// The call that the zoomed part of the flame graph is.
    pub(crate) fn scope_call(&self) -> u32 {
        self.flame.branch(self.scope).calls[0].0
    }

    /// A search counts calls from this one on. A sandwich also shows the callers of the zoomed
    /// part.
    fn outermost(&self) -> u32 {
        if self.kind == Kind::Sandwich { CallTree::WHOLE } else { self.scope_call() }
    }

    /// Shows a view, with the function that is chosen.
    pub(crate) fn show(&mut self, kind: Kind) {
        let chosen = self.current_frame();
        self.kind = kind;
        self.range = None;
        self.merged_zoom = ROOT;
        if kind == Kind::Sandwich {
            self.focus = chosen.unwrap_or(CallTree::NO_FRAME);
        }
        self.plant();
        self.current = match kind {
            Kind::Table => None,
            Kind::Sandwich => Some((Side::Main, ROOT)),
            Kind::Flame => {
                chosen.and_then(|frame| self.heaviest_of(frame)).map(|it| (Side::Main, it))
            }
            Kind::BottomUp => {
                let kids = self.kids((Side::Main, ROOT));
                let is_chosen = |kid: &BranchId| Some(self.merged.branch(*kid).frame) == chosen;
                kids.into_iter().find(is_chosen).map(|it| (Side::Main, it))
            }
        };
        if kind == Kind::Table {
            self.row = self.rows.iter().position(|row| Some(row.frame) == chosen).unwrap_or(0);
        }
    }

    /// Makes what the view shows of the calls.
    fn plant(&mut self) {
        let (scope, [_, is_heavy_first]) = (self.scope_call(), self.is_heavy_first);
        match self.kind {
            Kind::Flame => {}
            Kind::BottomUp => self.merged = Tree::bottom_up(&self.calls, scope, is_heavy_first),
            Kind::Sandwich => {
                let at = self.calls_of_focus();
                [self.callers, self.merged] =
                    Tree::sandwich(&self.calls, self.focus, &at, is_heavy_first);
            }
            Kind::Table => self.fill_table(),
        }
        self.find_hits();
    }

    /// The outermost calls of the sandwich's function in the zoomed part. If it is only outside of
    /// that part, the zoom goes out to it; if it is nowhere, the function with the most self weight
    /// takes its place.
    fn calls_of_focus(&mut self) -> Vec<u32> {
        let frames = self.profile.frames.len();
        loop {
            let (scope, focus) = (self.scope_call(), self.focus);
            let mut at = Vec::new();
            for_each_outermost(&self.calls, frames, scope, |number| {
                if self.calls.call(number).frame == focus {
                    at.push(number);
                }
            });
            if !at.is_empty() {
                return at;
            }
            let path = self.flame.path(self.scope);
            let caller = path.iter().rev().find(|id| self.flame.branch(**id).frame == focus);
            match caller {
                Some(caller) if focus != CallTree::NO_FRAME => self.scope = *caller,
                _ => {
                    let rows = functions::rows(&self.calls, frames, scope, Sort::OwnWeight);
                    let Some(first) = rows.first() else { return at };
                    self.focus = first.frame;
                }
            }
        }
    }

    /// The branch of the heaviest outermost call of a frame in the zoomed part.
    fn heaviest_of(&mut self, frame: FrameId) -> Option<BranchId> {
        let mut best: Option<u32> = None;
        for_each_outermost(&self.calls, self.profile.frames.len(), self.scope_call(), |number| {
            let is_it = self.calls.call(number).frame == frame;
            let weight = |it: u32| self.calls.call(it).total;
            if is_it && best.is_none_or(|best| weight(number) > weight(best)) {
                best = Some(number);
            }
        });
        let frames = self.calls.stack(best?);
        Some(self.flame.find(&self.calls, &frames))
    }

    /// The frame under the cursor, or else the zoomed one.
    pub(crate) fn current_frame(&self) -> Option<FrameId> {
        let frame = match self.kind {
            Kind::Table => self.rows.get(self.row)?.frame,
            _ => {
                let (side, id) = self.current.unwrap_or((Side::Main, self.zoom()));
                self.tree(side).branch(id).frame
            }
        };
        (frame != CallTree::NO_FRAME).then_some(frame)
    }

    /// Gives a branch the whole width; in a sandwich, shows its function.
    pub(crate) fn zoom_to(&mut self, (side, id): Place) {
        self.range = None;
        self.current = Some((side, id));
        match self.kind {
            Kind::Flame => self.scope = id,
            Kind::BottomUp => self.merged_zoom = id,
            Kind::Sandwich => {
                self.focus = self.tree(side).branch(id).frame;
                self.plant();
                self.current = Some((Side::Main, ROOT));
            }
            Kind::Table => self.current = None,
        }
    }

    /// Zooms out to the whole of the view, and from there to all of the profile.
    pub(crate) fn zoom_to_whole(&mut self) {
        if self.kind == Kind::Flame || self.scope == ROOT {
            return self.zoom_to((Side::Main, ROOT));
        }
        self.scope = ROOT;
        (self.merged_zoom, self.current) = (ROOT, None);
        self.plant();
    }

    /// Goes one step back; false if there is none.
    pub(crate) fn go_out(&mut self) -> bool {
        if self.range.take().is_some() {
            return true;
        }
        match self.kind {
            Kind::Sandwich => self.show(Kind::Flame),
            Kind::Flame | Kind::BottomUp if self.zoom() != ROOT => {
                let parent = self.tree(Side::Main).branch(self.zoom()).parent;
                self.zoom_to((Side::Main, parent));
            }
            _ if self.scope != ROOT => {
                self.scope = self.flame.branch(self.scope).parent;
                (self.merged_zoom, self.current) = (ROOT, None);
                self.plant();
            }
            _ => return false,
        }
        true
    }

    /// Searches, or with an empty query ends the search.
    ///
    /// # Errors
    ///
    /// A usage error that names the pattern.
    pub(crate) fn search(&mut self, query: &str) -> Result<()> {
        self.end_search();
        if !query.is_empty() {
            self.hits = Some(Hits::new(query, &self.profile)?);
            self.find_hits();
        }
        Ok(())
    }

    pub(crate) fn end_search(&mut self) {
        self.hits = None;
        self.fill_table();
    }

    /// Adds up what the search finds of the calls that are shown; the table keeps only rows of
    /// hits.
    fn find_hits(&mut self) {
        // A sandwich may have zoomed out.
        let top = self.outermost();
        if let Some(hits) = &mut self.hits {
            hits.add_up(&self.calls, top);
            self.rows.retain(|row| hits.has(row.frame));
        }
        self.row = self.row.min(self.rows.len().saturating_sub(1));
    }

    fn fill_table(&mut self) {
        if self.kind == Kind::Table {
            let (frames, scope) = (self.profile.frames.len(), self.scope_call());
            self.rows = functions::rows(&self.calls, frames, scope, self.sort);
        }
    }

    /// Puts the heaviest frames first, or frames in the order of their names.
    pub(crate) fn toggle_order(&mut self) {
        if self.kind == Kind::Table {
            self.sort = self.sort.next();
            return self.plant();
        }
        let is_flame = self.kind == Kind::Flame;
        let is_first = &mut self.is_heavy_first[usize::from(!is_flame)];
        *is_first = !*is_first;
        let (scope, zoom) = (self.flame.frames(self.scope), self.merged.frames(self.merged_zoom));
        let current = self.current.map(|(side, id)| (side, self.tree(side).frames(id)));
        self.flame = Tree::top_down(&self.calls, self.is_heavy_first[0]);
        self.scope = self.flame.find(&self.calls, &scope);
        self.range = None;
        self.plant();
        if self.kind == Kind::BottomUp {
            self.merged_zoom = self.merged.find(&self.calls, &zoom);
        }
        self.current = current.map(|(side, frames)| (side, self.find(side, &frames)));
    }

    fn find(&mut self, side: Side, frames: &[FrameId]) -> BranchId {
        let (tree, calls) = self.tree_mut(side);
        tree.find(calls, frames)
    }

    /// Shows what these steps leave of the profile; false, and nothing changes, if that is
    /// nothing.
    ///
    /// # Errors
    ///
    /// Those of [`Step::apply`].
    pub(crate) fn take_steps(&mut self, steps: Vec<Step>) -> Result<bool> {
        let calls = after(&steps, &self.profile)?;
        if calls.call(CallTree::WHOLE).total == 0 {
            return Ok(false);
        }
        let scope = self.flame.frames(self.scope);
        self.steps = steps;
        self.grow(calls, &scope);
        Ok(true)
    }

    /// Shows other calls, with the same part zoomed as far as it is there.
    fn grow(&mut self, calls: Arc<CallTree>, scope: &[FrameId]) {
        self.calls = calls;
        self.flame = Tree::top_down(&self.calls, self.is_heavy_first[0]);
        self.scope = self.flame.find(&self.calls, scope);
        (self.merged_zoom, self.current, self.range) = (ROOT, None, None);
        self.plant();
    }
}

/// What steps leave of a profile.
fn after(steps: &[Step], profile: &Profile) -> Result<Arc<CallTree>> {
    let whole = Arc::clone(&profile.tree);
    steps.iter().try_fold(whole, |calls, step| step.apply(&calls, profile).map(Arc::new))
}

//! Where boxes are, in cells.

use std::collections::HashSet;

use crate::trees::BranchId;
use crate::view::{Kind, Place, Side, View};

/// A box of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) what: What,
    /// The first cell, and the one after the last.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Frame(Place),
    /// Several frames, side by side, that are each narrower than half a cell.
    Narrow(Vec<Place>),
}

/// The boxes of a view: rows by their distance from the root, up and, in a sandwich, down.
#[derive(Default)]
pub(crate) struct Layout {
    /// The zoomed frame and all on top of it; the frames below the zoom come first.
    pub(crate) main: Vec<Vec<Cells>>,
    /// In a sandwich, the callers, the nearest first.
    pub(crate) callers: Vec<Vec<Cells>>,
}

/// The boxes of the view, on `width` cells and `rows` rows.
pub(crate) fn layout(view: &mut View, width: usize, rows: usize) -> Layout {
    let zoom = view.zoom();
    let path = view.tree(Side::Main).path(zoom);
    let below = path[..path.len() - 1].iter();
    let whole_width =
        |id: &BranchId| vec![Cells { what: What::Frame((Side::Main, *id)), from: 0, to: width }];
    let mut main: Vec<Vec<Cells>> = below.map(whole_width).collect();
    let kept = kept(view);
    let branch = view.tree(Side::Main).branch(zoom);
    let [from, to] = view.range.unwrap_or([branch.start, branch.end()]);
    let scale = Scale { from, to, width };
    main.extend(rows_above(view, (Side::Main, zoom), scale, rows, &kept));
    let mut callers = Vec::new();
    if view.kind == Kind::Sandwich {
        callers = rows_above(view, (Side::Callers, zoom), scale, rows, &kept);
        // The function is drawn once.
        if !callers.is_empty() {
            callers.remove(0);
        }
    }
    Layout { main, callers }
}

/// The frames that are drawn however narrow they are: the current one and those below it.
fn kept(view: &View) -> HashSet<Place> {
    let Some((side, id)) = view.current else { return HashSet::new() };
    view.tree(side).path(id).into_iter().map(|id| (side, id)).collect()
}

/// How weights become cells.
#[derive(Clone, Copy)]
struct Scale {
    from: u64,
    to: u64,
    width: usize,
}

impl Scale {
    /// The cell that is nearest to a weight, so that a frame is exactly on top of its caller.
    fn cell(self, weight: u64) -> usize {
        let whole = u128::from(self.to.saturating_sub(self.from).max(1));
        let inside = u128::from(weight.clamp(self.from, self.to) - self.from);
        ((inside * self.width as u128 * 2 + whole) / (whole * 2)) as usize
    }
}

/// The boxes of a branch and of all on top of it, as far as they are in the range and the rows.
fn rows_above(
    view: &mut View,
    (side, root): Place,
    scale: Scale,
    most_rows: usize,
    kept: &HashSet<Place>,
) -> Vec<Vec<Cells>> {
    let mut rows = Vec::new();
    let mut level = vec![root];
    while !level.is_empty() && rows.len() < most_rows {
        let row = row(view, side, &level, scale, kept);
        let wide = row.iter().filter_map(|cells| match cells.what {
            What::Frame((_, id)) => Some(id),
            What::Narrow(_) => None,
        });
        level = wide.flat_map(|id| view.kids((side, id))).collect();
        rows.push(row);
    }
    while rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    rows
}

/// The boxes of branches side by side.
fn row(
    view: &View,
    side: Side,
    level: &[BranchId],
    scale: Scale,
    kept: &HashSet<Place>,
) -> Vec<Cells> {
    let mut row: Vec<Cells> = Vec::new();
    // Narrow frames without a gap between them, until they fill a cell together.
    let mut narrow = Narrow::default();
    for &id in level {
        let branch = view.tree(side).branch(id);
        let (start, end) = (branch.start, branch.end());
        if end <= scale.from || start >= scale.to {
            continue;
        }
        let is_kept = kept.contains(&(side, id));
        let (first, last) = (scale.cell(start), scale.cell(end));
        if first == last && !is_kept {
            if narrow.end != start {
                narrow.finish(&mut row, scale);
            }
            narrow.add((side, id), start, end);
            continue;
        }
        narrow.finish(&mut row, scale);
        let last = last.max(first + 1).min(scale.width.max(1));
        let mut first = first.min(last - 1);
        match is_kept {
            true => clear(&mut row, first),
            // A kept frame may take a cell of its neighbour.
            false => first = first.max(row.last().map_or(0, |before| before.to)),
        }
        if first < last {
            row.push(Cells { what: What::Frame((side, id)), from: first, to: last });
        }
    }
    narrow.finish(&mut row, scale);
    row
}

/// Narrow frames side by side.
#[derive(Default)]
struct Narrow {
    places: Vec<Place>,
    start: u64,
    end: u64,
}

impl Narrow {
    fn add(&mut self, place: Place, start: u64, end: u64) {
        if self.places.is_empty() {
            self.start = start;
        }
        self.end = end;
        self.places.push(place);
    }

    /// Puts them into one box, if they fill a cell.
    fn finish(&mut self, row: &mut Vec<Cells>, scale: Scale) {
        let places = std::mem::take(&mut self.places);
        let from = row.last().map_or(0, |last| last.to).max(scale.cell(self.start));
        let to = scale.cell(self.end);
        if !places.is_empty() && from < to {
            row.push(Cells { what: What::Narrow(places), from, to });
        }
    }
}

/// Makes room for a box that begins at `from` and is wider than it should be.
fn clear(row: &mut Vec<Cells>, from: usize) {
    while let Some(last) = row.last_mut()
        && last.to > from
    {
        last.to = from;
        if last.from >= last.to {
            row.pop();
        } else {
            break;
        }
    }
}

impl Layout {
    /// The box at a cell of a row; a row below 0 is one of the callers.
    pub(crate) fn at(&self, row: isize, column: usize) -> Option<&Cells> {
        let row = match usize::try_from(row) {
            Ok(row) => self.main.get(row)?,
            Err(_) => self.callers.get(row.unsigned_abs() - 1)?,
        };
        row.iter().find(|cells| (cells.from..cells.to).contains(&column))
    }

    /// The row of a branch.
    pub(crate) fn row_of(view: &View, (side, id): Place) -> isize {
        let depth = view.tree(side).branch(id).depth as isize;
        match side {
            Side::Main => depth,
            Side::Callers => -depth,
        }
    }
}

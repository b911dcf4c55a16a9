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
    /// The zoomed frame and what stands on it; the frames below the zoom come first.
    pub(crate) main: Vec<Vec<Cells>>,
    /// In a sandwich, the callers, the nearest first.
    pub(crate) callers: Vec<Vec<Cells>>,
}

/// The boxes of the view, on so many cells and rows.
pub(crate) fn layout(view: &mut View, width: usize, rows: usize) -> Layout {
    let zoom = view.zoom();
    let path = view.tree(Side::Main).path(zoom);
    let below = path[..path.len() - 1].iter();
    let whole_width =
        |id: &BranchId| vec![Cells { what: What::Frame((Side::Main, *id)), from: 0, to: width }];
    let mut main: Vec<Vec<Cells>> = below.map(whole_width).collect();
    let kept = kept(view);
    let branch = view.tree(Side::Main).branch(zoom);
    let range = view.range.unwrap_or([branch.start, branch.end()]);
    main.extend(rows_above(view, (Side::Main, zoom), range, width, rows, &kept));
    let mut callers = Vec::new();
    if view.kind == Kind::Sandwich {
        callers = rows_above(view, (Side::Callers, zoom), range, width, rows, &kept);
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

/// The boxes of a branch and of all that stands on it, as far as they are in the range and the
/// rows. Edges are at the cell that is nearest, so that a frame stands exactly on its caller.
fn rows_above(
    view: &mut View,
    (side, root): Place,
    [from, to]: [u64; 2],
    width: usize,
    most_rows: usize,
    kept: &HashSet<Place>,
) -> Vec<Vec<Cells>> {
    let whole = u128::from(to.saturating_sub(from).max(1));
    let cell = |weight: u64| {
        let inside = u128::from(weight.clamp(from, to) - from);
        ((inside * width as u128 * 2 + whole) / (whole * 2)) as usize
    };
    let mut rows = Vec::new();
    let mut level = vec![root];
    while !level.is_empty() && rows.len() < most_rows {
        let mut row: Vec<Cells> = Vec::new();
        let mut wide = Vec::new();
        // Narrow frames side by side, until there are enough to fill a cell.
        let mut narrow: Option<(Vec<Place>, u64, u64)> = None;
        for id in level {
            let branch = view.tree(side).branch(id);
            let (start, end) = (branch.start, branch.end());
            if end <= from || start >= to {
                continue;
            }
            let is_kept = kept.contains(&(side, id));
            let (first, mut last) = (cell(start), cell(end));
            if first == last && !is_kept {
                narrow = match narrow {
                    Some((mut places, begin, until)) if until == start => {
                        places.push((side, id));
                        Some((places, begin, end))
                    }
                    other => {
                        push_narrow(&mut row, other, cell);
                        Some((vec![(side, id)], start, end))
                    }
                };
                continue;
            }
            push_narrow(&mut row, narrow.take(), cell);
            last = last.max(first + 1).min(width.max(1));
            let mut first = first.min(last - 1);
            match is_kept {
                true => clear(&mut row, first),
                // One that was kept may take a cell of its neighbour.
                false => first = first.max(row.last().map_or(0, |before| before.to)),
            }
            if first == last {
                continue;
            }
            row.push(Cells { what: What::Frame((side, id)), from: first, to: last });
            wide.push(id);
        }
        push_narrow(&mut row, narrow.take(), cell);
        level = wide.into_iter().flat_map(|id| view.kids((side, id))).collect();
        rows.push(row);
    }
    while rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    rows
}

fn push_narrow(
    row: &mut Vec<Cells>,
    narrow: Option<(Vec<Place>, u64, u64)>,
    cell: impl Fn(u64) -> usize,
) {
    let Some((places, start, end)) = narrow else { return };
    let from = row.last().map_or(0, |last| last.to).max(cell(start));
    let to = cell(end);
    if from < to {
        row.push(Cells { what: What::Narrow(places), from, to });
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

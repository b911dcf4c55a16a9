//! What functions weigh for each value of a label, each file or each root.

mod data;
mod table;
mod trend;

use std::cmp::Reverse;

use common::compare::{Run, Weights};
use common::stacks::{
    FrameId, FrameTable, FrameWeights, SortedStack, SortedStacks, filled, with_room,
};
use common::{names::FrameParts, numbers::Unit, pipe::Split};
use hashbrown::HashMap;

use crate::by::By;
use crate::profile::{Rows, Sort};

pub(crate) use data::{json, tsv};
pub(crate) use table::{most_that_fit, table};

/// What functions weigh for each value.
pub(crate) struct SplitProfile {
    /// The values with a column, the heaviest first.
    pub(crate) values: Vec<Value>,
    /// How many values have no column, and what they weigh.
    pub(crate) others: Option<(usize, u64)>,
    /// What the rows stand for, sorted.
    names: Vec<Vec<u8>>,
    /// By the numbers of the names.
    weights: Vec<FrameWeights>,
    /// What weighs something, by the numbers of the names and of the columns; that of others is the
    /// last. Most functions are in few columns.
    cells: Vec<Cell>,
    /// By the numbers of the columns, what their lines weigh.
    lines: Vec<Weights>,
    /// Whether the columns are files, all of them, in the order of the command line.
    are_versions: bool,
    /// What all stacks weigh.
    pub(crate) total: u64,
    pub(crate) unit: Unit,
    /// What the user or a header line calls the unit.
    pub(crate) unit_name: Option<String>,
}

/// What a row weighs in a column.
pub(crate) struct Cell {
    row: FrameId,
    pub(crate) column: usize,
    pub(crate) weights: FrameWeights,
}

/// A value that has a column.
pub(crate) struct Value {
    pub(crate) name: Vec<u8>,
    /// What its stacks weigh.
    pub(crate) total: u64,
}

/// The value of each stack, which is its first frame.
struct Values {
    names: FrameTable,
    /// The number of the value for each frame that is a first one.
    of_root: HashMap<FrameId, FrameId>,
    totals: Vec<u64>,
}

impl Values {
    fn of(stacks: &SortedStacks, split: &Split) -> Values {
        let mut values =
            Values { names: FrameTable::default(), of_root: HashMap::new(), totals: Vec::new() };
        for SortedStack { frames, weight, .. } in stacks.iter() {
            let Values { names, of_root, totals } = &mut values;
            let value = *of_root.entry(frames[0]).or_insert_with(|| {
                let name = stacks.frames().name(frames[0]);
                // Roots count as equal if they have the same name, with any place and marks.
                names.intern(if *split == Split::Root { FrameParts::of(name).name } else { name })
            });
            totals.resize(totals.len().max(value as usize + 1), 0);
            totals[value as usize] += weight;
        }
        values
    }

    fn value(&self, value: FrameId) -> Value {
        Value { name: self.names.name(value).to_vec(), total: self.totals[value as usize] }
    }

    /// The values that weigh something, as they were given.
    fn in_order(&self, given: &[Vec<u8>]) -> Vec<FrameId> {
        let mut order = self.heaviest_first();
        order.sort_by_key(|&value| given.iter().position(|it| it == self.names.name(value)));
        order
    }

    /// The values that weigh something, the heaviest first.
    fn heaviest_first(&self) -> Vec<FrameId> {
        let mut order: Vec<FrameId> = (0..self.totals.len() as FrameId).collect();
        order.retain(|&value| self.totals[value as usize] > 0);
        order.sort_by(|&one, &other| {
            let heavier =
                Reverse(self.totals[one as usize]).cmp(&Reverse(self.totals[other as usize]));
            heavier.then_with(|| self.names.name(one).cmp(self.names.name(other)))
        });
        order
    }
}

impl SplitProfile {
    /// Sums the stacks, which `split` put below their values. `most` gets all values, the heaviest
    /// first, and returns the largest number of columns: the last one is the sum of the values
    /// without a column. If all of `files` have one, they stay in their order.
    pub(crate) fn of(
        stacks: &SortedStacks,
        split: &Split,
        files: &[Vec<u8>],
        by: By,
        most: impl FnOnce(&[Value], &Unit) -> usize,
        unit_name: Option<String>,
    ) -> SplitProfile {
        let roots = Values::of(stacks, split);
        let mut order = roots.heaviest_first();
        let mut values: Vec<Value> = order.iter().map(|&value| roots.value(value)).collect();
        let unit = Unit::named(unit_name.as_deref().unwrap_or_default());
        let total = values.iter().map(|value| value.total).sum();
        let most = most(&values, &unit);
        let are_versions = *split == Split::File && (2..=most).contains(&values.len());
        if are_versions {
            order = roots.in_order(files);
            values = order.iter().map(|&value| roots.value(value)).collect();
        }
        let shown = if values.len() > most { most.max(1) - 1 } else { values.len() };
        let rest = values.split_off(shown);
        let others =
            (!rest.is_empty()).then(|| (rest.len(), rest.iter().map(|value| value.total).sum()));
        let mut column_of = vec![shown; roots.totals.len()];
        for (column, &value) in order[..shown].iter().enumerate() {
            column_of[value as usize] = column;
        }
        let (names, weights, cells, lines) = Default::default();
        let mut profile = SplitProfile {
            values,
            others,
            names,
            weights,
            cells,
            lines,
            are_versions,
            total,
            unit,
            unit_name,
        };
        profile.sum(stacks, split, by, |root| column_of[roots.of_root[&root] as usize]);
        profile
    }

    /// Sums the weights of rows, and of rows in each column.
    fn sum(
        &mut self,
        stacks: &SortedStacks,
        split: &Split,
        by: By,
        column_of: impl Fn(FrameId) -> usize,
    ) {
        let frames = stacks.frames();
        let label = |frame| by.label(frames.name(frame), false);
        let mut labels = with_room(frames.len());
        labels.extend((0..frames.len() as FrameId).map(label));
        let mut names: Vec<&[u8]> = labels.iter().map(|label| &**label).collect();
        names.sort_unstable();
        names.dedup();
        let row_of = |label: &[u8]| names.partition_point(|name| *name < label) as FrameId;
        let row_of: Vec<FrameId> = labels.iter().map(|label| row_of(label)).collect();
        self.weights = filled(FrameWeights::default(), names.len());
        self.lines = filled(Weights::default(), self.columns());
        let mut cells: HashMap<(FrameId, usize), FrameWeights> = HashMap::new();
        // The number of the last stack that held each row, counted from 1.
        let mut last = filled(0, names.len());
        for (stack, number) in stacks.iter().zip(1u64..).filter(|(stack, _)| stack.weight > 0) {
            let column = column_of(stack.frames[0]);
            self.lines[column].add(stack.weight);
            // A value that was put above a stack is not a function.
            let own = if *split == Split::Root { stack.frames } else { &stack.frames[1..] };
            let counted = by.counted(own);
            for (at, &frame) in counted.iter().enumerate() {
                let row = row_of[frame as usize];
                let is_first = std::mem::replace(&mut last[row as usize], number) != number;
                let added = FrameWeights {
                    self_weight: if at + 1 == counted.len() { stack.weight } else { 0 },
                    total: if is_first { stack.weight } else { 0 },
                };
                if added != FrameWeights::default() {
                    add(&mut self.weights[row as usize], added);
                    add(cells.entry((row, column)).or_default(), added);
                }
            }
        }
        let cells = cells.into_iter();
        self.cells = cells.map(|((row, column), weights)| Cell { row, column, weights }).collect();
        self.cells.sort_unstable_by_key(|cell| (cell.row, cell.column));
        self.names = names.into_iter().map(<[u8]>::to_vec).collect();
    }

    pub(crate) fn rows(&self, sort: Sort, at_most: usize) -> Rows {
        Rows::of(&self.weights, sort, at_most)
    }

    pub(crate) fn name(&self, row: FrameId) -> &[u8] {
        &self.names[row as usize]
    }

    /// The columns in which a row weighs something, in their order.
    pub(crate) fn cells(&self, row: FrameId) -> &[Cell] {
        let start = self.cells.partition_point(|cell| cell.row < row);
        let length = self.cells[start..].partition_point(|cell| cell.row == row);
        &self.cells[start..start + length]
    }

    /// What a row weighs in a column.
    pub(crate) fn cell(&self, row: FrameId, column: usize) -> FrameWeights {
        let place = self.cells.binary_search_by_key(&(row, column), |it| (it.row, it.column));
        place.map_or_else(|_| FrameWeights::default(), |place| self.cells[place].weights)
    }

    /// What is in a column, as a run that may be compared with others.
    fn run(&self, column: usize) -> Run {
        let cells = (0..self.names.len() as FrameId).map(|row| self.cell(row, column));
        let (own, total) = cells.map(|it| (it.self_weight as f64, it.total as f64)).unzip();
        Run::of(String::new(), self.lines[column], own, total)
    }

    /// How many columns there are, with that of others.
    pub(crate) fn columns(&self) -> usize {
        self.values.len() + usize::from(self.others.is_some())
    }

    /// The names of the rows that weigh something.
    pub(crate) fn weighty_names(&self) -> impl Iterator<Item = &[u8]> {
        let names = self.names.iter().zip(&self.weights);
        names.filter(|(_, weights)| weights.total > 0).map(|(name, _)| &name[..])
    }
}

/// No sum is larger than that of all stacks, which fits into 64 bits.
fn add(sum: &mut FrameWeights, added: FrameWeights) {
    sum.self_weight += added.self_weight;
    sum.total += added.total;
}

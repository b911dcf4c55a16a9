//! The table: every function with its weights.

use common::stacks::{FrameId, FrameWeights};

use crate::call_tree::CallTree;
use crate::trees::for_each_outermost;

/// A function of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) frame: FrameId,
    pub(crate) weights: FrameWeights,
}

/// The column by which the table is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    #[default]
    OwnWeight,
    Total,
    Name,
}

impl Sort {
    pub(crate) fn next(self) -> Sort {
        match self {
            Sort::OwnWeight => Sort::Total,
            Sort::Total => Sort::Name,
            Sort::Name => Sort::OwnWeight,
        }
    }
}

/// The functions below a call, sorted.
pub(crate) fn rows(calls: &CallTree, frames: usize, scope: u32, sort: Sort) -> Vec<Row> {
    let mut weights = vec![FrameWeights::default(); frames];
    for_each_outermost(calls, frames, scope, |number| {
        let call = calls.call(number);
        weights[call.frame as usize].total += call.total;
    });
    for number in calls.below(scope).filter(|it| *it != CallTree::WHOLE) {
        let call = calls.call(number);
        weights[call.frame as usize].self_weight += call.own;
    }
    let all = (0..).zip(weights).map(|(frame, weights)| Row { frame, weights });
    let mut rows: Vec<Row> = all.filter(|row| row.weights.total > 0).collect();
    match sort {
        Sort::OwnWeight => rows.sort_by_key(|row| (row.weights.by_self(), row.frame)),
        Sort::Total => rows.sort_by_key(|row| (row.weights.by_total(), row.frame)),
        Sort::Name => {}
    }
    rows
}

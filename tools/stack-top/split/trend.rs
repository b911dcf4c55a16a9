//! Where a row changes by more than noise explains from one file to the next: a trend over
//! versions.

use common::compare::{Comparison, Question, Run, Runs};
use common::stacks::FrameTable;
use hashbrown::HashSet;

use super::SplitProfile;
use crate::profile::Sort;

/// How much functions vary at least from run to run, as a share of each.
const NOISE: f64 = 0.01;

/// More files are not versions, but hosts.
const MOST_FILES: usize = 32;

/// The cells (row and column) with a change that noise does not explain: each is compared with the
/// columns before it, back to the last one of the row that was marked.
pub(super) fn departures(profile: &SplitProfile, sort: Sort) -> HashSet<(u32, usize)> {
    let columns = profile.values.len();
    let mut found = HashSet::new();
    if columns > MOST_FILES {
        return found;
    }
    let mut names = FrameTable::default();
    for name in &profile.names {
        names.intern(name);
    }
    let runs: Vec<Run> = (0..columns).map(|column| profile.run(column)).collect();
    // For each row, the first column that it is compared with.
    let mut firsts = vec![0; profile.names.len()];
    for column in 1..columns {
        let mut distinct = firsts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        for first in distinct {
            let sides = [runs[first..column].to_vec(), vec![runs[column].clone()]];
            let unit = profile.unit_name.clone().unwrap_or_default();
            let compared = Runs::of(names, sides, unit);
            let question = Question { absolute: false, noise: NOISE };
            for function in &Comparison::new(&compared, question).functions {
                let row = function.frame as usize;
                let change = if sort == Sort::Total { function.total } else { function.own };
                if firsts[row] == first && change.is_real {
                    found.insert((function.frame, column));
                }
            }
            names = compared.functions;
        }
        for (row, first) in firsts.iter_mut().enumerate() {
            if found.contains(&(row as u32, column)) {
                *first = column;
            }
        }
    }
    found
}

//! The table of towers.

use std::collections::HashMap;

use common::{FrameId, Output, Result};

use crate::numbered::NumberedStack;
use crate::towers::{Folder, Level};

/// The towers of all stacks, summed by cycle.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    /// The row of each cycle, whichever of its frames a recursion enters.
    cycles: HashMap<Box<[FrameId]>, usize>,
    /// The rows of the current stack, and the greatest height there.
    current: Vec<(usize, u32)>,
    weight: u128,
}

struct Row {
    cycle: Vec<u8>,
    weight: u128,
    highest: u32,
    /// Heights times weights.
    heights: u128,
}

impl Report {
    /// Adds a stack with its towers. A stack with two towers of one cycle counts once, with the
    /// height of the higher tower.
    pub(crate) fn add(&mut self, stack: &NumberedStack, folder: &Folder, weight: u64) {
        self.weight += u128::from(weight);
        self.current.clear();
        for tower in folder.towers() {
            let row = self.row(stack, &folder.levels()[tower.start..tower.start + tower.period]);
            match self.current.iter_mut().find(|(known, _)| *known == row) {
                Some((_, height)) => *height = tower.height.max(*height),
                None => self.current.push((row, tower.height)),
            }
        }
        for &(row, height) in &self.current {
            let row = &mut self.rows[row];
            row.weight += u128::from(weight);
            row.highest = row.highest.max(height);
            row.heights += u128::from(weight) * u128::from(height);
        }
    }

    /// Writes the table, the heaviest cycle first, and returns whether there is a tower.
    pub(crate) fn write(mut self, out: &mut Output) -> Result<bool> {
        self.rows
            .sort_unstable_by(|a, b| b.weight.cmp(&a.weight).then_with(|| a.cycle.cmp(&b.cycle)));
        let heaviest = self.rows.first().map_or(0, |row| row.weight);
        let width = heaviest.to_string().len().max("weight".len());
        if !self.rows.is_empty() {
            let header = format!("{:>width$}  share  highest      mean  cycle", "weight");
            out.line(header.as_bytes())?;
        }
        for Row { cycle, weight, highest, heights } in &self.rows {
            let share = ratio(100 * weight, self.weight);
            let mean = ratio(*heights, *weight);
            let mut line = format!("{weight:>width$}  {share:>4.1}%  {highest:>7}  {mean:>8.1}  ")
                .into_bytes();
            line.extend_from_slice(cycle);
            out.line(&line)?;
        }
        Ok(!self.rows.is_empty())
    }

    /// The index of the row of a cycle: `ping;pong` and `pong;ping` have the same one.
    fn row(&mut self, stack: &NumberedStack, cycle: &[Level]) -> usize {
        let numbers: Vec<FrameId> = cycle.iter().map(|level| level.frame).collect();
        let rotated = |by: usize| [&numbers[by..], &numbers[..by]].concat();
        let least = (0..numbers.len()).map(rotated).min().unwrap_or_default();
        *self.cycles.entry(least.into()).or_insert_with(|| {
            let names: Vec<&[u8]> = cycle
                .iter()
                .map(|level| stack.text(level.origin as usize..level.origin as usize + 1))
                .collect();
            self.rows.push(Row { cycle: names.join(&b';'), weight: 0, highest: 0, heights: 0 });
            self.rows.len() - 1
        })
    }
}

/// 0 where the whole is 0, as in input whose counts are all 0.
fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

//! The table of towers.

use std::cmp::Reverse;
use std::collections::HashMap;

use common::names::{printable, utf8};
use common::{io::append_row, numbers::share_number, stacks::FrameId};

use crate::label::Labelled;
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
    /// A buffer for the names of a cycle.
    text: Vec<u8>,
}

#[derive(Default)]
struct Row {
    /// The few ways to write the cycle, as recursions enter it, with the weights of their stacks.
    written: Vec<(Vec<u8>, u128)>,
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
            let cycle = &folder.levels[tower.start..tower.start + tower.period];
            let row = self.row(cycle);
            read_names(cycle, stack, &mut self.text);
            self.rows[row].add_written(&self.text, weight);
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

    /// The rows of the table, the heaviest cycle first.
    pub(crate) fn rows(mut self) -> Rows {
        let named = self.rows.drain(..).map(|row| (row.cycle(), row));
        let mut rows: Vec<(Vec<u8>, Row)> = named.collect();
        rows.sort_unstable_by(|(cycle, row), (other_cycle, other)| {
            other.weight.cmp(&row.weight).then_with(|| cycle.cmp(other_cycle))
        });
        Rows { rows, weight: self.weight }
    }

    /// The index of the row of a cycle: `ping;pong` and `pong;ping` have the same one.
    fn row(&mut self, cycle: &[Level]) -> usize {
        let numbers: Vec<FrameId> = cycle.iter().map(|level| level.frame).collect();
        let rotated = |by: usize| [&numbers[by..], &numbers[..by]].concat();
        let least = (0..numbers.len()).map(rotated).min().unwrap_or_default();
        *self.cycles.entry(least.into()).or_insert_with(|| {
            self.rows.push(Row::default());
            self.rows.len() - 1
        })
    }
}

/// The table, with the names of the cycles.
pub(crate) struct Rows {
    rows: Vec<(Vec<u8>, Row)>,
    weight: u128,
}

impl Rows {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For people.
    pub(crate) fn text(&self) -> Vec<u8> {
        let heaviest = self.rows.first().map_or(0, |(_, row)| row.weight);
        let width = heaviest.to_string().len().max("weight".len());
        let mut text = String::new();
        if !self.rows.is_empty() {
            text = format!("{:>width$}  share  highest      mean  cycle\n", "weight");
        }
        for (cycle, Row { weight, highest, heights, .. }) in &self.rows {
            let share = ratio(100 * weight, self.weight);
            let mean = ratio(*heights, *weight);
            let cycle = printable(cycle);
            text.push_str(&format!(
                "{weight:>width$}  {share:>4.1}%  {highest:>7}  {mean:>8.1}  {cycle}\n"
            ));
        }
        text.into_bytes()
    }

    /// For programs.
    pub(crate) fn tsv(&self) -> Vec<u8> {
        let mut text = b"cycle\tweight\tshare\thighest\tmean\n".to_vec();
        for (cycle, Row { weight, highest, heights, .. }) in &self.rows {
            let fields = [
                utf8(cycle).into_owned(),
                weight.to_string(),
                share_number(*weight, self.weight),
                highest.to_string(),
                format!("{:.4}", ratio(*heights, *weight)),
            ];
            append_row(&fields.each_ref().map(String::as_str), &mut text);
        }
        text
    }
}

impl Row {
    /// The heaviest way to write the cycle, and of those the first by name: so it does not depend
    /// on the order of the lines.
    fn cycle(&self) -> Vec<u8> {
        let heaviest = self.written.iter().max_by_key(|(text, weight)| (weight, Reverse(text)));
        heaviest.map(|(text, _)| text.clone()).unwrap_or_default()
    }

    fn add_written(&mut self, text: &[u8], weight: u64) {
        let known = self.written.iter_mut().find(|(known, _)| known == text);
        match known {
            Some((_, sum)) => *sum += u128::from(weight),
            None => self.written.push((text.to_vec(), weight.into())),
        }
    }
}

/// Reads the names of the frames of a cycle in place of `text`.
fn read_names(cycle: &[Level], stack: &NumberedStack, text: &mut Vec<u8>) {
    text.clear();
    for level in cycle {
        let frame = stack.text(level.origin as usize..level.origin as usize + 1);
        text.extend_from_slice(Labelled::parse(frame).name);
        text.push(b';');
    }
    text.pop();
}

/// 0 where the whole is 0, as in input whose counts are all 0.
fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

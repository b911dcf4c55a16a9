//! Weights of walks as integers that are exactly those of the exits and the entries.

use super::inside::{Inside, Segment};
use super::walks::{Walk, Walker};

/// What is still to be given to each exit and each entry.
struct Rest {
    exits: Vec<u64>,
    entries: Vec<u64>,
}

/// The segments of walks, whose weights are about right.
pub(super) fn whole(
    inside: &Inside,
    (walks, weights): (Vec<Walk>, Vec<f64>),
    walker: &mut Walker<'_>,
) -> (Vec<Segment>, Option<u64>) {
    let exits = inside.exits.iter().map(|exit| exit.weight).collect();
    let mut rest = Rest { exits, entries: inside.entries.clone() };
    let weights = at_most(inside, &walks, weights);
    let walks = walks.into_iter().zip(weights);
    let walks = walks.map(|(walk, weight)| rest.give(walk, weight as u64));
    let mut walks: Vec<(Walk, u64)> = walks.collect();
    for (walk, weight) in &mut walks {
        *weight += rest.take(walk, u64::MAX);
    }
    // Exits whose walks lead to other entries get the shortest ones to those that miss something.
    for entry in 0..inside.entries.len() {
        if rest.entries[entry] == 0 {
            continue;
        }
        let ways = inside.ways_to(|function| function == entry);
        for exit in (0..).take(inside.exits.len()) {
            if rest.exits[exit as usize] > 0 {
                walks.push(rest.give(walker.shortest(exit, &ways), u64::MAX));
            }
        }
    }
    walks.retain(|(_, weight)| *weight > 0);
    let off = off(inside, &walks);
    let segment = |(walk, weight): (Walk, u64)| {
        let (exit, entry) = (walk.exit, walk.entry());
        Segment { exit, entry, frames: walk.frames, weight }
    };
    (walks.into_iter().map(segment).collect(), off)
}

impl Rest {
    /// Gives a walk this weight, or what is left for it.
    fn give(&mut self, walk: Walk, weight: u64) -> (Walk, u64) {
        let weight = self.take(&walk, weight);
        (walk, weight)
    }

    fn take(&mut self, walk: &Walk, weight: u64) -> u64 {
        let exit = &mut self.exits[walk.exit as usize];
        let entry = &mut self.entries[walk.entry() as usize];
        let weight = weight.min(*exit).min(*entry);
        *exit -= weight;
        *entry -= weight;
        weight
    }
}

/// The weights, scaled so that no entry and no exit has more than its own.
fn at_most(inside: &Inside, walks: &[Walk], mut weights: Vec<f64>) -> Vec<f64> {
    let most: Vec<f64> = inside.entries.iter().map(|weight| *weight as f64).collect();
    limit(&mut weights, walks.iter().map(|walk| walk.entry() as usize), &most);
    let most: Vec<f64> = inside.exits.iter().map(|exit| exit.weight as f64).collect();
    limit(&mut weights, walks.iter().map(|walk| walk.exit as usize), &most);
    weights
}

/// Scales the weights of each group that has more than `most`.
fn limit(weights: &mut [f64], groups: impl Iterator<Item = usize> + Clone, most: &[f64]) {
    let mut sums = vec![0.0; most.len()];
    groups.clone().zip(&*weights).for_each(|(group, weight)| sums[group] += weight);
    for (group, weight) in groups.zip(weights) {
        *weight *= (most[group] / sums[group]).min(1.0);
    }
}

/// The largest difference between the weight of a function and its total, if any has one.
fn off(inside: &Inside, walks: &[(Walk, u64)]) -> Option<u64> {
    let mut sums = vec![0_u64; inside.totals.len()];
    for (walk, weight) in walks {
        let mut functions = walk.functions.clone();
        functions.sort_unstable();
        functions.dedup();
        functions.into_iter().for_each(|function| sums[function as usize] += weight);
    }
    let totals = inside.totals.iter().zip(sums);
    totals.filter_map(|(total, sum)| total.map(|total| (total as u64).abs_diff(sum))).max()
}

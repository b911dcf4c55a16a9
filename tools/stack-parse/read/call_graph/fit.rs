//! Weights of walks, so that each function of a circle has its stated time.
//!
//! The weights of the walks with a function are multiplied until they add up to its time, then those
//! with the next one, and so on, again and again: iterative proportional fitting.

use super::inside::Inside;
use super::walks::Walk;

/// The largest and the smallest liking of a function.
const MOST_LIKING: f64 = 1e6;

/// Walks of a circle, and their weights.
pub(super) struct Fit<'a> {
    inside: &'a Inside,
    walks: Vec<Walk>,
    weights: Vec<f64>,
    groups: Groups,
    /// By how much the weights with each function were multiplied.
    liking: Vec<f64>,
}

/// The walks with each function, those that leave the circle above it, and those of each exit.
#[derive(Default)]
struct Groups {
    functions: Vec<Vec<u32>>,
    entries: Vec<Vec<u32>>,
    exits: Vec<Vec<u32>>,
}

impl<'a> Fit<'a> {
    pub(super) fn new(inside: &'a Inside) -> Fit<'a> {
        let liking = vec![1.0; inside.callers.len()];
        Fit { inside, walks: Vec::new(), weights: Vec::new(), groups: Groups::default(), liking }
    }

    /// How much walks with each function are wanted: more than 1 if it had too little.
    pub(super) fn liking(&self) -> &[f64] {
        &self.liking
    }

    pub(super) fn add(&mut self, walk: Walk, weight: f64) {
        self.walks.push(walk);
        self.weights.push(weight);
    }

    /// The walks and their weights.
    pub(super) fn into_walks(self) -> (Vec<Walk>, Vec<f64>) {
        (self.walks, self.weights)
    }

    /// Scales the weights until each function has its total, as far as that is possible. Those of
    /// the entries and the exits are met last. All are scaled this many times.
    pub(super) fn scale(&mut self, times: usize) {
        self.merge();
        self.groups = self.groups();
        let Fit { inside, weights, groups, liking, .. } = self;
        for _ in 0..times {
            let totals = groups.functions.iter().zip(&inside.totals).zip(&mut *liking);
            for ((walks, total), liking) in totals {
                if let Some(total) = *total {
                    let scaled = *liking * scale(weights, walks, total);
                    *liking = scaled.clamp(MOST_LIKING.recip(), MOST_LIKING);
                }
            }
            for (walks, &weight) in groups.entries.iter().zip(&inside.entries) {
                scale(weights, walks, weight as f64);
            }
            for (walks, exit) in groups.exits.iter().zip(&inside.exits) {
                scale(weights, walks, exit.weight as f64);
            }
        }
    }

    /// Makes one walk of those that are equal.
    fn merge(&mut self) {
        let weights = std::mem::take(&mut self.weights);
        let mut walks: Vec<_> = std::mem::take(&mut self.walks).into_iter().zip(weights).collect();
        walks.sort_by(|(a, _), (b, _)| a.key().cmp(&b.key()));
        walks.dedup_by(|(walk, weight), (kept, sum)| {
            let is_same = walk.key() == kept.key();
            *sum += if is_same { *weight } else { 0.0 };
            is_same
        });
        (self.walks, self.weights) = walks.into_iter().unzip();
    }

    fn groups(&self) -> Groups {
        let functions = self.inside.callers.len();
        let mut groups = Groups {
            functions: vec![Vec::new(); functions],
            entries: vec![Vec::new(); functions],
            exits: vec![Vec::new(); self.inside.exits.len()],
        };
        for (number, walk) in (0..).zip(&self.walks) {
            for &function in &walk.functions {
                let walks = &mut groups.functions[function as usize];
                if walks.last() != Some(&number) {
                    walks.push(number);
                }
            }
            groups.entries[walk.entry() as usize].push(number);
            groups.exits[walk.exit as usize].push(number);
        }
        groups
    }

    /// The functions that miss more than this of their totals, those that miss most first.
    pub(super) fn missing(&self, least: f64) -> Vec<usize> {
        let missing = self.groups.functions.iter().zip(&self.inside.totals).enumerate();
        let missing = missing.filter_map(|(function, (walks, total))| {
            let missing = (*total)? - sum(&self.weights, walks);
            (missing > least).then_some((function, missing))
        });
        let mut missing: Vec<(usize, f64)> = missing.collect();
        missing.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        missing.into_iter().map(|(function, _)| function).collect()
    }

    /// Drops the walks that do not pass all of these functions.
    pub(super) fn keep_only_with(&mut self, musts: &[usize]) {
        let has = |walk: &Walk, must: &usize| walk.functions.contains(&(*must as u32));
        self.retain(|walk, _| musts.iter().all(|must| has(walk, must)));
    }

    /// Drops walks that weigh less than this, but not the heaviest one of an exit.
    pub(super) fn drop_light(&mut self, least: f64) {
        let mut heaviest = vec![0.0_f64; self.inside.exits.len()];
        for (walk, weight) in self.walks.iter().zip(&self.weights) {
            let heaviest = &mut heaviest[walk.exit as usize];
            *heaviest = heaviest.max(*weight);
        }
        self.retain(|walk, weight| weight >= least || weight >= heaviest[walk.exit as usize]);
    }

    fn retain(&mut self, is_kept: impl Fn(&Walk, f64) -> bool) {
        let weights = std::mem::take(&mut self.weights);
        let walks = std::mem::take(&mut self.walks).into_iter().zip(weights);
        (self.walks, self.weights) = walks.filter(|(walk, weight)| is_kept(walk, *weight)).unzip();
    }
}

fn sum(weights: &[f64], walks: &[u32]) -> f64 {
    walks.iter().map(|&walk| weights[walk as usize]).sum()
}

/// Multiplies the weights of these walks so that their sum is `to`; returns by how much.
fn scale(weights: &mut [f64], walks: &[u32], to: f64) -> f64 {
    let now = sum(weights, walks);
    if now <= 0.0 || to <= 0.0 {
        return 1.0;
    }
    let by = to / now;
    walks.iter().for_each(|&walk| weights[walk as usize] *= by);
    by
}

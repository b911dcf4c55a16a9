//! Runs of different sizes, made comparable.

use super::noise::{Moments, median};
use super::runs::{Run, Runs};

/// The sizes of the runs, and the factors that make their weights comparable: what is compared are
/// counts of samples, scaled to runs of one size.
pub(super) struct Sizes {
    /// How many samples a run of average size has.
    pub(super) samples: f64,
    /// How many samples there are before and after.
    pub(super) of_sides: [f64; 2],
    /// What one sample weighs, on average over all runs.
    pub(super) sample_weight: f64,
    /// Whether the numbers of samples are known; if not, there may be more.
    pub(super) are_counts: bool,
    /// For each run, the factor from its weights to counts.
    factors: Vec<f64>,
    /// The factor by which the runs of a side vary more than runs of average size would.
    excess: f64,
}

impl Sizes {
    pub(super) fn new(runs: &Runs, absolute: bool) -> Sizes {
        let known = runs.sample_weights().or_else(|| from_spread(runs));
        let are_counts = known.is_some();
        let at_least = |run: &Run| run.whole / run.samples_at_least(&runs.unit);
        let weights = known.unwrap_or_else(|| runs.iter().map(at_least).collect());
        let wholes: Vec<f64> = runs.iter().map(|run| run.whole).collect();
        let samples: Vec<f64> = wholes.iter().zip(&weights).map(|(all, one)| all / one).collect();
        let (before, after) = samples.split_at(runs.before.len());
        let of_sides = [before, after].map(|side| side.iter().sum());
        let sample_weight = wholes.iter().sum::<f64>() / samples.iter().sum::<f64>();
        let average = average_size(before, after);
        let (factors, excess) = match absolute {
            true => (vec![1.0 / sample_weight; wholes.len()], 1.0),
            false => (
                wholes.iter().map(|whole| average / whole).collect(),
                excess_variance(before, after, average),
            ),
        };
        Sizes { samples: average, of_sides, sample_weight, are_counts, factors, excess }
    }

    /// The counts of something that has this `weight` in each run.
    pub(super) fn counts(&self, runs: &Runs, weight: impl Fn(&Run) -> f64) -> Moments {
        let counts = runs.iter().zip(&self.factors).map(|(run, factor)| weight(run) * factor);
        let moments = Moments::new(&counts.collect::<Vec<_>>(), runs.layout());
        Moments { variance: moments.variance.map(|variance| variance / self.excess), ..moments }
    }
}

/// The size of equal runs that would be as exact as these. A difference of means is only as exact
/// as the smallest run allows, so this is a harmonic mean.
fn average_size(before: &[f64], after: &[f64]) -> f64 {
    let sides = [before, after].map(|sizes| {
        let runs = sizes.len() as f64;
        let inverse: f64 = sizes.iter().map(|size| 1.0 / size).sum();
        (1.0 / runs, inverse / (runs * runs))
    });
    (sides[0].0 + sides[1].0) / (sides[0].1 + sides[1].1)
}

/// The factor by which counts of these runs, scaled to the average size, vary more than counts of
/// runs of that size: a short run varies more. 1 for runs of equal size, and for one run on each
/// side.
fn excess_variance(before: &[f64], after: &[f64], average: f64) -> f64 {
    let (mut freedom, mut sum) = (0.0, 0.0);
    for sizes in [before, after] {
        let runs = sizes.len() as f64;
        let mean = sizes.iter().map(|size| average / size).sum::<f64>() / runs;
        freedom += runs - 1.0;
        sum += (runs - 1.0) * mean;
    }
    if freedom > 0.0 { sum / freedom } else { 1.0 }
}

/// What a sample of each run weighs, estimated from how much shares vary between runs: as much as
/// counts of that many samples would. `None` if no side has two runs, or no name is in all runs.
fn from_spread(runs: &Runs) -> Option<Vec<f64>> {
    let layout = runs.layout();
    let typical = layout.median_of_variance();
    let mut inverse_sizes = Vec::new();
    for frame in 0..runs.functions.len() as u32 {
        for weight in [Run::own, Run::total] {
            let shares: Vec<f64> = runs.iter().map(|run| weight(run, frame) / run.whole).collect();
            let moments = Moments::new(&shares, layout);
            let share = moments.mean;
            if shares.iter().all(|&share| share > 0.0) && share < 1.0 {
                let variance = moments.variance? / typical?;
                inverse_sizes.push(variance / (share * (1.0 - share)));
            }
        }
    }
    let size = 1.0 / median(inverse_sizes)?;
    // Where nothing varies, it would be infinite.
    let size = size.min(1e18);
    Some(runs.iter().map(|run| run.whole / size).collect())
}

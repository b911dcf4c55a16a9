//! Runs of different sizes, made comparable.

use super::noise::{Moments, median};
use super::runs::{Run, Runs};

/// How many samples there are, and what makes the weights of a run comparable with
/// those of others: all that is compared are counts of samples in runs of one size.
pub(super) struct Sizes {
    /// How many samples a run of average size has.
    pub(super) samples: f64,
    /// How many samples there are before and after.
    pub(super) of_sides: [f64; 2],
    /// What one sample weighs, on average over all runs.
    pub(super) sample_weight: f64,
    /// Whether anything says how many samples there are; else there may be more.
    pub(super) are_counts: bool,
    /// For each run, the factor that makes counts of its weights.
    factors: Vec<f64>,
    /// How much more the runs of a side vary than runs of average size would.
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

    /// Makes counts of what something weighs in each run.
    pub(super) fn counts(&self, runs: &Runs, weight: impl Fn(&Run) -> f64) -> Moments {
        let counts = runs.iter().zip(&self.factors).map(|(run, factor)| weight(run) * factor);
        let moments = Moments::new(&counts.collect::<Vec<_>>(), runs.layout());
        Moments { variance: moments.variance.map(|variance| variance / self.excess), ..moments }
    }
}

/// The size that makes equal runs as exact as these: a difference of means is as
/// exact as its smallest run allows, so the mean is harmonic.
fn average_size(before: &[f64], after: &[f64]) -> f64 {
    let sides = [before, after].map(|sizes| {
        let runs = sizes.len() as f64;
        let inverse: f64 = sizes.iter().map(|size| 1.0 / size).sum();
        (1.0 / runs, inverse / (runs * runs))
    });
    (sides[0].0 + sides[1].0) / (sides[0].1 + sides[1].1)
}

/// How much more counts of these runs vary, once they are scaled to the average
/// size, than those of runs that have this size: a short run varies more. 1 for runs
/// of equal size, and for one run each.
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

/// What a sample of each run weighs, if the spread of shares between runs is all
/// that tells it: were they counts of so many samples, they would vary as much as
/// they do. `None` if there are not two runs on a side, or no name is in all runs.
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
    // Where nothing varies, all that is compared is exact.
    let size = size.min(1e18);
    Some(runs.iter().map(|run| run.whole / size).collect())
}

//! Runs of different sizes, made comparable.

use common::{Error, Result};

use crate::noise::{Moments, median};
use crate::run::{Run, Runs};

/// How many samples there are, and what makes the weights of a run comparable with
/// those of others: all that is compared are counts of samples in runs of one size.
pub(crate) struct Sizes {
    /// How many samples a run of average size has.
    pub(crate) samples: f64,
    /// How many samples there are before and after.
    pub(crate) of_sides: [f64; 2],
    /// What one sample weighs, on average over all runs.
    pub(crate) sample_weight: f64,
    /// For each run, the factor that makes counts of its weights.
    factors: Vec<f64>,
    /// How much more the runs of a side vary than runs of average size would.
    excess: f64,
}

impl Sizes {
    /// # Errors
    ///
    /// [`Error::Unknown`] if nothing tells what a sample weighs.
    pub(crate) fn new(runs: &Runs, absolute: bool) -> Result<Sizes> {
        let weights = match runs.sample_weights() {
            Some(weights) => weights,
            None => from_spread(runs).ok_or_else(|| unknown_weight(runs))?,
        };
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
        Ok(Sizes { samples: average, of_sides, sample_weight, factors, excess })
    }

    /// Makes counts of what something weighs in each run.
    pub(crate) fn counts(&self, runs: &Runs, weight: impl Fn(&Run) -> f64) -> Moments {
        let counts = runs.iter().zip(&self.factors).map(|(run, factor)| weight(run) * factor);
        let moments = Moments::new(&counts.collect::<Vec<_>>(), runs.layout());
        Moments { variance: moments.variance.map(|variance| variance / self.excess), ..moments }
    }
}

/// The error for weights that are no counts where there is one run each, so that
/// the noise cannot be seen either.
fn unknown_weight(runs: &Runs) -> Error {
    let is_unknown = |run: &&Run| run.weights.of_sample(&runs.unit).is_none();
    let name = runs.iter().find(is_unknown).map(|run| run.name.clone());
    let what = "its weights are no counts of samples, so one run does not show how they vary: \
                give several runs, or read it with 'stack-parse --weight samples'";
    Error::Unknown { name: name.unwrap_or_default(), what: what.to_owned() }
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

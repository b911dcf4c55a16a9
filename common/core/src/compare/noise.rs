//! How much a count varies from run to run.
//!
//! Samples are drawn at random, so a count varies as in a Poisson distribution. Programs vary too:
//! a run of the same program may have a few percent more of something. One run on each side does
//! not show that; it is taken to be at least 1 % of each count.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Names with fewer counts than this in a run do not show well how programs vary.
const LEAST_COUNT: f64 = 30.0;

/// From fewer names than this, nothing is learned about how programs vary.
const LEAST_NAMES: usize = 5;

/// How much programs vary at least from run to run, as a share of each count, unless the user says
/// more.
pub const LEAST_VARIATION: f64 = 0.01;

/// A normal distribution is nearer to its mean than this many standard errors in 95 of 100 cases.
const ERRORS_OF_95_PERCENT: f64 = 1.96;

/// By how many points of a hundred a share of one recording is off, in 95 of 100 recordings at most.
/// `share` is from 0 to 1; `samples` is how many samples of equal weight would vary as much.
#[must_use]
pub fn margin_of_share(share: f64, samples: f64) -> f64 {
    let count = samples * share * (1.0 - share);
    let variance = count + (LEAST_VARIATION * count).powi(2);
    100.0 * ERRORS_OF_95_PERCENT * variance.sqrt() / samples
}

/// How many runs there are.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Before.
    pub before: usize,
    /// After.
    pub after: usize,
}

impl Layout {
    /// The degrees of freedom of the variance: each side uses up one for its mean.
    fn degrees_of_freedom(self) -> usize {
        self.before + self.after - 2
    }

    /// 1/before + 1/after, by which the variance of one run is multiplied to get the variance of
    /// the difference of the means.
    fn inverse_runs(self) -> f64 {
        1.0 / self.before as f64 + 1.0 / self.after as f64
    }

    /// The median of a variance that was estimated from these runs and is 1 in
    /// truth. It is below 1: few runs often vary too little, and seldom far too much.
    pub(super) fn median_of_variance(self) -> Option<f64> {
        let freedom = self.degrees_of_freedom() as f64;
        let distribution = ChiSquared::new(freedom).ok()?;
        Some(distribution.inverse_cdf(0.5) / freedom)
    }
}

/// The means and the variance of one thing in all runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub(super) before: f64,
    pub(super) after: f64,
    /// The mean of all runs.
    pub(super) mean: f64,
    /// How much the runs of a side vary; `None` if there is one run each.
    pub(super) variance: Option<f64>,
}

impl Moments {
    /// `values` are those before, then those after.
    pub(super) fn new(values: &[f64], layout: Layout) -> Moments {
        let (before, after) = values.split_at(layout.before);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let squares = |values: &[f64]| {
            let mean = mean(values);
            values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
        };
        let freedom = layout.degrees_of_freedom();
        let variance = (squares(before) + squares(after)) / freedom as f64;
        Moments {
            before: mean(before),
            after: mean(after),
            mean: mean(values),
            variance: (freedom > 0).then_some(variance),
        }
    }
}

/// How much counts vary from run to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    layout: Layout,
    /// How much programs vary at least, as a share of each count.
    floor: f64,
    /// How much programs vary according to all functions, as a share of each count; at least
    /// `floor`.
    pub(super) of_programs: f64,
}

/// Something that is compared, counted in runs of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) moments: Moments,
    /// The share of the whole that is something else. A share of 90 % can only vary by what the
    /// other 10 % gain or lose. 1 where weights are compared, not shares.
    pub(super) rest: f64,
    pub(super) is_tested: bool,
}

impl Noise {
    /// Learns from all names how much programs vary, but at least `floor`.
    pub(super) fn new(counted: &[Counted], layout: Layout, floor: f64) -> Noise {
        let squares = counted.iter().filter(|one| one.moments.mean >= LEAST_COUNT);
        let typical = layout.median_of_variance();
        let squares = squares.filter_map(|one| {
            let Counted { moments, rest, .. } = one;
            let variance = moments.variance? / typical?;
            let count = moments.mean * rest;
            // The more there is of something, the more exactly it shows how programs vary:
            // the standard error of what it shows is about the inverse of its count.
            Some(Weighed { value: (variance - count) / (count * count), weight: count })
        });
        let squares: Vec<Weighed> = squares.collect();
        let is_enough = squares.len() >= LEAST_NAMES;
        let square = weighted_median(squares).filter(|_| is_enough).unwrap_or_default();
        Noise { layout, floor, of_programs: square.max(floor * floor).sqrt() }
    }

    /// The standard error of the difference between the means. A few runs do not show well how one
    /// function varies, and all functions together do not show how this one does: so the variance
    /// is the mean of both, but at least the function's own, and at least that of a program that
    /// varies by `floor`.
    pub(super) fn error(&self, Counted { moments, rest, .. }: &Counted) -> f64 {
        let count = moments.mean * rest;
        let variance = |variation: f64| count + (variation * count) * (variation * count);
        let typical = variance(self.of_programs);
        let variance = moments.variance.map_or(typical, |own| {
            let both = f64::midpoint(typical, own);
            both.max(own).max(variance(self.floor))
        });
        (variance * self.layout.inverse_runs()).sqrt()
    }

    /// Half a count: means change in steps of a count, but the normal distribution of the tests
    /// takes any value.
    pub(super) fn half_count(&self) -> f64 {
        0.5 / self.layout.before.min(self.layout.after) as f64
    }
}

/// A value that counts as much as its weight.
#[derive(Clone, Copy, Debug)]
pub struct Weighed {
    /// The value.
    pub value: f64,
    /// How much it counts.
    pub weight: f64,
}

/// The smallest value that has, together with all smaller ones, at least half of the weight. `None`
/// if there are no values.
#[must_use]
pub fn weighted_median(mut values: Vec<Weighed>) -> Option<f64> {
    values.sort_by(|one, other| one.value.total_cmp(&other.value));
    let half = values.iter().map(|it| it.weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let middle = values.iter().find(|it| {
        sum += it.weight;
        sum >= half
    });
    middle.map(|it| it.value)
}

/// The middle one, or the mean of the two in the middle. `None` if there are no values.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE_EACH: Layout = Layout { before: 5, after: 5 };

    #[test]
    fn the_median_of_a_variance_is_that_of_tables() {
        // 7.344 / 8 and 0.4549 / 1, as printed in tables of the distribution.
        let close = |layout: Layout, value: f64| {
            let found = layout.median_of_variance().expect("more than two runs");
            assert!((found - value).abs() < 1e-4, "{layout:?}: {found}");
        };
        close(FIVE_EACH, 0.9180);
        close(Layout { before: 1, after: 2 }, 0.4549);
        assert_eq!(Layout { before: 1, after: 1 }.median_of_variance(), None);
    }

    #[test]
    fn heavy_values_decide_the_median() {
        let median = |values: &[(f64, f64)]| {
            weighted_median(
                values.iter().map(|&(value, weight)| Weighed { value, weight }).collect(),
            )
        };
        assert_eq!(median(&[(9.0, 1.0), (3.0, 5.0), (7.0, 1.0), (8.0, 1.0)]), Some(3.0));
        assert_eq!(median(&[(9.0, 1.0), (3.0, 1.0), (7.0, 1.0)]), Some(7.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_side_has_its_own_mean() {
        let moments = Moments::new(&[1.0, 3.0, 10.0, 14.0], Layout { before: 2, after: 2 });
        assert_eq!((moments.before, moments.after, moments.mean), (2.0, 12.0, 7.0));
        assert_eq!(moments.variance, Some(5.0));
        let single = Moments::new(&[1.0, 3.0], Layout { before: 1, after: 1 });
        assert_eq!(single.variance, None);
    }

    #[test]
    fn a_function_that_varies_less_than_others_has_a_smaller_error() {
        let layout = Layout { before: 3, after: 3 };
        let steady = |count| {
            let moments = Moments { variance: Some(0.0), ..Moments::new(&[count; 6], layout) };
            Counted { moments, rest: 1.0, is_tested: true }
        };
        let unsteady = Counted {
            moments: Moments { variance: Some(250_000.0), ..steady(10_000.0).moments },
            ..steady(1.0)
        };
        let noise = Noise::new(&[unsteady; 5], layout, 0.01);
        let [one, other] = [steady(10_000.0), unsteady].map(|it| noise.error(&it).powi(2));
        // Half of the typical variance.
        let typical = 250_000.0 / layout.median_of_variance().expect("six runs");
        assert!((one - typical / 2.0 * 2.0 / 3.0).abs() < 1.0, "{one}");
        assert!((other - (typical + 250_000.0) / 2.0 * 2.0 / 3.0).abs() < 1.0, "{other}");
    }

    #[test]
    fn the_error_is_that_of_counts_and_of_programs() {
        let layout = Layout { before: 1, after: 1 };
        let noise = Noise::new(&[], layout, 0.01);
        let counted = |count, rest| {
            let moments = Moments::new(&[count; 2], layout);
            Counted { moments, rest, is_tested: true }
        };
        // 10,000 counts vary by 100, and programs by another 100.
        assert_eq!(noise.error(&counted(10_000.0, 1.0)), 200.0);
        assert_eq!(noise.error(&counted(10_000.0, 0.0)), 0.0);
    }
}

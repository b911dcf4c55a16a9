//! How dark a cell is: shades for steps of weight.

use super::ramp::SHADES;

/// What every shade stands for.
#[derive(Debug, PartialEq, Eq)]
pub struct Shades {
    /// The greatest weight of each shade, the palest first.
    most: Vec<u64>,
}

impl Shades {
    /// Equal steps up to the weight that 99 of 100 cells do not exceed. The darkest shade also
    /// stands for all greater weights, so that one cell does not make all others pale.
    #[must_use]
    pub fn of(mut weights: Vec<u64>) -> Shades {
        weights.retain(|&weight| weight > 0);
        weights.sort_unstable();
        let top = usual_most(&weights);
        let step = |step: u64| (u128::from(top) * u128::from(step)).div_ceil(SHADES as u128) as u64;
        let mut most: Vec<u64> = (1..=SHADES as u64).map(step).collect();
        most.dedup();
        if let (Some(last), Some(&greatest)) = (most.last_mut(), weights.last()) {
            *last = greatest;
        }
        Shades { most }
    }

    /// The number of the shade from 1, up to [`SHADES`]; 0 for no weight.
    #[must_use]
    pub fn of_weight(&self, weight: u64) -> usize {
        if weight == 0 {
            return 0;
        }
        let step = self.most.partition_point(|&most| most < weight).min(self.most.len() - 1);
        self.number(step)
    }

    /// The shade of a step: where there are fewer steps than shades, they are spread over all
    /// shades.
    fn number(&self, step: usize) -> usize {
        match self.most.len() {
            1 => SHADES,
            steps => 1 + step * (SHADES - 1) / (steps - 1),
        }
    }

    /// Each shade and the least and the greatest weight that it stands for.
    pub fn legend(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        let least = [1].into_iter().chain(self.most.iter().map(|most| most.saturating_add(1)));
        let steps = least.zip(&self.most).enumerate();
        steps.map(|(step, (least, &most))| (self.number(step), least, most))
    }
}

/// The weight that 99 of 100 weights do not exceed, so that one cell does not make all others small; 1
/// if there are none. They are sorted, and none is 0.
#[must_use]
pub fn usual_most(sorted: &[u64]) -> u64 {
    let at = (sorted.len().max(1) - 1).saturating_mul(99).div_ceil(100);
    sorted.get(at).copied().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_equal_and_one_heavy_cell_does_not_count() {
        let mut weights: Vec<u64> = (1..=16).flat_map(|weight| [weight; 10]).collect();
        weights.push(1000);
        weights.push(0);
        let legend: Vec<_> = Shades::of(weights).legend().collect();
        assert_eq!(legend[..2], [(1, 1, 2), (2, 3, 4)]);
        assert_eq!(legend[7..], [(8, 15, 1000)]);
    }

    #[test]
    fn the_steps_end_at_the_weight_that_one_cell_of_a_hundred_exceeds() {
        let weights = (1..=100).map(|weight| 8 * weight).chain([10_000]).collect();
        let legend: Vec<_> = Shades::of(weights).legend().collect();
        assert_eq!(legend[..2], [(1, 1, 100), (2, 101, 200)]);
        assert_eq!(legend[6..], [(7, 601, 700), (8, 701, 10_000)]);
    }

    #[test]
    fn few_weights_have_shades_that_are_far_apart() {
        let shades = Shades::of(vec![1, 2, 3, 2]);
        assert_eq!([0, 1, 2, 3].map(|weight| shades.of_weight(weight)), [0, 1, 4, 8]);
        assert_eq!(Shades::of(vec![7]).of_weight(7), 8);
        assert_eq!(Shades::of(vec![u64::MAX]).of_weight(u64::MAX), 8);
    }
}

//! What one sample weighs. Only samples that are counted vary as counts do.

use common::Unit;

/// The units that say that samples were counted.
const SAMPLES: [&str; 4] = ["samples", "sample", "counts", "count"];

/// Up to this weight a stack may have been counted, see [`Weights::are_counts`].
const LIGHT: u64 = 100;

/// A whole profile that weighs less has counts, see [`Weights::are_counts`].
const LITTLE: u128 = 100_000;

/// What the weights of the lines of one run have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weights {
    /// The greatest common divisor.
    divisor: u64,
    lines: u64,
    /// How many lines weigh little.
    light: u64,
    sum: u128,
}

impl Weights {
    pub(crate) fn add(&mut self, weight: u64) {
        if self.divisor == 0 || !weight.is_multiple_of(self.divisor) {
            self.divisor = common_divisor(self.divisor, weight);
        }
        self.lines += 1;
        self.light += u64::from(weight <= LIGHT);
        self.sum += u128::from(weight);
    }

    /// What one sample weighs; `None` if the weights do not tell.
    pub(crate) fn of_sample(&self, unit: &Unit) -> Option<f64> {
        match unit {
            Unit::Things(name) if SAMPLES.contains(&&name[..]) => Some(1.0),
            // Periods that were all the same, such as 10 ms.
            _ if self.divisor > 1 => Some(self.divisor as f64),
            Unit::Unknown if self.are_counts() => Some(1.0),
            _ => None,
        }
    }

    /// Whether weights of which nothing else is known are counts of samples. Most
    /// stacks of a recording have few samples, but weigh thousands of nanoseconds,
    /// bytes or cycles. Where they are all heavy, a small sum tells it too.
    fn are_counts(&self) -> bool {
        2 * self.light >= self.lines || self.sum <= LITTLE
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(of: impl IntoIterator<Item = u64>) -> Weights {
        let mut weights = Weights::default();
        of.into_iter().for_each(|weight| weights.add(weight));
        weights
    }

    #[test]
    fn a_sample_weighs_what_the_weights_have_in_common() {
        let tens = weights([30_000_000, 10_000_000, 50_000_000]);
        assert_eq!(tens.of_sample(&Unit::Unknown), Some(1e7));
        assert_eq!(tens.of_sample(&Unit::named("ns")), Some(1e7));
        assert_eq!(tens.of_sample(&Unit::named("samples")), Some(1.0));
    }

    #[test]
    fn counts_are_known_by_their_unit_or_by_their_size() {
        let counts = weights([1, 1, 3, 8, 20_000_000]);
        assert_eq!(counts.of_sample(&Unit::Unknown), Some(1.0));
        // Bytes, for all their size.
        assert_eq!(counts.of_sample(&Unit::named("bytes")), None);
        let few_stacks = weights([30_001, 20_000]);
        assert_eq!(few_stacks.of_sample(&Unit::Unknown), Some(1.0));
        let times = weights([1_230_001, 992_817, 12]);
        assert_eq!(times.of_sample(&Unit::Unknown), None);
        assert_eq!(times.of_sample(&Unit::named("samples")), Some(1.0));
    }
}

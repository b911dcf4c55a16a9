//! How many samples a profile has. Only numbers of samples vary as counts do.

use crate::{folded::counts_samples, numbers::Unit};

/// Units of counts. They are counts of samples, unless a header line gives the number of samples.
const COUNTS: [&str; 2] = ["counts", "count"];

/// Up to this weight a line is light, see [`Weights::are_counts`].
const LIGHT: u64 = 100;

/// A profile that weighs at most this has counts, see [`Weights::are_counts`].
const LITTLE: u128 = 100_000;

/// What the weights of the lines of one run have in common.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weights {
    pub(super) lines: u64,
    /// How many lines weigh at most [`LIGHT`].
    light: u64,
    sum: u128,
    /// What the header line `# samples: N` of the run says.
    pub(super) noted: Option<u64>,
}

impl Weights {
    /// Adds a line.
    pub fn add(&mut self, weight: u64) {
        self.lines += 1;
        self.light += u64::from(weight <= LIGHT);
        self.sum += u128::from(weight);
    }

    /// Adds other lines of the same run. How many samples there are is known if both say so.
    pub(super) fn merge(&mut self, other: Weights) {
        self.lines += other.lines;
        self.light += other.light;
        self.sum += other.sum;
        self.noted = self.noted.zip(other.noted).map(|(one, other)| one + other);
    }

    /// How many samples there are; `None` if no header line and no unit says so.
    ///
    /// It cannot be found by a common divisor of the weights: clocks round times to microseconds,
    /// and allocators round sizes to words.
    #[must_use]
    pub fn samples(&self, unit: &Unit) -> Option<f64> {
        match unit {
            Unit::Things(name) if counts_samples(name.as_bytes()) => Some(self.sum as f64),
            _ if self.noted.is_some() => self.noted.map(|samples| samples as f64),
            Unit::Things(name) if COUNTS.contains(&&name[..]) => Some(self.sum as f64),
            Unit::Unknown if self.are_counts() => Some(self.sum as f64),
            _ => None,
        }
    }

    /// Whether weights of an unknown unit are counts of samples. Most stacks of a recording have
    /// few samples, but weigh thousands of nanoseconds, bytes or cycles. Where all stacks are
    /// heavy, a small sum also means counts.
    fn are_counts(&self) -> bool {
        2 * self.light >= self.lines || self.sum <= LITTLE
    }
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
    fn counts_are_known_by_their_unit_or_by_their_size() {
        let counts = weights([1, 1, 3, 8, 20_000_000]);
        assert_eq!(counts.samples(&Unit::Unknown), Some(20_000_013.0));
        // Bytes, for all their size.
        assert_eq!(counts.samples(&Unit::named("bytes")), None);
        let few_stacks = weights([30_001, 20_000]);
        assert_eq!(few_stacks.samples(&Unit::Unknown), Some(50_001.0));
        let times = weights([1_230_001, 992_817, 12]);
        assert_eq!(times.samples(&Unit::Unknown), None);
        assert_eq!(times.samples(&Unit::named("samples")), Some(2_222_830.0));
    }

    #[test]
    fn a_divisor_is_no_sample() {
        // Whole microseconds, as V8 writes them.
        let times = weights([30_000_000, 10_021_000, 50_250_000]);
        assert_eq!(times.samples(&Unit::named("ns")), None);
        assert_eq!(times.samples(&Unit::Unknown), None);
        let noted = Weights { noted: Some(77), ..times };
        assert_eq!(noted.samples(&Unit::named("ns")), Some(77.0));
        // What was allocated, estimated from a sample of it.
        assert_eq!(noted.samples(&Unit::named("count")), Some(77.0));
        assert_eq!(times.samples(&Unit::named("count")), Some(90_271_000.0));
    }
}

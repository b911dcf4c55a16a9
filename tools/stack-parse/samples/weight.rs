//! What a sample weighs.

use clap::ValueEnum;
use common::{Error, Result, StackTree};

use crate::samples::sample::Sample;

/// What a sample counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weight {
    /// Samples where all have the same period, else periods
    Auto,
    /// One each
    Samples,
    /// The period the profiler noted: cycles, nanoseconds, bytes
    Period,
    /// The words of memory it stands for
    Words,
    /// The bytes of memory it stands for
    Bytes,
}

/// Weighs samples one by one. With [`Weight::Auto`] they are counted until a
/// period differs; then what was counted is scaled to periods.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weigher {
    weight: Weight,
    /// The period of all samples so far; meant for `Auto`.
    same: Option<u64>,
}

impl Weigher {
    pub(crate) fn new(weight: Weight) -> Weigher {
        let weight = match weight {
            // Who reads memory gives these as periods.
            Weight::Words | Weight::Bytes => Weight::Period,
            other => other,
        };
        Weigher { weight, same: None }
    }

    /// What a sample, or several, add to `tree`.
    #[inline]
    pub(crate) fn weigh(&mut self, sample: &Sample, tree: &mut StackTree) -> Result<u64> {
        let is_counted = match self.weight {
            Weight::Samples => true,
            Weight::Auto => *self.same.get_or_insert(sample.period) == sample.period,
            _ => false,
        };
        if is_counted {
            return Ok(sample.samples);
        }
        self.sum_periods(tree)?;
        sample.samples.checked_mul(sample.period).ok_or(Error::Overflow)
    }

    /// One for another thread, which starts anew.
    pub(crate) fn fork(&self) -> Weigher {
        Weigher::new(self.weight)
    }

    /// True if and only if the weights are sums of periods.
    pub(crate) fn by_period(&self) -> bool {
        self.weight == Weight::Period
    }

    /// Makes two trees, each weighed on its own, weighed alike.
    pub(crate) fn agree(
        &mut self,
        tree: &mut StackTree,
        other: &mut Weigher,
        other_tree: &mut StackTree,
    ) -> Result<()> {
        let same = self.same.is_none() || other.same.is_none() || self.same == other.same;
        let both_count = !self.by_period() && !other.by_period();
        if self.weight == Weight::Samples || both_count && same {
            self.same = self.same.or(other.same);
            return Ok(());
        }
        self.sum_periods(tree)?;
        other.sum_periods(other_tree)
    }

    fn sum_periods(&mut self, tree: &mut StackTree) -> Result<()> {
        if self.weight == Weight::Auto {
            tree.scale(self.same.unwrap_or(1))?;
            self.weight = Weight::Period;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(samples: u64, period: u64) -> Sample {
        Sample { base: StackTree::ROOT, event: 0, samples, period }
    }

    fn weighed(periods: &[u64]) -> (Weigher, StackTree) {
        let (mut weigher, mut tree) = (Weigher::new(Weight::Auto), StackTree::default());
        let node = tree.child(StackTree::ROOT, 0);
        for &period in periods {
            let weight = weigher.weigh(&sample(1, period), &mut tree).expect("small");
            tree.add(node, weight).expect("small");
        }
        (weigher, tree)
    }

    #[test]
    fn equal_periods_are_counted_others_summed() {
        for (periods, sum) in [(&[7, 7, 7][..], 3), (&[7, 7, 9], 23), (&[1, 1], 2), (&[], 0)] {
            assert_eq!(weighed(periods).1.self_weight(1), sum, "{periods:?}");
        }
    }

    #[test]
    fn several_samples_weigh_as_much_as_one_by_one() {
        let tree = &mut StackTree::default();
        for (weight, sum) in [(Weight::Samples, 3), (Weight::Words, 21), (Weight::Auto, 3)] {
            let weight = Weigher::new(weight).weigh(&sample(3, 7), tree);
            assert_eq!(weight.expect("small"), sum);
        }
        let huge = Weigher::new(Weight::Bytes).weigh(&sample(u64::MAX, 2), tree);
        assert!(matches!(huge, Err(Error::Overflow)));
    }

    #[test]
    fn parts_weighed_apart_agree() {
        for (left, right, sum) in [
            (&[7, 7][..], &[7][..], 3),
            (&[7, 7], &[9], 23),
            (&[7, 8], &[9], 24),
            (&[7], &[8, 9], 24),
            (&[7], &[], 1),
            (&[], &[7, 8], 15),
        ] {
            let ((mut left_weigher, mut tree), (mut right_weigher, mut right_tree)) =
                (weighed(left), weighed(right));
            left_weigher.agree(&mut tree, &mut right_weigher, &mut right_tree).expect("small");
            let total = tree.self_weight(1) + right_tree.self_weight(1);
            assert_eq!(total, sum, "{left:?} {right:?}");
        }
    }
}

//! What makes a program end later: `--weight latency`. Time in which several threads run is divided
//! equally among them, so code that runs alone weighs most.

use std::collections::BTreeMap;
use std::num::NonZero;

use common::{io::Total, pipe::Pipe};

/// The remainders lost where periods were divided, by the number of threads that ran.
#[derive(Debug, Default)]
pub(super) struct Rounding(BTreeMap<NonZero<u32>, u128>);

/// The latency of a sample: its period divided by the number of threads that ran, rounded down.
#[inline]
pub(super) fn latency(period: u64, parallelism: NonZero<u32>) -> u64 {
    period / NonZero::<u64>::from(parallelism)
}

impl Rounding {
    /// Notes that `count` samples of this period were divided.
    pub(super) fn note(&mut self, count: u64, period: u64, parallelism: NonZero<u32>) {
        let remainder = period % NonZero::<u64>::from(parallelism);
        *self.0.entry(parallelism).or_default() += u128::from(count) * u128::from(remainder);
    }

    /// The whole loss, rounded to the nearest integer.
    fn whole(&self) -> u128 {
        let parts = self.0.iter().map(|(threads, rest)| *rest as f64 / f64::from(threads.get()));
        parts.sum::<f64>().round() as u128
    }

    /// Adds the loss to the sums of `--stats`: it was read, and left out. With `is_asked` the user
    /// asked for latencies, and is told.
    pub(super) fn report(&self, is_asked: bool, pipe: &mut Pipe) {
        let weight = self.whole();
        let lost = Total { lines: 0, weight };
        pipe.count_read(lost);
        pipe.count_dropped(lost);
        if is_asked && pipe.wants_stats() {
            pipe.note(format_args!("latency: rounding down took weight {weight}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_rounding_took_and_what_is_left_are_the_whole(
            samples in prop::collection::vec((0..1_000_000_007u64, 1..9u32), 0..50),
        ) {
            let mut rounding = Rounding::default();
            let mut latencies = 0u128;
            // 840 can be divided by all numbers up to 8.
            let mut exact = 0u128;
            for &(period, threads) in &samples {
                let parallelism = NonZero::new(threads).expect("not zero");
                rounding.note(1, period, parallelism);
                latencies += u128::from(latency(period, parallelism));
                exact += u128::from(period) * 840 / u128::from(threads);
            }
            let difference = (latencies + rounding.whole()) as f64 - exact as f64 / 840.0;
            prop_assert!(difference.abs() < 0.51, "{difference}");
        }
    }
}

//! The counts of a stack: as they are written, scaled, and those of each thread.

use bstr::ByteSlice;
use common::numbers::decimal;

use crate::read::sampled_heap;

/// Objects and bytes that were allocated, and objects and bytes in use: in the order of
/// [`sampled_heap::HEAP`].
pub(super) type Counts = [u64; 4];

/// A line with the counts of a thread, or of all.
#[derive(Debug, PartialEq)]
pub(super) struct ThreadLine<'a> {
    /// jemalloc's number of the thread; `None` for all threads.
    pub(super) thread: Option<u64>,
    pub(super) counts: Counts,
    pub(super) name: &'a [u8],
}

impl<'a> ThreadLine<'a> {
    /// Reads `0: 27: 8589 [0: 0] main`, which follows the `t`; the number may be `*`.
    pub(super) fn of(text: &'a [u8]) -> Option<ThreadLine<'a>> {
        let (thread, rest) = text.split_once_str(": ")?;
        let (objects, rest) = rest.split_once_str(": ")?;
        let (bytes, rest) = rest.split_once_str(" [")?;
        let (all_objects, rest) = rest.split_once_str(": ")?;
        let (all_bytes, name) = rest.split_once_str("]")?;
        let thread = if thread == b"*" { None } else { Some(decimal(thread)?) };
        let [all_objects, all_bytes] = [decimal(all_objects)?, decimal(all_bytes)?];
        let counts = [all_objects, all_bytes, decimal(objects)?, decimal(bytes)?];
        Some(ThreadLine { thread, counts, name: name.trim_ascii() })
    }
}

/// Estimates all objects from those that were sampled.
pub(super) struct Scale {
    /// The bytes per sample; 0 if all allocations were recorded.
    rate: f64,
    /// What was rounded away so far from each of the counts.
    rests: [f64; 4],
}

impl Scale {
    /// The scale that keeps counts as they are.
    pub(super) fn all() -> Scale {
        Scale { rate: 0.0, rests: [0.0; 4] }
    }

    /// The scale of a profile with one sample per `rate` bytes.
    pub(super) fn of_rate(rate: u64) -> Scale {
        Scale { rate: rate as f64, ..Scale::all() }
    }

    /// The estimated counts of a stack; `None` if one is over 64 bits. What is rounded away from
    /// one stack is added to the next, so that the total is that of the exact numbers.
    pub(super) fn weights(&mut self, counts: &Counts) -> Option<Counts> {
        let [all_objects, all_bytes, objects, bytes] = *counts;
        let all = sampled_heap::scale(all_objects, all_bytes, self.rate);
        let used = sampled_heap::scale(objects, bytes, self.rate);
        let (mut weights, mut rests) = (*counts, self.rests);
        for (at, scale) in [all, all, used, used].into_iter().enumerate() {
            if let Some(scale) = scale {
                let exact = counts[at] as f64 * scale + rests[at];
                weights[at] = whole(exact)?;
                rests[at] = exact - exact.round();
            }
        }
        self.rests = rests;
        Some(weights)
    }
}

/// The nearest integer; `None` if it does not fit into 64 bits.
fn whole(number: f64) -> Option<u64> {
    /// 2 to the power of 64.
    const TOO_MUCH: f64 = 18_446_744_073_709_551_616.0;
    (number < TOO_MUCH).then_some(number.round() as u64)
}

/// The part of a thread in the counts of a stack.
pub(super) struct ThreadShare {
    /// The counts as they are written.
    pub(super) counted: Counts,
    /// The part of the stack's weights.
    pub(super) share: Counts,
}

/// Splits the weights of a stack among its threads, in proportion to their parts of the `counts` of
/// all threads. The weights that no thread accounts for are not returned.
pub(super) fn share(
    weights: &Counts,
    counts: &Counts,
    threads: &[(u64, Counts)],
) -> impl Iterator<Item = (u64, ThreadShare)> {
    let (weights, counts) = (*weights, *counts);
    let mut counted_before = Counts::default();
    let up_to = move |counted: &Counts, at: usize| match counts[at] {
        0 => 0,
        // Not over 64 bits, since no more is counted than there is.
        all => (u128::from(weights[at]) * u128::from(counted[at]) / u128::from(all)) as u64,
    };
    threads.iter().map(move |&(thread, counted)| {
        let before = counted_before;
        for at in 0..counts.len() {
            let sum = counted_before[at].saturating_add(counted[at]);
            counted_before[at] = sum.min(counts[at]);
        }
        let share = |at| up_to(&counted_before, at) - up_to(&before, at);
        (thread, ThreadShare { counted, share: [share(0), share(1), share(2), share(3)] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_threads() {
        let line = |thread, counts, name| Some(ThreadLine { thread, counts, name });
        for (text, expected) in [
            ("*: 27: 8589 [30: 9000]", line(None, [30, 9000, 27, 8589], b"")),
            ("7: 1: 2 [0: 0] pool [1]: a", line(Some(7), [0, 0, 1, 2], b"pool [1]: a")),
            ("x: 1: 2 [0: 0]", None),
            ("7: 1: 2", None),
            ("7: 1: two [0: 0]", None),
        ] {
            assert_eq!(ThreadLine::of(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_rounded_away_is_added_to_the_next() {
        let mut scale = Scale::of_rate(4096);
        // Each stands for 4100.5 objects of 8 bytes.
        let weights: Vec<_> = (0..4).map(|_| scale.weights(&[0, 0, 8, 64])).collect();
        let objects: Vec<_> = weights.iter().map(|it| it.expect("64 bits")[2]).collect();
        let exact = 4.0 * 8.0 / (1.0 - (-8.0f64 / 4096.0).exp());
        assert_eq!(objects.iter().sum::<u64>() as f64, exact.round(), "{objects:?}");
        assert_eq!(scale.weights(&[0, 0, u64::MAX, 1]), None);
        assert_eq!(Scale::of_rate(1).weights(&[3, 24, 1, 8]), Some([3, 24, 1, 8]));
        assert_eq!(Scale::all().weights(&[3, 24, 1, 8]), Some([3, 24, 1, 8]));
    }

    #[test]
    fn threads_share_all_that_they_account_for() {
        let shares = |threads: &[(u64, Counts)]| -> Vec<u64> {
            let shares = share(&[0, 0, 0, 100], &[0, 0, 0, 30], threads);
            shares.map(|(_, it)| it.share[3]).collect()
        };
        let of = |bytes| [0, 0, 0, bytes];
        assert_eq!(shares(&[(0, of(10)), (1, of(10)), (2, of(10))]), [33, 33, 34]);
        assert_eq!(shares(&[(0, of(15))]), [50]);
        assert_eq!(shares(&[(0, of(u64::MAX)), (1, of(7))]), [100, 0]);
    }
}

//! Sorts runs of numbers as a dictionary sorts words.

use crate::stacks::room::with_room;

/// A run, at its place in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) run: u32,
    /// How many of its first numbers are those of the run before.
    pub(crate) shared: u32,
}

/// Sorts the runs 0 to `count` - 1. `of` returns the numbers of a run, which are
/// at most `largest`; no two runs have the same numbers.
///
/// To compare two runs misses the cache twice. So each run gets a key, which holds as many of its
/// numbers as fit into 64 bits. The keys are sorted; only runs with equal keys are sorted again, by
/// a key of the numbers that follow.
pub(crate) fn sort_runs<'a>(
    count: u32,
    largest: u32,
    of: impl Fn(u32) -> &'a [u32],
) -> Vec<Placed> {
    // A digit is a number plus one: 0 means that the run has ended.
    let bits = u64::BITS - (u64::from(largest) + 1).leading_zeros();
    let digits = u64::BITS / bits;
    let unused = u64::BITS - digits * bits;
    let key = |run: u32, from: u32| {
        let rest = of(run).get(from as usize..).unwrap_or_default();
        let digit = |index| rest.get(index).map_or(0, |&number| u64::from(number) + 1);
        (0..digits as usize).fold(0, |key, index| key << bits | digit(index))
    };

    let unplaced = (0..count).map(|run| (0, Placed { run, shared: 0 }));
    let mut keyed: Vec<(u64, Placed)> = with_room(count as usize);
    keyed.extend(unplaced);
    let mut pending = vec![(0..keyed.len(), 0)];
    while let Some((group, from)) = pending.pop() {
        let mut start = group.start;
        let group = &mut keyed[group];
        let Some(&(_, Placed { shared: with_group_before, .. })) = group.first() else { continue };
        group.iter_mut().for_each(|(old, placed)| *old = key(placed.run, from));
        group.sort_unstable_by_key(|&(key, _)| key);
        let mut last = group[0].0;
        for equal in group.chunk_by_mut(|(a, _), (b, _)| a == b) {
            let (key, first) = &mut equal[0];
            first.shared = match (*key ^ last).leading_zeros() {
                u64::BITS => with_group_before,
                zeros => from + (zeros - unused) / bits,
            };
            last = *key;
            let end = start + equal.len();
            if equal.len() > 1 {
                pending.push((start..end, from + digits));
            }
            start = end;
        }
    }
    let mut sorted = with_room(keyed.len());
    sorted.extend(keyed.into_iter().map(|(_, placed)| placed));
    sorted
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Runs with what each shares with the one before.
    type Sorted = Vec<(Vec<u32>, u32)>;

    /// Sorts the runs, and by comparison.
    fn sorted(runs: Vec<Vec<u32>>) -> (Sorted, Sorted) {
        let shared = |a: &[u32], b: &[u32]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let mut expected = Sorted::new();
        for run in runs.iter().cloned().collect::<BTreeSet<_>>() {
            let shared = expected.last().map_or(0, |(last, _)| shared(last, &run));
            expected.push((run, shared as u32));
        }
        let mut runs: Vec<_> = expected.iter().map(|(run, _)| run.clone()).collect();
        runs.reverse();
        let largest = runs.iter().flatten().copied().max().unwrap_or(0);
        let placed = sort_runs(runs.len() as u32, largest, |run| &runs[run as usize]);
        let ours = placed.iter().map(|placed| (runs[placed.run as usize].clone(), placed.shared));
        (ours.collect(), expected)
    }

    #[test]
    fn a_run_stands_before_those_it_starts() {
        let runs = vec![vec![0, 0], vec![0], vec![], vec![0, 1], vec![1], vec![0, 0, 0]];
        let (ours, expected) = sorted(runs);
        assert_eq!(ours, expected);
        assert_eq!(sort_runs(0, 0, |_| &[]), []);
    }

    #[test]
    fn keys_that_are_just_full_and_numbers_of_any_size_are_no_trouble() {
        for largest in [0, 1, 2, 3, 254, 255, 256, 65_535, u32::MAX - 1, u32::MAX] {
            let mut runs: Vec<Vec<u32>> = Vec::new();
            for length in 0..70 {
                runs.push(vec![largest; length]);
                runs.push([vec![largest; length], vec![0]].concat());
                runs.push([vec![largest; length], vec![largest / 2, largest]].concat());
            }
            let (ours, expected) = sorted(runs);
            assert_eq!(ours, expected, "largest {largest}");
        }
    }
}

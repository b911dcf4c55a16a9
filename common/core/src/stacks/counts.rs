//! Counts folded lines: each distinct stack is kept once, as numbers.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::stacks::{FrameTable, Overflows, SortedStacks, StackIds};
use crate::{
    Result, stacks::distinct::DistinctStacks, stacks::line_texts::LineTexts,
    stacks::room::make_room_in, stacks::run_order::Placed,
};

/// Sums the weights of equal stacks; memory grows with distinct stacks only.
///
/// A [`crate::stacks::StackTree`] looks up every frame of every line, and a large tree fits into no cache.
/// Here a whole line is looked up at once; a tool that needs a tree makes it at the end, from the
/// sorted stacks.
#[derive(Clone, Debug, Default)]
pub struct StackCounts {
    frames: FrameTable,
    line: StackIds,
    stacks: DistinctStacks,
    hasher: DefaultHashBuilder,
    index: HashTable<IndexEntry>,
    overflows: Overflows,
}

/// The number of a stack with this hash. The hash is kept so that the index can
/// grow without reading all stacks, and few stacks with other hashes are compared.
#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    hash: u32,
    stack: u32,
}

impl IndexEntry {
    /// The hash spread over 64 bits: the table uses the lowest and the highest bits.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl StackCounts {
    /// Adds a folded stack; its weight is left out if the sum would not fit,
    /// see [`overflows`](StackCounts::overflows).
    ///
    /// # Panics
    ///
    /// When there are 2^32 distinct stacks, or frames.
    pub fn add(&mut self, stack: &[u8], weight: u64) {
        let StackCounts { frames, line, stacks, hasher, index, overflows } = self;
        let ids = line.of(stack, frames);
        let hash = hasher.hash_one(ids) as u32;
        let found = index.find(IndexEntry::spread(hash), |entry| {
            entry.hash == hash && stacks.ids_of(entry.stack) == ids
        });
        if let Some(entry) = found {
            overflows.add(stacks.sum_of(entry.stack), stack, weight);
            return;
        }
        let stack = stacks.push(ids, weight);
        let hash_of = |entry: &IndexEntry| IndexEntry::spread(entry.hash);
        make_room_in(index, hash_of);
        index.insert_unique(IndexEntry::spread(hash), IndexEntry { hash, stack }, hash_of);
    }

    /// The weights that were left out.
    #[must_use]
    pub fn overflows(&self) -> &Overflows {
        &self.overflows
    }

    /// All stacks, in the order of their frames' names.
    #[must_use]
    pub fn into_sorted(self) -> SortedStacks {
        let (frames, stacks) = self.without_index();
        SortedStacks::new(&frames, stacks)
    }

    /// Calls `each` with every stack, as folded text, sorted by its bytes: the
    /// order of `LC_ALL=C sort` on the stacks. Stacks of weight 0 are left out.
    ///
    /// # Errors
    ///
    /// The first one that `each` returns.
    pub fn for_each_sorted(self, mut each: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        let (frames, mut stacks) = self.without_index();
        let texts = LineTexts::of(&frames);
        stacks.for_each_mut(|ids| {
            let Some((leaf, above)) = ids.split_last_mut() else { return };
            above.iter_mut().for_each(|id| *id = texts.inner(*id));
            *leaf = texts.leaf(*leaf);
        });
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        for Placed { run, shared } in stacks.order(texts.len()) {
            let shared = shared as usize;
            ends.truncate(shared);
            text.truncate(ends.last().copied().unwrap_or(0));
            for &id in &stacks.ids_of(run)[shared..] {
                texts.append(id, &mut text);
                ends.push(text.len());
            }
            match stacks.weight_of(run) {
                0 => {}
                weight => each(&text, weight)?,
            }
        }
        Ok(())
    }

    /// What is still needed after the last stack. The index, which is large, is freed.
    fn without_index(self) -> (FrameTable, DistinctStacks) {
        (self.frames, self.stacks)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn counts_of(lines: &[(Vec<u8>, u64)]) -> StackCounts {
        let mut counts = StackCounts::default();
        for (stack, weight) in lines {
            counts.add(stack, *weight);
        }
        counts
    }

    /// All stacks with their weights.
    pub(crate) fn sorted(counts: StackCounts) -> Vec<(Vec<u8>, u64)> {
        let mut sorted = Vec::new();
        let each = |stack: &[u8], weight| {
            sorted.push((stack.to_vec(), weight));
            Ok(())
        };
        counts.for_each_sorted(each).expect("nothing fails here");
        sorted
    }

    /// Stacks that often share frames, and names that start one another.
    fn stacks() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![Just(b';'), Just(b'a'), Just(b' '), Just(b'\xff'), any::<u8>()];
        prop::collection::vec(byte.prop_filter("ends the line", |&byte| byte != b'\n'), 0..12)
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_map_of_texts(
            lines in prop::collection::vec((stacks(), prop_oneof![0..9u64, any::<u64>()]), 0..60)
        ) {
            let (mut counts, mut oracle) = (StackCounts::default(), BTreeMap::new());
            let mut left_out = 0;
            for (stack, weight) in lines {
                let sum = oracle.entry(stack.clone()).or_insert(0u64);
                let fits = sum.checked_add(weight);
                *sum = fits.unwrap_or(*sum);
                counts.add(&stack, weight);
                left_out += if fits.is_some() { 0 } else { u128::from(weight) };
            }
            let overflows = counts.overflows();
            let named: u128 = overflows.named().map(|(_, total)| total.weight).sum();
            prop_assert_eq!(named + overflows.others().weight, left_out);
            oracle.retain(|_, weight| *weight > 0);
            prop_assert_eq!(sorted(counts), oracle.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn stacks_whose_hashes_are_equal_stay_apart() {
        // Of so many stacks, about ten pairs share the 32 bits that are kept.
        let lines: BTreeMap<_, _> =
            (0..300_000u64).map(|number| (format!("f{number}").into_bytes(), number + 1)).collect();
        let lines: Vec<_> = lines.into_iter().collect();
        assert_eq!(sorted(counts_of(&lines)), lines);
    }

    #[test]
    fn ten_thousand_frames_deep_is_no_trouble() {
        let deep = ["f"; 10_000].join(";").into_bytes();
        let lines = [(deep.clone(), 1), ([&deep[..], b";a"].concat(), 2)];
        assert_eq!(sorted(counts_of(&lines)), lines);
    }
}

//! Random numbers that are the same on every machine: SplitMix64 by Steele, Lea and Flood.

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if that is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// `count` of `all`, each at most once, in random order.
    pub(crate) fn draw(&mut self, all: &[String], count: usize) -> Vec<String> {
        let mut left = all.to_vec();
        let mut one = |_| left.swap_remove(self.below(left.len()));
        (0..count).map(&mut one).collect()
    }
}

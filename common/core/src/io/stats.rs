//! How much a tool read and wrote: what `--stats` prints.

use std::fmt;
use std::ops::AddAssign;

/// The total of some lines: how many they are and what they weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How many lines; for a profiler's output, how many samples.
    pub lines: u64,
    /// The sum of their counts, which may not fit into 64 bits.
    pub weight: u128,
}

/// One line of this weight.
impl From<u64> for Total {
    #[inline]
    fn from(weight: u64) -> Total {
        Total { lines: 1, weight: u128::from(weight) }
    }
}

impl AddAssign<u64> for Total {
    /// Adds one line of this weight.
    #[inline]
    fn add_assign(&mut self, weight: u64) {
        self.lines += 1;
        self.weight += u128::from(weight);
    }
}

impl AddAssign for Total {
    fn add_assign(&mut self, other: Total) {
        self.lines += other.lines;
        self.weight += other.weight;
    }
}

/// What a tool read, wrote, changed and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Well-formed lines or samples that came in.
    pub read: Total,
    /// Lines that went out.
    pub written: Total,
    /// Lines that went out with another stack than they came in with.
    pub changed: Total,
    /// Lines or samples that were left out: because the user asked for it, or
    /// because a sum has no room for them.
    pub dropped: Total,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = [
            ("in", self.read),
            ("out", self.written),
            ("changed", self.changed),
            ("dropped", self.dropped),
        ];
        for (index, (name, total)) in totals.into_iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(f, "{separator}{name} {} lines weight {}", total.lines, total.weight)?;
        }
        Ok(())
    }
}

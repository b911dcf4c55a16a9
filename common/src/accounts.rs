//! The accounts of a run: what `--stats` prints.

use std::fmt;
use std::ops::AddAssign;

/// Lines and what they weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// How many lines (for a profiler's output: samples).
    pub lines: u64,
    /// The sum of their counts; wide enough for any number of 64-bit counts.
    pub weight: u128,
}

impl AddAssign<u64> for Flow {
    /// Adds one line of this weight.
    #[inline]
    fn add_assign(&mut self, weight: u64) {
        self.lines += 1;
        self.weight += u128::from(weight);
    }
}

impl AddAssign for Flow {
    fn add_assign(&mut self, other: Flow) {
        self.lines += other.lines;
        self.weight += other.weight;
    }
}

/// What a tool read, wrote, changed and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Well-formed lines or samples that came in.
    pub read: Flow,
    /// Lines that went out.
    pub written: Flow,
    /// Lines that went out with another stack than they came in with.
    pub changed: Flow,
    /// Lines or samples that were left out because the user asked for it.
    pub dropped: Flow,
}

impl fmt::Display for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flows = [
            ("in", self.read),
            ("out", self.written),
            ("changed", self.changed),
            ("dropped", self.dropped),
        ];
        for (index, (name, flow)) in flows.into_iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(f, "{separator}{name} {} lines weight {}", flow.lines, flow.weight)?;
        }
        Ok(())
    }
}

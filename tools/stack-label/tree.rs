//! The spans of one thread, found by a time.

use std::cmp::Reverse;

/// The index of a span in the table.
pub(crate) type SpanId = u32;

/// A span that may hold a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) span: SpanId,
}

/// Intervals that are found by a time in logarithmic time, however many there are and however they
/// overlap.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// By their starts; of equal ones the longest first.
    intervals: Vec<Interval>,
    /// The latest end below each node of a binary tree over the intervals; the root is 1.
    ends: Vec<u64>,
    /// How many leaves the binary tree has.
    leaves: usize,
    /// All starts and ends, each once.
    borders: Vec<u64>,
}

impl Tree {
    pub(crate) fn new(mut intervals: Vec<Interval>) -> Tree {
        intervals.sort_by_key(|it| (it.start, Reverse(it.end), it.span));
        let leaves = intervals.len().next_power_of_two();
        let mut ends = vec![0; 2 * leaves];
        for (at, interval) in intervals.iter().enumerate() {
            // One without length holds no time.
            ends[leaves + at] = if interval.end > interval.start { interval.end } else { 0 };
        }
        for node in (1..leaves).rev() {
            ends[node] = ends[2 * node].max(ends[2 * node + 1]);
        }
        let mut borders: Vec<u64> = intervals.iter().flat_map(|it| [it.start, it.end]).collect();
        borders.sort_unstable();
        borders.dedup();
        Tree { intervals, ends, leaves, borders }
    }

    /// The interval that holds this time and began last, if there is one.
    pub(crate) fn innermost(&self, time: u64) -> Option<Interval> {
        let begun = self.intervals.partition_point(|it| it.start <= time);
        // The last one that began is mostly the one.
        match self.intervals[..begun].last() {
            Some(last) if last.end > time => Some(*last),
            _ => self.last_before(1, 0..self.leaves, begun, time).map(|at| self.intervals[at]),
        }
    }

    /// All intervals that hold this time, the one that began first first.
    pub(crate) fn all(&self, time: u64) -> Vec<Interval> {
        let mut begun = self.intervals.partition_point(|it| it.start <= time);
        let mut found = Vec::new();
        while let Some(at) = self.last_before(1, 0..self.leaves, begun, time) {
            found.push(self.intervals[at]);
            begun = at;
        }
        found.reverse();
        found
    }

    /// The last of the first `begun` intervals that ends after this time, below a node.
    fn last_before(
        &self,
        node: usize,
        range: std::ops::Range<usize>,
        begun: usize,
        time: u64,
    ) -> Option<usize> {
        if range.start >= begun || self.ends[node] <= time {
            return None;
        }
        if range.len() == 1 {
            return Some(range.start);
        }
        let middle = range.start + range.len() / 2;
        let right = self.last_before(2 * node + 1, middle..range.end, begun, time);
        right.or_else(|| self.last_before(2 * node, range.start..middle, begun, time))
    }

    /// The starts and ends between two times.
    pub(crate) fn borders(&self, from: u64, to: u64) -> &[u64] {
        let first = self.borders.partition_point(|border| *border <= from);
        let last = self.borders.partition_point(|border| *border < to);
        &self.borders[first..last.max(first)]
    }

    /// How many intervals begin in one that ends before they do: they are not within each other.
    pub(crate) fn overlaps(&self) -> usize {
        let (mut open, mut count): (Vec<u64>, _) = (Vec::new(), 0);
        for interval in self.intervals.iter().filter(|it| it.end > it.start) {
            while open.last().is_some_and(|end| *end <= interval.start) {
                open.pop();
            }
            if open.last().is_some_and(|end| *end < interval.end) {
                count += 1;
                // What ends first is no longer around what follows.
                open.pop();
            }
            open.push(interval.end);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tree(spans: &[(u64, u64)]) -> Tree {
        let interval = |(span, &(start, end)): (SpanId, &(u64, u64))| Interval { start, end, span };
        Tree::new((0..).zip(spans).map(interval).collect())
    }

    #[test]
    fn what_began_last_is_the_innermost() {
        let tree = tree(&[(0, 100), (10, 20), (10, 30), (15, 16), (40, 40), (50, 60), (55, 70)]);
        for (time, expected) in [
            (0, Some(0)),
            (10, Some(1)),
            (15, Some(3)),
            (16, Some(1)),
            (25, Some(2)),
            (40, Some(0)),
            (57, Some(6)),
            (65, Some(6)),
            (100, None),
        ] {
            assert_eq!(tree.innermost(time).map(|it| it.span), expected, "{time}");
        }
        assert_eq!(tree.borders(10, 40), [15, 16, 20, 30]);
        assert_eq!(tree.overlaps(), 1);
    }

    proptest! {
        #[test]
        fn all_are_found(spans in prop::collection::vec((0..40_u64, 0..12_u64), 0..30)) {
            let spans: Vec<(u64, u64)> =
                spans.into_iter().map(|(start, length)| (start, start + length)).collect();
            let tree = tree(&spans);
            for time in 0..60 {
                let mut expected: Vec<usize> = (0..spans.len())
                    .filter(|at| spans[*at].0 <= time && time < spans[*at].1)
                    .collect();
                expected.sort_by_key(|at| (spans[*at].0, Reverse(spans[*at].1), *at));
                let found = tree.all(time);
                let found: Vec<usize> = found.iter().map(|it| it.span as usize).collect();
                prop_assert_eq!(tree.innermost(time).map(|it| it.span as usize), expected.last().copied());
                prop_assert_eq!(found, expected);
            }
        }
    }
}

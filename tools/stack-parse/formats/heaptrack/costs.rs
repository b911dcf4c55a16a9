//! Sums of allocations, with the definitions of heaptrack_print.

/// The sums of allocations and deallocations of each stack.
#[derive(Default)]
pub(super) struct Costs {
    traces: Vec<Cost>,
    /// The bytes in use at the moment, and the most there were so far.
    leaked: i64,
    peak: i64,
    /// How many allocations and deallocations there were so far, and how many at the peak.
    now: u64,
    peak_at: u64,
}

/// The sums of one stack.
#[derive(Clone, Copy, Default)]
pub(super) struct Cost {
    pub(super) allocations: u64,
    /// Those freed by the very next deallocation, before there was another allocation.
    pub(super) temporary: u64,
    /// All that was ever allocated, in bytes.
    pub(super) allocated: u64,
    /// The bytes in use at the moment; at the end, those that were never freed.
    leaked: i64,
    /// When `leaked` changed last, and its value at the peak if that was before.
    changed_at: u64,
    peak: i64,
}

impl Costs {
    pub(super) fn allocate(&mut self, trace: usize, size: i64) {
        let cost = self.change(trace, size);
        cost.allocations += 1;
        cost.allocated = cost.allocated.saturating_add(size.unsigned_abs());
        if self.leaked > self.peak {
            (self.peak, self.peak_at) = (self.leaked, self.now);
        }
    }

    pub(super) fn free(&mut self, trace: usize, size: i64, is_temporary: bool) {
        self.change(trace, -size).temporary += u64::from(is_temporary);
    }

    fn change(&mut self, trace: usize, by: i64) -> &mut Cost {
        self.now += 1;
        self.leaked = self.leaked.saturating_add(by);
        if self.traces.len() <= trace {
            self.traces.resize(trace + 1, Cost::default());
        }
        let cost = &mut self.traces[trace];
        if cost.changed_at <= self.peak_at {
            cost.peak = cost.leaked;
        }
        cost.leaked = cost.leaked.saturating_add(by);
        cost.changed_at = self.now;
        cost
    }

    /// The traces that allocated, each with the numbers of all measures.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, [u64; 5])> {
        let bytes = |bytes: i64| u64::try_from(bytes).unwrap_or_default();
        self.traces.iter().enumerate().filter(|(_, cost)| cost.changed_at > 0).map(
            move |(trace, cost)| {
                let peak = if cost.changed_at <= self.peak_at { cost.leaked } else { cost.peak };
                let Cost { allocations, temporary, allocated, leaked, .. } = *cost;
                (trace, [allocations, temporary, bytes(leaked), bytes(peak), allocated])
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_what_each_trace_had_when_there_was_most() {
        let mut costs = Costs::default();
        costs.allocate(0, 10);
        costs.allocate(1, 5);
        costs.free(1, 5, true);
        costs.allocate(2, 7);
        // 17 bytes: the peak.
        costs.free(0, 10, false);
        costs.allocate(1, 9);
        costs.free(2, 7, false);
        costs.allocate(2, 1);
        let rows: Vec<_> = costs.rows().collect();
        let expected = [(0, [1, 0, 0, 10, 10]), (1, [2, 1, 9, 0, 14]), (2, [2, 0, 1, 7, 8])];
        assert_eq!(rows, expected);
    }
}

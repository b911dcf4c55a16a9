//! The allocations in use at a moment, counted by size and stack: an interpreted recording has
//! which kind of allocation is freed, not which one.

/// Allocations by their kind: bytes and stack.
#[derive(Default)]
pub(super) struct Kinds {
    kinds: Vec<Kind>,
    /// How many marks were set.
    marks: u64,
}

/// The counts of one kind.
#[derive(Clone, Copy, Default)]
struct Kind {
    /// How many were allocated.
    allocated: u64,
    /// How many are in use; `at_mark` is how many were at the last mark, if that changed since.
    in_use: u64,
    at_mark: u64,
    /// How many marks were set when it changed last.
    changed: u64,
}

impl Kinds {
    pub(super) fn allocate(&mut self, kind: usize) {
        let kind = self.change(kind);
        kind.allocated += 1;
        kind.in_use += 1;
    }

    pub(super) fn free(&mut self, kind: usize) {
        let kind = self.change(kind);
        kind.in_use = kind.in_use.saturating_sub(1);
    }

    fn change(&mut self, number: usize) -> &mut Kind {
        if self.kinds.len() <= number {
            self.kinds.resize(number + 1, Kind::default());
        }
        let kind = &mut self.kinds[number];
        if kind.changed < self.marks {
            (kind.at_mark, kind.changed) = (kind.in_use, self.marks);
        }
        kind
    }

    /// Sets the mark: counts are those of the last one.
    pub(super) fn mark(&mut self) {
        self.marks += 1;
    }

    /// For each kind, how many were in use at the last mark, or at the end, and how many were not.
    pub(super) fn rows(&self, is_end: bool) -> impl Iterator<Item = (u64, u64)> {
        self.kinds.iter().map(move |kind| {
            let is_changed = kind.changed == self.marks;
            let in_use = if is_changed && !is_end { kind.at_mark } else { kind.in_use };
            (in_use, kind.allocated.saturating_sub(in_use))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_at_the_last_mark() {
        let mut kinds = Kinds::default();
        kinds.allocate(1);
        assert_eq!(kinds.rows(false).collect::<Vec<_>>(), [(0, 0), (0, 1)]);
        kinds.mark();
        kinds.allocate(0);
        kinds.mark();
        kinds.free(1);
        kinds.allocate(2);
        kinds.allocate(2);
        assert_eq!(kinds.rows(false).collect::<Vec<_>>(), [(1, 0), (1, 0), (0, 2)]);
        assert_eq!(kinds.rows(true).collect::<Vec<_>>(), [(1, 0), (0, 1), (2, 0)]);
        // Freed more often than allocated.
        kinds.free(1);
        assert_eq!(kinds.rows(true).nth(1), Some((0, 1)));
    }
}

//! What is in use at a moment, where allocations of one size and stack are not told apart: an
//! interpreted recording says that one of them is freed, not which.

/// Allocations by their kind: bytes and stack.
#[derive(Default)]
pub(super) struct Kinds {
    kinds: Vec<Kind>,
    /// How often the moment was set.
    marks: u64,
}

/// Of one kind.
#[derive(Clone, Copy, Default)]
struct Kind {
    /// How many there ever were.
    allocated: u64,
    /// How many are in use, and were at the last mark if that changed since.
    in_use: u64,
    at_mark: u64,
    /// How many marks there were when it changed last.
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

    /// Says that now is the moment, unless this is said again.
    pub(super) fn mark(&mut self) {
        self.marks += 1;
    }

    /// Of each kind how many were in use at the last mark, or at the end, and how many were not.
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

//! What a process has in memory.

use std::cell::Cell;

/// A part of an object in the memory of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Map<O> {
    pub(crate) start: u64,
    /// The first address after it.
    pub(crate) end: u64,
    /// Where in the object `start` is.
    pub(crate) offset: u64,
    pub(crate) object: O,
}

impl<O> Map<O> {
    /// Where in the object `address` is.
    #[inline]
    pub(crate) fn offset_of(&self, address: u64) -> u64 {
        address.wrapping_sub(self.start).wrapping_add(self.offset)
    }
}

/// Maps that do not overlap, sorted by address.
#[derive(Clone, Debug)]
pub(crate) struct Maps<O> {
    maps: Vec<Map<O>>,
    /// The index of the map that was found last.
    last: Cell<usize>,
}

impl<O> Default for Maps<O> {
    fn default() -> Maps<O> {
        Maps { maps: Vec::new(), last: Cell::new(0) }
    }
}

impl<O: Copy> Maps<O> {
    /// The map that holds `address`.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<&Map<O>> {
        let holds = |map: &&Map<O>| map.start <= address && address < map.end;
        // The frames of a stack are mostly in one file.
        if let Some(map) = self.maps.get(self.last.get()).filter(holds) {
            return Some(map);
        }
        let index = self.maps.partition_point(|map| map.end <= address);
        self.last.set(index);
        self.maps.get(index).filter(holds)
    }

    /// Whether any map has some of these addresses.
    pub(crate) fn overlap(&self, start: u64, end: u64) -> bool {
        let first = self.maps.partition_point(|old| old.end <= start);
        self.maps.get(first).is_some_and(|old| old.start < end)
    }

    /// Adds a map. Maps that had its addresses before lose them.
    pub(crate) fn insert(&mut self, map: Map<O>) {
        self.replace(map.start, map.end, Some(map));
    }

    /// Removes what is at these addresses.
    pub(crate) fn remove(&mut self, start: u64, end: u64) {
        self.replace(start, end, None);
    }

    fn replace(&mut self, start: u64, end: u64, map: Option<Map<O>>) {
        if start >= end {
            return;
        }
        let first = self.maps.partition_point(|old| old.end <= start);
        let after = self.maps.partition_point(|old| old.start < end);
        let covered = &self.maps[first..after];
        let left = covered.first().filter(|old| old.start < start);
        let left = left.map(|old| Map { end: start, ..*old });
        let right = covered.last().filter(|old| old.end > end);
        let right = right.map(|old| Map { start: end, offset: old.offset_of(end), ..*old });
        self.maps.splice(first..after, left.into_iter().chain(map).chain(right));
    }

    #[cfg(test)]
    pub(crate) fn are_in_order(&self) -> bool {
        self.maps.windows(2).all(|pair| pair[0].end <= pair[1].start)
    }
}

//! Frames as small integers: each distinct name is kept once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::stacks::room::{Room, filled, make_room_in, with_room};

/// The number of a distinct frame name in a [`FrameTable`], counted from 0 in
/// the order of arrival.
pub type FrameId = u32;

/// A set of frame names; memory grows with the distinct names only.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    hasher: DefaultHashBuilder,
    ids: HashTable<FrameId>,
    /// Where each name ends in `bytes`; it starts where the one before ends.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl FrameTable {
    /// The number of `name`, a new one if the name is new.
    ///
    /// # Panics
    ///
    /// When there are 2^32 distinct names.
    #[inline]
    pub fn intern(&mut self, name: &[u8]) -> FrameId {
        let FrameTable { hasher, ids, ends, bytes } = self;
        let hash = hasher.hash_one(name);
        if let Some(&id) = ids.find(hash, |&id| name_of(ends, bytes, id) == name) {
            return id;
        }
        let id = FrameId::try_from(ends.len()).expect("fewer than 2^32 distinct frames");
        bytes.make_room(name.len());
        bytes.extend_from_slice(name);
        ends.make_room(1);
        ends.push(bytes.len());
        let hash_of = |&id: &FrameId| hasher.hash_one(name_of(ends, bytes, id));
        make_room_in(ids, hash_of);
        ids.insert_unique(hash, id, hash_of);
        id
    }

    /// The number of `name`, if it was interned.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<FrameId> {
        let FrameTable { hasher, ids, ends, bytes } = self;
        ids.find(hasher.hash_one(name), |&id| name_of(ends, bytes, id) == name).copied()
    }

    /// The name that was interned as `id`.
    #[must_use]
    #[inline]
    pub fn name(&self, id: FrameId) -> &[u8] {
        name_of(&self.ends, &self.bytes, id)
    }

    /// A table in which these names are numbered in the order of their bytes, and for each old
    /// number the new one.
    #[must_use]
    pub fn sorted(&self) -> (FrameTable, Vec<FrameId>) {
        let mut table = FrameTable::default();
        let mut places = filled(0, self.len());
        for id in self.order() {
            places[id as usize] = table.intern(self.name(id));
        }
        (table, places)
    }

    /// The numbers of all names, in the order of the names' bytes.
    pub(crate) fn order(&self) -> Vec<FrameId> {
        let first = |id| start_of(self.name(id));
        let mut order: Vec<(u64, FrameId)> = with_room(self.len());
        order.extend((0..self.len() as FrameId).map(|id| (first(id), id)));
        order.sort_unstable_by(|&(first, a), &(other, b)| {
            first.cmp(&other).then_with(|| self.name(a).cmp(self.name(b)))
        });
        let mut ids = with_room(order.len());
        ids.extend(order.into_iter().map(|(_, id)| id));
        ids
    }

    /// How many distinct names there are; ids are below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was interned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// The first bytes of a name as a number. Where these numbers differ, and most
/// do, they have the order of the names.
fn start_of(name: &[u8]) -> u64 {
    let mut start = [0; 8];
    let length = name.len().min(start.len());
    start[..length].copy_from_slice(&name[..length]);
    u64::from_be_bytes(start)
}

#[inline]
fn name_of<'a>(ends: &[usize], bytes: &'a [u8], id: FrameId) -> &'a [u8] {
    let index = id as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &bytes[start..ends[index]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_equal_numbers() {
        let mut table = FrameTable::default();
        let main = table.intern(b"main");
        let empty = table.intern(b"");
        let bad = table.intern(b"\xad");
        assert_eq!((main, empty, bad), (0, 1, 2));
        assert_eq!(table.intern(b"main"), main);
        assert_eq!(table.intern(b""), empty);
        assert_eq!(table.intern(b"\xad"), bad);
        assert_eq!(table.name(bad), b"\xad");
        assert_eq!(table.name(main), b"main");
        assert_eq!(table.len(), 3);
    }

    #[test]
    fn sorted_names_are_numbered_in_their_order() {
        let mut table = FrameTable::default();
        for name in ["b", "", "ab", "a", "a b", "\u{e9}"] {
            table.intern(name.as_bytes());
        }
        let (mut sorted, places) = table.sorted();
        assert_eq!(places, [4, 0, 3, 1, 2, 5]);
        assert_eq!(sorted.name(3), b"ab");
        assert_eq!(sorted.intern(b"ab"), 3);
        assert_eq!(sorted.len(), table.len());
    }

    #[test]
    fn the_order_is_that_of_all_bytes() {
        let mut names = [
            "operator new[]",
            "operator new",
            "operator",
            "operato",
            "operator\0",
            "\0",
            "",
            "\u{ff}",
        ];
        let mut table = FrameTable::default();
        for name in names {
            table.intern(name.as_bytes());
        }
        let ordered: Vec<&[u8]> = table.order().into_iter().map(|id| table.name(id)).collect();
        names.sort_unstable();
        assert_eq!(ordered, names.map(str::as_bytes));
    }

    #[test]
    fn names_survive_growth() {
        let mut table = FrameTable::default();
        for number in 0..10_000 {
            assert_eq!(table.intern(format!("f{number}").as_bytes()), number);
        }
        assert_eq!(table.name(4321), b"f4321");
        assert_eq!(table.intern(b"f9999"), 9999);
    }
}

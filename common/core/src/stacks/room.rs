//! Room for what grows with the distinct stacks.
//!
//! If a program gets no memory, it ends with a message that says what helps. So does one that asks
//! for more than any system has.

use hashbrown::HashTable;

use crate::io::out_of_memory::end;

/// Asks for memory before it is needed.
pub trait Room {
    /// Makes room for `more` more items.
    ///
    /// If there is no memory for them, this prints a message on stderr that says what helps, and
    /// exits with status 2.
    fn make_room(&mut self, more: usize);
}

impl<T> Room for Vec<T> {
    #[inline(always)]
    fn make_room(&mut self, more: usize) {
        // Mostly there is room: then no function is called.
        if self.capacity() - self.len() < more {
            grow(self, more);
        }
    }
}

#[cold]
#[inline(never)]
fn grow<T>(items: &mut Vec<T>, more: usize) {
    if items.try_reserve(more).is_err() {
        end();
    }
}

/// A vector with room for `count` items, as [`Room`] makes it.
#[must_use]
pub fn with_room<T>(count: usize) -> Vec<T> {
    let mut items = Vec::new();
    if items.try_reserve_exact(count).is_err() {
        end();
    }
    items
}

/// A vector of `count` times the same item, in room that [`Room`] makes.
#[must_use]
pub fn filled<T: Clone>(item: T, count: usize) -> Vec<T> {
    let mut items = with_room(count);
    items.resize(count, item);
    items
}

/// Makes room for one more entry.
#[inline(always)]
pub(crate) fn make_room_in<T>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.len() == table.capacity() {
        grow_table(table, hash);
    }
}

#[cold]
#[inline(never)]
fn grow_table<T>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.try_reserve(1, hash).is_err() {
        end();
    }
}

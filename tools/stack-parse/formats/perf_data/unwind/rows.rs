//! The rows that were needed so far: samples come back to the same addresses,
//! and most rows of a file are equal.

use std::hash::BuildHasher;

use gimli::UnwindContext;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::row::Row;
use super::tables::{Room, Tables, TablesId};

#[derive(Default)]
pub(super) struct Rows {
    /// The index in `rows` of what an address in a file has, if it has CFI.
    of_address: HashMap<(TablesId, u64), Option<u32>>,
    rows: Vec<Row>,
    /// Indices in `rows` by what these are.
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    context: UnwindContext<usize, Room>,
}

impl Rows {
    /// The row of an address in a file, `None` if that has no CFI there.
    pub(super) fn get(&mut self, tables: &Tables, address: u64) -> Option<&Row> {
        let key = (tables.id(), address);
        let index = match self.of_address.get(&key) {
            Some(index) => *index,
            None => {
                let row = tables.row(address, &mut self.context);
                let index = row.map(|row| self.index(row));
                self.of_address.insert(key, index);
                index
            }
        };
        index.map(|index| &self.rows[index as usize])
    }

    fn index(&mut self, row: Row) -> u32 {
        let Rows { rows, known, hasher, .. } = self;
        let hash = |row: &Row| hasher.hash_one(row);
        let same = known.find(hash(&row), |index| rows[*index as usize] == row);
        if let Some(index) = same {
            return *index;
        }
        let index = u32::try_from(rows.len()).expect("fewer rows than addresses in memory");
        known.insert_unique(hash(&row), index, |index| hash(&rows[*index as usize]));
        rows.push(row);
        index
    }
}

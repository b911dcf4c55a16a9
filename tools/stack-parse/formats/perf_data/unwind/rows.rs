//! How the code that was met so far is unwound: samples come back to the same
//! addresses, and most rows of a file are equal.

use std::hash::BuildHasher;

use gimli::UnwindContext;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::bare_code::BareCode;
use super::machine::Machine;
use super::row::Row;
use super::tables::{Room, Tables, TablesId};

/// How the caller of code in a file is found.
pub(super) enum Way<'r> {
    /// As CFI says.
    Row(&'r Row),
    /// The code is known by its bytes.
    Bare(BareCode),
    /// There is nothing but the frame pointer.
    FramePointer,
    /// There is no code.
    None,
}

impl Way<'_> {
    /// Whether the "caller" was interrupted by a signal.
    pub(super) fn returns_from_signal(&self) -> bool {
        match self {
            Way::Row(row) => row.is_signal_frame(),
            Way::Bare(code) => *code == BareCode::SignalReturn,
            Way::FramePointer | Way::None => false,
        }
    }
}

/// What is kept of a [`Way`].
#[derive(Clone, Copy)]
enum Kept {
    /// An index in the rows.
    Row(u32),
    Bare(BareCode),
    FramePointer,
}

/// What is known of all code so far.
pub(super) struct Rows {
    machine: Machine,
    /// By the program counter as the file has it, and whether it is exact.
    of_code: HashMap<(TablesId, u64, bool), Kept>,
    rows: Vec<Row>,
    /// Indices in `rows` by what these are.
    indices: HashTable<u32>,
    hasher: DefaultHashBuilder,
    context: UnwindContext<usize, Room>,
}

impl Rows {
    pub(super) fn new(machine: Machine) -> Rows {
        Rows {
            machine,
            of_code: HashMap::new(),
            rows: Vec::new(),
            indices: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            context: UnwindContext::new_in(),
        }
    }

    /// How the caller of the code at `pc`, as the file has it, is found. Unless
    /// that is exact, it is where a call returns to.
    pub(super) fn way(&mut self, tables: &Tables, pc: u64, is_exact: bool) -> Way<'_> {
        let key = (tables.id(), pc, is_exact);
        let kept = match self.of_code.get(&key) {
            Some(kept) => *kept,
            None => {
                let kept = self.find(tables, pc, is_exact);
                self.of_code.insert(key, kept);
                kept
            }
        };
        match kept {
            Kept::Row(index) => Way::Row(&self.rows[index as usize]),
            Kept::Bare(code) => Way::Bare(code),
            Kept::FramePointer => Way::FramePointer,
        }
    }

    fn find(&mut self, tables: &Tables, pc: u64, is_exact: bool) -> Kept {
        let code = BareCode::of(self.machine, tables.code_at(pc), is_exact);
        // Before it may stand another function, which has CFI.
        if let Some(code @ BareCode::SignalReturn) = code {
            return Kept::Bare(code);
        }
        let address = if is_exact { pc } else { pc.wrapping_sub(1) };
        let row = tables.row(address, &mut self.context).map(|row| Kept::Row(self.index(row)));
        row.or(code.map(Kept::Bare)).unwrap_or(Kept::FramePointer)
    }

    fn index(&mut self, row: Row) -> u32 {
        let Rows { rows, indices, hasher, .. } = self;
        let hash = |row: &Row| hasher.hash_one(row);
        let same = indices.find(hash(&row), |index| rows[*index as usize] == row);
        if let Some(index) = same {
            return *index;
        }
        let index = u32::try_from(rows.len()).expect("fewer rows than fit the memory");
        indices.insert_unique(hash(&row), index, |index| hash(&rows[*index as usize]));
        rows.push(row);
        index
    }
}

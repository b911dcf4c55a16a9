//! How to find the caller of each code address so far: samples come back to the same addresses, and
//! most rows of a file are equal.

use std::hash::{BuildHasher, Hash};

use gimli::UnwindContext;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::unwind::bare_code::BareCode;
use crate::unwind::cfi::RowMemory;
use crate::unwind::machine::Machine;
use crate::unwind::row::CallerRow;
use crate::unwind::sections::UnwindFiles;
use crate::unwind::tables::UnwindTables;

/// How the caller of some code is found.
pub(crate) enum WayToCaller<'r> {
    /// According to CFI.
    Row(&'r CallerRow<'r>),
    /// The code is recognised by its bytes.
    Bare(BareCode),
    /// There is only the frame pointer.
    FramePointer,
    /// There is no code at this address.
    None,
}

impl WayToCaller<'_> {
    /// Whether the "caller" was interrupted by a signal.
    pub(crate) fn returns_from_signal(&self) -> bool {
        match self {
            WayToCaller::Row(row) => row.is_signal_frame(),
            WayToCaller::Bare(code) => *code == BareCode::SignalReturn,
            WayToCaller::FramePointer | WayToCaller::None => false,
        }
    }
}

/// A [`WayToCaller`] as it is kept.
#[derive(Clone, Copy)]
enum KeptWay {
    /// An index in the rows.
    Row(u32),
    Bare(BareCode),
    FramePointer,
}

/// What is known of all code so far.
pub(crate) struct WaysToCallers<'f, O> {
    machine: Machine,
    /// By the object, the offset of the instruction in it, and whether that is exact: it is not
    /// exact if the instruction is a call.
    of_code: HashMap<(O, u64, bool), KeptWay>,
    /// Whether the code at an offset in an object is what signal handlers return to.
    signal_returns: HashMap<(O, u64), bool>,
    /// The tables of the objects so far, if they are files.
    tables: HashMap<O, Option<UnwindTables<'f>>>,
    rows: Vec<CallerRow<'f>>,
    /// Indices in `rows`, found by the hashes of the rows.
    indices: HashTable<u32>,
    hasher: DefaultHashBuilder,
    context: UnwindContext<usize, RowMemory>,
}

impl<'f, O: Copy + Eq + Hash> WaysToCallers<'f, O> {
    pub(crate) fn new(machine: Machine) -> WaysToCallers<'f, O> {
        WaysToCallers {
            machine,
            of_code: HashMap::new(),
            signal_returns: HashMap::new(),
            tables: HashMap::new(),
            rows: Vec::new(),
            indices: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            context: UnwindContext::new_in(),
        }
    }

    /// How the caller of the code at `offset` in an object is found. If `offset` is not exact, it
    /// is the last byte of a call.
    pub(crate) fn way(
        &mut self,
        object: O,
        offset: u64,
        is_exact: bool,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> WayToCaller<'_> {
        let key = (object, offset, is_exact);
        let kept = match self.of_code.get(&key) {
            Some(kept) => *kept,
            None => {
                let kept = self.find(object, offset, is_exact, files);
                self.of_code.insert(key, kept);
                kept
            }
        };
        match kept {
            KeptWay::Row(index) => WayToCaller::Row(&self.rows[index as usize]),
            KeptWay::Bare(code) => WayToCaller::Bare(code),
            KeptWay::FramePointer => WayToCaller::FramePointer,
        }
    }

    /// Whether signal handlers return to the code at `offset` in an object, according to its bytes.
    #[inline]
    pub(crate) fn is_signal_return(
        &mut self,
        object: O,
        offset: u64,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> bool {
        let WaysToCallers { machine, tables, signal_returns, .. } = self;
        *signal_returns.entry((object, offset)).or_insert_with(|| {
            let tables = tables_of(*machine, tables, object, files);
            let code = tables.and_then(|it| Some(it.code_at(it.address_at(offset)?)));
            let code = code.and_then(|code| BareCode::of(*machine, code, false));
            code == Some(BareCode::SignalReturn)
        })
    }

    fn find(
        &mut self,
        object: O,
        offset: u64,
        is_exact: bool,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> KeptWay {
        let WaysToCallers { machine, tables, context, .. } = self;
        let Some(tables) = tables_of(*machine, tables, object, files) else {
            return KeptWay::FramePointer;
        };
        let Some(address) = tables.address_at(offset) else { return KeptWay::FramePointer };
        let pc = if is_exact { address } else { address.wrapping_add(1) };
        let code = BareCode::of(*machine, tables.code_at(pc), is_exact);
        // The function before it may have CFI, but that is not for this code.
        if let Some(code @ BareCode::SignalReturn) = code {
            return KeptWay::Bare(code);
        }
        match (tables.row(address, context), code) {
            (Some(row), _) => KeptWay::Row(self.index(row)),
            (None, Some(code)) => KeptWay::Bare(code),
            (None, None) => KeptWay::FramePointer,
        }
    }

    fn index(&mut self, row: CallerRow<'f>) -> u32 {
        let WaysToCallers { rows, indices, hasher, .. } = self;
        let hash = |row: &CallerRow<'f>| hasher.hash_one(row);
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

/// The tables of an object, which are read when it is needed first; `None` if it is not a file.
fn tables_of<'t, 'f, O: Copy + Eq + Hash>(
    machine: Machine,
    tables: &'t mut HashMap<O, Option<UnwindTables<'f>>>,
    object: O,
    files: &mut dyn UnwindFiles<'f, O>,
) -> Option<&'t UnwindTables<'f>> {
    let read = || files.sections(object).map(|sections| UnwindTables::new(machine, sections));
    tables.entry(object).or_insert_with(read).as_ref()
}

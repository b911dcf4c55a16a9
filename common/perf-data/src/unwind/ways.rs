//! How to find the caller of each code address so far: samples come back to the same addresses, and
//! most rows of a file are equal.

use std::hash::{BuildHasher, Hash};

use gimli::UnwindContext;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::unwind::bare_code::BareCode;
use crate::unwind::cfi::RowMemory;
use crate::unwind::frame::UnwoundFrame;
use crate::unwind::machine::Machine;
use crate::unwind::roots;
use crate::unwind::row::CallerRow;
use crate::unwind::sections::{UnwindFiles, UnwindFunction};
use crate::unwind::stack_use::{self, StackUse};
use crate::unwind::tables::UnwindTables;

/// How the caller of some code is found.
pub(crate) enum WayToCaller<'r> {
    /// According to CFI.
    Row(&'r CallerRow<'r>),
    /// The code is recognised by its bytes.
    Bare(BareCode),
    /// The code keeps frame pointers.
    FramePointer,
    /// The code was made at run time: it may keep frame pointers, and only other such code and
    /// calls through a pointer lead to it.
    MadeAtRunTime,
    /// It has no caller.
    Root,
    /// It has no caller, and is the function that starts after this address: no call leads there.
    RootAtStart,
    /// It is not known, or there is no code at this address.
    Unknown,
}

impl WayToCaller<'_> {
    /// Whether the program counter is that of the next instruction, and not the end of a call: where
    /// a signal handler or a fiber "returns" to.
    pub(crate) fn is_at_next(&self) -> bool {
        matches!(self, WayToCaller::RootAtStart) || self.returns_from_signal()
    }

    /// Whether the "caller" was interrupted by a signal.
    fn returns_from_signal(&self) -> bool {
        match self {
            WayToCaller::Row(row) => row.is_signal_frame(),
            WayToCaller::Bare(code) => *code == BareCode::SignalReturn,
            WayToCaller::FramePointer
            | WayToCaller::MadeAtRunTime
            | WayToCaller::Root
            | WayToCaller::RootAtStart
            | WayToCaller::Unknown => false,
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
    MadeAtRunTime,
    Root,
    RootAtStart,
    Unknown,
}

/// What is known of all code so far.
pub(crate) struct WaysToCallers<'f, O> {
    machine: Machine,
    /// By the object, the offset of the instruction in it, and whether that is exact: it is not
    /// exact if the instruction is a call.
    /// `None` if it is in no file.
    of_code: HashMap<(O, u64, bool), Option<KeptWay>>,
    /// By the place of code that was made at run time.
    of_made: HashMap<(O, u64), KeptWay>,
    /// Whether the code at an offset in an object is what signal handlers return to.
    signal_returns: HashMap<(O, u64), bool>,
    /// Whether the code at an offset in an object has no caller, where none was found.
    roots: HashMap<(O, u64), bool>,
    /// The tables of the objects so far, if they are files.
    tables: HashMap<O, Option<UnwindTables<'f>>>,
    /// What the functions without CFI do to the stack, by their starts.
    stack_use: HashMap<(O, u64), StackUse>,
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
            of_made: HashMap::new(),
            signal_returns: HashMap::new(),
            roots: HashMap::new(),
            tables: HashMap::new(),
            stack_use: HashMap::new(),
            rows: Vec::new(),
            indices: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            context: UnwindContext::new_in(),
        }
    }

    /// How the caller of a frame is found whose code is at `offset` in an object.
    pub(crate) fn way(
        &mut self,
        object: O,
        offset: u64,
        frame: &UnwoundFrame,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> WayToCaller<'_> {
        let is_exact = frame.is_exact;
        let key = (object, offset, is_exact);
        let kept = match self.of_code.get(&key) {
            Some(kept) => *kept,
            None => {
                let kept = self.find(object, offset, is_exact, files);
                self.of_code.insert(key, kept);
                kept
            }
        };
        match kept.unwrap_or_else(|| self.way_of_made(object, frame.address(), files)) {
            KeptWay::Row(index) => WayToCaller::Row(&self.rows[index as usize]),
            KeptWay::Bare(code) => WayToCaller::Bare(code),
            KeptWay::FramePointer => WayToCaller::FramePointer,
            KeptWay::MadeAtRunTime => WayToCaller::MadeAtRunTime,
            KeptWay::Root => WayToCaller::Root,
            KeptWay::RootAtStart => WayToCaller::RootAtStart,
            KeptWay::Unknown => WayToCaller::Unknown,
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
    ) -> Option<KeptWay> {
        let WaysToCallers { machine, tables, context, .. } = self;
        let tables = tables_of(*machine, tables, object, files)?;
        let Some(address) = tables.address_at(offset) else { return Some(KeptWay::Unknown) };
        let pc = if is_exact { address } else { address.wrapping_add(1) };
        // makecontext makes a fiber return to the start of a function.
        let is_start = !is_exact && pc.is_multiple_of(16);
        let starts =
            |function: UnwindFunction<'_>| function.start == pc && roots::is_root(function.name);
        if is_start && files.function(object, pc).is_some_and(starts) {
            return Some(KeptWay::RootAtStart);
        }
        let code = BareCode::of(*machine, tables.code_at(pc), is_exact);
        // The function before it may have CFI, but that is not for this code.
        if let Some(code @ BareCode::SignalReturn) = code {
            return Some(KeptWay::Bare(code));
        }
        Some(match (tables.row(address, context), code) {
            (Some(row), _) => KeptWay::Row(self.index(row)),
            (None, Some(code)) => KeptWay::Bare(code),
            (None, None) => self.without_cfi(object, address, files),
        })
    }

    /// The way for the code at an address in memory that is in no file.
    fn way_of_made(
        &mut self,
        object: O,
        address: u64,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> KeptWay {
        let Some(place) = files.place_of_made(object, address) else { return KeptWay::Unknown };
        if let Some(kept) = self.of_made.get(&place) {
            return *kept;
        }
        let Some(function) = files.made_function(place) else { return KeptWay::MadeAtRunTime };
        let kept = match function.row(self.machine, &mut self.context) {
            Some(row) => KeptWay::Row(self.index(row)),
            None if function.is_trampoline(self.machine) => KeptWay::Unknown,
            None => KeptWay::MadeAtRunTime,
        };
        self.of_made.insert(place, kept);
        kept
    }

    /// The way for the code at an address of an object file that has no CFI there.
    fn without_cfi(
        &mut self,
        object: O,
        address: u64,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> KeptWay {
        let tables = self.tables.get(&object).and_then(Option::as_ref);
        let Some(tables) = tables else { return KeptWay::Unknown };
        let function = files.function(object, address);
        let name = function.map(|function| function.name).unwrap_or_default();
        if roots::is_root(name) {
            return KeptWay::Root;
        }
        // V8's own functions do, and those that run bytecode share the frame of their caller.
        if tables.keeps_frame_pointers() || name.starts_with(b"Builtins_") {
            return KeptWay::FramePointer;
        }
        let Some(function) = function else { return KeptWay::Unknown };
        let code = tables.code_at(function.start);
        let length = function.end.saturating_sub(function.start);
        let code = &code[..code.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
        let offset = usize::try_from(address - function.start).unwrap_or(usize::MAX);
        match self.machine {
            Machine::X86_64 => {
                let follow = || stack_use::follow(code, function.start);
                let states = self.stack_use.entry((object, function.start)).or_insert_with(follow);
                let row = states.before(offset).and_then(CallerRow::of_stack);
                row.map_or(KeptWay::Unknown, |row| KeptWay::Row(self.index(row)))
            }
            Machine::Aarch64 if has_frame_aarch64(&code[..code.len().min(offset)]) => {
                KeptWay::FramePointer
            }
            Machine::Aarch64 => KeptWay::Unknown,
        }
    }

    /// Whether the last byte of a call, at `offset` in an object, is that of a direct call of x86-64:
    /// its target is known, and not made at run time.
    pub(crate) fn is_direct_call(
        &mut self,
        object: O,
        offset: u64,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> bool {
        let tables = tables_of(self.machine, &mut self.tables, object, files);
        let code = tables.and_then(|it| Some(it.code_at(it.address_at(offset.checked_sub(4)?)?)));
        self.machine == Machine::X86_64 && code.is_some_and(|code| code.first() == Some(&0xe8))
    }

    /// Whether the code at `offset` in an object is of a function without a caller, by its name.
    pub(crate) fn is_root(
        &mut self,
        object: O,
        offset: u64,
        files: &mut dyn UnwindFiles<'f, O>,
    ) -> bool {
        let WaysToCallers { machine, tables, roots, .. } = self;
        *roots.entry((object, offset)).or_insert_with(|| {
            let tables = tables_of(*machine, tables, object, files);
            let address = tables.and_then(|it| it.address_at(offset));
            let function = address.and_then(|address| files.function(object, address));
            function.is_some_and(|function| roots::is_root(function.name))
        })
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

/// Whether these instructions from the start of a function leave it with a frame pointer:
/// `stp x29, x30, [sp, …]`, `add x29, sp, …`, and no `ldp x29, x30, [sp], …` after that.
fn has_frame_aarch64(code: &[u8]) -> bool {
    let (instructions, _) = code.as_chunks::<4>();
    instructions
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .fold((false, false), |(is_saved, is_set), word| match word {
            _ if word & 0xfe40_7fff == 0xa800_7bfd => (true, is_set),
            _ if word & 0xffc0_03ff == 0x9100_03fd => (is_saved, is_saved),
            _ if word & 0xfe40_7fff == 0xa840_7bfd => (false, false),
            _ => (is_saved, is_set),
        })
        .1
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

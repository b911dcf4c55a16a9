//! From the tables of a profile to stacks with names.

use std::borrow::Cow;
use std::io::Read;

use bstr::ByteSlice;
use common::{Result, numbers::is_digits};

use super::libs::Lib;
use super::native::Natives;
use super::table::Table;
use crate::frame::Frame;
use crate::read::json::Json;
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;

/// The tables that a thread may have itself or share with all.
#[derive(Default)]
pub(super) struct Tables {
    tables: [Table; STRINGS],
    strings: Vec<Vec<u8>>,
}

/// The number of each table; the strings have no columns and come last.
const STACKS: usize = 0;
const FRAMES: usize = 1;
const FUNCTIONS: usize = 2;
const RESOURCES: usize = 3;
const SOURCES: usize = 4;
const STRINGS: usize = 5;

/// The keys of tables, and their numbers.
const KEYS: [(&[u8], usize); 7] = [
    (b"stackTable", STACKS),
    (b"frameTable", FRAMES),
    (b"funcTable", FUNCTIONS),
    (b"resourceTable", RESOURCES),
    (b"sources", SOURCES),
    (b"stringArray", STRINGS),
    (b"stringTable", STRINGS),
];

/// The number of the table with this key; `None` if it is something else.
pub(super) fn table_of(key: &[u8]) -> Option<usize> {
    KEYS.iter().find(|(known, _)| *known == key).map(|(_, number)| *number)
}

impl Tables {
    /// Reads an object of tables.
    pub(super) fn read_all<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.enter_object()?;
        while let Some(table) = json.next_key()?.map(table_of) {
            self.read(table, json)?;
        }
        Ok(())
    }

    /// Whether there is a table of stacks.
    pub(super) fn has_stacks(&self) -> bool {
        self.tables[STACKS].has("frame")
    }

    /// All tables but the strings.
    pub(super) fn all(&self) -> &[Table] {
        &self.tables
    }

    /// Reads the table with this number.
    pub(super) fn read<R: Read>(&mut self, table: Option<usize>, json: &mut Json<R>) -> Result<()> {
        match table {
            Some(STRINGS) => json.read_texts(&mut self.strings),
            Some(table) => self.tables[table].read(json),
            None => Ok(()),
        }
    }
}

/// The tables of a thread, and those that all threads share.
pub(super) struct Both<'a> {
    pub(super) own: &'a Tables,
    pub(super) shared: &'a Tables,
    pub(super) libs: &'a [Lib],
    /// Whether the address of a caller is its return address, not that of the call.
    pub(super) has_return_addresses: bool,
}

/// The numbers of the frames of a table.
#[derive(Clone, Copy)]
struct Rows {
    first: usize,
    /// How many there are. The number after the last is for frames that are not in their table.
    len: usize,
}

impl Rows {
    fn number(self, row: Option<usize>) -> u32 {
        (self.first + row.unwrap_or(self.len).min(self.len)) as u32
    }
}

/// What a frame does: its address depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It runs.
    Leaf,
    /// It waits for the return of what it called.
    Caller,
}

impl<'a> Both<'a> {
    /// The stack of each row of the stack table, and how many rows have a caller that does not come
    /// before them: their stacks begin there.
    pub(super) fn stacks(
        &self,
        natives: &Natives<'a>,
        stacks: &mut Stacks,
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) -> (Vec<StackId>, u64) {
        let table = self.either(STACKS, "frame");
        let (frames, prefixes) = (table.column("frame"), table.column("prefix"));
        let offsets = table.column("prefixOffset");
        let leaves = self.name_frames(Role::Leaf, natives, names, samples);
        let callers = match self.has_return_addresses {
            true => self.name_frames(Role::Caller, natives, names, samples),
            false => leaves,
        };
        // For each row: the stack that ends there, and the stack that its callees extend.
        let mut ids: Vec<StackId> = Vec::with_capacity(frames.len());
        let mut calling: Vec<StackId> = Vec::new();
        let mut callerless = 0;
        for row in 0..frames.len() {
            // A caller comes before its callees.
            let before = |offset: i64| (row as i64).checked_sub(offset);
            let offset = offsets.get(row).filter(|offset| *offset != 0).and_then(before);
            // As in other columns, -1 means null.
            let prefix = prefixes.get(row).filter(|prefix| *prefix != -1).or(offset);
            let number = prefix.and_then(|prefix| usize::try_from(prefix).ok());
            let below = if self.has_return_addresses { &calling } else { &ids };
            let below = number.and_then(|prefix| below.get(prefix).copied());
            callerless += u64::from(prefix.is_some() && below.is_none());
            let below = below.unwrap_or(Stacks::EMPTY);
            ids.push(stacks.call(below, leaves.number(frames.row(row))));
            if self.has_return_addresses {
                calling.push(stacks.call(below, callers.number(frames.row(row))));
            }
        }
        (ids, callerless)
    }

    /// Hands every address without a name to `each`, with its library.
    pub(super) fn for_each_native(&self, mut each: impl FnMut(&'a Lib, u64)) {
        let roles = [Role::Leaf, Role::Caller];
        let roles = &roles[..if self.has_return_addresses { 2 } else { 1 }];
        let gecko = self.either(FRAMES, "location");
        let frames = self.either(FRAMES, "func");
        for &role in roles {
            for row in 0..gecko.column("location").len() {
                let location = self.string(gecko.column("location").row(row));
                if let Some((lib, address)) = self.native_location(location, role) {
                    each(lib, address);
                }
            }
            for row in 0..frames.column("func").len() {
                if let Some((lib, address)) = self.native(frames, row, role) {
                    each(lib, address);
                }
            }
        }
    }

    /// The own table, or the shared one where the own has no such column.
    fn either(&self, table: usize, column: &str) -> &'a Table {
        let own = &self.own.tables[table];
        if own.has(column) { own } else { &self.shared.tables[table] }
    }

    /// A string; empty if there is none.
    pub(super) fn string(&self, number: Option<usize>) -> &'a [u8] {
        let own = !self.own.strings.is_empty();
        let strings = if own { &self.own.strings } else { &self.shared.strings };
        number.and_then(|number| strings.get(number)).map_or(&[], |string| &string[..])
    }

    /// Names all frames, as they are in this role.
    fn name_frames(
        &self,
        role: Role,
        natives: &Natives<'a>,
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) -> Rows {
        let first = names.len();
        let gecko = self.either(FRAMES, "location");
        for row in 0..gecko.column("location").len() {
            let location = self.string(gecko.column("location").row(row));
            match self.native_location(location, role) {
                Some((lib, address)) => {
                    names.push_named(natives.frames(lib, address), &lib.name, samples);
                }
                None => names.push(&frame_of(location), samples),
            }
        }
        let frames = self.either(FRAMES, "func");
        for row in 0..frames.column("func").len() {
            self.push_frame(frames, row, role, natives, names, samples);
        }
        let len = gecko.column("location").len() + frames.column("func").len();
        // For frames that are not in their table.
        names.push(&Frame::default(), samples);
        Rows { first, len }
    }

    /// Names a frame of a processed profile.
    fn push_frame(
        &self,
        frames: &Table,
        row: usize,
        role: Role,
        natives: &Natives<'a>,
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) {
        if let Some((lib, address)) = self.native(frames, row, role) {
            return names.push_named(natives.frames(lib, address), &lib.name, samples);
        }
        let function = Function { tables: self, row: frames.column("func").row(row) };
        let number = |column: &str| u64::try_from(frames.column(column).get(row)?).ok();
        let mut place = Place::new(function.file(), number("line"));
        place.column = number("column");
        let inlined = frames.column("inlineDepth").get(row).unwrap_or(0) > 0;
        let (mut name, source) = (Cow::Borrowed(function.name()), place.text());
        if samples.wants.frames.annotate {
            // stack-export writes the marks of frames into a column of their own.
            match self.string(frames.column("marks").row(row)) {
                b"" => {}
                marks => name.to_mut().extend_from_slice(marks),
            }
        }
        let name = &*name;
        let frame = match self.lib(frames, row, function) {
            // Without an address, it is only known by its library.
            Some(lib) if address(name).is_some() => Frame { object: &lib.name, ..Frame::default() },
            _ => Frame { name, ..Frame::default() },
        };
        names.push(&Frame { source, inlined, ..frame }, samples);
    }

    /// The library and the address of a frame whose function has only an address as its name, as it
    /// does without symbols.
    fn native(&self, frames: &Table, row: usize, role: Role) -> Option<(&'a Lib, u64)> {
        let function = Function { tables: self, row: frames.column("func").row(row) };
        address(function.name())?;
        let lib = self.lib(frames, row, function)?;
        let address = u64::try_from(frames.column("address").get(row)?).ok()?;
        Some((lib, self.in_call(address, role)))
    }

    /// The library of a frame: newer versions have it in the frame, older ones in the function.
    fn lib(&self, frames: &Table, row: usize, function: Function<'_, 'a>) -> Option<&'a Lib> {
        let resources = self.either(RESOURCES, "lib");
        let of_function = || resources.column("lib").row(function.number("resource")?);
        self.libs.get(frames.column("lib").row(row).or_else(of_function)?)
    }

    /// The library and the address of a frame of Gecko: `0x100000f84`.
    fn native_location(&self, location: &[u8], role: Role) -> Option<(&'a Lib, u64)> {
        let address = address(location)?;
        let within = |lib: &'a Lib| Some((lib, lib.address_in(address)?));
        let (lib, address) = self.libs.iter().find_map(within)?;
        Some((lib, self.in_call(address, role)))
    }

    /// An address in the call itself: one less than the return address of a caller.
    fn in_call(&self, address: u64, role: Role) -> u64 {
        let is_after = self.has_return_addresses && role == Role::Caller;
        address.saturating_sub(u64::from(is_after))
    }
}

/// A row of the table of functions.
#[derive(Clone, Copy)]
struct Function<'t, 'a> {
    tables: &'t Both<'a>,
    row: Option<usize>,
}

impl<'a> Function<'_, 'a> {
    fn number(self, column: &str) -> Option<usize> {
        let functions = self.tables.either(FUNCTIONS, "name");
        functions.column(column).row(self.row?)
    }

    fn name(self) -> &'a [u8] {
        self.tables.string(self.number("name"))
    }

    /// Its file: a string, or since version 58 a row of a table.
    fn file(self) -> &'a [u8] {
        let source = || {
            let sources = self.tables.either(SOURCES, "filename");
            sources.column("filename").row(self.number("source")?)
        };
        self.tables.string(self.number("fileName").or_else(source))
    }
}

/// A frame of Gecko that is in no library: `(root)`, `0x7f01`, `f (chrome://blargh:34)`.
fn frame_of(location: &[u8]) -> Frame<'_> {
    if let Some(address) = address(location) {
        return Frame { address: Some(address), ..Frame::default() };
    }
    let (name, source) = split_place(location).unwrap_or((location, b""));
    Frame { name, source, ..Frame::default() }
}

/// `f (chrome://blargh:34)` as its name and place.
fn split_place(location: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, place) = location.strip_suffix(b")")?.rsplit_once_str(b" (")?;
    let (_, line) = place.rsplit_once_str(b":")?;
    let is_line = is_digits(line);
    (is_line && !name.is_empty()).then_some((name, place))
}

/// `0x100000f84`
fn address(name: &[u8]) -> Option<u64> {
    let digits = name.strip_prefix(b"0x")?.to_str().ok()?;
    u64::from_str_radix(digits, 16).ok()
}

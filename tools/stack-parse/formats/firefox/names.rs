//! From the tables of a profile to stacks with names.

use bstr::ByteSlice;
use std::io::Read;

use common::{Result, is_digits};

use super::table::Table;
use crate::frame::Frame;
use crate::read::json::Json;
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;

/// What may be a thread's own or shared by all.
#[derive(Default)]
pub(super) struct Tables {
    stacks: Table,
    frames: Table,
    functions: Table,
    resources: Table,
    sources: Table,
    strings: Vec<Vec<u8>>,
}

impl Tables {
    /// Reads an object of tables.
    pub(super) fn read_all<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        if json.begin_object()? {
            while let Some(table) = json.next_key()?.map(Name::of) {
                self.read(table, json)?;
            }
        }
        Ok(())
    }

    /// Whether there is a table of stacks.
    pub(super) fn has_stacks(&self) -> bool {
        self.stacks.has("frame")
    }

    /// All tables but the strings.
    pub(super) fn all(&self) -> [&Table; 5] {
        [&self.stacks, &self.frames, &self.functions, &self.resources, &self.sources]
    }

    /// Reads the table of this name.
    pub(super) fn read<R: Read>(&mut self, name: Name, json: &mut Json<R>) -> Result<()> {
        match name {
            Name::Stacks => self.stacks.read(json),
            Name::Frames => self.frames.read(json),
            Name::Functions => self.functions.read(json),
            Name::Resources => self.resources.read(json),
            Name::Sources => self.sources.read(json),
            Name::Strings => json.for_each(|json| {
                self.strings.push(json.text()?.unwrap_or_default().to_vec());
                Ok(())
            }),
            Name::Other => Ok(()),
        }
    }
}

/// The name of a table.
#[derive(Clone, Copy)]
pub(super) enum Name {
    Stacks,
    Frames,
    Functions,
    Resources,
    Sources,
    Strings,
    Other,
}

impl Name {
    pub(super) fn of(key: &[u8]) -> Name {
        match key {
            b"stackTable" => Name::Stacks,
            b"frameTable" => Name::Frames,
            b"funcTable" => Name::Functions,
            b"resourceTable" => Name::Resources,
            b"sources" => Name::Sources,
            b"stringArray" | b"stringTable" => Name::Strings,
            _ => Name::Other,
        }
    }
}

/// A library, and where it was in memory.
#[derive(Default)]
pub(super) struct Lib {
    pub(super) name: Vec<u8>,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The tables of a thread and those of all.
pub(super) struct Both<'a> {
    pub(super) own: &'a Tables,
    pub(super) shared: &'a Tables,
}

impl<'a> Both<'a> {
    /// The stacks of all rows of the stack table, and how many of them have callers that do not
    /// come before them in it: those begin there.
    pub(super) fn stacks(
        &self,
        libs: &[Lib],
        stacks: &mut Stacks,
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) -> (Vec<StackId>, u64) {
        let table = self.either(|tables| &tables.stacks, "frame");
        let (frames, prefixes) = (table.column("frame"), table.column("prefix"));
        let offsets = table.column("prefixOffset");
        let first = names.len();
        let rows = self.name_frames(libs, names, samples);
        // For frames that are not in their table.
        names.push(&Frame::default(), samples);
        let mut ids: Vec<StackId> = Vec::with_capacity(frames.len());
        let mut callerless = 0;
        for row in 0..frames.len() {
            // A caller stands before those it calls.
            let before = |offset: i64| (row as i64).checked_sub(offset);
            let offset = offsets.get(row).filter(|offset| *offset != 0).and_then(before);
            // As in other columns, -1 means null.
            let prefix = prefixes.get(row).filter(|prefix| *prefix != -1).or(offset);
            let number = prefix.and_then(|prefix| usize::try_from(prefix).ok());
            let callers = number.and_then(|prefix| ids.get(prefix).copied());
            callerless += u64::from(prefix.is_some() && callers.is_none());
            let frame = frames.row(row).unwrap_or(rows).min(rows);
            ids.push(stacks.call(callers.unwrap_or(Stacks::EMPTY), (first + frame) as u32));
        }
        (ids, callerless)
    }

    /// The own table, or the shared one where the own has no such column.
    fn either(&self, table: impl Fn(&'a Tables) -> &'a Table, column: &str) -> &'a Table {
        let own = table(self.own);
        if own.has(column) { own } else { table(self.shared) }
    }

    fn string(&self, number: Option<usize>) -> &'a [u8] {
        let own = !self.own.strings.is_empty();
        let strings = if own { &self.own.strings } else { &self.shared.strings };
        number.and_then(|number| strings.get(number)).map_or(&[], |string| &string[..])
    }

    /// Names all frames; returns how many there are.
    fn name_frames(
        &self,
        libs: &[Lib],
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) -> usize {
        let gecko = self.either(|tables| &tables.frames, "location");
        for row in 0..gecko.column("location").len() {
            let location = self.string(gecko.column("location").row(row));
            push_location(location, libs, names, samples);
        }
        let frames = self.either(|tables| &tables.frames, "func");
        for row in 0..frames.column("func").len() {
            self.push_frame(frames, row, libs, names, samples);
        }
        gecko.column("location").len() + frames.column("func").len()
    }

    /// Names a frame of a processed profile.
    fn push_frame(
        &self,
        frames: &Table,
        row: usize,
        libs: &[Lib],
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) {
        let functions = self.either(|tables| &tables.functions, "name");
        let function = frames.column("func").row(row);
        let of_function = |column: &str| functions.column(column).row(function?);
        let mut place = Place::default();
        place.set_file(self.file(&of_function));
        let number = |column: &str| u64::try_from(frames.column(column).get(row)?).ok();
        (place.line, place.column) = (number("line"), number("column"));
        let name = self.string(of_function("name"));
        let inlined = frames.column("inlineDepth").get(row).unwrap_or(0) > 0;
        let resources = self.either(|tables| &tables.resources, "lib");
        let lib = of_function("resource").and_then(|row| resources.column("lib").row(row));
        let source = place.text();
        match (lib.and_then(|lib| libs.get(lib)), address(name)) {
            // Without symbols, such a function is called after its address.
            (Some(lib), Some(_)) => {
                let offset = number("address");
                let frame = Frame { object: &lib.name, offset, inlined, ..Frame::default() };
                names.push(&Frame { source, ..frame }, samples);
            }
            _ => names.push(&Frame { name, source, inlined, ..Frame::default() }, samples),
        }
    }

    /// The file of a function: a string, or since version 58 a row of a table.
    fn file(&self, of_function: &impl Fn(&str) -> Option<usize>) -> &'a [u8] {
        let source = || {
            let sources = self.either(|tables| &tables.sources, "filename");
            sources.column("filename").row(of_function("source")?)
        };
        self.string(of_function("fileName").or_else(source))
    }
}

/// Names a frame of Gecko: `(root)`, `0x100000f84`, `f (chrome://blargh:34)`.
fn push_location(location: &[u8], libs: &[Lib], names: &mut FrameNames, samples: &mut Samples<'_>) {
    if let Some(address) = address(location) {
        let lib = libs.iter().find(|lib| (lib.start..lib.end).contains(&address));
        let frame = match lib {
            Some(lib) => {
                Frame { object: &lib.name, offset: Some(address - lib.start), ..Frame::default() }
            }
            None => Frame { address: Some(address), ..Frame::default() },
        };
        return names.push(&frame, samples);
    }
    let (name, source) = split_place(location).unwrap_or((location, b""));
    names.push(&Frame { name, source, ..Frame::default() }, samples);
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

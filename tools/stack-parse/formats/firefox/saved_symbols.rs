//! Names that samply wrote to `NAME.syms.json` beside a profile, if it was asked to look them up
//! while recording. Grammar from the structures that samply reads it into.
//!
//! ```text
//! {"string_table":["main","/src/main.c"],
//!  "data":[{"debug_name":"demo","debug_id":"3E0A…0","code_id":"6326…",
//!    "symbol_table":[{"rva":4096,"size":80,"symbol":0,
//!      "frames":[{"function":0,"file":1,"line":7}]}],
//!    "known_addresses":[[4112,0]]}]}
//! ```
//!
//! Frames of one address are innermost first, the function that has the code last.
//!
//! Released versions (0.13.1) have one entry for each function, whose frames are those of its
//! lowest known address, though its other addresses refer to it as well. Later ones have an entry
//! for each sequence of frames, before the names went into the profile itself.

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use common::{Result, reason};

use super::libs::Lib;
use crate::frame::Frame;
use crate::read::json::Json;
use crate::read::source::Place;

/// The names of addresses in libraries.
#[derive(Debug, Default)]
pub(super) struct SavedSymbols {
    libs: Vec<SavedLib>,
    strings: Vec<Vec<u8>>,
    /// The name of the file; empty if there is none.
    pub(super) name: String,
    /// Why the file could not be read, or not to its end.
    pub(super) trouble: Option<String>,
}

#[derive(Debug, Default)]
struct SavedLib {
    debug_id: Vec<u8>,
    code_id: Vec<u8>,
    symbols: Vec<SavedSymbol>,
    /// By address, the number of its symbol.
    known: HashMap<u64, usize>,
    /// Whether functions have an entry for each sequence of frames, not one for all.
    by_frames: bool,
}

#[derive(Debug, Default)]
struct SavedSymbol {
    /// Where the function begins.
    start: Option<u64>,
    name: usize,
    /// The lowest address that refers to it.
    lowest: Option<u64>,
    /// Innermost first; empty if only the symbol is known.
    frames: Vec<SavedFrame>,
}

#[derive(Debug, Default)]
struct SavedFrame {
    function: Option<usize>,
    file: Option<usize>,
    line: Option<u64>,
}

impl SavedSymbols {
    /// Reads the file beside a profile, if there is one.
    pub(super) fn beside(profile: Option<&Path>) -> SavedSymbols {
        let mut saved = SavedSymbols::default();
        let files = profile.map(names).unwrap_or_default();
        for file in files {
            match fs::read(&file) {
                Ok(bytes) => {
                    saved.name = file.display().to_string();
                    let read = saved.read(&mut Json::named(saved.name.clone(), &bytes[..]));
                    saved.trouble = read.err().map(|error| error.to_string());
                    return saved;
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    saved.trouble = Some(format!("{}: {}", file.display(), reason(&error)));
                }
            }
        }
        saved
    }

    fn read<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        if !json.next_document()? || !json.begin_object()? {
            return Err(json.unexpected("the symbols that samply saves"));
        }
        while let Some(key) = json.next_key()? {
            match key {
                b"string_table" => json.read_texts(&mut self.strings)?,
                b"data" => json.for_each(|json| {
                    self.libs.push(SavedLib::default());
                    self.libs.last_mut().map_or(Ok(()), |lib| lib.read(json))
                })?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether there is a file, and it has none of these libraries.
    pub(super) fn is_of_others<'l>(&self, mut libs: impl Iterator<Item = &'l Lib>) -> bool {
        !self.libs.is_empty() && libs.all(|lib| self.lib(lib).is_none())
    }

    /// Hands the frames at an address of a library to `each`, root first; none if they were not
    /// saved.
    pub(super) fn frames(&self, lib: &Lib, address: u64, mut each: impl FnMut(&Frame<'_>)) {
        let Some((saved, symbol)) = self.symbol(lib, address) else { return };
        let has_frames = !symbol.frames.is_empty();
        if has_frames && !saved.by_frames && symbol.lowest != Some(address) {
            return;
        }
        let own = SavedFrame { function: Some(symbol.name), ..SavedFrame::default() };
        let frames = if has_frames { &symbol.frames } else { &[own][..] };
        for (depth, frame) in frames.iter().rev().enumerate() {
            let file = frame.file.map_or(&b""[..], |file| self.string(file));
            let mut place = Place::new(file, frame.line);
            let name = self.string(frame.function.unwrap_or(symbol.name));
            each(&Frame { name, source: place.text(), inlined: depth > 0, ..Frame::default() });
        }
    }

    /// The name of the function that has the code at an address of a library; empty if it was not
    /// saved.
    pub(super) fn function(&self, lib: &Lib, address: u64) -> &[u8] {
        self.symbol(lib, address).map_or(b"", |(_, symbol)| {
            let outermost = symbol.frames.last().and_then(|frame| frame.function);
            self.string(outermost.unwrap_or(symbol.name))
        })
    }

    fn symbol(&self, lib: &Lib, address: u64) -> Option<(&SavedLib, &SavedSymbol)> {
        let saved = self.lib(lib)?;
        Some((saved, saved.symbols.get(*saved.known.get(&address)?)?))
    }

    fn lib(&self, lib: &Lib) -> Option<&SavedLib> {
        let (code_id, debug_id) = (&lib.code_id, plain_debug_id(&lib.debug_id));
        let is_known = |id: &[u8]| id.iter().any(|digit| *digit != b'0');
        self.libs.iter().find(|saved| {
            is_known(code_id) && saved.code_id.eq_ignore_ascii_case(code_id)
                || is_known(&debug_id) && saved.debug_id == debug_id
        })
    }

    fn string(&self, index: usize) -> &[u8] {
        self.strings.get(index).map_or(&b""[..], |it| &it[..])
    }
}

/// The id as Breakpad writes it: samply writes `3e0a2663-466e-57db-abf7-18f6a3562c6e` here, and
/// `3E0A2663466E57DBABF718F6A3562C6E0` in a profile. The number at the end is 0 if it is missing.
fn plain_debug_id(id: &[u8]) -> Vec<u8> {
    const DIGITS: usize = 32;
    let mut id: Vec<u8> = id.to_ascii_uppercase();
    id.retain(|digit| *digit != b'-');
    if id.len() == DIGITS {
        id.push(b'0');
    }
    id
}

impl SavedLib {
    fn read<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"debug_id" => self.debug_id = plain_debug_id(json.text()?.unwrap_or_default()),
                b"code_id" => self.code_id = json.text()?.unwrap_or_default().to_vec(),
                b"symbol_table" => json.for_each(|json| {
                    self.symbols.push(SavedSymbol::read(json)?);
                    Ok(())
                })?,
                b"known_addresses" => json.for_each(|json| self.read_known(json))?,
                _ => {}
            }
        }
        self.find_shared();
        Ok(())
    }

    /// Reads an address and the number of its symbol.
    fn read_known<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        let mut pair = Vec::new();
        json.for_each(|json| {
            pair.push(json.integer()?);
            Ok(())
        })?;
        if let [Some(address), Some(symbol)] = pair[..] {
            self.known.insert(address, index(symbol));
        }
        Ok(())
    }

    /// Finds out whether symbols have frames for each sequence, and the lowest address of each.
    fn find_shared(&mut self) {
        let mut starts: Vec<u64> = self.symbols.iter().filter_map(|it| it.start).collect();
        let all = starts.len();
        starts.sort_unstable();
        starts.dedup();
        self.by_frames = starts.len() < all;
        for (&address, &symbol) in &self.known {
            if let Some(symbol) = self.symbols.get_mut(symbol) {
                symbol.lowest = Some(symbol.lowest.map_or(address, |it| it.min(address)));
            }
        }
    }
}

impl SavedSymbol {
    fn read<R: Read>(json: &mut Json<R>) -> Result<SavedSymbol> {
        let mut symbol = SavedSymbol { name: usize::MAX, ..SavedSymbol::default() };
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"rva" => symbol.start = json.integer()?,
                b"symbol" => symbol.name = json.integer()?.map_or(usize::MAX, index),
                b"frames" => json.for_each(|json| {
                    symbol.frames.push(SavedFrame::read(json)?);
                    Ok(())
                })?,
                _ => {}
            }
        }
        Ok(symbol)
    }
}

impl SavedFrame {
    fn read<R: Read>(json: &mut Json<R>) -> Result<SavedFrame> {
        let mut frame = SavedFrame::default();
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key {
                b"function" => frame.function = json.integer()?.map(index),
                b"file" => frame.file = json.integer()?.map(index),
                b"line" => frame.line = json.integer()?,
                _ => {}
            }
        }
        Ok(frame)
    }
}

/// An index into a table; beyond the end of any table if it does not fit.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// What the file beside a profile may be called: `p.syms.json` for `p.json`, and for
/// `p.json.gz` either that or `p.json.syms.json`.
fn names(profile: &Path) -> Vec<PathBuf> {
    let mut names = vec![profile.with_extension("syms.json")];
    if profile.extension().is_some_and(|it| it == "gz") {
        names.push(profile.with_extension("").with_extension("syms.json"));
    }
    names
}

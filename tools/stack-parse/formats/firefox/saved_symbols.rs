//! Names that samply wrote beside a profile, to `NAME.syms.json`, when it was told to look them
//! up while it recorded. Grammar from the structures that samply reads it into.
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

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use common::Result;

use super::native::Lib;
use crate::frame::Frame;
use crate::read::json::Json;
use crate::read::source::Place;

/// The names of addresses in libraries.
#[derive(Debug, Default)]
pub(super) struct SavedSymbols {
    libs: Vec<SavedLib>,
    strings: Vec<Vec<u8>>,
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
}

#[derive(Debug, Default)]
struct SavedSymbol {
    name: usize,
    /// Innermost first; none if only the symbol is known.
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
                    let name = file.display().to_string();
                    let read = saved.read(&mut Json::named(name, &bytes[..]));
                    saved.trouble = read.err().map(|error| error.to_string());
                    return saved;
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => saved.trouble = Some(format!("{}: {error}", file.display())),
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
                b"string_table" => json.for_each(|json| {
                    self.strings.push(json.text()?.unwrap_or_default().to_vec());
                    Ok(())
                })?,
                b"data" => json.for_each(|json| {
                    self.libs.push(SavedLib::default());
                    self.libs.last_mut().map_or(Ok(()), |lib| lib.read(json))
                })?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Hands the frames at an address of a library to `each`, root first; none if they were not
    /// saved.
    pub(super) fn frames(&self, lib: &Lib, address: u64, mut each: impl FnMut(&Frame<'_>)) {
        let Some(symbol) = self.symbol(lib, address) else { return };
        let string = |index: usize| self.strings.get(index).map_or(&b""[..], |it| &it[..]);
        let own = SavedFrame { function: Some(symbol.name), ..SavedFrame::default() };
        let frames = if symbol.frames.is_empty() { &[own][..] } else { &symbol.frames };
        let mut place = Place::default();
        for (depth, frame) in frames.iter().rev().enumerate() {
            place.set_file(frame.file.map_or(b"", string));
            place.line = frame.line;
            let name = string(frame.function.unwrap_or(symbol.name));
            each(&Frame { name, source: place.text(), inlined: depth > 0, ..Frame::default() });
        }
    }

    fn symbol(&self, lib: &Lib, address: u64) -> Option<&SavedSymbol> {
        let is_same = |one: &[u8], other: &[u8]| !one.is_empty() && one == other;
        let saved = self.libs.iter().find(|saved| {
            is_same(&saved.code_id, &lib.code_id) || is_same(&saved.debug_id, &lib.debug_id)
        })?;
        saved.symbols.get(*saved.known.get(&address)?)
    }
}

impl SavedLib {
    fn read<R: Read>(&mut self, json: &mut Json<R>) -> Result<()> {
        if !json.begin_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            match key {
                b"debug_id" => self.debug_id = json.text()?.unwrap_or_default().to_vec(),
                b"code_id" => self.code_id = json.text()?.unwrap_or_default().to_vec(),
                b"symbol_table" => json.for_each(|json| {
                    self.symbols.push(SavedSymbol::read(json)?);
                    Ok(())
                })?,
                b"known_addresses" => json.for_each(|json| {
                    let mut pair = Vec::new();
                    json.for_each(|json| {
                        pair.push(json.integer()?);
                        Ok(())
                    })?;
                    if let [Some(address), Some(symbol)] = pair[..] {
                        self.known.insert(address, index(symbol));
                    }
                    Ok(())
                })?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl SavedSymbol {
    fn read<R: Read>(json: &mut Json<R>) -> Result<SavedSymbol> {
        let mut symbol = SavedSymbol { name: usize::MAX, frames: Vec::new() };
        if !json.begin_object()? {
            return Ok(symbol);
        }
        while let Some(key) = json.next_key()? {
            match key {
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
        if !json.begin_object()? {
            return Ok(frame);
        }
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

/// A place in a table; beyond its end if it is too large for any.
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

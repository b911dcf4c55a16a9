//! The functions of an executable: symbol, name and line.

use std::collections::HashSet;
use std::path::Path;

use memchr::memchr_iter;

use crate::binary::dwarf::Sections;
use crate::binary::executable::{Code, Executable, Unreadable};
use crate::binary::ocaml_frames::{self, Function, is_ocaml};
use crate::ocaml::{self, Stamps};
use crate::{Error, Result, cpp, read_whole, rust};

/// What an executable says about its functions.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// Sorted by address, then symbol.
    pub functions: Vec<Symbol>,
    /// Why there are no exact names of OCaml, if there are none.
    pub no_ocaml: Option<Unreadable>,
    /// True if and only if no functions are known but those that the
    /// executable exports.
    pub stripped: bool,
}

/// A function of an executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// As the compiler mangled it.
    pub symbol: Vec<u8>,
    /// Where its code begins.
    pub address: u64,
    /// What the symbol does not tell.
    pub exact: Option<ExactName>,
    /// A line of it.
    pub source: Option<Source>,
}

/// What the frame tables tell about the name of an OCaml function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExactName {
    /// Its name, as OCaml's backtraces have it, but for the unit, which is
    /// written as a path: `Stdlib.Map.Make.add`, `Lwtsim.pipeline.(fun)`.
    Known(Vec<u8>),
    /// It is anonymous and makes no calls, so the tables do not have it; this
    /// function stands before it and is likely to hold it.
    Within(Vec<u8>),
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// As the compiler was given it, or its full path.
    pub file: Vec<u8>,
    /// From 1.
    pub line: u32,
}

impl Source {
    /// `file:line`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.file[..], format!(":{}", self.line).as_bytes()].concat()
    }
}

/// Whether the lines of functions without frame tables are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dwarf {
    /// Read them, which takes time.
    Read,
    /// Leave them out.
    Skip,
}

impl Symbols {
    /// Reads an executable.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with what the system says, [`Error::Unknown`] if it is
    /// no executable with symbols.
    pub fn read(path: &Path, dwarf: Dwarf) -> Result<Symbols> {
        let bytes = read_whole(path)?;
        let unknown = |why: Unreadable| Error::Unknown {
            name: path.display().to_string(),
            what: why.to_string(),
        };
        Symbols::parse(&bytes, dwarf).map_err(unknown)
    }

    /// Reads the bytes of an executable.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says what they are instead.
    pub fn parse(bytes: &[u8], dwarf: Dwarf) -> Result<Symbols, Unreadable> {
        let executable = Executable::parse(bytes)?;
        let code = executable.code();
        if !code.iter().any(|code| code.is_function) {
            return Err(Unreadable::NoFunctions);
        }
        let calls = ocaml_frames::calls(&executable);
        let no_ocaml = calls.as_ref().err().copied();
        let functions = ocaml_frames::functions(&code, &calls.unwrap_or_default());
        let mut found = Vec::new();
        let mut enclosing = Enclosing::default();
        for (index, code) in code.iter().enumerate() {
            let function = functions.get(&index);
            let exact = enclosing.name(code, function);
            let source = function.map(|it| Source { file: it.file.to_vec(), line: it.line });
            let Code { address, symbol, .. } = *code;
            found.push((
                code.is_function,
                Symbol { symbol: symbol.to_vec(), address, exact, source },
            ));
        }
        let mut functions = with_aliases(found);
        if dwarf == Dwarf::Read {
            add_lines(&executable, &mut functions);
        }
        Ok(Symbols { functions, no_ocaml, stripped: executable.is_stripped() })
    }
}

impl Symbol {
    /// The readable name of an OCaml function, `None` if it is none.
    ///
    /// An exact name says where an anonymous function stands, so it keeps a
    /// stamp only with [`Stamps::Keep`]; one that is only likely keeps it as
    /// [`Stamps`] says.
    #[must_use]
    pub fn ocaml_name(&self, stamps: Stamps) -> Option<Vec<u8>> {
        let stamp = || stamp(&self.symbol).map_or(Vec::new(), |stamp| [b"/", stamp].concat());
        match &self.exact {
            Some(ExactName::Known(name)) if stamps == Stamps::Keep => {
                Some([name, &stamp()[..]].concat())
            }
            Some(ExactName::Known(name)) => Some(name.clone()),
            Some(ExactName::Within(name)) => {
                let stamp = if stamps == Stamps::Drop { Vec::new() } else { stamp() };
                Some([name, &b".(fun"[..], &stamp, b")"].concat())
            }
            None => {
                let mut name = Vec::new();
                let known =
                    is_ocaml(&self.symbol) && ocaml::demangle(&self.symbol, stamps, &mut name);
                known.then_some(name)
            }
        }
    }

    /// The readable name, whatever the language.
    #[must_use]
    pub fn name(&self) -> Vec<u8> {
        if let Some(name) = self.ocaml_name(Stamps::Anonymous) {
            return name;
        }
        let mut name = Vec::new();
        let known = if rust::is_rust(&self.symbol) {
            rust::demangle(&self.symbol, &mut name)
        } else {
            cpp::demangle(&self.symbol, &mut name)
        };
        if known { name } else { self.symbol.clone() }
    }
}

/// `342` of `camlStdlib__List__map_342`.
fn stamp(symbol: &[u8]) -> Option<&[u8]> {
    let digits = symbol.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (name, stamp) = symbol.split_at(symbol.len() - digits);
    (digits > 0 && name.ends_with(b"_")).then_some(stamp)
}

/// The function that those behind it are likely to stand in: `ocamlopt` emits
/// a function, then the anonymous functions in it.
#[derive(Default)]
struct Enclosing {
    name: Option<Vec<u8>>,
}

impl Enclosing {
    /// The exact name of the code that comes next.
    fn name(&mut self, code: &Code, function: Option<&Function>) -> Option<ExactName> {
        if !is_ocaml(code.symbol) {
            return None;
        }
        if !code.is_function {
            // A unit begins or ends.
            self.name = None;
            return None;
        }
        if let Some(function) = function {
            let mut name = Vec::new();
            ocaml::write_backtrace_name(function.name, &mut name);
            self.name = Some(without_anonymous(&name).to_vec());
            return Some(ExactName::Known(name));
        }
        let mut flat = Vec::new();
        if !ocaml::demangle(code.symbol, Stamps::Drop, &mut flat) {
            return None;
        }
        if flat.ends_with(b".(fun)") {
            return self.name.clone().map(ExactName::Within);
        }
        self.name = Some(flat);
        None
    }
}

/// `Lwtsim.run` of `Lwtsim.run.(fun)`, and `Lwtsim` of `Lwtsim.(toplevel)`.
fn without_anonymous(name: &[u8]) -> &[u8] {
    let mut name = name.strip_suffix(ocaml::TOPLEVEL).unwrap_or(name);
    while let Some(outer) = name.strip_suffix(b".(fun)") {
        name = outer;
    }
    name
}

/// The functions, and the marks of OCaml that stand where one begins: perf
/// prints the longest symbol of an address, so `Domains.code_begin` for what is
/// `Domains.work`.
fn with_aliases(found: Vec<(bool, Symbol)>) -> Vec<Symbol> {
    let mut functions = Vec::new();
    for same in found.chunk_by(|(_, one), (_, next)| one.address == next.address) {
        let named = |exact: bool| {
            same.iter().find(|(is_function, symbol)| {
                *is_function && is_ocaml(&symbol.symbol) && (symbol.exact.is_some() || !exact)
            })
        };
        let original = named(true).or_else(|| named(false)).map(|(_, original)| original);
        for (is_function, symbol) in same {
            match original {
                _ if *is_function => functions.push(symbol.clone()),
                Some(original) if is_ocaml(&symbol.symbol) => functions.push(Symbol {
                    symbol: symbol.symbol.clone(),
                    exact: original.ocaml_name(Stamps::Anonymous).map(ExactName::Known),
                    ..original.clone()
                }),
                _ => {}
            }
        }
    }
    functions.sort_by(|a, b| (a.address, &a.symbol).cmp(&(b.address, &b.symbol)));
    functions
}

/// Adds the lines that the frame tables do not have.
fn add_lines(executable: &Executable, functions: &mut [Symbol]) {
    let Some(sections) = Sections::of(executable) else { return };
    let Some(lines) = sections.lines() else { return };
    let ocaml_files: HashSet<Vec<u8>> =
        functions.iter().filter_map(|it| Some(it.source.as_ref()?.file.clone())).collect();
    for function in functions.iter_mut().filter(|function| function.source.is_none()) {
        function.source = lines.source(function.address);
        if let Some(source) = function.source.as_mut().filter(|_| is_ocaml(&function.symbol)) {
            shorten(&mut source.file, &ocaml_files);
        }
    }
}

/// DWARF has `/build/ocaml/stdlib/list.ml`, the frame tables have `list.ml`.
fn shorten(path: &mut Vec<u8>, files: &HashSet<Vec<u8>>) {
    let starts = memchr_iter(b'/', path).map(|slash| slash + 1);
    if let Some(start) = starts.into_iter().find(|&start| files.contains(&path[start..])) {
        path.drain(..start);
    }
}

//! The functions of an executable: symbol, name and line.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use memchr::memrchr;

use crate::binary::dwarf::Sections;
use crate::binary::executable::{Code, Executable, Unreadable};
use crate::binary::ocaml_frames::{
    self, Call, Function, Tables, Told, is_ocaml, without_anonymous,
};
use crate::ocaml::Stamps;
use crate::ocaml::parts::FunctionKind;
use crate::{Error, Result, cpp, read_whole, rust};

/// What an executable says about its functions.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// Sorted by address, then symbol.
    pub functions: Vec<Symbol>,
    /// Why there are no exact names of OCaml, if there are none.
    pub no_ocaml: Option<Unreadable>,
    /// Whether no functions are known but those that the executable exports.
    pub stripped: bool,
}

/// A function of an executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// As the compiler mangled it.
    pub symbol: Vec<u8>,
    /// Where its code begins.
    pub address: u64,
    /// Its name, if it is a function of OCaml.
    pub ocaml: Option<OcamlName>,
    /// The unit of OCaml that it is in, if that was compiled without `-g`.
    pub lacks_g: Option<Vec<u8>>,
    /// Where it is defined, as DWARF has it; without DWARF, its first call.
    pub source: Option<Source>,
}

/// The name of an OCaml function, and how it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OcamlName {
    /// How it is known.
    pub mark: Mark,
    /// Without a stamp: `Stdlib.Map.Make.add`, `Lwtsim.pipeline.(fun)`.
    pub name: Vec<u8>,
    /// The number that makes its symbol unique, if there is one.
    pub stamp: Vec<u8>,
}

/// How the name of a function is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The frame tables have a call that belongs to it: this is what OCaml's
    /// backtraces call it, but the unit is a path.
    Exact,
    /// From its symbol alone: `Lwtsim.run`, which may be in a submodule.
    Symbol,
    /// It is anonymous, and likely to be in the function before `(fun)`.
    Guess,
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
        let (mut symbols, _) = Symbols::of(&executable)?;
        if dwarf == Dwarf::Read {
            add_lines(&executable, &mut symbols.functions);
        }
        Ok(symbols)
    }

    /// Reads the functions of an executable of OCaml without their lines, and all
    /// calls that its frame tables give a place in the source.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says what the bytes are instead.
    pub fn with_calls(bytes: &[u8]) -> Result<(Symbols, Vec<Call<'_>>), Unreadable> {
        let (symbols, calls) = Symbols::of(&Executable::parse(bytes)?)?;
        match symbols.no_ocaml {
            Some(why) => Err(why),
            None => Ok((symbols, calls)),
        }
    }

    fn of<'a>(executable: &Executable<'a>) -> Result<(Symbols, Vec<Call<'a>>), Unreadable> {
        let code = executable.code();
        if !code.iter().any(|code| code.is_function) {
            return Err(Unreadable::NoFunctions);
        }
        let tables = Tables::read(executable);
        let no_ocaml = tables.as_ref().err().copied();
        let mut tables = tables.unwrap_or_default();
        let ocaml = ocaml_frames::Functions::of(&code, &mut tables);
        let mut found = Vec::new();
        let mut enclosing = Enclosing::default();
        for (index, code) in code.iter().enumerate() {
            let function = ocaml.get(index);
            let Code { address, symbol, is_function, .. } = *code;
            let name = enclosing.name(code, function);
            let mut symbol = Symbol::new(symbol, address, name);
            symbol.source = function.and_then(Function::first_call);
            symbol.lacks_g = function.filter(|it| it.lacks_g).map(Function::unit);
            found.push((is_function, symbol));
        }
        let functions = with_aliases(found);
        Ok((Symbols { functions, no_ocaml, stripped: executable.is_stripped() }, tables.calls))
    }
}

impl OcamlName {
    /// The name as [`Stamps`] says.
    ///
    /// An exact name says where an anonymous function stands, so it keeps a
    /// stamp only with [`Stamps::Keep`].
    #[must_use]
    pub fn with(&self, stamps: Stamps) -> Vec<u8> {
        let OcamlName { mark, name, stamp } = self;
        // Anonymous functions that only the symbol names: Foo.(fun), Foo.(fun foo.ml:3)
        let inside = if *mark == Mark::Exact { None } else { anonymous_inside(name) };
        let keeps = match stamps {
            Stamps::Drop => false,
            Stamps::Anonymous => inside.is_some(),
            Stamps::Keep => true,
        };
        match inside {
            _ if !keeps || stamp.is_empty() => name.clone(),
            Some(inside) => [inside, b"/", stamp, b")"].concat(),
            None => [&name[..], b"/", stamp].concat(),
        }
    }
}

/// `Foo.(fun foo.ml:3` of `Foo.(fun foo.ml:3)`.
fn anonymous_inside(name: &[u8]) -> Option<&[u8]> {
    let inside = name.strip_suffix(b")")?;
    let start = memrchr(b'(', inside)?;
    let is_anonymous = inside[start..] == *b"(fun" || inside[start..].starts_with(b"(fun ");
    is_anonymous.then_some(inside)
}

impl Symbol {
    /// A function of which nothing else is known.
    #[must_use]
    pub fn new(symbol: &[u8], address: u64, ocaml: Option<OcamlName>) -> Symbol {
        Symbol { symbol: symbol.to_vec(), address, ocaml, lacks_g: None, source: None }
    }

    /// How its name is known; other languages than OCaml have their symbols.
    #[must_use]
    pub fn mark(&self) -> Mark {
        self.ocaml.as_ref().map_or(Mark::Symbol, |name| name.mark)
    }

    /// The readable name, whatever the language.
    #[must_use]
    pub fn name(&self) -> Vec<u8> {
        if let Some(name) = &self.ocaml {
            return name.with(Stamps::Anonymous);
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

/// How many units are named before they are only counted.
const NAMED: usize = 5;

/// Says that these units of OCaml were compiled without `-g`.
#[must_use]
pub fn without_g(units: &BTreeSet<Vec<u8>>) -> String {
    let named: Vec<_> = units.iter().take(NAMED).map(|it| String::from_utf8_lossy(it)).collect();
    let more = match units.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("compiled without -g, so that fewer names are exact: {}{more}", named.join(", "))
}

/// The function that those behind it are likely to stand in: `ocamlopt` emits
/// a function, then the anonymous functions in it.
#[derive(Default)]
struct Enclosing {
    name: Option<Vec<u8>>,
}

impl Enclosing {
    /// The name of the code that comes next, of which `function` is what is
    /// known if it is a function of OCaml.
    fn name(&mut self, code: &Code, function: Option<&Function>) -> Option<OcamlName> {
        let Some(function) = function else {
            // A unit begins or ends.
            self.name = self.name.take().filter(|_| !is_ocaml(code.symbol));
            return None;
        };
        let stamp = function.symbol.stamp().unwrap_or_default().to_vec();
        let within = |outer: &[u8]| [outer, b".(fun)"].concat();
        let (mark, name) = match (function.told.clone(), function.symbol.function()) {
            (Told::Exactly(name), Some(FunctionKind::Toplevel)) => {
                self.name = None;
                (Mark::Exact, name)
            }
            (Told::Exactly(name), _) => {
                self.name = Some(without_anonymous(&name).to_vec());
                (Mark::Exact, name)
            }
            (Told::Within(outer), _) => (Mark::Guess, within(&outer)),
            (Told::Nothing, kind) => match (kind, &self.name) {
                (Some(FunctionKind::Anonymous), Some(outer)) => (Mark::Guess, within(outer)),
                (kind, _) => {
                    let mut name = Vec::new();
                    function.symbol.write(&mut name);
                    let is_named = matches!(kind, Some(FunctionKind::Named(_)));
                    self.name = is_named.then(|| name.clone());
                    (Mark::Symbol, name)
                }
            },
        };
        Some(OcamlName { mark, name, stamp })
    }
}

/// The functions, and the marks of OCaml that stand where one begins: perf
/// prints the longest symbol of an address, so `Domains.code_begin` for what is
/// `Domains.work`.
fn with_aliases(found: Vec<(bool, Symbol)>) -> Vec<Symbol> {
    let mut functions = Vec::new();
    for same in found.chunk_by(|(_, one), (_, next)| one.address == next.address) {
        let original = same.iter().find(|(_, symbol)| symbol.ocaml.is_some());
        for (is_function, symbol) in same {
            match original {
                _ if *is_function => functions.push(symbol.clone()),
                Some((_, original)) if is_ocaml(&symbol.symbol) => {
                    functions.push(Symbol { symbol: symbol.symbol.clone(), ..original.clone() });
                }
                _ => {}
            }
        }
    }
    functions.sort_by(|a, b| (a.address, &a.symbol).cmp(&(b.address, &b.symbol)));
    functions
}

/// Gives the functions the lines of their definitions.
fn add_lines(executable: &Executable, functions: &mut [Symbol]) {
    let Some(sections) = Sections::of(executable) else { return };
    let Some(lines) = sections.lines() else { return };
    let ocaml = functions.iter().filter(|function| function.ocaml.is_some());
    let ocaml: HashSet<u64> = ocaml.map(|function| function.address).collect();
    let definitions = if ocaml.is_empty() { HashMap::new() } else { lines.definitions(&ocaml) };
    for function in functions {
        let source = match &function.ocaml {
            Some(_) => definitions.get(&function.address).cloned(),
            None => lines.source(function.address),
        };
        function.source = source.or(function.source.take());
    }
}

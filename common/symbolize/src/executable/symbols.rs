//! The functions of an executable: symbol, name and line.

use memchr::memrchr;
use ocaml_demangle::Stamps;
use ocaml_demangle::parts::FunctionKind;

use super::dwarf::DebugSections;
use super::image::{CodeSymbol, Image};
use super::ocaml_frames::{
    Call, Function, Functions, KnownName, Tables, is_ocaml, without_anonymous,
};
use super::source_line::SourceLine;
use super::unreadable::Unreadable;

/// The functions of an executable.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// Sorted by address, then symbol.
    pub functions: Vec<Symbol>,
    /// Why no names of OCaml are exact, if none are.
    pub no_ocaml: Option<Unreadable>,
    /// Whether only the functions that the executable exports are known.
    pub stripped: bool,
}

/// A function of an executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// As the compiler mangled it.
    pub symbol: Vec<u8>,
    /// The address in memory at which its code begins, if the executable is loaded where it
    /// asks to be: at 0 if it is position-independent.
    pub address: u64,
    /// Its name, if it is a function of OCaml.
    pub ocaml: Option<OcamlName>,
    /// The unit of OCaml that it is in, if that was compiled without `-g`.
    pub lacks_g: Option<Vec<u8>>,
    /// Where it is defined, according to DWARF. For functions of OCaml without DWARF, the line of
    /// the first call.
    pub source: Option<SourceLine>,
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
    /// The frame tables have a call that belongs to it: OCaml's backtraces print this name, but
    /// with the unit in another form.
    Exact,
    /// From its symbol, and in OCaml also from the lines around its definition: `Lwtsim.run`, which
    /// may be in a submodule.
    Symbol,
    /// It is anonymous, and probably in the function or module before `(fun)`.
    Guess,
}

/// Which functions get lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    OfOcaml,
    All,
}

impl Symbols {
    /// Reads the functions of an executable. Only functions of OCaml have lines.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says why the bytes are not an executable with functions.
    pub fn parse(executable: &[u8]) -> Result<Symbols, Unreadable> {
        let (symbols, _) = Symbols::of(&Image::parse(executable)?, Lines::OfOcaml)?;
        Ok(symbols)
    }

    /// Reads the functions of an executable with their lines. This takes time, as all debug
    /// information is read.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says why the bytes are not an executable with functions.
    pub fn parse_with_lines(executable: &[u8]) -> Result<Symbols, Unreadable> {
        let (symbols, _) = Symbols::of(&Image::parse(executable)?, Lines::All)?;
        Ok(symbols)
    }

    /// Reads the functions of an executable of OCaml, and all calls for which its frame tables have
    /// a line.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says why the bytes are not an executable of OCaml.
    pub fn parse_with_calls(executable: &[u8]) -> Result<(Symbols, Vec<Call<'_>>), Unreadable> {
        let (symbols, calls) = Symbols::of(&Image::parse(executable)?, Lines::OfOcaml)?;
        match symbols.no_ocaml {
            Some(why) => Err(why),
            None => Ok((symbols, calls)),
        }
    }

    fn of<'a>(
        executable: &Image<'a>,
        lines: Lines,
    ) -> Result<(Symbols, Vec<Call<'a>>), Unreadable> {
        let code = executable.code();
        if !code.iter().any(|code| code.is_function) {
            return Err(Unreadable::NoFunctions);
        }
        let tables = Tables::read(executable);
        let no_ocaml = tables.as_ref().err().copied();
        let mut tables = tables.unwrap_or_default();
        let mut ocaml = Functions::of(&code, &mut tables);
        let addresses = ocaml.addresses();
        let needs_dwarf = lines == Lines::All || !addresses.is_empty();
        let sections = if needs_dwarf { DebugSections::of(executable) } else { None };
        let definitions = sections.as_ref().map(|sections| sections.definitions(&addresses));
        let definitions = definitions.unwrap_or_default();
        ocaml.place(&tables.calls, &definitions);
        let mut found = Vec::new();
        let mut enclosing = Enclosing::default();
        for (index, code) in code.iter().enumerate() {
            let function = ocaml.get(index);
            let CodeSymbol { address, symbol, is_function, .. } = *code;
            let name = enclosing.name(code, function);
            let mut symbol = Symbol::new(symbol, address, name);
            symbol.source = function.and_then(|function| {
                definitions.get(&address).cloned().or_else(|| function.first_call())
            });
            symbol.lacks_g = function.filter(|it| it.lacks_g).map(Function::unit);
            found.push((is_function, symbol));
        }
        let mut functions = with_aliases(found);
        if let (Lines::All, Some(sections)) = (lines, &sections) {
            add_lines(sections, &mut functions);
        }
        Ok((Symbols { functions, no_ocaml, stripped: executable.is_stripped() }, tables.calls))
    }
}

impl OcamlName {
    /// The name, with its stamp as [`Stamps`] says.
    ///
    /// An exact name shows which function an anonymous one is in, so it gets a stamp only with
    /// [`Stamps::Keep`].
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
    /// A function of which only this is known.
    #[must_use]
    pub fn new(symbol: &[u8], address: u64, ocaml: Option<OcamlName>) -> Symbol {
        Symbol { symbol: symbol.to_vec(), address, ocaml, lacks_g: None, source: None }
    }

    /// How its name is known: in languages other than OCaml, always from its symbol.
    #[must_use]
    pub fn mark(&self) -> Mark {
        self.ocaml.as_ref().map_or(Mark::Symbol, |name| name.mark)
    }
}

/// The function that the next ones are probably in: `ocamlopt` emits a function, then the anonymous
/// functions inside of it.
#[derive(Default)]
struct Enclosing {
    name: Option<Vec<u8>>,
}

impl Enclosing {
    /// The name of the next code; `function` is what is known of it if it is a function of OCaml.
    fn name(&mut self, code: &CodeSymbol, function: Option<&Function>) -> Option<OcamlName> {
        let Some(function) = function else {
            // A unit begins or ends.
            self.name = self.name.take().filter(|_| !is_ocaml(code.symbol));
            return None;
        };
        let stamp = function.symbol.stamp().unwrap_or_default().to_vec();
        let within = |outer: &[u8]| [outer, b".(fun)"].concat();
        let (mark, name) = match (function.name.clone(), function.symbol.function()) {
            (KnownName::Exact(name), Some(FunctionKind::Toplevel)) => {
                self.name = None;
                (Mark::Exact, name)
            }
            (KnownName::Exact(name), _) => {
                self.name = Some(without_anonymous(&name).to_vec());
                (Mark::Exact, name)
            }
            (KnownName::Placed(name), _) => {
                self.name = Some(name.clone());
                (Mark::Symbol, name)
            }
            (KnownName::Within(outer), _) => (Mark::Guess, within(&outer)),
            (KnownName::Unknown, kind) => match (kind, &self.name) {
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

/// The functions, and those labels of OCaml that have the address of a function. perf prints the
/// longest symbol of an address, so `Domains.code_begin` for `Domains.work`.
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

/// Sets the lines of functions in languages other than OCaml: those of their definitions.
fn add_lines(sections: &DebugSections, functions: &mut [Symbol]) {
    let Some(lines) = sections.lines() else { return };
    for function in functions.iter_mut().filter(|function| function.ocaml.is_none()) {
        function.source = lines.source(function.address);
    }
}

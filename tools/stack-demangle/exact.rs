//! What executables tell about the functions in a profile.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use common::{Dwarf, Error, Pipe, Source, Symbol, Symbols, clean_frame};

use crate::frame::split_module;

/// Where exact names come from.
#[derive(Args, Clone, Debug)]
pub(crate) struct ExactArgs {
    /// Name OCaml functions as this executable does; may be given several times
    #[arg(long, value_name = "FILE")]
    exe: Vec<PathBuf>,

    /// Append ' (file:line)' to functions of the executables
    #[arg(long, requires = "exe")]
    lines: bool,
}

/// The functions of executables, by the names that profilers print.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    by_name: HashMap<Vec<u8>, Known>,
    /// True if and only if their lines are wanted.
    lines: bool,
}

#[derive(Debug)]
enum Known {
    One(Symbol),
    /// Executables, or files of one, have different functions of that name.
    Several,
}

impl ExactArgs {
    /// Reads the executables; those that tell nothing are named, and do
    /// without.
    pub(crate) fn functions(&self, pipe: &mut Pipe) -> Functions {
        let mut functions = Functions { lines: self.lines, ..Functions::default() };
        let dwarf = if self.lines { Dwarf::Read } else { Dwarf::Skip };
        for path in &self.exe {
            match Symbols::read(path, dwarf) {
                Ok(symbols) => {
                    let has_lines = symbols.functions.iter().any(|it| it.source.is_some());
                    if let Some(why) = symbols.no_ocaml.filter(|_| !has_lines) {
                        let (name, what) = (path.display().to_string(), why.to_string());
                        pipe.complaints.error(&Error::Unknown { name, what });
                    }
                    symbols.functions.into_iter().for_each(|symbol| functions.add(symbol));
                }
                Err(error) => pipe.complaints.error(&error),
            }
        }
        functions
    }
}

impl Functions {
    /// The function that a profiler calls `name`.
    pub(crate) fn get(&self, name: &[u8]) -> Option<&Symbol> {
        match self.by_name.get(name)? {
            Known::One(symbol) => Some(symbol),
            Known::Several => None,
        }
    }

    /// Where the function is that a profiler calls `name`, perhaps with its
    /// module, if that is wanted.
    pub(crate) fn line_of(&self, name: &[u8]) -> Option<&Source> {
        let function = self.get(name).or_else(|| self.get(split_module(name)?.1))?;
        function.source.as_ref().filter(|_| self.lines)
    }

    fn add(&mut self, symbol: Symbol) {
        let printed = printed_by_perf(&symbol);
        for name in printed.into_iter().chain([symbol.symbol.clone()]) {
            match self.by_name.get_mut(&name) {
                None => drop(self.by_name.insert(name, Known::One(symbol.clone()))),
                Some(Known::One(known)) if tells_the_same(known, &symbol) => {}
                Some(known) => *known = Known::Several,
            }
        }
    }
}

fn tells_the_same(one: &Symbol, other: &Symbol) -> bool {
    (&one.symbol, &one.exact, &one.source) == (&other.symbol, &other.exact, &other.source)
}

/// What perf prints without `--no-demangle`, as stack-parse writes it.
fn printed_by_perf(symbol: &Symbol) -> Option<Vec<u8>> {
    let readable = match symbol.symbol.strip_prefix(b"caml") {
        Some(body) if body.first().is_some_and(u8::is_ascii_uppercase) => half_demangled(body),
        _ => symbol.name(),
    };
    let mut frame = Vec::new();
    clean_frame(&readable, &mut frame);
    (frame != symbol.symbol).then_some(frame)
}

/// What `tools/perf/util/demangle-ocaml.c` makes of a symbol behind its
/// `caml`: `__` is `.`, and `$` with two hexadecimal digits a byte.
fn half_demangled(mut body: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(body.len());
    loop {
        let (byte, rest) = match body {
            [] => return text,
            [b'_', b'_', rest @ ..] => (b'.', rest),
            [b'$', high, low, rest @ ..] if let Some(byte) = hexadecimal(*high, *low) => {
                (byte, rest)
            }
            [byte, rest @ ..] => (*byte, rest),
        };
        text.push(byte);
        body = rest;
    }
}

fn hexadecimal(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use common::ExactName;

    use super::*;

    fn symbol(symbol: &str, name: &str, line: u32) -> Symbol {
        Symbol {
            symbol: symbol.into(),
            address: 0,
            exact: Some(ExactName::Known(name.into())),
            source: Some(Source { file: b"f.ml".to_vec(), line }),
        }
    }

    #[test]
    fn names_are_found_as_perf_prints_them() {
        for (symbol, printed) in [
            ("Stdlib__Map__add_437", &b"Stdlib.Map.add_437"[..]),
            ("Odd__$2e$25$28$3b$2e$2e$29_258", b"Odd..%(;..)_258"),
            ("Stdlib__List.concat_map_dps_1162", b"Stdlib.List.concat_map_dps_1162"),
            ("Stdlib__Map$add_437", b"Stdlib.Map\xadd_437"),
            ("Foo$Make_1", b"Foo$Make_1"),
            ("Foo__$2", b"Foo.$2"),
            ("Foo___bar_81", b"Foo._bar_81"),
        ] {
            assert_eq!(half_demangled(symbol.as_bytes()), printed, "{symbol}");
        }
    }

    #[test]
    fn a_name_with_two_meanings_has_none() {
        let mut functions = Functions::default();
        functions.add(symbol("camlA__f_1", "A.M.f", 1));
        functions.add(symbol("camlA__f_1", "A.M.f", 1));
        functions.add(symbol("camlA__$3b_2", "A.(;)", 1));
        assert!(functions.get(b"camlA__f_1").is_some());
        assert_eq!(functions.get(b"A.f_1"), functions.get(b"camlA__f_1"));
        assert!(functions.get(b"A.:_2").is_some(), "as stack-parse writes it");
        functions.add(symbol("camlA__f_1", "A.N.f", 1));
        assert_eq!(functions.get(b"camlA__f_1"), None);
        assert_eq!(functions.get(b"A.f_1"), None);
        functions.add(symbol("camlA__f_1", "A.M.f", 1));
        assert_eq!(functions.get(b"A.f_1"), None);
    }
}

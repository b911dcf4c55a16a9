//! What executables say about the functions in a profile.

use std::cell::{Cell, RefCell};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use clap::Args;
use common::folded::{FoldedLine, clean_frame};
use common::names::{full_symbol_name, symbol_name, without_g};
use common::{Error, Result, io::read_whole, numbers::hexadecimal, pipe::Pipe};
use symbolize::executable::{SourceLine, Symbol, Symbols, Unreadable};

use crate::brackets::without_arguments;
use crate::frame::{Frame, split_module};

/// Where exact names come from.
#[derive(Args, Clone, Debug)]
pub(crate) struct ExactArgs {
    /// Take the names of OCaml functions from this executable; may be given several times
    #[arg(long, value_name = "FILE")]
    exe: Vec<PathBuf>,

    /// Append ' (file:line)' to functions of the executables: where they are defined, not the
    /// line that ran
    #[arg(long, requires = "exe")]
    lines: bool,
}

/// The functions of executables, by the names that profilers print.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    by_name: HashMap<Vec<u8>, Known>,
    /// Whether their lines are wanted.
    lines: bool,
    /// How many symbols of OCaml in the profile are among them, and how many are not.
    found: Cell<u64>,
    missed: Cell<u64>,
    /// Whether some of them were compiled without `-g`, and what the profile
    /// has of those.
    lack_g: bool,
    lacking: RefCell<Lacking>,
}

/// What a profile has of units that were compiled without `-g`.
#[derive(Debug, Default)]
struct Lacking {
    units: BTreeSet<Vec<u8>>,
    /// Of the stacks that they are in, and of all.
    weight: u128,
    total: u128,
}

#[derive(Debug)]
enum Known {
    One(Symbol),
    /// Executables, or files of one, have different functions of that name.
    Several,
}

impl ExactArgs {
    /// Reads the executables. Reports those that lack what was asked for, and goes on without it.
    pub(crate) fn functions(&self, pipe: &mut Pipe) -> Functions {
        let mut functions = Functions { lines: self.lines, ..Functions::default() };
        for path in &self.exe {
            match self.read(path) {
                Ok(symbols) => {
                    if let Some(what) = self.missing(&symbols) {
                        let name = path.display().to_string();
                        pipe.error(&Error::Unknown { name, what });
                    }
                    // Other functions are of use only for their lines.
                    let wanted = |it: &Symbol| self.lines || it.symbol.starts_with(b"caml");
                    let wanted = symbols.functions.into_iter().filter(wanted);
                    wanted.for_each(|symbol| functions.add(symbol));
                }
                Err(error) => pipe.error(&error),
            }
        }
        functions
    }

    fn read(&self, executable: &Path) -> Result<Symbols> {
        let bytes = read_whole(executable)?;
        let parse = if self.lines { Symbols::parse_with_lines } else { Symbols::parse };
        parse(&bytes).map_err(|why| Error::Unknown {
            name: executable.display().to_string(),
            what: why.to_string(),
        })
    }

    /// What was asked for and the executable lacks, for a message.
    fn missing(&self, symbols: &Symbols) -> Option<String> {
        let why = symbols.no_ocaml?;
        let has_lines = symbols.functions.iter().any(|it| it.source.is_some());
        match why {
            Unreadable::BadFrameTables => Some(why.to_string()),
            _ if has_lines => None,
            _ if self.lines => Some(format!("no debug information, and {why}")),
            _ => Some(why.to_string()),
        }
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

    /// The source line of the function that a profiler calls `name`, perhaps with its module;
    /// `None` if lines are not wanted.
    pub(crate) fn line_of(&self, name: &[u8]) -> Option<&SourceLine> {
        let function = self.get(name).or_else(|| self.get(split_module(name)?.1))?;
        function.source.as_ref().filter(|_| self.lines)
    }

    /// Counts a symbol of OCaml in the profile.
    pub(crate) fn tally(&self, symbol: &[u8]) {
        let is_found = self.by_name.contains_key(symbol);
        let count = if is_found { &self.found } else { &self.missed };
        count.set(count.get() + 1);
    }

    /// Adds a stack of the profile to the weights of [`Lacking`].
    pub(crate) fn weigh(&self, line: &FoldedLine) {
        if !self.lack_g {
            return;
        }
        let Lacking { units, weight, total } = &mut *self.lacking.borrow_mut();
        let mut has_one = false;
        for frame in line.frames() {
            let name = Frame::split(frame).name;
            let function = self.get(name).or_else(|| self.get(split_module(name)?.1));
            if let Some(unit) = function.and_then(|it| it.lacks_g.as_ref()) {
                has_one = true;
                if !units.contains(unit) {
                    units.insert(unit.clone());
                }
            }
        }
        *total += u128::from(line.count);
        *weight += if has_one { u128::from(line.count) } else { 0 };
    }

    /// Notes which units of the profile lack `-g`, and whether the executables seem to be the wrong
    /// ones.
    pub(crate) fn finish(&self, pipe: &Pipe) {
        let Lacking { units, weight, total } = &*self.lacking.borrow();
        if !units.is_empty() {
            let share = *weight as f64 * 100.0 / (*total).max(1) as f64;
            let what = without_g(units);
            pipe.note(format_args!("{what}; in stacks of {share:.1} % of the weight"));
        }
        self.note_mismatch(pipe);
    }

    /// Says so if the profile seems to be of other executables.
    fn note_mismatch(&self, pipe: &Pipe) {
        if !self.by_name.is_empty() && self.missed.get() > self.found.get() {
            pipe.note(
                "most OCaml functions of this profile are not in any --exe: was another one recorded?",
            );
        }
    }

    fn add(&mut self, symbol: Symbol) {
        self.lack_g |= symbol.lacks_g.is_some();
        for name in names_in_profiles(&symbol) {
            match self.by_name.entry(name) {
                Entry::Vacant(entry) => drop(entry.insert(Known::One(symbol.clone()))),
                Entry::Occupied(mut entry) => entry.get_mut().agree_with(&symbol),
            }
        }
    }
}

impl Known {
    /// Drops what differs in `other`, a function that profilers call by the same name.
    ///
    /// The copies of a generic function have many symbols but one line, and for other languages
    /// than OCaml only the line counts.
    fn agree_with(&mut self, other: &Symbol) {
        let Known::One(known) = self else { return };
        let is_ocaml = [&*known, other].iter().any(|it| it.symbol.starts_with(b"caml"));
        if is_ocaml && (&known.symbol, &known.ocaml) != (&other.symbol, &other.ocaml) {
            *self = Known::Several;
        } else if known.source != other.source {
            known.source = None;
        }
    }
}

/// What profilers call a function, as stack-parse writes it: its symbol, what
/// perf makes of it without `--no-demangle`, and for C++ the whole signature.
fn names_in_profiles(symbol: &Symbol) -> Vec<Vec<u8>> {
    let readable = match symbol.symbol.strip_prefix(b"caml") {
        Some(body) if body.first().is_some_and(u8::is_ascii_uppercase) => {
            vec![half_demangled(body)]
        }
        _ => {
            let name = full_symbol_name(symbol);
            vec![without_arguments(&name), name, symbol_name(symbol)]
        }
    };
    let frames = readable.iter().map(|name| {
        let mut frame = Vec::new();
        clean_frame(name, &mut frame);
        frame
    });
    let mut names: Vec<_> = frames.chain([symbol.symbol.clone()]).collect();
    names.dedup();
    names
}

/// What `tools/perf/util/demangle-ocaml.c` makes of a symbol, here without its `caml`: `__` becomes
/// `.`, and `$` with two hexadecimal digits becomes a byte.
fn half_demangled(mut body: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(body.len());
    loop {
        let (byte, rest) = match body {
            [] => return text,
            [b'_', b'_', rest @ ..] => (b'.', rest),
            [b'$', high, low, rest @ ..] => match byte(*high, *low) {
                Some(byte) => (byte, rest),
                None => (b'$', &body[1..]),
            },
            [byte, rest @ ..] => (*byte, rest),
        };
        text.push(byte);
        body = rest;
    }
}

/// The byte of two hexadecimal digits.
fn byte(high: u8, low: u8) -> Option<u8> {
    u8::try_from(hexadecimal(&[high, low])?).ok()
}

#[cfg(test)]
mod tests {
    use symbolize::executable::{Mark, OcamlName};

    use super::*;

    fn symbol(symbol: &str, name: &str, line: u32) -> Symbol {
        let ocaml = OcamlName { mark: Mark::Exact, name: name.into(), stamp: b"1".to_vec() };
        Symbol {
            source: Some(SourceLine { file: b"f.ml".to_vec(), line }),
            ..Symbol::new(symbol.as_bytes(), 0, Some(ocaml))
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
        functions.add(symbol("camlA__$3b_2", "A.(;)", 2));
        assert_eq!(functions.get(b"A.:_2").map(|it| &it.source), Some(&None), "of two lines");
        assert!(functions.get(b"camlA__f_1").is_some());
        assert_eq!(functions.get(b"A.f_1"), functions.get(b"camlA__f_1"));
        assert!(functions.get(b"A.:_2").is_some(), "as stack-parse writes it");
        functions.add(symbol("camlA__f_1", "A.N.f", 1));
        assert_eq!(functions.get(b"camlA__f_1"), None);
        assert_eq!(functions.get(b"A.f_1"), None);
        functions.add(symbol("camlA__f_1", "A.M.f", 1));
        assert_eq!(functions.get(b"A.f_1"), None);
    }

    #[test]
    fn copies_of_a_generic_function_have_one_place() {
        let copy = |hash: &str, line| Symbol {
            ocaml: None,
            ..symbol(&format!("_ZN3vec4push17h0123456789abcd{hash}E"), "", line)
        };
        let mut functions = Functions { lines: true, ..Functions::default() };
        functions.add(copy("ef", 1));
        functions.add(copy("00", 1));
        let place =
            |functions: &Functions| functions.line_of(b"vec::push").map(SourceLine::to_bytes);
        assert_eq!(place(&functions).as_deref(), Some(&b"f.ml:1"[..]));
        functions.add(copy("11", 2));
        assert_eq!(place(&functions), None);
    }
}

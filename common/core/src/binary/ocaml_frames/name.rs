//! The name of a function, by its symbol and the calls in its code.
//!
//! The symbol's own identifier decides, the frame tables add the path:
//! `camlStdlib__Map__add_437` with calls in `Stdlib__Map.Make.add` is that. A
//! majority of the calls would not do, since a local function that is inlined
//! before code is generated leaves its own name in the tables. In 4.13.1's
//! compiler it gave a wrong name to one function in twenty.

use std::collections::HashSet;

use ocaml_demangle::parts::{FlatSymbol, FunctionKind, write_name};

use super::Place;
use super::function::{Entry, is_in};
use super::units::unit_of;

/// What the tables tell about the name of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Its name, as OCaml's backtraces have it, but with the unit as a path.
    Exactly(Vec<u8>),
    /// It is anonymous, and all calls in its code are somewhere in this.
    Within(Vec<u8>),
    /// Nothing that belongs to its symbol.
    Nothing,
}

const ANONYMOUS: &[u8] = b"(fun)";

/// The named functions of a program.
#[derive(Debug, Default)]
pub(super) struct Named {
    exact: HashSet<Vec<u8>>,
    /// Those whose path is not known, by unit and identifier.
    others: HashSet<(Vec<u8>, Vec<u8>)>,
}

impl Named {
    /// Adds the function of `symbol`, if it has a name.
    pub(super) fn add(&mut self, symbol: &FlatSymbol, entries: &[Entry]) {
        let Some(FunctionKind::Named(identifier)) = symbol.function() else { return };
        match named(identifier, entries) {
            Some((place, length)) => {
                self.exact.insert(place.readable_part(length));
            }
            None => {
                self.others.insert((symbol.unit().to_vec(), written(identifier)));
            }
        }
    }

    /// Whether there is a function of this name in the unit of `symbol`.
    fn contains(&self, symbol: &FlatSymbol, place: &Place, name: &[u8]) -> bool {
        let last = components(name).next_back().map(|(start, end)| name[start..end].to_vec());
        self.exact.contains(&place.readable_part(name.len()))
            || last.is_some_and(|last| self.others.contains(&(symbol.unit().to_vec(), last)))
    }
}

/// What `entries`, the calls in its code, tell about the function of `symbol`.
pub(super) fn told(symbol: &FlatSymbol, entries: &[Entry], all: &Named) -> Told {
    match symbol.function() {
        Some(FunctionKind::Toplevel) => {
            let mut name = Vec::new();
            symbol.write(&mut name);
            Told::Exactly(name)
        }
        Some(code) => match (own(symbol, entries), code) {
            (Some((place, length)), _) => Told::Exactly(place.readable_part(length)),
            (None, FunctionKind::Anonymous) => told_of_anonymous(symbol, entries, all),
            (None, _) => Told::Nothing,
        },
        None => Told::Nothing,
    }
}

/// What the calls in it tell about a function without a name of its own.
fn told_of_anonymous(symbol: &FlatSymbol, entries: &[Entry], all: &Named) -> Told {
    match common_path(symbol, entries) {
        // What follows let* has no name of its own, and OCaml's backtraces
        // say that it is the function around it. If that does not exist,
        // it was inlined, or it is no function but a value or a functor.
        Some((place, path)) if is_entry(entries, path) && all.contains(symbol, place, path) => {
            Told::Exactly(place.readable_part(path.len()))
        }
        Some((_, unit)) if !unit.contains(&b'.') => {
            let mut name = Vec::new();
            symbol.write_unit(&mut name);
            Told::Within(name)
        }
        Some((place, path)) => Told::Within(place.readable_part(path.len())),
        None => Told::Nothing,
    }
}

fn is_entry(entries: &[Entry], name: &[u8]) -> bool {
    entries.iter().any(|entry| entry.place.function == name)
}

/// The first call in the source that is one of the function's own.
pub(super) fn first_place<'e, 'a>(
    symbol: &FlatSymbol,
    entries: &'e [Entry<'a>],
) -> Option<&'e Place<'a>> {
    let name = match symbol.function()? {
        // The tables call what a unit runs at the start by the unit alone.
        FunctionKind::Toplevel => {
            let toplevel = entries.iter().find(|it| !it.place.function.contains(&b'.'))?;
            toplevel.place.function
        }
        _ => own(symbol, entries).map(|(place, length)| &place.function[..length])?,
    };
    let places = entries.iter().map(|entry| &entry.place);
    let own = places.filter(|place| place.function == name && place.source().is_some());
    own.reduce(|first, next| if next.is_before(first) { next } else { first })
}

/// A place in the function, and how long the function's name is in the name of
/// the place: that may be of a local function that was inlined.
fn own<'e, 'a>(symbol: &FlatSymbol, entries: &'e [Entry<'a>]) -> Option<(&'e Place<'a>, usize)> {
    match symbol.function()? {
        FunctionKind::Toplevel => None,
        FunctionKind::Named(identifier) => named(identifier, entries),
        FunctionKind::Anonymous => anonymous(entries),
    }
}

/// The compiler appends these to the names of functions that it adds: the body
/// of one with optional arguments, and the version that fills in a constructor
/// (`[@tail_mod_cons]`). Their calls are named as those of the function.
const ADDED: [&[u8]; 2] = [b"_inner", b"_dps"];

fn named<'e, 'a>(identifier: &[u8], entries: &'e [Entry<'a>]) -> Option<(&'e Place<'a>, usize)> {
    let written = written(identifier);
    let found = best(entries, |name| {
        let mut same = components(name).filter(|&(start, end)| name[start..end] == written);
        same.next_back().map(|(_, end)| end)
    });
    found.or_else(|| {
        let original = ADDED.iter().find_map(|added| identifier.strip_suffix(*added))?;
        // `fun` is no identifier: fun_inner_12 is the body of an anonymous function.
        if original == b"fun" { anonymous(entries) } else { named(original, entries) }
    })
}

/// As backtraces have it: `add`, `(>>=)`.
fn written(identifier: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    write_name(identifier, &mut written);
    written
}

fn anonymous<'e, 'a>(entries: &'e [Entry<'a>]) -> Option<(&'e Place<'a>, usize)> {
    // The code of a method is that of an anonymous function.
    if let Some(method) = best(entries, |name| is_method(name).then_some(name.len())) {
        return Some(method);
    }
    let (place, length) = best(entries, |name| {
        let mut inside = components(name).filter(|&(start, end)| name[start..end] == *ANONYMOUS);
        inside.next_back().map(|(_, end)| end)
    })?;
    let outer = &place.function[..length - ANONYMOUS.len() - 1];
    // A function that was inlined brings its anonymous functions along.
    let is_inlined = is_entry(entries, outer);
    // What makes an anonymous function allocates in its name: this may be all
    // that the method around it does before its last call.
    let is_made = entries.iter().all(|entry| entry.only_allocates) && is_method(outer);
    (!is_inlined && !is_made).then_some((place, length))
}

/// Whether `name` is that of a method: `Main.counter#add`.
fn is_method(name: &[u8]) -> bool {
    let last = components(name).next_back().map(|(start, end)| &name[start..end]);
    last.is_some_and(|last| !last.starts_with(b"(") && last.contains(&b'#'))
}

/// The most frequent of the entries in whose name `end_in` finds that of the
/// function, and where it ends there. One that is of no function inside of it
/// goes before those that are; of equally frequent ones, the first.
fn best<'e, 'a>(
    entries: &'e [Entry<'a>],
    end_in: impl Fn(&[u8]) -> Option<usize>,
) -> Option<(&'e Place<'a>, usize)> {
    let found = entries.iter().rev().filter_map(|entry| {
        let name = entry.place.function;
        end_in(name).map(|end| (end == name.len(), entry, end))
    });
    let (_, entry, end) = found.max_by_key(|(is_whole, entry, _)| (*is_whole, entry.calls))?;
    Some((&entry.place, end))
}

/// The path that all entries begin with, without anonymous functions at its
/// end, and a place in it; `None` if there is no entry or one of another unit.
fn common_path<'e, 'a>(
    symbol: &FlatSymbol,
    entries: &'e [Entry<'a>],
) -> Option<(&'e Place<'a>, &'a [u8])> {
    let (first, others) = entries.split_first()?;
    if !entries.iter().all(|entry| is_in(&entry.place, symbol.unit())) {
        return None;
    }
    let name = first.place.function;
    let mut common: Vec<_> = components(name).collect();
    for other in others.iter().map(|entry| entry.place.function) {
        let is_same = |(one, other_one): &(&(usize, usize), (usize, usize))| {
            *one == other_one && name[one.0..one.1] == other[one.0..one.1]
        };
        let same = common.iter().zip(components(other)).take_while(is_same).count();
        common.truncate(same);
    }
    let path = common.last().map_or(unit_of(name), |&(_, end)| &name[..end]);
    Some((&first.place, without_anonymous(path)))
}

/// `Lwtsim.run` of `Lwtsim.run.(fun)`.
pub(crate) fn without_anonymous(name: &[u8]) -> &[u8] {
    let outer = name.strip_suffix(ANONYMOUS).and_then(|outer| outer.strip_suffix(b"."));
    outer.map_or(name, without_anonymous)
}

/// Where the parts of a name behind the unit start and end: `Make` and `add` of
/// `Stdlib__Map.Make.add`. Operators are in parentheses, and may hold dots:
/// `Foo.(.%())`.
fn components(name: &[u8]) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    while start <= name.len() {
        let rest = &name[start..];
        let length = if rest.starts_with(b"(") {
            rest.windows(2).position(|two| two == b").").map(|at| at + 1)
        } else {
            rest.iter().position(|&byte| byte == b'.')
        };
        let end = start + length.unwrap_or(rest.len());
        found.push((start, end));
        start = end + 1;
    }
    found.into_iter().skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What calls in these functions, as many as the numbers say, tell of `symbol`.
    fn told_by(symbol: &str, calls: &[(&str, u32)]) -> String {
        let symbol = FlatSymbol::parse(symbol.as_bytes(), |_| false).expect("a symbol");
        let entry = |&(name, calls): &(_, u32)| Entry {
            place: Place::new(name, "f.ml", 1),
            calls,
            only_allocates: calls == 0,
        };
        let entries: Vec<_> = calls.iter().map(entry).collect();
        let mut all = Named::default();
        let place = Place::new("A.M.known", "f.ml", 1);
        let known = [Entry { place, calls: 1, only_allocates: false }];
        for (symbol, entries) in [("camlA__known_1", &known[..]), ("camlA__leaf_2", &[])] {
            all.add(&FlatSymbol::parse(symbol.as_bytes(), |_| false).expect("a symbol"), entries);
        }
        match told(&symbol, &entries, &all) {
            Told::Exactly(name) => format!("= {}", name.escape_ascii()),
            Told::Within(outer) => format!("< {}", outer.escape_ascii()),
            Told::Nothing => "?".to_owned(),
        }
    }

    #[test]
    fn the_identifier_of_the_symbol_decides() {
        for (symbol, calls, told) in [
            ("camlA__f_1", &[("A.f", 1), ("A.f.local", 9)][..], "= A.f"),
            ("camlA__f_1", &[("A.M.f.local", 9), ("A.M.f.(fun)", 1)], "= A.M.f"),
            ("camlA__fit_1", &[("A.Rows.fits", 9), ("A.Rows.fit.loop", 1)], "= A.Rows.fit"),
            ("camlA__f_1", &[("A.f.f.g", 1)], "= A.f.f"),
            ("camlA__f_1", &[("A.M.f", 1), ("A.N.f", 2)], "= A.N.f"),
            ("camlA__f_1", &[("A.M.f", 2), ("A.N.f", 2)], "= A.M.f"),
            ("camlA__f_1", &[("A.g", 3), ("B.prefix_f", 1)], "?"),
            ("camlA__f_1", &[], "?"),
            ("camlA__Make_1", &[("A.Make", 1), ("A.Make.table", 5)], "= A.Make"),
            ("camlA__$3e$3e$3d_1", &[("A.M.(>>=)", 1)], "= A.M.(>>=)"),
            ("camlA__$2e$25$28$29_1", &[("A.(.%()).loop", 1)], "= A.(.%())"),
            ("camlA__let$2a_1", &[("A.M.let*", 1)], "= A.M.let*"),
            // The unit is no function: a_1 of the unit A is not A.
            ("camlA__A_1", &[("A.f", 1)], "?"),
            // A copy that flambda made of a function of another unit.
            ("camlA__add_1", &[("Stdlib__Map.Make.add", 2)], "= Stdlib.Map.Make.add"),
            // What the compiler appends, unless the program has such a name.
            ("camlA__f_inner_1", &[("A.M.f", 1)], "= A.M.f"),
            ("camlA__f_inner_1", &[("A.f", 2), ("A.f_inner", 1)], "= A.f_inner"),
            ("camlA__map_dps_1", &[("A.map", 1)], "= A.map"),
            ("camlA__fun_inner_1", &[("A.f.(fun)", 1)], "= A.f.(fun)"),
        ] {
            assert_eq!(told_by(symbol, calls), told, "{symbol} {calls:?}");
        }
    }

    #[test]
    fn a_toplevel_is_none_of_its_definitions() {
        for calls in [&[("A.table", 7)][..], &[], &[("A", 1), ("A.M", 3)]] {
            assert_eq!(told_by("camlA__entry", calls), "= A.(toplevel)");
            assert_eq!(told_by("camlDune__exe__Main.entry", calls), "= Main.(toplevel)");
        }
        assert_eq!(told_by("camlA__entry_5", &[("A.M.entry", 1)]), "= A.M.entry");
    }

    #[test]
    fn anonymous_functions_are_exact_only_if_a_call_says_so() {
        for (calls, told) in [
            (&[("A.f.(fun)", 1), ("A.g.local", 9)][..], "= A.f.(fun)"),
            (&[("A.f.(fun).g", 3)], "= A.f.(fun)"),
            (&[("A.(fun)", 3)], "= A.(fun)"),
            (&[("A.counter#add", 3), ("A.counter#add.(fun)", 5)], "= A.counter#add"),
            (&[("A.counter#add.(fun)", 5)], "= A.counter#add.(fun)"),
            (&[("A.(##)", 5)], "< A.(##)"),
            // The method may do nothing by itself but make the function.
            (&[("A.counter#add.(fun)", 0)], "< A.counter#add"),
            // A function that was inlined brings its anonymous functions along.
            (&[("A.f.update", 2), ("A.f.update.(fun)", 1)], "< A.f.update"),
            // A functor or a lazy value, or the function that those are in.
            (&[("A.Make.table", 2), ("A.Make.print", 1)], "< A.Make"),
            (&[("A.f", 2)], "< A.f"),
            (&[("A.f", 2), ("A.g", 1)], "< A"),
            (&[("A.f", 2), ("A.ff", 1)], "< A"),
            (&[("A", 2)], "< A"),
            (&[("B.f", 2)], "?"),
            // What follows let* in a function that is there.
            (&[("A.M.known", 2)], "= A.M.known"),
            (&[("A.M.known", 1), ("A.M.known.(fun)", 2)], "= A.M.known"),
            (&[("A.M.known.local", 2)], "< A.M.known.local"),
            (&[("A.M.known", 1), ("A.M.known.local", 2)], "= A.M.known"),
            (&[("A.N.known", 2)], "< A.N.known"),
            (&[("A.M.leaf", 2)], "= A.M.leaf"),
            (&[], "?"),
        ] {
            assert_eq!(told_by("camlA__fun_1", calls), told, "{calls:?}");
            assert_eq!(
                told_by("camlA.anon_fn$5ba.ml$3a1$2c2$2d$2d3$5d_1", calls),
                told,
                "{calls:?}"
            );
        }
    }

    #[test]
    fn a_function_begins_at_a_call_of_its_own() {
        let entry = |name, line, calls| Entry {
            place: Place::new(name, "f.ml", line),
            calls,
            only_allocates: false,
        };
        let place = |symbol: &str, entries: &[Entry]| {
            let symbol = FlatSymbol::parse(symbol.as_bytes(), |_| false).expect("a symbol");
            first_place(&symbol, entries).and_then(Place::source).map(|source| source.line)
        };
        let entries = [entry("A.f.local", 1, 9), entry("A.f", 8, 1), entry("A", 7, 1)];
        assert_eq!(place("camlA__f_1", &entries), Some(8));
        assert_eq!(place("camlA__entry", &entries), Some(7));
        assert_eq!(place("camlA__g_1", &entries), None);
        assert_eq!(place("camlA__fun_1", &entries), None);
        assert_eq!(place("camlA__f_1", &[entry("A.f", 0, 1)]), None, "made up");
    }
}

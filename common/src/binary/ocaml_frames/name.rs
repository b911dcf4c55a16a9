//! The name of a function, by its symbol and the calls in its code.
//!
//! The symbol's own identifier decides, the frame tables add the path:
//! `camlStdlib__Map__add_437` with calls in `Stdlib__Map.Make.add` is that. A
//! majority of the calls would not do, since a local function that is inlined
//! before code is generated leaves its own name in the tables. In 4.13.1's
//! compiler it gave a wrong name to one function in twenty.

use crate::ocaml::{self, Code, FlatSymbol};

use super::Place;
use super::function::{Entry, is_in};

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

/// What `entries`, the calls in its code, tell about the function of `symbol`.
pub(super) fn told(symbol: &FlatSymbol, entries: &[Entry]) -> Told {
    match symbol.code() {
        Some(Code::Toplevel) => {
            let mut name = Vec::new();
            symbol.write(&mut name);
            Told::Exactly(name)
        }
        Some(_) if let Some((place, length)) = own(symbol, entries) => {
            Told::Exactly(place.readable_part(length))
        }
        Some(Code::Anonymous) => common_path(symbol, entries).map_or(Told::Nothing, Told::Within),
        Some(Code::Named(_)) | None => Told::Nothing,
    }
}

/// The first call in the source that is one of the function's own.
pub(super) fn first_place<'e, 'a>(
    symbol: &FlatSymbol,
    entries: &'e [Entry<'a>],
) -> Option<&'e Place<'a>> {
    let name = match symbol.code()? {
        // The tables call what a unit runs at the start by the unit alone.
        Code::Toplevel => {
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
    match symbol.code()? {
        Code::Toplevel => None,
        Code::Named(identifier) => named(identifier, entries),
        Code::Anonymous => anonymous(entries),
    }
}

/// The compiler appends these to the names of functions that it adds: the body
/// of one with optional arguments, and the version that fills in a constructor
/// (`[@tail_mod_cons]`). Their calls are named as those of the function.
const ADDED: [&[u8]; 2] = [b"_inner", b"_dps"];

fn named<'e, 'a>(
    identifier: &[u8],
    entries: &'e [Entry<'a>],
) -> Option<(&'e Place<'a>, usize)> {
    let mut written = Vec::new();
    ocaml::write_name(identifier, &mut written);
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
    let is_inlined = entries.iter().any(|entry| entry.place.function == outer);
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

/// The path that all entries begin with, if it is in the unit of the symbol.
fn common_path(symbol: &FlatSymbol, entries: &[Entry]) -> Option<Vec<u8>> {
    let (first, others) = entries.split_first()?;
    let name = first.place.function;
    let is_common = |&(start, end): &(usize, usize)| {
        others.iter().all(|entry| {
            let other = entry.place.function;
            other.starts_with(&name[..end]) && components(other).any(|it| it == (start, end))
        })
    };
    let (_, end) = components(name).filter(is_common).next_back()?;
    let is_own = entries.iter().all(|entry| is_in(&entry.place, symbol.unit));
    is_own.then(|| without_anonymous(&first.place.readable_part(end)).to_vec())
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

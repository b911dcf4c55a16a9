//! The name of a function, from its symbol and the calls in its code.
//!
//! The symbol's own identifier decides, the frame tables add the path: `camlStdlib__Map__add_437`
//! with calls in `Stdlib__Map.Make.add` has that name. The most frequent name among the calls is
//! not enough: if a local function is inlined before code is generated, the tables have its name.
//! In the compiler of 4.13.1, one function in twenty got a wrong name from that.

use std::collections::HashSet;

use ocaml_demangle::parts::{FlatSymbol, FunctionKind, write_name};

use super::call::CallFrame;
use super::same_calls::SameCalls;
use super::units::unit_of;

/// The name of a function, as far as the tables show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KnownName {
    /// As OCaml's backtraces print it, but with the unit as a path.
    Exact(Vec<u8>),
    /// Its identifier is that of its symbol; its path is that of the lines around it.
    Placed(Vec<u8>),
    /// It is anonymous, and in the function or module of this name, according to all calls in its
    /// code or to its line.
    Within(Vec<u8>),
    /// The tables hold nothing that belongs to its symbol.
    Unknown,
}

const ANONYMOUS: &[u8] = b"(fun)";

/// The named functions of a program.
#[derive(Debug, Default)]
pub(super) struct NamedFunctions {
    exact: HashSet<Vec<u8>>,
    /// Those with an unknown path, by unit and identifier.
    others: HashSet<(Vec<u8>, Vec<u8>)>,
}

impl NamedFunctions {
    /// Adds the function of `symbol`, if it has a name.
    pub(super) fn add(&mut self, symbol: &FlatSymbol, calls: &[SameCalls]) {
        let Some(FunctionKind::Named(identifier)) = symbol.function() else { return };
        match named(identifier, calls) {
            Some((frame, length)) => {
                self.exact.insert(frame.readable_part(length));
            }
            None => {
                self.others.insert((symbol.unit().to_vec(), written(identifier)));
            }
        }
    }

    /// Whether there is a function of this name in the unit of `symbol`.
    fn contains(&self, symbol: &FlatSymbol, frame: &CallFrame, name: &[u8]) -> bool {
        let last = components(name).next_back().map(|(start, end)| name[start..end].to_vec());
        self.exact.contains(&frame.readable_part(name.len()))
            || last.is_some_and(|last| self.others.contains(&(symbol.unit().to_vec(), last)))
    }
}

/// The name of the function of `symbol`, as far as the `calls` in its code show it.
pub(super) fn name_of(symbol: &FlatSymbol, calls: &[SameCalls], all: &NamedFunctions) -> KnownName {
    match symbol.function() {
        Some(FunctionKind::Toplevel) => {
            let mut name = Vec::new();
            symbol.write(&mut name);
            KnownName::Exact(name)
        }
        Some(code) => match (own(symbol, calls), code) {
            (Some((frame, length)), _) => KnownName::Exact(frame.readable_part(length)),
            (None, FunctionKind::Anonymous) => name_of_anonymous(symbol, calls, all),
            (None, _) => KnownName::Unknown,
        },
        None => KnownName::Unknown,
    }
}

/// The name of the function of `symbol`, which is anonymous, as far as the `calls` in its code show
/// it.
fn name_of_anonymous(symbol: &FlatSymbol, calls: &[SameCalls], all: &NamedFunctions) -> KnownName {
    match common_path(symbol, calls) {
        // The code after `let*` is an anonymous function, but OCaml's backtraces print the name of
        // the function around it. If there is no such function, it was inlined, or the name is that
        // of a value or a functor.
        Some((frame, path)) if has_call_in(calls, path) && all.contains(symbol, frame, path) => {
            KnownName::Exact(frame.readable_part(path.len()))
        }
        Some((_, unit)) if !unit.contains(&b'.') => {
            let mut name = Vec::new();
            symbol.write_unit(&mut name);
            KnownName::Within(name)
        }
        Some((frame, path)) => KnownName::Within(frame.readable_part(path.len())),
        None => KnownName::Unknown,
    }
}

/// Whether a call is in the function of this name.
fn has_call_in(calls: &[SameCalls], name: &[u8]) -> bool {
    calls.iter().any(|same| same.first.function == name)
}

/// The first call, in the order of the source, that belongs to the function itself.
pub(super) fn first_call<'e, 'a>(
    symbol: &FlatSymbol,
    calls: &'e [SameCalls<'a>],
) -> Option<&'e CallFrame<'a>> {
    let name = match symbol.function()? {
        // For the code that a unit runs at the start, the tables have only the unit's name.
        FunctionKind::Toplevel => {
            let toplevel = calls.iter().find(|it| !it.first.function.contains(&b'.'))?;
            toplevel.first.function
        }
        _ => own(symbol, calls).map(|(frame, length)| &frame.function[..length])?,
    };
    let frames = calls.iter().map(|same| &same.first);
    let own = frames.filter(|frame| frame.function == name && frame.source().is_some());
    own.reduce(|first, next| if next.is_before(first) { next } else { first })
}

/// A call in the function, and the length of the function's name within the name that the call has:
/// the call may belong to an inlined local function.
fn own<'e, 'a>(
    symbol: &FlatSymbol,
    calls: &'e [SameCalls<'a>],
) -> Option<(&'e CallFrame<'a>, usize)> {
    match symbol.function()? {
        FunctionKind::Toplevel => None,
        FunctionKind::Named(identifier) => named(identifier, calls),
        FunctionKind::Anonymous => anonymous(calls),
    }
}

/// The compiler appends these to the names of functions that it adds: the body of a function with
/// optional arguments, and the version that fills in a constructor (`[@tail_mod_cons]`). Their
/// calls have the name of the original function.
const ADDED: [&[u8]; 2] = [b"_inner", b"_dps"];

fn named<'e, 'a>(
    identifier: &[u8],
    calls: &'e [SameCalls<'a>],
) -> Option<(&'e CallFrame<'a>, usize)> {
    let written = written(identifier);
    let found = best(calls, |name| {
        let mut same = components(name).filter(|&(start, end)| name[start..end] == written);
        same.next_back().map(|(_, end)| end)
    });
    found.or_else(|| {
        let original = ADDED.iter().find_map(|added| identifier.strip_suffix(*added))?;
        // `fun` is not an identifier: `fun_inner_12` is the body of an anonymous function.
        if original == b"fun" { anonymous(calls) } else { named(original, calls) }
    })
}

/// As backtraces print it: `add`, `(>>=)`.
pub(super) fn written(identifier: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    write_name(identifier, &mut written);
    written
}

fn anonymous<'e, 'a>(calls: &'e [SameCalls<'a>]) -> Option<(&'e CallFrame<'a>, usize)> {
    // The code of a method is that of an anonymous function.
    if let Some(method) = best(calls, |name| is_method(name).then_some(name.len())) {
        return Some(method);
    }
    let (frame, length) = best(calls, |name| {
        let mut inside = components(name).filter(|&(start, end)| name[start..end] == *ANONYMOUS);
        inside.next_back().map(|(_, end)| end)
    })?;
    let outer = &frame.function[..length - ANONYMOUS.len() - 1];
    // If a function is inlined, so are its anonymous functions.
    let is_inlined = has_call_in(calls, outer);
    // The allocation of an anonymous function has that function's name. It may be all that the
    // method around it does before its last call.
    let is_made = calls.iter().all(|same| same.only_allocates) && is_method(outer);
    (!is_inlined && !is_made).then_some((frame, length))
}

/// Whether `name` is that of a method: `Main.counter#add`.
fn is_method(name: &[u8]) -> bool {
    let last = components(name).next_back().map(|(start, end)| &name[start..end]);
    last.is_some_and(|last| !last.starts_with(b"(") && last.contains(&b'#'))
}

/// The most frequent of the calls in whose name `end_in` finds the function's name, and where that
/// ends. A call in the function itself is preferred to calls in functions inside of it; of equally
/// frequent calls, the first is taken.
fn best<'e, 'a>(
    calls: &'e [SameCalls<'a>],
    end_in: impl Fn(&[u8]) -> Option<usize>,
) -> Option<(&'e CallFrame<'a>, usize)> {
    let found = calls.iter().rev().filter_map(|same| {
        let name = same.first.function;
        end_in(name).map(|end| (end == name.len(), same, end))
    });
    let (_, same, end) = found.max_by_key(|(is_whole, same, _)| (*is_whole, same.count))?;
    Some((&same.first, end))
}

/// The path with which the names of all calls begin, without anonymous functions at its end, and a
/// call whose name begins with it; `None` if there is no call, or one of another unit.
fn common_path<'e, 'a>(
    symbol: &FlatSymbol,
    calls: &'e [SameCalls<'a>],
) -> Option<(&'e CallFrame<'a>, &'a [u8])> {
    let (first, others) = calls.split_first()?;
    if !calls.iter().all(|same| same.first.is_in(symbol.unit())) {
        return None;
    }
    let others = others.iter().map(|same| same.first.function);
    let path = others.fold(first.first.function, shared);
    Some((&first.first, without_anonymous(path)))
}

/// The parts with which both names begin, if both are in one unit.
pub(super) fn shared<'n>(one: &'n [u8], other: &[u8]) -> &'n [u8] {
    let is_same =
        |(a, b): &((usize, usize), (usize, usize))| a == b && one[a.0..a.1] == other[b.0..b.1];
    let same = components(one).zip(components(other)).take_while(is_same).last();
    same.map_or(unit_of(one), |((_, end), _)| &one[..end])
}

/// `Lwtsim.run` of `Lwtsim.run.(fun)`.
pub(crate) fn without_anonymous(name: &[u8]) -> &[u8] {
    let outer = name.strip_suffix(ANONYMOUS).and_then(|outer| outer.strip_suffix(b"."));
    outer.map_or(name, without_anonymous)
}

/// The start and end of each part of a name after the unit: `Make` and `add` of
/// `Stdlib__Map.Make.add`. Operators are in parentheses, and may hold dots: `Foo.(.%())`.
pub(super) fn components(name: &[u8]) -> impl DoubleEndedIterator<Item = (usize, usize)> {
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

    /// The name of `symbol`, from calls in these functions, as many as the numbers say.
    fn name_by(symbol: &str, calls: &[(&str, u32)]) -> String {
        let symbol = FlatSymbol::parse(symbol.as_bytes(), |_| false).expect("a symbol");
        let same = |&(name, count): &(_, u32)| SameCalls {
            first: CallFrame::new(name, "f.ml", 1),
            count,
            only_allocates: count == 0,
        };
        let calls: Vec<_> = calls.iter().map(same).collect();
        let mut all = NamedFunctions::default();
        let known = [SameCalls::new(&CallFrame::new("A.M.known", "f.ml", 1), false)];
        for (symbol, calls) in [("camlA__known_1", &known[..]), ("camlA__leaf_2", &[])] {
            all.add(&FlatSymbol::parse(symbol.as_bytes(), |_| false).expect("a symbol"), calls);
        }
        match name_of(&symbol, &calls, &all) {
            KnownName::Exact(name) => format!("= {}", name.escape_ascii()),
            KnownName::Within(outer) => format!("< {}", outer.escape_ascii()),
            KnownName::Placed(_) => unreachable!("no lines are known"),
            KnownName::Unknown => "?".to_owned(),
        }
    }

    #[test]
    fn the_identifier_of_the_symbol_decides() {
        for (symbol, calls, expected) in [
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
            // The unit is not a function: a_1 of the unit A is not A.
            ("camlA__A_1", &[("A.f", 1)], "?"),
            // A copy that flambda made of a function of another unit.
            ("camlA__add_1", &[("Stdlib__Map.Make.add", 2)], "= Stdlib.Map.Make.add"),
            // What the compiler appends, unless the program has such a name.
            ("camlA__f_inner_1", &[("A.M.f", 1)], "= A.M.f"),
            ("camlA__f_inner_1", &[("A.f", 2), ("A.f_inner", 1)], "= A.f_inner"),
            ("camlA__map_dps_1", &[("A.map", 1)], "= A.map"),
            ("camlA__fun_inner_1", &[("A.f.(fun)", 1)], "= A.f.(fun)"),
        ] {
            assert_eq!(name_by(symbol, calls), expected, "{symbol} {calls:?}");
        }
    }

    #[test]
    fn a_toplevel_is_none_of_its_definitions() {
        for calls in [&[("A.table", 7)][..], &[], &[("A", 1), ("A.M", 3)]] {
            assert_eq!(name_by("camlA__entry", calls), "= A.(toplevel)");
            assert_eq!(name_by("camlDune__exe__Main.entry", calls), "= Main.(toplevel)");
        }
        assert_eq!(name_by("camlA__entry_5", &[("A.M.entry", 1)]), "= A.M.entry");
    }

    #[test]
    fn anonymous_functions_are_exact_only_if_a_call_says_so() {
        for (calls, expected) in [
            (&[("A.f.(fun)", 1), ("A.g.local", 9)][..], "= A.f.(fun)"),
            (&[("A.f.(fun).g", 3)], "= A.f.(fun)"),
            (&[("A.(fun)", 3)], "= A.(fun)"),
            (&[("A.counter#add", 3), ("A.counter#add.(fun)", 5)], "= A.counter#add"),
            (&[("A.counter#add.(fun)", 5)], "= A.counter#add.(fun)"),
            (&[("A.(##)", 5)], "< A.(##)"),
            // The method may do nothing itself but make the function.
            (&[("A.counter#add.(fun)", 0)], "< A.counter#add"),
            // If a function is inlined, so are its anonymous functions.
            (&[("A.f.update", 2), ("A.f.update.(fun)", 1)], "< A.f.update"),
            // A functor or a lazy value, or the function that those are in.
            (&[("A.Make.table", 2), ("A.Make.print", 1)], "< A.Make"),
            (&[("A.f", 2)], "< A.f"),
            (&[("A.f", 2), ("A.g", 1)], "< A"),
            (&[("A.f", 2), ("A.ff", 1)], "< A"),
            (&[("A", 2)], "< A"),
            (&[("B.f", 2)], "?"),
            // The code after let* in a function that exists.
            (&[("A.M.known", 2)], "= A.M.known"),
            (&[("A.M.known", 1), ("A.M.known.(fun)", 2)], "= A.M.known"),
            (&[("A.M.known.local", 2)], "< A.M.known.local"),
            (&[("A.M.known", 1), ("A.M.known.local", 2)], "= A.M.known"),
            (&[("A.N.known", 2)], "< A.N.known"),
            (&[("A.M.leaf", 2)], "= A.M.leaf"),
            (&[], "?"),
        ] {
            assert_eq!(name_by("camlA__fun_1", calls), expected, "{calls:?}");
            assert_eq!(
                name_by("camlA.anon_fn$5ba.ml$3a1$2c2$2d$2d3$5d_1", calls),
                expected,
                "{calls:?}"
            );
        }
    }

    #[test]
    fn a_function_begins_at_a_call_of_its_own() {
        let same = |name, line, count| SameCalls {
            first: CallFrame::new(name, "f.ml", line),
            count,
            only_allocates: false,
        };
        let line = |symbol: &str, calls: &[SameCalls]| {
            let symbol = FlatSymbol::parse(symbol.as_bytes(), |_| false).expect("a symbol");
            first_call(&symbol, calls).and_then(CallFrame::source).map(|source| source.line)
        };
        let calls = [same("A.f.local", 1, 9), same("A.f", 8, 1), same("A", 7, 1)];
        assert_eq!(line("camlA__f_1", &calls), Some(8));
        assert_eq!(line("camlA__entry", &calls), Some(7));
        assert_eq!(line("camlA__g_1", &calls), None);
        assert_eq!(line("camlA__fun_1", &calls), None);
        assert_eq!(line("camlA__f_1", &[same("A.f", 0, 1)]), None, "made up");
    }
}

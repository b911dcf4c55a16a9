//! The flat schemes: `caml`, then unit, separator and identifier, as in `camlStdlib__List.map_342`.
//!
//! Modules inside a unit do not appear in these names. A functor does, as a capitalised function.

use std::borrow::Cow;

use super::identifier::{self, FunctionKind};
use super::scheme::{Scheme, find_located_function};
use super::stamps::Stamps;
use super::unit;

/// Appends the readable form of `body`, a symbol without its `caml`.
pub(super) fn demangle(body: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    is_mangled(body) && demangle_as(Scheme::of(body), body, stamps, out)
}

fn is_mangled(body: &[u8]) -> bool {
    let is_symbol = |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$');
    body.first().is_some_and(u8::is_ascii_uppercase) && body.iter().all(is_symbol)
}

/// Appends the readable form of `body`, which is known to be mangled by `scheme`.
pub(super) fn demangle_as(scheme: Scheme, body: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let path = split(scheme, body);
    if path.identifier.is_some_and(<[u8]>::is_empty) {
        return false;
    }
    write_unit(scheme, path.unit, out);
    if let Some(identifier) = path.identifier {
        out.push(b'.');
        identifier::write(&scheme.decode(identifier), stamps, out);
    }
    true
}

fn split(scheme: Scheme, body: &[u8]) -> Path<'_> {
    match scheme {
        Scheme::Underscores => split_underscores(body),
        Scheme::Dot | Scheme::Dollar | Scheme::Msvc => split_path(body, scheme),
    }
}

/// Appends the module path of `unit`, which may be packed: `Pack.Unit`.
fn write_unit(scheme: Scheme, mut unit: &[u8], out: &mut Vec<u8>) {
    while let Some((component, rest)) = scheme.split_component(unit) {
        unit::write(&scheme.decode(component), out);
        out.push(b'.');
        unit = rest;
    }
    unit::write(&scheme.decode(unit), out);
}

/// Appends the module path of `packs`, what comes before a packed unit in symbols: `Outer__Pack__`
/// or `Outer.Pack.`
///
/// ```
/// let mut path = Vec::new();
/// ocaml_demangle::parts::write_packs(b"Outer__Pack__", &mut path);
/// assert_eq!(path, b"Outer.Pack.");
/// ```
pub fn write_packs(packs: &[u8], out: &mut Vec<u8>) {
    let scheme = Scheme::of(packs);
    let joint = if scheme == Scheme::Underscores { 2 } else { 1 };
    if let Some(end) = packs.len().checked_sub(joint) {
        write_unit(scheme, &packs[..end], out);
        out.push(b'.');
    }
}

/// A symbol of the flat schemes in its parts.
///
/// ```
/// use ocaml_demangle::parts::{FlatSymbol, FunctionKind};
///
/// // Only the program's units show whether this is `Foo_.bar` or `Foo._bar`.
/// let symbol = FlatSymbol::parse(b"camlFoo___bar_81", |unit| unit == b"Foo_").unwrap();
/// assert_eq!(symbol.unit(), b"Foo_");
/// assert_eq!(symbol.function(), Some(FunctionKind::Named(b"bar")));
/// assert_eq!(symbol.stamp(), Some(&b"81"[..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatSymbol<'a> {
    scheme: Scheme,
    unit: &'a [u8],
    /// Decoded, but with its stamp.
    identifier: Cow<'a, [u8]>,
}

impl<'a> FlatSymbol<'a> {
    /// Splits `symbol` into its parts; `None` if it is not mangled by a flat scheme, or only names
    /// a unit.
    ///
    /// `is_unit` says whether a text that follows `caml` in symbols is the name of a unit of the
    /// program. If no unit fits, the symbol is split as [`crate::demangle`] does it, which cannot
    /// distinguish `Foo_.bar` from `Foo._bar`.
    pub fn parse(symbol: &'a [u8], is_unit: impl Fn(&[u8]) -> bool) -> Option<Self> {
        let body = symbol.strip_prefix(b"caml").filter(|body| is_mangled(body))?;
        let scheme = Scheme::of(body);
        // `Pack__Unit` is a unit beside `Pack`: the longest one that fits is taken.
        let known = (1..body.len()).rev().find_map(|end| {
            let identifier = scheme.after_separator(&body[end..])?;
            (!identifier.is_empty() && is_unit(&body[..end])).then_some((&body[..end], identifier))
        });
        let (unit, identifier) = match known {
            Some(known) => known,
            None => {
                let Path { unit, identifier } = split(scheme, body);
                (unit, identifier.filter(|identifier| !identifier.is_empty())?)
            }
        };
        Some(FlatSymbol { scheme, unit, identifier: scheme.decode(identifier) })
    }

    /// The unit as it is mangled, after the units that it is packed in: `Pack__Unit`.
    #[must_use]
    pub fn unit(&self) -> &'a [u8] {
        self.unit
    }

    /// The function that the symbol names, `None` if it is a mark or a constant.
    #[must_use]
    pub fn function(&self) -> Option<FunctionKind<'_>> {
        identifier::function(&self.identifier)
    }

    /// The number that makes the symbol unique, if it has one.
    #[must_use]
    pub fn stamp(&self) -> Option<&[u8]> {
        identifier::stamp(&self.identifier)
    }

    /// Appends the module path of the unit: `Pack.Unit`.
    pub fn write_unit(&self, out: &mut Vec<u8>) {
        write_unit(self.scheme, self.unit, out);
    }

    /// Appends the readable form of the symbol, without its stamp.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.write_unit(out);
        out.push(b'.');
        identifier::write(&self.identifier, Stamps::Drop, out);
    }
}

/// The two parts of a symbol, still encoded.
struct Path<'a> {
    /// The unit, and before it the units that it is packed in: `Pack.Unit`.
    unit: &'a [u8],
    /// The identifier with its stamp. The symbol of a unit's module block has none.
    identifier: Option<&'a [u8]>,
}

/// Splits at separators that are unmistakable: `Unit.f_12`, or packed `Pack.Unit.f_12`.
fn split_path(body: &[u8], scheme: Scheme) -> Path<'_> {
    let Some((first, mut identifier)) = scheme.split_component(body) else {
        return Path { unit: body, identifier: None };
    };
    let mut end = first.len();
    // The functor in `Foo.Make_12` is the identifier: nothing follows it.
    while let Some((component, rest)) = scheme.split_component(identifier)
        && unit::is_module_name(component)
    {
        end += 1 + component.len();
        identifier = rest;
    }
    Path { unit: &body[..end], identifier: Some(identifier) }
}

/// Splits at `__`, which may also be part of a unit's name or of an identifier.
///
/// The unit ends with the last component that has a capital and is followed by another one: an
/// identifier that contains `__Capital` is far rarer than `Eio__core__Fiber` or a pack.
/// `Foo___bar_81` can be `Foo._bar` or `Foo_.bar`; only the symbol table shows which.
fn split_underscores(body: &[u8]) -> Path<'_> {
    let module_block = Path { unit: body, identifier: None };
    let cut = |end: usize| Path { unit: &body[..end], identifier: Some(&body[end + 2..]) };
    // The name of the file may contain `__`: anon_fn$5bdune__exe__Main$2eml$3a21..
    if let Some(end) = find_located_function(body) {
        return cut(end);
    }
    if let Some(end) = body.windows(2).rposition(|w| w == b"__")
        && is_all_but_unit(&body[end + 2..], &body[..end])
    {
        return cut(end);
    }
    let Some(end) = end_of_unit(body) else {
        return module_block;
    };
    // `Foo__Bar` is the module block of a unit; a functor Bar of the unit Foo would have a stamp.
    let last = &body[end + 2..];
    if unit::is_module_name(last) && !identifier::has_stamp(last) {
        return module_block;
    }
    cut(end)
}

/// Whether `last`, which follows the last `__`, is all that does not belong to the unit.
///
/// This holds for symbols without a stamp: `My__lib__code_begin` and `Foo___entry`. It also holds
/// for anonymous functions, since hardly an identifier ends in the keyword: `My__lib__fun_12`.
/// But `Foo___fun_12` is `Foo._fun`, just as `Foo___bar_12` is `Foo._bar`.
fn is_all_but_unit(last: &[u8], unit: &[u8]) -> bool {
    identifier::is_unit_symbol(last)
        || !unit.ends_with(b"_")
            && identifier::has_stamp(last)
            && identifier::function(last) == Some(FunctionKind::Anonymous)
}

/// Returns the length of the unit's name if an identifier follows.
fn end_of_unit(body: &[u8]) -> Option<usize> {
    let followed = || components(body).filter(|&(_, end)| end < body.len());
    let (_, first) = followed().next()?;
    // Stdlib__map__bal_170, as 4.07 to 4.12 name it
    if unit::is_lower_case_stdlib(body)
        && let Some((_, second)) = followed().nth(1)
        && !matches!(&body[second + 2..], [] | [b'_', b'_', ..])
    {
        return Some(second);
    }
    followed()
        .filter(|&(start, end)| unit::is_module_name(&body[start..end]))
        .last()
        .map_or(Some(first), |(_, end)| Some(end))
}

/// The start and end of each part of `body` between `__` separators.
fn components(body: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let joint = body[start..].windows(2).position(|w| w == b"__");
        let end = joint.map_or(body.len(), |at| start + at);
        next = joint.map(|_| end + 2);
        Some((start, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_every_scheme() {
        for (body, name) in [
            ("Foo", "Foo"),
            ("Foo__Bar", "Foo.Bar"),
            ("Foo__bar__baz_12", "Foo.bar__baz"),
            ("Foo__Bar_12", "Foo.Bar"),
            ("Foo__Bar_12_closure", "Foo.Bar"),
            ("Foo__12", "Foo.(const 12)"),
            ("My__lib__entry", "My__lib.(toplevel)"),
            ("Foo___entry", "Foo_.(toplevel)"),
            ("My__lib__fun_12", "My__lib.(fun)"),
            ("My__lib__anon_fn_12", "My__lib.(fun)"),
            ("Pack__Unit__x__fun_12", "Pack.Unit__x.(fun)"),
            ("Foo__bar_fun_12", "Foo.bar_fun"),
            ("Foo__bar__fun_7_12", "Foo.bar__fun_7"),
            ("Foo__bar__fun", "Foo.bar__fun"),
            ("Foo___fun_12", "Foo._fun"),
            ("Foo____fun_12", "Foo.__fun"),
            ("Foo___anon_fn$5bfoo$2eml$3a1$2c2$2d$2d3$5d_4", "Foo_.(fun foo.ml:1)"),
            ("Dune__exe__entry", "Dune__exe.(toplevel)"),
            ("Stdlib__array__entry", "Stdlib.Array.(toplevel)"),
            ("Pack__Unit__f_12", "Pack.Unit.f"),
            ("Pack.Unit.$2b_12", "Pack.Unit.(+)"),
            ("Pack$Unit$f_12", "Pack.Unit.f"),
            ("Pack$Unit$$$2b_12", "Pack.Unit.(+)"),
            ("Pack$Unit$$_12", "Pack.Unit.($)"),
            ("Parent$$2ePack$Unit$f_12", "Parent.Pack.Unit.f"),
            ("Foo$Make$$27_12", "Foo.Make'"),
            ("Foo$12", "Foo.(const 12)"),
            ("Foo$$2b$2b_12", "Foo.(++)"),
            ("Foo$let$2b_12", "Foo.let+"),
            ("Foo$F$27_12", "Foo.F'"),
            ("Foo$cancel$27_12", "Foo.cancel'"),
            ("Pack$Unit$$2b$2b_12", "Pack.Unit.(++)"),
            ("Foo.caf$e9_12", "Foo.caf\u{e9}"),
        ] {
            let mut out = Vec::new();
            assert!(demangle(body.as_bytes(), Stamps::Drop, &mut out), "{body}");
            assert_eq!(String::from_utf8(out).unwrap(), name, "{body}");
        }
    }

    #[test]
    fn a_known_unit_decides_where_its_name_ends() {
        let split = |symbol: &str, units: &[&str]| {
            let is_unit = |unit: &[u8]| units.iter().any(|it| it.as_bytes() == unit);
            let symbol = FlatSymbol::parse(symbol.as_bytes(), is_unit)?;
            let mut name = Vec::new();
            symbol.write(&mut name);
            Some((String::from_utf8(name).unwrap(), symbol.unit.to_vec()))
        };
        for (symbol, units, name, unit) in [
            ("camlFoo___bar_81", &["Foo_"][..], "Foo_.bar", "Foo_"),
            ("camlFoo___bar_81", &["Foo"], "Foo._bar", "Foo"),
            ("camlFoo___bar_81", &[], "Foo._bar", "Foo"),
            ("camlMy__lib__bar_81", &["My__lib"], "My__lib.bar", "My__lib"),
            ("camlFoo__Bar__f_1", &["Foo", "Foo__Bar"], "Foo.Bar.f", "Foo__Bar"),
            ("camlPack.Unit.f_1", &["Pack", "Pack.Unit"], "Pack.Unit.f", "Pack.Unit"),
            ("camlFoo.Make_1", &["Foo"], "Foo.Make", "Foo"),
            ("camlFoo$$$2b_1", &["Foo"], "Foo.(+)", "Foo"),
        ] {
            let expected = Some((name.to_owned(), unit.as_bytes().to_vec()));
            assert_eq!(split(symbol, units), expected, "{symbol} of {units:?}");
        }
        for symbol in ["caml_alloc", "main", "camlFoo", "camlFoo__"] {
            assert_eq!(split(symbol, &["Foo"]), None, "{symbol}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        for body in ["", "_alloc", "foo", "Foo.", "Foo__", "Foo$", "Foo.bar 1", "Foo.bar_1@plt"] {
            assert!(!demangle(body.as_bytes(), Stamps::Drop, &mut Vec::new()), "{body}");
        }
    }
}

//! The flat schemes: `caml`, then unit, separator and identifier, as in `camlStdlib__List.map_342`.
//!
//! Modules inside a unit do not appear in these names. A functor does, as a capitalised function.

use super::scheme::{Scheme, find_located_function};
use super::{Stamps, identifier, unit};

/// Appends the readable form of `body`, a symbol without its `caml`.
pub(super) fn demangle(body: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let is_symbol = |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$');
    body.first().is_some_and(u8::is_ascii_uppercase)
        && body.iter().all(is_symbol)
        && demangle_as(Scheme::of(body), body, stamps, out)
}

/// Appends the readable form of `body`, which is known to be mangled by `scheme`.
pub(super) fn demangle_as(scheme: Scheme, body: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let mut path = match scheme {
        Scheme::Underscores => split_underscores(body),
        Scheme::Dot | Scheme::Dollar | Scheme::Msvc => split_path(body, scheme),
    };
    if path.identifier.is_some_and(<[u8]>::is_empty) {
        return false;
    }
    while let Some((component, rest)) = scheme.split_component(path.unit) {
        unit::write(&scheme.decode(component), out);
        out.push(b'.');
        path.unit = rest;
    }
    unit::write(&scheme.decode(path.unit), out);
    if let Some(identifier) = path.identifier {
        out.push(b'.');
        identifier::write(&scheme.decode(identifier), stamps, out);
    }
    true
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
/// `Foo___bar_81` can be `Foo._bar` or `Foo_.bar`; only the symbol table tells which.
fn split_underscores(body: &[u8]) -> Path<'_> {
    let module_block = Path { unit: body, identifier: None };
    let cut = |end: usize| Path { unit: &body[..end], identifier: Some(&body[end + 2..]) };
    // The name of the file may contain `__`: anon_fn$5bdune__exe__Main$2eml$3a21..
    if let Some(end) = find_located_function(body) {
        return cut(end);
    }
    // Without a stamp, as in `My__lib__code_begin` and `Foo___entry`, only the last part is not the
    // unit.
    if let Some(end) = body.windows(2).rposition(|w| w == b"__")
        && identifier::is_unit_symbol(&body[end + 2..])
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
    fn other_names_are_refused() {
        for body in ["", "_alloc", "foo", "Foo.", "Foo__", "Foo$", "Foo.bar 1", "Foo.bar_1@plt"] {
            assert!(!demangle(body.as_bytes(), Stamps::Drop, &mut Vec::new()), "{body}");
        }
    }
}

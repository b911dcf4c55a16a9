//! Readable names for the functions of executables, and what to say where those of OCaml are
//! not exact.

use std::collections::BTreeSet;

use ocaml_demangle::Stamps;
use symbolize::executable::Symbol;

use super::{cpp, haskell, printable, rust, short_name};

/// The readable name of a function, whatever its language, as `stack-demangle` writes it.
#[must_use]
pub fn symbol_name(function: &Symbol) -> Vec<u8> {
    let name = full_symbol_name(function);
    match function.ocaml {
        Some(_) => name,
        None => short_name(&name).unwrap_or(name),
    }
}

/// The readable name of a function, whatever its language, with all that its symbol says.
#[must_use]
pub fn full_symbol_name(function: &Symbol) -> Vec<u8> {
    if let Some(name) = &function.ocaml {
        return name.with(Stamps::Anonymous);
    }
    let mut name = Vec::new();
    let known = if rust::is_rust(&function.symbol) {
        rust::demangle(&function.symbol, &mut name)
    } else {
        cpp::demangle(&function.symbol, &mut name) || haskell::demangle(&function.symbol, &mut name)
    };
    if known { name } else { function.symbol.clone() }
}

/// How many units are named before they are only counted.
const NAMED: usize = 5;

/// A message that these units of OCaml were compiled without `-g`.
#[must_use]
pub fn without_g(units: &BTreeSet<Vec<u8>>) -> String {
    let named: Vec<_> = units.iter().take(NAMED).map(|it| printable(it)).collect();
    let more = match units.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("compiled without -g, so that fewer names are exact: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use symbolize::executable::{Mark, OcamlName};

    use super::*;

    #[test]
    fn every_language_has_its_names() {
        let ocaml =
            OcamlName { mark: Mark::Symbol, name: b"Lwt.(fun)".to_vec(), stamp: b"8".to_vec() };
        for (symbol, ocaml, expected) in [
            ("camlLwt__fun_8", Some(ocaml), "Lwt.(fun/8)"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", None, "core::fmt::write"),
            ("_ZN5space3fooEii", None, "space::foo(int, int)"),
            ("_Z1fIiEvT_", None, "f<int>(int)"),
            ("memcpy", None, "memcpy"),
        ] {
            let function = Symbol::new(symbol.as_bytes(), 0, ocaml);
            assert_eq!(symbol_name(&function), expected.as_bytes(), "{symbol}");
        }
    }

    #[test]
    fn a_few_units_are_named() {
        let units = |count: u8| (0..count).map(|number| vec![b'A' + number]).collect();
        let start = "compiled without -g, so that fewer names are exact: A, B";
        assert_eq!(without_g(&units(2)), start);
        assert_eq!(without_g(&units(7)), format!("{start}, C, D, E and 2 more"));
    }
}

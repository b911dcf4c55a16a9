//! Readable names for the symbols of OCaml programs.
//!
//! `ocamlopt` names a function after its compilation unit, its identifier and a number that makes
//! the name unique, the *stamp*: `camlStdlib__List__map_342` is `Stdlib.List.map`. How the parts
//! are joined and how other characters are escaped, the *scheme*, has changed several times
//! (`asmcomp/compilenv.ml` until 4.08, then `middle_end/compilenv.ml`; `asmcomp/emitaux.ml`):
//!
//! | OCaml                                    | separator | escape | example                     |
//! |------------------------------------------|-----------|--------|-----------------------------|
//! | up to 5.0                                | `__`      | `$xx`  | `camlStdlib__List__map_342` |
//! | 5.1 and later (ocaml/ocaml#11430)        | `.`       | `$xx`  | `camlStdlib__List.map_342`  |
//! | 5.2 and 5.3 with MSVC (#12640)           | `$`       | `$xx`  | `camlStdlib__List$map_342`  |
//! | 5.4 alpha; 5.4 and later on macOS and    | `$`       | `$$xx` | `camlStdlib__List$map_342`  |
//! | Windows (#13050, #14143)                 |           |        |                             |
//! | OxCaml, flat                             | `__`      | `$xx`  | `camlFoo__map_1_2_code`     |
//! | OxCaml, structured                       | lengths   | `u`    | `_CamlU3FooM3BarF3baz`      |
//!
//! Units may be packed (`-for-pack`), and macOS puts a `_` before every symbol. Linux perf undoes
//! part of the mangling (`tools/perf/util/demangle-ocaml.c`) and damages some names; these are
//! recognised and repaired: `Stdlib.List.map_342`.
//!
//! The result has the form of OCaml's own backtraces, `Stdlib.(^)`, `Main.(fun)`, except that the
//! unit is written as a path: `Stdlib__Map.Make.add` becomes `Stdlib.Map.Make.add`.

use structured::STRUCTURED_PREFIXES;

mod backtrace;
mod flat;
mod identifier;
mod perf;
#[cfg(test)]
mod properties;
mod repair;
mod scheme;
mod structured;
#[cfg(test)]
mod tests;
mod unit;

pub(crate) use backtrace::write as write_backtrace_name;
pub(crate) use flat::{Code, FlatSymbol, write_packs};
pub(crate) use identifier::write_name;

/// What to do with the stamp (`_123`) that the compiler appends to every identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamps {
    /// Dropped for named functions, kept as the identity of anonymous ones: `Lwtsim.(fun/811)`.
    Anonymous,
    /// Dropped: `Lwtsim.run`, `Lwtsim.(fun)`.
    Drop,
    /// Kept: `Lwtsim.run/176`, `Lwtsim.(fun/811)`.
    Keep,
}

/// Appends the readable form of an OCaml `symbol` to `out` and returns true; returns false and
/// leaves `out` as it was if `symbol` is not an OCaml name.
///
/// The result holds no `;`, the separator of folded stacks: the operator `.%(;..)` becomes
/// `(.%(:..))`.
///
/// A result that is given to `demangle` again stays as it is, with one exception: without its
/// stamp, an identifier such as `add_64`, `entry` or `code_begin` looks like a name of perf's.
pub fn demangle(symbol: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    if !append(symbol, stamps, out) {
        out.truncate(start);
        return false;
    }
    for byte in &mut out[start..] {
        if *byte == b';' {
            *byte = b':';
        }
    }
    true
}

/// Chooses the kind of name by how it begins. May leave a part of a name in `out` if it returns
/// false.
fn append(symbol: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let strip = |prefix: &str| symbol.strip_prefix(prefix.as_bytes());
    match symbol.first() {
        // Functions of the runtime, `caml_alloc`, have no capital, which `flat` requires.
        Some(b'c') => strip("caml").is_some_and(|body| flat::demangle(body, stamps, out)),
        Some(b'_') => match strip("_caml") {
            Some(body) => flat::demangle(body, stamps, out),
            None => STRUCTURED_PREFIXES
                .iter()
                .find_map(|prefix| strip(prefix))
                .is_some_and(|path| structured::demangle(path, stamps, out)),
        },
        Some(b'A'..=b'Z') if backtrace::is_mangled(symbol) => {
            backtrace::write(symbol, out);
            true
        }
        Some(b'A'..=b'Z') => perf::demangle(symbol, stamps, out),
        _ => false,
    }
}

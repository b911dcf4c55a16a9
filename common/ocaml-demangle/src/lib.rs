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
//!
//! ```
//! use ocaml_demangle::{Stamps, demangle, demangle_into};
//!
//! let name = demangle("camlStdlib__List__map_342").unwrap();
//! assert_eq!(name.to_string(), "Stdlib.List.map");
//! assert_eq!(demangle("camlStdlib.$5e_137").unwrap().as_str(), "Stdlib.(^)");
//! assert_eq!(demangle("caml_alloc_string"), None);
//!
//! // Symbols are bytes to a linker. One buffer serves many of them: once it is large enough,
//! // nothing is allocated for most names.
//! let mut name = Vec::new();
//! for symbol in [&b"camlMain__fun_811"[..], b"Dune.exe.Main.fun_811"] {
//!     name.clear();
//!     assert!(demangle_into(symbol, Stamps::Drop, &mut name));
//!     assert_eq!(name, b"Main.(fun)");
//! }
//! ```
//!
//! | input   | output                     | function          |
//! |---------|----------------------------|-------------------|
//! | `&str`  | [`Name`], which is text    | [`demangle`]      |
//! | `&str`  | the same, stamps as wanted | [`demangle_with`] |
//! | `&[u8]` | `Vec<u8>`                  | [`demangle_bytes`]|
//! | `&[u8]` | appended to a buffer       | [`demangle_into`] |
//!
//! None of them panics, and there is one error: a symbol is not an OCaml name, which is `None` or
//! `false`. Then the demangler of the next language can be asked.
//!
//! A name may hold any character that is not a control character; the operator `.%(;..)` has a `;`
//! and a `.`. A program that writes names into a format with separators must escape them.
//!
//! [`parts`] is for programs that read an executable's own tables and know more than a symbol says.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// Its examples are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod backtrace;
mod flat;
mod identifier;
mod name;
mod perf;
#[cfg(test)]
mod properties;
mod repair;
mod scheme;
mod stamps;
mod structured;
#[cfg(test)]
mod tests;
mod unit;

pub use name::Name;
pub use stamps::Stamps;

use structured::STRUCTURED_PREFIXES;

/// The parts of names, for programs that read the symbol table or the frame tables of an executable.
pub mod parts {
    pub use crate::backtrace::write as write_backtrace_name;
    pub use crate::flat::{FlatSymbol, write_packs};
    pub use crate::identifier::{FunctionKind, write_name};
}

/// Returns the readable form of an OCaml `symbol`, `None` if it is not an OCaml name.
///
/// Named functions lose their stamp, anonymous ones keep it: [`Stamps::Anonymous`].
///
/// ```
/// # use ocaml_demangle::demangle;
/// let shown = |symbol| demangle(symbol).map(|name| name.to_string());
/// assert_eq!(shown("_camlDune__exe__Main.run_270").as_deref(), Some("Main.run"));
/// assert_eq!(shown("camlLwtsim__fun_811").as_deref(), Some("Lwtsim.(fun/811)"));
/// assert_eq!(shown("_ZN4core3fmt5write17h0123456789abcdefE"), None);
/// ```
#[must_use]
pub fn demangle(symbol: &str) -> Option<Name> {
    demangle_with(symbol, Stamps::default())
}

/// [`demangle`], with stamps as `stamps` says.
///
/// ```
/// # use ocaml_demangle::{Stamps, demangle_with};
/// let name = demangle_with("camlStdlib__Map.add_437", Stamps::Keep).unwrap();
/// assert_eq!(name.as_str(), "Stdlib.Map.add/437");
/// ```
#[must_use]
pub fn demangle_with(symbol: &str, stamps: Stamps) -> Option<Name> {
    let mut out = Vec::new();
    demangle_into(symbol.as_bytes(), stamps, &mut out).then(|| Name::new(out))
}

/// [`demangle`] for a symbol that may not be UTF-8, as perf prints some: `Stdlib.Map\xADd_437`.
///
/// The result is UTF-8 if the symbol is, except that OxCaml's structured scheme can escape any
/// byte.
///
/// ```
/// # use ocaml_demangle::demangle_bytes;
/// assert_eq!(demangle_bytes(b"Stdlib.Map\xadd_437").unwrap(), b"Stdlib.Map.add");
/// ```
#[must_use]
pub fn demangle_bytes(symbol: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    demangle_into(symbol, Stamps::default(), &mut out).then_some(out)
}

/// Appends the readable form of an OCaml `symbol` to `out` and returns true; returns false and
/// leaves `out` as it was if `symbol` is not an OCaml name.
///
/// ```
/// # use ocaml_demangle::{Stamps, demangle_into};
/// let mut line = b"  12.5 %  ".to_vec();
/// assert!(demangle_into(b"camlStdlib__Map$add_437", Stamps::Keep, &mut line));
/// assert_eq!(line, b"  12.5 %  Stdlib.Map.add/437");
/// ```
///
/// A result that is demangled again stays as it is, with one exception: without its
/// stamp, an identifier such as `add_64`, `entry` or `code_begin` looks like a name of perf's.
pub fn demangle_into(symbol: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let is_ocaml = append(symbol, stamps, out);
    if !is_ocaml {
        out.truncate(start);
    }
    is_ocaml
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

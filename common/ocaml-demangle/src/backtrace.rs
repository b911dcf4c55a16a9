//! Names of OCaml's backtraces, in which only the unit is mangled: `Stdlib__Map.Make.add`.
//!
//! memtrace and landmarks write such names, and the frame tables of an executable hold them. They
//! have no stamps.

use super::perf::CLONES;
use super::unit;

/// The name of a unit's initialiser, for which backtraces have only the unit's name.
const TOPLEVEL: &[u8] = b".(toplevel)";

/// Appends the readable form of `name`, a name of backtraces: `Stdlib.Map.Make.add`,
/// `Main.(toplevel)` for `Dune__exe__Main`.
///
/// ```
/// let mut name = Vec::new();
/// ocaml_demangle::parts::write_backtrace_name(b"Stdlib__Map.Make.add", &mut name);
/// assert_eq!(name, b"Stdlib.Map.Make.add");
/// ```
pub fn write(name: &[u8], out: &mut Vec<u8>) {
    let end = name.iter().position(|&b| b == b'.').unwrap_or(name.len());
    let (unit, path) = name.split_at(end);
    unit::write(unit, out);
    out.extend_from_slice(if path.is_empty() { TOPLEVEL } else { path });
}

/// Whether `name` is certainly a name of backtraces that is not readable yet: `Foo__Bar.run`, or a
/// unit alone if its name is one that dune or OCaml itself makes.
pub(super) fn is_mangled(name: &[u8]) -> bool {
    let end = name.iter().position(|&b| b == b'.').unwrap_or(name.len());
    let (unit, path) = name.split_at(end);
    let is_joined = unit.windows(3).any(|w| w.starts_with(b"__") && w[2].is_ascii_uppercase());
    if !is_joined || !unit::is_module_name(unit) {
        return false;
    }
    match path.strip_prefix(b".") {
        Some(path) => is_path(path),
        None => unit.starts_with(b"Dune__exe__") || unit.starts_with(b"Stdlib__"),
    }
}

/// Whether `path` can be the path of a function, such as `Make.add`, `counter#run.(fun)` or
/// `(>>=)`; `isra.0` and `cold`, which compilers of C append to names, cannot.
fn is_path(path: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        let is_number = part.iter().all(u8::is_ascii_digit);
        !is_number && !CLONES.contains(&part) && !part.iter().any(|b| b" (),:;\"".contains(b))
    };
    // An operator may hold anything: (.%(:..))
    let operator = path.windows(2).position(|w| w == b".(");
    let words = &path[..operator.unwrap_or(path.len())];
    let is_function = path.starts_with(b"(") || words.split(|&b| b == b'.').all(is_part);
    is_function && !path.iter().any(u8::is_ascii_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_paths() {
        for (name, expected) in [
            ("Stdlib__Map.Make.add", "Stdlib.Map.Make.add"),
            ("Dune__exe__Main.run.(fun)", "Main.run.(fun)"),
            ("Dune__exe__Main", "Main.(toplevel)"),
            ("Stdlib__Map", "Stdlib.Map.(toplevel)"),
            ("Eio__core__Fiber.fork", "Eio__core.Fiber.fork"),
            ("Pack_store__Codec.counter#run.(fun)", "Pack_store.Codec.counter#run.(fun)"),
            ("Foo__Bar.(>>=)", "Foo.Bar.(>>=)"),
            ("Foo__Bar.(.%(:..)<-)", "Foo.Bar.(.%(:..)<-)"),
            ("Foo__Bar.let*.(fun)", "Foo.Bar.let*.(fun)"),
            ("Foo__Bar.find'", "Foo.Bar.find'"),
            ("Foo__Bar.add_64", "Foo.Bar.add_64"),
            ("Foo__Bar.under__Score", "Foo.Bar.under__Score"),
            ("Foo__Bar.caf\u{e9}", "Foo.Bar.caf\u{e9}"),
        ] {
            assert!(is_mangled(name.as_bytes()), "{name}");
            let mut out = Vec::new();
            write(name.as_bytes(), &mut out);
            assert_eq!(out, expected.as_bytes(), "{name}");
            assert!(!is_mangled(&out), "{expected}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "",
            "Foo",
            "Foo.bar",
            "Foo__Bar",
            "Foo__bar.baz",
            "Foo.bar__Baz",
            "foo__Bar.baz",
            "Foo__Bar.",
            "Foo__Bar::baz",
            "Foo__Bar.baz(int)",
            "Foo__Bar.baz::run",
            "Foo__Bar.baz run",
            "Foo__Bar.isra.0",
            "Foo__Bar.part.0.cold",
            "Foo__Bar.cold",
            "Foo__Bar..baz",
            "Dune__exe",
            "Dune__exe__",
            "Dune__exe__Main\n",
        ] {
            assert!(!is_mangled(name.as_bytes()), "{name}");
        }
    }
}

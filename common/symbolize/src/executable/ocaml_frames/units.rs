//! Compilation units, as symbols and as frame tables name them.

use std::collections::{HashMap, HashSet};

use ocaml_demangle::parts::FlatSymbol;

use crate::executable::image::CodeSymbol;

/// Whether `symbol` names OCaml code. The names of the runtime, which is in C, continue in lower
/// case: `caml_alloc`.
pub(crate) fn is_ocaml(symbol: &[u8]) -> bool {
    symbol
        .strip_prefix(b"caml")
        .is_some_and(|unit| unit.first().is_some_and(u8::is_ascii_uppercase))
}

/// The units of a program, by the names that its symbols begin with: `Stdlib__List`, and
/// `Pack__Unit` or `Pack.Unit` if `Unit` was compiled with `-for-pack Pack`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Units<'a>(HashSet<&'a [u8]>);

impl<'a> Units<'a> {
    /// Every unit marks the start of its code: `camlStdlib__List__code_begin`
    /// or, since OCaml 5.1, `camlStdlib__List.code_begin`.
    pub(crate) fn of(code: &[CodeSymbol<'a>]) -> Units<'a> {
        let units = code.iter().filter_map(|code| {
            let unit = code.symbol.strip_prefix(b"caml")?.strip_suffix(b"code_begin")?;
            let ends = [&b"__"[..], b".", b"$"];
            let unit = ends.iter().find_map(|separator| unit.strip_suffix(*separator))?;
            unit.first().is_some_and(u8::is_ascii_uppercase).then_some(unit)
        });
        Units(units.collect())
    }

    /// Splits a symbol where the name of its unit ends.
    pub(crate) fn split<'s>(&self, symbol: &'s [u8]) -> Option<FlatSymbol<'s>> {
        FlatSymbol::parse(symbol, |unit| self.0.contains(unit))
    }
}

/// The packs of units.
///
/// The frame tables name a function of a packed unit without the pack: `Inode.add` may be in the
/// unit `Inode` or in `Irmin.Inode`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packs<'a> {
    /// The units that the tables name in full.
    unpacked: HashSet<&'a [u8]>,
    /// For each packed unit that only one pack has, the text before it in symbols: `Irmin__` of
    /// `Inode`.
    only: HashMap<&'a [u8], Option<&'a [u8]>>,
}

impl<'a> Packs<'a> {
    /// `named` are the units that the tables name.
    pub(crate) fn of(units: &Units<'a>, named: HashSet<&'a [u8]>) -> Packs<'a> {
        let mut only = HashMap::new();
        for &unit in units.0.difference(&named) {
            for inner in named.iter().filter(|inner| !units.0.contains(*inner)) {
                if let Some(pack) = pack_of(unit, inner) {
                    only.entry(*inner).and_modify(|only| *only = None).or_insert(Some(pack));
                }
            }
        }
        let unpacked = units.0.intersection(&named).copied().collect();
        Packs { unpacked, only }
    }

    /// The text before `unit` in symbols: `Irmin__`, or nothing. The tables name `unit` in the code
    /// of `home`, a unit as symbols name it.
    pub(crate) fn prefix(&self, unit: &[u8], home: &'a [u8]) -> &'a [u8] {
        let is_packed = !self.unpacked.contains(home);
        let own = pack_of(home, unit).filter(|_| is_packed);
        own.or_else(|| self.only.get(unit).copied().flatten()).unwrap_or_default()
    }
}

/// `Irmin__` of `Irmin__Inode` and `Inode`.
fn pack_of<'a>(unit: &'a [u8], inner: &[u8]) -> Option<&'a [u8]> {
    let pack = unit.strip_suffix(inner)?;
    let is_joined = pack.ends_with(b"__") || matches!(pack.last(), Some(b'.' | b'$'));
    is_joined.then_some(pack)
}

/// `Stdlib__Map` of `Stdlib__Map.Make.add`.
pub(crate) fn unit_of(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == b'.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_is_not_ocaml() {
        assert!(is_ocaml(b"camlStdlib__List__map_342"));
        for symbol in ["caml_alloc", "caml", "main", "_camlFoo__f_1", ""] {
            assert!(!is_ocaml(symbol.as_bytes()), "{symbol}");
        }
    }
}

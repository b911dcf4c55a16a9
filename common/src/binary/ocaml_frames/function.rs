//! Functions by the calls in them.

use std::collections::HashMap;

use crate::binary::executable::Code;

use super::{Call, Place};

/// What the calls in the code of a function say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function<'a> {
    /// As `Printexc` prints it.
    pub(crate) name: &'a [u8],
    /// Where its first known line is.
    pub(crate) file: &'a [u8],
    pub(crate) line: u32,
}

/// Returns true if and only if `symbol` names OCaml code; the runtime's own
/// names, in C, go on in lower case: `caml_alloc`.
pub(crate) fn is_ocaml(symbol: &[u8]) -> bool {
    symbol
        .strip_prefix(b"caml")
        .is_some_and(|unit| unit.first().is_some_and(u8::is_ascii_uppercase))
}

/// The functions of `code`, which is sorted, by their index there. One without
/// calls and allocations is not among them.
///
/// Its name is the one that most of its calls have as their function proper:
/// flambda copies a function with its debug information, so a copy in another
/// unit bears the name of the original.
pub(crate) fn functions<'a>(code: &[Code], calls: &[Call<'a>]) -> HashMap<usize, Function<'a>> {
    let ours: Vec<usize> = (0..code.len())
        .filter(|&index| code[index].is_function && is_ocaml(code[index].symbol))
        .collect();
    let mut tallies: HashMap<usize, Tally> = HashMap::new();
    for call in calls {
        // A call may be the last instruction: then its return address belongs
        // to the next function.
        let Some(inside) = call.return_address.checked_sub(1) else { continue };
        let next = ours.partition_point(|&index| code[index].address <= inside);
        let Some(&index) = next.checked_sub(1).and_then(|last| ours.get(last)) else { continue };
        let Code { address, size, .. } = code[index];
        let is_within = size == 0 || inside - address < size;
        if let Some(place) = call.physical().filter(|_| is_within) {
            tallies.entry(index).or_default().add(place);
        }
    }
    let winners = tallies.into_iter();
    winners.filter_map(|(index, tally)| Some((index, tally.winner()?))).collect()
}

/// How many calls say what.
#[derive(Default)]
struct Tally<'a> {
    /// In the order of their first call; there is rarely more than one.
    names: Vec<(&'a [u8], u32)>,
    first_line: Option<(u32, &'a [u8])>,
}

impl<'a> Tally<'a> {
    fn add(&mut self, place: &Place<'a>) {
        match self.names.iter_mut().find(|(name, _)| *name == place.function) {
            Some((_, count)) => *count += 1,
            None => self.names.push((place.function, 1)),
        }
        let here = (place.line, place.file);
        self.first_line = Some(self.first_line.map_or(here, |first| first.min(here)));
    }

    /// Of equally frequent names, the first.
    fn winner(self) -> Option<Function<'a>> {
        let (name, _) = self.names.iter().rev().max_by_key(|(_, count)| *count)?;
        let (line, file) = self.first_line?;
        Some(Function { name, file, line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(return_address: u64, function: &'a str, line: u32) -> Call<'a> {
        let place =
            |function: &'a str, line| Place { function: function.as_bytes(), file: b"f.ml", line };
        Call { return_address, places: vec![place("Inlined.f", 1), place(function, line)] }
    }

    fn code(address: u64, symbol: &str, size: u64) -> Code<'_> {
        Code { address, symbol: symbol.as_bytes(), size, is_function: true }
    }

    #[test]
    fn a_function_is_named_by_most_of_its_calls() {
        let code = [
            code(10, "camlA__f_1", 10),
            code(20, "camlA__g_2", 0),
            code(30, "caml_c", 5),
            code(40, "camlA__leaf_3", 10),
        ];
        let calls = [
            // The last instruction of f is a call: 20 is where g starts.
            call(20, "A.f", 9),
            call(15, "A.f", 7),
            call(12, "B.copied", 3),
            call(21, "A.tie", 5),
            call(22, "A.g", 4),
            // Behind g, whose size is not known, and before all code.
            call(33, "A.tie", 8),
            call(5, "A.nowhere", 1),
            call(0, "A.nowhere", 1),
            // Behind the end of leaf.
            call(60, "A.nowhere", 1),
        ];
        let found = functions(&code, &calls);
        let expected =
            |name: &'static str, line| Function { name: name.as_bytes(), file: b"f.ml", line };
        assert_eq!(found.get(&0), Some(&expected("A.f", 3)));
        assert_eq!(found.get(&1), Some(&expected("A.tie", 4)));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn of_equally_frequent_names_the_first_is_taken() {
        let code = [code(10, "camlA__f_1", 10)];
        let calls = [call(12, "A.one", 1), call(13, "A.two", 1)];
        assert_eq!(functions(&code, &calls)[&0].name, b"A.one");
    }

    #[test]
    fn the_runtime_is_not_ocaml() {
        assert!(is_ocaml(b"camlStdlib__List__map_342"));
        for symbol in ["caml_alloc", "caml", "main", "_camlFoo__f_1", ""] {
            assert!(!is_ocaml(symbol.as_bytes()), "{symbol}");
        }
    }
}

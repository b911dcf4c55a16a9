//! Names of OCaml's functions from the executable's frame tables, which have the module of each
//! function and the functions that were inlined at each call.

use memchr::memrchr;
use ocaml_demangle::{Stamps, demangle_into};

use super::inlines::FileLine;
use crate::executable::{Call, CallFrame, Symbols};

/// The functions and calls in the frame tables of one executable.
#[derive(Debug)]
pub(super) struct ExactNames {
    /// By return address. Several may have the same one, for allocations that are made together.
    calls: Vec<Call<'static>>,
    /// All functions by address, with their names if they are OCaml's.
    functions: Vec<(u64, Option<Vec<u8>>)>,
}

impl ExactNames {
    /// Reads the tables of an executable; `None` if it is not one of OCaml, or is stripped.
    pub(super) fn new(elf: &'static [u8]) -> Option<ExactNames> {
        let (symbols, mut calls) = Symbols::parse_with_calls(elf).ok()?;
        calls.sort_by_key(|call| call.return_address);
        let functions = symbols.functions.into_iter().map(|function| {
            let name = function.ocaml.map(|name| stable(name.with(Stamps::Anonymous)));
            (function.address, name)
        });
        let mut functions: Vec<(u64, Option<Vec<u8>>)> = functions.collect();
        // Symbols with the same address are one function.
        functions.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.take().or(next.1.take());
            }
            is_same
        });
        Some(ExactNames { calls, functions })
    }

    /// Calls `each` with the functions at `address`, which is that in the file, and their lines:
    /// first the inlined ones, for which the last argument is true, then the function around them.
    /// Returns false, without a call of `each`, if the code is not OCaml's.
    ///
    /// The address of a caller may be that of the last byte of its call, or its return address.
    pub(super) fn frames(
        &self,
        address: u64,
        each: &mut dyn FnMut(&[u8], &FileLine<'_>, bool),
    ) -> bool {
        let next = self.functions.partition_point(|(start, _)| *start <= address);
        let function = next.checked_sub(1).map(|last| &self.functions[last]);
        let Some((start, Some(name))) = function else { return false };
        // No call returns to the first instruction of its function.
        let returns = || self.call(address).filter(|_| address > *start);
        let call = address.checked_add(1).and_then(|next| self.call(next)).or_else(returns);
        let frames = call.unwrap_or_default();
        for (depth, frame) in (1..).zip(frames) {
            let source = frame.source();
            let line = source.as_ref().map(|it| FileLine { file: &it.file, line: it.line });
            let is_inlined = depth < frames.len();
            each(&stable(frame.readable()), &line.unwrap_or_default(), is_inlined);
        }
        if call.is_none() {
            each(name, &FileLine::default(), false);
        }
        true
    }

    /// The frames of the call that returns to `address`; if several allocations do, the frames that
    /// all of them have.
    fn call(&self, address: u64) -> Option<&[CallFrame<'static>]> {
        let first = self.calls.partition_point(|call| call.return_address < address);
        let (first, others) = self.calls[first..].split_first()?;
        if first.return_address != address {
            return None;
        }
        let mut frames = &first.frames[..];
        for other in others.iter().take_while(|call| call.return_address == address) {
            let pairs = frames.iter().rev().zip(other.frames.iter().rev());
            let name = |frame: &CallFrame<'static>| (frame.pack, frame.function);
            let same = pairs.take_while(|(one, other)| name(one) == name(other)).count();
            frames = &frames[frames.len() - same..];
        }
        (!frames.is_empty()).then_some(frames)
    }
}

/// The name in a form that a demangler does not change: it would take the number in `Foo.add_64`
/// for a stamp, so this becomes `Foo.(add_64)`, which means the same in OCaml.
fn stable(name: Vec<u8>) -> Vec<u8> {
    let mut demangled = Vec::new();
    let is_symbol = demangle_into(&name, Stamps::Keep, &mut demangled) && demangled != name;
    match memrchr(b'.', &name) {
        Some(dot) if is_symbol => [&name[..=dot], b"(", &name[dot + 1..], b")"].concat(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::LazyLock;

    use super::super::testing::test_data;
    use super::*;
    use crate::executable::ocaml_calls;

    /// A program with the frame tables of OCaml 5.2.
    static PROGRAM: LazyLock<&'static [u8]> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("frames");
        let sources = ["frames.s", "frames.c"].map(test_data);
        let built = Command::new("cc").arg("-o").arg(&program).args(sources).status();
        assert!(built.expect("cc").success());
        std::fs::read(program).expect("it was built").leak()
    });

    /// The frames at an address, each as `name line`, the innermost first.
    fn frames(names: &ExactNames, address: u64) -> Option<Vec<String>> {
        let mut frames = Vec::new();
        let is_ocaml = names.frames(address, &mut |name, line, is_inlined| {
            let mut frame = [name, if is_inlined { b" < " } else { b" " }].concat();
            line.write(&mut frame);
            frames.push(String::from_utf8(frame).expect("ASCII"));
        });
        is_ocaml.then_some(frames)
    }

    fn start_of(name: &str) -> u64 {
        let (symbols, _) = Symbols::parse_with_calls(&PROGRAM).expect("OCaml");
        let found = symbols.functions.iter().find(|it| it.symbol == name.as_bytes());
        found.expect("a function").address
    }

    #[test]
    fn a_call_has_the_frames_that_the_tables_give_it() {
        let names = ExactNames::new(&PROGRAM).expect("OCaml");
        let calls = ocaml_calls(&PROGRAM).expect("OCaml");
        assert!(calls.iter().any(|call| call.frames.len() > 1), "one with an inlined function");
        for call in &calls {
            let expected: Vec<_> = call
                .frames
                .iter()
                .map(|frame| {
                    let name = String::from_utf8(frame.readable()).expect("ASCII");
                    let source = frame.source().map_or_else(Vec::new, |source| source.to_bytes());
                    let source = String::from_utf8(source).expect("ASCII");
                    let is_inlined = !std::ptr::eq(frame, call.frames.last().expect("one"));
                    format!("{name} {}{source}", if is_inlined { "< " } else { "" })
                })
                .collect();
            // perf prints an address within the call.
            assert_eq!(frames(&names, call.return_address - 1), Some(expected.clone()));
            // A call may be the last instruction: its return address then belongs to another
            // function.
            let next_begins = start_of("camlFoo.map_34");
            if call.return_address != next_begins {
                assert_eq!(frames(&names, call.return_address), Some(expected));
            }
        }
    }

    #[test]
    fn other_code_has_the_name_of_its_function() {
        let names = ExactNames::new(&PROGRAM).expect("OCaml");
        for (symbol, name) in [
            ("camlFoo.run_12", "Foo.Make.run "),
            ("camlFoo.map_34", "Stdlib.List.map "),
            ("camlFoo.$3b$40_78", "Foo.(;@) "),
            ("camlBar.fun_9", "Bar.(fun/9) "),
        ] {
            assert_eq!(frames(&names, start_of(symbol)), Some(vec![name.to_owned()]), "{symbol}");
        }
        for address in [start_of("main"), start_of("leaf"), 0, u64::MAX] {
            assert_eq!(frames(&names, address), None, "{address:#x}");
        }
        assert!(ExactNames::new(b"no executable").is_none());
    }

    #[test]
    fn demangled_names_stay_as_they_are() {
        for (name, expected) in [
            ("Stdlib.Map.Make.add", "Stdlib.Map.Make.add"),
            ("Main.run.(fun)", "Main.run.(fun)"),
            ("Main.(fun/12)", "Main.(fun/12)"),
            ("Foo.(.%(:..))", "Foo.(.%(:..))"),
            ("Foo.counter#add_2", "Foo.counter#add_2"),
            ("Eio__core.Fiber.fork", "Eio__core.Fiber.fork"),
            // Here the end looks like a stamp, or like a mark of the compiler's.
            ("Stdlib.String.is_valid_utf_8", "Stdlib.String.(is_valid_utf_8)"),
            ("Foo.Make.add_64", "Foo.Make.(add_64)"),
            ("Foo.entry", "Foo.(entry)"),
            ("Foo.code_begin", "Foo.(code_begin)"),
        ] {
            let stable = stable(name.into());
            assert_eq!(stable, expected.as_bytes());
            let mut demangled = Vec::new();
            assert!(!demangle_into(&stable, Stamps::Anonymous, &mut demangled), "{name}");
        }
    }
}

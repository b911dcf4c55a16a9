//! Demangles C++ names of the Itanium ABI, which all systems but Windows use,
//! with the crate cpp_demangle.

use std::fmt;

use bstr::ByteSlice;
use cpp_demangle::{BorrowedSymbol, DemangleNodeType, DemangleOptions, DemangleWrite};

/// The longest readable name in bytes. A name that would be longer stays mangled:
/// a few bytes that refer to each other can stand for gigabytes of text.
const LONGEST: usize = 64 * 1024;

/// Appends the readable form of `symbol` and returns true; returns false and
/// leaves `out` as it was if `symbol` is not a C++ name.
pub fn demangle(symbol: &[u8], out: &mut Vec<u8>) -> bool {
    // Names begin with `_Z`. macOS adds a `_`, and Clang two more for blocks.
    let body = symbol.trim_start_with(|char| char == '_');
    let underscores = symbol.len() - body.len();
    if !(1..=4).contains(&underscores) || !body.starts_with(b"Z") {
        return false;
    }
    if let Some(Thunk { kind, target }) = Thunk::of(&body[1..]) {
        let start = out.len();
        out.extend_from_slice(kind);
        let demangled = demangle_whole(&[b"_Z", target].concat(), out);
        if !demangled {
            out.truncate(start);
        }
        return demangled;
    }
    demangle_whole(symbol, out)
}

fn demangle_whole(symbol: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(name) = BorrowedSymbol::new(symbol) else { return false };
    let mut text = Limited { text: String::new() };
    if name.structured_demangle(&mut text, &DemangleOptions::default()).is_err() {
        return false;
    }
    // The crate writes `AnalysisManager<Module, >` for an empty parameter pack;
    // perf and c++filt write `AnalysisManager<Module>`.
    out.extend_from_slice(text.text.replace(", >", ">").as_bytes());
    true
}

/// Text of at most [`LONGEST`] bytes.
struct Limited {
    text: String,
}

impl DemangleWrite for Limited {
    fn push_demangle_node(&mut self, _: DemangleNodeType) {}

    fn pop_demangle_node(&mut self) {}

    fn write_string(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// A function that adjusts `this` and then jumps to another function.
///
/// The crate writes `{virtual override thunk({offset(-8)}, A::f())}`; perf
/// and c++filt write `non-virtual thunk to A::f()`.
struct Thunk<'a> {
    kind: &'static [u8],
    /// The other function's symbol, without its `_Z`.
    target: &'a [u8],
}

impl<'a> Thunk<'a> {
    /// Reads `Thn16_N1A1fEv`, `Tv0_n24_N1A1fEv` or `Tch0_h16_N1A1fEv`.
    fn of(body: &'a [u8]) -> Option<Thunk<'a>> {
        let offset = body.strip_prefix(b"T")?;
        match offset.first()? {
            b'h' => Some(Thunk { kind: b"non-virtual thunk to ", target: after_offset(offset)? }),
            b'v' => Some(Thunk { kind: b"virtual thunk to ", target: after_offset(offset)? }),
            b'c' => {
                let target = after_offset(after_offset(&offset[1..])?)?;
                Some(Thunk { kind: b"covariant return thunk to ", target })
            }
            _ => None,
        }
    }
}

/// The text after an offset such as `hn16_`, or a virtual one such as `v0_n24_`.
fn after_offset(text: &[u8]) -> Option<&[u8]> {
    match text.split_first()? {
        (b'h', number) => after_number(number),
        (b'v', numbers) => after_number(after_number(numbers)?),
        _ => None,
    }
}

/// The text after `16_` or `n16_`.
fn after_number(text: &[u8]) -> Option<&[u8]> {
    let digits = text.strip_prefix(b"n").unwrap_or(text);
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).filter(|&end| end > 0)?;
    digits[end..].strip_prefix(b"_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demangled(symbol: &str) -> Option<String> {
        let mut out = b"kept".to_vec();
        let known = demangle(symbol.as_bytes(), &mut out);
        let out = String::from_utf8(out).expect("UTF-8");
        assert!(known || out == "kept");
        known.then(|| out["kept".len()..].to_owned())
    }

    #[test]
    fn names_are_those_of_cppfilt() {
        for (symbol, name) in [
            ("_ZN5space3fooEii", "space::foo(int, int)"),
            ("__ZN5space3fooEii", "space::foo(int, int)"),
            ("_ZNK3Foo3barEi", "Foo::bar(int) const"),
            ("_Z3fooIiEvT_", "void foo<int>(int)"),
            ("_ZN3FoocviEv", "Foo::operator int()"),
            ("_ZN3FooclIiEEvT_", "void Foo::operator()<int>(int)"),
            ("_ZZ3fooiENKUlvE_clEv", "foo(int)::{lambda()#1}::operator()() const"),
            ("_ZN12_GLOBAL__N_13fooEi", "(anonymous namespace)::foo(int)"),
            ("_ZNSt8functionIFviEEclEi", "std::function<void (int)>::operator()(int)"),
            ("_ZN3foo3barEv.isra.0.cold", "foo::bar() [clone .isra.0] [clone .cold]"),
            ("_ZN3foo3barEv.llvm.123", "foo::bar() [clone .llvm.123]"),
            ("_Z1fB5cxx11v", "f[abi:cxx11]()"),
            (
                "_ZN4llvm10IPSCCPPass3runERNS_6ModuleERNS_15AnalysisManagerIS1_JEEE",
                "llvm::IPSCCPPass::run(llvm::Module&, llvm::AnalysisManager<llvm::Module>&)",
            ),
            ("_ZThn16_N3foo3barEv", "non-virtual thunk to foo::bar()"),
            ("_ZTv0_n24_N3foo3barEv", "virtual thunk to foo::bar()"),
            ("__ZThn16_N3foo3barEv", "non-virtual thunk to foo::bar()"),
            ("_ZTch0_h16_N3foo3barEv", "covariant return thunk to foo::bar()"),
            ("___ZN3foo3barEv_block_invoke", "invocation function for block in foo::bar()"),
        ] {
            assert_eq!(demangled(symbol).as_deref(), Some(name), "{symbol}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for symbol in [
            "",
            "i",
            "main",
            "Z",
            "ZN5space3fooEii",
            "_Z",
            "_____ZN5space3fooEii",
            "_ZN5space",
            "_ZN5space3fooEii?",
            "_ZThn16_",
            "_ZTh",
            "_ZTc",
            "_zend_vm",
        ] {
            assert_eq!(demangled(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn hostile_names_are_left_alone() {
        for symbol in [
            format!("_Z1f{}i", "P".repeat(20_000)),
            format!("_Z1f{}", "F".repeat(20_000)),
            "_ZN".repeat(5000),
            format!("_Z1fI{}", "LZ".repeat(3000)),
            format!("_Z1fI{}", "X".repeat(9000)),
        ] {
            assert_eq!(demangled(&symbol), None);
        }
    }

    #[test]
    fn a_name_that_stands_for_gigabytes_is_left_alone() {
        // B<A, A>, then B of two of these, and so on: 2^20 times A.
        let mut symbol = "_Z1f1A1BIS_S_E".to_owned();
        for number in (b'1'..=b'9').chain(b'A'..=b'J') {
            let number = char::from(number);
            symbol.push_str(&format!("S0_IS{number}_S{number}_E"));
        }
        assert_eq!(demangled(&symbol), None);
    }
}

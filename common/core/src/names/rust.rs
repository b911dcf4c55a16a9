//! Demangles Rust's names with the crate rustc-demangle.
//!
//! | scheme  | mangled                                        | readable        |
//! |---------|------------------------------------------------|-----------------|
//! | legacy  | `_ZN4core3fmt5write17h0123456789abcdefE`       | `core::fmt::write` |
//! | v0      | `_RNvNtCs1234_4core3fmt5write`                 | `core::fmt::write` |
//! | partly  | `core::fmt::write::h0123456789abcdef`          | `core::fmt::write` |
//!
//! The last form is what demanglers for C++ make of legacy names. Old perf, DTrace
//! and macOS's `sample` print it: `_$LT$T$u20$as$u20$a..B$GT$::f::h0123456789abcdef`.

use std::fmt::Write;

use bstr::ByteSlice;

/// The length of `h0123456789abcdef`, the hash at the end of legacy names.
const HASH_LENGTH: usize = 17;

/// Whether `symbol` has a form that only Rust's names have.
#[must_use]
pub fn is_rust(symbol: &[u8]) -> bool {
    is_v0(symbol) || is_legacy(symbol) || PartlyDemangled::of(symbol).is_some()
}

/// Appends the readable form of `symbol`, without its hashes, and returns
/// true; returns false and leaves `out` as it was when it cannot be read.
pub fn demangle(symbol: &[u8], out: &mut Vec<u8>) -> bool {
    match PartlyDemangled::of(symbol) {
        Some(name) => name.demangle(out),
        None => demangle_whole(symbol, out),
    }
}

/// `_R`, and with the `_` that macOS adds; paths begin in upper case.
fn is_v0(symbol: &[u8]) -> bool {
    let path = symbol.strip_prefix(b"__R").or_else(|| symbol.strip_prefix(b"_R"));
    path.and_then(<[u8]>::first).is_some_and(|tag| tag.is_ascii_uppercase() || tag.is_ascii_digit())
}

/// `_ZN..17h0123456789abcdefE`: C++ has the same prefix but not the hash.
/// Windows drops the first `_`, macOS adds one.
fn is_legacy(symbol: &[u8]) -> bool {
    let is_hash = |at: usize| {
        let hash = &symbol[at + 2..];
        starts_with_hash(hash) && matches!(hash[HASH_LENGTH..], [b'E'] | [b'E', b'.', ..])
    };
    [&b"_ZN"[..], b"__ZN", b"ZN"].iter().any(|prefix| symbol.starts_with(prefix))
        && symbol.find_iter("17h").any(is_hash)
}

/// Whether `text` begins with `h0123456789abcdef`.
fn starts_with_hash(text: &[u8]) -> bool {
    let is_hex = |&byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match text.get(..HASH_LENGTH) {
        Some([b'h', digits @ ..]) => digits.iter().all(is_hex),
        _ => false,
    }
}

fn demangle_whole(symbol: &[u8], out: &mut Vec<u8>) -> bool {
    // The crate takes text only, and writes these words into a name of which it
    // cannot read the rest.
    const FAILURES: [&str; 3] =
        ["{invalid syntax}", "{recursion limit reached}", "{size limit reached}"];
    let Ok(symbol) = std::str::from_utf8(symbol) else { return false };
    let Ok(name) = rustc_demangle::try_demangle(symbol) else { return false };
    let mut text = String::new();
    if write!(text, "{name:#}").is_err() || FAILURES.iter().any(|failure| text.contains(failure)) {
        return false;
    }
    out.extend_from_slice(text.as_bytes());
    true
}

/// A legacy name that was partly demangled by a demangler for C++.
struct PartlyDemangled<'a> {
    /// The path with `::` between its parts; other characters are still escaped.
    path: &'a [u8],
    /// The text after the hash: ` [clone .cold]`, `.llvm.123`.
    clone: &'a [u8],
}

impl<'a> PartlyDemangled<'a> {
    fn of(symbol: &'a [u8]) -> Option<PartlyDemangled<'a>> {
        if let Some(at) = symbol.rfind("::h")
            && starts_with_hash(&symbol[at + 2..])
        {
            let clone = &symbol[at + 2 + HASH_LENGTH..];
            let is_clone = [&b"."[..], b" [clone ", b" (."].iter().any(|c| clone.starts_with(c));
            let path = &symbol[..at];
            return (clone.is_empty() || is_clone).then_some(PartlyDemangled { path, clone });
        }
        // perf drops the hash and keeps the escapes: _$LT$T$u20$as$u20$..
        let escapes = ["$LT$", "$RF$", "$u7b$", "$u20$"];
        // To search for a byte is much faster than for a text, and few names have it.
        let has_dollar = symbol.contains(&b'$');
        let is_path = has_dollar && symbol.contains_str("::") && !symbol.starts_with(b"_ZN");
        (is_path && escapes.iter().any(|escape| symbol.contains_str(escape)))
            .then_some(PartlyDemangled { path: symbol, clone: b"" })
    }

    /// Mangles the path again, as the crate reads only mangled names.
    fn demangle(&self, out: &mut Vec<u8>) -> bool {
        let mut symbol = b"_ZN".to_vec();
        for part in self.path.split_str("::") {
            if part.is_empty() {
                return false;
            }
            symbol.extend_from_slice(part.len().to_string().as_bytes());
            symbol.extend_from_slice(part);
        }
        symbol.extend_from_slice(b"17h0000000000000000E");
        if self.clone.starts_with(b".") {
            symbol.extend_from_slice(self.clone);
            return demangle_whole(&symbol, out);
        }
        let demangled = demangle_whole(&symbol, out);
        if demangled {
            out.extend_from_slice(self.clone);
        }
        demangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demangled(symbol: &str) -> Option<String> {
        let mut out = Vec::new();
        let known = is_rust(symbol.as_bytes()) && demangle(symbol.as_bytes(), &mut out);
        assert!(known || out.is_empty());
        known.then(|| String::from_utf8(out).expect("UTF-8"))
    }

    #[test]
    fn legacy_names_lose_their_hash() {
        for (symbol, name) in [
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("__ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("_ZN4core3fmt5write17h0123456789abcdefE.llvm.9D1C9369", "core::fmt::write"),
            ("_ZN4core3fmt5write17h0123456789abcdefE.cold", "core::fmt::write.cold"),
            ("_ZN4core3fmt5write17h0123456789abcdefE.cold.1", "core::fmt::write.cold.1"),
            (
                "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
                "<Test + 'static as foo::Bar<Test>>::bar",
            ),
            ("_ZN3foo28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "foo::{{closure}}"),
        ] {
            assert_eq!(demangled(symbol).as_deref(), Some(name), "{symbol}");
        }
    }

    #[test]
    fn v0_names_are_demangled() {
        for (symbol, name) in [
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("__RNvC6_123foo3bar", "123foo::bar"),
            ("_RNvC6_123foo3bar.llvm.9D1C9369", "123foo::bar"),
            ("_RNvC6_123foo3bar.cold", "123foo::bar.cold"),
            ("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"),
            ("_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>"),
            ("_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3new", "<std::path::PathBuf>::new"),
        ] {
            assert_eq!(demangled(symbol).as_deref(), Some(name), "{symbol}");
        }
    }

    #[test]
    fn names_demangled_by_half_are_completed() {
        for (symbol, name) in [
            (
                "core::ops::function::FnOnce::call_once::h0123456789abcdef",
                "core::ops::function::FnOnce::call_once",
            ),
            (
                "_$LT$std..fs..ReadDir$u20$as$u20$core..iter..Iterator$GT$::next::hc14f1750ca79129b",
                "<std::fs::ReadDir as core::iter::Iterator>::next",
            ),
            (
                "rg::search::_$u7b$$u7b$closure$u7d$$u7d$::h6e849b55a66fcd85",
                "rg::search::{{closure}}",
            ),
            (
                "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$::head",
                "<alloc::vec::Vec<T> as core::ops::Drop>::head",
            ),
            ("<T as a::B<U>>::f::h0123456789abcdef", "<T as a::B<U>>::f"),
            ("core::fmt::write::h0123456789abcdef [clone .cold]", "core::fmt::write [clone .cold]"),
            ("core::fmt::write::h0123456789abcdef.llvm.123", "core::fmt::write"),
            ("core::fmt::write::h0123456789abcdef.cold", "core::fmt::write.cold"),
        ] {
            assert_eq!(demangled(symbol).as_deref(), Some(name), "{symbol}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for symbol in [
            "_ZN5space3fooEii",
            "_ZN3foo17h0123456789abcdeE",
            "_ZN3foo17h0123456789abcdefEii",
            "_ZN3foo17h0123456789abcdef",
            "foo::h0123456789abcde",
            "foo::h0123456789abcdef(int)",
            "foo::h0123456789ABCDEF",
            "::h0123456789abcdef",
            "a::::h0123456789abcdef",
            "_Read",
            "_R",
            "__R",
            "_RNG",
            "RNvC6_123foo3bar",
            "std::fs::File::open",
            "Foo$LT$",
        ] {
            assert_eq!(demangled(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn names_that_end_in_an_apology_are_left_alone() {
        // A name that refers to itself.
        assert_eq!(demangled("_RNvB_1a"), None);
        assert_eq!(demangled(&format!("_RIC0{}E", "R".repeat(2000))), None);
    }
}

//! Names that Linux perf has partly demangled: `Stdlib.List.map_342`.
//!
//! perf (`tools/perf/util/demangle-ocaml.c`, unchanged up to 6.19) drops `caml`, turns every `__`
//! into `.` and every `$` with two hexadecimal digits into a byte, and keeps the stamp. This module
//! restores the symbol and demangles it.
//!
//! perf does not know the `$` scheme. If an identifier begins with two hexadecimal digits, perf
//! makes one byte of the separator and these: it prints `Stdlib__Map$add_437` as
//! `Stdlib.Map\xADd_437`.

use super::stamps::Stamps;
use super::{flat, repair};

/// Words that compilers of C append to copies and parts of a function, after a dot.
pub(super) const CLONES: [&[u8]; 12] = [
    b"argelim",
    b"argprom",
    b"clone",
    b"cold",
    b"constprop",
    b"isra",
    b"llvm",
    b"localalias",
    b"lto_priv",
    b"outlined",
    b"part",
    b"specialized",
];

/// Appends the readable form of `symbol`, a name that perf has demangled.
///
/// Such a name has no mark of its own. So it must have a stamp or be that of a unit's code, and
/// contain nothing that is impossible in what perf makes of OCaml's symbols.
pub(super) fn demangle(symbol: &[u8], stamps: Stamps, out: &mut Vec<u8>) -> bool {
    let is_foreign = |w: &[u8]| w == b"__" || w[0].is_ascii_control();
    if !ends_like_ocaml(symbol) || symbol.windows(2).any(is_foreign) {
        return false;
    }
    match repair::mangle(symbol) {
        Some((scheme, body)) => flat::demangle_as(scheme, &body, stamps, out),
        None => false,
    }
}

/// Whether `symbol` ends in a stamp or names a part of a unit's code.
fn ends_like_ocaml(symbol: &[u8]) -> bool {
    match symbol.last() {
        Some(b'0'..=b'9') => {
            let (head, number) = split_digits(symbol);
            match head.last() {
                Some(b'_') => number.len() == 1 || number[0] != b'0',
                // `x_1.536` was `x_1__536` before perf: the name `x_1_` and its stamp.
                Some(b'.') => ends_in_name(&head[..head.len() - 1]),
                _ => false,
            }
        }
        Some(b'e') => symbol.strip_suffix(b"_code").is_some_and(ends_in_two_numbers),
        Some(b'y' | b'n' | b'd') => [&b"entry"[..], b"code_begin", b"code_end"]
            .iter()
            .filter_map(|name| symbol.strip_suffix(*name))
            .any(|unit| matches!(unit.last(), Some(b'.' | b'$'))),
        _ => false,
    }
}

/// Splits `text` before the digits at its end.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
    text.split_at(end)
}

/// Whether `text` ends in two numbers, as `_1_2` before OxCaml's `_code`.
fn ends_in_two_numbers(text: &[u8]) -> bool {
    let (head, last) = split_digits(text);
    let first = head.strip_suffix(b"_").map(split_digits);
    !last.is_empty() && first.is_some_and(|(head, n)| !n.is_empty() && head.ends_with(b"_"))
}

/// Whether `text` ends in an identifier of OCaml, and not in a word that compilers of C append to a
/// function: `Curl_read.part.0`, `SHA256_Update.llvm.123`.
fn ends_in_name(text: &[u8]) -> bool {
    let is_separator = |&b: &u8| matches!(b, b'.' | b'$' | 0xa0..);
    let Some(separator) = text.iter().rposition(is_separator) else {
        return false;
    };
    let name = &text[separator + 1..];
    matches!(name.first(), Some(b'a'..=b'z' | b'_')) && !CLONES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demangled(symbol: &[u8]) -> Option<String> {
        let mut out = Vec::new();
        let is_ocaml = demangle(symbol, Stamps::Drop, &mut out);
        is_ocaml.then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn half_demangled_names_are_completed() {
        for (symbol, name) in [
            (&b"Stdlib.Map.bal_170"[..], "Stdlib.Map.bal"),
            (b"Eio.core.Fiber.fun_1369", "Eio__core.Fiber.(fun)"),
            (b"Dune.exe.Main.entry", "Main.(toplevel)"),
            (b"Foo_.code_begin", "Foo_.(code_begin)"),
            (b"My.lib.code_end", "My__lib.(code_end)"),
            (b"Foo_._baz_273", "Foo_._baz"),
            (b"Foo_.under.score_273", "Foo_.under__score"),
            (b"Foo_.++_273", "Foo_.(++)"),
            (b"Foo._bar_81", "Foo._bar"),
            (b"Stdlib.array.map_154", "Stdlib.Array.map"),
            (b"Odd.trailing._349", "Odd.trailing__"),
            (b"Foo.x_1.536", "Foo.x_1_"),
            (b"Foo.find'_501", "Foo.find'"),
            (b"Foo.let*_516", "Foo.let*"),
            (b"Foo.let*_inner_516", "Foo.let*_inner"),
            (b"Foo.let$_12", "Foo.let$"),
            (b"Foo.$_12", "Foo.($)"),
            (b"Stdlib.@_dps_863", "Stdlib.(@_dps)"),
            (b"Odd..%(;..)<-_258", "Odd.(.%(;..)<-)"),
            (b"Odd..%(:..)_258", "Odd.(.%(:..))"),
            (b"Foo.bar_1_2_code", "Foo.bar"),
            (b"Main.anon-fn[main.ml:6,35--143]_9", "Main.(fun main.ml:6)"),
            (b"Foo.caf\xc3\xa9_12", "Foo.caf\u{e9}"),
            (b"Foo.caf\xe9_12", "Foo.caf\u{e9}"),
        ] {
            assert_eq!(demangled(symbol).as_deref(), Some(name), "{}", symbol.escape_ascii());
        }
    }

    #[test]
    fn damage_is_repaired() {
        for (symbol, name) in [
            (&b"Stdlib.Map\xadd_437"[..], "Stdlib.Map.add"),
            (b"Stdlib.Map\xcardinal_837", "Stdlib.Map.cardinal"),
            (b"Foo_\xbar_271", "Foo_.bar"),
            (b"My.lib\xbar_271", "My__lib.bar"),
            (b"Foo$caf$\xc3$\xa9_12", "Foo.caf\u{e9}"),
            (b"Odd$fun_1192", "Odd.(fun)"),
            (b"Odd$.double_533", "Odd.__double"),
            (b"Odd$under.score_542", "Odd.under__score"),
            (b"Odd$seq.1003", "Odd.seq_"),
            (b"Odd$prime$'_527", "Odd.prime'"),
            (b"Odd$entry", "Odd.(toplevel)"),
            (b"Pack$Unit$f_12", "Pack.Unit.f"),
        ] {
            assert_eq!(demangled(symbol).as_deref(), Some(name), "{}", symbol.escape_ascii());
        }
    }

    #[test]
    fn names_of_other_languages_are_left_alone() {
        for symbol in [
            "Foo",
            "Foo_1",
            "Foo.bar",
            "Foo.bar_",
            "Foo.bar_007",
            "Foo.bar_1_code",
            "Foo.3",
            "Foo.Bar.12",
            "Foo::bar_1",
            "Foo.Bar::baz_1",
            "Foo<1.5>::bar_1",
            "Foo.bar(int)_1",
            "Foo.bar baz_1",
            "Foo.<init>_1",
            "Foo.<lambda>_1",
            "Foo.~Foo_1",
            "Foo.(*T).run_1",
            "Foo.operator+_1",
            "Foo.__init___1",
            "Main$$anonfun$1",
            "Curl_read.part.0",
            "Curl_read.constprop.0.isra.12",
            "SHA256_Update.llvm.1234567",
            "Foo\n.bar_1",
            "Ljava/util/HashMap;::get_1",
            "LazyCompile:*run_1",
        ] {
            assert_eq!(demangled(symbol.as_bytes()), None, "{symbol}");
        }
    }
}

//! Properties that hold for all names, checked on random ones.

use proptest::collection::vec;
use proptest::prelude::*;

use super::perf::CLONES;
use super::tests::perf;
use super::{Stamps, demangle, demangle_bytes, demangle_into, demangle_with};

const MODES: [Stamps; 3] = [Stamps::Anonymous, Stamps::Drop, Stamps::Keep];

/// Returns the readable form of `symbol`, `None` if it is not an OCaml name.
fn demangled(symbol: &[u8], stamps: Stamps) -> Option<String> {
    let mut out = b"kept".to_vec();
    let is_ocaml = demangle_into(symbol, stamps, &mut out);
    assert!(out.starts_with(b"kept") && (is_ocaml || out.len() == 4));
    is_ocaml.then(|| String::from_utf8_lossy(&out[4..]).into_owned())
}

/// Random bytes, many of them after the beginning of an OCaml symbol and before its end.
fn symbol() -> impl Strategy<Value = Vec<u8>> {
    let begin = prop::sample::select(vec!["", "caml", "_caml", "_CamlU", "Foo.", "Foo__", "Foo$"]);
    let middle = prop_oneof![
        vec(any::<u8>(), 0..20),
        "[A-Zfna-e_.$%(){}\\[\\];0-9]{0,20}".prop_map(String::into_bytes),
    ];
    let end = prop::sample::select(vec!["", "_12", ".12", ".entry", "_1_2_code", "$5d_3", "D1_"]);
    (begin, middle, end).prop_map(|(b, m, e)| [b.as_bytes(), &m, e.as_bytes()].concat())
}

/// A module's name without `__`, which would make it two modules.
fn module() -> impl Strategy<Value = String> {
    "[A-Z][a-z]{0,5}(_[a-z][a-z0-9]{0,3}){0,2}".prop_filter("a name", |m| m != "Stdlib")
}

/// A name of a function that the `__` scheme can separate from the unit, and its readable form.
fn identifier() -> impl Strategy<Value = (String, String)> {
    let word = "[a-z][a-z0-9]{0,5}(_[a-z][a-z0-9]{0,3}){0,2}'{0,2}"
        .prop_filter("no anonymous function", |w| !["fun", "anon_fn"].contains(&&w[..]))
        .prop_map(|w| (w.clone(), w));
    let operator = "[$!%&*+/<=>?@^|~-]{1,4}".prop_map(|o| (o.clone(), format!("({o})")));
    let index = "\\.[%&*+]{1,2}(\\(\\)|\\[;\\.\\.\\]|\\{\\})(<-)?"
        .prop_map(|i| (i.clone(), format!("({i})")));
    let binding = "(let|and)[%&*+<=>@^|]{1,2}".prop_map(|b| (b.clone(), b));
    let letters = prop::sample::select(vec!["café", "été", "žluť"]);
    let unicode = letters.prop_map(|l| (l.to_owned(), l.to_owned()));
    prop_oneof![word, operator, index, binding, unicode]
}

/// Joins and escapes as the compiler does; characters of `literal` are not escaped.
fn mangle(modules: &[String], name: &str, stamp: u32, scheme: (&str, &str, &str)) -> String {
    let (separator, escape, literal) = scheme;
    let mut symbol = format!("caml{}{separator}", modules.join("__"));
    for &byte in name.as_bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'_' || literal.as_bytes().contains(&byte) {
            symbol.push(char::from(byte));
        } else {
            symbol.push_str(&format!("{escape}{byte:02x}"));
        }
    }
    format!("{symbol}_{stamp}")
}

const UNDERSCORES: (&str, &str, &str) = ("__", "$", "");
const DOT: (&str, &str, &str) = (".", "$", ".");
const DOLLAR: (&str, &str, &str) = ("$", "$$", "$");
const MSVC: (&str, &str, &str) = ("$", "$", "");

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        // A counter-example belongs in the tables.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes_are_taken(symbol in symbol()) {
        for stamps in MODES {
            demangled(&symbol, stamps);
        }
    }

    #[test]
    fn utf8_stays_utf8(symbol in symbol(), stamps in prop::sample::select(MODES.to_vec())) {
        let mut out = Vec::new();
        let is_structured = symbol.starts_with(b"_CamlU");
        if std::str::from_utf8(&symbol).is_ok() && !is_structured {
            demangle_into(&symbol, stamps, &mut out);
            prop_assert!(std::str::from_utf8(&out).is_ok(), "{}", symbol.escape_ascii());
        }
    }

    #[test]
    fn text_and_bytes_are_demangled_alike(symbol in symbol()) {
        let text = String::from_utf8_lossy(&symbol);
        let of_bytes = |name: Vec<u8>| String::from_utf8_lossy(&name).into_owned();
        for stamps in MODES {
            let mut name = Vec::new();
            let is_ocaml = demangle_into(text.as_bytes(), stamps, &mut name);
            let expected = is_ocaml.then(|| of_bytes(name));
            let shown = demangle_with(&text, stamps).map(|name| name.to_string());
            prop_assert_eq!(shown, expected, "{:?}", stamps);
        }
        let name = demangle(&text);
        prop_assert_eq!(&name, &demangle_with(&text, Stamps::Anonymous));
        prop_assert_eq!(name.map(String::from), demangle_bytes(text.as_bytes()).map(of_bytes));
    }

    #[test]
    fn flat_symbols_are_demangled(
        modules in vec(module(), 1..4),
        (name, shown) in identifier(),
        stamp in 1u32..100_000,
        scheme in prop::sample::select(vec![UNDERSCORES, DOT, DOLLAR, MSVC]),
    ) {
        let symbol = mangle(&modules, &name, stamp, scheme);
        let dropped = format!("{}.{shown}", modules.join("."));
        let kept = format!("{dropped}/{stamp}");
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Drop), Some(dropped.clone()));
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Anonymous), Some(dropped.clone()));
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Keep), Some(kept.clone()));
        let on_macos = format!("_{symbol}");
        prop_assert_eq!(demangled(on_macos.as_bytes(), Stamps::Keep), Some(kept.clone()));
        for shown in [dropped, kept] {
            prop_assert_eq!(demangled(shown.as_bytes(), Stamps::Drop), None);
        }
    }

    #[test]
    fn what_perf_prints_is_demangled(
        modules in vec(module(), 1..4),
        (name, shown) in identifier(),
        scheme in prop::sample::select(vec![UNDERSCORES, DOT, DOLLAR]),
    ) {
        let symbol = perf(mangle(&modules, &name, 12, scheme).as_bytes());
        let dropped = format!("{}.{shown}", modules.join("."));
        prop_assert_eq!(demangled(&symbol, Stamps::Drop), Some(dropped));
    }

    #[test]
    fn anonymous_functions_are_demangled(
        modules in vec(module(), 1..4),
        stamp in 1u32..100_000,
        (name, place) in prop::sample::select(vec![
            ("fun", ""),
            ("anon_fn", ""),
            ("anon_fn[dune__exe__Main.ml:21,23--67]", " dune__exe__Main.ml:21"),
            ("anon-fn[lib/a.ml:6,35--143]", " lib/a.ml:6"),
        ]),
        scheme in prop::sample::select(vec![UNDERSCORES, DOT, DOLLAR]),
    ) {
        let symbol = mangle(&modules, name, stamp, scheme);
        let unit = modules.join(".");
        let kept = Some(format!("{unit}.(fun{place}/{stamp})"));
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Anonymous), kept.clone());
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Keep), kept);
        let dropped = Some(format!("{unit}.(fun{place})"));
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Drop), dropped);
    }

    #[test]
    fn names_of_backtraces_are_demangled(
        modules in vec(module(), 2..4),
        (_, shown) in identifier(),
    ) {
        prop_assume!(!CLONES.contains(&shown.as_bytes()));
        let name = format!("{}.{shown}", modules.join("__"));
        let path = format!("{}.{shown}", modules.join("."));
        for stamps in MODES {
            prop_assert_eq!(demangled(name.as_bytes(), stamps), Some(path.clone()));
            prop_assert_eq!(demangled(path.as_bytes(), stamps), None);
        }
    }

    #[test]
    fn packed_symbols_are_demangled(
        modules in vec(module(), 1..4),
        (name, shown) in identifier(),
        (separator, escape, literal) in prop::sample::select(vec![UNDERSCORES, DOT, DOLLAR]),
    ) {
        let unit = modules.join(separator);
        let symbol = mangle(&[unit], &name, 12, (separator, escape, literal));
        let dropped = format!("{}.{shown}", modules.join("."));
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Drop), Some(dropped));
    }

    #[test]
    fn structured_symbols_are_demangled(
        modules in vec(module(), 1..4),
        name in "[a-z][a-z_]{0,8}",
        ordinals in vec(0u32..30, 0..3),
        stamp in 0u32..100_000,
    ) {
        let mut symbol = format!("_CamlU{}{}", modules[0].len(), modules[0]);
        for module in &modules[1..] {
            symbol.push_str(&format!("M{}{module}", module.len()));
        }
        symbol.push_str(&format!("F{}{name}", name.len()));
        let mut shown = format!("{}.{name}", modules.join("."));
        for ordinal in ordinals {
            symbol.push_str(&format!("L{ordinal}_"));
            shown.push_str(&format!(".(fun {ordinal})"));
        }
        symbol.push_str(&format!("D{stamp}_"));
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Drop), Some(shown.clone()));
        let kept = format!("{shown}/{stamp}");
        prop_assert_eq!(demangled(symbol.as_bytes(), Stamps::Keep), Some(kept));
    }
}

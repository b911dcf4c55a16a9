//! Tables of names, demangled in every mode.
//!
//! `testdata/vectors.tsv`: names collected from binaries, other demanglers' tests and bug reports,
//! with the form in which perf prints them. `testdata/symbols.tsv.gz`: the symbols of six programs
//! and a module of odd names, built with OCaml 4.13, 4.14 (flambda), 5.2 and the `$` scheme, with
//! their readable forms.

use std::io::Read;

use flate2::read::GzDecoder;

use super::{Stamps, demangle, demangle_bytes, demangle_into, demangle_with};

const MODES: [Stamps; 3] = [Stamps::Anonymous, Stamps::Drop, Stamps::Keep];

/// One name of `testdata/vectors.tsv`.
struct Vector {
    symbol: Vec<u8>,
    /// As perf prints it.
    perf: Option<Vec<u8>>,
    dropped: String,
    kept: String,
}

fn vectors() -> Vec<Vector> {
    let lines = include_str!("../testdata/vectors.tsv").lines().skip(1);
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            // The file is UTF-8 and shows each byte that perf prints as the character of that code.
            let bytes = |text: &str| text.chars().map(|c| u8::try_from(c).unwrap()).collect();
            Vector {
                symbol: columns[2].as_bytes().to_vec(),
                perf: (columns[3] != "-").then(|| bytes(columns[3])),
                dropped: columns[4].to_owned(),
                kept: columns[5].to_owned(),
            }
        })
        .collect()
}

/// The lines of `testdata/symbols.tsv.gz`: symbol, stamps dropped, stamps kept.
fn symbols() -> Vec<[String; 3]> {
    let mut text = String::new();
    let compressed: &[u8] = include_bytes!("../testdata/symbols.tsv.gz");
    GzDecoder::new(compressed).read_to_string(&mut text).unwrap();
    text.lines()
        .map(|line| {
            let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
            columns.try_into().unwrap()
        })
        .collect()
}

/// Returns the readable form of `symbol`, or `symbol` itself if it is not an OCaml name.
fn shown(symbol: &[u8], stamps: Stamps) -> String {
    let mut out = b"kept".to_vec();
    if demangle_into(symbol, stamps, &mut out) {
        String::from_utf8(out.split_off(4)).unwrap()
    } else {
        assert_eq!(out, b"kept");
        String::from_utf8_lossy(symbol).into_owned()
    }
}

/// The form with the stamps of anonymous functions only: these alone end in a parenthesis.
fn anonymous<'a>(dropped: &'a str, kept: &'a str) -> &'a str {
    if kept.ends_with(')') { kept } else { dropped }
}

/// `symbol` as perf prints it (`tools/perf/util/demangle-ocaml.c`).
pub(super) fn perf(symbol: &[u8]) -> Vec<u8> {
    let Some(mut rest) = symbol.strip_prefix(b"caml").filter(|r| r[0].is_ascii_uppercase()) else {
        return symbol.to_vec();
    };
    let mut out = Vec::new();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = |digits: &[u8]| {
            digits
                .iter()
                .all(u8::is_ascii_hexdigit)
                .then(|| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
        };
        if rest.starts_with(b"__") {
            out.push(b'.');
            rest = &rest[2..];
        } else if byte == b'$'
            && let Some(escaped) = tail.get(..2).and_then(hex)
        {
            out.push(escaped);
            rest = &rest[3..];
        } else {
            out.push(byte);
            rest = tail;
        }
    }
    out
}

#[test]
fn vectors_are_demangled() {
    let vectors = vectors();
    assert!(vectors.len() > 100);
    for Vector { symbol, dropped, kept, .. } in &vectors {
        assert_eq!(shown(symbol, Stamps::Drop), *dropped);
        assert_eq!(shown(symbol, Stamps::Keep), *kept);
        assert_eq!(shown(symbol, Stamps::Anonymous), anonymous(dropped, kept));
    }
}

#[test]
fn text_and_bytes_have_the_same_names() {
    let symbols = vectors().into_iter().flat_map(|v| [Some(v.symbol), v.perf]).flatten();
    let (mut names, mut others) = (0, 0);
    for symbol in symbols {
        let Ok(text) = std::str::from_utf8(&symbol) else {
            others += 1;
            continue;
        };
        for stamps in MODES {
            let name = demangle_with(text, stamps);
            let name = name.as_ref().map_or(text, |name| name.as_str());
            assert_eq!(name, shown(&symbol, stamps), "{stamps:?}");
        }
        let name = demangle(text).map(|name| String::from(name).into_bytes());
        names += usize::from(name.is_some());
        assert_eq!(name, demangle_bytes(&symbol), "{text}");
    }
    // Only perf prints bytes that are not UTF-8.
    assert!(names > 100 && others > 0);
}

#[test]
fn a_name_is_shown_as_text_is() {
    let name = demangle("camlOdd..$25$28$3b..$29_449").expect("a name");
    assert_eq!(name.as_str(), "Odd.(.%(;..))");
    assert_eq!(name.as_ref(), name.as_str());
    assert_eq!(
        format!("{name}|{name:>15}|{name:-<15}"),
        "Odd.(.%(;..))|  Odd.(.%(;..))|Odd.(.%(;..))--"
    );
    assert_eq!(String::from(name.clone()), name.as_str());
}

#[test]
fn escaped_bytes_that_are_no_text_are_replaced_in_text() {
    let symbol = "_CamlU3FooFu6Aff_ab";
    assert_eq!(demangle_bytes(symbol.as_bytes()).as_deref(), Some(&b"Foo.\xffab"[..]));
    assert_eq!(demangle(symbol).expect("a name").as_str(), "Foo.\u{fffd}ab");
}

#[test]
fn vectors_as_perf_prints_them_are_demangled() {
    // perf prints camlMy__lib.bar_270 (5.2) as it prints camlMy__lib__bar_270 (4.13), where a unit
    // My with an identifier lib__bar is the likelier reading.
    const UNDECIDABLE: [&[u8]; 1] = [b"My.lib.bar_270"];
    for vector in vectors() {
        let Some(printed) = vector.perf else { continue };
        assert_eq!(perf(&vector.symbol), printed);
        let decided = shown(&printed, Stamps::Keep) == vector.kept;
        let expected = !UNDECIDABLE.contains(&&printed[..]);
        assert_eq!(decided, expected, "{}", printed.escape_ascii());
    }
}

#[test]
fn symbols_of_programs_are_demangled() {
    let symbols = symbols();
    assert!(symbols.len() > 7000);
    for [symbol, dropped, kept] in &symbols {
        assert_eq!(shown(symbol.as_bytes(), Stamps::Drop), *dropped, "{symbol}");
        assert_eq!(shown(symbol.as_bytes(), Stamps::Keep), *kept, "{symbol}");
        let anonymous = anonymous(dropped, kept);
        assert_eq!(shown(symbol.as_bytes(), Stamps::Anonymous), anonymous, "{symbol}");
    }
}

#[test]
fn symbols_as_perf_prints_them_are_demangled() {
    const UNDECIDABLE: [&str; 4] = [
        // My.lib.bar_270, see above
        "camlMy__lib.bar_270",
        // `Foo._entry`: it has no stamp, and perf prints no part of a unit like this, unless the
        // unit's name ends in `_`.
        "camlFoo___code_begin",
        "camlFoo___code_end",
        "camlFoo___entry",
    ];
    for [symbol, _, kept] in &symbols() {
        let decided = shown(&perf(symbol.as_bytes()), Stamps::Keep) == *kept;
        assert_eq!(decided, !UNDECIDABLE.contains(&&symbol[..]), "{symbol}");
    }
}

#[test]
fn demangled_names_stay_as_they_are() {
    let vectors = vectors().into_iter().flat_map(|v| [Some(v.symbol), v.perf]).flatten();
    let symbols = symbols().into_iter().map(|[symbol, ..]| symbol.into_bytes());
    for symbol in vectors.chain(symbols) {
        for stamps in MODES {
            let once = shown(&symbol, stamps);
            let twice = shown(once.as_bytes(), stamps);
            let is_stable = stamps == Stamps::Keep || !looks_stamped(&once);
            assert_eq!(once == twice, is_stable, "{}: {once}", symbol.escape_ascii());
        }
    }
}

/// Whether `name`, which is without its stamp, looks like a name of perf's with a stamp: it ends in
/// a number, `Inode.add_64`, or in the name of a symbol of the unit, `Inode.entry`.
fn looks_stamped(name: &str) -> bool {
    let Some((_, identifier)) = name.rsplit_once('.') else {
        return false;
    };
    let (head, number) = identifier.rsplit_once('_').unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    name.starts_with(char::is_uppercase)
        && (!head.is_empty() && is_number || ["entry", "code_begin"].contains(&identifier))
}

#[test]
fn names_of_other_languages_are_left_alone() {
    for symbol in [
        "",
        "main",
        "caml",
        "caml_apply2",
        "caml_curry4_1_app",
        "caml_startup.code_begin",
        "caml_system__code_begin",
        "caml_ba_hash.cold",
        "caml_stw_empty_minor_heap_no_major_slice.constprop.0",
        "_caml_alloc_12",
        "__camlFoo__bar_1",
        "_Caml",
        "_CamlM3FooF3bar",
        "_ZN4testE",
        "_RNvC5crate4main",
        "core::ops::function::FnOnce::call_once_1",
        "Interpreter",
        "Foo.bar",
        "asm_exc_page_fault",
        "_raw_spin_lock_12",
        "finish_task_switch.isra.0",
        "Ljava/util/HashMap;::get_1",
        "java.util.HashMap$Node::hash_1",
        "LazyCompile:*run /app/a.js:1",
        "py::Foo.run_1:/app/a.py",
        "[libc.so.6]",
        "[unknown]",
    ] {
        for stamps in MODES {
            assert!(!demangle_into(symbol.as_bytes(), stamps, &mut Vec::new()), "{symbol}");
        }
    }
}

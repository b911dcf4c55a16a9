//! One small program for each way in which a symbol does not show the name.

use std::path::Path;

use super::{demangled, path, table, without_lines};
use crate::needs::{OCAML, goes_without};
use crate::programs::{BARE, FRAMES, HOST, PACK, PLACES, SHAPES};
use crate::util::{feed, output};

/// The functions of `unit` as `name mark`, sorted by the start of their symbols, which are without
/// stamps.
fn functions(exe: &Path, unit: &str) -> Vec<String> {
    let rows = table(exe, &[]).into_iter().filter(|row| row[0].starts_with(&format!("caml{unit}")));
    let rows = rows.filter(|row| !row[0].ends_with("code_begin") && !row[0].ends_with("code_end"));
    rows.map(|row| {
        let digits = |letter: char| letter.is_ascii_digit();
        let symbol = row[0].trim_end_matches(digits);
        let symbol = symbol.rsplit("__").next().expect("one at least").trim_end_matches('_');
        let name = row[1].replace(|letter: char| letter.is_ascii_digit(), "");
        format!("{symbol} {name} {}", row[4])
    })
    .collect()
}

#[test]
fn shapes_have_their_names() {
    if goes_without(&[OCAML]) {
        return;
    }
    let mut found = functions(&SHAPES, "Shapes__");
    found.sort();
    let expected = [
        // A local function in which all calls are those of another, inlined function.
        "all Shapes.report.all symbol",
        "counter_init Shapes.counter_init symbol",
        "deep Shapes.Outer.Inner.deep exact",
        "entry Shapes.(toplevel) exact",
        "first_class Shapes.first_class exact",
        "leaf Shapes.leaf symbol",
        "local_module Shapes.local_module exact",
        "optional_inner Shapes.optional exact",
        "print Shapes.Make.print exact",
        "report Shapes.report exact",
        "show Shapes.first_class.show exact",
        "twice Shapes.local_module.Local.twice exact",
        "twice Shapes.twice exact",
        "$2b$21 Shapes.Outer.Inner.(+!) exact",
        "Make Shapes.Make exact",
        // Methods, and an anonymous function in one.
        "fun Shapes.counter#add exact",
        "fun Shapes.point.object#move exact",
        "fun Shapes.counter#each.(fun) exact",
        // The code after let*, with the name that backtraces give it.
        "fun Shapes.chain exact",
        // The only code of this method itself makes that function.
        "fun Shapes.counter#each.(fun/) guess",
    ];
    for expected in expected {
        assert!(found.iter().any(|function| function == expected), "{expected} in {found:#?}");
    }
    let exact = |name: &str| found.iter().filter(|it| **it == format!("{name} exact")).count();
    assert_eq!(exact("fun Shapes.counter#each.(fun)"), 1, "{found:#?}");
    assert!(
        !found.iter().any(|it| it.starts_with("fun ") && it.contains("(toplevel)")),
        "{found:#?}"
    );
}

#[test]
fn functions_without_calls_are_in_what_the_lines_around_them_share() {
    if goes_without(&[OCAML, &["objcopy"]]) {
        return;
    }
    let expected = [
        "opaque Places.opaque symbol",
        "first Places.Outer.Inner.first exact",
        "leaf Places.Outer.Inner.leaf symbol",
        "optional_inner Places.Outer.Inner.optional exact",
        // It fills in the default, and continues in the function above.
        "optional Places.Outer.Inner.optional symbol",
        "last Places.Outer.Inner.last exact",
        "count Places.Outer.count exact",
        "step Places.Outer.count.step symbol",
        "tails Places.Outer.tails symbol",
        "fun Places.Outer.tails.(fun/) guess",
        "last Places.Outer.last exact",
        "outside Places.outside symbol",
        "entry Places.(toplevel) exact",
    ];
    assert_eq!(functions(&PLACES, "Places__"), expected);
    // Without lines, only the symbols are left.
    let found = functions(&without_lines(&PLACES), "Places__");
    for expected in [
        "leaf Places.leaf symbol",
        "optional Places.optional symbol",
        "fun Places.tails.(fun/) guess",
    ] {
        assert!(found.iter().any(|it| it == expected), "{expected} in {found:#?}");
    }
}

#[test]
fn packs_are_in_the_names() {
    if goes_without(&[OCAML]) {
        return;
    }
    let exe = path(&PACK);
    for unit in ["Inode", "Irmin.Inode"] {
        let found = functions(&PACK, &format!("{}__", unit.replace('.', "__")));
        let expected = [
            format!("add {unit}.add exact"),
            format!("fun {unit}.iter.(fun) exact"),
            format!("iter {unit}.iter exact"),
            format!("entry {unit}.(toplevel) exact"),
        ];
        assert_eq!(found, expected);
        let calls = table(&PACK, &["--calls"]);
        assert!(calls.iter().any(|row| row[1] == format!("{unit}.iter.(fun)")), "{calls:?}");
    }
    let rows = table(&PACK, &[]);
    let symbols: Vec<_> = rows.iter().map(|row| row[0].as_str()).collect();
    let added: Vec<_> =
        symbols.into_iter().filter(|symbol| symbol.contains("Inode__add_")).collect();
    assert_eq!(demangled(&["--exe", exe], &added), ["Irmin.Inode.add", "Inode.add"]);
    assert_eq!(demangled(&[], &added), ["Irmin.Inode.add", "Inode.add"]);
}

#[test]
fn plug_ins_are_read_beside_their_host() {
    if goes_without(&[OCAML]) {
        return;
    }
    let plugin = HOST.with_file_name("plugin.cmxs");
    let found = functions(&plugin, "Plugin__");
    let expected = [
        "fun Plugin.Work.run.(fun/) guess",
        "run Plugin.Work.run exact",
        "entry Plugin.(toplevel) exact",
    ];
    assert_eq!(found, expected);
    let rows = table(&plugin, &[]).into_iter().chain(table(&HOST, &[]));
    let symbols: Vec<_> = rows.map(|row| row[0].clone()).collect();
    let symbol =
        |start: &str| symbols.iter().find(|it| it.starts_with(start)).expect(start).as_str();
    let stack = [symbol("camlHost__load_"), symbol("camlPlugin__run_")];
    let names = demangled(&["--exe", path(&HOST), "--exe", path(&plugin)], &stack);
    assert_eq!(names, ["Host.load", "Plugin.Work.run"]);
}

#[test]
fn units_without_g_are_named_and_weighed() {
    if goes_without(&[OCAML]) {
        return;
    }
    let exe = path(&BARE);
    let note = "compiled without -g, so that fewer names are exact: Bare";
    let listed = output("stack-symbols", &[exe], "");
    let stderr = String::from_utf8_lossy(&listed.stderr);
    assert_eq!(stderr, format!("stack-symbols: {exe}: {note}\n"));
    assert_eq!(listed.status.code(), Some(0));
    let list = String::from_utf8(listed.stdout).expect("ASCII");
    let row = |start: &str| {
        let row = list.lines().find(|row| row.starts_with(start)).expect(start);
        let cells: Vec<_> = row.split('\t').collect();
        (cells[0].to_owned(), format!("{} {}", cells[1], cells[4]))
    };
    // In the standard library's function of this name, the functions that it calls are inlined.
    assert_eq!(row("camlBare__prerr_int_").1, "Bare.prerr_int symbol");
    assert_eq!(row("camlBare__report_").1, "Bare.report exact");
    assert_eq!(row("camlBare__entry").1, "Bare.(toplevel) exact");
    let report = row("camlBare__report_").0;
    for stamps in ["drop", "auto"] {
        let stacks = format!("camlMain__entry;{report} 3\ncamlMain__entry 5\n");
        let named = feed("stack-demangle", &["--exe", exe, "--stamps", stamps], stacks);
        let stderr = String::from_utf8_lossy(&named.stderr);
        assert_eq!(stderr, format!("stack-demangle: {note}; in stacks of 37.5 % of the weight\n"));
        assert_eq!(named.stdout, b"Main.(toplevel);Bare.report 3\nMain.(toplevel) 5\n");
        assert_eq!(named.status.code(), Some(0));
    }
    let silent = feed("stack-demangle", &["--exe", exe], "camlMain__entry 5\n");
    assert!(silent.stderr.is_empty(), "nothing of it is in this profile");
}

#[test]
fn copies_of_flambda_keep_their_origin() {
    let names = demangled(&["--exe", path(&FRAMES)], &["camlFoo.map_34", "camlFoo.anon_fn_67"]);
    assert_eq!(names, ["Stdlib.List.map", "Stdlib.List.iter.(fun)"]);
}

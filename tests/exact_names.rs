//! Compares the names and lines that we read from executables with independent readers: the
//! sources, OCaml's own backtraces and tests/oracle.

mod shapes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::needs::{OCAML, goes_without};
use crate::programs::{BACKTRACE, FRAMES, FRAMES_FIXED, LWTSIM, PACKBENCH, SHAPES, TRUTH};
use crate::util::{feed, filter, output, recording, scratch};

/// The output of the oracle `script`.
fn oracle(script: &str, arguments: &[&Path], input: Stdio) -> String {
    let script = format!("{}/tests/oracle/{script}", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("python3");
    let output = command.arg(script).args(arguments).stdin(input).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8 names")
}

/// A name of OCaml's runtime as stack-demangle writes it: the unit is a path without dune's
/// wrapper, and a unit's initialiser is `(toplevel)`.
fn readable(name: &str) -> String {
    let (unit, path) = name.split_once('.').unwrap_or((name, "(toplevel)"));
    let mut unit = unit.trim_start_matches("Dune__exe__").to_owned();
    for letter in 'A'..='Z' {
        unit = unit.replace(&format!("__{letter}"), &format!(".{letter}"));
    }
    format!("{unit}.{path}")
}

fn path(exe: &Path) -> &str {
    exe.to_str().expect("a UTF-8 path")
}

/// A copy of `exe` whose DWARF has no lines.
fn without_lines(exe: &Path) -> PathBuf {
    let copy = PathBuf::from(path(exe).to_owned() + ".lineless");
    let mut objcopy = Command::new("objcopy");
    objcopy.args(["--remove-section", ".debug_line"]).args([exe, &copy]);
    assert!(objcopy.status().expect("objcopy").success());
    copy
}

/// The rows of stack-symbols for `exe`, as cells.
fn table(exe: &Path, options: &[&str]) -> Vec<Vec<String>> {
    let text = filter("stack-symbols", &[options, &[path(exe)]].concat(), "");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The output of tests/oracle/names.py.
pub(crate) struct Judgement(pub(crate) String);

/// Compares the names of `exe` with the sources, as described in `truth`.
pub(crate) fn judge(exe: &Path, truth: &Path) -> Judgement {
    let list = filter("stack-symbols", &[path(exe)], "");
    let list = scratch(&format!("names-{}.tsv", exe.display()).replace('/', "-"), list);
    let list = std::fs::File::open(list).expect("it was written");
    Judgement(oracle("names.py", &[exe, truth], list.into()))
}

impl Judgement {
    /// How many rows with `mark` have this result.
    pub(crate) fn count(&self, mark: &str, found: &str) -> u32 {
        let start = format!("{mark} {found} ");
        let count = self.0.lines().find_map(|line| line.strip_prefix(&start));
        count.map_or(0, |count| count.parse().expect("a number"))
    }
}

#[test]
fn exact_names_are_those_of_the_sources() {
    if goes_without(&[OCAML, &["python3"]]) {
        return;
    }
    let (mut right, mut wrong) = (0, 0);
    // For the other marks: right, partly right, and all functions that are in the sources.
    let mut others = [("guess", [0; 3]), ("symbol", [0; 3])];
    for exe in [&*LWTSIM, &*PACKBENCH, &*BACKTRACE, &*SHAPES] {
        let judged = judge(exe, &TRUTH);
        assert!(judged.count("toplevel", "right") >= 20, "{}", judged.0);
        assert_eq!(judged.count("toplevel", "wrong"), 0, "{}", judged.0);
        assert!(judged.count("place", "right") >= 800, "{}", judged.0);
        assert_eq!(judged.count("place", "wrong"), 0, "{}", judged.0);
        right += judged.count("exact", "right");
        wrong += judged.count("exact", "wrong");
        for (mark, counts) in &mut others {
            let [right, part, wrong] =
                ["right", "part", "wrong"].map(|found| judged.count(mark, found));
            counts[0] += right;
            counts[1] += part;
            counts[2] += right + part + wrong;
        }
    }
    assert!(right >= 3000 && wrong * 200 <= right, "{right} are right, {wrong} wrong");
    let [(_, [right, part, all]), (_, symbol)] = others;
    assert!(all >= 300 && right * 100 >= all * 58, "{others:?}");
    assert!((right + part) * 100 >= all * 90, "{others:?}");
    assert!(symbol[2] >= 1000 && symbol[0] * 100 >= symbol[2] * 90, "{others:?}");
}

#[test]
fn every_call_has_the_line_of_the_oracle() {
    if goes_without(&[OCAML, &["python3"]]) {
        return;
    }
    for exe in [&*LWTSIM, &*PACKBENCH, &*BACKTRACE, &*FRAMES, &*FRAMES_FIXED] {
        let mut expected = BTreeSet::new();
        for row in oracle("frametable.py", &[exe], Stdio::null()).lines() {
            let (address, places) = row.split_once(' ').expect("an address and places");
            for place in places.split(" <- ") {
                let (name, location) = place.rsplit_once(' ').expect("a name and a line");
                // No source line: code that the compiler generated.
                let location = if location == "_none_:0" { "-" } else { location };
                expected.insert(vec![format!("0x{address}"), readable(name), location.to_owned()]);
            }
        }
        let ours: BTreeSet<_> = table(exe, &["--calls"]).into_iter().collect();
        assert_eq!(ours, expected, "{}", exe.display());
    }
}

#[test]
fn calls_have_the_lines_of_a_running_programs_backtrace() {
    if goes_without(&[OCAML]) {
        return;
    }
    let output = Command::new(&*BACKTRACE).output().expect("it starts");
    let backtrace = String::from_utf8(output.stdout).expect("UTF-8");
    let calls: BTreeSet<_> =
        table(&BACKTRACE, &["--calls"]).into_iter().map(|row| row[1..].join("\t")).collect();
    let mut names = BTreeSet::new();
    for line in backtrace.lines() {
        let (name, location) = line.split_once('\t').expect("a name and a line");
        assert!(calls.contains(&format!("{}\t{location}", readable(name))), "{line}");
        names.insert(name);
    }
    let hard = ["Backtrace.(>>+)", "Backtrace.counter#run.(fun)", "Backtrace.Make.sum.twice"];
    assert!(hard.iter().all(|name| names.contains(name)), "{backtrace}");
}

/// The frames of one stack after stack-demangle.
fn demangled(options: &[&str], frames: &[&str]) -> Vec<String> {
    let stack = filter("stack-demangle", options, format!("{} 1\n", frames.join(";")));
    let stack = stack.strip_suffix(" 1\n").expect("the count is kept");
    stack.split(';').map(str::to_owned).collect()
}

#[test]
fn stack_demangle_names_what_stack_symbols_lists() {
    if goes_without(&[OCAML]) {
        return;
    }
    for exe in [&*LWTSIM, &*PACKBENCH, &*FRAMES] {
        let rows = table(exe, &[]);
        let rows: Vec<_> = rows.iter().filter(|row| row[0].starts_with("caml")).collect();
        let symbols: Vec<_> = rows.iter().map(|row| row[0].as_str()).collect();
        // Two functions with the same symbol have no exact name.
        let is_one = |symbol: &str| symbols.iter().filter(|it| **it == symbol).count() == 1;
        let rows: Vec<_> = rows.iter().filter(|row| is_one(&row[0])).collect();
        let symbols: Vec<_> = rows.iter().map(|row| row[0].as_str()).collect();
        let names = demangled(&["--exe", path(exe)], &symbols);
        let expected: Vec<_> = rows.iter().map(|row| row[1].clone()).collect();
        assert_eq!(names, expected);
        let lines = demangled(&["--exe", path(exe), "--lines"], &symbols);
        let expected = rows.iter().map(|row| match row[2].as_str() {
            "-" => row[1].clone(),
            place => format!("{} ({place})", row[1]),
        });
        assert_eq!(lines, expected.collect::<Vec<_>>());
    }
}

#[test]
fn what_perf_has_demangled_by_half_has_the_same_exact_names() {
    if goes_without(&[OCAML]) {
        return;
    }
    let exe = PACKBENCH.to_str().expect("a UTF-8 path");
    for kind in ["dwarf", "fp"] {
        let [mangled, by_half] = [".nodemangle", ""].map(|form| {
            let script =
                recording(&format!("formats/perf-script/packbench-4.13.1-{kind}{form}.gz"));
            let folded = output("stack-parse", &["--weight", "samples"], script).stdout;
            let renamed = filter("stack-demangle", &["--exe", exe], folded);
            filter("stack-merge", &[], renamed)
        });
        assert_eq!(mangled, by_half);
        let names = ["Stdlib.Map.Make.add", "Packbench.key", "Pack_store.Codec.Int.encode.go"];
        let has = |name: &str| mangled.split([';', ' ']).any(|frame| frame == name);
        assert!(names.into_iter().all(has), "{mangled}");
        assert!(!mangled.contains("camlP") && !mangled.contains("camlS"));
    }
}

#[test]
fn functions_without_calls_and_lines_are_named_by_the_code_before_them() {
    if goes_without(&[&["objcopy"]]) {
        return;
    }
    let exe = without_lines(&FRAMES);
    let exe = path(&exe);
    for (stamps, expected) in [
        ("anonymous", "Foo.Make.run;Foo.Make.run;Stdlib.List.map.(fun/56);Foo.(:@);Bar.(fun/9)"),
        ("drop", "Foo.Make.run;Foo.Make.run;Stdlib.List.map.(fun);Foo.(:@);Bar.(fun)"),
        (
            "keep",
            "Foo.Make.run/12;Foo.Make.run/12;Stdlib.List.map.(fun/56);Foo.(:@)/78;Bar.(fun/9)",
        ),
        ("auto", "Foo.Make.run;Foo.Make.run;Stdlib.List.map.(fun);Foo.(:@);Bar.(fun)"),
    ] {
        let symbols = "camlFoo.code_begin;camlFoo.run_12;camlFoo.fun_56;Foo.:@_78;camlBar.fun_9";
        let symbols: Vec<_> = symbols.split(';').collect();
        let names = demangled(&["--exe", exe, "--stamps", stamps], &symbols);
        assert_eq!(names.join(";"), expected, "{stamps}");
    }
}

#[test]
fn lines_come_before_what_others_appended() {
    let exe = FRAMES.to_str().expect("a UTF-8 path");
    let frames = [
        "camlFoo.map_34_[i]",
        "Foo.map_34+0x1f",
        "camlFoo.map_34 (list.ml:94)",
        "frames`camlFoo.map_34",
        "_ZN5space6doubleEi",
        "space::double(int)",
        "space::double",
        "main",
        "camlFoo.unknown_1",
        "other",
    ];
    let folder = FRAMES.parent().expect("a folder").display().to_string();
    let expected = [
        "Stdlib.List.map (frames.s:24)_[i]",
        "Stdlib.List.map (frames.s:24)+0x1f",
        "Stdlib.List.map (list.ml:94)",
        "frames`Stdlib.List.map (frames.s:24)",
        "space::double(int) (/frames.c:10)",
        "space::double(int) (/frames.c:10)",
        "space::double (/frames.c:10)",
        "main (/frames.c:15)",
        "Foo.unknown",
        "other",
    ];
    let names = demangled(&["--exe", exe, "--lines"], &frames);
    let names: Vec<_> = names.iter().map(|name| name.replace(&folder, "")).collect();
    assert_eq!(names, expected);
    let restricted = demangled(&["--exe", exe, "--lines", "--rust"], &frames[..1]);
    assert_eq!(restricted, ["camlFoo.map_34 (frames.s:24)_[i]"]);
}

#[test]
fn several_executables_are_asked_and_contradictions_are_no_answer() {
    if goes_without(&[OCAML]) {
        return;
    }
    let [lwtsim, packbench] = [&*LWTSIM, &*PACKBENCH].map(|exe| exe.to_str().expect("UTF-8"));
    let both = ["--exe", lwtsim, "--exe", packbench];
    let frames = [
        "camlLwtsim__handle_request_168",
        "camlDune__exe__Packbench__go_551",
        "camlStdlib__Map__add_200",
    ];
    let names = ["Lwtsim.handle_request", "Packbench.build.go", "Stdlib.Map.Make.add"];
    assert_eq!(demangled(&both, &frames), names);
    // A rebuilt program may have the same symbols for other functions.
    let other = std::fs::read(&*FRAMES).expect("it is built");
    let other = crate::util::TempFile::new(replaced(&other, b"Foo.Make.run", b"Foo.Made.run"));
    let frames_exe = FRAMES.to_str().expect("UTF-8");
    let both = ["--exe", frames_exe, "--exe", other.path()];
    let names = demangled(&both, &["camlFoo.run_12", "camlFoo.map_34"]);
    assert_eq!(names, ["Foo.run", "Stdlib.List.map"]);
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

#[test]
fn an_unusable_executable_is_named_and_flat_names_are_used() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let bare = [FRAMES.to_str().expect("UTF-8"), ".bare"].concat();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ocaml/inlined.c");
    let built = Command::new("cc").args(["-o", &bare, source]).status().expect("cc");
    assert!(built.success());
    for (exe, why) in [
        ("no/such/file", "no such file or directory"),
        (readme, "expected a 64-bit little-endian ELF executable, found something else"),
        (&bare, "no frame tables of OCaml: expected an executable of ocamlopt with its symbols"),
    ] {
        let output = feed("stack-demangle", &["--exe", exe], "camlStdlib__Map__add_200 7\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, format!("stack-demangle: {exe}: {why}\n"));
        assert_eq!(output.stdout, b"Stdlib.Map.add 7\n");
        assert_eq!(output.status.code(), Some(2));
    }
    let output = feed("stack-demangle", &["--exe", &bare, "--lines"], "a 1\n");
    let why = "no debug information, and no frame tables of OCaml: expected an executable of \
               ocamlopt with its symbols";
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, format!("stack-demangle: {bare}: {why}\n"));
    let output = feed("stack-demangle", &["--lines"], "a 1\n");
    assert_eq!(output.status.code(), Some(2), "--lines asks for --exe");
}

#[test]
fn an_executable_that_was_not_recorded_is_noticed() {
    if goes_without(&[OCAML]) {
        return;
    }
    let exe = PACKBENCH.to_str().expect("UTF-8");
    let note = "stack-demangle: most OCaml functions of this profile are not in any --exe: was \
                another one recorded?\n";
    let shared = "Stdlib.Map.add_200;Stdlib__Set.Make.add";
    for (stack, said) in [
        (format!("{shared};Other.f_1;camlOther__f_2;Other.(fun)"), note),
        (format!("{shared};Other.f_1;main;caml_alloc"), ""),
        ("main;_ZN5space3fooEii".to_owned(), ""),
    ] {
        for stamps in ["drop", "auto"] {
            let args = ["--exe", exe, "--stamps", stamps];
            let output = feed("stack-demangle", &args, format!("{stack} 1\n"));
            assert_eq!(String::from_utf8_lossy(&output.stderr), said, "{stack}");
            assert_eq!(output.status.code(), Some(0));
        }
    }
}

#[test]
fn stamps_are_kept_where_one_name_has_several() {
    let auto = |input: &str| filter("stack-demangle", &["--stamps", "auto"], input);
    let input = "\
camlA__loop_1;camlA__once_2;camlA__fun_3 1
A.loop_4;main 2

# a comment
camlA__loop_1;camlB__fun_5;camlB__fun_6_[i] 3
camlB__fun_6;A.once_2 4
";
    let expected = "\
# a comment
A.loop/1;A.once;A.(fun) 1
A.loop/4;main 2
A.loop/1;B.(fun/5);B.(fun)_[i] 3
B.(fun/6);A.once 4
";
    assert_eq!(auto(input), expected);
    assert_eq!(auto("_ZN5space3fooEii;;b 1\n"), "space::foo(int, int);;b 1\n");
}

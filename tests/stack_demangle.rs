use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::util::{
    TempFile, few_cases, filter, filter_bytes, folded_lines, output, recording, weight,
};

fn demangle(args: &[&str], input: &str) -> String {
    filter("stack-demangle", args, input)
}

/// One frame, demangled.
fn frame(args: &[&str], frame: &str) -> String {
    let out = demangle(args, &format!("root;{frame} 7\n"));
    let stack = out.strip_suffix(" 7\n").expect("the count is kept");
    stack.strip_prefix("root;").expect("other frames stay").to_owned()
}

/// A recording's folded stacks; messages of stack-parse do not matter here.
fn parsed_recording(name: &str) -> Vec<u8> {
    let script = recording(&format!("formats/perf-script/{name}.gz"));
    output("stack-parse", &["--weight", "samples"], script).stdout
}

/// A recording's folded stacks, demangled and summed.
fn demangled_recording(name: &str, args: &[&str]) -> Vec<u8> {
    let parsed = parsed_recording(name);
    let demangled = filter_bytes("stack-demangle", args, &parsed);
    assert_eq!(weight(&demangled), weight(&parsed), "{name}");
    filter_bytes("stack-merge", &[], demangled)
}

fn frames(folded: &[u8]) -> BTreeSet<String> {
    let text = std::str::from_utf8(folded).expect("readable names");
    let stacks = text.lines().filter_map(|line| Some(line.rsplit_once(' ')?.0));
    stacks.flat_map(|stack| stack.split(';')).map(str::to_owned).collect()
}

#[test]
fn names_are_demangled_one_a_line() {
    let names = "_ZN3foo3barEv\ncamlStdlib__List__map_342\nmain\n_ZN5space3fooEii+0x1f\n";
    let readable = "foo::bar()\nStdlib.List.map\nmain\nspace::foo(int, int)+0x1f\n";
    assert_eq!(filter("stack-demangle", &["--names"], names), readable);
    let output = output("stack-demangle", &["--names", "--stamps", "auto"], names);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_bare_name_is_malformed_and_the_option_for_it_is_named() {
    let output = output("stack-demangle", &[], "_ZN3foo3barEv\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("mangled names without counts: 'stack-demangle --names'"), "{stderr}");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
}

#[test]
fn frames_are_demangled_where_they_stand() {
    let input = "\
# kept
main;camlStdlib__List__map_342;_ZN4core3fmt5write17h0123456789abcdefE 1
main;_ZN5space3fooEii;_RNvC6_123foo3bar 2
main;_ZN5space3fooEii 3
other 4
";
    let expected = "\
# kept
main;Stdlib.List.map;core::fmt::write 1
main;space::foo(int, int);123foo::bar 2
main;space::foo(int, int) 3
other 4
";
    assert_eq!(demangle(&[], input), expected);
    assert_eq!(demangle(&[], expected), expected);
}

#[test]
fn names_are_what_people_say_and_whole_ones_can_be_kept() {
    let whole = "void std::__cxx11::basic_string<char, std::char_traits<char>, \
                 std::allocator<char> >::_M_construct<char*>(char*, char*)";
    let short = "std::string::_M_construct<char*>(char*, char*)";
    for (name, expected) in [
        // As perf, pprof and Instruments print it, and with what surrounds it.
        (whole.to_owned(), short.to_owned()),
        (format!("{whole} (a.cc:3)_[i]"), format!("{short} (a.cc:3)_[i]")),
        (format!("app`{whole}"), format!("app`{short}")),
        (format!("{whole} [clone .isra.0]"), format!("{short} [clone .isra.0]")),
        ("_Z4sortIlEvSt6vectorIT_SaIS1_EE".into(), "sort<long>(std::vector<long>)".into()),
        (
            "_RNvXs_Cs1_1aNtNtCs2_5alloc6string6StringNtNtCs3_4core3fmt5Debug3fmt".into(),
            "<String as core::fmt::Debug>::fmt".into(),
        ),
    ] {
        assert_eq!(frame(&[], &name), expected);
        assert_eq!(frame(&[], &expected), expected);
    }
    assert_eq!(frame(&["--full-names"], whole), whole);
    assert_eq!(
        frame(&["--full-names"], "_Z4sortIlEvSt6vectorIT_SaIS1_EE"),
        "void sort<long>(std::vector<long, std::allocator<long> >)"
    );
    // Other languages are not touched where one is named.
    assert_eq!(frame(&["--ocaml"], whole), whole);
    assert_eq!(frame(&["--rust"], whole), whole);
    assert_eq!(
        frame(&["--cpp"], "<alloc::vec::Vec<u8> as a::B>::f"),
        "<alloc::vec::Vec<u8> as a::B>::f"
    );
}

#[test]
fn equal_stacks_are_not_summed() {
    assert_eq!(demangle(&[], "camlA__f_1 1\nb 1\ncamlA__f_2 1\n"), "A.f 1\nb 1\nA.f 1\n");
}

#[test]
fn languages_are_restricted_to_those_named() {
    let input = "camlA__f_1;_RNvC1a1f;_Z1fi 1\n";
    assert_eq!(demangle(&[], input), "A.f;a::f;f(int) 1\n");
    assert_eq!(demangle(&["--ocaml"], input), "A.f;_RNvC1a1f;_Z1fi 1\n");
    assert_eq!(demangle(&["--rust", "--cpp"], input), "camlA__f_1;a::f;f(int) 1\n");
}

#[test]
fn stamps_are_kept_as_asked() {
    for (stamps, named, anonymous) in [
        ("anonymous", "Lwtsim.run", "Lwtsim.(fun/811)"),
        ("drop", "Lwtsim.run", "Lwtsim.(fun)"),
        ("keep", "Lwtsim.run/176", "Lwtsim.(fun/811)"),
    ] {
        assert_eq!(frame(&["--stamps", stamps], "camlLwtsim__run_176"), named);
        assert_eq!(frame(&["--stamps", stamps], "camlLwtsim__fun_811"), anonymous);
    }
    assert_eq!(frame(&[], "camlLwtsim__fun_811"), "Lwtsim.(fun/811)");
}

#[test]
fn units_of_memtrace_are_paths_as_in_a_profile() {
    let folded = recording("folded/alloc.folded.gz");
    let before = frames(&folded);
    let after = frames(&filter_bytes("stack-demangle", &["--ocaml"], &folded));
    let renamed: BTreeSet<_> = after.difference(&before).map(String::as_str).collect();
    let expected = [
        "Alloc.(toplevel)",
        "Alloc.big_block",
        "Alloc.deep",
        "Alloc.make_doc",
        "Alloc.step",
        "Alloc.words.(fun)",
        "Stdlib.Bytes.make",
        "Stdlib.List.fold_left",
        "Stdlib.List.init_aux",
        "Stdlib.Map.Make.bal",
        "Stdlib.Map.Make.create",
        "Stdlib.Map.Make.update",
    ];
    assert_eq!(renamed, expected.into());
    assert_eq!(after.len(), before.len());
    assert!(!after.iter().any(|frame| frame.contains("__")));
}

#[test]
fn names_cannot_break_the_line() {
    // OCaml's operator .%(;..), C++'s array of an empty name, a Rust name with an escaped `;`.
    assert_eq!(frame(&[], "camlOdd__$2e$25$28$3b$2e$2e$29_258"), "Odd.(.%(:..))");
    assert_eq!(
        frame(&[], "_ZN35Bar$LT$$u5b$u32$u3b$$u20$4$u5d$$GT$17h930b740aa94f1d3aE"),
        "Bar<[u32: 4]>"
    );
    assert_eq!(frame(&[], "_ZN5a$u0a$1b17h930b740aa94f1d3aE"), "_ZN5a$u0a$1b17h930b740aa94f1d3aE");
}

#[test]
fn arguments_templates_and_copies_go_as_asked() {
    let name = "_ZN1AIiE1fIcEEvT_.isra.0";
    assert_eq!(frame(&["--full-names"], name), "void A<int>::f<char>(char) [clone .isra.0]");
    assert_eq!(frame(&["--no-args"], name), "A<int>::f<char> [clone .isra.0]");
    assert_eq!(frame(&["--no-templates"], name), "A::f(char) [clone .isra.0]");
    assert_eq!(frame(&["--normalize"], name), "A<int>::f<char>(char)");
    assert_eq!(frame(&["--no-args", "--no-templates", "--normalize"], name), "A::f");
}

#[test]
fn options_change_names_that_perf_has_demangled() {
    let args = ["--no-args", "--no-templates", "--normalize"];
    assert_eq!(frame(&args, "void A<int>::f<char>(char) [clone .cold]_[i]"), "A::f_[i]");
    assert_eq!(frame(&args, "<alloc::vec::Vec<T> as a::B>::f"), "<Vec as a::B>::f");
    assert_eq!(frame(&args, "Foo$$Lambda$12/0x00007f9b78000a08.run_[j]"), "Foo$$Lambda.run_[j]");
}

#[test]
fn normalized_names_are_those_of_the_page() {
    let page = include_str!("../man/stack-demangle.1");
    let (_, page) = page.split_once(".Sh NORMALIZED NAMES").expect("a section");
    let mut names = 0;
    // .It Li foo.isra.0 , foo.constprop.1 Ta Li foo
    for line in page.lines().filter_map(|line| line.strip_prefix(".It Li ")) {
        let (before, after) = line.split_once(" Ta Li ").expect("two columns");
        for name in before.trim_matches('"').split(" , ") {
            assert_eq!(frame(&["--normalize"], name), after, "{name}");
            names += 1;
        }
    }
    assert!(names > 15);
}

#[test]
fn short_names_are_those_of_the_page() {
    let page = include_str!("../man/stack-demangle.1");
    let (_, page) = page.split_once(".Sh SHORT NAMES").expect("a section");
    let (table, _) = page.split_once(".El").expect("a table");
    let rows = table.lines().filter_map(|line| line.strip_prefix(".It Li ")?.split_once(" Ta Li "));
    let rows: Vec<_> = rows.collect();
    for (whole, short) in &rows {
        assert_eq!(frame(&[], whole), *short);
        assert_eq!(frame(&[], short), *short);
        assert_eq!(frame(&["--full-names"], whole), *whole);
    }
    assert_eq!(rows.len(), 9);
}

#[test]
fn a_recording_reads_alike_with_and_without_perfs_demangling() {
    // All names must be equal: those damaged by perf are repaired.
    for name in [
        "domains-5.2.0fp-dwarf",
        "lwtsim-4.13.1-dwarf",
        "packbench-4.13.1-dwarf",
        "packbench-4.13.1-fp",
        "treegc-4.13.1-dwarf",
        "treegc-4.13.1-fp",
        "treegc-5.2.0fp-fp",
        "treegc-5.4alpha-dollar-fp",
    ] {
        for stamps in ["anonymous", "drop", "keep"] {
            let args = ["--ocaml", "--stamps", stamps];
            let mangled = demangled_recording(&format!("{name}.nodemangle"), &args);
            let by_half = demangled_recording(name, &args);
            assert!(mangled == by_half, "{name} {stamps}");
        }
    }
}

#[test]
fn perfs_invalid_utf_8_becomes_readable() {
    assert!(std::str::from_utf8(&parsed_recording("treegc-5.4alpha-dollar-fp")).is_err());
    let names = frames(&demangled_recording("treegc-5.4alpha-dollar-fp", &[]));
    assert!(names.contains("Stdlib.Map.add"));
    assert!(names.contains("Treegc.busy"));
    assert!(!names.iter().any(|name| name.contains('$')), "{names:?}");
}

#[test]
fn no_name_of_a_recording_is_left_mangled() {
    for name in ["lwtsim-4.13.1-dwarf", "domains-5.2.0fp-dwarf", "packbench-4.13.1-fp"] {
        let names = frames(&demangled_recording(&format!("{name}.nodemangle"), &[]));
        assert!(names.iter().any(|name| name.starts_with("Stdlib.")), "{name}");
        let is_mangled = |name: &&String| name.starts_with("caml") && !name.starts_with("caml_");
        assert_eq!(names.iter().find(is_mangled), None, "{name}");
    }
}

#[test]
fn vectors_come_out_as_their_columns_say() {
    let vectors = include_str!("../common/ocaml-demangle/testdata/vectors.tsv");
    let columns = |line: &'static str| line.split('\t').collect::<Vec<_>>();
    let vectors: Vec<_> = vectors.lines().skip(1).map(columns).collect();
    let input: String = vectors.iter().map(|vector| format!("{} 1\n", vector[2])).collect();
    // stack-parse writes perf's `Odd..%(;..)_258` like this.
    let input = input.replace(';', ":");
    for (stamps, column) in [("drop", 4), ("keep", 5)] {
        let out = demangle(&["--ocaml", "--stamps", stamps], &input);
        for (line, vector) in out.lines().zip(&vectors) {
            // A frame contains no `;`.
            let name = vector[column].replace(';', ":");
            assert_eq!(line, format!("{name} 1"), "{stamps} {}", vector[2]);
        }
        assert_eq!(out.lines().count(), vectors.len());
    }
}

#[test]
fn a_separator_in_a_name_is_replaced_whatever_the_stamps() {
    let input = "main;camlOdd..$25$28$3b..$29_449;camlOdd.g_2 1\n";
    for (stamps, stamp) in [("drop", ""), ("anonymous", ""), ("keep", "/449"), ("auto", "")] {
        let out = demangle(&["--stamps", stamps], input);
        let expected = format!("main;Odd.(.%(:..)){stamp};Odd.g");
        assert!(out.starts_with(&expected), "{stamps}: {out}");
    }
}

#[test]
fn stats_count_the_changed_lines() {
    let output = output("stack-demangle", &["--stats"], "camlA__f_1;main 3\nmain 4\n");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(stderr.contains("changed 1 lines weight 3"), "{stderr}");
}

#[test]
fn files_are_read_one_after_another() {
    let (first, second) = (TempFile::new("a;camlA__f_1 1\n"), TempFile::new("a;camlA__f_2 2\n"));
    let out = demangle(&[first.path(), second.path()], "");
    assert_eq!(out, "a;A.f 1\na;A.f 2\n");
}

#[test]
fn hostile_names_come_out_soon() {
    let long = |part: &str| part.repeat(200_000 / part.len());
    for part in
        ["<", "a<", "(", "f(", "f()", ".cold", "+0x1", "[0123456789abcdef]::a", "operator", "_[k]"]
    {
        let line = format!("{}x 1\n", long(part));
        let args = ["--no-args", "--no-templates", "--normalize"];
        assert_eq!(demangle(&args, &line).lines().count(), 1, "{part}");
    }
    for start in ["_Z", "_ZN", "_Z1fI", "_R", "_RI", "caml", "_CamlU", "A.", "_ZN1a", "__ZN"] {
        let line = format!("{start}{} 1\n", long("3abc"));
        assert_eq!(demangle(&[], &line).lines().count(), 1, "{start}");
    }
}

/// Names made of parts of mangled names and of random bytes.
fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let parts: [&[u8]; 28] = [
        b"_ZN",
        b"__ZN",
        b"_Z",
        b"_R",
        b"NvC",
        b"INt",
        b"caml",
        b"_CamlU3FooF3bar",
        b"Foo",
        b"__",
        b".",
        b"$",
        b"$2b",
        b"_12",
        b"3foo",
        b"E",
        b"17h0123456789abcdefE",
        b"::h0123456789abcdef",
        b"operator",
        b"()",
        b"<",
        b">",
        b"(",
        b")",
        b" const",
        b".isra.0",
        b"_[k]",
        b"`",
    ];
    let clean = |byte: &u8| *byte != b';' && !byte.is_ascii_control();
    let bytes = prop::collection::vec(any::<u8>().prop_filter("no control byte", clean), 0..6);
    let part =
        prop_oneof![3 => prop::sample::select(parts.to_vec()).prop_map(<[u8]>::to_vec), 1 => bytes];
    prop::collection::vec(part, 1..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn any_bytes_keep_their_weight_and_their_frames(
        stacks in prop::collection::vec(prop::collection::vec(any_frame(), 1..5), 1..60),
        all in any::<bool>(),
    ) {
        let mut input = Vec::new();
        for stack in &stacks {
            // A root frame, so that no line is a comment or starts with an empty frame.
            input.extend_from_slice(b"root;");
            input.extend(stack.join(&b';'));
            input.extend_from_slice(b" 3\n");
        }
        let options = ["--no-args", "--no-templates", "--normalize", "--stamps=keep"];
        let out = filter_bytes("stack-demangle", if all { &options } else { &[] }, &input);
        prop_assert_eq!(weight(&out), weight(&input));
        let lines = |text: &[u8]| text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let separators = |line: &[u8]| line.iter().filter(|&&byte| byte == b';').count();
        prop_assert_eq!(lines(&out).len(), lines(&input).len());
        for (before, after) in lines(&input).iter().zip(lines(&out)) {
            prop_assert_eq!(separators(before), separators(&after));
        }
    }

    #[test]
    fn lines_without_mangled_names_pass_unchanged(input in folded_lines()) {
        prop_assert_eq!(output("stack-demangle", &[], &input).stdout, input);
    }
}

//! Files and lines of frames, where a format has fields for them.

use bstr::ByteSlice;
use serde_json::{Value, json as value};

use super::callgrind::annotated;
use super::pprof::{Profile, go_pprof};
use super::{export, json};
use crate::needs::goes_without;
use crate::util::{golden_files, golden_path, output, scratch};

/// Two lines of one function, an inlined one, a function of the same name in another file, and
/// marks.
const PLACES: &[u8] = b"main (m.c:3);work (a.c:7);tick (a.h:1)_[i] 5\n\
    main (m.c:4);read_[k];copy (k.c:9)_[k] 2\n\
    main (m.c:4);work (a.c:8) 3\n\
    main;f (app.js:10)_[j] 4\n\
    main;g (:7) 1\n\
    main;work (b.c:8) 6\n";

#[test]
fn a_function_of_several_lines_is_one_function_of_pprof() {
    let profile = Profile::decoded(&export("pprof", &[], PLACES));
    let function = |it: &super::pprof::Function| {
        format!("{} {}", profile.string(it.name), profile.string(it.filename))
    };
    let mut functions: Vec<String> = profile.function.iter().map(function).collect();
    functions.sort();
    let expected =
        ["copy_[k] k.c", "f_[j] app.js", "g (:7) ", "main ", "main m.c", "read_[k] ", "tick a.h"];
    assert_eq!(functions, [&expected[..], &["work a.c", "work b.c"]].concat());
    let lines = profile.lines(&profile.sample[0]);
    assert_eq!(lines, ["main :0:0", "f_[j] app.js:10:0"]);
    // An inlined function is a line of the location of its caller.
    let inlined = profile.sample.iter().map(|sample| profile.lines(sample));
    let inlined = inlined.filter(|lines| lines.concat().contains("tick"));
    let expected = ["main m.c:3:0", "tick a.h:1:0 < work a.c:7:0"].map(str::to_owned);
    assert_eq!(inlined.collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_column_is_one_of_pprof_and_speedscope() {
    let folded = b"f (app.js:10:2) 1\n";
    let profile = Profile::decoded(&export("pprof", &[], folded));
    assert_eq!(profile.lines(&profile.sample[0]), ["f app.js:10:2"]);
    let frame = &json("speedscope", &[], folded)["shared"]["frames"][0];
    let expected = value!({"name": "f", "file": "app.js", "line": 10, "col": 2, "key": "f0"});
    assert_eq!(*frame, expected);
}

#[test]
fn callgrind_has_a_cost_for_each_line() {
    let written =
        export("callgrind", &[], b"main (m.c:3);work (a.c:7) 5\nmain (m.c:4);work (a.c:8) 2\n");
    let expected = "positions: line\nevents: samples\nsummary: 7\n\n\
        fl=(1) ???\nfn=(1) [all]\ncfi=(2) m.c\ncfn=(2) main\ncalls=1 0\n0 7\n\n\
        fl=(2)\nfn=(2)\ncfi=(3) a.c\ncfn=(3) work\ncalls=1 0\n3 5\n\
        cfi=(3)\ncfn=(3)\ncalls=1 0\n4 2\n\n\
        fl=(3)\nfn=(3)\n7 5\n8 2\n";
    let text = String::from_utf8(written).expect("UTF-8");
    assert_eq!(&text[text.find("positions").expect("positions")..], expected);
}

#[test]
fn firefox_has_a_frame_for_each_line_and_a_category_for_marks() {
    let profile = json("firefox", &[], PLACES);
    let thread = &profile["threads"][0];
    let strings = |column: &Value| -> Vec<String> {
        let place = |it: &Value| {
            it.as_u64().map_or(String::new(), |place| {
                thread["stringArray"][place as usize].as_str().expect("a string").to_owned()
            })
        };
        column.as_array().expect("a column").iter().map(place).collect()
    };
    let functions = &thread["funcTable"];
    let names = strings(&functions["name"]);
    let files = strings(&functions["fileName"]);
    let places: Vec<String> =
        names.iter().zip(files).map(|(name, file)| format!("{name} {file}")).collect();
    let expected = ["main ", "f app.js", "g (:7) ", "work b.c", "main m.c", "work a.c"];
    assert_eq!(places, [&expected[..], &["tick a.h", "read ", "copy k.c"]].concat());
    let frames = &thread["frameTable"];
    assert_eq!(frames["func"], value!([0, 1, 2, 3, 4, 5, 6, 4, 7, 8, 5]));
    assert_eq!(frames["line"], value!([null, 10, null, 8, 3, 7, 1, 4, null, 9, 8]));
    assert_eq!(frames["inlineDepth"], value!([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]));
    assert_eq!(frames["category"], value!([0, 3, 0, 0, 0, 0, 0, 0, 1, 1, 0]));
    assert_eq!(profile["meta"]["categories"][1]["name"], "Kernel");
}

#[test]
fn formats_without_places_have_functions() {
    let tree = json("d3", &[], b"main (m.c:3);work (a.c:7) 5\nmain (m.c:4);work (a.c:8)_[k] 2\n");
    let expected = value!({"name": "samples", "value": 7, "children": [
        {"name": "main", "value": 7, "children": [
            {"name": "work", "value": 5, "children": []},
            {"name": "work", "libtype": "kernel", "value": 2, "children": []}]}]});
    assert_eq!(tree, expected);
}

#[test]
fn marks_are_no_part_of_names() {
    let folded = b"main;f (a.c:1);read (b.c:2)_[l]_[i];sys_read_[k] 5\n\
        main;f (a.c:3);read (b.c:2) 2\nmain;node (x.js:1)_[l]_[j];wake_[w] 1\n";
    let trace = json("chrome", &[], folded);
    let begun = trace["traceEvents"].as_array().expect("events").iter();
    let begun = begun.filter(|event| event["ph"] == "B").map(|event| {
        let word = |key: &str| event[key].as_str().unwrap_or("-").to_owned();
        format!("{} {}", word("name"), word("cat"))
    });
    // A place has no field, so both lines of f are one slice.
    let expected = ["main -", "f -", "read -", "read library,inlined", "sys_read kernel"];
    let expected = [&expected[..], &["node library,jit", "wake waker"]].concat();
    assert_eq!(begun.collect::<Vec<_>>(), expected);
    let tree = json("d3", &[], folded);
    let calls = &tree["children"][0]["children"];
    assert_eq!(calls[0]["children"][0], value!({"name": "read", "value": 2, "children": []}));
    assert_eq!(calls[0]["children"][1]["libtype"], "inlined");
    assert_eq!(calls[1]["libtype"], "jit");
    // speedscope shows a field of ours to nobody, and the Firefox Profiler a category.
    let frames = &json("speedscope", &[], folded)["shared"]["frames"];
    let read = frames.as_array().expect("frames").iter().filter(|frame| frame["name"] == "read");
    let read: Vec<&Value> = read.map(|frame| &frame["marks"]).collect();
    assert_eq!(read, [&Value::Null, &value!("_[l]_[i]")]);
    let thread = json("firefox", &[], folded)["threads"][0].clone();
    let strings = thread["stringArray"].as_array().expect("strings");
    let marked: Vec<&Value> =
        strings.iter().filter(|it| it.as_str().is_some_and(|it| it.contains("_["))).collect();
    assert_eq!(marked, ["_[l]", "_[k]", "_[l]_[j]", "_[w]"]);
    // These two have no field for marks.
    for format in ["callgrind", "dot"] {
        let text = String::from_utf8(export(format, &[], folded)).expect("UTF-8");
        assert!(!text.contains("_["), "{text}");
        let name = if format == "dot" { "label=\"read\\n" } else { ") read\n" };
        assert_eq!(text.matches(name).count(), 1, "{text}");
    }
}

#[test]
fn stack_parse_reads_places_and_marks_again() {
    let merged = output("stack-merge", &[], PLACES).stdout;
    for format in ["firefox", "pprof", "speedscope"] {
        let file = export(format, &[], &merged);
        let again = output("stack-parse", &["--root", "none", "--srcline", "--annotate"], file);
        assert_eq!(String::from_utf8_lossy(&again.stderr), "", "{format}");
        let found = String::from_utf8_lossy(&again.stdout);
        assert_eq!(found, String::from_utf8_lossy(&merged), "{format}");
    }
}

#[test]
fn profiles_of_pprof_have_the_same_samples_after_an_export() {
    let mut cases = 0;
    for name in golden_files("formats/pprof") {
        let path = golden_path(&format!("formats/pprof/{name}"));
        if !name.ends_with(".pb") && !name.ends_with(".gz") {
            continue;
        }
        let profile = std::fs::read(&path).expect("a profile");
        for labels in [&[][..], &["--labels", "all"]] {
            let args = [&["--srcline", "--annotate"], labels].concat();
            let folded = output("stack-parse", &args, &profile).stdout;
            let again = output("stack-parse", &args, export("pprof", &[], &folded)).stdout;
            // Strings of protocol buffers are UTF-8. Ours name no files of code, which are those of
            // the system in one of the profiles, so that whole paths there are not own code.
            let folded = folded.replace(b"caf\xe9", r"caf\xE9").replace("_[o]", "");
            let again = again.replace("_[o]", "");
            assert_eq!(again.as_bstr(), folded.as_bstr(), "{name} {args:?}");
            assert!(!folded.is_empty(), "{name}");
            cases += 1;
        }
    }
    assert!(cases >= 10, "{cases}");
}

#[test]
fn lines_of_nameless_functions_are_kept() {
    let profile = std::fs::read(golden_path("formats/pprof/gperftools.pb.gz")).expect("a profile");
    let folded = output("stack-parse", &["--srcline"], profile).stdout;
    // From "go tool pprof -raw": 0x33a6 has no name, and is at line 2462.
    let frame = b"[demo_gp+0x33a6] (/usr/include/c++/12/bits/stl_tree.h:2462)";
    assert!(folded.contains_str(frame), "{}", folded.as_bstr());
    let again = export("pprof", &[], &folded);
    let again = output("stack-parse", &["--srcline"], again).stdout;
    assert!(again.contains_str(frame), "{}", again.as_bstr());
}

/// A program, and the weights of its lines.
const PROGRAM: &str = "void work(void) {\n    step();\n    rest();\n}\n\
    int main(void) {\n    work();\n}\n";

fn folded_of_program(name: &str) -> String {
    let file = scratch(name, PROGRAM).to_str().expect("UTF-8").to_owned();
    let main = format!("main ({file}:6)");
    format!(
        "{main};work ({file}:2) 310\n{main};work ({file}:3) 928\n{main};work ({file}:3);read 3\n"
    )
}

#[test]
fn go_lists_the_lines_of_a_function() {
    if goes_without(&[&["go"]]) {
        return;
    }
    let folded = folded_of_program("listed.c");
    let listed = go_pprof("listed", &export("pprof", &[], folded.as_bytes()), &["-list", "work"]);
    let lines: Vec<String> = listed
        .lines()
        .filter(|line| line.contains(':'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let expected = [
        ". . 1:void work(void) {",
        "310 310 2: step();",
        "928 931 3: rest();",
        ". . 4:}",
        ". . 5:int main(void) {",
    ];
    assert!(lines.windows(5).any(|found| found == expected), "{listed}");
}

#[test]
fn callgrind_annotate_shows_the_lines_of_a_file() {
    if goes_without(&[&["callgrind_annotate"]]) {
        return;
    }
    let folded = folded_of_program("annotated.c");
    let written = scratch("annotated.callgrind", export("callgrind", &[], folded.as_bytes()));
    let mut command = std::process::Command::new("callgrind_annotate");
    let output = command.arg("--auto=yes").arg(written).output().expect("valgrind's");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown =
        |cost: &str, line: &str| text.lines().any(|it| it.starts_with(cost) && it.ends_with(line));
    // It leaves out the folder in which it runs.
    assert!(shown("-- Auto-annotated source: ", "annotated.c"), "{text}");
    assert!(shown("310 (24.98%)", "    step();"), "{text}");
    assert!(shown("928 (74.78%)", "    rest();"), "{text}");
    // Names without files are as before.
    let found = annotated("named", &export("callgrind", &[], b"main;read 3\n"), false);
    assert!(found.contains(&(b"read".to_vec(), 3)), "{found:?}");
}

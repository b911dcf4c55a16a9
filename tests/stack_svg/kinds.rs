//! The kind of a frame's code: programs with known object files and source paths show how often the
//! picture is right.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::names::{CodeKind, FrameParts, code_kinds};

use super::draw;
use crate::util::{filter, output, recording};

/// Recordings of the programs in `tests/diff/languages`, and of one in C++: each line has the
/// leaf's object file as a label, each frame its marks and its source line.
const PROGRAMS: [(&str, &str); 8] = [
    ("c", "shop"),
    ("cpp", "cxx"),
    ("go", "post"),
    ("java", ""),
    ("node", ""),
    ("ocaml", "pupil"),
    ("python", ""),
    ("rust", "library"),
];

/// The kind of a function, from its place in the recording and in the debug information.
fn truth(program: &str, executable: &str, object: &str, frame: &str) -> CodeKind {
    let FrameParts { name, place, .. } = FrameParts::of(frame.as_bytes());
    let place = std::str::from_utf8(place).expect("UTF-8");
    if object.starts_with("[kernel") {
        CodeKind::Kernel
    } else if name.starts_with(b"[") {
        CodeKind::Nameless
    } else if !object.is_empty() && Path::new(object).file_name() != Some(executable.as_ref()) {
        CodeKind::Library
    } else if is_of_program(program, place) {
        CodeKind::Own
    } else if place.contains("/src/runtime/") {
        CodeKind::Runtime
    } else if matches!(program, "ocaml" | "node") && place.is_empty() {
        // OCaml's runtime has no debug information, V8's has no URL.
        CodeKind::Runtime
    } else {
        CodeKind::Library
    }
}

/// Whether a source line is in the program's sources. Paths of Java begin with the package; those
/// of py-spy are below the import folder.
fn is_of_program(program: &str, place: &str) -> bool {
    match program {
        "java" | "python" => {
            let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff/languages");
            let file = place.split(':').next().expect("a first part");
            !file.is_empty() && sources.join(program).join(file).is_file()
        }
        _ => place.contains("/home/someone/"),
    }
}

/// A line without its source lines.
fn without_places(stack: &str) -> String {
    let bare = |frame: &str| {
        let FrameParts { name, marks, .. } = FrameParts::of(frame.as_bytes());
        String::from_utf8([name, marks].concat()).expect("UTF-8")
    };
    stack.split(';').map(bare).collect::<Vec<_>>().join(";")
}

/// A stack, the kind of its leaf, and its weight.
type Judged = (String, CodeKind, u64);

fn judged(program: &str, executable: &str, with_places: bool) -> Vec<Judged> {
    let text = String::from_utf8(recording(&format!("kinds/{program}.folded.gz"))).expect("UTF-8");
    let judge = |line: &str| {
        let (labels, stack) = line.rsplit_once('\t').unwrap_or(("", line));
        let (stack, weight) = stack.rsplit_once(' ').expect("a weight");
        let object = labels.strip_prefix("object=").unwrap_or_default();
        let kind = truth(program, executable, object, leaf(stack));
        let stack = if with_places { stack.to_owned() } else { without_places(stack) };
        (stack, kind, weight.parse().expect("a number"))
    };
    text.lines().map(judge).collect()
}

fn leaf(stack: &str) -> &str {
    stack.rsplit(';').next().expect("a leaf")
}

/// The weight of all stacks, and of those in which the leaf has a wrong kind.
fn wrong(stacks: &[Judged]) -> (u64, BTreeMap<(&str, CodeKind, CodeKind), u64>) {
    let frames: BTreeSet<&str> = stacks.iter().flat_map(|(stack, ..)| stack.split(';')).collect();
    let kinds = code_kinds(frames.iter().map(|frame| frame.as_bytes()));
    let kinds: BTreeMap<&str, CodeKind> = frames.into_iter().zip(kinds).collect();
    let (mut all, mut wrong) = (0, BTreeMap::new());
    for (stack, expected, weight) in stacks {
        all += weight;
        let found = kinds[leaf(stack)];
        if found != *expected {
            *wrong.entry((leaf(stack), *expected, found)).or_default() += weight;
        }
    }
    (all, wrong)
}

#[test]
fn own_code_libraries_runtime_and_kernel_are_what_object_and_path_say() {
    let mut failures = Vec::new();
    for (program, executable) in PROGRAMS {
        for with_places in [true, false] {
            // py-spy's names do not show the kind without their source lines.
            if program == "python" && !with_places {
                continue;
            }
            let stacks = judged(program, executable, with_places);
            let (all, wrong) = wrong(&stacks);
            let share = 100 - (100 * wrong.values().sum::<u64>()).div_ceil(all);
            println!("{program}, places {with_places}: {share} % of {all}");
            if all < 100 || share < 95 {
                failures.push(format!("{program}, places {with_places}: {share} % {wrong:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn the_legend_names_the_kinds_that_are_there() {
    let lines = "main;read_[k] 3\nmain;qsort_[l] 2\nmain;caml_main 1\nmain;[app+0x12] 1\n";
    let picture = draw(&[], lines);
    for word in ["own code", "library", "runtime", "kernel", "no symbol"] {
        assert!(picture.texts.iter().any(|text| text == word), "{word}: {:?}", picture.texts);
    }
    let color = |name| picture.named(name)[0].fill.clone();
    let colors = ["main", "read", "qsort", "caml_main", "[app+0x12]"].map(color);
    assert!((1..5).all(|at| !colors[..at].contains(&colors[at])), "{colors:?}");
    // Without a mark nothing shows that `main` is not a library's function.
    assert!(draw(&[], "main 1\n").texts.iter().any(|text| text == "unknown"));
}

#[test]
fn roots_of_states_have_the_kinds_of_the_states() {
    let slices = "state=waiting\tmain 3\nstate=runnable\tmain 2\nstate=running\tmain 1\n";
    let legend = |args: &[&str], lines: &str| {
        let texts = draw(args, lines).texts;
        ["waiting", "runnable"].map(|kind| texts.iter().filter(|text| *text == kind).count())
    };
    assert_eq!(legend(&["--split", "state"], slices), [1; 2]);
    assert_eq!(legend(&["--split", "root"], "waiting;main 3\nrunnable;main 2\n"), [0; 2]);
}

#[test]
fn shared_libraries_and_packages_have_a_mark() {
    let script = "app 7 1.000000: 1 cycles:\n\t1 qsort (/usr/lib/libc.so.6)\n\t2 main (/app)\n\n";
    assert_eq!(filter("stack-parse", &["--annotate"], script), "app;main_[o];qsort_[l] 1\n");
    assert_eq!(filter("stack-parse", &[], script), "app;main;qsort 1\n");
    let node = recording("formats/cpuprofile/node20.cpuprofile.gz");
    let folded = output("stack-parse", &["--annotate"], &node).stdout;
    let folded = String::from_utf8(folded).expect("UTF-8");
    assert!(folded.contains("Module._load_[l]_[j];"), "{folded}");
    assert!(folded.contains(";main_[o]_[j]") && !folded.contains("main_[l]"), "{folded}");
}

//! Which code is the user's own, in programs of five languages: what stack-parse says of their
//! samples, against the file that llvm-symbolizer names for each address.

mod by_lines;
mod project;

use std::collections::BTreeMap;
use std::process::Command;

use by_lines::by_lines;
use project::{PROJECTS, Project};

use crate::needs::{NEED_ALL, goes_without, skip};
use crate::programs::ocaml_5_place;
use crate::util::{command, filter};

/// The deepest own function of a sample, or none.
type Own = Option<String>;

/// How a recording is judged.
#[derive(Debug, Default)]
struct Verdict {
    samples: u64,
    /// Those that have own code by the lines.
    own: u64,
    /// Those that have own code as stack-parse says.
    called: u64,
    /// Those that both give to the same own function or, without lines, to any: then functions that
    /// were inlined have no names.
    agreed: u64,
    /// Those whose leaf is of an unknown kind.
    unknown: u64,
}

/// The own function of each sample, and whether the kind of its leaf is known, as stack-parse says.
/// A sample is known by its time and its thread.
fn by_marks(project: &Project) -> BTreeMap<String, (Own, bool)> {
    let args = ["--per-sample", "--labels", "time,tid", "--annotate", "--inlined", "own"];
    let mut parse = command("stack-parse");
    // There are no lines in a cache of an earlier run.
    parse.args(args).arg(project.recording()).env("HOME", "/nonexistent");
    let parse = parse.output();
    let parsed = parse.expect("it starts").stdout;
    let folded = filter("stack-demangle", &[], parsed);
    let samples = folded.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (labels, stack) = line.rsplit_once('\t').expect("labels");
        let number = |key: &str| {
            let label = labels.split('\t').find_map(|label| label.strip_prefix(key));
            label.expect("each sample has it").to_owned()
        };
        let stack = stack.rsplit_once(' ').expect("a weight").0;
        let own = stack.split(';').rfind(|frame| frame.contains("_[o]"));
        let leaf = stack.rsplit(';').next().expect("a leaf");
        let is_known = ["_[o]", "_[l]", "_[k]"].iter().any(|mark| leaf.contains(mark));
        let id = format!("{} {}", number("time="), number("tid="));
        (id, (own.map(without_marks), is_known))
    });
    samples.collect()
}

/// The name of a frame.
fn without_marks(frame: &str) -> String {
    frame.split("_[").next().expect("a name").to_owned()
}

fn judge(project: &Project, has_lines: bool) -> Verdict {
    let (marks, lines) = (by_marks(project), by_lines(project, has_lines));
    assert!(marks.keys().eq(lines.keys()), "{}: the samples differ", project.name);
    let mut verdict = Verdict { samples: marks.len() as u64, ..Verdict::default() };
    for ((own, is_known), truth) in marks.values().zip(lines.values()) {
        verdict.own += u64::from(truth.is_some());
        verdict.called += u64::from(own.is_some());
        verdict.unknown += u64::from(!is_known);
        let is_same = own == truth || !has_lines && truth.is_some();
        verdict.agreed += u64::from(own.is_some() && is_same);
    }
    verdict
}

/// Whether at least so many of a hundred are in this part.
fn is_share(part: u64, all: u64, percent: u64) -> bool {
    part * 100 >= all * percent
}

fn check(name: &str) {
    let project = PROJECTS.iter().find(|project| project.name == name).expect("a project");
    if goes_without(&[project.needs, &["perf", "objcopy", "llvm-symbolizer"]]) {
        return;
    }
    project.build();
    for (has_lines, [right, found]) in [(true, [98, 90]), (false, [95, 75])] {
        if !project.record(has_lines) {
            return skip("perf does not record here");
        }
        let it = judge(project, has_lines);
        let name = format!("{name}, with lines: {has_lines}");
        assert!(it.samples >= 100 && it.own > 0, "{name}: {it:?}");
        assert!(is_share(it.agreed, it.called, right), "{name}: {it:?}");
        assert!(is_share(it.agreed, it.own, found), "{name}: {it:?}");
        assert!(is_share(it.samples - it.unknown, it.samples, 85), "{name}: {it:?}");
    }
}

#[test]
fn own_code_of_cxx_is_known() {
    check("cxx");
}

#[test]
fn own_code_of_rust_is_known() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/own_code/rayon/Cargo.toml");
    let fetch = ["fetch", "--quiet", "--locked", "--offline", "--manifest-path", manifest];
    if !Command::new(env!("CARGO")).args(fetch).status().is_ok_and(|status| status.success()) {
        assert!(std::env::var_os(NEED_ALL).is_none(), "scripts/test downloads rayon");
        return skip("rayon is not downloaded");
    }
    check("rust");
}

#[test]
fn own_code_of_go_is_known() {
    check("go");
}

#[test]
fn own_code_of_ocaml_is_known() {
    check("ocaml");
}

#[test]
fn own_code_of_ocaml_5_is_known() {
    if !ocaml_5_place().join("bin/ocamlopt.opt").exists() {
        return skip("tests/ocaml/ocaml-5 has not built OCaml 5");
    }
    check("ocaml-5");
}

#[test]
fn own_code_of_an_extension_of_python_is_known() {
    check("python");
}

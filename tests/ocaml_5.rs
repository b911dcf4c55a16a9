//! OCaml 5.3 with frame pointers, from the results of tests/ocaml/ocaml-5: recordings and, where it
//! built the compiler, what its programs print.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::exact_names::judge;
use crate::needs::{goes_without, skip};
use crate::programs::ocaml_5;
use crate::util::{binary, filter, output, recording};

/// The merged stacks of a recording, without its executable.
fn recorded(name: &str, presets: &[&str]) -> Vec<(Vec<String>, u64)> {
    let script = recording(&format!("formats/perf-script/{name}-5.3.0fp-fp.gz"));
    let parsed = output("stack-parse", &["--weight", "samples"], script).stdout;
    let mut folded = filter("stack-demangle", &[], parsed);
    for preset in presets {
        folded = filter("stack-collapse-frames", &["--preset", preset], folded);
    }
    let merged = filter("stack-merge", &[], folded);
    let lines = merged.lines().map(|line| {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        (stack.split(';').map(str::to_owned).collect(), count.parse().expect("a number"))
    });
    lines.collect()
}

/// The weight of the stacks that `wanted` accepts.
fn weight(stacks: &[(Vec<String>, u64)], wanted: impl Fn(&[String]) -> bool) -> u64 {
    stacks.iter().filter(|(frames, _)| wanted(frames)).map(|(_, count)| count).sum()
}

fn has(frames: &[String], name: &str) -> bool {
    frames.iter().any(|frame| frame == name)
}

#[test]
fn the_shares_of_the_collector_are_those_of_the_research() {
    for (name, gc, all) in [("domains", 1168, 1456), ("treegc", 192, 642)] {
        let stacks = recorded(name, &["ocaml-gc"]);
        let found = weight(&stacks, |frames| has(frames, "[GC]"));
        assert_eq!((found, weight(&stacks, |_| true)), (gc, all), "{name}");
    }
}

#[test]
fn stacks_are_whole_through_effects_and_domains() {
    let stacks = recorded("domains", &[]);
    // All but the first steps of a thread.
    let whole = weight(&stacks, |frames| has(frames, "start_thread") || has(frames, "caml_main"));
    assert!(whole >= 1450, "{whole}");
    let fibre = |frame: &String| frame.starts_with("Domains.fibre_");
    let fibres = weight(&stacks, |frames| frames.iter().any(fibre));
    let below_their_effects = weight(&stacks, |frames| {
        frames.windows(3).any(|three| {
            three[0] == "Domains.(toplevel)" && three[1] == "caml_runstack" && fibre(&three[2])
        })
    });
    assert_eq!((fibres, below_their_effects), (85, 85));
    let spawned = weight(&stacks, |frames| has(frames, "domain_thread_func"));
    let bodies = weight(&stacks, |frames| has(frames, "Stdlib.Domain.body"));
    assert_eq!((spawned, bodies), (1237, 1236));
    // The runtime between a program and its fibres is removed.
    let stacks = recorded("domains", &["ocaml-runtime"]);
    let next = |two: &[String]| two[0] == "Domains.(toplevel)" && fibre(&two[1]);
    assert_eq!(weight(&stacks, |frames| frames.windows(2).any(next)), 85);
}

/// A program of `tests/ocaml`, if the compiler is installed.
fn built(name: &str, options: &[&str]) -> Option<PathBuf> {
    let built = ocaml_5(name, &[&format!("{name}.ml")], options);
    if built.is_none() {
        skip("tests/ocaml/ocaml-5 has not built OCaml 5");
    }
    built
}

fn truth() -> PathBuf {
    let sources = ["../oracle/truth/functions_5.ml", "../oracle/truth/truth.ml"];
    let options = ["-I", "+compiler-libs", "ocamlcommon.cmxa"];
    let truth = ocaml_5("truth", &sources, &options).expect("a compiler");
    let list = "compiler=$1; ./truth $compiler/lib/ocaml/*.ml *.ml > truth.tsv";
    let place = crate::programs::ocaml_5_place();
    let folder = truth.parent().expect("a folder");
    for source in ["domains.ml", "treegc.ml", "shapes.ml"] {
        let from = [env!("CARGO_MANIFEST_DIR"), "/tests/ocaml/", source].concat();
        std::fs::copy(from, folder.join(source)).expect("a writable folder");
    }
    let made = Command::new("sh").current_dir(folder).args(["-c", list, "sh"]).arg(place).status();
    assert!(made.expect("sh").success());
    folder.join("truth.tsv")
}

fn path(exe: &Path) -> &str {
    exe.to_str().expect("a UTF-8 path")
}

#[test]
fn exact_names_are_those_of_the_sources() {
    if goes_without(&[&["python3"]]) {
        return;
    }
    let Some(domains) = built("domains", &[]) else { return };
    let programs = [domains, built("treegc", &[]).expect("a compiler")];
    let programs = programs.into_iter().chain(built("shapes", &["-inline", "100"]));
    let truth = truth();
    let (mut right, mut wrong) = (0, 0);
    for exe in programs {
        let judged = judge(&exe, &truth);
        assert!(judged.count("toplevel", "right") >= 25, "{}", judged.0);
        assert_eq!(judged.count("toplevel", "wrong"), 0, "{}", judged.0);
        assert_eq!(judged.count("place", "wrong"), 0, "{}", judged.0);
        right += judged.count("exact", "right");
        wrong += judged.count("exact", "wrong");
        assert_eq!(filter("stack-symbols", &["--call-graph", path(&exe)], ""), "fp\n");
        let listed = Command::new(binary("stack-symbols")).arg(&exe).output().expect("it starts");
        assert!(listed.stderr.is_empty(), "{}", String::from_utf8_lossy(&listed.stderr));
    }
    assert!(right >= 2500 && wrong * 200 <= right, "{right} are right, {wrong} wrong");
}

#[test]
fn names_of_a_profile_are_exact() {
    let Some(exe) = built("domains", &[]) else { return };
    let list = filter("stack-symbols", &[path(&exe)], "");
    let symbol = |name: &str| {
        let row = list.lines().find(|row| row.contains(&format!("\t{name}\t"))).expect(name);
        row.split('\t').next().expect("a symbol").to_owned()
    };
    let names = ["Stdlib.Map.Make.add", "Domains.work.go", "Domains.run_fibres.spawn"];
    let stack = names.map(symbol).join(";");
    let named = filter("stack-demangle", &["--exe", path(&exe)], format!("{stack} 1\n"));
    assert_eq!(named, format!("{} 1\n", names.join(";")));
}

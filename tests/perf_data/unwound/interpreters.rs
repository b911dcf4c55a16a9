//! Code that Python, Node.js and Java make at run time: callers that are true up to the root, and no
//! alarm about the files in which it is described.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{SOURCES, Unwound, folder};
use crate::needs::{goes_without, skip};

/// A program that runs another one of tests/unwound, its options, and the words for that one.
struct Runs {
    program: PathBuf,
    options: Vec<&'static str>,
    source: &'static str,
    rounds: &'static str,
}

impl Runs {
    fn record(&self, call_graph: &str) -> Option<Unwound> {
        let Runs { program, options, source, rounds } = self;
        let name = format!("{} {} {call_graph}", program.display(), options.join(" "));
        let source = Path::new(SOURCES).join(source);
        let words = [program.as_os_str()].into_iter().chain(options.iter().map(OsStr::new));
        let words: Vec<&OsStr> = words.chain([source.as_os_str(), rounds.as_ref()]).collect();
        Unwound::record(&folder(&name), call_graph, &words)
    }
}

/// The Pythons from 3.12 on that are here, those of pyenv, too, with each option that makes names.
fn pythons() -> Vec<Runs> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&folders).flat_map(|folder| {
        ["python3", "python3.12", "python3.13", "python3.14"].map(|name| folder.join(name))
    });
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let versions = home.join(".pyenv/versions").read_dir().into_iter().flatten().flatten();
    let of_pyenv = versions.map(|version| version.path().join("bin/python3"));
    let mut found: Vec<PathBuf> =
        of_pyenv.chain(in_path).filter_map(|it| executable(&it)).collect();
    found.sort();
    found.dedup();
    let options =
        [("perf", "sys.version_info >= (3, 12)"), ("perf_jit", "sys.version_info >= (3, 13)")];
    let runs = found.iter().flat_map(|program| {
        let options = options.iter().filter(|(_, test)| holds(program, test));
        options.map(|(option, _)| Runs {
            program: program.clone(),
            options: vec!["-X", option],
            source: "calls.py",
            rounds: "300",
        })
    });
    runs.collect()
}

/// What Python itself says where it is: pyenv has scripts in its place.
fn executable(python: &Path) -> Option<PathBuf> {
    if !python.is_file() {
        return None;
    }
    let printed = Command::new(python).args(["-c", "import sys; print(sys.executable)"]).output();
    let printed = printed.ok().filter(|output| output.status.success())?.stdout;
    PathBuf::from(String::from_utf8(printed).ok()?.trim_end()).canonicalize().ok()
}

/// Whether a condition of Python holds and its names for perf can be had.
fn holds(python: &Path, condition: &str) -> bool {
    let code = format!(
        "import sys, sysconfig\n\
         sys.exit(not ({condition} and sysconfig.get_config_var('PY_HAVE_PERF_TRAMPOLINE')))"
    );
    let status = Command::new(python).args(["-c", &code]).stdin(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn node(options: &[&'static str]) -> Runs {
    Runs { program: "node".into(), options: options.to_vec(), source: "calls.js", rounds: "4000" }
}

fn java(options: &[&'static str]) -> Runs {
    let options = [&["-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit"], options].concat();
    Runs { program: "java".into(), options, source: "Calls.java", rounds: "4000" }
}

/// The names of the functions of a source file on a stack, root first.
fn of_source<'s>(frames: &'s [String], source: &str, prefixes: &[&str]) -> Vec<&'s str> {
    let own = frames.iter().filter(|frame| frame.contains(source));
    own.map(|frame| {
        let name = prefixes.iter().find_map(|prefix| frame.strip_prefix(prefix)).unwrap_or(frame);
        name.split([':', ' ']).next().unwrap_or_default()
    })
    .collect()
}

#[test]
fn functions_of_python_have_all_their_callers() {
    if goes_without(&[&["perf"]]) {
        return;
    }
    let pythons = pythons();
    if pythons.is_empty() || !cfg!(target_arch = "x86_64") {
        skip("no Python from 3.12 on is here, or this is not x86-64");
    }
    for runs in &pythons {
        let Some(unwound) = runs.record("dwarf,65528") else { return };
        let what = format!("{} {:?}: {}", runs.program.display(), runs.options, unwound.said);
        let start = ["<module>", "main", "work", "work.<locals>.<genexpr>"];
        let paths = ["mapped", "ordered"].map(|by| [&start[..], &[by, "key", "leaf"]].concat());
        let (mut all, mut rooted, mut whole) = (0, 0, 0);
        for (frames, weight) in &unwound.stacks {
            let own = of_source(frames, "calls.py", &["py::"]);
            let is_cut = frames[0].starts_with('[');
            let is_true = |path: &Vec<&str>| match is_cut {
                true => own.is_empty() || path.windows(own.len()).any(|part| part == own),
                false => path.starts_with(&own),
            };
            assert!(paths.iter().any(is_true), "{frames:?} {what}");
            // A trampoline calls nothing but the interpreter.
            for (trampoline, called) in frames.iter().zip(&frames[1..]) {
                let is_right = called.starts_with("_PyEval_EvalFrameDefault");
                assert!(!trampoline.starts_with("py::") || is_right, "{frames:?} {what}");
            }
            all += weight * u64::from(frames[0] != "[truncated]");
            rooted += weight * u64::from(!is_cut);
            whole += weight * u64::from(own.ends_with(&["key", "leaf"]) && own.len() == 7);
        }
        assert!(rooted * 100 >= all * 99, "{rooted} of {all} {what}");
        assert!(whole * 2 > all, "{whole} of {all} {what}");
    }
}

#[test]
fn functions_of_node_have_all_their_callers() {
    if goes_without(&[&["perf", "node"]]) {
        return;
    }
    for options in [
        &["--perf-basic-prof"][..],
        &["--perf-prof"],
        &["--perf-prof", "--perf-prof-unwinding-info"],
    ] {
        let Some(unwound) = node(options).record("dwarf,65528") else { return };
        let what = format!("{options:?}: {}", unwound.said);
        let (mut all, mut rooted, mut compiled) = (0, 0, 0);
        for (frames, weight) in &unwound.stacks {
            let prefixes = ["JS:~", "JS:^", "JS:+", "JS:*", "JS:"];
            let own = of_source(frames, "calls.js", &prefixes);
            // Callers may be inlined or interpreted, but none is another one.
            let mut path = ["main", "work", "middle", "leaf"].iter();
            let named = own.iter().filter(|name| !name.is_empty());
            assert!(named.clone().all(|name| path.any(|it| it == name)), "{frames:?} {what}");
            all += weight * u64::from(frames[0] != "[truncated]");
            rooted += weight * u64::from(!frames[0].starts_with('['));
            compiled += weight * u64::from(named.clone().next().is_some());
        }
        assert!(rooted * 100 >= all * 99, "{rooted} of {all} {what}");
        assert!(compiled * 3 > all, "{compiled} of {all} {what}");
    }
}

#[test]
fn files_that_grow_while_they_are_recorded_raise_no_alarm() {
    if goes_without(&[&["perf", "node", "java"]]) {
        return;
    }
    let others = [
        node(&["--perf-basic-prof"]),
        node(&["--perf-prof"]),
        node(&["--perf-prof", "--perf-prof-unwinding-info"]),
        java(&[]),
        java(&["-XX:+PreserveFramePointer"]),
        java(&["-XX:TieredStopAtLevel=1"]),
    ];
    // The files grow most at the start.
    let briefly = |runs| Runs { rounds: "1000", ..runs };
    let all: Vec<Runs> = pythons().into_iter().chain(others.map(briefly)).collect();
    for runs in &all {
        for call_graph in ["fp", "dwarf,16384"] {
            let Some(unwound) = runs.record(call_graph) else { return };
            let said = &unwound.said;
            let is_alarm = ["may be wrong", "another file"].iter().any(|it| said.contains(it));
            assert!(!is_alarm, "{} {:?}: {said}", runs.program.display(), runs.options);
            let has_own = |(frames, _): &(Vec<String>, u64)| {
                let names = ["calls.py", "calls.js", " Calls."];
                frames.iter().any(|frame| names.iter().any(|name| frame.contains(name)))
            };
            // Python is seldom compiled with frame pointers, which lead to its trampolines.
            let may_have_none = call_graph == "fp" && runs.source == "calls.py";
            let has_own = may_have_none || unwound.stacks.iter().any(has_own);
            assert!(has_own, "{:?}: {said}", runs.options);
        }
    }
}

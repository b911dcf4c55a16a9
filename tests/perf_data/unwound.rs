//! Callers in copies of stacks, of programs whose callers are known by their source: no caller is
//! wrong, and where one is not known the stack says so.

mod interpreters;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::needs::{goes_without, skip};
use crate::programs::RECORD;
use crate::util::{command, stderr};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/unwound");

/// A recording of a program, and what stack-parse makes of it.
struct Unwound {
    /// The frames of each stack, root first, and its weight.
    stacks: Vec<(Vec<String>, u64)>,
    said: String,
}

impl Unwound {
    /// Builds a program and records it. `None` where that is not possible.
    fn new(source: &str, compiler: &[&str]) -> Option<Unwound> {
        if goes_without(&[&["perf"], &compiler[..1]]) {
            return None;
        }
        if !cfg!(target_arch = "x86_64") {
            skip("only instructions of x86-64 are followed");
            return None;
        }
        let folder = folder(&format!("{source} {}", compiler.join(" ")));
        let program = folder.join("program");
        let mut compile = Command::new(compiler[0]);
        compile.args(&compiler[1..]).arg(Path::new(SOURCES).join(source)).arg("-o").arg(&program);
        assert!(compile.status().expect("a compiler").success());
        Unwound::record(&folder, "dwarf,65528", &[program.as_os_str()])
    }

    /// Records a program, by its words. `None` where perf does not record.
    fn record(folder: &Path, call_graph: &str, program: &[&OsStr]) -> Option<Unwound> {
        let data = folder.join("perf.data");
        let mut record = Command::new("perf");
        record.args(RECORD).args(["-k", "mono", "-e", "cpu-clock:u", "-F", "499", "-m", "1024"]);
        record.args(["--call-graph", call_graph, "-o"]).arg(&data).arg("--").args(program);
        let record = record.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
        if !record.status().expect("perf").success() {
            skip("perf does not record here");
            return None;
        }
        let mut parse = command("stack-parse");
        let output = parse.args(["--root", "none"]).arg(data).output().expect("it starts");
        assert!(output.status.success(), "{output:?}");
        let folded = String::from_utf8_lossy(&output.stdout).into_owned();
        let stack = |line: &str| {
            let (stack, weight) = line.rsplit_once(' ').expect("a weight");
            let frames = stack.split(';').map(str::to_owned).collect();
            (frames, weight.parse().expect("a weight"))
        };
        Some(Unwound { stacks: folded.lines().map(stack).collect(), said: stderr(&output) })
    }

    /// Asserts that no caller is wrong: `paths` are all that the source has, from the root on. The
    /// program's functions in a stack begin one of them or, after a mark, are in one of them. Before
    /// a whole path there are only functions that start programs, and those of `before`; functions
    /// of the C library may come after it.
    fn assert_true(&self, paths: &[&[&str]], before: &[&str]) {
        let is_known = |frame: &&str| paths.iter().any(|path| path.contains(frame));
        for (frames, _) in &self.stacks {
            let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
            let is_marked = ["[broken]", "[truncated]"].contains(&frames[0]);
            let start = frames.iter().position(is_known).unwrap_or(frames.len());
            let (outer, inner) = frames.split_at(start);
            let own: Vec<&str> = inner.iter().copied().take_while(is_known).collect();
            let is_true = |path: &&[&str]| match is_marked {
                true => own.is_empty() || path.windows(own.len()).any(|part| part == own),
                false => path.starts_with(&own),
            };
            assert!(paths.iter().any(is_true), "{frames:?}");
            let outer = &outer[usize::from(is_marked)..];
            // What the C library does before and after the program is its own matter.
            let checked = if inner.is_empty() { &outer[..outer.len().min(1)] } else { outer };
            let is_outer = |frame: &&str| is_of_start(frame) || before.contains(frame);
            assert!(checked.iter().all(is_outer), "{frames:?}");
        }
    }

    /// The share of the weight of stacks that end in this path.
    fn share(&self, path: &[&str]) -> f64 {
        let ends = |frames: &[String]| {
            frames.windows(path.len()).any(|window| window.iter().zip(path).all(|(a, b)| a == b))
        };
        let sum = |all: bool| -> u64 {
            let stacks = self.stacks.iter().filter(|(frames, _)| all || ends(frames));
            stacks.map(|(_, weight)| weight).sum()
        };
        sum(false) as f64 / sum(true) as f64
    }
}

/// A folder for what is built and recorded.
fn folder(name: &str) -> PathBuf {
    let name = name.replace(['/', ' '], "_");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unwound").join(name);
    fs::create_dir_all(&folder).expect("a writable target directory");
    folder
}

/// Whether a function is of the C library or the dynamic linker, before `main`.
fn is_of_start(frame: &str) -> bool {
    ["_start", "_dl_", "__libc_start", "libc_start_main", "dl_", "[ld", "[libc", "_init", "__"]
        .iter()
        .any(|start| frame.starts_with(start))
        || frame.contains("libc_start")
}

const NO_TABLES: [&str; 2] = ["-g0", "-fno-asynchronous-unwind-tables"];

#[test]
fn assembly_without_cfi() {
    let Some(unwound) = Unwound::new("assembly.c", &["cc", "-O1"]) else { return };
    unwound.assert_true(&[&["main", "encode", "tramp", "burn"], &["main", "decode", "burn"]], &[]);
    assert!(unwound.share(&["main", "encode", "tramp", "burn"]) > 0.5);
    assert!(!unwound.said.contains("[broken]"), "{}", unwound.said);
}

#[test]
fn compiled_code_without_cfi() {
    let paths: &[&[&str]] = &[
        &["main", "saves", "burn"],
        &["main", "sized", "burn"],
        &["main", "table", "burn"],
        &["main", "early", "burn"],
        &["main", "passes", "many", "burn"],
    ];
    for level in ["-O0", "-O1", "-O2", "-Os"] {
        for pointer in ["-fomit-frame-pointer", "-fno-omit-frame-pointer"] {
            let compiler = [&["cc", level, pointer][..], &NO_TABLES].concat();
            let Some(unwound) = Unwound::new("compiled.c", &compiler) else { return };
            unwound.assert_true(paths, &[]);
            for path in paths {
                assert!(unwound.share(path) > 0.05, "{level} {pointer} {path:?}");
            }
            assert!(!unwound.said.contains("[broken]"), "{level} {pointer}: {}", unwound.said);
        }
    }
}

#[test]
fn functions_of_musl() {
    for pointer in ["-fomit-frame-pointer", "-fno-omit-frame-pointer"] {
        let compiler = ["musl-gcc", "-O1", "-g", "-static", pointer];
        let Some(unwound) = Unwound::new("strings.c", &compiler) else { return };
        unwound.assert_true(
            &[&["main", "compare", "memcmp"], &["main", "search", "strstr"], &["main", "memset"]],
            &["_start_c"],
        );
        assert!(unwound.share(&["main", "compare", "memcmp"]) > 0.3);
        assert!(unwound.share(&["main", "search", "strstr"]) > 0.05);
        assert!(!unwound.said.contains("[broken]"), "{}", unwound.said);
    }
}

#[test]
fn a_signal_with_a_stack_of_its_own() {
    let Some(unwound) = Unwound::new("signal.c", &["cc", "-O1", "-g"]) else { return };
    let handler = ["__restore_rt", "handler", "in_handler", "burn"];
    unwound.assert_true(
        &[
            &["main", "work", "burn"],
            &[&["main", "work", "burn"], &handler[..]].concat(),
            &[&["main", "work"], &handler[..]].concat(),
        ],
        &["setitimer"],
    );
    let in_handler = ["[broken]", "burn", "__restore_rt", "handler", "in_handler", "burn"];
    assert!(unwound.share(&in_handler) > 0.1, "{:?}", unwound.stacks);
    assert!(unwound.share(&["main", "work", "burn"]) > 0.1);
    let remedy = "it goes on in a stack that was not copied";
    assert!(unwound.said.contains(remedy), "{}", unwound.said);
}

#[test]
fn fibers_are_whole() {
    for linked in [&["-static-pie"][..], &[]] {
        let compiler = [&["cc", "-O1", "-g"], linked].concat();
        let Some(unwound) = Unwound::new("fibers.c", &compiler) else { return };
        let paths: &[&[&str]] =
            &[&["main", "step", "leaf", "burn"], &["fiber", "step", "leaf", "burn"]];
        unwound.assert_true(paths, &[]);
        assert!(unwound.share(&["fiber", "step", "leaf", "burn"]) > 0.5);
        assert_eq!(unwound.said, "", "{linked:?}");
    }
}

#[test]
fn code_made_at_run_time_without_a_frame_has_no_wrong_caller() {
    for pointer in ["-fomit-frame-pointer", "-fno-omit-frame-pointer"] {
        let Some(unwound) = Unwound::new("made.c", &["cc", "-O1", "-g", pointer]) else { return };
        unwound.assert_true(&[&["main", "call_made", "made"]], &[]);
        assert!(unwound.share(&["[broken]", "made"]) > 0.9, "{:?}", unwound.stacks);
        assert!(unwound.said.contains("it was made at run time"), "{}", unwound.said);
    }
}

#[test]
fn a_frame_that_no_copy_holds_is_named() {
    let Some(unwound) = Unwound::new("huge.c", &["cc", "-O1", "-g"]) else { return };
    unwound.assert_true(&[&["main", "writes", "burn"]], &[]);
    assert!(unwound.share(&["[truncated]", "writes", "burn"]) > 0.9, "{:?}", unwound.stacks);
    let said = &unwound.said;
    let expected = "of the stacks end in [truncated] before writes, whose frame has 65,6";
    assert!(said.contains(expected), "{said}");
    assert!(!said.contains("reattach") && !said.contains("dwarf,65528"), "{said}");
}

//! Programs in several languages, recorded by the test. The expected weights of their lines are
//! computed from the same recording by another program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use super::printed;
use crate::needs::{goes_without, skip};
use crate::programs::RECORD;
use crate::util::{filter, output, recording};

/// Self and total of lines, by their numbers.
type Lines = BTreeMap<u32, (u64, u64)>;

/// A folder with this file.
fn folder_of(name: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), text).expect("a new file");
    folder
}

fn run(command: &str, folder: &Path) {
    printed(Command::new("sh").args(["-ec", command]).current_dir(folder));
}

/// The weights from stack-source for the lines of all files with paths that end in `path`.
fn lines_of(recording: &Path, event: &[&str], path: &str) -> Lines {
    let args = [event, &["--srcline", recording.to_str().expect("UTF-8")]].concat();
    let folded = output("stack-parse", &args, "").stdout;
    let folder = recording.parent().expect("a folder").to_str().expect("UTF-8");
    let tsv = filter("stack-source", &["--tsv", "--path", path, "--source-path", folder], folded);
    rows(&tsv).map(|(_, line, weights)| (line, weights)).collect()
}

/// The function, the line, and self and total of each row.
fn rows(tsv: &str) -> impl Iterator<Item = (String, u32, (u64, u64))> {
    tsv.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| -> u64 { fields[at].parse().expect("a number") };
        (fields[0].to_owned(), number(2) as u32, (number(3), number(4)))
    })
}

/// Adds a stack of lines, leaf first; `None` is a frame elsewhere, and 0 is not a line of a file.
fn add(stack: &[Option<u32>], lines: &mut Lines) {
    let stack: Vec<_> = stack.iter().map(|line| line.filter(|line| *line > 0)).collect();
    for line in stack.iter().flatten().collect::<BTreeSet<_>>() {
        lines.entry(*line).or_default().1 += 1;
    }
    if let Some(Some(leaf)) = stack.first() {
        lines.entry(*leaf).or_default().0 += 1;
    }
}

const WORK_RS: &str = "use std::hint::black_box;

#[inline(always)]
fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^ (x >> 33)
}

#[inline(never)]
fn work(n: u64, mut h: u64) -> u64 {
    for i in 0..n {
        h = mix(h.wrapping_add(i));
        if h % 7 == 3 {
            h /= 1 + (h & 15);
        }
    }
    h
}

#[inline(never)]
fn climb(depth: u32, h: u64) -> u64 {
    if depth == 0 {
        return work(200_000, h);
    }
    let h = climb(depth - 1, h) + 1;
    work(20_000, black_box(h))
}

fn main() {
    let mut h = 1;
    for _ in 0..300 {
        h ^= climb(8, black_box(h));
    }
    black_box(h);
}
";

const WORK_ML: &str = "let[@inline] mix x =
  let x = x lxor (x lsr 33) in
  let x = x * 0x51afd7ed558ccd in
  x lxor (x lsr 33)

let work n h =
  let h = ref h in
  for i = 1 to n do
    h := mix (!h + i);
    if !h land 7 = 3 then
      h := !h / (1 + (!h land 15))
  done;
  !h

let () =
  let h = ref 1 in
  for _ = 1 to 300 do
    h := !h + work 400_000 !h
  done;
  ignore (Sys.opaque_identity !h)
";

/// The addresses of each sample in the program, leaf first. The address of a caller is where it
/// continues, so its call is just before that; code that the kernel interrupts continues at the
/// same address.
fn samples(folder: &Path, options: &[&str]) -> Option<Vec<Vec<Option<u64>>>> {
    let mut perf = Command::new("perf");
    perf.args(RECORD).args(["-e", "cpu-clock", "-F", "2000", "-o", "perf.data"]).args(options);
    let recorded = perf.arg("./work").current_dir(folder).stderr(Stdio::null()).status();
    if !recorded.is_ok_and(|status| status.success()) {
        skip("perf does not record here");
        return None;
    }
    // For callers, perf prints offsets in the file, which may differ from addresses in memory.
    let has_callers = !options.is_empty();
    let segments = printed(Command::new("readelf").args(["-lW", "work"]).current_dir(folder));
    let segment = Regex::new(r"LOAD +0x(\w+) 0x(\w+) .* R E ").expect("a pattern");
    let found = segment.captures(&segments).expect("a segment of code");
    let [offset, start] = [1, 2].map(|at| u64::from_str_radix(&found[at], 16).expect("an address"));
    let mut perf = Command::new("perf");
    perf.args(["script", "-i", "perf.data", "--no-inline", "-F", "ip,dso"]);
    let script = printed(perf.current_dir(folder));
    let base = if has_callers { start - offset } else { 0 };
    let samples = script.split(if has_callers { "\n\n" } else { "\n" });
    let samples = samples.filter(|sample| !sample.trim().is_empty()).map(|sample| {
        let mut is_caller = false;
        let frame = |line: &str| {
            let (address, dso) = line.trim().split_once(' ').expect("an address and an object");
            let address = u64::from_str_radix(address, 16).expect("hexadecimal");
            let is_ours = dso.ends_with("/work)");
            let is_call = std::mem::replace(&mut is_caller, !dso.contains("([kernel"));
            is_ours.then(|| address + base - u64::from(is_call))
        };
        sample.trim().lines().map(frame).collect()
    });
    Some(samples.collect())
}

/// The lines of a file according to llvm-symbolizer.
fn by_llvm(folder: &Path, samples: &[Vec<Option<u64>>], file: &str) -> Lines {
    let addresses: BTreeSet<u64> = samples.iter().flatten().flatten().copied().collect();
    let mut llvm = Command::new("llvm-symbolizer");
    llvm.args(["--output-style=JSON", "-e", "work"]).current_dir(folder);
    let shown = printed(llvm.args(addresses.iter().map(|address| format!("{address:#x}"))));
    let answers: Vec<Value> = serde_json::from_str(&shown).expect("JSON");
    let lines: BTreeMap<u64, Vec<Option<u32>>> = addresses
        .into_iter()
        .zip(&answers)
        .map(|(address, answer)| {
            let line = |symbol: &Value| {
                let is_ours = symbol["FileName"].as_str().expect("a path").ends_with(file);
                is_ours.then(|| symbol["Line"].as_u64().expect("a line") as u32)
            };
            (address, answer["Symbol"].as_array().expect("a list").iter().map(line).collect())
        })
        .collect();
    let mut weights = Lines::new();
    for sample in samples {
        let frames = sample.iter().flat_map(|address| match address {
            Some(address) => lines[address].clone(),
            None => vec![None],
        });
        add(&frames.collect::<Vec<_>>(), &mut weights);
    }
    weights
}

#[test]
fn lines_of_rust_are_those_of_llvm_symbolizer() {
    if goes_without(&[&["rustc", "perf", "llvm-symbolizer", "readelf"]]) {
        return;
    }
    let folder = folder_of("work.rs", WORK_RS);
    run("rustc -O -g -C force-frame-pointers=yes work.rs", folder.path());
    let Some(samples) = samples(folder.path(), &["-g"]) else { return };
    let lines = lines_of(&folder.path().join("perf.data"), &[], "/work\\.rs$");
    assert_eq!(lines, by_llvm(folder.path(), &samples, "/work.rs"));
    assert!(lines.len() > 5, "{lines:?}");
    assert!(lines.values().any(|(own, _)| *own > 0), "{lines:?}");
    assert!(lines.values().any(|(own, total)| own < total), "{lines:?}");
}

#[test]
fn lines_of_ocaml_are_those_of_llvm_symbolizer() {
    if goes_without(&[&["ocamlfind", "perf", "llvm-symbolizer", "readelf"]]) {
        return;
    }
    let folder = folder_of("work.ml", WORK_ML);
    run("ocamlfind ocamlopt -g -inline 100 -ccopt -no-pie -o work work.ml", folder.path());
    // Code of OCaml 4 has no frame pointers.
    let Some(samples) = samples(folder.path(), &[]) else { return };
    let lines = lines_of(&folder.path().join("perf.data"), &[], "work\\.ml$");
    assert_eq!(lines, by_llvm(folder.path(), &samples, "work.ml"));
    assert!(lines.len() > 4, "{lines:?}");
}

const WORK_GO: &str = r#"package main

import (
	"os"
	"runtime/pprof"
)

func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x
}

func work(n int, h uint64) uint64 {
	for i := 0; i < n; i++ {
		h = mix(h + uint64(i))
		if h%7 == 3 {
			h += h / (1 + h&15)
		}
	}
	return h
}

func climb(depth int, h uint64) uint64 {
	if depth == 0 {
		return work(400000, h)
	}
	h = climb(depth-1, h) + 1
	return work(40000, h)
}

func main() {
	file, _ := os.Create("work.pb.gz")
	pprof.StartCPUProfile(file)
	defer pprof.StopCPUProfile()
	h := uint64(1)
	for i := 0; i < 300; i++ {
		h += climb(8, h)
	}
	println(h)
}
"#;

#[test]
fn lines_of_go_are_those_of_its_pprof() {
    if goes_without(&[&["go"]]) {
        return;
    }
    let folder = folder_of("work.go", WORK_GO);
    run("GOCACHE=$PWD/cache go build work.go && ./work && rm -r cache", folder.path());
    let mut pprof = Command::new("go");
    pprof.args(["tool", "pprof", "-sample_index=samples", "-list", "main.(work|mix|climb)$"]);
    let listing = printed(pprof.arg("work.pb.gz").current_dir(folder.path()));
    let row = Regex::new(r"^ +(\.|\d+) +(\.|\d+) +(\d+):").expect("a pattern");
    let mut expected = BTreeMap::new();
    let mut function = String::new();
    for line in listing.lines() {
        if let Some(name) = line.strip_prefix("ROUTINE ======================== ") {
            function = name.split(' ').next().expect("a name").to_owned();
        } else if let Some(found) = row.captures(line) {
            let weight = |at: usize| found[at].parse().unwrap_or(0);
            let weights: (u64, u64) = (weight(1), weight(2));
            let line: u32 = found[3].parse().expect("a line");
            expected.extend((weights.1 > 0).then(|| ((function.clone(), line), weights)));
        }
    }
    let recording = folder.path().join("work.pb.gz");
    let args = ["--srcline", "--event", "samples", recording.to_str().expect("UTF-8")];
    let folded = output("stack-parse", &args, "").stdout;
    let pattern = "^main\\.(work|mix|climb)$";
    let path = folder.path().to_str().expect("UTF-8");
    let tsv = filter("stack-source", &["--tsv", "-e", pattern, "--source-path", path], folded);
    let lines: BTreeMap<_, _> =
        rows(&tsv).map(|(function, line, weights)| ((function, line), weights)).collect();
    assert_eq!(lines, expected);
    let functions: BTreeSet<&String> = lines.keys().map(|(function, _)| function).collect();
    assert!(functions.len() == 3 && lines.len() > 5, "{lines:?}");
}

const WORK_JAVA: &str = "public class Work {
    static long mix(long x) {
        x ^= x >>> 33;
        x *= 0xff51afd7ed558ccdL;
        return x ^ (x >>> 33);
    }

    static long work(int n, long h) {
        for (int i = 0; i < n; i++) {
            h = mix(h + i);
            if (h % 7 == 3) h += h / (1 + (h & 15));
        }
        return h;
    }

    static long climb(int depth, long h) {
        if (depth == 0) return work(200000, h);
        h = climb(depth - 1, h) + 1;
        return work(20000, h);
    }

    public static void main(String[] args) {
        long h = 1;
        for (int i = 0; i < 400; i++) h += climb(8, h);
        System.out.println(h);
    }
}
";

#[test]
fn lines_of_java_are_those_that_jfr_prints() {
    if goes_without(&[&["java", "jfr"]]) {
        return;
    }
    let folder = folder_of("Work.java", WORK_JAVA);
    let record = "java -XX:StartFlightRecording=filename=work.jfr,settings=profile Work.java";
    run(record, folder.path());
    let mut jfr = Command::new("jfr");
    jfr.args(["print", "--json", "--stack-depth", "64", "--events", "jdk.ExecutionSample"]);
    let printed = printed(jfr.arg("work.jfr").current_dir(folder.path()));
    let json: Value = serde_json::from_str(&printed).expect("JSON");
    let mut expected = Lines::new();
    for event in json["recording"]["events"].as_array().expect("events") {
        let frames = event["values"]["stackTrace"]["frames"].as_array().expect("frames");
        let line = |frame: &Value| {
            let is_ours = frame["method"]["type"]["name"] == "Work";
            is_ours.then(|| frame["lineNumber"].as_u64().expect("a line") as u32)
        };
        add(&frames.iter().map(line).collect::<Vec<_>>(), &mut expected);
    }
    let recording = folder.path().join("work.jfr");
    let lines = lines_of(&recording, &["--event", "jdk.ExecutionSample"], "(^|/)Work\\.java$");
    assert_eq!(lines, expected);
    assert!(lines.len() > 3, "{lines:?}");
}

const WORK_JS: &str = "function mix(x) {
  x ^= x >>> 13;
  x = Math.imul(x, 0x5bd1e995);
  return x ^ (x >>> 15);
}

function work(n, h) {
  for (let i = 0; i < n; i++) {
    h = mix(h + i);
    if (h % 7 === 3) {
      h += Math.sqrt(h);
    }
  }
  return h;
}

let h = 1;
for (let i = 0; i < 300; i++) {
  h ^= work(300000, h);
}
console.log(h);
";

/// The samples on each line: V8 counts those with a known line for each node of its tree.
const NODE: &str = "
const profile = JSON.parse(require('fs').readFileSync(0));
const lines = {};
for (const node of profile.nodes.filter((it) => it.callFrame.url.endsWith('/work.js'))) {
  let rest = profile.samples.filter((id) => id === node.id).length;
  for (const { line, ticks } of node.positionTicks ?? []) {
    lines[line] = (lines[line] ?? 0) + ticks;
    rest -= ticks;
  }
  const definition = node.callFrame.lineNumber + 1;
  lines[definition] = (lines[definition] ?? 0) + rest;
}
for (const [line, own] of Object.entries(lines)) if (own > 0) console.log(`${line} ${own}`);
";

#[test]
fn lines_of_node_are_those_that_v8_counts() {
    if goes_without(&[&["node"]]) {
        return;
    }
    let folder = folder_of("work.js", WORK_JS);
    run("node --cpu-prof --cpu-prof-name=work.cpuprofile work.js", folder.path());
    let recording = folder.path().join("work.cpuprofile");
    let command = format!("node -e \"$0\" < {}", recording.display());
    let shown = printed(Command::new("sh").args(["-c", &command, NODE]));
    let expected: BTreeMap<u32, u64> = shown
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(line, own)| (line.parse().expect("a line"), own.parse().expect("a weight")))
        .collect();
    let lines = lines_of(&recording, &["--weight", "samples"], "/work\\.js$");
    let own: BTreeMap<u32, u64> =
        lines.into_iter().map(|(line, (own, _))| (line, own)).filter(|(_, own)| *own > 0).collect();
    assert_eq!(own, expected);
    assert!(own.len() > 3, "{own:?}");
}

/// Self and total of each line of a program in a file of speedscope.
const PYTHON: &str = "
import json, sys
document = json.load(sys.stdin)
frames, lines = document['shared']['frames'], {}
for profile in document['profiles']:
    for stack, weight in zip(profile['samples'], profile['weights']):
        stack = [(frames[at]['file'], frames[at]['line']) for at in stack]
        for line in set(stack): lines.setdefault(line, [0, 0])[1] += 1
        if stack: lines.setdefault(stack[-1], [0, 0])[0] += 1
for (file, line), (own, total) in sorted(lines.items()): print(file, line, own, total, sep='\\t')
";

#[test]
fn lines_of_python_are_those_that_python_counts() {
    if goes_without(&[&["python3"]]) {
        return;
    }
    let json = recording("formats/speedscope/py-spy.json.gz");
    let file = crate::util::TempFile::new(&json);
    let command = format!("python3 -c \"$0\" < {}", file.path());
    let expected = printed(Command::new("sh").args(["-c", &command, PYTHON]));
    let folded = output("stack-parse", &["--srcline", "--weight", "samples"], json).stdout;
    let listed = output("stack-source", &["--tsv", "--path", "."], folded).stdout;
    let tsv = String::from_utf8(listed).expect("UTF-8");
    let lines = tsv.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let mut lines: Vec<String> = lines.map(|fields| fields[1..5].join("\t")).collect();
    lines.sort();
    let mut expected: Vec<&str> = expected.lines().collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
    assert!(lines.len() > 5, "{lines:?}");
}

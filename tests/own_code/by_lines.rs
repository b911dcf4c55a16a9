//! The own functions of samples by the file of each address: perf script prints the addresses, and
//! llvm-symbolizer their files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use object::{Object as _, ObjectSegment as _};

use super::Own;
use super::project::Project;
use crate::util::filter;

/// The addresses of a sample in the program's file, the leaf first.
type Chain = Vec<u64>;

/// The own function of each sample. A sample is known by its time and its thread.
pub(super) fn by_lines(project: &Project, has_lines: bool) -> BTreeMap<String, Own> {
    let file = project.lines(has_lines);
    let samples = samples(project, &file);
    let addresses: BTreeSet<u64> = samples.values().flatten().copied().collect();
    let own = own_functions(project, &file, &addresses);
    let deepest = |chain: Chain| chain.iter().find_map(|address| own.get(address).cloned());
    samples.into_iter().map(|(id, chain)| (id, deepest(chain))).collect()
}

/// ```text
///  8875 65823.396482708:
///             99d1 (/usr/lib/ld-linux-x86-64.so.2)
/// ```
fn samples(project: &Project, file: &Path) -> BTreeMap<String, Chain> {
    let script = Command::new("perf")
        .args(["script", "--ns", "--no-inline", "-F", "tid,time,ip,dso", "-i"])
        .arg(project.recording())
        .output();
    let binary = project.binary().to_str().expect("UTF-8").to_owned();
    let segments = segments(file);
    let (mut samples, mut id, mut chain) = (BTreeMap::new(), None, Chain::new());
    let mut is_leaf = true;
    for line in String::from_utf8_lossy(&script.expect("perf").stdout).lines() {
        if let Some((address, object)) = line.trim_start().split_once(" (") {
            let offset = u64::from_str_radix(address, 16).expect("an address");
            if object.strip_suffix(')') == Some(&binary) {
                // The call is before the address to which it returns.
                chain.push(in_file(&segments, offset) - u64::from(!is_leaf));
            }
            is_leaf = false;
        } else if let Some((tid, time)) = line.trim().split_once(' ') {
            let time = time.trim().trim_end_matches(':');
            id = Some(format!("{time} {tid}"));
            is_leaf = true;
        } else if let Some(id) = id.take() {
            samples.insert(id, std::mem::take(&mut chain));
        }
    }
    samples.extend(id.map(|id| (id, chain)));
    samples
}

/// The offset in the file, the address and the length of each part that is loaded.
fn segments(file: &Path) -> Vec<(u64, u64, u64)> {
    let bytes = fs::read(file).expect("a program");
    let file = object::File::parse(&bytes[..]).expect("a program");
    let of = |segment: object::Segment<'_, '_>| {
        (segment.file_range().0, segment.address(), segment.size())
    };
    file.segments().map(of).collect()
}

/// perf prints offsets in the file, or addresses of a program that is always loaded at these.
fn in_file(segments: &[(u64, u64, u64)], printed: u64) -> u64 {
    let is_fixed = segments.iter().any(|&(offset, address, _)| offset == 0 && address > 0);
    let is_within = |start: u64, size: u64| (start..start + size).contains(&printed);
    if is_fixed && segments.iter().any(|&(_, address, size)| is_within(address, size)) {
        return printed;
    }
    let segment = segments.iter().find(|&&(offset, _, size)| is_within(offset, size));
    segment.map_or(printed, |&(offset, address, _)| printed - offset + address)
}

/// The function at each address whose code is in a file of the project: the innermost one. For each
/// address llvm-symbolizer prints functions and their places, and an empty line.
fn own_functions(project: &Project, file: &Path, all: &BTreeSet<u64>) -> BTreeMap<u64, String> {
    let mut symbolizer = Command::new("llvm-symbolizer")
        .args(["--inlining", "--functions=linkage", "--no-demangle", "--obj"])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("llvm-symbolizer");
    let mut input = symbolizer.stdin.take().expect("a pipe");
    let lines: String = all.iter().map(|address| format!("{address:#x}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = symbolizer.wait_with_output().expect("llvm-symbolizer").stdout;
    writer.join().expect("no panic").expect("all is read");
    let text = String::from_utf8_lossy(&output).into_owned();
    let folder = project.folder().to_str().expect("UTF-8").to_owned();
    let answers = all.iter().zip(text.split("\n\n"));
    let own = answers.filter_map(|(address, answer)| {
        let lines: Vec<&str> = answer.lines().collect();
        let own = lines.chunks_exact(2).find(|pair| pair[1].starts_with(&folder))?;
        Some((*address, own[0]))
    });
    let (addresses, names): (Vec<u64>, Vec<&str>) = own.unzip();
    addresses.into_iter().zip(readable(&names)).collect()
}

/// The names as stack-demangle writes them: whose code they are is judged here, not how they read.
fn readable(names: &[&str]) -> Vec<String> {
    let folded: String = names.iter().map(|name| format!("{name} 1\n")).collect();
    let readable = filter("stack-demangle", &[], folded);
    let name = |line: &str| line.strip_suffix(" 1").expect("a weight of 1").to_owned();
    readable.lines().map(name).collect()
}

//! Compares the names of addresses with those that LLVM and binutils find: for every address of a
//! program, given to stack-parse in a profile as samply writes it.

mod debuginfod_cache;
mod ls;
mod mini_debug_info;
mod profile;
mod samply;
mod saved_symbols;
mod simple_example;
mod split_dwarf;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use object::{Object, ObjectSection, ObjectSegment};

use crate::util::{stderr, tool};

/// A function at an address; unknown fields are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    name: String,
    /// `/src/demo.c:14`
    place: String,
}

/// The functions at an address, the innermost first.
type Functions = Vec<Function>;

/// The folder with the sources of the programs.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/named_addresses");

/// A program, and the addresses in its code that are to be named.
struct Code {
    /// The addresses as in profiles: relative to the load address.
    addresses: Vec<u64>,
    /// The load address.
    base: u64,
    /// The build-id or the UUID, in hexadecimal digits.
    build_id: String,
}

impl Code {
    fn of(program: &Path) -> Code {
        let bytes = fs::read(program).expect("a program");
        let file = object::File::parse(&*bytes).expect("a program");
        let text = file.section_by_name(".text").expect("code");
        let segments = || file.segments();
        let of_macos = segments().find(|it| it.name() == Ok(Some("__TEXT")));
        let of_linux = || segments().map(|it| it.address()).min();
        let base = of_macos.map(|it| it.address()).or_else(of_linux).expect("it is loaded");
        let start = text.address() - base;
        let uuid = file.mach_uuid().ok().flatten().map(Vec::from);
        let build_id = uuid.or(file.build_id().ok().flatten().map(Vec::from)).unwrap_or_default();
        let build_id = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        Code { addresses: (start..start + text.size()).collect(), base, build_id }
    }

    /// The functions that LLVM finds at all addresses.
    fn by_llvm(&self, object: &Path) -> Vec<Functions> {
        let input: Vec<String> =
            self.addresses.iter().map(|address| format!("{:#x}\n", address + self.base)).collect();
        let mut command = assert_cmd::Command::new("llvm-symbolizer");
        command.args(["-i", "--no-demangle"]).arg("--obj").arg(object).write_stdin(input.concat());
        let output = command.output().expect("llvm-symbolizer");
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        // main
        // /src/main.c:14:3
        //
        let all: Vec<Functions> = printed.split_terminator("\n\n").map(pairs).collect();
        assert_eq!(all.len(), self.addresses.len());
        all
    }

    /// Asserts that all addresses have the names that LLVM gives them.
    fn assert_same(&self, ours: &[Functions], theirs: &[Functions]) {
        assert_eq!(ours.len(), theirs.len());
        for ((address, ours), theirs) in self.addresses.iter().zip(ours).zip(theirs) {
            assert_eq!(ours, theirs, "at {address:#x}; right is what LLVM says");
        }
    }
}

/// Names and places line by line.
fn pairs(lines: &str) -> Functions {
    let lines: Vec<&str> = lines.trim_start_matches('\n').lines().collect();
    let function = |pair: &[&str]| {
        let [name, place] = pair else { panic!("expected a name and a place: {lines:?}") };
        Function { name: known(name), place: line_of(place) }
    };
    lines.chunks(2).map(function).collect()
}

fn known(name: &str) -> String {
    if name == "??" { String::new() } else { name.to_owned() }
}

/// The file and the line of `/src/main.c:14:3` or `/src/main.c:14 (discriminator 2)`; empty where
/// the line is not known.
fn line_of(place: &str) -> String {
    let place = place.split(" (discriminator").next().unwrap_or_default();
    let numbers = place.rsplit(':').take_while(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    let place = match numbers.count() {
        2 => place.rsplit_once(':').map_or(place, |(line, _column)| line),
        _ => place,
    };
    let is_unknown = place.starts_with("??") || place.ends_with(":0") || place.ends_with(":?");
    if is_unknown { String::new() } else { place.to_owned() }
}

/// stack-parse, which finds nothing in the folders of the user who runs the tests. It prints a line
/// for each sample, with source lines.
fn parse() -> assert_cmd::Command {
    let mut parse = tool("stack-parse");
    parse.args(["--per-sample", "--srcline", "--root", "none"]).env("HOME", "/nonexistent");
    for name in ["DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME"] {
        parse.env_remove(name);
    }
    parse
}

/// The functions of each sample that stack-parse printed, and its messages.
fn named(mut parse: assert_cmd::Command) -> (Vec<Functions>, String) {
    let output = parse.output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    (functions(&output), stderr(&output))
}

fn functions(output: &Output) -> Vec<Functions> {
    let printed = String::from_utf8_lossy(&output.stdout);
    let function = |frame: &str| {
        let place = frame.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
        let (name, place) = place.unwrap_or((frame, ""));
        // `[app+0x1139]` has no name.
        let name = if name.starts_with('[') { "" } else { name };
        Function { name: name.to_owned(), place: place.to_owned() }
    };
    let line = |line: &str| {
        let stack = line.strip_suffix(" 1").unwrap_or_else(|| panic!("{line}: not one sample"));
        stack.split(';').rev().map(function).collect()
    };
    printed.lines().map(line).collect()
}

/// An empty folder of this name.
fn folder(name: &str) -> PathBuf {
    let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "named-addresses", name].iter().collect();
    // Before the first run there is none.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable target directory");
    folder
}

/// Runs a program in a folder.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Copies a file to a path where there may be no file, or no folder yet.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a folder")).expect("a writable folder");
    fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
}

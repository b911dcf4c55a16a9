//! The sources themselves: every file of the tests is used, one file has `unsafe`, files and
//! functions are short, and what is written in one place is written nowhere else.

// Files that use each other.
mod circles;

// How long files and functions are.
mod lengths;

// What only one file may write.
mod once;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::util::golden_path;

/// The folder of the project, and that of its tests.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// All files below `folder`.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the tests") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The Rust files below `folder`.
fn sources_below(folder: &Path) -> Vec<PathBuf> {
    let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs");
    files_below(folder).into_iter().filter(is_source).collect()
}

/// The Rust files below tests/, except those that scripts/fuzz makes a module of `common`, the
/// programs that are recorded, and how the tools are linked.
fn sources() -> Vec<PathBuf> {
    let others = ["fuzz", "callers", "diff", "own_code/rayon", "planted", "build.rs"]
        .map(|folder| Path::new(TESTS).join(folder));
    let is_ours = |source: &PathBuf| !others.iter().any(|folder| source.starts_with(folder));
    sources_below(Path::new(TESTS)).into_iter().filter(is_ours).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of the tools and of the libraries.
fn crates() -> Vec<PathBuf> {
    let folders = |of: &str| {
        let entries = fs::read_dir(Path::new(ROOT).join(of)).expect("a folder of crates");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let libraries = folders("common").into_iter().map(|library| library.join("src"));
    folders("tools").into_iter().chain(libraries).filter(|folder| folder.is_dir()).collect()
}

/// The path of a file of the project, as messages show it.
fn shown(path: &Path) -> String {
    path.strip_prefix(ROOT).unwrap_or(path).display().to_string()
}

/// The files of a crate that are not tests, and their lines without the tests at their ends.
fn code_of(folder: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let is_test = |path: &Path| {
        path.components()
            .any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")))
    };
    let mut sources = sources_below(folder);
    sources.retain(|path| !is_test(path.strip_prefix(folder).expect("it is below")));
    let code = |path: PathBuf| (path.clone(), without_tests(&read(&path)));
    sources.into_iter().map(code).collect()
}

fn without_tests(text: &str) -> Vec<String> {
    let mut code = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let begins_tests = |next: &&str| next.starts_with("mod ") && next.ends_with('{');
        if line == "#[cfg(test)]" && lines.peek().is_some_and(begins_tests) {
            lines.by_ref().find(|line| *line == "}");
        } else {
            code.push(line.to_owned());
        }
    }
    code
}

#[test]
fn every_source_is_a_module() {
    for source in sources() {
        let module = source.file_stem().and_then(|stem| stem.to_str()).expect("a UTF-8 name");
        let folder = source.parent().expect("a folder");
        // `tests/x/y.rs` is declared in `tests/x.rs`, `tests/x.rs` in `tests/tests.rs`.
        let parent = match folder == Path::new(TESTS) {
            true => folder.join("tests.rs"),
            false => folder.with_extension("rs"),
        };
        if source != parent {
            let declared = read(&parent).lines().any(|line| line == format!("mod {module};"));
            let [source, parent] = [&source, &parent].map(|path| path.display());
            assert!(declared, "{source}: expected 'mod {module};' in {parent}");
        }
    }
}

/// A file is used if a string in the sources is its path; or its path with a placeholder such as
/// `{name}`, if the sources also have the replaced part as a string.
#[test]
fn every_golden_file_is_used() {
    let string = Regex::new(r#""((?:[^"\\\n]|\\.)*)""#).expect("a pattern");
    let sources: String = sources().iter().map(|path| read(path)).collect();
    let strings: BTreeSet<&str> = string
        .captures_iter(&sources)
        .map(|found| found.get(1).map_or("", |it| it.as_str()))
        .collect();
    let placeholder = Regex::new(r"\\\{\w+\\\}").expect("a pattern");
    let patterns: Vec<Regex> = strings
        .iter()
        .filter(|string| string.contains('/') && string.contains('.'))
        .map(|string| placeholder.replace_all(&regex::escape(string), "(.+)").into_owned())
        .map(|pattern| Regex::new(&format!("^{pattern}$")).expect("an escaped string"))
        .collect();
    let is_used = |file: &str| {
        patterns
            .iter()
            .filter_map(|pattern| pattern.captures(file))
            .any(|found| found.iter().skip(1).flatten().all(|part| strings.contains(part.as_str())))
    };
    let golden = golden_path("");
    for path in files_below(&golden) {
        let file = path.strip_prefix(&golden).expect("it is below").to_str().expect("UTF-8");
        // tests/formats.rs takes every file there; its recordings are of these objects. Runs of
        // programs in several languages are chosen by number. Texts that are no profiles are all
        // refused. Each program of tests/planted has stacks.
        let are_taken = ["formats/", "symfs/", "diff/languages/", "no-profiles/", "planted/"];
        if !are_taken.iter().any(|folder| file.starts_with(folder)) {
            assert!(is_used(file), "tests/golden/{file}: no test uses it");
        }
    }
}

#[test]
fn one_file_may_be_unsafe() {
    let root = Path::new(ROOT);
    let allowed = ["common", "tools", "tests/fuzz"]
        .iter()
        .flat_map(|folder| sources_below(&root.join(folder)))
        .filter(|source| read(source).contains("allow(unsafe_code)"));
    let allowed: Vec<PathBuf> = allowed.collect();
    assert_eq!(allowed, [root.join("common/core/src/io/unsafe_code.rs")]);
}

/// Otherwise the first command of a newcomer fails: in a new clone nothing else is built.
#[test]
fn the_script_builds_every_tool_that_stack_flame_runs() {
    let tool = Regex::new(r#"Stage::new\(\s*"([a-z-]+)"\)"#).expect("a pattern");
    let sources = sources_below(&Path::new(ROOT).join("tools/stack-flame"));
    let code: String =
        sources.iter().map(|source| without_tests(&read(source)).join("\n")).collect();
    let run: BTreeSet<&str> =
        tool.captures_iter(&code).map(|found| found.extract::<1>().1[0]).collect();
    assert!(run.len() > 10, "{run:?}");
    let script = read(&Path::new(ROOT).join("scripts/flame"));
    let needed = script.split("\nneeded() {").nth(1).and_then(|rest| rest.split("\n}").next());
    let needed: BTreeSet<&str> = needed
        .expect("what it builds")
        .split(|char: char| char.is_whitespace() || char == ';')
        .collect();
    assert!(run.is_subset(&needed), "not built: {:?}", run.difference(&needed));
}

//! Files that debuginfod's client downloaded earlier are found although no server is asked.

use std::fs;
use std::path::{Path, PathBuf};

use super::samply::{NEEDS, Work};
use super::{Functions, copy, named, parse, run};
use crate::needs::goes_without;

/// The folders in which the client keeps files, and the variables that set them.
const CACHES: [(&str, &str); 3] = [
    ("DEBUGINFOD_CACHE_PATH", ""),
    ("XDG_CACHE_HOME", "debuginfod_client"),
    ("HOME", ".cache/debuginfod_client"),
];

/// A program with its debug information in separate files.
struct Stripped {
    work: Work,
    debug_file: PathBuf,
}

impl Stripped {
    fn new(name: &str) -> Stripped {
        let work = Work::new(name);
        let debug_file = work.folder.join("work.debug");
        run(&work.folder, "objcopy", &["--only-keep-debug", "work", "work.debug"]);
        run(&work.folder, "strip", &["work"]);
        Stripped { work, debug_file }
    }

    /// The folder of its files in a cache.
    fn in_cache(&self, below: &str) -> PathBuf {
        self.work.folder.join("cache").join(below).join(&self.work.code.build_id)
    }

    fn named(&self, variable: &str, cache: &Path) -> (Vec<Functions>, String) {
        let mut parse = parse();
        parse.env(variable, cache);
        parse.write_stdin(self.work.recorded().profile(&self.work.code.addresses));
        named(parse)
    }
}

/// What [`Stripped`] needs.
const BINUTILS: &[&str] = &["objcopy", "strip"];

#[test]
fn debug_files_are_found_in_every_cache() {
    if goes_without(&[NEEDS, BINUTILS]) {
        return;
    }
    for (variable, below) in CACHES {
        let stripped = Stripped::new("debuginfod-debug");
        let cache = stripped.work.folder.join("cache");
        // The client keeps an empty file to remember that no server had it.
        let debug_file = stripped.in_cache(below).join("debuginfo");
        fs::create_dir_all(stripped.in_cache(below)).expect("a writable folder");
        fs::write(&debug_file, "").expect("a writable folder");
        let (_, said) = stripped.named(variable, &cache);
        assert!(said.contains("it is stripped, and no debug file with its build-id"), "{said}");
        copy(&stripped.debug_file, &debug_file);
        let (ours, said) = stripped.named(variable, &cache);
        stripped.work.code.assert_same(&ours, &stripped.work.expected);
        assert_eq!(said, "", "{variable}");
    }
}

#[test]
fn executables_are_found_in_every_cache() {
    if goes_without(&[NEEDS, BINUTILS]) {
        return;
    }
    for (variable, below) in CACHES {
        let stripped = Stripped::new("debuginfod-executable");
        let cache = stripped.work.folder.join("cache");
        // The program was recorded elsewhere, and there is no file at its path here.
        let program = &stripped.work.program;
        copy(program, &stripped.in_cache(below).join("executable"));
        fs::remove_file(program).expect("a file");
        let (_, said) = stripped.named(variable, &cache);
        assert!(said.contains("it is stripped, and no debug file with its build-id"), "{said}");
        copy(&stripped.debug_file, &stripped.in_cache(below).join("debuginfo"));
        let (ours, said) = stripped.named(variable, &cache);
        stripped.work.code.assert_same(&ours, &stripped.work.expected);
        assert_eq!(said, "", "{variable}");
        // samply's addresses are relative to the image, which a debug file has, too.
        fs::remove_file(stripped.in_cache(below).join("executable")).expect("a file");
        let (ours, said) = stripped.named(variable, &cache);
        stripped.work.code.assert_same(&ours, &stripped.work.expected);
        assert_eq!(said, "", "{variable}");
    }
}

#[test]
fn files_of_another_build_in_a_cache_are_not_used() {
    if goes_without(&[NEEDS, BINUTILS]) {
        return;
    }
    let stripped = Stripped::new("debuginfod-other");
    let source = format!("{}/work.c", super::SOURCES);
    run(&stripped.work.folder, "cc", &["-O2", "-g", "-Wl,--build-id=sha1", "-o", "new", &source]);
    for what in ["debuginfo", "executable"] {
        let folder = stripped.in_cache("");
        copy(&stripped.work.folder.join("new"), &folder.join(what));
    }
    let cache = stripped.work.folder.join("cache");
    let (ours, said) = stripped.named("DEBUGINFOD_CACHE_PATH", &cache);
    assert!(ours.iter().all(|functions| functions[0].name.is_empty()), "{ours:?}");
    assert!(said.contains("it is stripped, and the debug file "), "{said}");
    assert!(said.contains("/debuginfo is of another build: "), "{said}");
    fs::remove_file(&stripped.work.program).expect("a file");
    let (ours, said) = stripped.named("DEBUGINFOD_CACHE_PATH", &cache);
    assert!(ours.iter().all(|functions| functions[0].name.is_empty()), "{ours:?}");
    assert!(said.contains("neither the file nor a copy with its build-id "), "{said}");
}

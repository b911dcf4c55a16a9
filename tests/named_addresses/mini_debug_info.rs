//! `.gnu_debugdata`, which Fedora calls MiniDebugInfo: the symbols of functions that a program
//! itself does not need, compressed inside the program.

use std::fs;
use std::path::PathBuf;

use super::profile::Recorded;
use super::{Code, Functions, SOURCES, folder, named, parse, run};
use crate::needs::goes_without;

const NEEDS: &[&str] =
    &["cc", "nm", "objcopy", "strip", "xz", "sh", "awk", "sort", "comm", "llvm-symbolizer"];

/// The commands of rpm's find-debuginfo; `$1` is a change to the symbols before they are
/// compressed.
const MAKE: &str = r#"
    set -e
    cp whole app
    strip app
    nm -D whole --format=posix --defined-only | awk '{ print $1 }' | sort > dynamic
    nm whole --format=sysv --defined-only |
        awk -F '|' '$4 ~ "FUNC" { sub(/ *$/, "", $1); print $1 }' | sort > functions
    comm -13 dynamic functions > kept
    objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=kept whole mini
    eval "$1"
    xz -f mini
    objcopy --add-section .gnu_debugdata=mini.xz app
"#;

/// The program of work.c with compressed symbols.
struct Mini {
    folder: PathBuf,
    code: Code,
    /// The functions that LLVM finds in the program with its symbols.
    expected: Vec<Functions>,
}

impl Mini {
    fn new(name: &str, change: &str) -> Mini {
        let folder = folder(name);
        let source = format!("{SOURCES}/work.c");
        run(&folder, "cc", &["-O1", "-Wl,--build-id=sha1", "-o", "whole", &source]);
        run(&folder, "sh", &["-c", MAKE, "sh", change]);
        let code = Code::of(&folder.join("whole"));
        let expected = code.by_llvm(&folder.join("whole"));
        Mini { folder, code, expected }
    }

    fn named(&self) -> (Vec<Functions>, String) {
        let app = self.folder.join("app");
        let recorded = Recorded::new(&app, &self.code.build_id);
        let mut parse = parse();
        parse.write_stdin(recorded.profile(&self.code.addresses));
        named(parse)
    }

    /// Asserts that functions have no names, that samples keep their weight, and that there is a
    /// message.
    fn assert_nameless(&self) {
        let (ours, said) = self.named();
        assert_eq!(ours.len(), self.expected.len());
        let is_named = |functions: &Functions| functions.iter().any(|it| it.name == "twice");
        assert!(!ours.iter().any(is_named), "{ours:?}");
        let why = "it is stripped, and no debug file with its build-id";
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn compressed_symbols_are_those_of_the_whole_program() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let mini = Mini::new("mini", "");
    let (ours, said) = mini.named();
    mini.code.assert_same(&ours, &mini.expected);
    let twice = ours.iter().filter(|functions| functions[0].name == "twice").count();
    assert!(twice > 4, "{twice}");
    assert!(!said.contains("stripped"), "{said}");
}

#[test]
fn damaged_symbols_do_no_harm() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let mini = Mini::new("mini-damaged", "");
    let app = mini.folder.join("app");
    let whole = fs::read(&app).expect("a program");
    let packed = fs::read(mini.folder.join("mini.xz")).expect("a file");
    let start = memchr::memmem::find(&whole, &packed).expect("the section");
    for at in (0..packed.len()).step_by(packed.len() / 16) {
        let mut damaged = whole.clone();
        damaged[start + at] ^= 0x55;
        fs::write(&app, damaged).expect("a writable folder");
        mini.assert_nameless();
    }
    // The section ends before the symbols do.
    fs::write(mini.folder.join("half.xz"), &packed[..packed.len() / 2]).expect("a writable folder");
    fs::write(&app, &whole).expect("a writable folder");
    run(&mini.folder, "objcopy", &["--update-section", ".gnu_debugdata=half.xz", "app"]);
    mini.assert_nameless();
}

/// More than any program has: 1,000 times its size.
#[test]
fn symbols_that_would_fill_the_memory_are_not_read() {
    if goes_without(&[NEEDS, &["head"]]) {
        return;
    }
    let mini = Mini::new("mini-large", "head -c 20000000 /dev/zero >> mini");
    let size = fs::metadata(mini.folder.join("app")).expect("a program").len();
    assert!(size < 100_000, "{size}");
    mini.assert_nameless();
}

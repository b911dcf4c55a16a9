//! The program of testdata/inlines.cc, compared with binutils' addr2line.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::super::finder::Finder;
use super::super::options::Options;
use super::super::testing::{read, test_data};
use super::*;
use crate::missing::goes_without;

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The library of inlines.cc, built in its own temporary folder.
struct Built {
    folder: TempDir,
    library: PathBuf,
}

impl Built {
    fn new(options: &str) -> Built {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("library");
        let options = format!("-O2 -nostdlib -shared -fPIC {options}");
        let mut command = Command::new("c++");
        command
            .args(options.split_whitespace())
            .arg("-o")
            .arg(&library)
            .arg(test_data("inlines.cc"));
        run(&mut command);
        Built { folder, library }
    }

    /// The file that objcopy makes of it with this option.
    fn part(&self, option: &str) -> &'static [u8] {
        let part = self.folder.path().join(option);
        run(Command::new("objcopy").arg(option).arg(&self.library).arg(&part));
        read(&part)
    }
}

/// The addresses at which the linker puts the code of such a small library, and some around them.
fn addresses() -> std::ops::Range<u64> {
    0xf00..0x1200
}

/// The frames of an address: `name (file:line)`, the innermost first; the function around them has
/// no name.
fn frames(inlines: &Inlines, address: u64) -> Vec<String> {
    let text = |name: &[u8], line: &FileLine<'_>| {
        let mut text = [name, b" ("].concat();
        line.write(&mut text);
        text.push(b')');
        String::from_utf8_lossy(&text).into_owned()
    };
    let mut frames = Vec::new();
    let mut each = |it: Inlined<'_>| frames.push(text(it.name, &it.line));
    let outer = inlines.frames(address, &not_split(), &mut each);
    frames.push(text(b"", &outer));
    frames
}

/// All debug information is in the file.
fn not_split() -> SplitDwarf {
    SplitDwarf::new(&Finder::new(Options::default()), b"")
}

/// The frames of all addresses, each chain once.
fn all_frames(inlines: &Inlines) -> BTreeSet<String> {
    addresses().map(|address| frames(inlines, address).join(" < ")).collect()
}

/// Checks what the source says, whatever the compiler makes of the rest; the paths in the debug
/// information begin with `source`.
fn assert_right(inlines: &Inlines, source: &str) {
    let found = all_frames(inlines);
    for expected in [
        // operator() of the lambda in total, in each, in total, in tax, in bill
        "_ZZNK4shop6Basket5totalEvENKUldE_clEd (inlines.cc:16) < \
         _ZNK4shop6Basket4eachIZNKS0_5totalEvEUldE_EEvT_ (inlines.cc:11) < \
         _ZNK4shop6Basket5totalEv (inlines.cc:16) < tax (inlines.cc:24) <  (inlines.cc:30)",
        "twice (inlines.cc:21) < tax (inlines.cc:24) <  (inlines.cc:30)",
        "twice (inlines.cc:21) <  (inlines.cc:30)",
        "twice (inlines.cc:21) <  (inlines.cc:33)",
        " (inlines.cc:33)",
    ] {
        let expected = expected.replace("inlines.cc", source);
        assert!(found.contains(&expected), "{expected} in {found:#?}");
    }
}

#[test]
fn inlined_functions_are_found_however_they_are_stored() {
    if goes_without(&[&["c++", "objcopy"]]) {
        return;
    }
    let source = test_data("inlines.cc");
    let source = source.to_str().expect("UTF-8");
    for options in ["-g", "-g -gdwarf-4", "-g -gz", "-g -gz=zlib-gnu", "-g -m32"] {
        let built = Built::new(options);
        let library = read(&built.library);
        assert_right(&Inlines::new(library, None, None).expect(options), source);
    }
    let built = Built::new("-g");
    let (stripped, debug) = (built.part("--strip-debug"), built.part("--only-keep-debug"));
    assert!(Inlines::new(stripped, None, None).is_none());
    assert_right(&Inlines::new(stripped, Some(debug), None).expect("a debug file"), source);
    // A debug file may have symbols only.
    let library = read(&built.library);
    assert_right(&Inlines::new(library, Some(stripped), None).expect("a library"), source);
}

/// The debug information that two libraries have in common, in a file beside them:
///
/// ```sh
/// c++ -O2 -g -fdebug-prefix-map=$PWD=. -nostdlib -shared -fPIC \
///     -Wl,-z,max-page-size=4096,--build-id=none -o dwz inlines.cc
/// cp dwz other && dwz -m shared -r dwz other
/// ```
#[test]
fn names_may_stand_in_a_file_that_others_share() {
    let library = read(&test_data("dwz"));
    let (path, build_id) = shared_file(library).expect("a link");
    assert_eq!((path, build_id.len()), (&b"shared"[..], 20));
    let shared = read(&test_data("shared"));
    assert_right(&Inlines::new(library, None, Some(shared)).expect("DWARF"), "./inlines.cc");
    // Without that file there are no names, but no harm is done.
    let alone = Inlines::new(library, None, None).expect("DWARF");
    assert!(addresses().all(|address| !frames(&alone, address).is_empty()));
}

#[test]
fn binutils_finds_the_same_frames() {
    if goes_without(&[&["c++", "addr2line"]]) {
        return;
    }
    let built = Built::new("-g");
    let library = read(&built.library);
    let inlines = Inlines::new(library, None, None).expect("DWARF");
    let mut command = Command::new("addr2line");
    command.args(["-a", "-f", "-i", "-e"]).arg(&built.library);
    command.args(addresses().map(|address| format!("{address:#x}")));
    let printed = run(&mut command);
    let mut theirs: Vec<Vec<(&str, &str)>> = Vec::new();
    let mut lines = printed.lines().peekable();
    while let Some(line) = lines.next() {
        match line.strip_prefix("0x") {
            Some(_) => theirs.push(Vec::new()),
            None => theirs.last_mut().expect("an address").push((line, lines.next().expect("two"))),
        }
    }
    assert_eq!(theirs.len(), addresses().count());
    for (address, theirs) in addresses().zip(theirs) {
        let mut ours = Vec::new();
        let mut add = |name: &[u8], line: &FileLine<'_>| {
            let mut text = Vec::new();
            line.write(&mut text);
            ours.push((name.to_vec(), text));
        };
        let mut each = |it: Inlined<'_>| add(it.name, &it.line);
        let outer = inlines.frames(address, &not_split(), &mut each);
        add(b"", &outer);
        assert_eq!(ours.len(), theirs.len(), "{address:#x}: {theirs:?}");
        for (depth, ((name, place), (their_name, their_place))) in
            ours.iter().zip(&theirs).enumerate()
        {
            // `/src/main.c:3 (discriminator 1)`
            assert!(their_place.as_bytes().starts_with(place), "{address:#x}: {theirs:?}");
            // binutils shows the symbol of the address for the first and the last.
            if depth > 0 && depth + 1 < theirs.len() {
                assert_eq!(name, their_name.as_bytes(), "{address:#x}");
            }
        }
    }
}

#[test]
fn damaged_debug_information_does_no_harm() {
    if goes_without(&[&["c++"]]) {
        return;
    }
    let library = fs::read(&Built::new("-g").library).expect("it was built");
    let mut random = 1_u64;
    let mut below = |limit: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    for _ in 0..200 {
        let mut damaged = library.clone();
        for _ in 0..=below(20) {
            let at = below(damaged.len());
            damaged[at] = below(256) as u8;
        }
        if let Some(inlines) = Inlines::new(damaged.leak(), None, None) {
            for address in addresses().chain([0, u64::MAX, u64::MAX - 1]) {
                frames(&inlines, address);
            }
        }
    }
}

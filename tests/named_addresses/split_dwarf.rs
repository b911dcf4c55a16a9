//! Split DWARF: `.dwo` files and `.dwp` packages of a C++ program that was moved, so that its debug
//! information is no longer where the compiler wrote it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::profile::Recorded;
use super::{Code, Functions, SOURCES, copy, folder, named, parse, run};
use crate::needs::{goes_without, skip};
use crate::programs::RECORD;
use crate::util::{binary, stderr, weight};

const NEEDS: &[&str] = &["g++", "llvm-symbolizer"];

const DWO: [&str; 2] = ["parse.dwo", "main.dwo"];

/// A program, which was built in one folder and moved to another.
struct Moved {
    folder: PathBuf,
    /// Its new path, without its debug information.
    program: PathBuf,
    code: Code,
    /// The functions that LLVM finds in it at the original path.
    expected: Vec<Functions>,
}

impl Moved {
    /// Builds it with these options for each unit.
    fn new(name: &str, of_parse: &str, of_main: &str) -> Moved {
        let folder = folder(name);
        let built = folder.join("build");
        build(&built, of_parse, of_main);
        let code = Code::of(&built.join("app"));
        let expected = code.by_llvm(&built.join("app"));
        let inlined = expected.iter().filter(|functions| functions.len() > 2).count();
        assert!(inlined > 20, "{inlined} addresses are in inlined functions");
        let program = folder.join("opt/app");
        copy(&built.join("app"), &program);
        fs::rename(&built, folder.join("gone")).expect("a new name");
        Moved { folder, program, code, expected }
    }

    /// The functions of all addresses, and the messages about them.
    fn named(&self, arguments: &[&str]) -> (Vec<Functions>, String) {
        let recorded = Recorded::new(&self.program, &self.code.build_id);
        let mut parse = parse();
        parse.args(arguments).write_stdin(recorded.profile(&self.code.addresses));
        named(parse)
    }

    fn assert_all_found(&self, arguments: &[&str]) {
        let (ours, said) = self.named(arguments);
        self.code.assert_same(&ours, &self.expected);
        // Some of the code that the linker adds has no name.
        assert!(!said.contains("inlined functions"), "{said}");
    }

    /// Brings a file that the compiler wrote to a folder below this one.
    fn bring(&self, file: &str, to: &str) {
        copy(&self.folder.join("gone").join(file), &self.folder.join(to));
    }
}

/// Compiles the program `app` in `folder`.
fn build(folder: &Path, of_parse: &str, of_main: &str) {
    for file in ["shop.h", "parse.cc", "main.cc"] {
        copy(&Path::new(SOURCES).join("shop").join(file), &folder.join(file));
    }
    compile(folder, "parse.cc", of_parse);
    compile(folder, "main.cc", of_main);
    run(folder, "g++", &["-Wl,--build-id=sha1", "-o", "app", "parse.o", "main.o"]);
}

fn compile(folder: &Path, source: &str, options: &str) {
    let options: Vec<&str> = options.split_whitespace().collect();
    let usual = ["-O2", "-g", "-gsplit-dwarf", "-fno-omit-frame-pointer", "-c", source];
    run(folder, "g++", &[&usual[..], &options].concat());
}

#[test]
fn dwo_files_are_found_beside_the_program() {
    if goes_without(&[NEEDS]) {
        return;
    }
    for (of_parse, of_main) in [
        ("-gdwarf-4", "-gdwarf-5"),
        ("-gdwarf-5", "-gdwarf-4"),
        // Type units come before that of the code, each in a section of its own.
        ("-gdwarf-4 -fdebug-types-section", "-gdwarf-5 -fdebug-types-section"),
        // Old-style compressed sections have other names.
        ("-gdwarf-4 -gz=zlib-gnu", "-gdwarf-5 -gz=zlib"),
        ("-gdwarf-4 -gdwarf64", "-gdwarf-5 -gdwarf64"),
    ] {
        let moved = Moved::new("dwo", of_parse, of_main);
        DWO.iter().for_each(|file| moved.bring(file, &format!("opt/{file}")));
        moved.assert_all_found(&[]);
    }
}

#[test]
fn dwo_files_are_found_in_a_folder_of_debug_files() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let moved = Moved::new("dwo-debug-dir", "-gdwarf-5", "-gdwarf-4");
    moved.bring("parse.dwo", "debug/parse.dwo");
    // At its full path.
    let built = moved.folder.join("build/main.dwo");
    let built = built.strip_prefix("/").expect("a whole path");
    moved.bring("main.dwo", &format!("debug/{}", built.display()));
    let debug = moved.folder.join("debug");
    moved.assert_all_found(&["--debug-dir", debug.to_str().expect("UTF-8")]);
}

/// Only DWARF 4: with DWARF 5, GCC 12 makes the dwp of binutils 2.40 crash, and llvm-dwp 14 run for
/// ever.
#[test]
fn packages_are_found_beside_the_program() {
    if goes_without(&[NEEDS, &["dwp", "llvm-dwp"]]) {
        return;
    }
    let options = ["-gdwarf-4", "-gdwarf-4 -fdebug-types-section"];
    for (packer, options) in [("dwp", options[0]), ("dwp", options[1]), ("llvm-dwp", options[0])] {
        let moved = Moved::new("dwp", options, options);
        // dwp tools look for the files at the paths in the program.
        fs::rename(moved.folder.join("gone"), moved.folder.join("build")).expect("a new name");
        run(&moved.folder.join("build"), packer, &["-e", "app", "-o", "../app.dwp"]);
        fs::rename(moved.folder.join("build"), moved.folder.join("gone")).expect("a new name");
        for place in ["opt/app.dwp", "debug/app.dwp"] {
            copy(&moved.folder.join("app.dwp"), &moved.folder.join(place));
            let debug = moved.folder.join("debug");
            moved.assert_all_found(&["--debug-dir", debug.to_str().expect("UTF-8")]);
            fs::remove_file(moved.folder.join(place)).expect("a file");
        }
    }
}

#[test]
fn dwo_files_that_are_missing_or_of_another_build_are_named() {
    if goes_without(&[NEEDS]) {
        return;
    }
    let moved = Moved::new("dwo-missing", "-gdwarf-4", "-gdwarf-5");
    let only_symbols = |(ours, said): (Vec<Functions>, String)| {
        // A sample for each address: no weight is lost.
        assert_eq!(ours.len(), moved.code.addresses.len());
        for (ours, expected) in ours.iter().zip(&moved.expected) {
            let [ours] = &ours[..] else { panic!("{ours:?}: expected one function") };
            assert_eq!(Some(&ours.name), expected.last().map(|outermost| &outermost.name));
        }
        said
    };
    let [program, first] =
        ["opt/app", "build/main.dwo"].map(|file| moved.folder.join(file).display().to_string());
    let said = only_symbols(moved.named(&[]));
    let expected = format!(
        "{program}: inlined functions have no names, since {first} (the first of 2 .dwo files) \
         was not found, nor its contents in {program}.dwp: "
    );
    assert!(said.contains(&expected), "{said}");
    // Another version of both units.
    let other = moved.folder.join("opt");
    build(&moved.folder.join("gone"), "-gdwarf-4 -DNEW", "-gdwarf-5 -DNEW -O1");
    DWO.iter().for_each(|file| copy(&moved.folder.join("gone").join(file), &other.join(file)));
    let said = only_symbols(moved.named(&[]));
    let expected = format!("{first} (the first of 2 .dwo files) is of another build: ");
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn inlined_functions_of_a_recording_of_perf_are_in_dwo_files() {
    if goes_without(&[NEEDS, &["perf"]]) {
        return;
    }
    let moved = Moved::new("dwo-perf", "-gdwarf-4", "-gdwarf-5");
    DWO.iter().for_each(|file| moved.bring(file, &format!("opt/{file}")));
    let data = moved.folder.join("perf.data");
    let mut perf = Command::new("perf");
    perf.args(RECORD).args(["-e", "cpu-clock:u", "-F", "999", "-g", "-o"]).arg(&data);
    let status = perf.arg("--").arg(&moved.program).arg("long").status().expect("perf");
    // The program itself exits with 0, as perf does.
    if !status.success() {
        return skip("perf does not record here");
    }
    let parsed = || {
        let mut parse = Command::new(binary("stack-parse"));
        parse.arg(&data).arg("--annotate").env("HOME", "/nonexistent");
        let output = parse.output().expect("it starts");
        let stacks = String::from_utf8_lossy(&output.stdout).into_owned();
        (weight(&output.stdout), stacks, stderr(&output))
    };
    let (all, stacks, said) = parsed();
    let inlined = ";_ZN4shop4foldIxLm4EEET_RAT0__KS1_i_[o];_ZN4shop3SumIxE3addExi_[o]_[i];\
                   _ZN4shop3SumIxE6scaledExi_[o]_[i] ";
    assert!(stacks.contains(inlined), "{stacks}");
    assert!(!said.contains("inlined functions"), "{said}");
    fs::remove_file(moved.folder.join("opt/main.dwo")).expect("a file");
    let (left, stacks, said) = parsed();
    assert_eq!(left, all);
    assert!(!stacks.contains("scaled"), "{stacks}");
    assert!(said.contains("build/main.dwo was not found"), "{said}");
}

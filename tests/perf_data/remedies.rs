//! The messages about recordings that lack something, and their remedies: with the real perf.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::{OCAML, goes_without, skip};
use crate::place::Place;
use crate::programs::RECORD;
use crate::util::{command, stderr};

/// A program that was recorded.
struct Recorded {
    place: Place,
    data: PathBuf,
}

impl Recorded {
    /// Builds a program in a folder of this name and records it, into a pipe or a file. `None`
    /// where that is not possible.
    fn new(name: &str, options: &[&str], record: &[&str], is_pipe: bool) -> Option<Recorded> {
        if goes_without(&[&["perf", "cc"]]) {
            return None;
        }
        let place = Place::new(name);
        place.compile("app", options);
        Recorded::of(place, record, is_pipe)
    }

    /// Records the program `app` in a folder.
    fn of(place: Place, record: &[&str], is_pipe: bool) -> Option<Recorded> {
        let data = place.folder.join("perf.data");
        let mut perf = Command::new("perf");
        perf.args(RECORD).args(["-e", "cpu-clock:u", "-F", "499"]).args(record);
        match is_pipe {
            true => perf.args(["-o", "-"]).stdout(File::create(&data).expect("a new file")),
            false => perf.arg("-o").arg(&data),
        };
        perf.arg("--").arg(place.folder.join("app")).arg("100000000");
        if !perf.status().expect("perf").success() {
            skip("perf does not record here");
            return None;
        }
        Some(Recorded { place, data })
    }

    /// The messages of stack-parse about the recording. perf keeps copies of files in the home
    /// folder.
    fn said(&self) -> String {
        let mut parse = command("stack-parse");
        let output = parse.arg(&self.data).env("HOME", "/nonexistent").output();
        stderr(&output.expect("it starts"))
    }
}

const FRAME_POINTERS: &[&str] = &["-O1", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"];

#[test]
fn a_program_that_was_built_anew_is_named() {
    let record = ["-g"];
    let Some(recorded) = Recorded::new("changed", FRAME_POINTERS, &record, true) else { return };
    let changed = "app is another file than when it was recorded, so its names may be wrong: use \
                   --symfs DIR, where DIR is the root of its container or chroot (/proc/PID/root \
                   while that runs), or has the recorded file at this path";
    let said = recorded.said();
    assert!(!said.contains("another file"), "{said}");
    // Compilers do the same: a new file replaces the old one.
    let app = recorded.place.folder.join("app");
    replace(&app);
    assert!(recorded.said().contains(changed), "{}", recorded.said());
    // Or they write it anew.
    fs::write(&app, fs::read(&app).expect("our own file")).expect("our own file");
    let rewritten = "app is another file than when it was recorded, so its names may be wrong: \
                     record again, or use --symfs DIR, where DIR has the recorded file at this path";
    assert!(recorded.said().contains(rewritten), "{}", recorded.said());
}

/// Replaces the file by a copy with the same time.
fn replace(file: &Path) {
    let copy = file.with_extension("new");
    let status = Command::new("cp").arg("-p").arg(file).arg(&copy).status();
    assert!(status.expect("cp").success());
    fs::rename(&copy, file).expect("the same folder");
}

#[test]
fn a_build_id_protects() {
    let record = ["-g", "--buildid-mmap"];
    let Some(recorded) = Recorded::new("protected", FRAME_POINTERS, &record, true) else { return };
    replace(&recorded.place.folder.join("app"));
    let said = recorded.said();
    assert!(!said.contains("another file"), "{said}");
}

#[test]
fn a_program_without_frame_pointers_has_no_advice_to_record_call_chains() {
    let options = ["-O1", "-fomit-frame-pointer"];
    let Some(recorded) = Recorded::new("pointerless", &options, &["-g"], false) else { return };
    let said = recorded.said();
    let remedy = "though call chains were recorded: it keeps no frame pointers; record with \
                  --call-graph dwarf, or compile it with -fno-omit-frame-pointer\n";
    assert!(said.contains(remedy), "{said}");
    assert!(!said.contains("perf record -g"), "{said}");
    // Without call chains, those are reported as missing.
    let Some(recorded) = Recorded::new("chainless", FRAME_POINTERS, &[], false) else { return };
    assert!(recorded.said().contains("no sample has a call chain: record with 'perf record -g'\n"));
    let Some(recorded) = Recorded::new("healthy", FRAME_POINTERS, &["-g"], false) else { return };
    assert!(!recorded.said().contains("call chain"), "{}", recorded.said());
}

#[test]
fn a_program_of_bytecode_is_to_be_compiled() {
    if goes_without(&[OCAML, &["perf"]]) {
        return;
    }
    let source = "let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)\n\
                  let () = exit (fib 36 land 0)\n";
    for (compiler, is_bytecode) in [("ocamlc", true), ("ocamlopt", false)] {
        let place = Place::new(compiler);
        fs::write(place.folder.join("app.ml"), source).expect("our own folder");
        let mut compile = Command::new(compiler);
        compile.args(["-g", "-o", "app", "app.ml"]).current_dir(&place.folder);
        assert!(compile.status().expect("a compiler").success());
        let Some(recorded) = Recorded::of(place, &[], false) else { return };
        let said = recorded.said();
        let remedy = "% of the weight is in its interpreter, where functions have no names; \
                      compile it with ocamlopt\n";
        assert_eq!(said.contains(remedy), is_bytecode, "{compiler}: {said}");
    }
}

#[test]
fn a_program_that_is_gone_is_named_where_its_stacks_were_copied() {
    let record = ["--call-graph", "dwarf"];
    let Some(recorded) = Recorded::new("gone", &["-O1"], &record, false) else { return };
    assert!(!recorded.said().contains("not here"), "{}", recorded.said());
    fs::remove_file(recorded.place.folder.join("app")).expect("our own file");
    let said = recorded.said();
    let files = "of the stacks could not be unwound through files that are not here: ";
    assert!(said.contains(files) && said.contains("/app (not found): use --symfs DIR"), "{said}");
    assert!(!said.contains("record with"), "{said}");
}

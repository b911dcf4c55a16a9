//! Files without names: stripped, of another build, or missing.

use std::fs;

use super::{ID, NO_ID, OTHER_ID, Program, TOOLS, WITH_ID, parse, said};
use crate::needs::{goes_without, skip};
use crate::perf_stream::Stream;
use crate::util::weight;

const OTHER: &str = "0102030405060708090a0b0c0d0e0f1011121314";

const PUT: &str = "put it below DIR, at this path, and use --symfs DIR";

const PUT_RECORDED: &str = "put the recorded file below DIR, at this path, and use --symfs DIR";

const STRIPPED: &str = "it is stripped and has no build-id, and no debug file was found: name the \
                        folder of its debug file with --debug-dir, or build it without stripping it";

/// Asserts that all names of a recording are lost, that none of its weight is, and that there is a
/// message.
fn assert_says(program: &Program, recording: &Stream, args: &[&str], why: &str) {
    let output = parse(recording, args);
    assert_eq!(weight(&output.stdout), u128::from(program.work.1), "{output:?}");
    let app = program.app();
    assert_eq!(said(&output), [format!("{app}: no symbols for 100.0 % of all frames: {why}")]);
}

#[test]
fn a_stripped_program_needs_its_debug_file() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("stripped", &[WITH_ID]);
    program.split();
    fs::create_dir(program.path("debug")).expect("a new folder");
    let id_file = format!("debug/.build-id/{}/{}.debug", &ID[..2], &ID[2..]);
    let why = format!(
        "it is stripped, and no debug file with its build-id {ID} was found: install the package \
         with its debug symbols, or name the folder of its debug files with --debug-dir, or build it \
         without stripping it"
    );
    assert_says(&program, &program.recording(), &[], &why);
    // The suggested remedy works.
    let id_file = program.path(&id_file);
    fs::create_dir_all(id_file.parent().expect("a folder")).expect("a writable folder");
    fs::rename(program.path("app.debug"), id_file).expect("a file");
    let debug_dir = program.path("debug");
    let args = ["--debug-dir", debug_dir.to_str().expect("UTF-8")];
    let output = parse(&program.recording(), &args);
    assert_eq!(said(&output), [""; 0]);
    assert!(output.stdout.starts_with(b"work"), "{output:?}");
}

#[test]
fn a_stripped_program_without_a_build_id_needs_it_too() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("stripped-without-id", &[NO_ID]);
    program.split();
    assert_says(&program, &program.recording(), &[], STRIPPED);
    // Now the program has the name of its debug file.
    program.run("objcopy", &["--add-gnu-debuglink=app.debug", "app"]);
    let output = parse(&program.recording(), &[]);
    assert_eq!(said(&output), [""; 0]);
    fs::remove_file(program.path("app.debug")).expect("our own file");
    assert_says(&program, &program.recording(), &[], STRIPPED);
}

#[test]
fn a_debug_file_of_another_build_is_named() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("other-debug", &[WITH_ID]);
    program.split();
    program.run("objcopy", &["--add-gnu-debuglink=app.debug", "app"]);
    let other = Program::new("other-debug-other", &[OTHER_ID]);
    other.split();
    fs::rename(other.path("app.debug"), program.path("app.debug")).expect("a file");
    let why = format!(
        "it is stripped, and the debug file {} is of another build: install the debug symbols of \
         the same version, or name the folder of its debug files with --debug-dir",
        program.path("app.debug").display()
    );
    assert_says(&program, &program.recording(), &[], &why);
}

#[test]
fn a_program_of_another_build_is_named() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let mut program = Program::new("other-build", &[WITH_ID]);
    let recording = program.recording();
    program.build(&[OTHER_ID]);
    let why = format!("its build-id is {OTHER}, the recorded one was {ID}: {PUT_RECORDED}");
    assert_says(&program, &recording, &[], &why);
    program.build(&[NO_ID]);
    let why = format!("it has no build-id, the recorded one was {ID}: {PUT_RECORDED}");
    assert_says(&program, &recording, &[], &why);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("not-there", &[WITH_ID]);
    fs::rename(program.path("app"), program.path("elsewhere")).expect("a file");
    let why = format!("neither the file nor a copy with its build-id {ID} was found: {PUT}");
    assert_says(&program, &program.recording(), &[], &why);
    let without_id = program.samples(Stream::new().map_file(super::START, &program.app()));
    assert_says(&program, &without_id, &[], &format!("the file was not found: {PUT}"));
    // The suggested remedy works.
    let below = format!("symfs{}", program.app());
    let below = program.path(&below);
    fs::create_dir_all(below.parent().expect("a folder")).expect("a writable folder");
    fs::rename(program.path("elsewhere"), below).expect("a file");
    let symfs = program.path("symfs");
    let output = parse(&without_id, &["--symfs", symfs.to_str().expect("UTF-8")]);
    assert_eq!(said(&output), [""; 0]);
}

#[test]
fn a_deleted_file_is_named() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("deleted", &[WITH_ID]);
    let path = format!("{} (deleted)", program.app());
    let output = parse(&program.samples(Stream::new().map_file(super::START, &path)), &[]);
    let why = "it was deleted, and no build-id was recorded by which to find a copy: record with \
               'perf record --buildid-mmap'";
    assert_eq!(said(&output), [format!("{path}: no symbols for 100.0 % of all frames: {why}")]);
    // The build-id shows that the present file is the recorded one.
    let with_id = Stream::new().map_build(super::START, &program.build_id, &path);
    assert_eq!(said(&parse(&program.samples(with_id), &[])), [""; 0]);
}

#[test]
fn what_cannot_be_read_is_named() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("unreadable", &[WITH_ID]);
    let recording = program.samples(Stream::new().map_file(super::START, &program.app()));
    let help = "run stack-parse as a user who may read it";
    let app = program.path("app");
    fs::remove_file(&app).expect("our own file");
    fs::create_dir(&app).expect("a new folder");
    let why = format!("it cannot be read (not a regular file): {help}");
    assert_says(&program, &recording, &[], &why);
    fs::remove_dir(&app).expect("our own folder");
    program.run("sh", &["-c", "echo text > app; chmod 0 app"]);
    if fs::read(&app).is_ok() {
        skip("root may read everything");
        return;
    }
    let why = format!("it cannot be read (Permission denied (os error 13)): {help}");
    assert_says(&program, &recording, &[], &why);
}

#[test]
fn what_is_no_executable_is_named() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("no-executable", &[WITH_ID]);
    let recording = program.samples(Stream::new().map_file(super::START, &program.app()));
    let why = format!(
        "it is not an executable of Linux or macOS, little-endian: if it was one, {PUT_RECORDED}"
    );
    for text in ["", "text"] {
        fs::write(program.path("app"), text).expect("our own file");
        assert_says(&program, &recording, &[], &why);
    }
}

#[test]
fn files_with_split_debug_information_are_named() {
    if goes_without(&[TOOLS]) {
        return;
    }
    let program = Program::new("split-dwarf", &[WITH_ID, "-gsplit-dwarf"]);
    let is_dwo = |name: &String| name.ends_with(".dwo");
    let names = fs::read_dir(&program.folder).expect("our own folder");
    let names = names.map(|it| it.expect("a file").file_name().into_string().expect("UTF-8"));
    let dwo = names.into_iter().find(is_dwo).expect("a .dwo file");
    let dwo = program.path(&dwo);
    assert_eq!(said(&parse(&program.recording(), &[])), [""; 0]);
    // The file of another program in its place.
    let other = Program::new("split-dwarf-other", &["-DWORDS=1", "-O2", "-gsplit-dwarf"]);
    fs::copy(other.path(dwo.file_name().and_then(|it| it.to_str()).expect("UTF-8")), &dwo)
        .expect("a .dwo file");
    let (app, file) = (program.app(), dwo.display());
    let why = format!(
        "{app}: inlined functions have no names, since {file} is of another build: put that of \
         the same build beside the program, or name its folder with --debug-dir"
    );
    assert_eq!(said(&parse(&program.recording(), &[])), [why]);
    fs::remove_file(&dwo).expect("our own file");
    let why = format!(
        "{app}: inlined functions have no names, since {file} was not found, nor its contents \
         in {app}.dwp: put one of them beside the program, or name its folder with --debug-dir"
    );
    assert_eq!(said(&parse(&program.recording(), &[])), [why]);
}

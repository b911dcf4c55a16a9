//! Folders that Instruments writes, with a stand-in for xctrace, which exists on Macs only.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::place::Place;
use crate::util::{binary, filter, golden_path, recording, stderr};

/// Prints the contents of a trace, or the table that is asked for, and logs its arguments.
const XCTRACE: &str = r#"#!/bin/sh
printf '%s\n' "$@" >> xctrace.log
[ ! -e fails ] || { echo "Document Missing Template Error" >&2; exit 10; }
case "$4" in
    --toc) cat toc.xml ;;
    --xpath) cat "$TABLE" ;;
esac
"#;

const TOC: &str = r#"<?xml version="1.0"?>
<trace-toc><run number="1"><data>
<table schema="tick" frequency="1"/><table target-pid="ALL" schema="time-profile"/>
</data></run><run number="2"/></trace-toc>
"#;

/// A place with a folder of Instruments, and a stand-in for xctrace.
fn place(name: &str) -> Place {
    let place = Place::new(name);
    fs::create_dir_all(place.folder.join("my app.trace/Trace1.run")).expect("a writable folder");
    fs::write(place.folder.join("toc.xml"), TOC).expect("a writable folder");
    place.program("xctrace", XCTRACE);
    place
}

fn run(place: &Place, tool: &str, args: &[&str]) -> Output {
    let mut command = place.here(Path::new(binary(tool)));
    command.env("TABLE", golden_path("formats/xctrace/time-profile.xml"));
    command.args(args).output().expect("it starts")
}

#[test]
fn xctrace_exports_a_folder_that_is_read() {
    let place = place("instruments-read");
    let output = run(&place, "stack-parse", &["my app.trace"]);
    let table = recording("formats/xctrace/time-profile.xml");
    let expected = filter("stack-parse", &[], table);
    let said = stderr(&output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{said}");
    assert!(said.contains("my app.trace: the first of 2 runs is read\n"), "{said}");
    let xpath = "/trace-toc/run[@number=\"1\"]/data/table[@schema=\"time-profile\"]";
    let log = format!(
        "export\n--input\nmy app.trace\n--toc\nexport\n--input\nmy app.trace\n--xpath\n{xpath}\n"
    );
    assert_eq!(place.read("xctrace.log"), log);
}

#[test]
fn stack_flame_draws_a_folder() {
    let place = place("instruments-draw");
    for args in [&["my app.trace"][..], &["./my app.trace"], &["-i", "my app.trace"]] {
        let output = run(&place, "stack-flame", args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        let picture = place.read("flame.svg");
        assert!(picture.contains("my demo"), "{args:?}");
        fs::remove_file(place.folder.join("flame.svg")).expect("our own file");
    }
}

#[test]
fn a_folder_is_detected_as_one() {
    let place = place("instruments-detected");
    fs::create_dir(place.folder.join("threads")).expect("a new folder");
    fs::write(place.folder.join("threads/data.0"), "").expect("a new file");
    let output = run(&place, "stack-parse", &["--detect", "my app.trace", "threads", "."]);
    assert_eq!(output.status.code(), Some(2), "a folder of nothing known is no input");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let known = "my app.trace: a folder of Instruments\n\
                 threads: a folder of 'perf record --threads': run 'perf script' on it\n";
    assert_eq!(
        (said.as_str(), stderr(&output).as_str()),
        (known, "stack-parse: .: is a directory\n")
    );
}

#[test]
fn without_xctrace_the_command_is_named() {
    let place = place("instruments-named");
    fs::remove_file(place.folder.join("xctrace")).expect("our own file");
    let mut command = place.here(Path::new(binary("stack-parse")));
    let output = command.env("PATH", &place.folder).arg("my app.trace").output();
    let output = output.expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "stack-parse: my app.trace: a folder of Instruments, which a Mac exports by: xctrace export \
         --input 'my app.trace' --xpath '/trace-toc/run[@number=\"1\"]/data/table[@schema=\"\
         time-profile\"]'\n"
    );
}

#[test]
fn an_export_that_fails_is_no_empty_recording() {
    let place = place("instruments-fails");
    fs::write(place.folder.join("fails"), "").expect("a writable folder");
    let output = run(&place, "stack-parse", &["my app.trace"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
    let said = stderr(&output);
    assert!(
        said.contains("stack-parse: my app.trace: xctrace: it failed: exit status: 10"),
        "{said}"
    );

    fs::remove_file(place.folder.join("fails")).expect("our own file");
    fs::write(place.folder.join("toc.xml"), "<trace-toc/>").expect("a writable folder");
    let output = run(&place, "stack-parse", &["my app.trace"]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("with no table time-profile nor cpu-profile"), "{said}");
}

#[test]
fn other_folders_are_called_what_they_are() {
    let place = place("instruments-others");
    fs::create_dir_all(place.folder.join("ctf")).expect("a writable folder");
    fs::write(place.folder.join("ctf/metadata"), "/* CTF 1.8 */").expect("a writable folder");
    fs::create_dir_all(place.folder.join("perf.data")).expect("a writable folder");
    fs::write(place.folder.join("perf.data/data.0"), "").expect("a writable folder");
    for (folder, expected) in [
        ("ctf", "stack-parse: ctf: a folder with a CTF trace: babeltrace2 prints its events\n"),
        (
            "perf.data",
            "stack-parse: perf.data: a folder of 'perf record --threads': run 'perf script' on it\n",
        ),
    ] {
        let output = run(&place, "stack-parse", &[folder]);
        assert_eq!((output.status.code(), stderr(&output)), (Some(2), expected.to_owned()));
    }
    for name in ["ctf", "./ctf"] {
        let output = run(&place, "stack-flame", &[name]);
        let said = format!("stack-flame: {name}: is a directory\n");
        assert_eq!((output.status.code(), stderr(&output)), (Some(126), said));
    }
}

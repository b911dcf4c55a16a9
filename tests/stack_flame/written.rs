//! What one command writes, and what it must leave as it is.

use std::fs::File;
use std::os::unix::fs::symlink;

use super::*;

/// A program that says that it ran, a file that it may read, and folded stacks.
fn place(name: &str) -> Place {
    let place = Place::new(name);
    place.program("prog", PROGRAM);
    for (name, text) in [("data", "data"), ("x.folded", "main;work 3\n")] {
        fs::write(place.folder.join(name), text).expect("a writable folder");
    }
    symlink("prog", place.folder.join("link")).expect("a new name");
    symlink("k", place.folder.join("to-k")).expect("a new name");
    fs::hard_link(place.folder.join("data"), place.folder.join("same")).expect("a new name");
    place
}

const PROGRAM: &str = "#!/bin/sh\ntouch ran\n";

fn assert_refused(place: &Place, output: &Output, message: &str) {
    let said = stderr(output);
    assert!(said.ends_with(&format!("stack-flame: {message}\n")), "{said}");
    assert_status(output, 125);
    assert_eq!([place.read("prog"), place.read("data")], [PROGRAM, "data"], "{message}");
    assert_eq!(place.read("x.folded"), "main;work 3\n", "{message}");
    for file in ["k", "flame.svg", "ran", "perf.log"] {
        assert!(!place.folder.join(file).exists(), "{file} was written: {message}");
    }
}

#[test]
fn nothing_runs_where_a_file_would_be_lost() {
    let place = place("stack-flame-lost-files");
    for (args, message) in [
        (&["-o", "./prog", "--", "./prog"][..], "./prog: it is the program, and is kept"),
        (&["-o", "link", "--", "./prog"], "link: it is the program, and is kept"),
        (&["-o", "prog", "--", "./link"], "prog: it is the program, and is kept"),
        (&["--keep", "prog", "-a", "--", "./prog"], "prog: it is the program, and is kept"),
        (&["--folded", "prog", "prog"], "prog: it is the program, and is kept"),
        (&["--text=prog", "--", "prog"], "prog: it is the program, and is kept"),
        (
            &["-o", "prog", "--", "sh", "prog"],
            "prog: it is an argument of the program, and is kept",
        ),
        (&["-o", "same", "./prog", "data"], "same: it is an argument of the program, and is kept"),
        (&["-i", "x.folded", "-o", "x.folded"], "x.folded: it is the recording, and is kept"),
        (&["--keep", "k", "-o", "k", "./prog"], "k: expected different files for --keep and -o"),
        (
            &["--keep", "k", "--folded", "./k", "./prog"],
            "./k: expected different files for --keep and --folded",
        ),
        (
            &["--text=to-k", "--folded", "k", "./prog"],
            "to-k: expected different files for --folded and --text",
        ),
        (
            &["--folded", "same", "-o", "data", "./prog"],
            "data: expected different files for --folded and -o",
        ),
        (
            &["--folded", "flame.svg", "-i", "x.folded"],
            "flame.svg: expected different files for --folded and -o",
        ),
    ] {
        let output = place.stack_flame(args);
        assert!(!stderr(&output).contains("drawn"), "{args:?}");
        assert_refused(&place, &output, message);
    }
}

#[test]
fn what_the_streams_of_the_program_are_stays_as_it_is() {
    let place = place("stack-flame-lost-streams");
    let run = |args: &[&str], input: &str, output: Option<&str>| {
        let mut command = place.here(binary("stack-flame").as_ref());
        let open =
            |name: &str| File::options().read(true).append(true).open(place.folder.join(name));
        command.args(args).stdin(open(input).expect("it exists")).stderr(Stdio::piped());
        match output {
            Some(name) => command.stdout(open(name).expect("it exists")),
            None => command.stdout(Stdio::piped()),
        };
        command.spawn().and_then(Child::wait_with_output).expect("it starts")
    };
    let output = run(&["-o", "data", "./prog"], "data", None);
    assert_refused(&place, &output, "data: it is the input of the program, and is kept");
    let output = run(&["-o", "data", "./prog"], "x.folded", Some("data"));
    assert_refused(&place, &output, "data: it is the output of the program, and is kept");
    // What is written in place loses nothing.
    let output = run(&["-o", "/dev/stdout", "./prog"], "x.folded", Some("data"));
    assert_status(&output, 0);
    assert!(place.read("data").starts_with("data<?xml"), "{}", place.read("data"));
}

#[test]
fn the_program_of_a_process_stays_as_it_is() {
    let place = place("stack-flame-lost-process");
    // A file that this process wrote cannot be run while another test starts a process.
    let copied = place.here("cp".as_ref()).args([binary("stack-merge"), "merge"]).status();
    assert!(copied.expect("cp").success());
    let mut process = std::process::Command::new(place.folder.join("merge"));
    let mut process =
        process.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
    let output = place.stack_flame(&["-o", "merge", "-p", &process.id().to_string()]);
    process.kill().and_then(|()| process.wait()).expect("it is ours");
    assert_refused(&place, &output, "merge: it is the program that is recorded, and is kept");
}

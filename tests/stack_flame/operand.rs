//! Whether a word is a program or a recording, and where it is.

use super::*;
use crate::util::recording;

fn write(place: &Place, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(place.folder.join(name), bytes).expect("a writable folder");
}

#[test]
fn a_program_in_the_current_folder_runs_without_its_folder_unless_one_in_path_has_its_name() {
    let place = Place::new("stack-flame-here");
    let other = Place::new("stack-flame-elsewhere");
    place.program("here", "#!/bin/sh\necho \"here: $0 $1\"\n");
    other.program("elsewhere", "#!/bin/sh\necho elsewhere\n");
    place.program("elsewhere", "#!/bin/sh\necho here\n");
    let run = |args: &[&str]| {
        let mut command = other.here(binary("stack-flame").as_ref());
        let output = command.current_dir(&place.folder).args(args).output().expect("it starts");
        assert_status(&output, 0);
        (stderr(&output), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (said, out) = run(&["here", "a"]);
    assert!(said.starts_with("stack-flame: here is not in PATH: running ./here\n"), "{said}");
    assert_eq!(out, "here: ./here a\n");
    for (args, expected) in
        [(&["--", "./here"][..], "here: ./here \n"), (&["elsewhere"], "elsewhere\n")]
    {
        let (said, out) = run(args);
        assert!(!said.contains("PATH"), "{said}");
        assert_eq!(out, expected);
    }
}

#[test]
fn a_recording_in_place_of_a_program_is_drawn() {
    let place = Place::new("stack-flame-recording");
    write(&place, "x.folded", "main;work 3\n");
    write(&place, "script.txt", recording("formats/perf-script/treegc-4.13.1-fp.gz"));
    write(&place, "perf.data", recording("formats/perf-data/dwarf-rust.perf.data.gz"));
    write(&place, "app.jfr", recording("formats/jfr/jdk17-sleep.jfr.gz"));
    for file in ["x.folded", "./x.folded", "script.txt", "perf.data", "app.jfr"] {
        for args in [&[file][..], &["--", file], &["--raw", "-o", "x.svg", file]] {
            let output = place.stack_flame(args);
            assert_status(&output, 0);
            assert!(stderr(&output).contains("stack-flame: drawn: "), "{}", stderr(&output));
        }
        assert!(place.read("flame.svg").contains(&format!(">{file}</text>")), "{file}");
    }
    assert!(!place.folder.join("perf.log").exists(), "something was recorded");
}

#[test]
fn standard_input_is_drawn() {
    let place = Place::new("stack-flame-stdin");
    for args in [&["-"][..], &["-i", "-"]] {
        let mut command = assert_cmd::Command::from_std(place.here(binary("stack-flame").as_ref()));
        let output = command.args(args).write_stdin("main;work 3\n").output().expect("it starts");
        assert_status(&output, 0);
        let picture = place.read("flame.svg");
        assert!(
            picture.contains(">standard input</text>") && picture.contains("work"),
            "{picture}"
        );
    }
}

#[test]
fn what_can_be_read_of_a_damaged_recording_is_kept_and_drawn() {
    let place = Place::new("stack-flame-damaged");
    write(&place, "x.folded", "main;work 3\nmain;wor");
    for args in [&["--folded", "kept", "x.folded"][..], &["x.folded"]] {
        let output = place.stack_flame(args);
        assert_status(&output, 125);
        let said = stderr(&output);
        assert!(said.contains("no picture, or not all of it: stack-parse had trouble"), "{said}");
        assert!(place.read("flame.svg").contains("work"), "{args:?}");
    }
    assert!(place.read("kept").ends_with("\nmain;work 3\n"), "{}", place.read("kept"));
    // What has no stack leaves older files as they are.
    write(&place, "none", "main;wor");
    let output = place.stack_flame(&["--folded", "kept", "-i", "none"]);
    assert_status(&output, 125);
    assert!(place.read("kept").ends_with("\nmain;work 3\n"), "{}", place.read("kept"));
}

#[test]
fn what_begins_as_a_recording_is_drawn_even_if_it_is_executable() {
    let place = Place::new("stack-flame-executable");
    let packed = golden_path("formats/perf-data/dwarf-rust.perf.data.gz");
    for (name, bytes) in [
        ("packed", fs::read(packed).expect("a recording")),
        ("perf.data", recording("formats/perf-data/dwarf-rust.perf.data.gz")),
        ("app.jfr", recording("formats/jfr/jdk17-sleep.jfr.gz")),
    ] {
        place.program(name, "");
        write(&place, name, bytes);
        assert_status(&place.stack_flame(&[name]), 0);
    }
    assert!(!place.folder.join("perf.log").exists(), "something was recorded");
}

#[test]
fn stacks_that_are_cut_in_a_recursion_are_drawn_below_its_callers() {
    let place = Place::new("stack-flame-cut");
    let (whole, high) = ("main;run;f;g 5\n", "f;".repeat(200));
    let cut = format!("[truncated];{high}g 3\n");
    write(&place, "x.folded", whole.to_owned() + &cut);
    assert_status(&place.stack_flame(&["--folded", "kept", "-i", "x.folded"]), 0);
    assert!(place.read("kept").ends_with("\nmain;run;f;g 8\n"), "{}", place.read("kept"));
    assert_status(&place.stack_flame(&["--raw", "--folded", "kept", "-i", "x.folded"]), 0);
    assert!(place.read("kept").contains(&cut), "{}", place.read("kept"));
}

#[test]
fn a_recording_is_never_written_over() {
    let place = Place::new("stack-flame-over");
    let recording = "main;work 3\n";
    write(&place, "x.folded", recording);
    for option in ["-ox.folded", "--folded=x.folded", "--text=x.folded", "-o./x.folded"] {
        let output = place.stack_flame(&[option, "-i", "x.folded"]);
        let said = stderr(&output);
        assert!(said.ends_with("x.folded: it is the recording, and is kept\n"), "{said}");
        assert_status(&output, 125);
        assert_eq!(place.read("x.folded"), recording);
    }
}

#[test]
fn what_is_neither_program_nor_recording_is_refused_with_what_helps() {
    let place = Place::new("stack-flame-neither");
    write(&place, "app.py", "import sys\n");
    write(&place, "no-mode.sh", "#!/bin/sh\n");
    write(&place, "x.folded", "main;work 3\n");
    let to_draw = "permission denied: expected an executable file; to draw a recording: \
                   stack-flame [OPTIONS] -i";
    for (args, status, message) in [
        (
            &["app.py"][..],
            125,
            "app.py is not executable, so it was read as a recording: 'stack-flame -- py",
        ),
        (&["no-mode.sh"], 126, to_draw),
        // Options after a program are its own.
        (&["x.folded", "--grep", "work"], 126, to_draw),
        (&["-F", "99", "x.folded"], 126, to_draw),
        (&["-a", "x.folded"], 126, to_draw),
        (&["--keep", "kept", "x.folded"], 126, to_draw),
        (&["--perf-args=-v", "x.folded"], 126, to_draw),
    ] {
        let output = place.stack_flame(args);
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
        assert_status(&output, status);
        assert!(!place.folder.join("flame.svg").exists(), "{args:?}");
    }
}

#[test]
fn without_perf_its_packages_and_samply_are_named() {
    let place = Place::new("stack-flame-no-perf");
    fs::remove_file(place.folder.join("perf")).expect("it is there");
    place.link_from_system(&["sh"]);
    let run = |args: &[&str]| {
        let mut command = place.here(binary("stack-flame").as_ref());
        command.env("PATH", &place.folder).args(args).output().expect("it starts")
    };
    let output = run(&["--", "sh", "-c", "echo 'a b'"]);
    let said = stderr(&output);
    assert!(said.starts_with("stack-flame: perf is missing; the package with it is\n"), "{said}");
    assert!(said.contains("linux-perf\n"), "{said}");
    let samply = "without perf it records with samply, https://github.com/mstange/samply\n";
    assert!(said.ends_with(samply), "{said}");
    assert_status(&output, 125);
    // What a file has can be said without a recorder.
    fs::write(place.folder.join("app.folded"), "main;work 3\n").expect("a writable folder");
    assert_status(&run(&["app.folded"]), 0);
}

//! Where there is no perf: stand-ins for samply, with the options of samply 0.13.1, and for xctrace,
//! which exists on Macs only.

use super::*;

/// Runs the program and writes a profile of the Firefox Profiler.
const SAMPLY: &str = r#"#!/bin/sh
[ "$*" != "record --help" ] || { echo "      --unstable-presymbolicate  Emit symbols"; exit; }
echo "$*" >> samply.log
while [ "$1" != -- ] && [ $# -gt 0 ]; do
    [ "$1" != -o ] || cp "$PROFILE" "$2"
    shift
done
[ $# = 0 ] && exit
shift
exec "$@"
"#;

/// Runs the program, prints as xctrace does, and writes a folder. As on a Mac, it knows its own
/// exit status only; `trouble` is that of a recording with errors.
const XCTRACE: &str = r#"#!/bin/sh
case $1 in
    version) [ ! -e no-xcode ] && echo "xctrace version 16.0 (16A242d)"; exit ;;
    export)
        case $4 in
            --toc) cat toc.xml ;;
            --xpath) cat "$TABLE" ;;
        esac
        exit ;;
esac
echo "$*" >> xctrace.log
echo "Starting recording with the Time Profiler template."
while [ "$1" != -- ] && [ $# -gt 0 ]; do
    [ "$1" != --output ] || mkdir "$2" "$2/Trace1.run"
    [ "$1" != --target-stdout ] || printed=$2
    shift
done
if [ $# -gt 0 ]; then
    shift
    if [ "$printed" = - ]; then "$@"; else "$@" > "$printed"; fi
    echo "Target app exited, ending recording..."
fi
[ ! -e trouble ] || { echo "Recording failed with errors. Saving output file..."; exit 2; }
[ ! -e stopped ] || exit 54
exit 0
"#;

const TOC: &str = r#"<?xml version="1.0"?>
<trace-toc><run number="1"><data><table schema="time-profile"/></data></run></trace-toc>
"#;

/// A place without perf.
fn place(name: &str) -> Place {
    let place = Place::new(name);
    fs::remove_file(place.folder.join("perf")).expect("it is there");
    place.link_from_system(&["sh", "cp", "cat", "mkdir", "sleep"]);
    fs::write(place.folder.join("toc.xml"), TOC).expect("a writable folder");
    place
}

fn run(place: &Place, args: &[&str]) -> Output {
    let mut command = place.here(binary("stack-flame").as_ref());
    command.env("PATH", &place.folder);
    command.env("PROFILE", golden_path("formats/firefox/processed.json"));
    command.env("TABLE", golden_path("formats/xctrace/time-profile.xml"));
    command.args(args).output().expect("it starts")
}

#[test]
fn samply_records_where_there_is_no_perf() {
    let place = place("stack-flame-samply");
    place.program("samply", SAMPLY);
    place.program("xctrace", XCTRACE);
    let output = run(&place, &["--", "sh", "-c", "echo out; exit 3"]);
    let said = stderr(&output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n", "{said}");
    assert!(said.starts_with("stack-flame: perf is missing: recording with samply\n"), "{said}");
    assert!(said.contains("stack-flame: sh ended with status 3\n"), "{said}");
    assert!(said.contains("drawn: flame.svg"), "{said}");
    assert_status(&output, 3);
    assert!(place.read("flame.svg").contains("sh -c echo out"), "{said}");
    let log = place.read("samply.log");
    let asked = "record --save-only --rate 999 --unstable-presymbolicate -o ";
    let program = format!("/prof.json.gz -- {}/sh -c echo out; exit 3\n", place.folder.display());
    assert!(log.starts_with(asked) && log.ends_with(&program), "{log}");

    let told = stderr(&run(&place, &["--", "sh", "-c", ":"]));
    assert!(told.contains("samply 0.13 does not say how the program ended\n"), "{told}");

    run(&place, &["-F", "99", "-d", "0.5", "--keep", "kept.json", "-p", "1"]);
    let log = place.read("samply.log");
    let asked = "record --save-only --rate 99 --unstable-presymbolicate --duration 0.5 \
                 -o kept.json --pid 1\n";
    assert!(log.ends_with(asked), "{log}");
    assert!(place.folder.join("kept.json").exists());
}

#[test]
fn names_are_asked_for_as_this_samply_calls_that() {
    let place = place("stack-flame-samply-names");
    place.program("samply", &SAMPLY.replace("--unstable-presymbolicate", "--presymbolicate"));
    let output = run(&place, &["--", "sh", "-c", ":"]);
    assert!(!stderr(&output).contains("how the program ended"), "{}", stderr(&output));
    assert_status(&output, 0);
    assert!(place.read("samply.log").contains(" 999 --presymbolicate -o "));
    place.program("samply", &SAMPLY.replace("--unstable-presymbolicate", "--other"));
    assert_status(&run(&place, &["--", "sh", "-c", ":"]), 0);
    assert!(place.read("samply.log").contains(" 999 -o "));
}

#[test]
fn xctrace_records_where_there_is_no_samply_and_its_messages_are_not_the_programs() {
    let place = place("stack-flame-xctrace");
    place.program("xctrace", XCTRACE);
    let output = run(&place, &["-d", "2.5", "--", "sh", "-c", "echo out; exit 3"]);
    let said = stderr(&output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n", "{said}");
    assert!(said.contains("xctrace does not say how the program ended\n"), "{said}");
    assert_status(&output, 0);
    assert!(place.read("flame.svg").contains("my demo"), "{said}");
    let log = place.read("xctrace.log");
    let folder = log.split("/app.trace").next().expect("it").rsplit(' ').next().expect("it");
    let log = log.replace(folder, "TMP").replace(&*place.folder.to_string_lossy(), "HERE");
    let expected = "record --template Time Profiler --output TMP/app.trace --time-limit 2500ms \
                    --target-stdin - --target-stdout TMP/printed --launch -- \
                    HERE/sh -c echo out; exit 3\n";
    assert_eq!(log, expected);

    fs::remove_file(place.folder.join("flame.svg")).expect("it was drawn");
    let output = run(&place, &["--keep", "kept.trace", "-p", "4711"]);
    assert_status(&output, 0);
    assert!(place.read("xctrace.log").ends_with("--output kept.trace --attach 4711\n"));
    assert!(!stderr(&output).contains("how the program ended"), "{}", stderr(&output));
    assert!(place.folder.join("kept.trace").is_dir());
    let output = run(&place, &["--keep", "kept.trace", "-p", "4711"]);
    assert!(stderr(&output).contains("kept.trace: is a directory\n"), "{}", stderr(&output));
    let output = run(&place, &["--keep", "kept", "-p", "4711"]);
    assert!(stderr(&output).contains("kept: expected a name that ends in .trace\n"));
    assert_status(&output, 125);
}

#[test]
fn trouble_of_xctrace_is_told_and_what_it_recorded_is_drawn() {
    let place = place("stack-flame-xctrace-trouble");
    place.program("xctrace", XCTRACE);
    fs::write(place.folder.join("trouble"), "").expect("a writable folder");
    let output = run(&place, &["--verbose", "--", "sh", "-c", "echo out"]);
    let said = stderr(&output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n", "{said}");
    assert!(said.contains("stack-flame: xctrace: Recording failed with errors."), "{said}");
    assert!(said.contains("stack-flame: xctrace ended with status 2\n"), "{said}");
    assert!(place.read("flame.svg").contains("my demo"), "{said}");
    assert_status(&output, 125);
    // Ctrl-C, or the end of the time.
    fs::rename(place.folder.join("trouble"), place.folder.join("stopped")).expect("it is there");
    assert_status(&run(&place, &["--", "sh", "-c", ":"]), 0);
}

#[test]
fn what_only_perf_records_is_refused_before_anything_runs() {
    let place = place("stack-flame-needs-perf");
    place.program("samply", SAMPLY);
    for (args, option) in [
        (&["--off-cpu"][..], "--off-cpu"),
        (&["--wall"], "--wall"),
        (&["--critical"], "--critical"),
        (&["--latency"], "--latency"),
        (&["-e", "cycles"], "--event"),
        (&["--call-graph", "fp"], "--call-graph"),
        (&["--clock", "perf"], "--clock"),
        (&["--perf-args", "-m 8M"], "--perf-args"),
        (&["-a"], "--all with a program"),
    ] {
        let output = run(&place, &[args, &["--", "sh", "-c", "echo ran"]].concat());
        let expected = format!("stack-flame: {option} needs perf: samply does not record that\n");
        assert_eq!(stderr(&output), expected);
        assert_status(&output, 125);
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    // A page needs no switches.
    let output = run(&place, &["--brief", "--", "sh", "-c", ":"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("# "), "{}", stderr(&output));
    fs::rename(place.folder.join("samply"), place.folder.join("unused")).expect("it is there");
    place.program("xctrace", XCTRACE);
    let output = run(&place, &["-F", "99", "--", "sh"]);
    assert!(stderr(&output).contains("--freq needs perf: xctrace does not record that\n"));
}

#[test]
fn a_mac_without_xcode_has_an_xctrace_that_refuses() {
    let place = place("stack-flame-no-xcode");
    place.program("xctrace", &XCTRACE.replace("&& echo", "|| exit 1; echo"));
    fs::write(place.folder.join("no-xcode"), "").expect("a writable folder");
    let output = run(&place, &["--", "sh"]);
    assert!(stderr(&output).contains("records with samply, https://"), "{}", stderr(&output));
    // For all programs, xctrace comes first, if it works.
    place.program("samply", SAMPLY);
    run(&place, &["-a", "-d", "1"]);
    assert!(place.read("samply.log").ends_with(" --all\n"));
    fs::remove_file(place.folder.join("no-xcode")).expect("it is there");
    run(&place, &["-a", "-d", "1"]);
    assert!(place.read("xctrace.log").ends_with(" --time-limit 1000ms --all-processes\n"));
}
